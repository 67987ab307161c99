"""A lesson read from its notebook file: cells, sections, the core above ``## More``, and what its demos need."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$", re.MULTILINE)
MATHS = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
WORD = re.compile(r"[^\W_][\w'’./-]*")


@dataclass(frozen=True)
class Cell:
    """One cell; ``number`` counts from 1, as a reader would."""

    number: int
    kind: str
    source: str
    tags: frozenset
    outputs: tuple = ()
    execution_count: int | None = None

    @property
    def is_code(self):
        return self.kind == "code"

    @property
    def headings(self):
        """(level, title) of each heading of a prose cell."""
        if self.kind != "markdown":
            return []
        return [(len(marks), title) for marks, title in HEADING.findall(FENCE.sub("", self.source))]

    @property
    def words(self):
        """Words of a prose cell. A formula counts as one; code blocks, HTML tags and link targets do not count."""
        text = MATHS.sub(" formula ", FENCE.sub(" ", self.source))
        text = re.sub(r"<[^>]+>|\]\([^)]*\)", " ", text)
        return len(WORD.findall(text)) if self.kind == "markdown" else 0

    @property
    def lines(self):
        """Lines of a code cell that are not blank."""
        return sum(bool(line.strip()) for line in self.source.splitlines())

    @cached_property
    def tree(self):
        """The syntax tree; empty where the code does not parse, which a rule of its own reports."""
        try:
            return ast.parse(self.source if self.is_code else "")
        except SyntaxError:
            return ast.Module([], [])

    def calls(self, *names):
        """The calls of these functions, in reading order; of ``check.softmax(...)`` the name is ``check.softmax``."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        found = [node for node in found if not names or called_name(node) in names]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def tagged(self, prefix):
        """What follows ``prefix:`` in the cell's tags."""
        return sorted(tag.partition(":")[2] for tag in self.tags if tag.startswith(f"{prefix}:"))


@dataclass(frozen=True)
class Section:
    """The cells from one H2 (inside More: H3) to the next. The cells above the first have the title ""."""

    title: str
    cells: tuple
    in_more: bool = False

    @property
    def code(self):
        return [cell for cell in self.cells if cell.is_code]


class Lesson:
    """A notebook as the contract sees it."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.notebook = nbformat.reads(text, as_version=4)
        self.cells = [_cell(i, raw) for i, raw in enumerate(self.notebook.cells, start=1)]

    @classmethod
    def read(cls, path):
        return cls(Path(path).name, Path(path).read_text(encoding="utf-8"))

    @property
    def number(self):
        """The two digits that the file name begins with."""
        return self.name[:2]

    @property
    def code(self):
        return [cell for cell in self.cells if cell.is_code]

    @property
    def core(self):
        """The cells above ``## More``."""
        more = (cell.number for cell in self.cells if (2, "More") in cell.headings)
        return self.cells[: next(more, len(self.cells) + 1) - 1]

    @property
    def titles(self):
        """The H2 titles."""
        return [title for cell in self.cells for level, title in cell.headings if level == 2]

    @property
    def imports(self):
        """The cell that every section needs: the one tagged ``imports``."""
        return next((cell for cell in self.cells if "imports" in cell.tags), None)

    @cached_property
    def sections(self):
        sections, title, cells, in_more = [], "", [], False
        for cell in self.cells:
            levels = (2, 3) if in_more else (2,)
            start = next((heading for level, heading in cell.headings if level in levels), None)
            if start is not None:
                sections.append(Section(title, tuple(cells), in_more))
                title, cells = start, []
                in_more = in_more or start == "More"
            cells.append(cell)
        return [section for section in [*sections, Section(title, tuple(cells), in_more)] if section.cells]

    def section(self, title):
        """The section of that title, or an empty one."""
        return next((section for section in self.sections if section.title == title), Section(title, ()))


def needed_sections(lesson, section):
    """The earlier sections that this one names by ``needs:`` tags, and those that they name, in the lesson's order."""
    wanted = {name for cell in section.code for name in cell.tagged("needs")}
    needed = []
    for other in lesson.sections:
        if other is section:
            break
        if slug(other.title) in wanted:
            needed += [every for every in [*needed_sections(lesson, other), other] if every not in needed]
    return needed


def has_demo(part):
    """Whether a cell, or a cell of a section, makes a demo."""
    return any(cell.calls("Explorer", "explore_attention") for cell in getattr(part, "code", [part]))


def cells_of_demo(lesson, section):
    """The code that a section's demos need: that of the sections it names, and its own up to the last demo."""
    last = max(cell.number for cell in section.code if has_demo(cell))
    needed = [cell for one in needed_sections(lesson, section) for cell in one.code]
    return needed + [cell for cell in section.code if cell.number <= last]


def slug(title):
    """``train-it`` of "Train it"."""
    return title.lower().replace(" ", "-")


def called_name(call):
    """``predict`` of predict(...) and of al.predict(...), ``check.softmax`` of al.check.softmax(...)."""
    return re.sub(r"^(al|attention_lab)\.", "", ast.unparse(call.func))


def _cell(number, raw):
    tags = frozenset(raw.metadata.get("tags", []))
    return Cell(number, raw.cell_type, raw.source, tags, tuple(raw.get("outputs", ())), raw.get("execution_count"))
