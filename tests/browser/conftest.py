"""One JupyterLab and one Chromium for all browser tests; a screenshot of every failure."""

from pathlib import Path

import pytest

from tests.browser.lab import Lab, Notebook, launch, serve, write_notebook
from tests.browser.short import write_short
from tests.chromium import demand

LESSONS = Path(__file__).parents[2] / "notebooks"
SHOTS = Path(__file__).parents[2] / "test-results"
MECHANISM = (  # what lessons are made of, so that it is tested without them
    "from attention_lab import explore_attention, order, predict\nONE_HEAD = lambda state, view: state.heads == 1",
    "explore_attention(heads=4, show=('sentence', 'length', 'heads', 'query'), goal=('use one head', ONE_HEAD))",
    "explore_attention(heads=4, length=16, show=('length', 'temperature'), mask='causal', padding=2)",
    "predict('divide-by-d')",
    "order('softmax')",
)


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """That of a JupyterLab over short copies of the lessons."""
    root, scratch = tmp_path_factory.mktemp("lessons"), tmp_path_factory.mktemp("jupyter")
    for lesson in LESSONS.glob("*.ipynb"):
        write_short(lesson, root / lesson.name)
    write_notebook(root / "mechanism.ipynb", *MECHANISM)
    with serve(root, scratch) as address:
        yield address


@pytest.fixture(scope="session")
def lab(address):
    demand()
    with launch() as browser:
        yield Lab(browser, address)


@pytest.fixture(scope="session")
def notebook(request, lab):
    """A notebook that was opened and run to its end."""
    notebook = Notebook(lab, request.param)
    notebook.run_all()
    yield notebook
    notebook.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and Lab.latest:
        SHOTS.mkdir(exist_ok=True)
        path = SHOTS / f"{item.name}.png"
        Lab.latest.page.screenshot(path=path)
        report.sections.append(("Screenshot", str(path)))
    return report
