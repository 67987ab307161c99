"""Reading a picture back: its pixels, its numbers and its words."""

import re
from functools import cache

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_lab.attention import softmax
from attention_lab.teaching.colours import luminance, ramp

SENTENCE = ["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired"]
ODD = [
    "$x_1$",
    "a_b$",
    "_$",
    "<b>",
    "\\frac{",
    "%s",
    "猫が好き",
    "😀",
    "🏳️‍🌈",
    "x" * 40,
    "the",
    "the",
    "",
    "\n",
    "\ud800",
]


def weights(*shape, seed=0, mask=None):
    scores = np.random.default_rng(seed).normal(size=shape) * 2
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf))


@cache
def pixels(picture):
    canvas = FigureCanvasAgg(picture.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def colour_at(picture, query, key, ax=None, at=(0.12, 0.12)):
    """Colour of a cell near its upper left corner, where no number stands."""
    x, y = (ax or picture.figure.axes[0]).transData.transform((key + at[0], query + at[1]))
    image = pixels(picture)
    return image[image.shape[0] - 1 - int(y), int(x)]


def decode(colour, kind="weights"):
    """The number in 0..1 along a ramp that has this colour."""
    stops = ramp(kind, levels=1001)
    return abs(stops.astype(int) - colour).sum(axis=1).argmin() / 1000


def numbers(picture, ax=0):
    return [text for text in picture.figure.axes[ax].texts if re.fullmatch(r"[−\d.e]+|NaN|−?inf", text.get_text())]


def words(picture):
    """All that is written in a figure."""
    artists = picture.figure.findobj(matplotlib.text.Text)
    return [artist for artist in artists if artist.get_visible() and artist.get_text().strip()]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)
