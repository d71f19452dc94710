#!/usr/bin/env python3
"""Which source files can be compiled as one translation unit, since their unnamed namespaces share no name.

Most of what compilers and clang-tidy do in a file is work on headers of libraries; several files at once have it done once. tools/tidy checks
such units, and the builds with sanitizers compile them (HUYGENS_UNITY in CMakeLists.txt). The daily build and the release compile each file by
itself, so that each has to include what it uses.

Usage: tools/translation_units.py FILE...     prints a line `NUMBER FILE` for each; files of one number go together
"""
import pathlib
import re
import sys

UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
DECLARED = re.compile(r"^(?!namespace|using [\w:]+;)(?:[^\s/#}].*?[ *&])?(?!TEST|RC_|INSTANTIATE)(\w+)(?:<[^;]*>)?(?: final)?(?:\s*[(={;\[]| : |$)", re.M)

MOST_FILES = 10  # so that two cores share the work, and a change compiles little


def private_names(source):
    """What a file declares in its unnamed namespaces: the word before the first bracket, `=` or `;` of each line that is not indented."""
    return {name for block in UNNAMED.findall(source.read_text()) for name in DECLARED.findall(block)}


def units(files):
    """Lists of files, each file in the first list that has room and none of its names."""
    taken, result = [], []
    for file in files:
        names = private_names(pathlib.Path(file))
        for of_unit, members in zip(taken, result):
            if len(members) < MOST_FILES and not of_unit & names:
                of_unit |= names
                members.append(file)
                break
        else:
            taken.append(names)
            result.append([file])
    return result


if __name__ == "__main__":
    for number, members in enumerate(units(sys.argv[1:])):
        for member in members:
            print(number, member)
