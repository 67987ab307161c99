"""Which modules of a package's folder a lesson's writer has to name."""

from pathlib import Path


def modules_that_name(package, text):
    """The lessons' modules beside a package's ``__init__.py`` that hold a text, by name."""
    paths = Path(package.__file__).parent.glob("lesson_*.py")
    return {path.stem for path in paths if text in path.read_text(encoding="utf-8")}
