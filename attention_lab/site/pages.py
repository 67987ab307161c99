"""The pages around the lessons: the front page, from the README, and the reference, from the docstrings."""

import inspect
import re
from importlib import import_module

import attention_lab

FRONT = ("Lessons", "How to learn with it", "Start")  # the README's sections that the front page repeats
ALSO = ("metrics", "pretrained")  # packages beside the top level that name what is public
PART = re.compile(r"^Part (\w+), \*(.+?)\*", re.MULTILINE)
LESSON = re.compile(r"\]\(notebooks/(\d\d_\w+)\.ipynb\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|lessons/|#)[^)]*\)")
SEARCH = """```{raw} html
<form class="al-search" role="search" action="search.html">
  <input type="search" name="q" aria-label="Search the course" placeholder="Search the course, for example softmax">
  <button type="submit">Search</button>
</form>
```"""
HIDDEN = "```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```"


def front(readme):
    """The front page, as MyST Markdown, from the README: its opening, a search, some of its sections."""
    opening, *sections = re.split(r"^## ", readme, flags=re.MULTILINE)
    sections = {text.partition("\n")[0]: text for text in sections}
    title, lead, picture, *merits = opening.strip().replace("(.github/", "(").split("\n\n")
    parts = [title, lead, SEARCH, picture, *merits, *(f"## {sections[name].strip()}" for name in FRONT)]
    text = LESSON.sub(r"](lessons/\1.ipynb)", "\n\n".join(parts))
    return "\n\n".join([LINK.sub(r"\1", text), *_contents(sections["Lessons"])]) + "\n"


def _contents(lessons):
    """What stands at the side of every page: the lessons by Part, and the reference."""
    _, *parts = PART.split(lessons)
    for part, name, text in zip(parts[::3], parts[1::3], parts[2::3]):
        entries = "\n".join(f"lessons/{lesson}" for lesson in LESSON.findall(text))
        yield HIDDEN.format(caption=f"Part {part}: {name}", entries=entries)
    yield HIDDEN.format(caption="Reference", entries="reference/index")


def reference():
    """The reference's pages: from a file's name to its reStructuredText, one page a module."""
    pages = {}
    for module, names in _public().items():
        entries = "\n".join(_entry(owner, name) for owner, name in names)
        short = module.removeprefix("attention_lab.")
        pages[f"{short}.rst"] = f"{short}\n{'=' * len(short)}\n\n.. automodule:: {module}\n   :no-index:\n\n{entries}"
    listed = "\n".join(f"   {name.removesuffix('.rst')}" for name in pages)
    title = "Reference\n=========\n\nEvery public name, by the module that it stands in.\n\n"
    return {"index.rst": f"{title}.. toctree::\n   :maxdepth: 2\n\n{listed}\n", **pages}


def _public():
    """From each module to the public names that it defines, each with the package that gives it."""
    public = {}
    for package in (attention_lab, *(import_module(f"attention_lab.{name}") for name in ALSO)):
        for name in package.__all__:
            home = getattr(package, name).__module__ if package is attention_lab else package.__name__
            public.setdefault(home, []).append((package.__name__, name))
    return {home: sorted(names, key=_line) for home, names in sorted(public.items(), key=_depth)}


def _depth(entry):
    return entry[0].count(".")


def _line(entry):
    """Where a public name stands in its file: the reference keeps that order."""
    value = inspect.unwrap(getattr(import_module(entry[0]), entry[1]))
    try:
        return inspect.getsourcelines(value)[1]
    except (OSError, TypeError):  # an object, such as `check`
        return 0


def _entry(owner, name):
    value = getattr(import_module(owner), name)
    kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
    members = "   :members:\n   :special-members: __call__\n" if kind == "class" else ""
    return f".. auto{kind}:: {owner}.{name}\n{members}"
