"""An axis of a line chart: its range, where a number stands on it, its ticks; and numbers as text."""

import math
from dataclasses import dataclass

import numpy as np

SCALES = ("linear", "log")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass
class Axis:
    """From `low` to `high`, in equal steps or in equal factors."""

    low: float
    high: float
    scale: str = "linear"
    whole: bool = False  # only whole numbers stand on it, so no tick between them

    @classmethod
    def around(cls, values, scale):
        """An axis with round ends that holds these numbers."""
        if not len(values):
            return cls(1, 10, "log") if scale == "log" else cls(0, 1)
        low, high = float(min(values)), float(max(values))
        if scale == "log":
            return cls(_round(low, down=True), _round(high * (1.01 if low == high else 1), down=False), scale)
        if high - low <= 1e-6 * max(abs(low), abs(high)):  # a level line stands in the middle
            low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
        step = _step(high - low)
        return cls(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)

    @classmethod
    def along(cls, values, scale):
        """An axis from the first of these rising numbers to the last."""
        low, high = float(values[0]), float(values[-1])
        if low == high:
            low, high = (low / 2, high * 2) if scale == "log" else (low - 0.5, high + 0.5)
        return cls(low, high, scale, whole=bool((values % 1 == 0).all()))

    def at(self, values):
        """Where numbers stand: 0 at the low end, 1 at the high one."""
        low, high, values = self.low, self.high, np.asarray(values, float)
        if self.scale == "log":
            low, high, values = math.log10(low), math.log10(high), np.log10(values)
        return (values - low) / (high - low)

    def holds(self, values):
        """Which numbers stand on the axis, up to rounding."""
        share = self.at(values)
        return (share >= -1e-6) & (share <= 1 + 1e-6)

    def ticks(self):
        """Round numbers along the axis, and their texts."""
        if self.scale == "log" and len(found := self._powers()) > 1:
            return {value: tick_text(value) for value in found}
        step = max(_step(self.high - self.low), 1 if self.whole else 0)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        found = [k * step for k in range(first, last + 1)]
        return dict(zip(found, _tick_texts(found), strict=True))

    def _powers(self):
        """Powers of ten, every second or third of them on a long axis; with 2 and 5 times them on a short one."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        heads = (1, 2, 5) if math.log10(self.high / self.low) < 2.5 else (1,)
        every = math.ceil((last - first + 1) / 7)
        found = (head * 10.0**k for k in range(first, last + 1) if k % every == 0 for head in heads)
        return [value for value in found if self.holds(value)]


def tick_text(value):
    """A round number: in full where that is short, else as a power of ten; with a real minus sign."""
    if value == 0 or 9e-5 < abs(value) < 1e5:
        return f"{value:.10g}".replace("-", "−")
    head, power = f"{value:.2e}".split("e")
    head = "" if float(head) == 1 else f"{float(head):g} × ".replace("-", "−")
    return f"{head}10{str(int(power)).translate(_SUPERSCRIPT)}"


def _tick_texts(values):
    """Round numbers as texts; where a power of ten would say the same of two, in full."""
    texts = [tick_text(value) for value in values]
    if len(set(texts)) == len(texts):
        return texts
    return [np.format_float_positional(value, precision=15, fractional=False, trim="-") for value in values]


def amount(value, digits=3):
    """A number as text, by its leading digits."""
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded == 0:
        return "0"
    if not 1e-3 <= abs(rounded) < 10_000:
        head, power = f"{value:.{digits - 2}e}".split("e")
        return f"{head} × 10{str(int(power)).translate(_SUPERSCRIPT)}".replace("-", "−")
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(rounded))))}f}".replace("-", "−")


def amounts(one, other):
    """Two different numbers as texts, in as many digits as tell them apart: three, if those will do."""
    pairs = ((amount(one, digits), amount(other, digits)) for digits in range(3, 19))
    return next(pair for pair in pairs if pair[0] != pair[1])


def spread(places, apart, low, high):
    """The places, moved as little as need be so that neighbours are `apart` and all lie between low and high."""
    if not len(places):
        return np.empty(0)
    order = np.argsort(places, kind="stable")
    apart = min(apart, (high - low) / max(len(places) - 1, 1))
    found = np.clip(np.asarray(places, float)[order], low, high) - apart * np.arange(len(places))
    groups = []  # of neighbours that touch: each stands at its mean
    for place in found:
        groups.append([place])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    level = np.concatenate([np.full(len(group), np.mean(group)) for group in groups])
    moved = np.empty(len(places))
    moved[order] = np.clip(level, low, high - apart * (len(places) - 1)) + apart * np.arange(len(places))
    return moved


def _step(span):
    """A round step that divides a span into about five."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(head * power for head in (1, 2, 5, 10) if head * power >= span / 5 * (1 - 1e-9))


def _round(value, down):
    """The nearest 1, 2 or 5 times a power of ten, below or above."""
    power = 10.0 ** math.floor(math.log10(value))
    heads = [head * power for head in (1, 2, 5, 10)]
    if down:
        return max(head for head in heads if head <= value * (1 + 1e-9))
    return min(head for head in heads if head >= value * (1 - 1e-9))
