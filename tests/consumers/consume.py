#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Uses the library as somebody else's project would, offline.

usage: consume.py WAY BUILD_DIRECTORY COMPILER
WAY is find_package, add_subdirectory, fetch_content (build a consumer, look at its flags, run it)
or refusals (what must not configure, and the sentence it must say).
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Nothing else may stand on a consumer's compile line; the definition is Boost's own.
FLAGS_ALLOWED = ("-std=", "-I", "-isystem", "-o", "-c", "-DBOOST_ALL_NO_LIB")
# Unless it asks for a form of the library that compiles faster.
FLAGS_OF_FORM = {"compiled": ("-DIPU_DSL_COMPILED",),
                 "precompiled": ("-Winvalid-pch", "-include", "-x", "-Xclang", "-emit-pch", "-include-pch", "-fpch")}
COMPONENTS = {"gzip": "zlib.h", "xtensor": "xtensor/xtensor.hpp", "hana": "boost/hana.hpp"}


def run(*command):
    """Exit status and output of a command; the output is shown."""
    ran = subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"$ {shlex.join(command)}\n{ran.stdout}")
    return ran.returncode, ran.stdout


class Consumer:
    """A consumer's project of one way, configured below a temporary folder."""

    def __init__(self, way, folder, compiler, *settings, forms=()):
        self.build = folder / way
        self.allowed = FLAGS_ALLOWED + sum((FLAGS_OF_FORM[form] for form in forms), ())
        if forms:
            settings += (f"-DIPU_DSL_COMPONENTS={';'.join(forms)}", "-DIPU_DSL_CONSUMER=training")
        self.configure = ["cmake", "-S", str(HERE / way), "-B", str(self.build),
                          f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                          f"-DIPU_DSL_SOURCE_DIR={ROOT}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
                          *settings]

    def check_flags(self):
        """The consumer's compile lines hold no flag that it did not ask for."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        entries = [entry for entry in entries if entry["file"].startswith(str(HERE))]
        lines = [entry["command"].split() for entry in entries]
        flags = [word for line in lines for word in line if word.startswith("-")]
        leaked = [flag for flag in flags if not flag.startswith(self.allowed)]
        print(f"checked {len(flags)} flags on {len(lines)} compile lines, leaked: {leaked}")
        return bool(lines) and not leaked

    def works(self):
        if run(*self.configure)[0] != 0 or run("cmake", "--build", str(self.build))[0] != 0:
            return False
        status, output = run(str(self.build / "consumer"))
        return self.check_flags() and status == 0 and "consumed ipu_dsl" in output

    def refuses(self, sentence):
        """It does not configure, and says why; the lines of CMake's message are joined."""
        status, output = run(*self.configure)
        found = sentence in " ".join(output.split())
        print(f"refused: {status != 0}, said {sentence!r}: {found}\n")
        return status != 0 and found


def installed(build, folder):
    """The prefix of a fresh installation, as the setting that lets a consumer find it."""
    prefix = folder / "prefix"
    if run("cmake", "--install", str(build), "--prefix", str(prefix))[0] != 0:
        sys.exit("the installation failed")
    return f"-DCMAKE_PREFIX_PATH={prefix}"


def has_header(compiler, header):
    probe = subprocess.run([compiler, "-x", "c++", "-E", "-"], input=f"#include <{header}>\n",
                           text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return probe.returncode == 0


def consume(way, build, compiler, folder):
    forms = tuple(FLAGS_OF_FORM)
    if way != "find_package":
        return (Consumer(way, folder, compiler).works()
                and Consumer(way, folder / "forms", compiler, forms=forms).works())
    components = [name for name, header in COMPONENTS.items() if has_header(compiler, header)]
    print(f"components tried: {components}")
    prefix = installed(build, folder)
    return (Consumer(way, folder, compiler, prefix).works()
            and Consumer(way, folder / "components", compiler, prefix,
                         f"-DIPU_DSL_COMPONENTS={';'.join(components)}").works()
            and Consumer(way, folder / "forms", compiler, prefix, forms=forms).works()
            and Consumer(way, folder / "compiled", compiler, prefix, forms=("compiled",)).works())


def refuse(build, compiler, folder):
    prefix = installed(build, folder)
    no_xsimd = "-DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON"
    refused = [
        Consumer("add_subdirectory", folder, compiler, no_xsimd)
        .refuses("ipu_dsl needs xsimd, which was not found"),
        Consumer("find_package", folder / "component", compiler, prefix,
                 "-DIPU_DSL_COMPONENTS=nonsense").refuses("ipu_dsl has no component nonsense"),
        Consumer("find_package", folder / "package", compiler, prefix,
                 "-DIPU_DSL_COMPONENTS=gzip", "-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON")
        .refuses("component gzip of ipu_dsl needs ZLIB, which was not found"),
        Consumer("find_package", folder / "version", compiler, prefix, "-DIPU_DSL_VERSION=99.0")
        .refuses('compatible with requested version "99.0"'),
    ]
    print(f"checked {len(refused)} refusals, {refused.count(False)} missing")
    return all(refused)


def main():
    way, build, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if way == "refusals":
            return 0 if refuse(build, compiler, folder) else 1
        return 0 if consume(way, build, compiler, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
