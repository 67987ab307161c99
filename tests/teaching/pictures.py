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


def too_faint(picture, enough=4.5):
    """The texts of a picture that differ too little from what lies behind them, each with its contrast."""
    canvas, texts = FigureCanvasAgg(picture.figure), words(picture)
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    for text in texts:
        text.set_visible(False)
    canvas.draw()
    ground = np.asarray(canvas.buffer_rgba())[::-1, :, :3] @ [65536, 256, 1]
    found = {}
    for text, box in zip(texts, boxes, strict=True):
        text.set_visible(True)
        (left, low), (right, high) = np.maximum(np.round(box.get_points()), 0).astype(int)
        *rgb, alpha = matplotlib.colors.to_rgba(text.get_color(), text.get_alpha())
        seen, counts = np.unique(ground[low:high, left:right], return_counts=True)
        if alpha and len(seen):  # behind it is what most pixels show
            behind = np.array([*int(seen[counts.argmax()]).to_bytes(3)])
            ratio = contrast(255 * alpha * np.array(rgb) + (1 - alpha) * behind, behind)
            found |= {text.get_text(): round(float(ratio), 2)} if ratio < enough else {}
    return found
