"""A real JupyterLab and a real Chromium, and what the browser tests and the slider benchmark do with them."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright

from tests.chromium import find_chromium

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
SIZE = {"width": 1300, "height": 950}
HERE = "http://127.0.0.1"
NOTEBOOK = "window.jupyterapp?.shell.currentWidget"
KERNEL = f"{NOTEBOOK}?.sessionContext?.session?.kernel"
RESTS = f"""() => {{ const kernel = {KERNEL};
    if (kernel.rests === undefined)
        kernel.rests = 0, kernel.statusChanged.connect((_, status) => {{ kernel.rests += status === 'idle'; }});
    return kernel.rests; }}"""
ERRORS = ", ".join(
    f'.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.{kind}"]' for kind in ("error", "stderr")
)


@contextmanager
def serve(root, scratch):
    """JupyterLab over the notebooks in `root`, with every setting of its own in `scratch`. Gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _settle(scratch / "config/lab/user-settings/@jupyterlab")
    places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "run"}
    places = {name: str(scratch / place) for name, place in (places | {"IPYTHONDIR": "ipython"}).items()}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={root}"]
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command += ["--LabApp.expose_app_in_browser=True"]
    with open(scratch / "lab.log", "w+") as log:
        server = subprocess.Popen(command, env={**os.environ, **places}, stdout=log, stderr=log)
        try:
            poll(lambda: _answers(server, port, scratch), 180, "JupyterLab did not start")
            yield f"{HERE}:{port}"
        finally:
            server.terminate()
            server.wait(20)


def _settle(settings):
    """No question about Jupyter news over the page; what a test does to a notebook is not saved."""
    choices = {
        "apputils-extension/notification": {"fetchNews": "false"},
        "docmanager-extension/plugin": {"autosave": False},
    }
    for plugin, choice in choices.items():
        path = settings / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(choice))


def _answers(server, port, scratch):
    if server.poll() is not None:
        raise RuntimeError(f"JupyterLab ended at once:\n{(scratch / 'lab.log').read_text()}")
    try:
        return urllib.request.urlopen(f"{HERE}:{port}/api/status", timeout=2).status == 200
    except OSError:
        return False


@contextmanager
def launch():
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def write_notebook(path, *cells):
    """A notebook of code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def poll(get, seconds, complaint):
    """Wait until `get()` is true, and give it. (A predicate that returns a Promise would be true at once.)"""
    end = time.monotonic() + seconds
    while not (value := get()):
        if time.monotonic() > end:
            raise AssertionError(f"{complaint} (waited {seconds} s)")
        time.sleep(0.02)
    return value


class Lab:
    """JupyterLab in a page of the browser, with every request and console error since it was opened."""

    latest = None  # the one that a screenshot is taken of when a test fails

    def __init__(self, browser, address):
        self.console, self.requests = [], []
        Lab.latest, self.page = self, browser.new_page(viewport=SIZE)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.console.append(f"uncaught: {error.stack}"))
        self.page.on("console", lambda message: message.type == "error" and self.console.append(_spell(message)))
        self.page.goto(f"{address}/lab/workspaces/w{time.time_ns()}?reset", wait_until="domcontentloaded")
        self.wait("window.jupyterapp", 90, "JupyterLab did not open")
        self.page.evaluate("async () => { await window.jupyterapp.restored; }")

    def command(self, name, **arguments):
        """Give JupyterLab a command. It is not awaited: an error in a cell would hang it."""
        self.page.evaluate(f"() => {{ window.jupyterapp.commands.execute('{name}', {json.dumps(arguments)}); }}")

    def wait(self, condition, seconds, complaint):
        poll(lambda: self.page.evaluate(f"() => Boolean({condition})"), seconds, complaint)


class Notebook:
    """A notebook that is open in JupyterLab. Whoever opens another closes it first."""

    def __init__(self, lab, name):
        self.lab, self.name, self.page, self.command = lab, name, lab.page, lab.command
        self.before = len(lab.console)
        self.command("docmanager:open", path=name)
        self._wait(f"{NOTEBOOK}?.context?.path === '{name}' && {KERNEL}?.status === 'idle'", 90, "no kernel")

    def run_all(self, seconds=120):
        """Run every cell, until all have run or one has failed."""
        self.command("notebook:run-all-cells")
        code = f"{NOTEBOOK}.content.widgets.filter(c => c.model.type === 'code' && c.model.sharedModel.source.trim())"
        all_ran = f"{KERNEL}?.status === 'idle' && {code}.every(c => c.model.executionCount)"
        self._wait(f"document.querySelector('{ERRORS}') || {all_ran}", seconds, "cells did not end")
        self.page.wait_for_timeout(300)  # widgets still come in

    def rests(self):
        """How often the kernel has come to rest: once for each thing that the page asks of it."""
        return self.page.evaluate(RESTS)

    def use_theme(self, theme):
        self.command("apputils:change-theme", theme=f"JupyterLab {theme}")
        is_light = "true" if theme == "Light" else "false"
        gone = "!document.getElementById('jupyterlab-splash')"  # JupyterLab trips over a splash that is still fading
        self._wait(f"document.body.dataset.jpThemeLight === '{is_light}' && {gone}", 20, f"no {theme} theme")

    @contextmanager
    def narrow(self):
        """A window 600 px wide, without the list of files."""
        self.page.set_viewport_size({"width": 600, "height": SIZE["height"]})
        self.command("application:toggle-left-area")
        try:
            panel = self.page.locator(".jp-NotebookPanel")
            poll(lambda: panel.bounding_box()["width"] > 400, 10, "the list of files stays open")
            yield
        finally:
            self.command("application:toggle-left-area")
            self.page.set_viewport_size(SIZE)

    def failures(self):
        """What cells wrote as errors or to stderr."""
        return self.page.locator(ERRORS).all_inner_texts()

    def strangers(self):
        """Requests that left this machine, since JupyterLab was opened."""
        ours = re.compile(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:|about:")
        return [url for url in self.lab.requests if not ours.match(url)]

    def console(self):
        """Errors in the console since this notebook was opened."""
        return self.lab.console[self.before :]

    def close(self):
        close = "await notebook.sessionContext.shutdown(); notebook.dispose();"
        self.page.evaluate(f"async () => {{ const notebook = {NOTEBOOK}; if (notebook) {{ {close} }} }}")

    def _wait(self, condition, seconds, complaint):
        self.lab.wait(condition, seconds, f"{self.name}: {complaint}")


def _spell(message):
    return f"{message.text} ({Path(message.location.get('url', '')).name})"
