"""Every accepted form of the same tags gives the same TagMatrix."""

from itertools import pairwise

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from conceptforest.tags import parse_tags

NAMES = ("ant", "bee", "cat", "dog")


def sets(rows):
    return [{name for name, bit in zip(NAMES, row, strict=True) if bit} for row in rows]


def pairs(rows):
    return [(i, NAMES[j]) for i, row in enumerate(rows) for j, bit in enumerate(row) if bit]


def long(rows):
    item = np.array([i for i, _ in pairs(rows)], dtype=np.int64)
    return {"item": item, "tag": [tag for _, tag in pairs(rows)]}


def dense(rows, dtype):
    return np.array(rows, dtype=dtype).reshape(len(rows), len(NAMES))


def wide(rows):
    return {name: dense(rows, bool)[:, j] for j, name in enumerate(NAMES)}


def repeated_coo(rows):
    coo = sparse.coo_array(dense(rows, np.int64))
    twice = (np.tile(coo.data, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2)))
    return sparse.coo_array(twice, shape=coo.shape)


def reversed_csr(rows):
    csr = sparse.csr_array(dense(rows, np.float32))
    ptr = csr.indptr
    order = [k for a, b in pairwise(ptr) for k in reversed(range(a, b))]
    return sparse.csr_array((csr.data[order], csr.indices[order], ptr), shape=csr.shape)


def object_array(items):
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


FORMS = {
    "bool array": lambda rows: dense(rows, bool),
    "int array": lambda rows: dense(rows, np.int64),
    "uint array": lambda rows: dense(rows, np.uint8),
    "float array": lambda rows: dense(rows, np.float64),
    "object array": lambda rows: dense(rows, object),
    "Fortran array": lambda rows: np.asfortranarray(dense(rows, np.int8)),
    "counts": lambda rows: dense(rows, np.int64) * 7,
    "masked array": lambda rows: np.ma.masked_array(
        np.ones((len(rows), 4)), mask=dense(rows, bool) == 0
    ),
    "nested lists": lambda rows: rows,
    "nested tuples": lambda rows: tuple(tuple(row) for row in rows),
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    **{
        f"{kind} array": lambda rows, kind=kind: sparse.csr_array(dense(rows, np.int64)).asformat(
            kind
        )
        for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    },
    "csr matrix": lambda rows: sparse.csr_matrix(dense(rows, bool)),
    "repeated coo": repeated_coo,
    "reversed csr": reversed_csr,
    "sets": sets,
    "frozensets": lambda rows: [frozenset(item) for item in sets(rows)],
    "lists": lambda rows: [sorted(item) for item in sets(rows)],
    "repeated tags": lambda rows: [sorted(item) * 2 for item in sets(rows)],
    "arrays of names": lambda rows: [np.array(sorted(item), dtype=str) for item in sets(rows)],
    "generator": lambda rows: (iter(item) for item in sets(rows)),
    "None for empty": lambda rows: [item or None for item in sets(rows)],
    "object array of sets": lambda rows: object_array(sets(rows)),
    "pandas Series of sets": lambda rows: pd.Series(sets(rows), dtype=object),
    "pandas Series with NaN": lambda rows: pd.Series(
        [item or float("nan") for item in sets(rows)], dtype=object
    ),
    "polars Series of lists": lambda rows: pl.Series(
        [sorted(item) or None for item in sets(rows)], dtype=pl.List(pl.String)
    ),
    "pandas long": lambda rows: pd.DataFrame(long(rows)),
    "pandas long, shuffled": lambda rows: pd.DataFrame(long(rows)).sample(frac=1, random_state=0),
    "pandas long, categories": lambda rows: pd.DataFrame(long(rows)).astype({"tag": "category"}),
    "pandas long, nullable": lambda rows: pd.DataFrame(long(rows)).astype({"item": "Int64"}),
    "pandas long, repeated": lambda rows: pd.concat([pd.DataFrame(long(rows))] * 2),
    "polars long": lambda rows: pl.DataFrame(long(rows), schema={"item": int, "tag": str}),
    "polars long, capitals": lambda rows: pl.DataFrame(
        {"Tag": long(rows)["tag"], "ITEM": long(rows)["item"]}, schema={"Tag": str, "ITEM": int}
    ),
    "polars lazy": lambda rows: pl.LazyFrame(long(rows), schema={"item": int, "tag": str}),
    "polars long, categories": lambda rows: pl.DataFrame(
        long(rows), schema={"item": pl.UInt16, "tag": pl.Categorical}
    ),
    "pyarrow long": lambda rows: pa.table(
        long(rows), schema=pa.schema({"item": pa.int32(), "tag": pa.string()})
    ),
    "narwhals long": lambda rows: nw.from_native(pd.DataFrame(long(rows))),
    "pandas wide": lambda rows: pd.DataFrame(wide(rows)),
    "pandas wide, nulls": lambda rows: pd.DataFrame(wide(rows)).astype(float).replace(0, np.nan),
    "pandas wide, nullable": lambda rows: (
        pd.DataFrame(wide(rows)).astype("Int64").replace(0, pd.NA)
    ),
    "pandas wide, sparse": lambda rows: pd.DataFrame(wide(rows)).astype(pd.SparseDtype("int64", 0)),
    "polars wide": lambda rows: pl.DataFrame(wide(rows)),
    "polars wide, nulls": lambda rows: pl.DataFrame(wide(rows)).select(
        pl.when(pl.all()).then(1).otherwise(None).name.keep()
    ),
    "pyarrow wide": lambda rows: pa.table(wide(rows)),
    "tag matrix": lambda rows: parse_tags(dense(rows, bool), vocabulary=NAMES),
    "tag matrix, own order": lambda rows: parse_tags(
        dense(rows, bool)[:, ::-1], vocabulary=NAMES[::-1]
    ),
}

ROWS = st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), max_size=6)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_every_form_gives_the_same_matrix(form, rows):
    found = parse_tags(FORMS[form](rows), vocabulary=NAMES, n_items=len(rows))
    assert found.vocabulary == NAMES
    assert found.matrix.toarray().tolist() == rows
    assert_canonical(found)


def assert_canonical(tags):
    fresh = sparse.csr_array(
        (tags.matrix.data, tags.matrix.indices, tags.matrix.indptr), shape=tags.matrix.shape
    )
    fresh.check_format(full_check=True)
    assert isinstance(tags.matrix, sparse.csr_array)
    assert fresh.has_canonical_format
    assert tags.matrix.dtype == np.uint8
    assert np.all(tags.matrix.data == 1)
    assert tags.matrix.indices.dtype == tags.matrix.indptr.dtype == np.int32
