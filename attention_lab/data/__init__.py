"""Small data that the lessons look at: words.py."""
