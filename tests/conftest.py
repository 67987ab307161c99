"""For all tests: what is asked for is not left out, and what shares a lesson can share a process.

With ATTENTION_LAB_REQUIRE set, a skipped test is a failed one. With ``--dist loadscope`` tests that have the same
parameter go to the same process, file by file or not: a lesson is opened once, whatever is done to it.
"""

import os

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _strict((yield), item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _strict((yield), collector.nodeid)


def _strict(report, name):
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("ATTENTION_LAB_REQUIRE"):
        *_, reason = report.longrepr if isinstance(report.longrepr, tuple) else (report.longrepr,)
        report.outcome = "failed"
        report.longrepr = f"{name}: {reason}, but ATTENTION_LAB_REQUIRE asks for every test"
    return report


@pytest.hookimpl(optionalhook=True)  # some environments have no xdist
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class ByParameter(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return nodeid[nodeid.index("[") :] if nodeid.endswith("]") else nodeid

    return ByParameter(config, log) if config.getoption("dist") == "loadscope" else None
