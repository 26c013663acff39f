"""Tables as arrays: one per column, without a Python object per row."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from . import _native
from ._shown import in_html, shown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Words(Sequence["str | None"]):
    """A column of words of which there are few different ones: a number for each row, and a list of words.

    ``words == "parse"`` is an array of bool, one per row. ``numpy.asarray(words)`` makes an array of Python texts.
    """

    def __init__(self, codes: np.ndarray[Any, Any], categories: list[str]) -> None:
        self.codes = codes
        """Row ``i`` is ``categories[codes[i]]``, or None if the code is -1: an array of int8 or int32."""
        self.categories = categories
        """The different words, as a list."""

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, at: int) -> str | None: ...
    @overload
    def __getitem__(self, at: slice) -> Words: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, (int, np.integer)):
            code = int(self.codes[at])
            return self.categories[code] if code >= 0 else None
        return Words(self.codes[at], self.categories)

    def __iter__(self) -> Iterator[str | None]:
        return map([*self.categories, None].__getitem__, self.codes.tolist())

    def __eq__(self, other: object) -> Any:
        if isinstance(other, str):
            if other not in self.categories:
                return np.zeros(len(self), bool)
            return self.codes == self.categories.index(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        words = np.array([*self.categories, None], object)[self.codes]
        return words if dtype is None else words.astype(dtype)

    def __repr__(self) -> str:
        return f"<adatrace.Words: {len(self)} rows, {len(self.categories)} words>"


class Texts(Sequence["str | None"]):
    """A column of texts, most of which differ: UTF-8 in one array. Rows without one are None."""

    def __init__(self, ends: np.ndarray[Any, Any], data: np.ndarray[Any, Any],
                 nulls: np.ndarray[Any, Any] | None) -> None:
        self.ends = ends
        """Row ``i`` is ``data[ends[i]:ends[i + 1]]``: an array of int64, one longer than the column."""
        self.data = data
        """The bytes of all rows: an array of uint8."""
        self.nulls = nulls
        """True for rows without a text: an array of bool. None if there are no such rows."""

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, at: int) -> str | None: ...
    @overload
    def __getitem__(self, at: slice) -> list[str | None]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        row = at + len(self) if at < 0 else at
        if not 0 <= row < len(self):
            raise IndexError(f"row {at} of {len(self)}")
        if self.nulls is not None and self.nulls[row]:
            return None
        return self.data[self.ends[row]:self.ends[row + 1]].tobytes().decode()

    def _ordered(self, order: np.ndarray[Any, Any]) -> Texts:
        """The same rows in another order."""
        lengths = np.diff(self.ends)[order]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        # Byte i of the result is as far from the beginning of its text as it was.
        data = self.data[np.arange(ends[-1]) + np.repeat(self.ends[:-1][order] - ends[:-1], lengths)]
        return Texts(ends, data, None if self.nulls is None else self.nulls[order])

    def __iter__(self) -> Iterator[str | None]:
        data, ends = self.data.tobytes(), self.ends.tolist()
        nulls = [False] * len(self) if self.nulls is None else self.nulls.tolist()
        return (None if null else data[a:b].decode() for a, b, null in zip(ends, ends[1:], nulls))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(list(self), dtype or object)

    def __repr__(self) -> str:
        return f"<adatrace.Texts: {len(self)} rows>"


Column = Union["np.ndarray[Any, Any]", "np.ma.MaskedArray[Any, Any]", Words, Texts]
"""Numbers are an array, or a masked array if some of them are not known."""


class Columns(Mapping[str, Column]):
    """A table as a mapping from keys to columns, which all have ``rows`` rows.

    Other libraries take it without a copy, through Arrow's C data interface: ``pyarrow.table(columns)``,
    ``polars.DataFrame(columns)``. Dictionaries of arrow are used for :class:`adatrace.Words`.
    """

    def __init__(self, columns: Mapping[str, _native._Column]) -> None:
        self._columns = {key: _made(column) for key, column in columns.items()}

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def __getitem__(self, key: str) -> Column:
        return self._columns[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame. Words become categories, and numbers of which some are not known ``Int64``."""
        import pandas

        def series(column: Column) -> Any:
            if isinstance(column, Words):
                return pandas.Categorical.from_codes(column.codes, column.categories)
            if isinstance(column, np.ma.MaskedArray):
                return pandas.arrays.IntegerArray(column.data, np.ma.getmaskarray(column))
            return np.asarray(column)

        return pandas.DataFrame({key: series(column) for key, column in self.items()}, copy=False)

    def to_polars(self) -> polars.DataFrame:
        """A polars DataFrame, which shares the memory."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow Table, which shares the memory."""
        import pyarrow

        return pyarrow.table(self)

    def __arrow_c_schema__(self) -> object:
        return _native.arrow_schema(self._for_arrow())

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return _native.arrow_array(self._for_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _native.arrow_stream(self._for_arrow())

    def _ordered(self, order: np.ndarray[Any, Any], keys: Sequence[str]) -> Columns:
        """Some of the columns, with their rows in another order."""
        ordered = Columns({})
        ordered._columns = {key: _ordered(self[key], order) for key in keys}
        return ordered

    def _for_arrow(self) -> list[_native._ArrowColumn]:
        return [_arrow(key, column) for key, column in self.items()]

    def __repr__(self) -> str:
        return f"<adatrace.Columns: {self.rows} rows, {shown(', '.join(self))}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{in_html(key)}</th>" for key in self)
        parts = [column[:SHOWN_ROWS] for column in self.values()]
        body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in zip(*parts))
        more = f"<p>{self.rows:,} rows</p>" if self.rows > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


SHOWN_ROWS = 20


def _cell(value: Any) -> str:
    return "-" if value is None or value is np.ma.masked else in_html(str(value))


def _ordered(column: Column, order: np.ndarray[Any, Any]) -> Column:
    if isinstance(column, Texts):
        return column._ordered(order)
    return Words(column.codes[order], column.categories) if isinstance(column, Words) else column[order]


def _made(column: _native._Column) -> Column:
    if column[0] == "words":
        return Words(column[1], column[2])
    if column[0] == "texts":
        return Texts(column[1], column[2], column[3])
    return column[1] if column[2] is None else np.ma.MaskedArray(column[1], column[2])


# Arrow's names for numpy's types.
FORMATS = {"int8": "c", "uint8": "C", "int32": "i", "uint32": "I", "int64": "l", "float64": "g"}


def _bits(flags: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.packbits(flags, bitorder="little")


def _arrow(key: str, column: Column) -> _native._ArrowColumn:
    rows = len(column)
    if isinstance(column, Words):
        words = [word.encode() for word in column.categories]
        ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
        dictionary = ("", "u", len(words), 0, [None, ends, np.frombuffer(b"".join(words) or b"\0", np.uint8)], None)
        codes = np.ascontiguousarray(column.codes)
        nulls = codes < 0 if (codes < 0).any() else None
        return key, FORMATS[str(codes.dtype)], rows, _count(nulls), [_valid(nulls), codes], dictionary
    if isinstance(column, Texts):
        nulls = column.nulls
        buffers = [column.ends, column.data]
        return key, "U", rows, _count(nulls), [_valid(nulls), *buffers], None
    nulls = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    values = np.ascontiguousarray(np.ma.getdata(column))
    if values.dtype == bool:
        return key, "b", rows, _count(nulls), [_valid(nulls), _bits(values)], None
    return key, FORMATS[str(values.dtype)], rows, _count(nulls), [_valid(nulls), values], None


def _count(nulls: np.ndarray[Any, Any] | None) -> int:
    return 0 if nulls is None else int(np.count_nonzero(nulls))


def _valid(nulls: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any] | None:
    return None if nulls is None else _bits(~nulls)
