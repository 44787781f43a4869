"""Arrow streams that are damaged, lie about themselves, or end in a fault: an exception, never a crash."""

import ctypes
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from conftest import QUICK

from obverse import FeatureSelector

ROWS = 40


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
                  ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("last_error", LAST_ERROR), ("release", ctypes.c_void_p),
                   ("private_data", ctypes.c_void_p)]

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Forged:
    """A stream of one batch with one column, every part of which can be changed before it is handed out."""

    name = b"arrow_array_stream"

    def __init__(self, format, buffers, dictionary=None):
        self.freed = FREE(lambda _: None)
        release = ctypes.cast(self.freed, ctypes.c_void_p)
        self.buffers = buffers
        pointers = [0 if b is None else b.ctypes.data for b in buffers]
        self.pointers = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        self.child_schema = Schema(format=format, name=b"column", release=release.value)
        self.child = Array(length=ROWS, n_buffers=len(buffers), buffers=self.pointers, release=release.value)
        if dictionary is not None:
            self.words = dictionary
            self.child_schema.dictionary = ctypes.pointer(dictionary.child_schema)
            self.child.dictionary = ctypes.pointer(dictionary.child)
        self.schema_children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(self.child_schema))
        self.children = (ctypes.POINTER(Array) * 1)(ctypes.pointer(self.child))
        self.no_buffers = (ctypes.c_void_p * 1)(0)
        self.schema = Schema(format=b"+s", n_children=1, children=self.schema_children, release=release.value)
        self.batch = Array(length=ROWS, n_buffers=1, n_children=1, buffers=self.no_buffers, children=self.children,
                           release=release.value)
        self.left, self.fault = 1, 0
        self.message = ctypes.create_string_buffer(b"the disk is gone")
        self.stream = Stream(GET_SCHEMA(self._schema), GET_NEXT(self._next),
                             LAST_ERROR(lambda _: ctypes.addressof(self.message)), release.value)

    def _schema(self, _, out):
        out[0] = self.schema
        return self.fault

    def _next(self, _, out):
        out[0] = self.batch if self.left else Array()
        self.left -= 1
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        return ctypes.pythonapi.PyCapsule_New(ctypes.addressof(self.stream), self.name, None)


def numbers():
    return Forged(b"i", [None, np.arange(ROWS, dtype=np.int32)])


def texts():
    letters = np.frombuffer(b"ab" * ROWS, dtype=np.uint8)
    return Forged(b"u", [None, np.arange(ROWS + 1, dtype=np.int32), letters])


def views(length=14, buffer=0, begin=0):
    views = np.zeros((ROWS, 4), dtype=np.int32)
    views[:] = length, 0, buffer, begin
    return Forged(b"vu", [None, views, np.frombuffer(b"x" * 100, dtype=np.uint8), np.array([100], dtype=np.int64)])


def coded(code=1):
    words = Forged(b"u", [None, np.arange(3, dtype=np.int32), np.frombuffer(b"ab", dtype=np.uint8)])
    words.child.length = 2
    codes = np.arange(ROWS, dtype=np.int8) % 2
    codes[7] = code
    return Forged(b"c", [None, codes], words)


def fit(X):
    return FeatureSelector(k=1, **QUICK).fit(X, np.arange(ROWS) % 2)


def changed(forged, part, **fields):
    for name, value in fields.items():
        setattr(getattr(forged, part) if part else forged, name, value)
    return forged


def falling():
    return Forged(b"u", [None, np.arange(ROWS, -1, -1, dtype=np.int32), np.zeros(ROWS, np.uint8)])


NONE = ctypes.POINTER(ctypes.c_void_p)()
DAMAGED = {
    "no-format": (lambda: changed(numbers(), "schema", format=None), "has no schema"),
    "no-type": (lambda: changed(numbers(), "child_schema", format=None), "column 'column' has no type"),
    "no-children": (lambda: changed(numbers(), "schema", children=ctypes.POINTER(ctypes.POINTER(Schema))()), "no columns"),
    "negative-children": (lambda: changed(numbers(), "schema", n_children=-1), "no columns"),
    "released-schema": (lambda: changed(numbers(), "schema", release=None), "has no schema"),
    "one-column": (lambda: changed(numbers(), "schema", format=b"i"), "expected a table"),
    "more-children": (lambda: changed(numbers(), "batch", n_children=2), "has 2 columns, expected 1"),
    "batch-without-children": (lambda: changed(numbers(), "batch", children=ctypes.POINTER(ctypes.POINTER(Array))()), "columns"),
    "negative-length": (lambda: changed(numbers(), "batch", length=-1), "batch of -1 rows"),
    "batch-longer-than-column": (lambda: changed(numbers(), "batch", length=10**12), "has 40 rows, expected 1000000000000"),
    "batch-beyond-column": (lambda: changed(numbers(), "batch", offset=1), "has 40 rows, expected 41"),
    "column-of-no-rows": (lambda: changed(numbers(), "child", length=0), "has 0 rows, expected 40"),
    "negative-column": (lambda: changed(numbers(), "child", length=-5), "has -5 rows"),
    "negative-offset": (lambda: changed(numbers(), "child", offset=-5), "damaged"),
    "no-buffers": (lambda: changed(numbers(), "child", n_buffers=0), "has 0 buffers"),
    "null-buffers": (lambda: changed(numbers(), "child", buffers=NONE), "buffers"),
    "null-buffer": (lambda: Forged(b"i", [None, None]), "a buffer that is not there"),
    "null-texts": (lambda: Forged(b"u", [None, np.arange(ROWS + 1, dtype=np.int32), None]), "a buffer that is not there"),
    "texts-fall": (falling, "end before they begin"),
    "view-negative": (lambda: views(length=-1), "a text of -1 bytes"),
    "view-too-long": (lambda: views(length=101), "outside of its buffers"),
    "view-beyond": (lambda: views(begin=90), "outside of its buffers"),
    "view-before": (lambda: views(begin=-1), "outside of its buffers"),
    "view-of-no-buffer": (lambda: views(buffer=1), "outside of its buffers"),
    "code-beyond": (lambda: coded(2), "the number 2 of a dictionary of 2"),
    "code-negative": (lambda: coded(-1), "the number -1 of a dictionary of 2"),
    "no-dictionary": (lambda: changed(coded(), "child", dictionary=ctypes.POINTER(Array)()), "lacks its dictionary"),
    "fault": (lambda: changed(numbers(), "", fault=5), "ended with a fault: the disk is gone"),
    "released": (lambda: changed(numbers(), "stream", release=None), "has been read already"),
    "other-capsule": (lambda: changed(numbers(), "", name=b"arrow_array"), "something else than a stream"),
    "no-batches": (lambda: changed(numbers(), "", left=0), "0 sample"),
}


def test_forged_streams_are_read_where_nothing_is_wrong_with_them():
    for forged in (numbers, texts, coded):
        assert fit(forged()).n_features_in_ == 1
    assert fit(views()).get_feature_names_out().tolist() == ["column"]


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_streams(damage):
    make, words = DAMAGED[damage]
    with pytest.raises(ValueError, match=words):
        fit(make())


def test_a_stream_is_read_once():
    reader = pa.table({"a": np.arange(ROWS), "b": np.arange(ROWS) % 3}).to_reader()
    fit(reader)
    with pytest.raises(Exception, match="sample|read already|closed"):
        fit(reader)


def test_a_fault_of_the_library_that_makes_the_stream_is_told():
    def batches():
        yield pa.record_batch({"a": pa.array(np.arange(20.0))})
        raise RuntimeError("the network is down")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.float64())]), batches())
    with pytest.raises(ValueError, match="the network is down"):
        fit(reader)


def test_offsets_of_slices_are_heeded():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=100)
    table = pa.table({"n": np.where(rng.random(100) < 0.1, np.nan, rng.normal(size=100)),
                      "b": pa.array([None if i % 9 == 0 else bool(v) for i, v in enumerate(y)]),
                      "w": pa.array([None if i % 7 == 0 else "xyz"[i % 3] for i in range(100)]).dictionary_encode()})
    struct = table.to_struct_array().combine_chunks() if hasattr(table, "to_struct_array") else None
    batches = [table.slice(13, 60)] if struct is None else [table.slice(13, 60), pa.RecordBatch.from_struct_array(struct[13:73])]
    copied = pa.table({name: pa.array(table[name].to_pylist()[13:73]) for name in table.column_names})
    expected = FeatureSelector(k=1, kinds={"w": "category"}, **QUICK).fit(copied, y[13:73])
    for batch in batches:
        assert np.array_equal(FeatureSelector(k=1, **QUICK).fit(batch, y[13:73]).scores_, expected.scores_)


def test_numbers_are_gathered_once():
    # 400 MB of numbers: besides the rows of the engine, another 400 MB, there is room for no other copy.
    script = f"""
import resource, numpy as np, pyarrow as pa
from obverse._data import Columns, prepare
rng = np.random.default_rng(0)
table = pa.table({{f"c{{i}}": rng.random(1_000_000, dtype=np.float32) for i in range(100)}})
y = np.arange(1_000_000) % 2
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
prepare(Columns(), table, y, "auto")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    grown = float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
    assert grown < 600
