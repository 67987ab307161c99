"""The pages of ``make site``, moved to a folder with an awkward name, and a Chromium to open them.

They need libraries that the course does not: without these nothing here is collected.
"""

import shutil
from importlib.util import find_spec

import pytest

from attention_lab.site.build import ROOT
from tests.chromium import demand
from tests.site.pages import Page

BUILT = ROOT / "build" / "site"

collect_ignore_glob = [] if find_spec("axe_playwright_python") else ["test_*.py"]


def pytest_generate_tests(metafunc):
    """Every page for a test that looks at one."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", sorted(path.relative_to(BUILT).as_posix() for path in BUILT.rglob("*.html")))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    if not BUILT.is_dir():
        pytest.fail("There are no pages to look at: make site")
    return shutil.copytree(BUILT, tmp_path_factory.mktemp("pages") / "a site für all")


@pytest.fixture(scope="session")
def pages(site):
    """Every page, by its path below the site."""
    return {page.name: page for page in (Page(site, path) for path in sorted(site.rglob("*.html")))}


@pytest.fixture(scope="session")
def browser():
    from tests.browser.lab import launch

    demand()
    with launch() as browser:
        yield browser
