"""Nothing is left out where everything is asked for: with ATTENTION_LAB_REQUIRE set, a skipped test is a failed one."""

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
