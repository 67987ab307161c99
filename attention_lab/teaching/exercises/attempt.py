"""Whether a learner has begun: a function that still holds its ``...`` is not wrong, it is not attempted."""

import ast
import functools
import inspect
import re
import textwrap

from attention_lab.teaching.exercises.results import error_text


def plain(function):
    """The Python function inside a partial, a method, an object with ``__call__`` or a decorated function."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    function = getattr(function, "__func__", function)
    try:
        return inspect.unwrap(function)
    except ValueError:  # a chain of __wrapped__ that bites its tail
        return function


def untouched(function, outcome):
    """Say which `...` waits to be replaced, or give None if the function was written.

    Parameters
    ----------
    function : callable
        The learner's.
    outcome : Outcome
        Of a call that did not give the right answer.
    """
    tree, lines = _parse(plain(function))
    gaps = [lines[node.lineno - 1] for node in _placeholders(tree)] if tree else []
    if gaps:
        return f"Not attempted yet: replace the `...` in the line {_mark(gaps[0])}."
    name = getattr(function, "__name__", "your function")
    if isinstance(outcome.error, NotImplementedError):
        return f"Not attempted yet: `{name}` still raises NotImplementedError. Write code in place of that line."
    if outcome.value is None and not outcome.error and _stub(tree):
        return f"Not attempted yet: write the body of `{name}` in place of the `...`."
    if _mentions_ellipsis(outcome):
        return "Not attempted yet: one step is still `...`. Replace it by code."
    return None


def unused(function):
    """The parameters without a default that a function's body never reads: often a global stands in their place."""
    tree, _ = _parse(plain(function))
    if not tree or not isinstance(tree.body[0], ast.FunctionDef):
        return []
    wanted = tree.body[0].args
    names = [arg.arg for arg in (*wanted.posonlyargs, *wanted.args) if arg.arg not in ("self", "cls")]
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return [name for name in names[: len(names) - len(wanted.defaults)] if name not in read]


def _parse(function):
    try:
        text = textwrap.dedent(inspect.getsource(function))
        return ast.parse(text), text.splitlines()
    except Exception:  # built in, or a lambda cut out of a longer statement
        return None, []


def _placeholders(node):
    """Every `...` that stands for a value. One between brackets (`x[..., None]`) or alone on its line does not."""
    if isinstance(node, ast.Constant) and node.value is ...:
        yield node
    elif isinstance(node, ast.Subscript):
        yield from _placeholders(node.value)
    elif not isinstance(node, ast.List) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from _placeholders(child)


def _mark(line):
    """How to find a line: by its label, or by its text."""
    label = re.search(r"#\s*([^:]+)", line)
    return f"marked `# {label[1].strip()}`" if label else f"`{line.strip()}`"


def _stub(tree):
    """Whether nothing was written: only `...`, `pass`, `return`, or text. Without source, None says as much."""
    if tree is None:
        return True
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return True
    return all(
        isinstance(line, ast.Pass)
        or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        or (isinstance(line, ast.Return) and (line.value is None or _is_none(line.value)))
        for line in definition.body
    )


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _mentions_ellipsis(outcome):
    values = outcome.value if isinstance(outcome.value, tuple) else (outcome.value,)
    if any(value is ... for value in values):
        return True
    return isinstance(outcome.error, (TypeError, AttributeError)) and "ellipsis" in error_text(outcome.error).lower()
