"""The statistics of the classic descriptor, pixel by pixel."""

import math
from itertools import product

AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]


def lab(red, green, blue):
    """One colour of sRGB, 0 to 255, in CIE Lab."""

    def light(level):
        level /= 255
        return level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4

    def bent(response):
        if response > (6 / 29) ** 3:
            return response ** (1 / 3)
        return response / (3 * (6 / 29) ** 2) + 4 / 29

    r, g, b = light(red), light(green), light(blue)
    x = bent((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y = bent(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z = bent((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def colour_histogram(pixels):
    """Soft histogram of Lab colours: a pixel's share of a point falls off linearly."""
    points = [
        [100 * i / 3 for i in range(4)],
        [-60 + 30 * i for i in range(5)],
        [-60 + 30 * i for i in range(5)],
    ]
    counts = dict.fromkeys(product(range(4), range(5), range(5)), 0.0)
    for pixel in pixels:
        for place in counts:
            share = 1.0
            for value, axis, i in zip(pixel, points, place, strict=True):
                inside = min(max(value, axis[0]), axis[-1])
                share *= max(0.0, 1.0 - abs(inside - axis[i]) / (axis[1] - axis[0]))
            counts[place] += share
    return [math.sqrt(count / len(pixels)) for count in counts.values()]


def gradient_histograms(light, n_cells):
    """Directions of edges, weighted by the root of their strength."""
    side = len(light)
    counts = [0.0] * (n_cells * n_cells * 8)
    for y, x in product(range(side), repeat=2):
        across = light[y][x + 1] - light[y][x - 1] if 0 < x < side - 1 else 0.0
        down = light[y + 1][x] - light[y - 1][x] if 0 < y < side - 1 else 0.0
        weight = math.sqrt(math.hypot(across, down))
        turn = math.atan2(down, across) / math.pi * 8 % 8
        cell = (y * n_cells // side) * n_cells + x * n_cells // side
        lower = int(turn)
        counts[cell * 8 + lower % 8] += weight * (1 - (turn - lower))
        counts[cell * 8 + (lower + 1) % 8] += weight * (turn - lower)
    total = sum(counts) + 1.0
    return [math.sqrt(count / total) for count in counts]


def texture_histograms(light, radius):
    """Which of the eight pixels around each are lighter by a step."""
    side = len(light)
    counts = [[0] * 10 for _ in range(4)]
    for y, x in product(range(radius, side - radius), repeat=2):
        lighter = [
            light[y + radius * dy][x + radius * dx] > light[y][x] + 0.01 for dy, dx in AROUND
        ]
        changes = sum(lighter[i] != lighter[i - 1] for i in range(8))
        pattern = sum(lighter) if changes <= 2 else 9
        counts[(y * 2 // side) * 2 + x * 2 // side][pattern] += 1
    n_inner = (side - 2 * radius) ** 2
    whole = [math.sqrt(sum(part[i] for part in counts) / n_inner) for i in range(10)]
    quarters = [0.5 * math.sqrt(n / sum(part)) for part in counts for n in part]
    return whole + quarters
