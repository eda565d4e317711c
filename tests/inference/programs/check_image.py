#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Looks into the object file of a program for boards.

usage: check_image.py --nm NM --objdump OBJDUMP [--compiler CXX --include DIRECTORY] OBJECT
       check_image.py --self-test
The weights lie in a section of constants, activations in one of zeros; nothing outside is called but
copying, filling, telling of an error and the mathematics of the C library; every function of the
library is the one that is compiled without exceptions; the headers bring no thread. Prints the bytes
of code and of constants. `--self-test` plants each fault and demands that it is found.
"""
import argparse
import collections
import re
import subprocess
import sys

# What a board has to bring.
MAY_CALL = re.compile(
    r"abort|exit|_Exit|strlen|fput[cs]|putc|fwrite|stderr|mem(cpy|set|move)|exp2?f?|tanhf?|fmaf?"
    r"|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__stack_chk_guard")
THREADS = re.compile(r"/(thread|mutex|shared_mutex|condition_variable|future|semaphore|barrier|"
                     r"latch|stop_token)$")
SYMBOL = re.compile(r"^([0-9a-f]+)\s+.{7}\s+(\S+)\s+([0-9a-f]+)\s+(.*)$")
WEIGHTS = "board_weights"
MEMORY = "memory"


def faults_of_symbols(undefined, defined):
    """What is wrong with the names that an object file wants, and with its own: (section, name)."""
    found = [f"it calls {name}" for name in undefined if not MAY_CALL.fullmatch(name)]
    for _, name in defined:
        if "ipu_dsl::for_" in name and "_without_exceptions::" not in name:
            found.append(f"it has code for exceptions: {name}")
    for wanted, sections in ((WEIGHTS, ".rodata"), (MEMORY, ".bss")):
        places = [section for section, name in defined if name.split("::")[-1] == wanted]
        if not places:
            found.append(f"it has no {wanted}")
        found += [f"{wanted} lies in {place}, not in {sections}" for place in places
                  if not place.startswith(sections)]
    return found


def faults_of_headers(headers):
    return [f"it includes {name}" for name in headers if THREADS.search(name)]


def output_of(*command, source=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=source).stdout


def symbols_of(objdump, path):
    found = []
    for line in output_of(objdump, "-t", "-C", path).splitlines():
        symbol = SYMBOL.match(line)
        if symbol and symbol[2] != "*UND*":
            found.append((symbol[2], symbol[4].removeprefix(".hidden ")))
    return found


def sizes_of(objdump, path):
    """Bytes by kind of section."""
    sizes = collections.Counter()
    for line in output_of(objdump, "-h", path).splitlines():
        words = line.split()
        if len(words) > 2 and words[0].isdigit():
            for kind in (".text", ".rodata", ".data", ".bss"):
                if words[1] == kind or words[1].startswith(kind + "."):
                    sizes[kind] += int(words[2], 16)
    return sizes


def check(arguments):
    undefined = [line.split()[-1] for line in
                 output_of(arguments.nm, "-u", arguments.object).splitlines() if line.strip()]
    defined = symbols_of(arguments.objdump, arguments.object)
    faults = faults_of_symbols(undefined, defined)
    headers = output_of(arguments.compiler, "-std=c++20", "-I", arguments.include,
                        *(flag for part in arguments.xsimd.split(",") if part
                          for flag in ("-isystem", part)), "-M", "-x", "c++", "-",
                        source="#include <ipu_dsl/inference.hpp>\n").split()
    faults += faults_of_headers(headers)
    sizes = sizes_of(arguments.objdump, arguments.object)
    print(f"{sizes['.text']} bytes of code, {sizes['.rodata']} of constants, {sizes['.data']} of "
          f"variables, {sizes['.bss']} of zeros")
    print("calls " + (", ".join(sorted(set(undefined))) or "nothing"))
    if not defined or len(headers) < 10 or not sizes[".text"]:
        faults.append("nothing was found in it")
    print(f"checked {len(defined)} symbols and {len(headers)} headers")
    return faults


def self_test():
    right = [(".rodata._ZN", WEIGHTS), (".bss", "(anonymous namespace)::" + MEMORY)]
    planted = [
        (faults_of_symbols(["_Znwm"], right), "calls _Znwm"),
        (faults_of_symbols(["pthread_create"], right), "calls pthread_create"),
        (faults_of_symbols(["__cxa_throw"], right), "calls __cxa_throw"),
        (faults_of_symbols([], right[1:]), "no board_weights"),
        (faults_of_symbols([], [(".data", WEIGHTS), right[1]]), "lies in .data"),
        (faults_of_symbols([], [right[0], (".data", MEMORY)]), "lies in .data"),
        (faults_of_symbols([], right + [(".text", "ipu_dsl::for_avx2::f()")]), "for exceptions"),
        (faults_of_headers(["/usr/include/c++/12/mutex"]), "includes"),
    ]
    faults = [f"not found: {words}" for found, words in planted
              if len(found) != 1 or words not in found[0]]
    if faults_of_symbols(["memcpy"], right) or faults_of_headers(["/usr/include/c++/12/span"]):
        faults.append("found where nothing is wrong")
    print(f"planted {len(planted)} faults")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", default="include")
    parser.add_argument("--xsimd", default="")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("object", nargs="?")
    arguments = parser.parse_args()
    faults = self_test() if arguments.self_test else check(arguments)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
