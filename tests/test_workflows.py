"""What runs on other machines: each workflow asks for targets that the Makefile has."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def asked_for(text):
    """The words after ``make``; of ``${{ matrix.target }}``, all that the matrix names."""
    words = " ".join(re.findall(r"^ *- run: make (.+)$", text, re.MULTILINE))
    for key in re.findall(r"\$\{\{ matrix\.(\w+) \}\}", words):
        named = re.findall(rf"\b{key}: (\[.+?\]|\"[^\"]+\"|[\w-]+)", text)
        assert named, f"the matrix names no {key}"
        words += " " + " ".join(re.sub(r"[][\",]", " ", value) for value in named)
    words = re.sub(r"\$\{\{.*?\}\}|--[\w-]+|\w+=\S+", " ", words)
    return set(words.split())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_for_what_the_makefile_has(path):
    text = path.read_text(encoding="utf-8")
    wanted = asked_for(text)
    assert wanted <= TARGETS
    assert wanted or "bash .ci/run" in text


def test_both_together_run_every_test_target():
    everything = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    whole = {"test-quick", "test-lessons", "test-browser"}  # parts of what .ci/run runs
    assert {name for name in TARGETS if name.startswith("test-")} - whole <= asked_for(everything)
    assert all(system in everything for system in ("ubuntu-latest", "macos-latest", "windows-latest"))
    assert "schedule:" in everything
