"""A lesson's figures are looked at: one without its sentence, with one that is not so, or too faint, is found."""

import pytest

from attention_lab import heatmap
from tests.lessons.figures import look_at, watched
from tests.lessons.toy import good_cells, lesson

CELL = lesson({"picture": good_cells()["picture"]}).code[0]
WRONG = "1 × 2 weights; query 0 attends most to key 0 (0.80)"


def draw(caption=None, spoil=lambda picture: None):
    spoil(heatmap([[0.9, 0.1]], caption=caption))


@pytest.mark.parametrize(
    ("show", "complaint"),
    [
        (lambda: None, "shows 1 pictures, and makes 0"),
        (lambda: draw(spoil=lambda picture: setattr(picture, "alt", "A sentence.")), "is not seen below the figure"),
        (lambda: draw(WRONG), "does not bear out what its sentence says"),
        (lambda: draw(spoil=lambda picture: picture.figure.texts[-1].set_color("#888888")), "too little contrast"),
    ],
)
def test_a_figure_that_is_not_as_it_should_be_is_found(show, complaint):
    with watched() as pictures:
        show()
    with pytest.raises(AssertionError, match=complaint):
        look_at(CELL, pictures)


def test_a_good_figure_passes():
    with watched() as pictures:
        draw()
        draw(WRONG.replace("0.80", "0.90"))
    assert len(pictures) == 2
    look_at(CELL, pictures)
