"""Writes arrays as the text that reference.h reads: see README.md beside this file."""

import numpy


def write(path, arrays):
    with open(path, "w", encoding="ascii") as out:
        for name, value in arrays.items():
            value = numpy.atleast_1d(value)
            digits = "%.9g" if value.dtype == numpy.float32 else "%.17g"
            print("tensor", name, *value.shape, file=out)
            print(*(digits % v for v in value.flatten()), file=out)
