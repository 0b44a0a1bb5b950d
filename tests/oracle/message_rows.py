"""Affinity propagation with whole arrays, rounding for rounding as the rows of the core."""

import numpy as np


def pass_messages(s, r, a, support, *, step, damping):
    """Give new responsibilities and availabilities, and the sums that follow from them."""
    damping = s.dtype.type(damping)
    rest = 1 - damping
    own = np.diag_indices(len(s))
    more = np.maximum(r, 0)
    more[own] = r[own]
    more = more - support
    kept = more[own]
    more = np.maximum(more, 0)
    more[own] = kept
    a = a * damping - more * rest
    both = a + s
    each, best = np.arange(len(s)), both.argmax(axis=1)
    first = both[each, best]
    both[each, best] = -np.inf
    rivals = np.repeat(first[:, None], len(s), axis=1)
    rivals[each, best] = both.max(axis=1)
    r = r * damping + (s - rivals) * rest
    counted = np.maximum(r, 0)
    counted[own] = r[own]
    found = np.zeros(len(s))
    for start in range(0, len(s), step):
        sums = np.zeros(len(s), s.dtype)
        for row in counted[start : start + step]:
            sums = sums + row
        found += sums
    return r, a, found
