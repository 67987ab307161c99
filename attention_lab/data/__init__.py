"""Small data that the lessons look at and learn from; README.md says where it comes from."""
