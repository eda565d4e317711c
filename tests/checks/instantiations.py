#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts the template instantiations of reference units against a committed baseline.

usage: instantiations.py CLANG [--update] [--flag FLAG]...
A count over the baseline by more than 3 % fails, and so does a unit without one. The clock is no
part of it: counts are the same on every machine. `--update` writes the baseline; commit it with
the reason.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ROOT / "tests" / "instantiations"
BASELINE = UNITS / "baseline.json"
GROWTH = 1.03
SKIPPED = 77


def count(clang, flags, unit):
    """How many instantiations the compiler performs for one unit; None if it does not compile."""
    with tempfile.TemporaryDirectory() as temporary:
        trace = pathlib.Path(temporary) / "unit.json"
        ran = subprocess.run([clang, "-std=c++20", f"-I{ROOT / 'include'}", *flags, "-c",
                              "-ftime-trace", "-ftime-trace-granularity=0", str(unit),
                              "-o", str(trace.with_suffix(".o"))])
        if ran.returncode != 0:
            return None
        events = json.loads(trace.read_text())["traceEvents"]
    return sum(event["name"].startswith("Instantiate") for event in events)


def has_boost(clang, flags):
    """Whether the compiler finds Boost.Hana, which the unit named hana needs."""
    probe = subprocess.run([clang, *flags, "-x", "c++", "-E", "-"],
                           input="#include <boost/hana/config.hpp>\n", text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return probe.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clang", nargs="?", default="clang++-19")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--flag", action="append", default=[], help="passed on to the compiler")
    arguments = parser.parse_args()
    if not shutil.which(arguments.clang):
        print(f"skipped: {arguments.clang} is not installed")
        return SKIPPED

    units = sorted(UNITS.glob("*.cpp"))
    left_out = set()
    if not has_boost(arguments.clang, arguments.flag) and not arguments.update:
        print("skipped hana: Boost is not installed")
        left_out = {"hana"}
    units = [unit for unit in units if unit.stem not in left_out]
    counts = {unit.stem: count(arguments.clang, arguments.flag, unit) for unit in units}
    if arguments.update and None not in counts.values():
        BASELINE.write_text(json.dumps(counts, indent=2) + "\n")
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    failed = 0
    for name, counted in counts.items():
        allowed = baseline.get(name)
        good = counted is not None and allowed is not None and counted <= allowed * GROWTH
        failed += not good
        print(f"{'passed' if good else 'FAILED'} {name}: {counted} instantiations, "
              f"baseline {allowed}")
        if good and counted * GROWTH < allowed:
            print(f"  {name} needs fewer than its baseline: --update would hold the gain")
    for name in baseline.keys() - counts.keys() - left_out:
        failed += 1
        print(f"FAILED {name}: is in the baseline, but tests/instantiations/{name}.cpp is not there")
    print(f"checked {len(counts)} units, {failed} failed")
    return 1 if failed or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
