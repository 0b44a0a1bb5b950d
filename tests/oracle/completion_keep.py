"""Keeping scores by sorting one row at a time."""


def frequencies(tags, n_tags):
    """Items per tag; `tags` lists one set of columns per item."""
    return [sum(1 for own in tags if j in own) for j in range(n_tags)]


def kept(row, own, frequency, n_scores):
    """Keep the positive scores of a row, a list by column, that shall be kept; as a dict.

    Of the tags that the row lacks the `n_scores` highest stay: of equal ones the more frequent
    tag, then the lower column. None keeps all.
    """
    lacking = [j for j, score in enumerate(row) if score > 0 and j not in own]
    lacking.sort(key=lambda j: (-row[j], -frequency[j], j))
    if n_scores is not None:
        lacking = lacking[:n_scores]
    had = [j for j in own if row[j] > 0]
    return {j: row[j] for j in lacking + had}


def to_dicts(matrix):
    """Give a CSR array as one dict of column and value per row."""
    return [
        {
            int(matrix.indices[k]): float(matrix.data[k])
            for k in range(matrix.indptr[i], matrix.indptr[i + 1])
        }
        for i in range(matrix.shape[0])
    ]
