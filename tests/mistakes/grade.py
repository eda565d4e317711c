#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Grades what a compiler says to mistakes that people make.

usage: grade.py [--compiler g++] [--jobs N] [--only TEXT ...] [--sample] [--require PERCENT LINES]
       grade.py --show CASE | --self-test

The cases stand in cases/<kind>.txt, each a translation unit as a user would write it: a line
`=== name` begins one, lines `--- property: value` may follow, `@piece` on a line of its own stands
for a piece of pieces.txt. The line of the mistake is marked `// mistake`. Properties:
  says: a, b        a sentence of the library must have these words, else it misleads
  standard: c++17   instead of c++20
  compiler: g++-9   instead of the one that is graded; left out where it is not installed
  flags: -Wall      for the compiler as well
  accepted          need not be refused: what was written has one meaning, and has it
Grades:
  A  exactly one error, the library's sentence (expected ..., got ...) within the first 8 lines;
     or what is `accepted` compiles
  B  the first error stands in the user's own file; at most 3 errors and 30 lines in all
  C  anything else
  F  compiles although it is wrong, or misleads
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
SKIPPED = 77
SENTENCE_WITHIN = 8
MOST_ERRORS = 3
MOST_LINES = 30
SECONDS = 300
GRADES = "ABCF"

ERROR = re.compile(r"\b(?:fatal )?error: ")
PLACE = re.compile(r"^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: ")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
# What the library says where no value can carry the words: an assertion's or a directive's text.
PLAIN = re.compile(r"(ipu_dsl: expected .*)$")
SENTENCE = re.compile(r"\S: expected .+, got .+")
# Nobody is told to write what stands in the file already.
COMPILE_HINT = "write struct training : compile<"
COMPILED = re.compile(r"\b(?:struct|class|using)\s+\w+[^;{]*[:=]\s*(?:ipu_dsl::)?compile<")


class Case:
    def __init__(self, kind, name):
        self.kind = kind
        self.name = f"{kind}.{name}"
        self.says = []
        self.standard = "c++20"
        self.compiler = None
        self.flags = []
        self.accepted = False
        self.lines = []

    def set(self, text):
        key, _, value = (part.strip() for part in text.partition(":"))
        if key == "says" and value:
            self.says = [words.strip() for words in value.split(",")]
        elif key == "standard" and value:
            self.standard = value
        elif key == "compiler" and value:
            self.compiler = value
        elif key == "flags" and value:
            self.flags = value.split()
        elif key == "accepted":
            self.accepted = True
        else:
            raise SystemExit(f"{self.name}: no property is called '{text}'")

    def source(self):
        return "\n".join(self.lines) + "\n"

    def mistake_lines(self):
        return [i + 1 for i, line in enumerate(self.lines) if "// mistake" in line]


def expand(line, pieces):
    if not line.startswith("@"):
        return [line]
    if line[1:] not in pieces:
        raise SystemExit(f"no piece is called {line[1:]}")
    return [out for inner in pieces[line[1:]] for out in expand(inner, pieces)]


def read_pieces(text):
    pieces = {}
    current = None
    for line in text.splitlines():
        if line.startswith("=== "):
            current = pieces.setdefault(line[4:], [])
        elif current is not None:
            current.append(line)
    return pieces


def read_cases(kind, text, pieces):
    cases = []
    for line in text.splitlines():
        if line.startswith("=== "):
            cases.append(Case(kind, line[4:]))
        elif line.startswith("--- "):
            cases[-1].set(line[4:])
        elif cases:
            cases[-1].lines += expand(line, pieces)
    return cases


def all_cases():
    pieces = read_pieces((HERE / "pieces.txt").read_text())
    cases = [case for path in sorted((HERE / "cases").glob("*.txt"))
             for case in read_cases(path.stem, path.read_text(), pieces)]
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not cases:
        raise SystemExit(f"cases of one name, or none at all: {twice}")
    return cases


class Verdict:
    """What is seen in a compiler's output, and the grade it gets."""

    def __init__(self, case, status, output):
        lines = output.splitlines()
        errors = [line for line in lines if ERROR.search(line)]
        self.lines = len(lines)
        self.errors = len(errors)
        self.sentence, self.sentence_at = self.find_sentence(lines)
        place = PLACE.match(errors[0]) if errors else None
        self.own_file = bool(place) and pathlib.Path(place.group(1)).name == case.name + ".cpp"
        self.at_line = self.own_file and int(place.group(2)) in case.mistake_lines()
        self.first = errors[0] if errors else ""
        self.grade = self.judge(case, status)

    @staticmethod
    def find_sentence(lines):
        """The library's sentence and the line, counted from 1, on which it stands first."""
        for i, line in enumerate(lines):
            chunks = [re.sub(r"\\(.)", r"\1", chunk) for chunk in QUOTED.findall(line)]
            plain = PLAIN.search(line)
            for words in ("".join(chunks), plain.group(1) if plain else "", line):
                if SENTENCE.search(words) and (words is not line or "static assertion" in line):
                    return words, i + 1
        return "", 0

    def judge(self, case, status):
        if status == 0:
            return "A" if case.accepted else "F"
        if self.sentence and not all(words in self.sentence for words in case.says):
            return "F"
        if COMPILE_HINT in self.sentence and COMPILED.search(case.source()):
            return "F"
        if self.errors == 1 and 0 < self.sentence_at <= SENTENCE_WITHIN:
            return "A"
        if self.own_file and self.errors <= MOST_ERRORS and self.lines <= MOST_LINES:
            return "B"
        return "C"


class Compiler:
    def __init__(self, command, flags, folder):
        self.command = command
        self.flags = flags
        self.folder = pathlib.Path(folder)
        self.precompiled = []

    def precompile(self):
        """The umbrella header compiled once, for trying things: grades and lines are the same."""
        header = INCLUDE / "ipu_dsl" / "ipu_dsl.hpp"
        clang = "clang" in pathlib.Path(self.command).name
        made = self.folder / ("all.pch" if clang else "ipu_dsl/ipu_dsl.hpp.gch")
        made.parent.mkdir(exist_ok=True)
        subprocess.run([self.command, "-std=c++20", *self.flags, f"-I{INCLUDE}", "-xc++-header",
                        str(header), "-o", str(made)], check=True)
        self.precompiled = ["-include-pch", str(made)] if clang else [f"-I{self.folder}"]

    def compile(self, case):
        """To assembly: some mistakes are said where code is made, and only if nothing else is."""
        source = self.folder / f"{case.name}.cpp"
        source.write_text(case.source())
        ready = self.precompiled if case.standard == "c++20" and not case.compiler else []
        ran = subprocess.run([case.compiler or self.command, f"-std={case.standard}", "-S", "-O0", "-o", os.devnull,
                              *ready, *self.flags, *case.flags, f"-I{INCLUDE}", source.name],
                             cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             timeout=SECONDS)
        return ran.returncode, ran.stdout


def sample_of(cases, text):
    """Those that the lines of a text name; each must be there."""
    names = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [case for case in cases if case.name in names]
    missing = set(names) - {case.name for case in found}
    if missing:
        raise ValueError(f"sample.txt names no case: {', '.join(sorted(missing))}")
    return found


def print_table(verdicts):
    kinds = sorted({case.kind for case, _ in verdicts})
    print(f"\n| {'kind':18} | cases |   A |   B |   C |   F | longest C |")
    print(f"|{'-' * 20}|{'-' * 7}|{'-' * 5}|{'-' * 5}|{'-' * 5}|{'-' * 5}|{'-' * 11}|")
    for kind in [*kinds, "all"]:
        of_kind = [verdict for case, verdict in verdicts if kind in (case.kind, "all")]
        counts = [sum(verdict.grade == grade for verdict in of_kind) for grade in GRADES]
        longest = max([verdict.lines for verdict in of_kind if verdict.grade == "C"], default=0)
        columns = " | ".join(f"{count:3}" for count in counts)
        print(f"| {kind:18} | {len(of_kind):5} | {columns} | {longest:9} |")


def print_summary(verdicts, required):
    """What the corpus has to show, and whether that is what is required."""
    readable = [verdict for _, verdict in verdicts if verdict.grade in "AB"]
    share = 100.0 * len(readable) / len(verdicts)
    own = [verdict for verdict in readable if verdict.own_file]
    at_line = sum(verdict.at_line for verdict in own)
    wrong = sum(verdict.grade == "F" for _, verdict in verdicts)
    longest = max([verdict.lines for _, verdict in verdicts if verdict.grade == "C"], default=0)
    print(f"\nchecked {len(verdicts)} cases: {share:.1f} % A or B, {wrong} F, "
          f"the longest C has {longest} lines; {at_line} of {len(own)} errors in the user's file "
          "stand on the line of the mistake")
    if not required:
        return True
    least_readable, longest_allowed = required
    return share >= least_readable and wrong == 0 and longest <= longest_allowed


def grade_all(compiler, cases, jobs, print_output):
    verdicts = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, (status, output) in zip(cases, pool.map(compiler.compile, cases)):
            verdict = Verdict(case, status, output)
            verdicts.append((case, verdict))
            print(f"{verdict.grade} {case.name}: {verdict.errors} errors, {verdict.lines} lines; "
                  f"{verdict.sentence or verdict.first}", flush=True)
            if print_output:
                print(output)
    return verdicts


HEAD = "In file included from own.case.cpp:1:\n"
GCC = ("diagnose.hpp:9:9: error: no type in 'problem_is<exact_text<9>{\"layer 0 Dense<256> in stage "
       "0: expected a vector, got (28, 28)\"}>'\n")
CLANG = ("diagnose.hpp:9:9: error: static assertion failed due to requirement 'valid<says<"
         "{{\"layer 0 Dense<256> in stage 0: \"}}, {{\"expected a vector, got (28, 28)\"}}>>'\n")
CLANG_2C = ("diagnose.hpp:9:9: error: static assertion failed: model: expected an input, got none\n")
DIRECTIVE = "own.case.hpp:3:2: error: #error \"ipu_dsl: expected C++20, got an older standard\"\n"
SESSION = ("diagnose.hpp:9:9: error: no type in 'problem_is<{\"session: expected a compiled model, "
           "got training. Hint: write struct training : compile<mlp> {}\"}>'\n")
OWN = "own.case.cpp:2:5: error: 'Densse' was not declared in this scope\n"
MISMATCH = "own.case.cpp:2:5: error: type/value mismatch\nnote:   expected a type, got 'relu'\n"
LIBRARY = "include/ipu_dsl/model.hpp:2:5: error: no match\n"

# name: (properties, source, status, output, grade)
PLANTED = {
    "sentence": ([], "", 1, HEAD + GCC, "A"),
    "sentence_of_clang": ([], "", 1, HEAD + CLANG, "A"),
    "sentence_of_assertion": ([], "", 1, HEAD + CLANG_2C, "A"),
    "sentence_of_directive": ([], "", 1, HEAD + DIRECTIVE, "A"),
    "sentence_at_last_line": ([], "", 1, HEAD * 7 + GCC, "A"),
    "sentence_too_late": ([], "", 1, HEAD * 8 + GCC, "C"),
    "sentence_and_more": ([], "", 1, HEAD + GCC + LIBRARY, "C"),
    "sentence_says": (["says: Dense, a vector"], "", 1, HEAD + GCC, "A"),
    "sentence_misleads": (["says: Dropout"], "", 1, HEAD + GCC, "F"),
    "hint_of_what_is_there": ([], "struct training : compile<mlp> {};", 1, SESSION, "F"),
    "hint_of_what_is_missing": ([], "session<mlp> run;", 1, SESSION, "A"),
    "own_file": ([], "", 1, OWN, "B"),
    "own_file_three_errors": ([], "", 1, OWN * 3, "B"),
    "own_file_four_errors": ([], "", 1, OWN * 4, "C"),
    "own_file_thirty_lines": ([], "", 1, OWN + "note\n" * 29, "B"),
    "own_file_too_long": ([], "", 1, OWN + "note\n" * 30, "C"),
    "own_file_second": ([], "", 1, LIBRARY + OWN, "C"),
    "fatal": ([], "", 1, OWN.replace("error", "fatal error"), "B"),
    "words_of_the_compiler": ([], "", 1, LIBRARY + MISMATCH, "C"),
    "in_the_library": ([], "", 1, HEAD + LIBRARY, "C"),
    "crash": ([], "", 1, "", "C"),
    "compiles": ([], "", 0, "", "F"),
    "compiles_with_a_warning": ([], "", 0, "own.case.cpp:1:1: warning: unused\n", "F"),
    "accepted": (["accepted"], "", 0, "", "A"),
    "accepted_but_refused": (["accepted"], "", 1, HEAD + LIBRARY, "C"),
}


def self_test():
    failures = 0
    for name, (properties, source, status, output, grade) in PLANTED.items():
        case = Case("own", "case")
        case.lines = source.splitlines()
        for text in properties:
            case.set(text)
        found = Verdict(case, status, output).grade
        failures += found != grade
        print(f"{'yes' if found == grade else 'NO '} {name}: expected {grade}, got {found}")
    cases = read_cases("own", "# words\n=== one\n--- says: a, b\n@both\n=== two\nint i;  // mistake\n",
                       read_pieces("=== both\n@first\nint y;\n=== first\nint x;\n"))
    seen = [(case.name, case.says, case.lines, case.mistake_lines()) for case in cases]
    wanted = [("own.one", ["a", "b"], ["int x;", "int y;"], []),
              ("own.two", [], ["int i;  // mistake"], [1])]
    try:
        sample_of(cases, "own.three\n")
        missed = False
    except ValueError:
        missed = True
    sampled = [case.name for case in sample_of(cases, "# words\nown.two\n")]
    for name, right in {"cases are read": seen == wanted,
                        "samples are read": sampled == ["own.two"] and missed,
                        "all cases can be read": len(all_cases()) >= 200}.items():
        failures += not right
        print(f"{'yes' if right else 'NO '} {name}")
    print(f"checked {len(PLANTED) + 3} planted, {failures} misjudged")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++", help="command of the compiler")
    parser.add_argument("--flag", action="append", default=[], help="passed on to the compiler")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], help="cases with this in their name")
    parser.add_argument("--sample", action="store_true", help="those of sample.txt alone")
    parser.add_argument("--output", action="store_true", help="print all that the compiler says")
    parser.add_argument("--precompiled", action="store_true", help="quicker, for trying things")
    parser.add_argument("--require", nargs=2, type=int, metavar=("PERCENT", "LINES"),
                        help="fail unless so many are A or B, none F, and no C longer than that")
    parser.add_argument("--show", help="print the source of a case")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    cases = all_cases()
    if arguments.show:
        print("".join(case.source() for case in cases if case.name == arguments.show), end="")
        return 0
    if not shutil.which(arguments.compiler):
        print(f"skipped: {arguments.compiler} is not installed")
        return SKIPPED
    cases = [case for case in cases if not case.compiler or shutil.which(case.compiler)]
    if arguments.only:
        cases = [case for case in cases if any(text in case.name for text in arguments.only)]
    if arguments.sample:
        cases = sample_of(cases, (HERE / "sample.txt").read_text())
    if not cases:
        print("no case has such a name")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(arguments.compiler, arguments.flag, folder)
        if arguments.precompiled:
            compiler.precompile()
        verdicts = grade_all(compiler, cases, arguments.jobs, arguments.output)
    print_table(verdicts)
    reached = print_summary(verdicts, arguments.require)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
