"""One server for a class, for real: JupyterHub, its proxy, learners' servers and kernels, and a browser."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from attention_lab.classroom import hub_config, load
from attention_lab.classroom.hub import processes, serve, start_servers
from attention_lab.classroom.hub_client import Client, HubError
from attention_lab.classroom.learner import Learner
from tests.browser.demo import Demo
from tests.browser.lab import SIZE, launch, write_notebook

DEMO = "from attention_lab import explore_attention", "explore_attention(heads=4, show=('length', 'heads'))"
ALL_RAN = "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))"
BROKEN = "1 + 1", "import sys; print('careful', file=sys.stderr)", "raise ValueError('no')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the class's files lie: a path that is not plain."""
    return tmp_path_factory.mktemp("a {class} of zoë's")


@pytest.fixture(scope="module")
def hub(folder):
    with serve(folder) as hub:
        start_servers(hub, ["zoë"], lambda text, is_last: None)
        yield hub


def client(hub, name, password):
    client = Client(hub.address)
    client.sign_in(name, password)
    return client


def test_the_password_is_asked_for_and_the_teacher_has_another(hub):
    for name, password in (("zoë", "wrong"), ("teacher", hub.password), ("../zoë", hub.password)):
        with pytest.raises(HubError, match=f"{re.escape(name)} could not sign in"):
            client(hub, name, password)
    client(hub, "teacher", hub.teacher_password)


def test_who_signs_in_is_told_which_names_are_let_in(hub):
    """JupyterHub calls a name with a space, as many people have, wrong, and does not say why."""
    with pytest.raises(HubError, match="ada lovelace could not sign in"):
        client(hub, "ada lovelace", hub.password)
    assert "without spaces" in Client(hub.address).http.get(f"{hub.address}/hub/login").text


def test_a_learner_reaches_no_other_server_and_the_teacher_does(hub):
    with pytest.raises(HubError, match="403"):
        client(hub, "bob", hub.password).open_server("zoë")
    client(hub, "teacher", hub.teacher_password).open_server("zoë")


def test_a_learner_signs_in_sees_the_first_lesson_and_moves_its_demo(hub):
    with launch() as browser:
        page, asked, wrong = browser.new_page(viewport=SIZE), [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(hub.address)
        page.get_by_label("Username").fill("zoë")
        page.locator("#password_input").fill(hub.password)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Start here", exact=True).wait_for(timeout=90_000)
        assert page.url.endswith(f"/lab/tree/lessons/{hub_config.FIRST}")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.locator(".al-explorer").first.wait_for(state="attached", timeout=90_000)
        page.wait_for_function(ALL_RAN, timeout=180_000)  # a slider's message waits for the cells before it
        demo = Demo(page.locator(".al-explorer").first).show()
        (name, handle), *_ = demo.sliders().items()
        demo.step(name, handle)
        assert [url for url in asked if not url.startswith((hub.address, "data:", "blob:", "ws:"))] == []
        assert wrong == []


def test_a_class_at_work_is_measured_and_a_failing_cell_is_named(tmp_path):
    works, breaks = Learner("works", "demo.ipynb"), Learner("breaks", "broken.ipynb")
    for learner, cells in ((works, DEMO), (breaks, BROKEN)):
        path = tmp_path / "learners" / learner.name / hub_config.LESSONS / learner.lesson
        path.parent.mkdir(parents=True)
        write_notebook(path, *cells)
    sizes = load.load(tmp_path, [works, breaks], 5, lambda text, is_last: None)
    assert works.failures == []
    assert (works.cells, works.demos, len(works.updates)) == (2, 1, 5)
    assert all(0 < seconds < works.ran for seconds in works.updates)
    assert breaks.failures == ["HubError: cell 2: careful"]
    assert {name: sorted(size) for name, size in sizes.items()} == {
        name: ["kernel", "server"] for name in ("works", "breaks")
    }
    assert all(size > 20 * load.MIB for of_one in sizes.values() for size in of_one.values())
    assert list(processes(tmp_path)) == [], "all servers and kernels ended with the class"


@pytest.fixture
def program(tmp_path):
    """A class as `make hub-trial` opens it, in a process group of its own as in a terminal."""
    command = [
        sys.executable,
        "-m",
        "attention_lab.classroom.hub",
        "--port=0",
        "--learners=ada",
        f"--folder={tmp_path}",
    ]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    yield program
    program.kill()


def test_ctrl_c_closes_the_class(program, tmp_path):
    said = ""
    while "servers ready: 1 of 1" not in said:
        line = program.stdout.readline()
        assert line, f"it ended too soon:\n{said}"
        said += line
    address = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
    assert Client(address).is_up()
    with pytest.raises(HubError, match="a class is open already"), serve(tmp_path):
        pass
    assert {name for name, _ in processes(tmp_path)} == {"ada", None}
    os.killpg(program.pid, signal.SIGINT)  # as a terminal sends it: to every process of the group
    assert "Closing the class" in program.communicate(timeout=120)[0]
    assert program.returncode == 0
    assert list(processes(tmp_path)) == []
    assert not Client(address).is_up()


def test_a_hub_that_was_killed_leaves_no_server_behind(tmp_path):
    with serve(tmp_path) as hub:
        learner = client(hub, "ada", hub.password)
        learner.ask_for_server("ada")
        learner.wait_for_server("ada")
        hub.process.kill()
        hub.process.wait()
        assert {name for name, _ in processes(tmp_path)} == {"ada", None}, "servers and proxy outlive the hub"
    assert list(processes(tmp_path)) == []


def test_a_second_class_leaves_a_learners_work_alone(tmp_path):
    spawner = SimpleNamespace(home_dir=str(tmp_path / "ada"))
    first = tmp_path / "ada" / hub_config.LESSONS / hub_config.FIRST
    asyncio.run(hub_config.prepare(spawner))
    assert json.loads(first.read_text())["cells"]
    assert len(list(first.parent.glob("*.ipynb"))) > 20
    first.write_text("my own")
    asyncio.run(hub_config.prepare(spawner))
    assert first.read_text() == "my own"


def test_each_server_has_a_port_of_its_own_that_no_connection_is_given():
    ports = [hub_config.free_port() for _ in range(100)]
    assert len(set(ports)) == 100
    limits = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(limits.read_text().split()[0]) if limits.exists() else 32768
    assert 1024 < min(ports) <= max(ports) < lowest


def test_a_port_in_use_is_passed_over(monkeypatch):
    with socket.socket() as taken:
        taken.bind((hub_config.HERE, 0))
        monkeypatch.setattr(hub_config, "PORTS", iter([taken.getsockname()[1], free := hub_config.free_port()]))
        assert hub_config.free_port() == free
