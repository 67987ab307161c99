"""The language of shapes, and what is read from a docstring."""

import pytest

from tests.fuzz import shapes
from tests.fuzz.docstring import contract


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("array_like, (..., n_q, d_k), optional", ["(..., n_q, d_k)"]),
        ("(..., n_q, d_k), (..., n_k, d_k)", ["(..., n_q, d_k)", "(..., n_k, d_k)"]),
        ("(len(names), longest + 1) int array", ["(len(names), longest + 1)"]),
        ("ndarray, ()", ["()"]),
        ("ndarray, (..., size · size · channels)", ["(..., size · size · channels)"]),
        ("What ``layer(*args, **options)`` gives (its result)", []),
    ],
)
def test_shapes_are_found_in_a_text(text, found):
    assert shapes.shapes_in(text) == found


def test_an_actual_shape_gives_names_their_sizes():
    sizes = {"d": 7}
    assert shapes.bind("(..., n, d)", (2, 3, 5, 7), sizes) is None
    assert sizes == {"d": 7, "n": 5, "...": [(2, 3)]}
    assert shapes.bind("(n + 1, d)", (6, 7), sizes) is None


@pytest.mark.parametrize(
    ("pattern", "shape", "fault"),
    [
        ("(n, d)", (5, 8), "d is 7, not 8"),
        ("(n, n)", (5, 6), "n is 5, not 6"),
        ("(..., n, d)", (7,), "it has too few axes"),
        ("(n, d)", (2, 5, 7), "it has 3 axes"),
        ("(n, n + 1)", (5, 5), "n + 1 is 6, not 5"),
    ],
)
def test_a_shape_that_does_not_fit_is_told(pattern, shape, fault):
    assert fault in shapes.bind(pattern, shape, {"d": 7})


def test_a_result_has_the_leading_axes_of_the_arguments_broadcast():
    sizes = {"...": [(2, 1), (3,)], "n": 5}
    assert shapes.expected("(..., n)", (2, 3, 5), dict(sizes)) is None
    assert "... is (2, 3), not (4,)" in shapes.expected("(..., n)", (4, 5), dict(sizes))


def test_a_mask_may_lack_axes_or_have_axes_of_one():
    for shape in ((5, 7), (1, 7), (7,), (2, 5, 1)):
        assert shapes.broadcasts("(..., n_q, n_k)", shape, {"n_q": 5, "n_k": 7})
    assert not shapes.broadcasts("(..., n_q, n_k)", (5, 6), {"n_q": 5, "n_k": 7})


def plain(query, key, flag=True):
    """Do something.

    Parameters
    ----------
    query, key : array_like, (n_q, d), (n_k, d)
        Two of them.
    flag : bool

    Returns
    -------
    output : ndarray, (n_q, n_k)
        NaN where there is none.
    same : ndarray
        With the shape of `key`.
    """


def brief(x):
    """x (..., n) -> y (..., n, 2), weights, a list of (n,). More of it."""


def after(query, key):
    """Something else. Parameters and errors are those of `plain`."""


def test_a_docstring_in_sections():
    read = contract(plain)
    assert {name: entry.shape for name, entry in read.parameters.items()} == {
        "query": "(n_q, d)",
        "key": "(n_k, d)",
        "flag": None,
    }
    assert [entry.shape for entry in read.returns] == ["(n_q, n_k)", None]
    assert read.returns[1].same_shape_as == "key"
    assert read.spoken_of == {"nan"} and not contract(brief).spoken_of


def test_a_docstring_of_one_line():
    read = contract(brief)
    assert read.parameters["x"].shape == "(..., n)"
    assert [(entry.name, entry.shape) for entry in read.returns] == [("y", "(..., n, 2)"), ("weights", "(n,)")]


def test_a_docstring_that_refers_to_another():
    assert contract(after).parameters["key"].shape == "(n_k, d)"
    assert [entry.name for entry in contract(after).returns] == ["output", "same"]
