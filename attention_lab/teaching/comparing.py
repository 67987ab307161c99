"""What may be said of the cells of a map, in a live picture and in a stored one alike."""

import numpy as np


def uniform(weights, seen):
    """Over how many keys each row shares out 1, or the whole map; None where that is no one number, or a single key.

    Weights are (n_q, n_k), or (heads, n_q, n_k) of which all must agree. Rows that see nothing or hold nothing say
    nothing.
    """
    seen = np.broadcast_to(seen, weights.shape)
    shown = np.where(seen, weights, 0)
    for axes in [] if (shown < -1e-6).any() else [-1, (-2, -1)]:
        with np.errstate(invalid="ignore", over="ignore"):
            sums = shown.sum(axes)
        counts = seen.sum(axes)[sums != 0]
        if counts.size and np.allclose(sums[sums != 0], 1, rtol=0, atol=0.01) and np.ptp(counts) == 0 and counts[0] > 1:
            return int(counts[0])
    return None
