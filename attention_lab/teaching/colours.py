"""One colour a role, one ramp a meaning: shared by the figures and the live demos."""

import numpy as np

# A role keeps its colour in figures, diagrams, demos and formulas.
FILL = {"query": "#0072B2", "key": "#D55E00", "value": "#009E73"}
TEXT = {
    "light": {"query": "#0072B2", "key": "#B84F00", "value": "#007A59"},
    "dark": {"query": "#56B4E9", "key": "#F0954A", "value": "#3CC79A"},
}

# Lines that play no role: as line and as its name beside it, never alone (each has a dash pattern of its own).
LINES = {
    "light": ("#222222", "#c2187a", "#806a00", "#5a3fc0"),
    "dark": ("#f0f0f0", "#ff7ec0", "#c9b021", "#9a86ff"),
}
DASHES = ((), (7, 3), (2, 2.5), (8, 3, 2, 3))  # on and off, in widths of a line


def dashes(number):
    """The dash pattern of a line: eight lines have eight pairs of colour and pattern."""
    return DASHES[(number + number // len(DASHES)) % len(DASHES)]


# Stops of a ramp, evenly spaced; lightness is monotone along "weights" and from the middle outwards along "signed".
RAMPS = {
    "weights": {
        "light": ("#f7fafd", "#c9ddf0", "#7fb3dd", "#2f7fc1", "#0a4a8f", "#06244d"),
        "dark": ("#15191e", "#173a5a", "#1f64a0", "#4797d8", "#93c8f3", "#eaf5ff"),
    },
    "signed": {
        "light": ("#6b3004", "#c7701d", "#f3c791", "#f8f7f5", "#b9cdea", "#4f7fc4", "#123a7a"),
        "dark": ("#ffdcb3", "#e8954a", "#8a4a12", "#1b1b1d", "#1f4a80", "#5e9be0", "#d6e6ff"),
    },
}
MASKED = "#d9d9d9"  # the grey below a hatch: masked is not zero
NAN = "#cc79a7"  # not a number, never the lightest colour of a ramp


def hex_to_rgb(colour):
    """``"#0072B2"`` as three numbers 0..255."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)


def ramp(kind="weights", theme="light", levels=101):
    """Colours of a ramp, from its first stop to its last: (levels, 3) of uint8."""
    stops = np.stack([hex_to_rgb(colour) for colour in RAMPS[kind][theme]])
    at = np.linspace(0, len(stops) - 1, levels)
    channels = [np.interp(at, range(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def luminance(rgb):
    """Relative luminance (WCAG 2) of colours 0..255: (..., 3) -> (...)."""
    linear = np.asarray(rgb, float) / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def ink(rgb):
    """Black or white, whichever reads better on these colours: contrast is at least 4.5:1 either way."""
    return np.where(luminance(rgb) > 0.179, "#000000", "#ffffff")
