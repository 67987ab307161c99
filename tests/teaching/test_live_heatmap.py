"""The live picture says what the arrays say: colours, numbers, masks, labels, pixels."""

import base64
import io
import re

import matplotlib.image
import numpy as np
import pytest

from attention_lab import causal_mask, softmax
from attention_lab.teaching import live_heatmap
from attention_lab.teaching.colours import RAMPS, ink, luminance, ramp
from attention_lab.teaching.view import View
from attention_lab.teaching.widget import css


def weights_of(n, heads=1, seed=0):
    return softmax(np.random.default_rng(seed).normal(size=(heads, n, n)) * 2)


def cells(picture):
    rows = re.search(r"<tbody>(.*?)</tbody>", picture, re.S)[1].split("</tr>")[:-1]
    return [re.findall(r'<td class="(\w+)" data-t="([^"]*)">([^<]*)</td>', row) for row in rows]


def test_cells_say_their_weight():
    w = weights_of(5)[0]
    table = cells(live_heatmap.draw(View(w)))
    for q in range(5):
        for k in range(5):
            kind, hover, shown = table[q][k]
            assert kind == f"w{round(w[q, k] * 100)}"
            assert hover == f"{q} → {k}: {w[q, k]:.3f}"
            assert shown == live_heatmap.number(w[q, k])


def test_masked_is_not_zero():
    mask = causal_mask(4)
    table = cells(live_heatmap.draw(View(np.where(mask, 0.0, 0.0), mask=mask)))
    assert table[0][0][0] == "w0" and table[0][0][2] == "0"
    assert table[0][3] == ("m", "0 → 3: masked", "masked")


def test_padding_has_a_hatch_of_its_own():
    mask, padded = np.array([[True, True, False]] * 3), [False, False, True]
    picture = live_heatmap.draw(View(weights_of(3), mask=mask, padded=padded))
    assert cells(picture)[0][2][0] == "pad"
    assert "padding, masked" in picture and "padding" not in live_heatmap.draw(View(weights_of(3), mask=mask))


@pytest.mark.parametrize("mask", [None, causal_mask(20)])
def test_pixels_decode_to_the_weights(mask):
    w = weights_of(20)[0] if mask is None else np.where(mask, weights_of(20)[0], 0)
    view = View(w, mask=mask)
    picture = live_heatmap.draw(view)
    assert "data-t" not in picture
    for theme in ("light", "dark"):
        data = re.search(rf'<img class="{theme}".*?base64,([^"]*)"', picture)[1]
        pixels = (matplotlib.image.imread(io.BytesIO(base64.b64decode(data))) * 255).round().astype(int)
        visible = view.mask
        expected = ramp("weights", theme)[np.round(w * 100).astype(int)]
        assert (pixels[visible][:, :3] == expected[visible]).all()
        assert (pixels[..., 3] == np.where(visible, 255, 0)).all()


def test_scores_are_coloured_about_zero():
    view = View([[-2.0, 0.0, 1.0]], kind="scores")
    assert view.limit == 2
    assert live_heatmap.levels(view, 0).tolist() == [[0, 50, 75]]
    assert [cell[0] for cell in cells(live_heatmap.draw(view))[0]] == ["s0", "s50", "s75"]


def test_infinite_and_missing_scores_draw():
    view = View([[-np.inf, np.nan, 1.0]], kind="scores", mask=[[False, True, True]])
    assert view.limit == 1
    table = cells(live_heatmap.draw(view))
    assert [cell[0] for cell in table[0]] == ["m", "nan", "s100"]


@pytest.mark.parametrize(
    ("x", "digits", "shown"),
    [
        *[(0, 2, "0"), (1, 2, "1"), (0.996, 2, "1"), (0.004, 2, ".00"), (0.5, 2, ".50"), (-0.5, 2, "−.50")],
        *[
            (2.5, 2, "2.50"),
            (10.0, 2, "10.00"),
            (12.34, 1, "12.3"),
            (-0.2, 1, "−0.2"),
            (0.2, 0, "0"),
            (120.4, 0, "120"),
        ],
    ],
)
def test_numbers_fit_a_cell(x, digits, shown):
    assert live_heatmap.number(x, digits) == shown


@pytest.mark.parametrize("kind", list(RAMPS))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_number_can_be_read(kind, theme):
    colours = ramp(kind, theme)
    text = np.where(ink(colours) == "#000000", 0.0, 1.0)
    high, low = np.maximum(luminance(colours), text), np.minimum(luminance(colours), text)
    assert ((high + 0.05) / (low + 0.05)).min() >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_is_monotone(theme):
    steps = np.diff(luminance(ramp("weights", theme)))
    assert (steps < 0).all() if theme == "light" else (steps > 0).all()
    middle = luminance(ramp("signed", theme))
    halves = np.diff(middle[:51]), -np.diff(middle[50:])
    assert all((half > 0).all() if theme == "light" else (half < 0).all() for half in halves)


@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (8, 8), (3, 48), (48, 3), (64, 64), (256, 256)])
def test_a_map_fits_its_box(n_q, n_k):
    picture = live_heatmap.draw(View(np.full((n_q, n_k), 1 / n_k)))
    cell = int(re.search(r"--c:(\d+)px", picture)[1])
    assert 1 <= cell and cell * max(n_q, n_k) <= 384


@pytest.mark.parametrize("tokens", [["<b>", "&", '"'], ["$a_b$", "猫", "🙂"], ["x" * 40, "", " "]])
def test_tokens_are_text(tokens):
    picture = live_heatmap.draw(View(weights_of(3), query_tokens=tokens, key_tokens=tokens))
    assert "<b><" not in picture and "<b>&lt;b&gt;" not in picture.replace('<b class="query">', "")
    assert len(cells(picture)) == 3


def test_wrong_numbers_of_tokens_are_named():
    with pytest.raises(ValueError, match="3 × 3 but there are 2 query and 3 key tokens"):
        View(weights_of(3), query_tokens=["a", "b"])


def test_the_sentence_is_computed():
    view = View([[0.2, 0.8], [0.5, 0.5]], query_tokens=["it", "was"], key_tokens=["the", "cat"])
    picture = live_heatmap.draw(view)
    assert view.alt == "2 × 2 weights; 'it' attends most to 'cat' (0.80)"
    assert "reads 80 % from" in picture and "‘cat’" in picture and "1.6 effective keys of 2 visible" in picture


def test_every_rule_of_the_sheet_stays_inside_the_demo():
    for block in re.findall(r"([^{}]+){", re.sub(r"/\*.*?\*/", "", css("explorer.css"))):
        for selector in block.split(","):
            assert selector.strip().startswith((".al", "[data-jp-theme-light=false] .al", "@container")), selector
