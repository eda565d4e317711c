#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the example schedules as people would, and looks at what it prints and returns.

usage: check.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

PAGE_WIDTH = 100
checked = 0


def expect(condition, *words):
    """Ends the test with these words if the condition does not hold."""
    global checked
    checked += 1
    if not condition:
        sys.exit("\n".join(str(word) for word in words))


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, code=0):
        """What the program prints. With code 1 it says one line on the error stream alone."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120)
        expect(done.returncode == code, arguments, done.returncode, done.stdout, done.stderr)
        if code == 0:
            expect(all(len(line) <= PAGE_WIDTH for line in done.stdout.splitlines())
                   or "--csv" in arguments, "too long a line", arguments, done.stdout)
            expect(all(line == line.rstrip() for line in done.stdout.splitlines()),
                   "spaces at the end of a line", arguments, done.stdout)
        else:
            expect(not done.stdout, arguments, done.stdout)
            expect(done.stderr.startswith("schedules: ") and done.stderr.count("\n") == 1,
                   arguments, done.stderr)
        return done.stdout if code == 0 else done.stderr


def fact(page, name):
    """The value of a fact."""
    lines = [line for line in page.splitlines() if line.strip().startswith(name)]
    expect(len(lines) == 1, name, page)
    return lines[0].strip()[len(name):].split()[0]


def check_list(program):
    lines = [line for line in program.run("--list").splitlines()[1:] if not line.startswith(" ")]
    names = [line.split()[0] for line in lines]
    expect(len(names) >= 23 and len(set(names)) == len(names), names)
    return names


def check_schedule(program, folder, name):
    """Every page of one schedule, and its text read again."""
    counts = ("--schedule", name, "-p", 4, "-m", 8)
    page = program.run(*counts)
    expect(page.startswith(f"schedule {name}: 4 devices, "), page)
    expect(sum(line.startswith("device ") for line in page.splitlines()) == 4, page)
    expect("proven" in page and int(fact(page, "least capacity")) >= 0, page)
    facts = program.run(*counts, "--facts")
    expect(facts.splitlines()[0] == page.splitlines()[0] and page.endswith(facts.split("\n", 1)[1]),
           page, facts)
    lockstep = program.run(*counts, "--facts", "--lockstep")
    expect(float(fact(lockstep, "makespan")) >= float(fact(facts, "makespan")), facts, lockstep)

    text = program.run(*counts, "--csv", "--complete")
    file = folder / f"{name}.csv"
    file.write_text(text)
    expect(program.run("--prove", file, "--csv", "--complete") == text, "not read as written", text)
    again = program.run("--prove", file)
    for what in ("makespan", "peak stash", "slots", "least capacity", "without stall"):
        if f"\n  {what} " in facts:
            expect(fact(again, what) == fact(facts, what), what, facts, again)

    svg, trace = folder / f"{name}.svg", folder / f"{name}.json"
    expect(program.run(*counts, "--svg", svg, "--trace", trace) == "", name)
    expect(xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg"), name)
    expect(json.loads(trace.read_text())["traceEvents"], name)
    return float(fact(facts, "makespan"))


def check_compare(program, makespans):
    """The table says of each schedule what its own page says."""
    page = program.run("--compare", "-p", 4, "-m", 8)
    table = page.split("\n\n")[1].splitlines()[2:]
    rows = {line.split()[0]: line.replace(" *", "  ").split()[1:] for line in table}
    expect(set(makespans) - set(rows) == {"inference"} and "\n  inference " in page, page)
    for name, row in rows.items():
        expect(float(row[1]) == makespans[name], name, page)
        expect(abs(float(row[1]) - float(row[2]) - 24) < 1e-9, "a device's work is 24", name, page)
    ranking = [float(row[1]) for row in rows.values()]
    expect(ranking == sorted(ranking), page)
    best = program.run("--best", "-p", 4, "-m", 8, "--facts")
    expect(float(fact(best, "makespan")) == ranking[0], best)
    # A number of stages a device is for those that have virtual ones.
    best = program.run("--best", "-p", 4, "-m", 8, "-v", 3, "--cost", "1,1,1,5", "--facts")
    expect(", 4 stages, " in best, best)
    page = program.run("--compare", "-p", 3, "-m", 7, "-v", 4, "--cost", "2,3,1,1")
    expect("\n  dualpipe          expected an even number of devices, got 3. Hint: " in page, page)
    program.run("--compare", "-p", 2, "-m", 4, "--lockstep")


def check_costs(program):
    """Units of the costs, whatever the stages of a device, and hops."""
    def page(name, micro_batches, costs):
        return program.run("--schedule", name, "-p", 4, "-m", micro_batches, "--cost", costs)

    expect("\none column is 1 half unit;" in page("zb-v", 8, "1,1,1"))
    expect("\none column is 1 unit;" in page("zb-v", 8, "2,2,2"))
    expect(fact(page("zb-v", 8, "2,2,2"), "makespan") == "51")
    # What hops of 1 make of 1F1B, and what it gains to run twice as many forwards ahead.
    expect(fact(page("1f1b", 16, "1,1,1,1"), "makespan") == "85")
    expect(fact(page("eager-1f1b", 16, "1,1,1,1"), "makespan") == "63")


def simulated(text, stages, cost, factors):
    """The makespan of rows as PyTorch writes them, by another program than ours: an action starts
    when the one before it in its row has ended, and when what it reads is there."""
    kinds = {"F": (cost[0], "F", -1), "I": (cost[1], "I", 1), "B": (cost[1] + cost[2], "B", 1),
             "W": (cost[2], "I", 0)}
    rows = [[re.fullmatch(r"(\d+)([FIBW])(\d+)", cell) for cell in line.split(",")]
            for line in text.splitlines() if not line.startswith("#")]
    rows = [[(int(cell[1]), cell[2], int(cell[3])) for cell in row if cell] for row in rows]
    ended, free, at = {}, [0] * len(rows), [0] * len(rows)
    count = sum(len(row) for row in rows)
    while len(ended) < count:
        before = len(ended)
        for device, row in enumerate(rows):
            while at[device] < len(row):
                stage, kind, micro_batch = row[at[device]]
                units, read, step = kinds[kind]
                source = (stage + step, read, micro_batch)
                if 0 <= source[0] < stages and source not in ended:
                    break
                start = max(free[device], ended.get(source, 0))
                free[device] = start + units * factors[stage]
                ended[stage, kind, micro_batch] = free[device]
                at[device] += 1
        expect(len(ended) > before, "rows that wait forever", text)
    return max(free), count


def check_uneven(program):
    """Stages that cost more or less than their share."""
    actions = 0
    for name, each, factors in (("1f1b", 1, (1, 1, 3, 1)), ("gpipe", 1, (5, 0, 2, 1)),
                                ("zb-h1", 1, (1, 2, 3, 4)), ("grouped", 1, (3, 1, 1, 2)),
                                ("zb-v", 2, (1, 1, 3, 1, 7, 1, 2, 1)),
                                ("zb-list", 1, (1, 4, 1, 1)),
                                ("interleaved-1f1b", 2, (2, 1, 1, 1, 1, 1, 1, 9))):
        counts = ("--schedule", name, "-p", 4, "-m", 8, "--cost", "6,8,4")
        uneven = (*counts, "--stage-costs", ",".join(map(str, factors)))
        share = tuple(units / each for units in (6, 8, 4))
        makespan, count = simulated(program.run(*uneven, "--csv"), 4 * each, share, factors)
        page = program.run(*uneven, "--facts")
        expect(float(fact(page, "makespan")) == makespan, name, makespan, page)
        words = ", times " + ", ".join(map(str, factors)) + " from stage to stage"
        expect(words in " ".join(page.split()), page)
        even = (*counts, "--stage-costs", ",".join(["1"] * 4 * each), "--facts")
        expect(fact(program.run(*even), "makespan") == fact(program.run(*counts, "--facts"),
                                                            "makespan"), name)
        actions += count
    expect(actions > 500, actions)
    # Those that have other stages are left out of a table, and both copies have the same factors.
    page = program.run("--compare", "-p", 4, "-m", 8, "--stage-costs", "1,1,3,1")
    expect("\n  zb-v              expected --stage-costs of its 8 stages, got 4\n" in page, page)
    left_out = [line.split()[0] for line in page.split("\nleft out\n")[1].splitlines()
                if re.match(r"  [^ ]+ +expected --stage-costs ", line)]
    expect("interleaved-1f1b" in left_out and len(left_out) > 3, page)
    expect("\nchimera " in page and "\nzb-h1 " in page and "\nzb-v " not in page, page)
    best = program.run("--best", "-p", 4, "-m", 8, "--stage-costs", "1,1,3,1", "--facts")
    first = page.split("\n\n")[1].splitlines()[2].split()
    expect(float(fact(best, "makespan")) == float(first[2]), best, page)


def check_files(program, folder):
    """Files that are not proven, or no schedules at all."""
    def prove(text, *words):
        file = folder / "mine.csv"
        file.write_bytes(text)
        said = program.run("--prove", file, code=1)
        expect(all(word in said for word in ("mine.csv", *words)), said)

    prove(b"0F0,2F0,2B0,0B0\n3F0,1F0,3B0,1B0\n", "device 0 at position 1", "F2(0)", "wait forever")
    prove(b"0F0,0F1,0F1,0B1\n,1F0,1B0,1F1,1B1\n", "device 0 at position 2", "F0(1) again")
    prove(b"0F0,0Q1\n", "line 1, cell 2", "0Q1")
    (folder / "mine.csv").write_bytes(b"0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n")
    said = program.run("--prove", folder / "mine.csv", "--stage-costs", "1,2,1", code=1)
    expect("schedule mine.csv: expected --stage-costs of its 2 stages, got 3" in said, said)
    prove(b"", "at least one action")
    prove(b"\xff\x00\x01,\n", "line 1, cell 1")
    prove(b",\n" * 5000 + b"0F0,0B0\n", "at most 1024 devices")
    prove(b"# stages=1024 devices=1 micro_batches=65536 placement=" + b",".join([b"0"] * 1024) +
          b"\n0F0\n", "got 1 for 1024 stages and 65536 micro-batches")
    updates = ",".join(f"0F{i},0B{i},0UPDATE{i}" for i in range(20000))
    prove(b"# update_interval=1\n" + updates.encode() + b"\n", "updates x actions")
    # Columns that are an order alone are no time slots.
    (folder / "order.csv").write_text("0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n")
    page = program.run("--prove", folder / "order.csv")
    expect("lockstep slots" not in page and fact(page, "makespan") == "9", page)


def check_refusals(program, folder):
    nowhere = folder / "none" / "a.svg"
    said = {
        ("--schedule", "1f1", "-p", 4, "-m", 8): "did you mean 1f1b",
        ("--schedule", "zb-v", "-p", 4, "-m", 8, "-v", 3): "expected 2 stages",
        ("--schedule", "1f1b", "-p", 0, "-m", 8): "--devices",
        ("--schedule", "1f1b", "-p", "four", "-m", 8): "--devices",
        ("--schedule", "1f1b", "-p", 4): "--micro-batches",
        ("--schedule", "gpipe", "-p", 1024, "-m", 65536): "1024 x 65536",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "1,2"): "--cost",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "1,-2,1"): "--cost",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "1,2,1,"): "--cost",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "0,0,0"): "--cost",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "1,1,9999999"): "--cost",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--cost", "1,1,1,1", "--lockstep"): "--lockstep",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--stage-costs", "1,2,3"): "2 stages, got 3",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--stage-costs", "1,-2"): "--stage-costs",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--stage-costs", "1,1001"): "from 0 to 1000",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--stage-costs", "0,0"): "a factor above 0",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--stage-costs", ""): "--stage-costs",
        ("--list", "--stage-costs", "1,2"): "--list",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--complete"): "--csv",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--svg", nowhere): "Cannot write",
        ("--schedule", "1f1b", "-p", 2, "-m", 2, "--svg", ""): "--svg",
        ("--schedule", "", "-p", 2, "-m", 2): "--schedule",
        ("--prove", folder / "none.csv"): "Cannot open",
        ("--prove", folder): "Cannot read",
        ("--prove", folder / "none.csv", "-p", 4): "--devices",
        ("--list", "--prove", "a.csv"): "expected one of --list, ",
        ("--list", "--facts"): "--list",
        (): "expected one of --list, ",
    }
    for arguments, words in said.items():
        answer = program.run(*arguments, code=1)
        expect(words in answer, arguments, answer)


def main():
    program = Program(sys.argv[1])
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        names = check_list(program)
        makespans = {name: check_schedule(program, folder, name) for name in names}
        check_compare(program, makespans)
        check_costs(program)
        check_uneven(program)
        check_files(program, folder)
        check_refusals(program, folder)
    expect(makespans["1f1b"] == 33 and makespans["zb-v"] == 25.5, makespans)
    print(f"checked {len(names)} schedules, {checked} expectations")


if __name__ == "__main__":
    main()
