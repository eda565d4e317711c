#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the examples as people would by mistake: with a standard output that takes nothing, and with
arguments that make no sense. Each says one sentence on the error stream and ends with code 1.

usage: check_refusals.py FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile

checked = 0


def refuse(folder, command, expected, stdout=subprocess.PIPE, before=None):
    """Ends the test unless the command says one sentence with these words, and fails."""
    global checked
    checked += 1
    name = command[0]
    done = subprocess.run([folder / name, *command[1:]], stdout=stdout, stderr=subprocess.PIPE,
                          preexec_fn=before, text=True, timeout=300)
    said = done.stderr
    if done.returncode != 1 or said.count("\n") != 1 or expected not in said or done.stdout:
        sys.exit(f"{command}: code {done.returncode}, expected {expected!r}\n{done.stdout}\n{said}")


def check_standard_output(folder):
    """Programs that print, with as little work as they do."""
    steps = ("4",)
    programs = [("mnist", "--epochs", "1", "--steps", "4"), ("mnist", "--help"),
                ("schedules", "--list"), ("schedules", "--help"),
                ("schedules", "--schedule", "gpipe", "-p", "4", "-m", "8"),
                ("schedules", "--schedule", "gpipe", "-p", "4", "-m", "8", "--csv", "--complete"),
                ("single_device_functional", *steps), ("single_device_sequential", *steps),
                ("two_stages", *steps), ("two_stages_functional", *steps),
                ("two_stages_interleaved", *steps), ("inference",), ("own_data",), ("own_layer",),
                ("own_optimizer",), ("own_options",), ("regression",), ("lenet",)]
    for command in programs:
        refuse(folder, command, "Cannot print: standard output is closed.", stdout=None,
               before=lambda: os.close(1))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                refuse(folder, command, "Cannot print all to standard output", stdout=full)


def check_arguments(folder):
    refuse(folder, ("lenet", "/nowhere"), "There is neither /nowhere/train-")
    for option in ("--svg", "--trace", "--data", "--schedule"):
        refuse(folder, ("mnist", option, ""), f"{option}: ")
    for option in ("--cut", "--threads", "--epochs", "--steps", "--seed"):
        for words in ("", "-1", "x", "1.5", "99999999999999999999"):
            refuse(folder, ("mnist", f"{option}={words}"), option)
    for option in ("--cut", "--threads", "--epochs", "--steps"):
        refuse(folder, ("mnist", option, "0"), option)
    refuse(folder, ("mnist", "--cut", "6"), "--cut: ")
    refuse(folder, ("mnist", "--threads", "1025"), "not in range 1 to 1024")
    with tempfile.TemporaryDirectory() as empty:
        for option in ("--svg", "--trace"):
            refuse(folder, ("mnist", option, f"{empty}/none/picture"),
                   f"{option}: there is no folder {empty}/none")
            refuse(folder, ("mnist", option, empty), f"{option}: expected a file, got the folder")
    refuse(folder, ("mnist", "--steps", "7"), "a multiple of 4")
    refuse(folder, ("mnist", "--svg", "a", "--trace", "a"), "expected two files, got a twice")
    refuse(folder, ("mnist", "--unknown"), "--unknown")
    refuse(folder, ("mnist", "word"), "word")
    with tempfile.TemporaryDirectory() as empty:
        refuse(folder, ("mnist", "--data", empty), "There is neither ")
    for words in ("", "0", "-4", "7", "x", "4x", "4.0", "99999999999999999999"):
        refuse(folder, ("two_stages_interleaved", words), f"a multiple of 4, got {words}\n")
    refuse(folder, ("two_stages_interleaved", "4", "8"), "got 8\n")
    for option in ("--svg", "--trace"):
        refuse(folder, ("schedules", "--schedule", "gpipe", "-p", "2", "-m", "2", option, ""),
               f"{option}: ")
    refuse(folder, ("schedules", "--schedule", "gpipe", "-p", "2", "-m", "2", "--svg", "a",
                    "--trace", "a"), "expected two files, got a twice")


def check_structs(folder):
    """What is read into the members of structs, by the program that needs Boost."""
    if not (folder / "sweep").exists():
        return
    refuse(folder, ("sweep", "broad"), "There is no variant \"broad\"; there are narrow, medium, wide.")
    refuse(folder, ("sweep", "--epoch", "3"), "There is no option --epoch; there are --epochs, ")
    for words in ("", "x", "1.5", "3x", "99999999999999999999"):
        refuse(folder, ("sweep", "--epochs", words), f"--epochs: expected a number, got {words}\n")
    refuse(folder, ("sweep", "--momentum"), "--momentum: expected a number, got \n")


def main():
    folder = pathlib.Path(sys.argv[1])
    check_arguments(folder)
    check_structs(folder)
    check_standard_output(folder)
    print(f"checked {checked} runs")


if __name__ == "__main__":
    main()
