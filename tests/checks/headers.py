#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles every header alone: it must include all that it needs and be free of warnings.

usage: headers.py COMPILER [FLAG...]
A header whose outside library is not installed is reported as skipped. One that another header
includes before anything that it does not include itself is compiled alone there, and not once more.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

INCLUDE_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "include"
INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
MISSING_LIBRARY = re.compile(r"fatal error: '?((?:xtensor|boost|zlib|mpi)[^':]*)'?")


def reached_from(header, included):
    """The header and all that it includes, and those include."""
    reached, ahead = set(), [header]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += included.get(name, [])
    return reached


class Walk:
    """Reads headers as a compiler does that is given one of them."""

    def __init__(self, included):
        self.included = included
        self.reached = {header: reached_from(header, included) for header in included}

    def alone_in(self, header):
        """Those that it meets when nothing has been read that they do not include themselves."""
        read, opened, alone = set(), set(), set()

        def meet(name):
            if name in opened:
                return
            opened.add(name)
            if name in self.included and read <= self.reached[name]:
                alone.add(name)
            for included in self.included.get(name, []):
                meet(included)
            read.add(name)

        meet(header)
        return alone

    def to_compile(self):
        """The headers that must be compiled so that each is met alone: those of many others first."""
        chosen, alone = [], set()
        for header in sorted(self.included, key=lambda name: (-len(self.reached[name]), name)):
            if header not in alone:
                chosen.append(header)
                alone |= self.alone_in(header)
        return chosen


def self_test():
    included = {
        "top.hpp": ["array", "middle.hpp", "low.hpp", "other.hpp"],
        "middle.hpp": ["array", "vector"],
        "low.hpp": ["array"],
        "other.hpp": ["low.hpp"],
        "last.hpp": ["string", "other.hpp"],
    }
    # <vector> stands before low.hpp and other.hpp in top.hpp, <string> before both in last.hpp; low.hpp
    # is alone in other.hpp.
    chosen = Walk(included).to_compile()
    print(f"checked {len(included)} headers of the self test, these would be compiled: {chosen}")
    return 0 if chosen == ["top.hpp", "last.hpp", "other.hpp"] else 1


def check(command, header):
    """(header, "passed" | "skipped" | "failed", what the compiler said)"""
    source = f"#include <{header}>\n#include <{header}>\n"
    ran = subprocess.run([*command, "-x", "c++", "-fsyntax-only", "-"], input=source, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode == 0:
        return header, "passed", ran.stdout
    missing = MISSING_LIBRARY.search(ran.stdout)
    if missing:
        return header, "skipped", f"{header}: skipped, {missing.group(1)} is not installed\n"
    return header, "failed", ran.stdout


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    command = [*sys.argv[1:], f"-I{INCLUDE_DIRECTORY}"]
    included = {path.relative_to(INCLUDE_DIRECTORY).as_posix(): INCLUDE.findall(path.read_text())
                for path in INCLUDE_DIRECTORY.rglob("*.hpp")}
    headers = Walk(included).to_compile()
    count = {"passed": 0, "skipped": 0, "failed": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, verdict, output in pool.map(lambda header: check(command, header), headers):
            count[verdict] += 1
            if output:
                print(f"{header}:\n{output}" if verdict == "failed" else output, end="")
    print(f"checked {len(headers)} headers alone: {count['passed']} passed, "
          f"{count['skipped']} skipped, {count['failed']} failed; "
          f"{len(included) - len(headers)} more are alone in one of them")
    return 1 if count["failed"] or count["passed"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
