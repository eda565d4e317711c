#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Proves that one mistake is one compile error with one sentence.

A case is a file with its mistake inside `#ifdef WITH_MISTAKE`. It passes only if it
  (a) compiles without the mistake,        (b) does not compile with it,
      (asked of gcc only: (c) says the rest of it for the others; `--right` asks it of many cases at
      once, each in a namespace, but for those that a namespace would change)
  (c) then makes exactly one error,        (d) on at most 19 lines of output,
      (or as many as the case says, with why: `// At most 28 lines: ...`)
  (e) whose sentence equals the golden,    (f) which stands within the first 4 lines.
Lines that say who includes the header that the error stands in are not counted.
The golden of golden/<case>.txt holds for all compilers, golden/<case>.<compiler>.txt for one of
them only. `--update` writes it, `--self-test` plants lies and demands that each is found. Cases that
include <ipu_dsl/ipu_dsl.hpp> are compiled with the precompiled header of that that `--precompiled`
names, if it is there.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
MOST_LINES = 19
# What a case says whose mistake stands deep within the user's own templates.
MORE_LINES = re.compile(r"^// At most (\d+) lines: ", re.MULTILINE)
SENTENCE_WITHIN = 4
INCLUDED_FROM = re.compile(r"(In file included| +) from ")
STANDARD_OF = {"gcc": "c++20", "clang20": "c++20", "clang2c": "c++2c"}
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ASSERTION = re.compile(r"error: static assertion failed(?: due to requirement '.*')?: (.+)$")
WHOLE_LIBRARY = "#include <ipu_dsl/ipu_dsl.hpp>\n"
INCLUDE = re.compile(r"#include .*")
# A template of the library is specialised and instantiated in its own namespace only.
IN_LIBRARY = re.compile(r"^(template )?struct ipu_dsl::", re.MULTILINE)
# The end of a sentence that the compiler did not print in full.
CUT = "[...]"


def quoted_text(line):
    """What the string template arguments printed on this line say, chunks put together again."""
    chunks = [re.sub(r"\\(.)", r"\1", chunk) for chunk in QUOTED.findall(line)]
    return "".join(chunks)


def sentence_in(line, compiler):
    """The sentence on a line of compiler output, empty if there is none."""
    assertion = ASSERTION.search(line)
    if compiler == "clang2c":
        return assertion.group(1).strip() if assertion else ""
    text = quoted_text(line)
    return text + CUT if '"...' in line else text


def golden_file(folder, case, compiler):
    own = folder / "golden" / f"{case}.{compiler}.txt"
    return own if own.exists() else folder / "golden" / f"{case}.txt"


def flags_of_precompiled(name, header):
    """What makes a compiler begin with a precompiled header, if there is one."""
    if header is None:
        return []
    if name == "gcc":
        return ["-include", str(header)] if header.with_name(header.name + ".gch").exists() else []
    built = header.with_name(header.name + ".pch")
    return ["-include-pch", str(built)] if built.exists() else []


def takes_company(text):
    """Whether a case means the same inside of a namespace."""
    return not IN_LIBRARY.search(text)


def in_one_source(sources):
    """Cases side by side: what they include, then each in a namespace, with its lines as they are."""
    texts = {path: path.read_text() for path in sources}
    included = dict.fromkeys(line for text in texts.values() for line in INCLUDE.findall(text))
    parts = [f"{line}\n" for line in included]
    for path, text in texts.items():
        body = INCLUDE.sub("", text)
        parts.append(f'namespace right_{path.stem} {{\n#line 1 "{path}"\n{body}}}\n')
    return "".join(parts)


class Driver:
    """Compiles cases of one folder with one compiler; never runs or links anything."""

    def __init__(self, folder, name, command, flags, compiles_rest=True, precompiled=None):
        self.folder = folder
        self.name = name
        self.compiles_rest = compiles_rest
        self.command = [command, f"-std={STANDARD_OF[name]}", "-fsyntax-only", *flags]
        self.precompiled = flags_of_precompiled(name, precompiled)

    def source_of(self, case):
        return self.folder / f"{case}.cpp"

    def compile_text(self, text, *arguments, **how):
        """With the precompiled header where the text includes all of the library."""
        precompiled = self.precompiled if WHOLE_LIBRARY in text else []
        ran = subprocess.run([*self.command, *precompiled, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        return ran.returncode, ran.stdout

    def compile(self, case, *more):
        source = self.source_of(case)
        return self.compile_text(source.read_text(), *more, str(source), stdin=subprocess.DEVNULL)

    def check_right(self, cases):
        """What is wrong with cases without their mistakes, in the compiler's words."""
        together = [case for case in cases if takes_company(self.source_of(case).read_text())]
        text = in_one_source([self.source_of(case) for case in together])
        ran = [self.compile_text(text, "-x", "c++", "-", input=text)]
        ran += [self.compile(case) for case in cases if case not in together]
        return [output for status, output in ran if status != 0]

    def check(self, case, update=False):
        """Everything wrong with the case, in words, and the sentence it makes."""
        status, output = self.compile(case) if self.compiles_rest else (0, "")
        if status != 0:
            return [f"(a) does not compile even without the mistake:\n{output}"], ""
        status, output = self.compile(case, "-DWITH_MISTAKE")
        if status == 0:
            return ["(b) compiles with the mistake"], ""

        faults = []
        lines = [line for line in output.splitlines() if not INCLUDED_FROM.match(line)]
        errors = [line for line in lines if re.search(r"\berror: ", line)]
        if len(errors) != 1:
            faults.append(f"(c) makes {len(errors)} errors, not 1")
        more = MORE_LINES.search(self.source_of(case).read_text())
        most = int(more.group(1)) if more else MOST_LINES
        if len(lines) > most:
            faults.append(f"(d) takes {len(lines)} lines, more than {most}")
        sentence = sentence_in(errors[0], self.name) if errors else ""
        if not sentence:
            faults.append("(e) no sentence could be read from the error line")
        elif update:
            self.write_golden(case, sentence)
        golden = golden_file(self.folder, case, self.name)
        if not golden.exists():
            faults.append(f"(e) there is no {golden.relative_to(self.folder)}; --update writes it")
        elif sentence != (expected := golden.read_text().rstrip("\n")):
            faults.append(f"(e) the sentence differs from {golden.relative_to(self.folder)}\n"
                          f"    expected: {expected}\n    got:      {sentence}")
        first = [sentence_in(line, self.name) for line in lines[:SENTENCE_WITHIN]]
        if sentence and sentence not in first:
            faults.append(f"(f) the sentence is not within the first {SENTENCE_WITHIN} lines")
        if faults:
            faults.append(f"The compiler said:\n{output}")
        return faults, sentence

    def write_golden(self, case, sentence):
        """One golden for all compilers; a second only where a compiler must differ."""
        common = self.folder / "golden" / f"{case}.txt"
        own = self.folder / "golden" / f"{case}.{self.name}.txt"
        common.parent.mkdir(exist_ok=True)
        if self.name == "gcc" or not common.exists():
            common.write_text(sentence + "\n")
        if common.read_text() == sentence + "\n":
            own.unlink(missing_ok=True)
        else:
            own.write_text(sentence + "\n")


HONEST = """
#include <ipu_dsl/core/diagnose.hpp>
constexpr ipu_dsl::problem make() {
  ipu_dsl::problem found;
#ifdef WITH_MISTAKE
  found.where = "layer 1 Dense<256> in stage 0";
  found.expected = "a vector";
  found.got = "(28, 28), which is an image";
#endif
  return found;
}
struct wrong {
  static constexpr ipu_dsl::problem value = make();
};
static_assert(ipu_dsl::diagnose<wrong>());
"""
HONEST_SENTENCE = ("layer 1 Dense<256> in stage 0: expected a vector, "
                   "got (28, 28), which is an image")
MANY_LINES = "\n".join(f"#pragma message \"line {i}\"" for i in range(30))

# name: (source, golden, the letter of the fault that must be reported, none for the honest case)
PLANTED = {
    "honest": (HONEST, HONEST_SENTENCE, None),
    "broken_include": ("#include <ipu_dsl/no_such_header.hpp>\n" + HONEST, HONEST_SENTENCE, "(a)"),
    "mistake_compiles": (HONEST.replace("WITH_MISTAKE", "NO_MISTAKE"), HONEST_SENTENCE, "(b)"),
    "two_errors": (HONEST + "#ifdef WITH_MISTAKE\nint number = undeclared;\n#endif\n",
                   HONEST_SENTENCE, "(c)"),
    "other_error": ("#ifdef WITH_MISTAKE\nint number = undeclared;\n#endif\n",
                    HONEST_SENTENCE, "(e)"),
    "too_long": ("#ifdef WITH_MISTAKE\n" + MANY_LINES + "\n#endif\n" + HONEST,
                 HONEST_SENTENCE, "(d)"),
    "late": ("#ifdef WITH_MISTAKE\n" + MANY_LINES + "\n#endif\n" + HONEST, HONEST_SENTENCE, "(f)"),
    "wrong_golden": (HONEST, HONEST_SENTENCE.replace("28", "29", 1), "(e)"),
    "no_golden": (HONEST, None, "(e)"),
}


# Planted cases asked for (a) at once, and how many compilations of them must fail.
PLANTED_RIGHT = {
    ("honest", "mistake_compiles", "late"): 0,
    ("honest", "broken_include"): 1,
    ("honest", "broken_right"): 1,
    ("instantiates_in_library", "honest"): 0,
}


def count_misjudged_right(driver):
    """How many of them are judged wrongly."""
    driver.source_of("broken_right").write_text(HONEST + "int number = undeclared;\n")
    driver.source_of("instantiates_in_library").write_text(
        HONEST + "template struct ipu_dsl::fixed_string<4>;\n")
    misjudged = 0
    for cases, failing in PLANTED_RIGHT.items():
        right = len(driver.check_right(cases)) == failing
        print(f"{'found' if failing else 'passed':6} {' and '.join(cases)}, without mistakes: "
              f"{'yes' if right else 'NO'}")
        misjudged += 0 if right else 1
    return misjudged


def self_test(name, command, flags):
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "golden").mkdir()
        driver = Driver(folder, name, command, flags)
        for case, (source, golden, letter) in PLANTED.items():
            (folder / f"{case}.cpp").write_text(source)
            if golden is not None:
                (folder / "golden" / f"{case}.txt").write_text(golden + "\n")
            faults, _ = driver.check(case)
            found = any(fault.startswith(letter) for fault in faults) if letter else not faults
            print(f"{'found' if letter else 'passed':6} {case} {letter or ''}: "
                  f"{'yes' if found else 'NO'}")
            if not found:
                failures += 1
                print("\n".join(faults)[:1000])
        failures += count_misjudged_right(driver)
    print(f"checked {len(PLANTED)} planted cases and {len(PLANTED_RIGHT)} of several, "
          f"{failures} misjudged")
    return 1 if failures else 0


def report_right(driver, cases):
    """Prints what is wrong with cases without their mistakes."""
    faults = driver.check_right(cases)
    print("".join(faults), end="")
    print(f"checked {len(cases)} cases without their mistakes with {driver.name}, "
          f"{len(faults)} compilations failed")
    return 1 if faults or not cases else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++", help="command of the compiler")
    parser.add_argument("--name", default="gcc", choices=STANDARD_OF, help="which one it is")
    parser.add_argument("--flag", action="append", default=[], help="passed on to the compiler")
    parser.add_argument("--precompiled", type=pathlib.Path, help="a header that is precompiled")
    parser.add_argument("--update", action="store_true", help="write the goldens")
    parser.add_argument("--rest-elsewhere", action="store_true",
                        help="(a) is asked by --right")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--right", action="store_true", help="ask for (a) alone, of all at once")
    parser.add_argument("cases", nargs="*", help="names without .cpp; none means all")
    arguments = parser.parse_args()
    if not shutil.which(arguments.compiler):
        print(f"skipped: {arguments.compiler} is not installed")
        return SKIPPED
    if arguments.self_test:
        return self_test(arguments.name, arguments.compiler, arguments.flag)

    cases = arguments.cases or sorted(path.stem for path in HERE.glob("*.cpp"))
    driver = Driver(HERE, arguments.name, arguments.compiler, arguments.flag,
                    compiles_rest=arguments.name == "gcc" and not arguments.rest_elsewhere,
                    precompiled=arguments.precompiled)
    if arguments.right:
        return report_right(driver, cases)
    failed = 0
    for case in cases:
        faults, sentence = driver.check(case, arguments.update)
        print(f"{'FAILED' if faults else 'passed'} {case}: {sentence}")
        if faults:
            failed += 1
            print("\n".join(faults))
    print(f"checked {len(cases)} cases with {arguments.name}, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
