#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every source is as clang-format would leave it, and every header is short.

usage: format.py [--required]
Without clang-format-19 the test is skipped, unless it is required.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "tests", "examples", "benchmarks"]
LONGEST_HEADER = 500
LONG_HEADER = 300
CLANG_FORMAT = "clang-format-19"
SKIPPED = 77


def check_lengths(headers):
    """The number of headers over the limit; those that are merely long are listed."""
    refused = 0
    for header in headers:
        lines = len(header.read_text().splitlines())
        if lines > LONGEST_HEADER:
            refused += 1
        if lines > LONG_HEADER:
            print(f"{header.relative_to(ROOT)}: {lines} lines")
    print(f"checked {len(headers)} headers for length, {refused} over {LONGEST_HEADER} lines")
    return refused


def main():
    sources = sorted(path for folder in FOLDERS for suffix in ("hpp", "cpp")
                     for path in (ROOT / folder).rglob(f"*.{suffix}"))
    headers = [path for path in sources if ROOT / "include" in path.parents]
    too_long = check_lengths(headers)
    if too_long or not headers:
        return 1

    if not shutil.which(CLANG_FORMAT):
        print(f"skipped: {CLANG_FORMAT} is not installed")
        return 1 if "--required" in sys.argv else SKIPPED
    ran = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", *map(str, sources)])
    print(f"checked {len(sources)} sources for format")
    return 1 if ran.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
