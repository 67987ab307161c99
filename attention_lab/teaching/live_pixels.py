"""Large heatmaps on a live page: a PNG with a pixel a cell, written by hand because that is quick."""

import base64
import struct
import zlib
from functools import cache

import numpy as np

from attention_lab.teaching.colours import NAN, hex_to_rgb, ramp

NOT_SEEN, NOT_A_NUMBER = 101, 102  # codes beside the percents 0 to 100


def sources(codes, kind):
    """A PNG of codes, (n_q, n_k), once a theme, for an image's src. Cells not seen are transparent: a hatch shows."""
    n_q, n_k = codes.shape
    lines = np.pad(codes.astype(np.uint8), ((0, 0), (1, 0)))  # each line begins with its filter: 0, none
    header = struct.pack(">IIBBBBB", n_k, n_q, 8, 3, 0, 0, 0)  # 8 bits a pixel, colours from a palette
    start = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header)
    end = _chunk(b"IDAT", zlib.compress(lines.tobytes(), 1)) + _chunk(b"IEND", b"")
    files = {theme: start + _palette(kind, theme) + end for theme in ("light", "dark")}
    return {theme: "data:image/png;base64," + base64.b64encode(file).decode() for theme, file in files.items()}


@cache
def _palette(kind, theme):
    colours = np.vstack([ramp(kind, theme), [0, 0, 0], hex_to_rgb(NAN)])
    opaque = bytes([255] * NOT_SEEN + [0])
    return _chunk(b"PLTE", colours.astype(np.uint8).tobytes()) + _chunk(b"tRNS", opaque)


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
