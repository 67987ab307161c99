"""A view as a Picture, for readers without a kernel: what stands for something, without the places kept free."""

import numpy as np

from attention_lab.teaching.plots import head_grid, heatmap


def draw(view):
    """Each map of a `View`, with the view's own sentence."""
    rows, keys = (np.flatnonzero(side if side.any() else ~side) for side in view.named)
    weights, padded, query = view.weights[:, rows][:, :, keys], view.padded[keys], np.flatnonzero(rows == view.outlined)
    about = {
        "query_tokens": [view.query_tokens[i] for i in rows],
        "key_tokens": [view.key_tokens[j] for j in keys],
        "mask": view.mask[np.ix_(rows, keys)],
        "padding": ~padded if padded.any() else None,
        "kind": view.kind,
        "scale": float(view.limit),
        "query": int(query[0]) if query.size else None,
        "caption": f"{view.alt}. {view.note}" if view.note else view.alt,
        "axes": view.axes,
        "measure": view.measure or None,
    }
    if len(weights) == 1:
        return heatmap(weights[0], title=view.titles[0] or None, **about)
    return head_grid(weights, titles=view.titles, **about)
