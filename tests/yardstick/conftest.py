"""A yardstick needs a library that the course does not: without it nothing here is collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
collect_ignore = [] if find_spec("transformers") else ["test_pretrained.py"]
