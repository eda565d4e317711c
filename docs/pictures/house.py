#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws the house from the table that tests/checks/rooms.py holds, as docs/pictures/house.svg.

usage: house.py [--check]
Without an argument it writes the picture; with --check it says whether the written one is current.
A room that is in the table and on no floor here is refused, so that the picture shows all of it.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "checks"))
import rooms  # noqa: E402 (found only through the path above)

PICTURE = HERE / "house.svg"

# From the ground to the roof, left to right; and what is said about each room in a few words.
FLOORS = [
    ["core"],
    ["graph", "schedule", "layout", "formats", "queues"],
    ["vocabulary", "machine", "kernels", "data"],
    ["model", "catalogue", "study", "operators"],
    ["plan"],
    ["runtime"],
    ["training", "inference.hpp"],
    ["report", "exchange", "hana", "mpi", "interface.hpp"],
    ["ipu_dsl.hpp", "hana.hpp", "mpi.hpp"],
]
ABOUT = {
    "core": "text, lists, shapes, problems, errors, random numbers",
    "graph": "tensors, nodes, families, calls",
    "schedule": "rows, proof, slots, facts",
    "catalogue": "the field's schedules",
    "study": "schedules as text, questions",
    "layout": "panels, padding, register tiles",
    "formats": "IDX, NPY, NPZ, safetensors, gzip",
    "queues": "infeeds, outfeeds, their threads",
    "vocabulary": "layers, losses, metrics, optimizers",
    "machine": "the simulated IPU",
    "kernels": "loops over numbers",
    "data": "data sets and feeds",
    "model": "stage, pipeline, functional models",
    "operators": "a family meets its kernels",
    "plan": "compile: calls, memory, slots, every check",
    "runtime": "regions, workers, executor, trace",
    "training": "session: fit, evaluate, predict",
    "inference.hpp": "predict alone",
    "report": "summary and timeline",
    "exchange": "weights from elsewhere",
    "hana": "models and weights for Hana",
    "mpi": "ranks",
    "interface.hpp": "a session without its code",
    "ipu_dsl.hpp": "all of it",
    "hana.hpp": "the room as one header",
    "mpi.hpp": "ranks, as one header",
}
# What a room deals in, by colour.
TYPES, VALUES, CODE, PLAIN = "#f6d9a8", "#bcd7ee", "#c4e3c0", "#e6e3dd"
COLOUR = {
    "core": PLAIN, "formats": PLAIN, "queues": PLAIN, "data": PLAIN, "report": PLAIN,
    "exchange": PLAIN, "mpi": PLAIN,
    "mpi.hpp": PLAIN, "ipu_dsl.hpp": PLAIN,
    "vocabulary": TYPES, "model": TYPES, "hana": TYPES, "hana.hpp": TYPES,
    "interface.hpp": TYPES,
    "graph": VALUES, "schedule": VALUES, "catalogue": VALUES, "study": VALUES, "layout": VALUES, "machine": VALUES, "plan": VALUES,
    "kernels": CODE, "operators": CODE, "runtime": CODE, "training": CODE, "inference.hpp": CODE,
}
LEGEND = [(TYPES, "types at the edge"), (VALUES, "values in the middle"), (CODE, "code at the end"),
          (PLAIN, "the rest; dashed: planned")]
# Outside libraries by the starts of their includes; the standard headers of threads are one.
LIBRARY = {"xsimd/": "xsimd", "xtensor": "xtensor", "xtl/": "xtensor", "boost/": "Boost.Hana",
           "zlib.h": "zlib", "mpi.h": "MPI", "thread": "threads", "mutex": "threads",
           "condition_variable": "threads", "future": "threads", "sched.h": "threads",
           "pthread.h": "threads", "time.h": "clock", "sys/mman.h": "large pages",
           "fcntl.h": "files", "sys/stat.h": "files", "unistd.h": "files"}

WIDTH, FLOOR_HEIGHT, ROOM_HEIGHT, MARGIN, GAP = 1000, 104, 88, 20, 12
HEAD = 64


def exists(room):
    return (rooms.HEADERS / room).exists()


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text(x, y, words, size, extra=""):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="middle"{extra}>'
            f'{escaped(words)}</text>')


def direct(room):
    """What the room may include, without what follows from the rest of it."""
    below = rooms.MAY_INCLUDE[room]
    implied = set().union(*(rooms.MAY_INCLUDE[lower] for lower in below)) if below else set()
    return sorted(below - implied)


def doors(room):
    return sorted({LIBRARY[start] for start, door in rooms.DOORS.items()
                   for entered in ([door] if isinstance(door, str) else door)
                   if entered.split("/")[0] == room})


def draw_room(room, x, y, width):
    missing = not exists(room)
    dashes = ' stroke-dasharray="6 4"' if missing else ""
    shapes = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{ROOM_HEIGHT}" rx="4" '
              f'fill="{"#ffffff" if missing else COLOUR[room]}" stroke="#333"{dashes}/>']
    middle = x + width / 2
    shapes.append(text(middle, y + 20, room, 15, ' font-weight="bold"'))
    shapes.append(text(middle, y + 38, ABOUT[room], 11))
    stands_on = "stands on " + ", ".join(direct(room)) if direct(room) else "stands on nothing"
    shapes.append(text(middle, y + 55, stands_on, 10.5, ' fill="#555"'))
    if doors(room):
        shapes.append(text(middle, y + 76, "door: " + ", ".join(doors(room)), 11,
                           ' font-style="italic" fill="#8a2d2d"'))
    elif missing:
        shapes.append(text(middle, y + 76, "planned", 11, ' font-style="italic" fill="#777"'))
    return shapes


def draw_floor(level, rooms_here):
    y = HEAD + (len(FLOORS) - 1 - level) * FLOOR_HEIGHT
    width = (WIDTH - 2 * MARGIN - (len(rooms_here) - 1) * GAP) / len(rooms_here)
    shapes = []
    for i, room in enumerate(rooms_here):
        shapes += draw_room(room, MARGIN + i * (width + GAP), y, width)
    return shapes


def check_floors():
    """Every room on one floor, above all that it may include."""
    floor_of = {room: level for level, here in enumerate(FLOORS) for room in here}
    faults = [f"{room} is on no floor" for room in rooms.MAY_INCLUDE if room not in floor_of]
    faults += [f"{room} is no room of the table" for room in floor_of
               if room not in rooms.MAY_INCLUDE]
    faults += [f"{room} may include {lower} and does not stand above it"
               for room, below in rooms.MAY_INCLUDE.items() for lower in sorted(below)
               if floor_of.get(room, 0) <= floor_of.get(lower, 0)]
    return faults


def draw():
    height = HEAD + len(FLOORS) * FLOOR_HEIGHT + 16
    shapes = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
              'font-family="Helvetica, Arial, sans-serif">',
              "<title>The house: which room stands on which</title>",
              f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for i, (colour, words) in enumerate(LEGEND):
        x = MARGIN + i * 240
        shapes.append(f'<rect x="{x}" y="14" width="18" height="18" fill="{colour}" stroke="#333"/>')
        shapes.append(f'<text x="{x + 26}" y="28" font-size="14">{words}</text>')
    shapes.append(f'<text x="{MARGIN}" y="52" font-size="11" fill="#555">A room includes what it '
                  "stands on and what that stands on, nothing else. A door is where an outside "
                  "library enters.</text>")
    for level, rooms_here in enumerate(FLOORS):
        shapes += draw_floor(level, rooms_here)
    return "\n".join(shapes + ["</svg>"]) + "\n"


def main():
    faults = check_floors()
    if faults:
        print("\n".join(faults))
        return 1
    if sys.argv[1:] == ["--check"]:
        current = PICTURE.exists() and PICTURE.read_text() == draw()
        print(f"docs/pictures/house.svg shows {len(rooms.MAY_INCLUDE)} rooms and is "
              + ("current" if current else "not current: run docs/pictures/house.py"))
        return 0 if current else 1
    PICTURE.write_text(draw())
    return 0


if __name__ == "__main__":
    sys.exit(main())
