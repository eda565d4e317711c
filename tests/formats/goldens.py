#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes goldens.hpp, files as NumPy and Python's zipfile write them. Needs NumPy; made with NumPy
1.24.2 and Python 3.11.2.

usage: goldens.py > goldens.hpp
"""
import io
import json
import struct
import zipfile

import numpy

HEADER = """\
// SPDX-License-Identifier: MIT
// Files as NumPy and Python's zipfile write them; made by goldens.py.
#pragma once

#include <cstdint>
#include <vector>

namespace ipu_dsl::tests {
"""
NUMBERS = [[1.5, -2.0, 3.25], [4.0, 5.0, 1e-3]]
DAY = (1980, 1, 1, 0, 0, 0)


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def npz(save, **arrays):
    """An archive of arrays, without the time of its writing."""
    written = io.BytesIO()
    save(written, **arrays)
    again = io.BytesIO()
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(again, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            entry.date_time = DAY
            with target.open(entry, "w", force_zip64=True) as file:
                file.write(content)
    return again.getvalue()


def long_archive():
    """An archive in which all that can stand in 64 bits does."""
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 0
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in (("one", bytes([1, 2, 3])), ("other", bytes([4]))):
            archive.writestr(zipfile.ZipInfo(name, DAY), content)
    zipfile.ZIP64_LIMIT = limit
    return file.getvalue()


def safetensors():
    """A file of every type that is converted, its header as Python's json writes it: escapes for
    what is beyond ASCII, arrays in another order than their bytes, blanks behind."""
    numbers = numpy.array(NUMBERS)
    halves = numpy.array([1.5, -2.0, 65504.0, 2.0 ** -24, numpy.inf, -0.0], "<f2")
    upper_halves = (numpy.array([1.0, -3.140625, 1e38], "<f4").view("<u4") >> 16).astype("<u2")
    parts = [("gr\u00f6\u00dfe/\U0001f9e0", "F32", numbers.shape, numbers.astype("<f4").tobytes()),
             ("halves", "F16", (6,), halves.tobytes()),
             ("doubles", "F64", (3, 2), numbers.reshape(3, 2).astype("<f8").tobytes()),
             ("nothing", "F32", (0, 4), b""),
             ("upper", "BF16", (3, 1), upper_halves.tobytes()),
             ("step", "I64", (), struct.pack("<q", 1 << 40))]
    header = {"__metadata__": {"format": "pt", "by": "goldens.py"}}
    entries = []
    end = 0
    for name, kind, shape, content in parts:
        begin, end = end, end + len(content)
        entries.append((name, {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}))
    header.update(reversed(entries))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(part[3] for part in parts)


def print_bytes(name, comment, content):
    lines = [content[i:i + 20] for i in range(0, len(content), 20)]
    print(f"\n/// {comment}\n// clang-format off\n"
          f"inline const std::vector<std::uint8_t> {name} = {{")
    for line in lines:
        print("    " + ", ".join(str(byte) for byte in line) + ",")
    print("};\n// clang-format on")


def main():
    kernel = numpy.array(NUMBERS, "<f4")
    print(HEADER, end="")
    print_bytes("fortran_float64", "np.save of 2 x 3 numbers, dtype '<f8', in Fortran order.",
                npy(numpy.asfortranarray(numpy.array(NUMBERS, "<f8"))))
    print_bytes("big_endian_float32", "The same numbers, dtype '>f4', in C order.",
                npy(numpy.array(NUMBERS, ">f4")))
    print_bytes("fortran_cube", "np.arange(24) as 2 x 3 x 4, dtype '<i8', in Fortran order.",
                npy(numpy.asfortranarray(numpy.arange(24, dtype="<i8").reshape(2, 3, 4))))
    print_bytes("saved_archive", "np.savez of the numbers as float32, called größe/kernel.",
                npz(numpy.savez, **{"größe/kernel": kernel}))
    print_bytes("compressed_archive", "np.savez_compressed of the same.",
                npz(numpy.savez_compressed, **{"größe/kernel": kernel}))
    print_bytes("long_archive", "zipfile's, of the files one (1, 2, 3) and other (4), all Zip64.",
                long_archive())
    print_bytes("safetensors_file_of_python", "safetensors of six arrays, written with Python's json.",
                safetensors())
    print("\n}  // namespace ipu_dsl::tests")


if __name__ == "__main__":
    main()
