"""What a demo's compute may return: a View, Curves, a Network, or several side by side. Each way to show it, once."""

import base64
import html
import io

import numpy as np

from attention_lab.teaching import live_curves, live_heatmap, live_network
from attention_lab.teaching.curves import Curves
from attention_lab.teaching.network import Network
from attention_lab.teaching.view import View

_LIVE = {View: live_heatmap, Curves: live_curves, Network: live_network}
_WIDEST = 1000  # px of pictures side by side in the twin; wider ones stand below one another


def draw(view):
    """One picture or several as HTML."""
    several = parts(view)
    if len(several) == 1:
        return _live(several[0]).draw(several[0])
    drawn = "".join(_live(part).draw(part, beside=True) for part in several)
    return f'<div class="al al-side" role="group" aria-label="{html.escape(alt(view))}">{drawn}</div>'


def twin(view):
    """One picture or several as a PNG, for readers without a kernel."""
    pictures = [still(part) for part in parts(view)]
    if len(pictures) > 1:
        return _png(_arranged([_pixels(picture.figure) for picture in pictures]))
    bundle, _ = pictures[0]._repr_mimebundle_()
    return base64.b64decode(bundle["image/png"])


def alt(view):
    """One picture or several in words."""
    return ". ".join(part.alt for part in view) if isinstance(view, tuple | list) else view.alt


def still(part):
    """One picture as a Picture."""
    return _live(part).still(part)


def _live(part):
    return next(module for kind, module in _LIVE.items() if isinstance(part, kind))


def parts(view):
    """The pictures that are shown side by side: one, or several."""
    several = list(view) if isinstance(view, tuple | list) else [view]
    wrong = [type(part).__name__ for part in several if not isinstance(part, tuple(_LIVE))] + ["tuple"] * (not several)
    if wrong:
        raise TypeError(
            "compute must return a View, Curves, a Network or a tuple of them, "
            f"got a {wrong[0]}: write return View(weights)"
        )
    return several


def _pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


def _arranged(images):
    """One image of several: side by side where there is room, on white."""
    beside = sum(image.shape[1] for image in images) <= _WIDEST
    axis, across = (1, 0) if beside else (0, 1)
    size = max(image.shape[across] for image in images)
    padded = []
    for image in images:
        missing = [(0, 0)] * 3
        missing[across] = (0, size - image.shape[across])
        padded.append(np.pad(image, missing, constant_values=255))
    return np.concatenate(padded, axis)


def _png(image):
    from matplotlib.image import imsave

    buffer = io.BytesIO()
    imsave(buffer, image, format="png", metadata={"Software": None})  # the same on every machine
    return buffer.getvalue()
