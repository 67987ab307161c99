"""The committed lessons, and what their cells bind. How one is read: attention_lab.teaching.lesson."""

import ast
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
ASKS = "21"  # the lesson that only asks: a self-test a Part stands for its recall, faults, exercises, demo and closing


def lesson_paths():
    """Every committed lesson."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def bound_names(tree):
    """The names that a cell's own level binds, loop variables aside."""
    names = set()
    for node in _own_level(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names - {"_"}


def _own_level(node):
    """The nodes below one, without the insides of functions, classes and comprehensions, and without loop targets."""
    closed = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    comprehensions = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.For | ast.AsyncFor) and field == "target":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                if not isinstance(child, closed | comprehensions):
                    yield from _own_level(child)
