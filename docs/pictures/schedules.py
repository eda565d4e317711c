#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes what docs/schedules.md shows of examples/schedules.cpp: the pictures in
docs/pictures/schedules/ and, in docs/samples/schedule_commands.txt, what commands print.

usage: schedules.py PROGRAM [--check]
PROGRAM is the built example. With --check nothing is written; it says whether everything is
current, and that docs/schedules.md shows each picture. An empty PROGRAM is one that was not built.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent
DOCUMENT = DOCS / "schedules.md"
PICTURES = HERE / "schedules"
COMMANDS = DOCS / "samples" / "schedule_commands.txt"
SKIPPED = 77

# All at equal work, so that pictures can be compared.
COUNTS = "-p 4 -m 8"
SCHEDULES = [
    "gpipe", "1f1b", "eager-1f1b", "interleaved-1f1b", "looped-bfs", "zb-h1", "zb-h2",
    "interleaved-zb", "zb-v", "v-half", "v-min", "1f1b-v", "chimera", "dualpipe", "dualpipev",
    "pipedream", "pipedream-2bw",
]
# Pictures by name.
DRAWN = {name: f"--schedule {name} {COUNTS}" for name in SCHEDULES}
DRAWN["grouped-lockstep"] = f"--schedule grouped {COUNTS} --lockstep"
DRAWN["interleaved-lockstep"] = f"--schedule interleaved {COUNTS} --lockstep"
DRAWN["uneven"] = f"--schedule zb-h1 {COUNTS} --stage-costs 1,1,3,1"

# The crossed order of section 5, as a file.
CROSSED = "0F0,2F0,2B0,0B0\n3F0,1F0,3B0,1B0\n"
# Texts by tag; CSV stands for a file with the rows above.
PRINTED = {
    "rows": "--schedule 1f1b -p 2 -m 4 --csv --complete",
    "compare": f"--compare {COUNTS}",
    "facts": f"--schedule zb-h1 {COUNTS} --facts",
    "misspelt": f"--schedule zbh1 {COUNTS}",
    "crossed": "--prove CSV",
}

# What the overview has room for.
MOST_STASH, MOST_BUBBLE = 8, 10


def run(program, arguments, folder):
    """What a command prints; what it refuses as well."""
    words = [str(folder / "crossed.csv") if word == "CSV" else word for word in arguments.split()]
    ran = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def points_of(table):
    """Synchronous schedules by (peak stash, flush bubble, stages each, two copies) from what
    --compare prints; longer bubbles than the picture has room for are left to the table."""
    points = {}
    for line in table.splitlines():
        row = re.fullmatch(r"(\S+) +(\d+) +[\d.]+ +([\d.]+) +[\d.]+ % +[\d.]+ +[\d.]+ % +"
                           r"([\d.]+) +\d+ +\S+ +(\d+)", line)
        if row and float(row[3]) <= MOST_BUBBLE:
            place = (float(row[4]), float(row[3]), int(row[2]), int(row[5]) > 1)
            points.setdefault(place, []).append(row[1])
    if not points:
        raise SystemExit("--compare prints no schedules")
    return points


def overview(table):
    """Memory against time: a point a schedule, lower left is better."""
    left, top, column, line = 60, 40, 110, 46
    right, bottom = left + MOST_STASH * column, top + MOST_BUBBLE * line
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 80} {bottom + 60}" '
        "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\">",
        "<title>Bubble and memory of all schedules at equal work</title>",
        '<rect width="100%" height="100%" fill="#fff"/>']
    for stash in range(MOST_STASH + 1):
        x = left + stash * column
        shapes += [f'<path d="M{x} {top}V{bottom}" stroke="#ddd"/>',
                   f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{stash}</text>']
    for bubble in range(0, MOST_BUBBLE + 1, 2):
        y = bottom - bubble * line
        shapes += [f'<path d="M{left} {y}H{right}" stroke="#ddd"/>',
                   f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{bubble}</text>']
    shapes += [f'<text x="{left}" y="24">flush bubble in units, {COUNTS}; blue: one stage a device, '
               "orange: several; hollow: two copies of the weights</text>",
               f'<text x="{right}" y="{bottom + 42}" text-anchor="end">peak stash in micro-batches '
               "of a device</text>"]
    for (stash, bubble, stages, more), names in sorted(points_of(table).items()):
        x, y = left + stash * column, bottom - bubble * line
        colour = "#0072b2" if stages == 1 else "#d55e00"
        shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="6" stroke="{colour}" stroke-width="2" '
                      f'fill="{"#fff" if more else colour}"/>')
        shapes += [f'<text x="{x + 11:g}" y="{y + 4 + 14 * i:g}">{name}</text>'
                   for i, name in enumerate(names)]
    return "\n".join([*shapes, "</svg>"]) + "\n"


def make(program):
    """All files by path."""
    files = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "crossed.csv").write_text(CROSSED)
        for name, arguments in DRAWN.items():
            drawn = folder / "drawn.svg"
            drawn.unlink(missing_ok=True)
            said = run(program, f"{arguments} --svg {drawn}", folder)
            if not drawn.exists():
                raise SystemExit(f"{program} {arguments} drew nothing: {said}")
            files[PICTURES / f"{name}.svg"] = drawn.read_text()
        pieces = [f"[{tag}]\n{run(program, arguments, folder)}[/{tag}]\n"
                  for tag, arguments in PRINTED.items()]
        files[PICTURES / "overview.svg"] = overview(run(program, PRINTED["compare"], folder))
    files[COMMANDS] = "\n".join(pieces)
    return files


def check(files):
    """What is not current, what is left over, and pictures that nobody is shown."""
    faults = [f"{path.relative_to(DOCS.parent)} is not current: run docs/pictures/schedules.py"
              for path, text in files.items() if not path.exists() or path.read_text() != text]
    faults += [f"{path.relative_to(DOCS.parent)} is made by nobody"
               for path in sorted(PICTURES.glob("*")) if path not in files]
    text = DOCUMENT.read_text()
    faults += [f"docs/schedules.md does not show {name}.svg" for name in [*DRAWN, "overview"]
               if f"](pictures/schedules/{name}.svg)" not in text]
    return faults


def main():
    checks = sys.argv[2:] == ["--check"]
    if len(sys.argv) < 2 or (sys.argv[2:] and not checks):
        print(__doc__)
        return 1
    if not sys.argv[1]:
        print("skipped: the example schedules is not built")
        return SKIPPED
    files = make(sys.argv[1])
    if checks:
        faults = check(files)
        print("\n".join(faults + [f"checked {len(files)} files, {len(faults)} faults"]))
        return 1 if faults else 0
    PICTURES.mkdir(exist_ok=True)
    for path, text in files.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
