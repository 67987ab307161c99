"""What a docstring states: each argument's type and shape, and what comes back. The docstring is the only table.

Three ways of writing are read: sections of numpydoc, one line such as ``x (..., n, d) -> y (..., n, m)``, and
references: "as in `softmax`", "Parameters and errors are those of `softmax`".
"""

import inspect
import re
from dataclasses import dataclass, replace

import attention_lab
from tests.fuzz.shapes import shapes_in


@dataclass(frozen=True)
class Entry:
    """One argument or result: its name, the text after the colon, the shape that stands there, and what is said."""

    name: str
    type: str = ""
    shape: str | None = None
    text: str = ""

    @property
    def is_stated(self):
        return self.shape is not None or re.search(r"any shape|shape (and \D*)?of `", self.text)

    @property
    def may_be_less(self):
        """Whether it is a number of things of which a result may hold fewer."""
        return "fewer where" in self.text

    @property
    def same_shape_as(self):
        """The argument whose shape this one has, where the text says so."""
        found = re.search(r"shape (?:and [^.`]*)?of `(\w+)`", self.text)
        return found and found[1]

    def without(self, shape, axis):
        """A shape without the axis that the text takes away."""
        if "without `axis`" not in self.text:
            return shape
        if axis is None:
            return ()
        return tuple(length for place, length in enumerate(shape) if place != axis % len(shape))

    @property
    def if_not_given(self):
        found = re.search(r"`(\w+)` if not given", self.text)
        return found and found[1]


@dataclass(frozen=True)
class Contract:
    parameters: dict
    returns: tuple
    text: str = ""

    @property
    def shapes(self):
        """Names of what has a stated shape; a result without a name is "result"."""
        given = {entry.name for entry in self.parameters.values() if entry.shape}
        return given | {entry.name or "result" for entry in self.returns if entry.shape}

    @property
    def is_brief(self):
        """Whether it is one line with an arrow: what follows the first shape there may be told in words."""
        return "->" in self.text and "Returns\n" not in self.text

    @property
    def spoken_of(self):
        """Which of "nan", "inf" and "-inf" are part of what is promised of the results."""
        text = " ".join(f"{entry.type} {entry.text}" for entry in self.returns)
        written = {"nan": r"\bNaN\b", "inf": r"(?<!-)\binf\b|[Ii]nfinite", "-inf": r"-inf\b|[Ii]nfinite"}
        return {number for number, pattern in written.items() if re.search(pattern, text)}


def contract(function, owner=None):
    """What is promised of a function, of a class's construction, or of a method of `owner`."""
    text = own_doc(function, owner)
    sections = dict(zip(*[iter(re.split(r"^(\w+)\n-+\n", text, flags=re.MULTILINE)[1:])] * 2))
    if "Parameters" in sections or "Returns" in sections or "Yields" in sections:
        parameters = {entry.name: entry for entry in _entries(sections.get("Parameters", ""))}
        returns = tuple(_entries(sections.get("Returns", "") or sections.get("Yields", ""), results=True))
    else:
        parameters, returns = _one_line(text)
        parameters = {name: parameters[name] for name in _parameters(function) if name in parameters}
    module = inspect.getmodule(owner or function)
    for name in _parameters(function):
        found = parameters.get(name, Entry(name))
        if not found.type:
            found = _referred(found, text, module, owner) or found
        elif "as in `" in found.type:
            found = _referred(found, found.type, module, owner) or found
        parameters[name] = found
    if not returns and (
        source := re.search(r"(?:[Rr]esult|[Pp]arameters)[\w ,]* are those of `(\w+)`|^As `(\w+)`", text)
    ):
        returns = _contract_of(source[1] or source[2], module, owner).returns
    return Contract(parameters, returns, text)


def own_doc(function, owner=None):
    """The docstring that was written for it, not one that is inherited from `type` or `object`."""
    return inspect.cleandoc(function.__doc__ or "") if function.__doc__ is not type.__call__.__doc__ else ""


def _parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


def _entries(section, results=False):
    """``names : type`` at the margin, and what is indented below it; a result may have no name."""
    for block in re.split(r"\n(?=\S)", section.strip("\n")) if section.strip() else ():
        head, _, body = block.partition("\n")
        names, colon, kind = head.partition(" :")
        if not colon and results:
            names, kind = "", head
        listed = [name.strip().lstrip("*") for name in names.split(",")]
        shapes = shapes_in(kind) if "array" in kind else []
        shapes = shapes if len(shapes) == len(listed) > 1 else shapes[:1] * len(listed)
        kinds = kind.split(", ") if kind.count(", ") == len(listed) - 1 and not shapes else [kind] * len(listed)
        for number, name in enumerate(listed):
            shape = shapes[number] if shapes else None
            yield Entry(name, kinds[number].strip(), shape, " ".join(body.split()))


def _one_line(text):
    """The entries of ``x (..., n, d) -> y (..., n, m), weights (..., n, n).  mask (..., n)``."""
    before, arrow, after = text.partition("->")
    if not arrow:
        return {}, ()
    result, _, rest = re.sub(r"\.\.\.", "…", after).partition(".")
    given = {name: Entry(name, "array_like", shape) for name, shape in _named_shapes(before + rest.replace("…", "..."))}
    made = _named_shapes(result.replace("…", "..."))
    return given, tuple(Entry(name, "ndarray", shape, text) for name, shape in made)


def _named_shapes(text):
    for shape in shapes_in(text):
        name = re.search(r"(\w*),?\s*(?:a list of )?$", text[: text.index(shape)])
        yield name[1], shape
        text = text[text.index(shape) + len(shape) :]


def _referred(entry, text, module, owner):
    """The entry of the same name in what the text refers to: the first one that describes it."""
    for name in re.findall(r"`(\w+)`", text):
        try:
            found = _contract_of(name, module, owner).parameters.get(entry.name)
        except (AttributeError, RecursionError):
            continue
        if found and found.type:
            return replace(found, text=f"{entry.text} {found.text}".strip())
    return None


def _contract_of(name, module, owner):
    """The contract of what a docstring calls by that name; from a method, a class is its call."""
    subject = vars(module).get(name) or vars(attention_lab).get(name)
    if not (inspect.isroutine(subject) or inspect.isclass(subject)):
        raise AttributeError(f"{module.__name__} has no function {name}")
    if inspect.isclass(subject) and owner is not None and subject is not owner and "__call__" in vars(subject):
        called = contract(subject.__call__, subject)
        made = contract(subject)
        return Contract({**made.parameters, **called.parameters}, called.returns)
    return contract(subject)
