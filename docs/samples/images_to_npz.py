#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes an NPZ file of a folder of images, one folder below it for each class.

usage: images_to_npz.py FOLDER FILE.npz HEIGHT WIDTH [--colour]

The file holds `images`, uint8 (images, HEIGHT, WIDTH) or with --colour (images, HEIGHT, WIDTH, 3), and
`labels`, int32 (images,), the numbers of the folders in the order of their names, which are printed. It
needs Debian's python3-numpy and python3-pil.
"""
import argparse
import pathlib
import sys

import numpy
from PIL import Image


def read(path, size, mode):
    with Image.open(path) as image:
        return numpy.asarray(image.convert(mode).resize(size, Image.BILINEAR), dtype=numpy.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("height", type=int)
    parser.add_argument("width", type=int)
    parser.add_argument("--colour", action="store_true")
    given = parser.parse_args()
    size = (given.width, given.height)
    mode = "RGB" if given.colour else "L"
    classes = sorted(path for path in given.folder.iterdir() if path.is_dir())
    images = []
    labels = []
    for label, folder in enumerate(classes):
        for path in sorted(folder.iterdir()):
            images.append(read(path, size, mode))
            labels.append(label)
    if not images:
        sys.exit(f"{given.folder} has no folder with images in it.")
    # savez, not savez_compressed: whoever reads it needs no zlib then.
    numpy.savez(given.file, images=numpy.stack(images), labels=numpy.array(labels, numpy.int32))
    print(f"{given.file}: {len(images)} images of {len(classes)} classes")
    for label, folder in enumerate(classes):
        print(f"{label} {folder.name}")


if __name__ == "__main__":
    main()
