"""One server for a class, on this machine alone: ``make hub-trial``, or ``python -m attention_lab.classroom.hub``.

It starts a JupyterHub on loopback. Each learner signs in with the class's password and has a copy of the lessons.
"""

import argparse
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from attention_lab.classroom.hub_client import Client, HubError
from attention_lab.classroom.hub_config import FOLDER, HERE, NAME, PASSWORD, TEACHER, TEACHER_PASSWORD, free_port
from attention_lab.classroom.ports import check_port

SECONDS_TO_START, SECONDS_TO_STOP = 180, 90


class Hub(NamedTuple):
    """A JupyterHub that runs: where, and the passwords of learners and teacher."""

    address: str
    password: str
    teacher_password: str
    process: subprocess.Popen


@contextmanager
def serve(folder, port=0):
    """A JupyterHub whose learners' files lie in `folder`; it ends, and all servers with it, with the block.

    Parameters
    ----------
    folder : path
    port : int
        0 for any that is free.

    Yields
    ------
    Hub

    Raises
    ------
    HubError
        If a package is missing, the port is taken, or JupyterHub does not start. The message says what to do.
    """
    folder, proxy = Path(folder).resolve(), _find_what_it_needs()
    port = port or free_port()
    try:
        check_port(port)
    except OSError as error:
        raise HubError(str(error)) from None
    folder.mkdir(parents=True, exist_ok=True)
    passwords = secrets.token_hex(4), secrets.token_urlsafe(24)
    with _alone_in(folder), open(folder / "hub.log", "w", encoding="utf-8") as log:
        process = _start(_command(port, proxy), folder, passwords, log)
        try:
            hub = Hub(f"http://{HERE}:{port}", *passwords, process)
            _wait_for(hub, folder / "hub.log")
            yield hub
        finally:
            _end(process, folder)


def show(text, is_last):
    """A line that the next one replaces in a terminal; elsewhere the last one alone."""
    if sys.stdout.isatty():
        print(f"\r{text}", end="\n" if is_last else "", flush=True)
    elif is_last:
        print(text, flush=True)


def start_servers(hub, names, say=show):
    """Start the servers of these learners now, so that a lesson does not begin with a queue."""
    teacher = Client(hub.address)
    teacher.sign_in(TEACHER, hub.teacher_password)
    for name in names:
        teacher.add_user(name)
        teacher.ask_for_server(name)
    for number, name in enumerate(names, 1):
        try:
            teacher.wait_for_server(name)
        except HubError as error:  # the class goes on: a sign-in starts it anew
            print(f"\n{error}", file=sys.stderr)
        say(f"servers ready: {number} of {len(names)}", number == len(names))


def read_learners(given):
    """Names of learners: of "3" learner-1, learner-2 and learner-3; else those given, with spaces between.

    Examples
    --------
    >>> read_learners("3"), read_learners("Ada bob")
    (['learner-1', 'learner-2', 'learner-3'], ['ada', 'bob'])
    """
    words = given.lower().split()
    if len(words) == 1 and words[0].isdecimal():
        digits = len(words[0])
        words = [f"learner-{number:0{digits}}" for number in range(1, int(words[0]) + 1)] if digits < 4 else []
    wrong = [word for word in words if not re.match(NAME, word) or word == TEACHER]
    if wrong or not words:
        raise argparse.ArgumentTypeError(
            f"learners must be a number from 1 to 999, or names of letters, digits, '.', '_' and '-' other than "
            f"'{TEACHER}', got {wrong[0] if wrong else given!r}"
        )
    return list(dict.fromkeys(words))


def end_in_order():
    """Let this program end as by Ctrl+C when it is told to, or when its terminal is closed."""
    for end in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(end, signal.default_int_handler)


def _find_what_it_needs():
    """The path of the proxy; JupyterHub must be installed too."""
    if find_spec("jupyterhub") is None:
        raise HubError("JupyterHub is missing: run  python -m pip install 'attention-lab[hub]'")
    name = "configurable-http-proxy"
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    proxy = shutil.which(name, path=beside)
    if proxy is None:
        raise HubError(f"JupyterHub's proxy is missing: run  npm install --global --prefix '{sys.prefix}' {name}")
    if shutil.which("node") is None:
        raise HubError("Node.js, which runs JupyterHub's proxy, is missing: install it, so that  node  is a command")
    return proxy


@contextmanager
def _alone_in(folder):
    """Two hubs would stop each other's proxy. The lock ends with this program, however that ends."""
    import fcntl  # JupyterHub and this are for Linux and macOS

    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise HubError(
                f"a class is open already whose files lie in {folder}: end it, or name another folder"
            ) from None
        yield


def _start(command, folder, passwords, log):
    variables = zip((FOLDER, PASSWORD, TEACHER_PASSWORD), (str(folder), *passwords))
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **dict(variables)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,  # Ctrl+C is for this program, which then ends the hub in order
    )


def _command(port, proxy):
    config = Path(__file__).with_name("hub_config.py")
    command = [sys.executable, "-m", "jupyterhub", f"--config={config}", f"--JupyterHub.bind_url=http://{HERE}:{port}"]
    command += [f"--JupyterHub.hub_bind_url=http://{HERE}:{free_port()}"]
    command += [f"--ConfigurableHTTPProxy.api_url=http://{HERE}:{free_port()}"]
    return [*command, f"--ConfigurableHTTPProxy.command={proxy}"]


def _wait_for(hub, log):
    client, end = Client(hub.address), time.monotonic() + SECONDS_TO_START
    while not client.is_up():
        if hub.process.poll() is not None or time.monotonic() > end:
            last = "\n".join(log.read_text("utf-8", "replace").splitlines()[-8:])
            raise HubError(f"JupyterHub did not start; {log} ends so:\n{last}")
        time.sleep(0.2)


def _end(process, folder):
    """JupyterHub stops every server and the proxy before it ends. Where it was killed, nobody did."""
    process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    finally:
        process.kill()
        process.wait()
        for _, left in processes(folder):
            left.kill()
        end = time.monotonic() + SECONDS_TO_STOP
        while any(processes(folder)) and time.monotonic() < end:  # until then their ports are taken
            time.sleep(0.05)


def processes(folder):
    """Each process of this class with its learner's name; that of hub and proxy is None."""
    import psutil  # comes with ipykernel

    folder = Path(folder).resolve()
    homes = {str(home): home.name for home in folder.glob("learners/*")}
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # another user's, or just gone
            variables = process.environ()
            ours = variables.get("HOME") in homes or variables.get(FOLDER) == str(folder)
            if ours and process.status() != psutil.STATUS_ZOMBIE:  # it may have ended since
                yield homes.get(variables.get("HOME")), process


def _welcome(hub, names, folder):
    shown = names if len(names) <= 6 else [*names[:2], "...", names[-1]]
    print(
        f"""The class is open at {hub.address} for this machine alone.

  learners   {", ".join(shown)}, or any other name
             password {hub.password}
  teacher    {TEACHER}, who sees all learners at {hub.address}/hub/admin
             password {hub.teacher_password}

Each learner's files lie in {folder / "learners"} and stay there. Ctrl+C ends the class.
""",
        flush=True,
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m attention_lab.classroom.hub", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--learners", default="2", type=read_learners, help="how many, or their names; their servers start at once"
    )
    parser.add_argument("--folder", default="build/hub-trial", type=Path, help="where their files lie")
    parser.add_argument("--port", default=8000, type=int)
    options = parser.parse_args(arguments)
    end_in_order()
    try:
        with serve(options.folder, options.port) as hub:
            return _hold(hub, options.learners, options.folder.resolve())
    except KeyboardInterrupt:
        return 130
    except (HubError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _hold(hub, names, folder):
    """Until Ctrl+C; then the servers end one by one, which takes some seconds."""
    try:
        _welcome(hub, names, folder)
        start_servers(hub, names)
        hub.process.wait()
    except KeyboardInterrupt:
        print("\nClosing the class ...", flush=True)
        return 0
    raise HubError(f"JupyterHub ended by itself: {folder / 'hub.log'} says why")


if __name__ == "__main__":
    sys.exit(main())
