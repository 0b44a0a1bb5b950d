"""Lines of zeros and ones, read word by word: the twin of the readers of NUS-WIDE's lists."""

__all__ = ["ones_of"]


def ones_of(line, n):
    """Give the places of the ones in a line of n words that are 0 or 1; None for any other line."""
    words = line.split()
    if len(words) != n or any(word not in {b"0", b"1"} for word in words):
        return None
    return [place for place, word in enumerate(words) if word == b"1"]
