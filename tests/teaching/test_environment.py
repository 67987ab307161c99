"""The first cell of the course: one line where all is well, and for each fault the command that mends it."""

import sys
from importlib.metadata import PackageNotFoundError

import pytest

from attention_lab.teaching import environment
from attention_lab.teaching.environment import EXTENSION, PACKAGES, READY, check_environment


@pytest.fixture
def installed(monkeypatch):
    """What is installed, name to version; a test changes it."""
    versions = {**PACKAGES, "jupyterlab": "4.1"}

    def version(name):
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(environment, "version", version)
    return versions


@pytest.fixture
def nothing_elsewhere(monkeypatch, tmp_path):
    """No JupyterLab extension outside a server's own environment; the kernel's environment is an empty folder."""
    kernel = tmp_path / "kernel env"
    kernel.mkdir()
    monkeypatch.setattr(sys, "prefix", str(kernel))
    monkeypatch.setattr(environment, "_extension_folders", lambda server: [server / "share" / "jupyter"])
    monkeypatch.setattr(environment, "_parent_command", lambda: ["/usr/share/code/code", "--type=utility"])
    return kernel


def said(capsys):
    check_environment()
    return capsys.readouterr().out.splitlines()


def with_extension(prefix):
    path = prefix / "share" / "jupyter" / EXTENSION
    path.parent.mkdir(parents=True)
    path.write_text("{}")


def test_all_well_is_one_line_without_versions(capsys):
    assert said(capsys) == [READY]


def test_the_lowest_supported_versions_are_well(installed, capsys):
    assert said(capsys) == [READY]


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize(("have", "what"), [(None, "is missing"), ("0.9.1rc2", "0.9.1rc2 is older than")])
def test_a_package_is_missing_or_old(installed, capsys, name, have, what):
    if have is None:
        del installed[name]
    else:
        installed[name] = have
    lines = said(capsys)
    [mend] = [line for line in lines if not line.startswith("ok ")]
    assert mend.startswith(f"mend  {name} {what}")
    assert f'%pip install "{name}>={PACKAGES[name]}"' in mend
    assert READY not in lines
    assert len(lines) == len(PACKAGES) + 2


def test_a_version_that_cannot_be_read_is_mended(installed, capsys):
    installed["numpy"] = "unknown"
    assert "mend  numpy unknown is older than" in "\n".join(said(capsys))


def test_a_folder_that_may_not_be_looked_at_is_no_fault(monkeypatch, capsys):
    def refused(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(environment.os, "stat", refused)
    assert said(capsys)[-1].startswith("mend  sliders")


def test_a_kernel_without_jupyter_is_told_of(monkeypatch, nothing_elsewhere, capsys):
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "jupyter_core.paths", None)
    assert said(capsys)


@pytest.mark.parametrize("command", [None, [], [5], [b"/x/bin/python"]])
def test_a_strange_parent_is_unknown(monkeypatch, command, capsys):
    monkeypatch.setattr(environment, "_parent_command", lambda: command)
    assert said(capsys) == [READY]


def test_versions_are_compared_as_numbers(installed, capsys):
    installed["numpy"] = "10.0"
    installed["matplotlib"] = "3.10.1"
    assert said(capsys) == [READY]


def test_python_is_too_old(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    assert said(capsys)[0].startswith("mend  Python 3.9.18 is older than 3.11: install a newer one")


def test_the_kernels_own_jupyterlab_cannot_draw_sliders(installed, nothing_elsewhere, capsys):
    assert said(capsys)[-1].startswith("mend  sliders: run  %pip install jupyterlab_widgets  in a cell")
    with_extension(nothing_elsewhere)
    assert said(capsys) == [READY]


@pytest.mark.parametrize("program", ["python3.12", "jupyter-lab", "jupyterhub-singleuser"])
def test_jupyterlab_of_another_environment_cannot_draw_sliders(
    installed, nothing_elsewhere, monkeypatch, tmp_path, capsys, program
):
    server = tmp_path / "lab"
    monkeypatch.setattr(environment, "_parent_command", lambda: [str(server / "bin" / program), "lab"])
    with_extension(nothing_elsewhere)  # the kernel's own does not help
    assert f'"{server}/bin/python3" -m pip install jupyterlab_widgets' in said(capsys)[-1]
    with_extension(server)
    assert said(capsys) == [READY]


def test_an_unknown_program_shows_the_page(installed, nothing_elsewhere, capsys):
    del installed["jupyterlab"]
    ready, note = said(capsys)
    assert ready == READY
    assert note.startswith("note  the program that shows this page cannot be seen from here")
    assert "python -m pip install jupyterlab_widgets" in note


def test_a_parent_that_may_not_be_looked_at_is_unknown(monkeypatch, capsys):
    def refused():
        raise PermissionError

    monkeypatch.setattr(environment, "_parent_command", refused)
    assert said(capsys) == [READY]
