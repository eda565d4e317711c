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
REASON = f"// Over {LONG_HEADER} lines: "
CLANG_FORMAT = "clang-format-19"
SKIPPED = 77


def check_lengths(headers):
    """The number of headers over the limit, and of long ones that do not say why, or say so without
    need."""
    refused = 0
    long = 0
    for header in headers:
        text = header.read_text()
        lines = len(text.splitlines())
        long += lines > LONG_HEADER
        if lines > LONGEST_HEADER or (lines > LONG_HEADER) != (REASON in text):
            refused += 1
            print(f"{header.relative_to(ROOT)}: {lines} lines; of {LONG_HEADER} to "
                  f"{LONGEST_HEADER} say why behind `{REASON.strip()}`")
    print(f"checked {len(headers)} headers for length, {long} long ones say why, {refused} faults")
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
