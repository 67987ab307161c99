"""A cluster needs a library that the course does not: without it nothing here is collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("distributed") else ["test_*.py"]
