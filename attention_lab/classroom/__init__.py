"""For whoever teaches: homework that marks itself, demos as pages, one server for a class."""
