"""The package as a whole: what an import costs, which names there are, how thin the mathematics stays."""

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from importlib.metadata import version
from pathlib import Path

import pytest

import attention_lab

HOUSE = Path(attention_lab.__file__).parent
MATHEMATICS = sorted({*HOUSE.glob("*.py")} - {HOUSE / "__main__.py"})  # that is the command
LIBRARY = [
    *MATHEMATICS,
    *(
        path
        for folder in ("tasks", "metrics", "baselines", "runs", "pretrained")
        for path in (HOUSE / folder).glob("*.py")
    ),
]
FUNCTIONS = [
    name
    for name in attention_lab.__all__
    if name not in attention_lab._TEACHING and callable(vars(attention_lab)[name])
]
IMPORTED = """
import sys, numpy
before = set(sys.modules)
import attention_lab
{then}
new = {{name.split(".")[0] for name in set(sys.modules) - before}}
print(*sorted(new - set(sys.stdlib_module_names) - {{"numpy"}}))
"""


def newly_imported(then=""):
    """Packages beyond NumPy that a fresh interpreter holds after ``import attention_lab``."""
    command = [sys.executable, "-W", "error", "-c", IMPORTED.format(then=then)]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=HOUSE.parent).stdout.split()


def test_import_costs_what_numpy_costs():
    assert newly_imported() == ["attention_lab"]


def test_the_mathematics_needs_numpy_alone():
    use = "attention_lab.scaled_dot_product_attention([[1.0]], [[1.0]], [[1.0]], is_causal=True); dir(attention_lab)"
    assert newly_imported(use) == ["attention_lab"]


@pytest.mark.parametrize("name", attention_lab.__all__)
def test_every_public_name_can_be_imported(name):
    assert callable(getattr(attention_lab, name))
    assert name in dir(attention_lab)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'atention'"):
        attention_lab.atention  # noqa: B018
    assert len(set(attention_lab.__all__)) == len(attention_lab.__all__)


def test_version_is_the_installed_one():
    assert attention_lab.__version__ == version("attention-lab")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_say_what_goes_in_and_comes_out(name):
    text = inspect.getdoc(getattr(attention_lab, name))
    title, blank, *_ = text.splitlines()
    assert title.endswith(".")
    assert blank == ""
    whole = ["Parameters", "Returns", "Raises", "Examples"]
    subject = vars(attention_lab)[name]
    if inspect.isclass(subject):
        whole.remove("Returns")
    elif "\nYields\n" in text:
        whole[1] = "Yields"
    sections = ["Examples"] if "are those of `" in text else whole
    for section in sections:
        assert f"\n{section}\n{'-' * len(section)}\n" in text, section
    assert ">>> " in text
    if "Parameters" in sections:
        described = re.split("\nReturns|\nYields|\nAttributes|\nRaises", text.split("Parameters\n")[1])[0]
        entries = re.findall(r"^\*?(\w[\w, ]*) :", described, re.MULTILINE)
        listed = ", ".join(entries).split(", ")
        assert listed == list(inspect.signature(subject).parameters)


# ---- thin -----------------------------------------------------------------------------------------------------


def code_lines(text):
    """Numbers of the lines that hold code: no docstring, comment or blank line."""
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in silent]
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
        for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    return {line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - docstrings


def test_code_lines_leaves_out_docstrings_comments_and_blank_lines():
    source = '"""A.\n\nB."""\n# c\n\ndef f(\n    x,\n):  # d\n    """E."""\n    return g(\n\n        x\n    )\n'
    assert code_lines(source) == {6, 7, 8, 10, 12, 13}


def test_the_mathematics_is_thin(capsys):
    counts = {path.name: len(code_lines(path.read_text("utf-8"))) for path in MATHEMATICS}
    with capsys.disabled():
        print(f"\nlines of code: {counts}, together {sum(counts.values())}")
    assert counts["attention.py"] <= 150
    assert counts["autodiff.py"] <= 200
    assert sum(counts.values()) <= 2500


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_files_and_functions_are_short(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    lines = code_lines(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert len(lines & set(range(node.lineno, node.end_lineno + 1))) <= 25, node.name


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_assert_guards_users_input(path):
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
