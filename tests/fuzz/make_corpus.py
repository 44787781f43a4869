#!/usr/bin/env python3
"""Writes tests/fuzz/corpus: small good files of every kind, from which the fuzzer starts.

    tests/fuzz/make_corpus.py build/release/obverse

Files made here differ in what a reader branches on: types, orders, storages, compression. Rankings, selections and
plans come from the command itself.
"""

import gzip
import io
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def put(target, name, content):
    path = CORPUS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


# Text

CSV = {
    "header.csv": "a,b,c,class\n1,2,3,yes\n4,5,6,no\n7,8.5,-9e-3,yes\n",
    "no_header.csv": "1,2,0\n3,4,1\n5,6,1\n",
    "tabs.tsv": "a\tb\tclass\n1\t2\tx\n3\t4\ty\n",
    "semicolons.csv": "a;b;c\n1,5;2;0\n2,5;3;1\n",
    "spaces.txt": "1 2 3\n4 5 6\n",
    "quotes.csv": '"a, b","c""d",class\n"1","2","x\ny"\n3,4,z\n',
    "windows.csv": "a,b,class\r\n1,2,0\r\n3,4,1\r\n",
    "bom.csv": "\ufeffa,b,class\n1,2,0\n3,4,1\n",
    "words.csv": "city,size,class\nRome,2,0\nParis,3,1\nRome,1,0\n",
    "missing.csv": "a,b,class\n1,,0\nNA,4,1\n",
    "weights.csv": "1,0,2,1.5\n0,1,1,2.5\n1,1,3,3.5\n",
    "table.csv": "who,when,yes,n,class\n'A',2024-03-01,yes,\"1,234\",0\n'B',2023-01-15 12:30,no,?,1\n'A',?,YES,5,0\n",
    "large.csv": "a,b\n1e30,1e-40\n-3.5e38,0\n",
}

# Behind the line @relation, which the target writes itself.
ARFF = {
    "weather.arff": "@attribute outlook {sunny,'light rain'}\n@attribute t real\n@attribute play {yes,no}\n@data\nsunny,8.5,no\n'light rain',-7,yes\n",
    "sparse.arff": "@attribute a numeric\n@attribute b integer\n@attribute c {x,y}\n@data\n{0 1.5}\n{2 y, 1 -4}\n{}\n",
    "table.arff": "@attribute n real\n@attribute c {NA,'x y'}\n@attribute d date 'yyyy-MM-dd'\n@attribute s string\n@attribute y {0,1}\n@data\n"
                  "1,NA,2024-03-01,red,0\n?,'x y',?,'b l',1\n2,?,2023-01-15,red,?\n",
    "numbers.arff": "% comment\n@ATTRIBUTE a NUMERIC\n@attribute b{0,1}\n\n@DATA\n1,0\r\n2,\"1\"\n% end\n",
}

LIBSVM = {
    "classes.svm": "1 1:0.5 3:2\n-1 2:1\n1 4:-1e-3 # note\n",
    "labels.svm": "1,3 1:1\n2 2:1\n 3:1\n",
    "quantities.svm": "0.25 1:1 2:2\n-3.5 2:4\n",
    "queries.svm": "1 qid:1 1:0.5\n2 qid:1 2:1\n",
}


def npy(kind, shape, values, fortran=False, version=1):
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    size = 10 if version == 1 else 12
    header = header.ljust((size + len(header) + 1 + 63) // 64 * 64 - size - 1) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + values


def arrays():
    six = (1, 2, 3, 4, 5, 6)
    return {
        "f4.npy": npy("<f4", (2, 3), struct.pack("<6f", *six)),
        "f8_fortran.npy": npy("<f8", (2, 3), struct.pack("<6d", *six), fortran=True),
        "big.npy": npy(">i4", (3, 2), struct.pack(">6i", *six)),
        "u1.npy": npy("|u1", (2, 3), bytes(six)),
        "bool.npy": npy("|b1", (3,), bytes((0, 1, 1))),
        "i8_labels.npy": npy("<i8", (6,), struct.pack("<6q", *six)),
        "f2.npy": npy("<f2", (2, 2), struct.pack("<4e", 1, 2, 3, 4)),
        "text.npy": npy("<U2", (2,), "abcd".encode("utf-32-le")),
        "texts.npy": npy("<U2", (3, 2), "a\0001\0bc\0\0a\0-2".encode("utf-32-le")),
        "holes.npy": npy("<f4", (2, 2), struct.pack("<4f", 1, float("nan"), 3, 4)),
        "truths.npy": npy("|b1", (3, 2), bytes((0, 1, 1, 0, 1, 1))),
        "pictures.npy": npy("|u1", (2, 2, 2), bytes(range(8)), version=2),
    }


def npz(files, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), content, compress_type=method)
    return out.getvalue()


def archives():
    x = npy("<f4", (3, 2), struct.pack("<6f", 1, 2, 3, 4, 5, 6))
    y = npy("<i8", (3,), struct.pack("<3q", 0, 1, 1))
    names = npy("<U3", (3,), "one two sixsix".replace(" ", "")[:9].encode("utf-32-le"))
    indices = npy("<i4", (3,), struct.pack("<3i", 0, 1, 1))
    values = npy("<f8", (3,), struct.pack("<3d", 1, 2, 3))
    shape = npy("<i8", (2,), struct.pack("<2q", 3, 2))
    form = {kind: npy(f"|S{len(kind)}", (), kind.encode()) for kind in ("csr", "csc", "coo")}
    rows, columns = npy("<i4", (4,), struct.pack("<4i", 0, 1, 2, 3)), npy("<i4", (3,), struct.pack("<3i", 0, 1, 3))
    return {
        "dense.npz": npz({"X": x, "y": y}),
        "dense_deflated.npz": npz({"X": x, "y": y}, zipfile.ZIP_DEFLATED),
        "names.npz": npz({"X": x, "y": names}),
        "one.npz": npz({"arr_0": x}),
        "csr.npz": npz({"indices": indices, "indptr": rows, "format": form["csr"], "shape": shape, "data": values}),
        "csr_target.npz": npz({"indices": indices, "indptr": rows, "format": form["csr"], "shape": shape,
                               "data": values, "y": y}, zipfile.ZIP_DEFLATED),
        "csc.npz": npz({"indices": indices, "indptr": columns, "format": form["csc"], "shape": shape, "data": values}),
        "coo.npz": npz({"row": indices, "col": indices, "format": form["coo"], "shape": shape, "data": values}),
    }


def idx(kind, shape, content):
    return bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + content


IDX = {
    "pictures.idx": idx(8, (3, 2, 2), bytes(range(12))),
    "labels.idx": idx(8, (3,), bytes((0, 1, 2))),
    "table.idx": idx(8, (2, 3), bytes(range(6))),
    "floats.idx": idx(13, (2, 2), struct.pack(">4f", 1, 2, 3, 4)),
    "doubles.idx": idx(14, (2, 1), struct.pack(">2d", 1, 2)),
    "integers.idx": idx(12, (2, 2), struct.pack(">4i", 1, -2, 3, 4)),
    "shorts.idx": idx(11, (2,), struct.pack(">2h", 1, -2)),
}


# MAT v5: elements of (type, bytes), padded to eight

def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def small(kind, content):
    return struct.pack("<HH", kind, len(content)) + content.ljust(4, b"\0")


def matrix(name, array_class, shape, *parts, flags=0, most=0):
    body = element(6, struct.pack("<II", array_class | flags << 8, most))
    body += element(5, struct.pack(f"<{len(shape)}i", *shape))
    body += small(1, name.encode()) if 0 < len(name) <= 4 else element(1, name.encode())
    return element(14, body + b"".join(parts))


def mat(*elements):
    head = b"MATLAB 5.0 MAT-file, made for tests".ljust(116) + b"\0" * 8 + struct.pack("<H", 0x0100) + b"IM"
    return head + b"".join(elements)


def compressed(content):
    packed = zlib.compress(content, 9)
    return struct.pack("<II", 15, len(packed)) + packed


def mats():
    doubles = element(9, struct.pack("<6d", 1, 2, 3, 4, 5, 6))
    x, y = matrix("X", 6, (3, 2), doubles), matrix("Y", 6, (3, 1), element(2, bytes((1, 2, 2))))
    words = [matrix("", 4, (1, 2), element(16, text)) for text in (b"no", b"ja", b"ja")]
    sparse = matrix("X", 5, (3, 2), element(5, struct.pack("<3i", 0, 2, 1)), element(5, struct.pack("<3i", 0, 1, 3)),
                    element(9, struct.pack("<3d", 1, 2, 3)), most=3)
    return {
        "dense.mat": mat(x, y),
        "compressed.mat": mat(compressed(x), compressed(y)),
        "sparse.mat": mat(sparse, y),
        "sparse_compressed.mat": mat(compressed(sparse), compressed(y)),
        "cells.mat": mat(x, matrix("Y", 1, (3, 1), *words)),
        "bytes.mat": mat(matrix("X", 9, (2, 2), element(2, bytes((1, 2, 3, 4))))),
        "singles.mat": mat(matrix("fea", 7, (2, 2), element(7, struct.pack("<4f", 1, 2, 3, 4)))),
        "shorts.mat": mat(matrix("X", 10, (2, 2), element(3, struct.pack("<4h", 1, -2, 3, 4)))),
        "structure.mat": mat(matrix("S", 2, (1, 1), small(5, struct.pack("<i", 8)), element(1, b"a".ljust(8, b"\0")),
                                    matrix("", 6, (1, 1), element(9, struct.pack("<d", 1))))),
        "logical.mat": mat(matrix("X", 9, (2, 2), element(2, bytes((1, 0, 0, 1))), flags=2), y),
    }


CONFIG = {
    "select.toml": 'effort = "quick"\nmethod = "cfm"\nk = 10\ngamma = [0.1, 1]\nseeds = 2\nepochs = 5\n',
    "share.toml": 'rho = "2.5%"\nrecipe = ["default", "focus"]\nthreads = "auto"\nprecision = "bf16"\n',
    "evaluate.toml": 'k = [5, 10]\nclassifiers = ["rf", "knn"]\ncv = 3\nrefit = true\ntrees = 10\nseed = 3\n',
    "compare.toml": 'methods = ["cfm", "rf"]\nruns = 2\n',
    "dashes.toml": "batch-size = 32\nlearning-rate = 1e-3\n",
}

GROUPS = {
    "quoted.txt": '# channels\narm = a1, a2\n"a = b" = "income, yearly", b*\n',
    "all.txt": b"\xef\xbb\xbfall = *\r\n",
    "patterns.txt": "g = a? # and so on\nh = b1,b2,\n",
}

OPTIONS = {
    "select.txt": "select\ndata.csv\n--target\nclass\n-k\n10\n--gamma\n0.1,1\n--effort\nquick",
    "equals.txt": "select\ndata.csv\n--rho=5%\n--seeds=2\n--recipe=default,focus\n--threads=auto",
    "baseline.txt": "select\ndata.csv\n--method\nrf\n-k10\n--seed\n7",
    "evaluate.txt": "evaluate\ndata.csv\n--cv\n5\n--classifiers\nrf,knn\n-k\n5,10\n--refit",
    "compare.txt": "compare\ndata.csv\n--methods\ncfm,rf,random\n--runs\n3",
    "data.txt": "select\ndata.csv\n--targets\na,b\n--drop\nc,d\n--header\nno\n--separator\n\\t\n--task\nregression",
    "help.txt": "compare\n--help",
    "unknown.txt": "select\n--epoch\n3",
}

PLAN = {
    "small.toml": 'title = "Small"\nruns = 2\nk = [1, 2]\nclassifiers = ["ert", "knn"]\ntrees = 5\n'
                  '[[set]]\nname = "first"\ndata = "first.csv"\ntarget = "class"\n'
                  '[[method]]\nname = "cfm"\ngamma = [0.1, 1]\nepochs = 3\n'
                  '[[method]]\nname = "anova"\nmethod = "anova"\npick = "model"\n'
                  '[[comparison]]\nfirst = "cfm"\nsecond = "anova"\n',
    "settings.toml": '#set runs=3\n#set precision=bf16\nrho = ["1%", 0.05]\n'
                     '[[set]]\nname = "a"\ndata = "a.mat"\ntarget = "Y"\ntest_fraction = 0.3\n'
                     '[[method]]\nname = "fm"\nmethod = "fm"\nsets = ["a"]\n',
}


def store_edits():
    """What is shown of the store (0: status, 5: the page), then edits as tests/fuzz/store_edits.h reads them. Tables in
    their order: study, sets, workers, claims, units, models, merits, results, selections."""
    def text(value):
        return bytes([4, len(value)]) + value

    def blob(value):
        return bytes([5, len(value)]) + value

    def short(number):
        return struct.pack("<H", number)

    edits = {
        "none": b"",
        "constant_index": bytes([0, 1, 0, 4]) + blob(struct.pack("<I", 9)),
        "features": bytes([0, 8, 0, 1]) + blob(struct.pack("<2I", 7, 2)),
        "scores": bytes([0, 5, 0, 9]) + blob(struct.pack("<2f", 1, 2)),
        "merit_model": bytes([0, 6, 0, 2, 1, 5]),
        "merit_k": bytes([0, 6, 0, 1, 2]) + struct.pack("<q", 1 << 40),
        "classifier": bytes([0, 7, 0, 1]) + text(b"svm"),
        "accuracy": bytes([0, 7, 0, 3, 3]) + struct.pack("<d", 1e300),
        "null_plan": bytes([0, 0, 0, 2, 0]),
        "summary_type": bytes([0, 1, 0, 3]) + text(b'{"title": 1}'),
        "summary_splice": bytes([1, 1, 0, 3]) + short(60) + bytes([2, 3]) + b"-16",
        "summary_deep": bytes([2, 1, 0, 3]) + short(0) + short(20000) + bytes([1]) + b"[",
        "plan_splice": bytes([1, 0, 0, 2]) + short(30) + bytes([8, 9]) + b"runs = 99",
        "plan_dotted": bytes([2, 0, 0, 2]) + short(1) + short(20000) + bytes([2]) + b"a.",
        "copied_model": bytes([3, 5, 0, 1, 1, 2]),
        "removed_unit": bytes([4, 4, 1, 0]),
        "removed_model": bytes([4, 5, 1, 0]),
        "dropped": bytes([5, 8, 0, 0, 0]),
        "view": bytes([5, 4, 0, 0, 4]),
        "endless_view": bytes([5, 4, 0, 0, 5]),
        "no_key": bytes([5, 6, 0, 0, 6]),
        "version": bytes([5, 0, 0, 0, 7]),
    }
    views = {f"{name}_page": bytes([5]) + edit for name, edit in edits.items()}
    for view, name in enumerate(("status", "tables", "markdown", "figures", "text")):
        views[name] = bytes([view])
    return views


def from_the_command(command, room):
    def run(*words):
        return subprocess.run([command, *words], cwd=room, check=True, capture_output=True).stdout

    rows = "".join(f"{i % 7},{i * 5 % 9},{10 * (i % 2) + i % 3},{i * 7 % 11},{'yes' if i % 2 else 'no'}\n" for i in range(60))
    (room / "data.csv").write_text("good,fair,\"a, b\",other,class\n" + rows)
    data = ("data.csv", "--target", "class", "-k", "2")
    run("select", *data, "--effort", "quick", "--epochs", "2", "-o", "cfm")
    run("select", *data, "--method", "anova", "-o", "anova")
    for name in ("cfm", "anova"):
        put("ranking", name + ".csv", (room / name / "ranking.csv").read_bytes())
        put("selection", name + ".json", (room / name / "selection.json").read_bytes())
    (room / "pictures.idx").write_bytes(idx(8, (20, 2, 2), bytes((i * 37 + i // 4 % 2 * 90) % 256 for i in range(80))))
    (room / "labels.idx").write_bytes(idx(8, (20,), bytes(i % 2 for i in range(20))))
    run("select", "pictures.idx", "--labels", "labels.idx", "-k", "1", "--epochs", "1", "--effort", "quick", "-o", "pictures")
    put("selection", "pictures.json", (room / "pictures" / "selection.json").read_bytes())
    for plan in ("paper", "methods"):
        put("plan", plan + ".toml", run("study", "--show", plan))
    put("ranking", "names.csv", "name\ngood\n\"a, b\"\n")


def main():
    shutil.rmtree(CORPUS, ignore_errors=True)
    made = {"csv": CSV, "arff": ARFF, "libsvm": LIBSVM, "npy": arrays(), "npz": archives(), "idx": IDX, "mat": mats(),
            "config": CONFIG, "groups": GROUPS, "options": OPTIONS, "plan": PLAN, "store": store_edits()}
    for target, files in made.items():
        for name, content in files.items():
            put(target, name, content)
    for source in ("csv/header.csv", "csv/tabs.tsv", "libsvm/classes.svm", "npy/f4.npy", "idx/pictures.idx"):
        content = (CORPUS / source).read_bytes()
        name = Path(source).name
        put("gzip", name, content)
        put("gzip", name + ".gz", gzip.compress(content, mtime=0))
    put("gzip", "members.gz", gzip.compress(b"a,b\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0))
    with tempfile.TemporaryDirectory() as room:
        from_the_command(Path(sys.argv[1]).resolve(), Path(room))


if __name__ == "__main__":
    main()
