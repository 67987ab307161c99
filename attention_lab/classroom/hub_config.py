"""JupyterHub's settings for one class on one machine. It is started by `attention_lab.classroom.hub`.

Every learner has a folder and a server of their own there, and all servers run as the user who started the hub. So
this is for a trial, and for a class whose members trust each other: it keeps no learner from another's files.
"""

import asyncio
import os
import random
import secrets
import socket
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path

from attention_lab.classroom.ports import HERE

# Below those that systems give to connections, each in turn and in no order: two hubs seldom meet.
PORTS = cycle(random.sample(range(20_000, 30_000), 10_000))
TEACHER = "teacher"
NAME = r"\w[\w.-]{0,40}\Z"  # what a learner may be called: it becomes a folder's name
WELCOME = "Sign in with a name of letters, digits, '.', '_' and '-', without spaces, and the password of the class."
LESSONS = "lessons"  # the folder with the lessons, in each learner's own
FIRST = "00_start_here.ipynb"
SETTINGS = Path(__file__).with_name("jupyter")  # of each learner's JupyterLab: no news, no teacher's tools
# Variables in which hub.py hands over what each start decides anew.
FOLDER, PASSWORD, TEACHER_PASSWORD = (f"ATTENTION_LAB_HUB_{name}" for name in ("FOLDER", "PASSWORD", "TEACHER"))


def configure(c):
    """Fill in JupyterHub's configuration `c`."""
    folder = Path(os.environ[FOLDER])
    c.JupyterHub.db_url = "sqlite:///:memory:"  # a start finds nothing of the last one but the learners' files
    c.JupyterHub.cookie_secret = secrets.token_bytes(32)
    c.JupyterHub.concurrent_spawn_limit = 2 * (os.cpu_count() or 1)  # more at once start no sooner, and may time out
    c.ConfigurableHTTPProxy.pid_file = str(folder / "proxy.pid")
    _let_in(c)
    _start_servers(c, folder)


def _let_in(c):
    c.JupyterHub.authenticator_class = "shared-password"
    c.SharedPasswordAuthenticator.user_password = os.environ[PASSWORD]
    c.SharedPasswordAuthenticator.admin_password = os.environ[TEACHER_PASSWORD]
    c.Authenticator.allow_all = True
    c.Authenticator.admin_users = {TEACHER}
    c.Authenticator.username_pattern = NAME
    c.JupyterHub.template_vars = {"announcement_login": WELCOME}  # what is refused is not told why


def _start_servers(c, folder):
    c.JupyterHub.spawner_class = "simple"
    learners = str(folder / "learners").replace("{", "{{").replace("}", "}}")  # the next line is a template
    c.SimpleLocalProcessSpawner.home_dir_template = f"{learners}/{{username}}"
    c.Spawner.pre_spawn_hook = prepare
    c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
    c.Spawner.default_url = f"/lab/tree/{LESSONS}/{FIRST}"
    c.Spawner.start_timeout = c.Spawner.http_timeout = 180
    c.Spawner.environment = environment()
    c.Spawner.args = ["--allow-root"] if os.geteuid() == 0 else []


def environment():
    """What all learners share: one BLAS thread each, the converted weights, Matplotlib's list of fonts."""
    import matplotlib.font_manager  # makes that list where there is none: once, and not in twenty kernels at once

    from attention_lab.runs.files import cache_folder

    return {
        "JUPYTER_CONFIG_PATH": str(SETTINGS),
        "OPENBLAS_NUM_THREADS": "1",
        "ATTENTION_LAB_CACHE": str(cache_folder()),
        "MPLCONFIGDIR": matplotlib.get_cachedir(),
    }


async def prepare(spawner):
    """Before a server starts: its learner has every lesson, and keeps what they changed; and it has a port."""
    from attention_lab.command.lessons import copy_lessons

    await asyncio.to_thread(copy_lessons, Path(spawner.home_dir, LESSONS))
    spawner.port = free_port()


def free_port():
    """A port that nobody uses, and that no connection will be given: a server may need a minute until it takes it."""
    for port in PORTS:
        with socket.socket() as trial, suppress(OSError):
            trial.bind((HERE, port))
            return port


if "get_config" in globals():  # JupyterHub reads this file; Python may also import it
    configure(get_config())  # noqa: F821
