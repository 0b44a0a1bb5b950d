"""The core's random numbers, written out again."""

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def scramble(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def branch(key, which):
    return scramble((key + GOLDEN * (which + 1)) & MASK)


class Random:
    def __init__(self, key):
        self.state = key

    def next(self):
        self.state = (self.state + GOLDEN) & MASK
        return scramble(self.state)

    def below(self, bound):
        while True:
            product = (self.next() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32


def draw_bag(key, n):
    random = Random(branch(key, 1))
    draws = [0] * n
    for _ in range(n):
        draws[random.below(n)] += 1
    return draws
