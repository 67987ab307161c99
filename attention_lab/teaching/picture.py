"""A figure with its sentence: how it shows in a notebook, and how it is saved."""

import base64
import io
from pathlib import Path

import matplotlib

from attention_lab.teaching.layout import DPI


class Picture:
    """A figure and the sentence that says what it shows.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; it belongs to no window and no pyplot state.
    alt : str
        The sentence. A notebook keeps it as text/plain and as the image's alt text.

    Examples
    --------
    >>> from attention_lab import heatmap
    >>> picture = heatmap([[1.0, 0.0], [0.25, 0.75]], ["the", "cat"])
    >>> picture
    2 × 2 weights; 'the' attends most to 'the' (1.00)
    """

    def __init__(self, figure, alt):
        self.figure = figure
        self.alt = alt

    def save(self, path):
        """Write the picture to a .png, .svg or .pdf file; the same picture gives the same bytes.

        Parameters
        ----------
        path : str or pathlib.Path
            Where to; the ending chooses the format.

        Raises
        ------
        ValueError
            If the ending is another.
        TypeError, FileNotFoundError
            If `path` is no path, or its folder does not exist.
        """
        if not isinstance(path, (str, Path)):
            raise TypeError(f"path must be a text or a Path, such as 'picture.png', got {path!r}")
        form = Path(path).suffix.lower().removeprefix(".")
        if form not in ("png", "svg", "pdf"):
            raise ValueError(f"path ends in {Path(path).suffix!r}: expected .png, .svg or .pdf")
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(f"path needs the folder '{Path(path).parent}', which does not exist: make it first")
        Path(path).write_bytes(self._bytes(form))

    def _bytes(self, form):
        about = {
            "png": {"Software": None, "Description": self.alt},
            "svg": {"Date": None, "Description": self.alt},
            "pdf": {"CreationDate": None, "Title": self.alt},
        }[form]
        buffer = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "attention_lab", "savefig.bbox": None}):
            self.figure.savefig(buffer, format=form, dpi=DPI, facecolor=self.figure.get_facecolor(), metadata=about)
        return buffer.getvalue()

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.figure.canvas.manager is not None:  # pyplot's own: the notebook shows it already, once is enough
            return {"text/plain": self.alt}
        image = base64.b64encode(self._bytes("png")).decode("ascii")
        return {"image/png": image, "text/plain": self.alt}, {"image/png": {"alt": self.alt}}
