"""HOG3D descriptors box by box and pixel by pixel, in plain loops."""

import math

GOLDEN = (1 + math.sqrt(5)) / 2


def slope(values, place):
    """Half the difference of both neighbours; at an end, the difference to the only one."""
    if len(values) == 1:
        return 0.0
    if place == 0:
        return values[1] - values[0]
    if place == len(values) - 1:
        return values[-1] - values[-2]
    return (values[place + 1] - values[place - 1]) / 2


def gradient(video, t, y, x):
    height, width = len(video[0]), len(video[0][0])
    dx = slope([video[t][y][k] for k in range(width)], x)
    dy = slope([video[t][k][x] for k in range(height)], y)
    dt = slope([frame[y][x] for frame in video], t)
    return dx, dy, dt


def pieces(begin, end):
    """The pixels that an interval touches, each with the length inside it."""
    for pixel in range(math.floor(begin), math.ceil(end)):
        length = min(end, pixel + 1) - max(begin, pixel)
        if length > 0:
            yield pixel, length


def mean_gradient(gradients, times, rows, columns):
    total = [0.0, 0.0, 0.0]
    volume = 0.0
    for t, a in pieces(*times):
        for y, b in pieces(*rows):
            for x, c in pieces(*columns):
                # An end that rounding puts a hair behind the last pixel is no pixel.
                if (t, y, x) not in gradients:
                    continue
                volume += a * b * c
                for k in range(3):
                    total[k] += a * b * c * gradients[t, y, x][k]
    return [value / volume for value in total]


def norm(g):
    return math.sqrt(sum(v * v for v in g))


def solid_bins(g, axes, nearness):
    length = norm(g)
    if length == 0:
        return [0.0] * len(axes)
    votes = []
    for axis in axes:
        projection = abs(sum(a * b for a, b in zip(axis, g, strict=True)))
        votes.append(max(0.0, projection - nearness * norm(axis) * length))
    return [vote * length / sum(votes) for vote in votes]


def icosahedron(g):
    b, s = GOLDEN, 1 / GOLDEN
    axes = [(1, 1, 1), (1, -1, 1), (-1, 1, 1), (-1, -1, 1)]
    axes += [(0, s, b), (0, -s, b), (s, b, 0), (s, -b, 0), (b, 0, s), (-b, 0, s)]
    return solid_bins(g, axes, 0.745356)


def dodecahedron(g):
    b = GOLDEN
    return solid_bins(
        g, [(0, 1, b), (0, -1, b), (1, b, 0), (-1, b, 0), (b, 0, 1), (b, 0, -1)], 0.447214
    )


def polar(g, n_xy=5, n_t=3):
    votes = [0.0] * (n_xy * n_t)
    length = norm(g)
    if length == 0:
        return votes
    dx, dy, dt = g
    if (dy, dx, dt) < (0, 0, 0):  # of two opposite ones, take the one below
        dx, dy, dt = -dx, -dy, -dt
    turn = math.atan2(dy, dx) / math.pi * n_xy
    rise = math.acos(max(-1.0, min(1.0, dt / length))) / math.pi * n_t - 0.5
    low = math.floor(turn)
    for column, share in ((low, 1 - (turn - low)), (low + 1, turn - low)):
        # A full half turn on, the direction is the opposite of one in the first bin.
        place = rise if column < n_xy else n_t - 1 - rise
        place = min(max(place, 0.0), n_t - 1.0)
        row = math.floor(place)
        votes[column % n_xy * n_t + row] += length * share * (1 - (place - row))
        if row + 1 < n_t:
            votes[column % n_xy * n_t + row + 1] += length * share * (place - row)
    return votes


QUANTISATIONS = {"polar": polar, "icosahedron": icosahedron, "dodecahedron": dodecahedron}


def places(extent, size, stride, *, middle):
    if size > extent:
        return []
    found = []
    while True:
        place = math.floor(len(found) * stride + 0.5)
        if place + math.ceil(size) > extent:
            break
        found.append(place)
    left_over = extent - math.ceil(size) - found[-1] if middle else 0
    return [place + left_over // 2 for place in found]


def describe_box(gradients, t0, y0, x0, length, size, setting):
    """The descriptor and the sum of the lengths of its cells' histograms."""
    s = setting.splits
    side, depth = setting.n_cells
    descriptor, strength = [], 0.0
    for cy in range(side):
        for cx in range(side):
            for ct in range(depth):
                histogram = None
                for k in range(s**3):
                    steps = (ct * s + k // (s * s), cy * s + k // s % s, cx * s + k % s)
                    blocks = []
                    corners, sizes = (t0, y0, x0), (length, size, size)
                    for step, corner, extent, n in zip(
                        steps, corners, sizes, (depth * s, side * s, side * s), strict=True
                    ):
                        blocks.append(
                            (corner + extent * step / n, corner + extent * (step + 1) / n)
                        )
                    votes = QUANTISATIONS[setting.quantisation](mean_gradient(gradients, *blocks))
                    histogram = [
                        a + b for a, b in zip(histogram or [0.0] * len(votes), votes, strict=True)
                    ]
                strength += norm(histogram)
                descriptor += [v / (norm(histogram) + 0.02 * s**3) for v in histogram]
    return descriptor, strength


def describe(video, setting):
    """(descriptor, strength) of all boxes, weak ones too, in the order of the fast code."""
    n_frames, height, width = len(video), len(video[0]), len(video[0][0])
    gradients = {
        (t, y, x): gradient(video, t, y, x)
        for t in range(n_frames)
        for y in range(height)
        for x in range(width)
    }
    found = []
    for i in range(setting.n_scales[0]):
        for j in range(setting.n_scales[1]):
            size, length = (
                setting.support[0] * math.sqrt(2) ** i,
                setting.support[1] * math.sqrt(2) ** j,
            )
            step, step_t = (
                setting.stride[0] * math.sqrt(2) ** i,
                setting.stride[1] * math.sqrt(2) ** j,
            )
            found += [
                describe_box(gradients, t, y, x, length, size, setting)
                for t in places(n_frames, length, step_t, middle=False)
                for y in places(height, size, step, middle=True)
                for x in places(width, size, step, middle=True)
            ]
    return found
