#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the plan of the house: which room includes which, who may include outside libraries, and
that a family has one file name in its rooms: vocabulary/, operators/ and kernels/.

Refuses an include that the table does not allow, an outside library through another door, an
include cycle, a quoted include, and a header that does not exist or lives in no known room. Holds
every header that can see a layout, and no other, to the namespace of the architecture.
`--list` writes what the lists of all families lack. `--self-test` plants each fault in a copy of
the headers and demands that it is found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include" / "ipu_dsl"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# What each room may include: the transitive closure, so that nothing need be derived to read it.
PLAN = "model vocabulary graph schedule layout machine core"
RUNTIME = "operators kernels plan " + PLAN
TRAINING = "runtime data queues formats " + RUNTIME
MAY_INCLUDE = {
    "core": "",
    "graph": "core",
    "vocabulary": "graph core",
    "model": "vocabulary graph core",
    "schedule": "core",
    "catalogue": "schedule core",
    "study": "schedule core",
    "layout": "core",
    "machine": "core",
    "plan": PLAN,
    "kernels": "layout core",
    "operators": "kernels layout vocabulary graph core",
    "runtime": RUNTIME,
    "formats": "core",
    "queues": "core",
    "data": "queues formats core",
    "training": TRAINING,
    "report": "training " + TRAINING,
    "exchange": "training " + TRAINING,
    "hana": "training " + TRAINING,
    "mpi": "training " + TRAINING,
    # Headers that stand beside the rooms. Nobody inside includes them.
    "inference.hpp": "runtime " + RUNTIME,
    "interface.hpp": "training " + TRAINING,
    "hana.hpp": "hana training " + TRAINING,
    "mpi.hpp": "mpi training " + TRAINING,
    "ipu_dsl.hpp": "interface.hpp report training " + TRAINING,
}
MAY_INCLUDE = {room: set(below.split()) for room, below in MAY_INCLUDE.items()}

# Each outside library enters through one door: the start of its includes, and where they may stand.
# Threads have two: those of workers, and those at the ends of queues, which know no worker.
THREADS = ("runtime/", "queues/")
DOORS = {
    "xsimd/": "kernels/",
    "xtensor": "data/xtensor.hpp",
    "xtl/": "data/xtensor.hpp",
    "boost/": "hana/",
    "zlib.h": "formats/gzip.hpp",
    "mpi.h": "mpi",
    "thread": THREADS,
    "mutex": THREADS,
    "condition_variable": THREADS,
    "future": THREADS,
    "pthread.h": "runtime/",
    "sched.h": "runtime/",
    "time.h": "runtime/",
    "sys/mman.h": "runtime/",
    "fcntl.h": "formats/file_replacement.hpp",
    "sys/stat.h": "formats/file_replacement.hpp",
    "unistd.h": "formats/file_replacement.hpp",
}


def room_of(header):
    """The folder of a header, or its own name if it stands beside the rooms."""
    return header.split("/")[0]


def door_of(include):
    for start, door in DOORS.items():
        if include == start or (start in ("xsimd/", "xtensor", "xtl/", "boost/")
                                and include.startswith(start)):
            return door
    return None


def check_include(header, kind, include, headers):
    """What is wrong with one include line, empty if nothing is."""
    here = room_of(header)
    if kind == '"':
        return f'{header}: writes "{include}", headers are included as <ipu_dsl/room/name.hpp>'
    if not include.startswith("ipu_dsl/"):
        door = door_of(include)
        if door is None and re.search(r"[/.]", include):
            return f"{header}: <{include}> is of a library that has no door"
        if door is not None and not header.startswith(door):
            doors = door if isinstance(door, str) else " and ".join(door)
            return f"{header}: <{include}> enters through {doors} only"
        return ""
    target = include.removeprefix("ipu_dsl/")
    if target not in headers:
        return f"{header}: <{include}> does not exist"
    there = room_of(target)
    if there != here and there not in MAY_INCLUDE[here]:
        return f"{header}: {here} may not include {there} (<{include}>)"
    return ""


def cycles(edges):
    """One sentence for each include that closes a circle."""
    found = []
    state = {}

    def visit(header):
        state[header] = "open"
        for target in edges.get(header, []):
            if state.get(target) == "open":
                found.append(f"{header}: includes {target}, which includes it (a cycle)")
            elif target not in state:
                visit(target)
        state[header] = "closed"

    for header in edges:
        if header not in state:
            visit(header)
    return found


def architecture_faults(texts, edges):
    """Sizes and code that depend on the vector unit stand in a namespace that names it: translation
    units for different processors then share no symbol."""
    reaches = {}

    def sees_layout(header):
        if header not in reaches:
            reaches[header] = header.startswith("layout/")
            reaches[header] |= any(sees_layout(target) for target in edges.get(header, []))
        return reaches[header]

    found = []
    for header, text in sorted(texts.items()):
        opened = re.findall(r"^namespace ipu_dsl\b.*", text, re.MULTILINE)
        for line in opened:
            if ("IPU_DSL_ARCHITECTURE" in line) != sees_layout(header):
                wanted = "in" if sees_layout(header) else "outside"
                found.append(f"{header}: `{line}` must be {wanted} the architecture's namespace")
    return found


# Of operators/, what is not the code of one family of vocabulary/: lists, what all code shares, and
# the code of families that stand in graph/, of which no layer is one.
NO_FAMILY_OF_VOCABULARY = {"layers", "library", "operators", "run_context", "final_value", "feed",
                           "constraint", "parameter_sums", "penalty", "repack", "update"}


def name_faults(texts):
    """A family has one file name: its code stands in operators/ as its rules do in vocabulary/,
    losses and metrics in folders of the same names."""
    rules = {header.removeprefix("vocabulary/").removeprefix("layers/")
             for header in texts if header.startswith("vocabulary/")}
    names = [header.removeprefix("operators/") for header in texts
             if header.startswith("operators/")]
    found = [f"operators/{name}: no header of vocabulary/ has that name" for name in sorted(names)
             if name.removesuffix(".hpp") not in NO_FAMILY_OF_VOCABULARY and name not in rules]
    return found + kernel_name_faults(texts)


# Of kernels/, what is not the loops of one family: the header, and whose it is.
SHARED_KERNELS = {
    "chain_sums": "sums along rows, whatever the width of vectors",
    "arithmetic": "what rules of optimizers, losses and metrics compute with",
    "cross_entropy": "losses and metrics over classes",
    "elementwise": "joins, sums over readers and replicas, copies in and out",
    "exponential": "a function; softmax, sigmoids and cross-entropy are made of it",
    "floating_bits": "what the functions are made of",
    "channel_moments": "statistics of batch normalization",
    "channel_sums": "sums over the positions of channels, of statistics and of gradients",
    "group_layout": "groups of channels in any product over windows",
    "gated_step": "steps of recurrences with gates: LSTM, GRU",
    "inlining": "a word of the compilers, for all kernels",
    "held_weights": "products over windows of any layer with few weights",
    "lanewise_product": "products over windows by lanes: groups of channels, depthwise",
    "group_tile": "tiles of units that read the numbers of their group",
    "lanewise_tile": "their register tiles",
    "line_copies": "lines of images whose pixels collide, copied together while tiles multiply",
    "logarithm": "a function; cross-entropy and the softplus are made of it",
    "normal_distribution": "a function; gelu is made of it",
    "outer_product_tile": "weight gradients: Dense, Conv2D, recurrent layers",
    "paired_vectors": "vectors that are computed in turn, for functions that are long chains",
    "portable_vector": "vectors where there is no xsimd",
    "prefetch": "a word of the compilers, for all kernels",
    "product_tile": "products: Dense, Conv2D, recurrent layers",
    "recurrent_step": "one step of any recurrence; SimpleRNN is the first",
    "parameter_sums": "all optimizers that need sums over a parameter",
    "constraint": "constraints of the weights of any layer",
    "paired_gradient": "gradients of any product over windows with few units",
    "penalty": "penalties on the weights of any layer",
    "row_sum": "sums of losses and metrics over rows, in order",
    "sigmoidal": "functions; activations are made of them",
    "simd": "vectors, for all kernels",
    "softmax": "an activation that needs whole rows, and a part of cross-entropy",
    "line_runs": "gradients of any product over windows",
    "line_tiles": "how the lines of any product over windows are walked",
    "pixelwise_cut": "how products over windows of any layer with few units are cut",
    "pixelwise_inner": "products over windows of any layer with few units, but for the rims",
    "pixelwise_planes": "products over windows of any layer with few units: what is laid out and stored",
    "pixelwise_tile": "the same: outputs of some lines",
    "pixelwise_product": "products over windows of any layer with few units",
    "resident_sums": "products over windows of any layer, from tap to tap",
    "separable_product": "two products over windows, one behind the other",
    "tap_blocks": "how those gradients are cut",
    "tap_gradient": "gradients of any product over windows: depthwise, groups, few channels",
    "tap_gradient_rows": "gradients of the weights of several taps, of any layer over windows",
    "tap_gradient_tile": "their register tiles",
    "tiling": "how the outputs of any product are walked",
    "transpose": "storages of gradients, between any two families",
    "update": "all optimizers",
    "window_blocks": "how many lines of any product over windows stay near",
    "window_gradient": "products over windows: Conv2D is the first",
    "window_gradient_row": "gradients of any product over windows",
    "window_gradient_tap": "gradients of any product over windows",
    "window_gradient_tiles": "gradients of any product over windows",
    "group_gradient": "gradients of any product over windows in groups",
    "window_product": "products over windows: Conv2D is the first",
    "window_taps": "products over windows: Conv2D is the first",
    "windows": "products over windows: Conv2D is the first",
    "xsimd_vector": "the door to xsimd",
}


def kernel_name_faults(texts):
    """The loops of one family stand in kernels/ under its name, which other words may follow:
    dense_forward. What several share is in the list above, with them; the lists hold no more."""
    families = {header.split("/")[-1].removesuffix(".hpp") for header in texts
                if header.startswith("vocabulary/")}
    names = {header.removeprefix("kernels/").removesuffix(".hpp") for header in texts
             if header.startswith("kernels/")}
    operators = {header.removeprefix("operators/").removesuffix(".hpp") for header in texts
                 if header.startswith("operators/")}

    def of_a_family(name):
        return any(name == family or name.startswith(family + "_") for family in families)

    found = [f"kernels/{name}.hpp: is named for no family of vocabulary/ and is not in the list of "
             "shared kernels" for name in sorted(names - SHARED_KERNELS.keys())
             if not of_a_family(name)]
    found += [f"kernels/{name}.hpp: is in the list of shared kernels and not in the room"
              for name in sorted(SHARED_KERNELS.keys() - names)]
    return found + [f"operators/{name}.hpp: is in the list of those without family and not in the "
                    "room" for name in sorted(NO_FAMILY_OF_VOCABULARY - operators)]


def read_headers(root):
    """The text of each header below `root`, and what it includes of the house."""
    texts = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.hpp")}
    edges = {header: [include.removeprefix("ipu_dsl/") for _, include in INCLUDE.findall(text)
                      if include.startswith("ipu_dsl/")]
             for header, text in sorted(texts.items()) if room_of(header) in MAY_INCLUDE}
    return texts, edges


def check(root):
    """All faults below `root`, the number of headers and the number of edges between them."""
    texts, edges = read_headers(root)
    faults = [f"{header}: {room_of(header)} is no room of the house"
              for header in sorted(texts) if header not in edges]
    for header in edges:
        includes = INCLUDE.findall(texts[header])
        faults += filter(None, (check_include(header, *include, texts) for include in includes))
    faults += cycles(edges)
    faults += architecture_faults(texts, edges)
    faults += name_faults(texts)
    faults += list_faults(texts, edges)
    faults += real_time_faults(texts, edges)
    return faults, len(texts), sum(map(len, edges.values()))


def seen_from(header, edges):
    """The header and all that it includes, directly or not."""
    seen = set()
    waiting = [header]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += edges.get(here, [])
    return seen


# The lists of all that we bring, and the headers that somebody must see who includes them. There are
# two because they are for two: whoever says models needs the rules of layers and not their code,
# which is the larger part of what a source compiles; whoever predicts needs the code of layers and
# none of losses and optimizers.
VOCABULARY = re.compile(r"vocabulary/(layers|losses|metrics|optimizers)/\w+\.hpp")
CODE = re.compile(r"operators/(losses/|metrics/)?\w+\.hpp")
LISTS = {
    "vocabulary/library.hpp": lambda header, texts: VOCABULARY.fullmatch(header),
    "operators/layers.hpp": lambda header, texts: CODE.fullmatch(header)
    and header.replace("operators/", "vocabulary/layers/") in texts,
    "operators/library.hpp": lambda header, texts: CODE.fullmatch(header),
}


def not_listed(texts, edges):
    """Each header of a family that its list does not lead to, with that list."""
    found = []
    for start, belongs in LISTS.items():
        listed = seen_from(start, edges)
        found += [(header, start) for header in sorted(texts)
                  if belongs(header, texts) and header not in listed]
    return found


def list_faults(texts, edges):
    """A header of a family that its list does not lead to would be found by no program."""
    return [f"{header}: {start} does not lead to it. Run tests/checks/rooms.py --list, which writes "
            f"there: #include <ipu_dsl/{header}>" for header, start in not_listed(texts, edges)]


def complete_lists(root):
    """Writes into the lists the lines that they lack, in the order of names. One after the other: a
    list may lead to another."""
    written = 0
    while missing := not_listed(*read_headers(root)):
        header, start = missing[0]
        add_include(root / start, header)
        print(f"{start}: #include <ipu_dsl/{header}>")
        written += 1
    return written


def add_include(path, header):
    lines = path.read_text().splitlines()
    includes = [i for i, line in enumerate(lines) if INCLUDE.match(line)]
    listed = [lines[i] for i in includes] + [f"#include <ipu_dsl/{header}>"]
    lines[includes[0]:includes[-1] + 1] = sorted(listed)
    path.write_text("\n".join(lines) + "\n")


# What real-time code must not even see, and the header that promises it.
REAL_TIME = "inference.hpp"
NOT_IN_REAL_TIME = {"thread", "mutex", "condition_variable", "future"}


def real_time_faults(texts, edges):
    """One sentence for every header below REAL_TIME that includes what may block."""
    return [f"{header}: <{include}> is below {REAL_TIME}, which promises real time"
            for header in sorted(seen_from(REAL_TIME, edges)) if header in texts
            for _, include in INCLUDE.findall(texts[header]) if include in NOT_IN_REAL_TIME]


def check_table():
    """The table must be its own transitive closure, and lead nowhere back."""
    faults = []
    for room, below in MAY_INCLUDE.items():
        for lower in below:
            if not MAY_INCLUDE[lower] <= below:
                faults.append(f"table: {room} lacks {sorted(MAY_INCLUDE[lower] - below)}")
            if room in MAY_INCLUDE[lower]:
                faults.append(f"table: {room} and {lower} include each other")
    return faults


PLANTED = [
    ("core/planted.hpp", "#include <ipu_dsl/graph/planted.hpp>", "core may not include graph"),
    ("plan/planted.hpp", "#include <ipu_dsl/kernels/planted.hpp>", "plan may not include kernels"),
    ("kernels/planted.hpp", "#include <ipu_dsl/graph/planted.hpp>", "kernels may not include"),
    ("training/planted.hpp", "#include <ipu_dsl/report/planted.hpp>", "may not include report"),
    ("core/planted.hpp", "#include <ipu_dsl/ipu_dsl.hpp>", "may not include ipu_dsl.hpp"),
    ("operators/planted.hpp", "#include <xsimd/xsimd.hpp>", "enters through kernels/"),
    ("data/planted.hpp", "  #  include <xtensor/xtensor.hpp>", "enters through data/xtensor.hpp"),
    ("model/planted.hpp", "#include <boost/hana.hpp>", "enters through hana/"),
    ("formats/planted.hpp", "#include <zlib.h>", "enters through formats/gzip.hpp"),
    ("training/planted.hpp", "#include <thread>", "enters through runtime/"),
    ("core/planted.hpp", "#include <Eigen/Core>", "has no door"),
    ("core/planted.hpp", '#include "text.hpp"', "headers are included as"),
    ("core/planted.hpp", "#include <ipu_dsl/core/absent.hpp>", "does not exist"),
    ("core/planted.hpp", "#include <ipu_dsl/core/planted.hpp>", "a cycle"),
    ("attic/planted.hpp", "", "no room of the house"),
    ("runtime/prediction.hpp", "#include <mutex>", "promises real time"),
    ("plan/planted.hpp", "#include <ipu_dsl/layout/panel.hpp>\nnamespace ipu_dsl {}",
     "must be in the architecture's"),
    ("core/planted.hpp", "namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {}", "must be outside the"),
    ("operators/another_name.hpp", "", "no header of vocabulary/ has that name"),
    ("vocabulary/layers/new_layer.hpp", "", "vocabulary/library.hpp does not lead to it"),
    ("vocabulary/optimizers/new_one.hpp", "", "vocabulary/library.hpp does not lead to it"),
    ("operators/flatten.hpp", "", "operators/layers.hpp does not lead to it"),
    ("operators/metrics/auc.hpp", "", "operators/library.hpp does not lead to it"),
    ("kernels/another_name.hpp", "", "is named for no family"),
    ("kernels/tiling.hpp", None, "is in the list of shared kernels and not in the room"),
    ("operators/update.hpp", None, "is in the list of those without family and not in the room"),
]


NEW_FAMILIES = [
    ("vocabulary/layers/new_layer.hpp", "vocabulary/library.hpp"),
    ("operators/flatten.hpp", "operators/layers.hpp"),
    ("operators/losses/huber.hpp", "operators/library.hpp"),
]


def self_test():
    misjudged = 0
    for path, line, expected in PLANTED:
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary) / "ipu_dsl"
            shutil.copytree(HEADERS, root)
            for room in [room for room in MAY_INCLUDE if not room.endswith(".hpp")]:
                (root / room).mkdir(exist_ok=True)
                (root / room / "planted.hpp").write_text("#pragma once\n")
            (root / "ipu_dsl.hpp").touch()
            (root / path).parent.mkdir(exist_ok=True)
            if line is None:
                (root / path).unlink()
            else:
                (root / path).write_text(f"#pragma once\n{line}\n")
            found = [fault for fault in check(root)[0] if path in fault and expected in fault]
        print(f"{path} {line or ''}: {found[0] if found else 'NOT FOUND'}")
        misjudged += not found
    for header, start in NEW_FAMILIES:
        wrong = listing_misjudged(header, start)
        print(f"{header} in {start}: {'NOT LISTED' if wrong else 'listed'}")
        misjudged += wrong
    print(f"checked {len(PLANTED)} planted faults and {len(NEW_FAMILIES)} new families, "
          f"{misjudged} misjudged")
    return 1 if misjudged else 0


def listing_misjudged(header, start):
    """Whether completing the lists does anything but put a new header's line into its list."""
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "ipu_dsl"
        shutil.copytree(HEADERS, root)
        (root / header).write_text("#pragma once\n")
        before = INCLUDE.findall((root / start).read_text())
        lines = complete_lists(root)
        after = INCLUDE.findall((root / start).read_text())
        return lines != 1 or sorted(before + [("<", f"ipu_dsl/{header}")]) != after


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--list"]:
        print(f"wrote {complete_lists(HEADERS)} lines")
        return 0
    faults, headers, edges = check(HEADERS)
    faults += check_table()
    print("\n".join(faults))
    print(f"checked {headers} headers and {edges} includes between them, {len(faults)} faults")
    return 1 if faults or headers == 0 or edges == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
