#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of README.md here, from the rows that `scripts/bench --json` wrote.

  tables.py                       writes the tables into README.md
  tables.py --check               says whether README.md has other tables
  tables.py --take avx2 FILE...   keeps the rows of FILEs as avx2.json; of a row that several have
                                  the last one counts

Every goal that is missed has a section of bounds.md: the first one of whose `Rows:` an expression
matches the row, "convolution forward 1x1 64 to 256, 56x56 batch 8: oneDNN".
"""
import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"avx2": "AVX2", "avx512": "AVX-512"}

# Title, which names belong to it, and what of them is not repeated in every row.
GROUPS = [
    ("Limits", r"limit: ", "limit: "),
    ("Products of dense layers", r"gemm ", "gemm "),
    ("Training steps of the MLP", r"training step (with|\d+ x)", "training step "),
    ("Training steps of models", r"training step of ", "training step of "),
    ("Predictions", r"inference ", "inference "),
    ("Steps of recurrent layers", r"step of ", "step of "),
    ("Two workers", r"training step 2 workers", "training step 2 workers, "),
    ("Convolutions", r"convolution ", "convolution "),
    ("Layers that move more than they compute",
     r"(layer normalization|batch normalization|max pooling|gelu|softmax|update)", ""),
    ("Executor, hand-off, allocations", r"(executor|hand-off|allocations)", ""),
    ("Schedules", r"(two balanced stages|schedule )", ""),
    ("Growth", r"growth ", "growth "),
]


def rows_of(unit):
    return json.loads((HERE / f"{unit}.json").read_text())


def key_of(row):
    return row["name"], row["peer"], row["unit"]


def take(unit, files):
    """Keeps the rows of files that the table wrote, with as many digits as mean something."""
    kept = {}
    for file in files:
        for row in json.loads(pathlib.Path(file).read_text()):
            kept[key_of(row)] = {field: float(f"{value:.4g}") if isinstance(value, float) else value
                                 for field, value in row.items()}
    lines = ",\n".join(json.dumps(row) for row in kept.values())
    (HERE / f"{unit}.json").write_text(f"[\n{lines}\n]\n")
    print(f"kept {len(kept)} rows for {UNITS[unit]}")
    return 0 if kept else 1


def is_ratio(row):
    return row["unit"] == "x"


def value_text(row):
    """What stands in a table: the share of the limit, a ratio, or the value."""
    if row["limit_fraction"] is not None and not (is_ratio(row) and row["goal"] and
                                                  row["goal"].startswith("value")):
        text = f"{100 * row['limit_fraction']:.1f} %"
        return f"{row['value']:.2f} ({text})" if is_ratio(row) else text
    return f"{row['value']:.2f}" if is_ratio(row) else f"{row['value']:.4g} {row['unit']}"


def cell(rows):
    """One place of a table: both vector units, what misses its goal in bold."""
    texts = ["–" if row is None else f"**{value_text(row)}**" if row["holds"] is False
             else value_text(row) for row in rows]
    return "" if set(texts) == {"–"} else " / ".join(texts)


def column_of(row):
    """A peer has a column; what has none stands under its own measure."""
    if row["peer"]:
        return row["peer"]
    return "of the limit" if row["limit_fraction"] is not None else "value"


def table_of(title, pattern, prefix, measured):
    """A group as lines of Markdown, and how many rows it has."""
    names, columns, cells = {}, {}, {}
    for unit, rows in measured.items():
        for row in rows:
            if not re.match(pattern, row["name"]):
                continue
            name, column = row["name"].removeprefix(prefix), column_of(row)
            if not row["peer"] and (name, column, unit) in cells:
                column = row["unit"]
            names[name] = columns[column] = None
            cells[name, column, unit] = row
    own = [column for column in columns if column in ("of the limit", "value")]
    order = own + [column for column in columns if column not in own]
    lines = [f"### {title}", "", "| row | " + " | ".join(order) + " |",
             "|---" * (1 + len(order)) + "|"]
    for name in names:
        values = [cell([cells.get((name, column, unit)) for unit in measured]) for column in order]
        lines.append(f"| {name} | " + " | ".join(values) + " |")
    return lines + [""], len(names)


def sections_of_bounds():
    """The sections of bounds.md: title, expressions of rows."""
    found = []
    for part in (HERE / "bounds.md").read_text().split("\n## ")[1:]:
        title, text = part.split("\n", 1)
        rows = re.search(r"^Rows: (.*)$", text, re.MULTILINE)
        if rows:
            found.append((title, re.findall(r"`([^`]*)`", rows.group(1))))
    return found


def anchor_of(title):
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def subject_of(row):
    return f"{row['name']}: {row['peer']}" if row["peer"] else row["name"]


def bound_of(row, sections):
    for title, expressions in sections:
        if any(re.search(expression, subject_of(row)) for expression in expressions):
            return f"[{title}](bounds.md#{anchor_of(title)})"
    return None


def goal_text(row):
    what, sign, number = row["goal"].split()
    return f"{sign} {100 * float(number):.4g} %" if what == "limit_fraction" else f"{sign} {float(number):.3f}"


def median_text(row):
    if row["goal"].startswith("limit_fraction"):
        return "" if row["median_fraction"] is None else f"{100 * row['median_fraction']:.1f} %"
    return "" if row["median"] is None else f"{row['median']:.3f}"


def most_of(row, rows):
    """Of a ratio to a peer, what it would be at 95 % of the limit; "" if none is known."""
    for own in rows:
        if row["peer"] and own["name"] == row["name"] and not own["peer"] and own["limit_fraction"]:
            return f"{0.95 * row['value'] / own['limit_fraction']:.2f}"
    return ""


def missed_of(unit, rows, sections):
    """The goals that one vector unit misses, as lines of Markdown, and what has no bound."""
    judged = [row for row in rows if row["goal"]]
    missed = [row for row in judged if not row["holds"]]
    lines = [f"### {UNITS[unit]}: {len(missed)} of {len(judged)} goals are missed", "",
             "| row | goal | minima | medians | at 95 % of the limit | what bounds it |",
             "|---|---|---|---|---|---|"]
    without = []
    for row in missed:
        bound = bound_of(row, sections)
        if bound is None:
            without.append(f"{UNITS[unit]}: {subject_of(row)}: bounds.md has no section for it")
        measured = row["value"] if row["goal"].startswith("value") else row["limit_fraction"]
        text = f"{measured:.3f}" if row["goal"].startswith("value") else f"{100 * measured:.1f} %"
        lines.append(f"| {subject_of(row)} | {goal_text(row)} | {text} | {median_text(row)} | "
                     f"{most_of(row, rows)} | {bound} |")
    return lines + [""], without


def generated():
    """All tables, how many rows they have, and the goals without a bound."""
    measured = {unit: rows_of(unit) for unit in UNITS}
    sections = sections_of_bounds()
    lines, without, count = ["## What is missed", ""], [], 0
    for unit, rows in measured.items():
        some, faults = missed_of(unit, rows, sections)
        lines += some
        without += faults
    lines += ["## All rows", ""]
    for title, pattern, prefix in GROUPS:
        some, rows = table_of(title, pattern, prefix, measured)
        lines += some
        count += rows
    names = {row["name"] for rows in measured.values() for row in rows}
    without += [f"{name}: stands in no table" for name in sorted(names)
                if not any(re.match(pattern, name) for _, pattern, _ in GROUPS)]
    return "\n".join(lines), count, without


def self_test():
    """Rows of which it is known what is to be said."""
    def row(name, peer, value, unit, **more):
        return {"name": name, "peer": peer, "value": value, "unit": unit, "goal": None,
                "holds": None, "limit_fraction": None, "median": None, "median_fraction": None,
                **more}

    own = row("step of a", None, 2.0, "us", limit_fraction=0.5, goal="limit_fraction >= 0.85",
              holds=False, median_fraction=0.25)
    peer = row("step of a", "libtorch", 1.5, "x", goal="value >= 2", holds=False, median=1.25)
    held = row("step of b", None, 3.0, "us", limit_fraction=0.9, goal="limit_fraction >= 0.85",
               holds=True)
    rows = [own, peer, held]
    known = [("Steps: ours", ["^step of a$"])]
    lines, without = missed_of("avx2", rows, known)
    table, count = table_of("Steps", "step of ", "step of ", {"avx2": rows, "avx512": [own]})
    cases = [
        (lines[0], "### AVX2: 2 of 3 goals are missed"),
        (lines[4], "| step of a | >= 85 % | 50.0 % | 25.0 % |  | "
                   "[Steps: ours](bounds.md#steps-ours) |"),
        (lines[5], "| step of a: libtorch | >= 2.000 | 1.500 | 1.250 | 2.85 | None |"),
        (without, ["AVX2: step of a: libtorch: bounds.md has no section for it"]),
        (table[2], "| row | of the limit | libtorch |"),
        (table[4], "| a | **50.0 %** / **50.0 %** | **1.50** / – |"),
        (table[5], "| b | 90.0 % / – |  |"),
        (count, 2),
    ]
    wrong = [f"expected {wanted}, got {got}" for got, wanted in cases if got != wanted]
    print("\n".join(wrong + [f"checked {len(cases)} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--take", nargs="+", metavar=("UNIT", "FILE"), help=" or ".join(UNITS))
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.take:
        return take(options.take[0], options.take[1:])
    page = HERE / "README.md"
    before = page.read_text()
    begin, end = "<!-- tables: begin -->\n", "<!-- tables: end -->"
    tables, count, without = generated()
    head, rest = before.split(begin)
    made = head + begin + "\n" + tables + "\n" + end + rest.split(end)[1]
    if not options.check:
        page.write_text(made)
    differs = options.check and made != before
    faults = without + (["README.md: its tables are not those of the rows; run tables.py"]
                        if differs else [])
    print("\n".join(faults + [f"checked {count} rows of tables, {len(faults)} faults"]))
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
