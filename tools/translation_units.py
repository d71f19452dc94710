#!/usr/bin/env python3
"""Which source files can be compiled as one translation unit, since none of them declares a name that means something else in another.

Most of what compilers and clang-tidy do in a file is work on headers of libraries; several files at once have it done once. tools/tidy checks
such units, and all builds but the daily one and the image's compile them (HUYGENS_UNITY in CMakeLists.txt). The daily build compiles each file by itself, so
that each has to include what it uses; where the image is built there is no Python.

Usage: tools/translation_units.py FILE...     prints a line `NUMBER FILE` for each; files of one number go together
"""
import pathlib
import re
import sys

UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
# The word before the first bracket, `=` or `;` of a line that is not indented.
DECLARED = re.compile(r"^(?!namespace|using namespace|using [\w:]+;)(?:[^\s/#}].*?[ *&])?(?!TEST|RC_|INSTANTIATE)(\w+)(?:<[^;]*>)?(?: final)?(?:\s*[(={;\[]| : |$)", re.M)
USING = re.compile(r"^using ((?:\w+::)+(\w+));", re.M)
ALSO_DECLARED = re.compile(r"^(?=const).*, (k\w+) = ", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
WORD = re.compile(r"(?<![\w:.>])\w+")
MOST_FILES = 10  # so that two cores share the work, and a change compiles little


class Source:
    def __init__(self, file):
        text = pathlib.Path(file).read_text()
        self.file = file
        self.namespace = set(NAMESPACE.findall(text))
        self.private = {name for block in UNNAMED.findall(text) for names in (DECLARED, ALSO_DECLARED) for name in names.findall(block)}
        self.using = {name: whole for whole, name in USING.findall(text)}
        self.words = set(WORD.findall(text))

    def disturbs(self, other):
        """By another namespace, whose names lie nearer, by names that both declare, or by a using-declaration of a name that the other finds elsewhere."""
        hidden = (name for name, whole in self.using.items() if name in other.words and other.using.get(name) != whole)
        return self.namespace != other.namespace or bool(self.private & other.private) or any(hidden)


def units(files):
    """Lists of files, each file in the first list that has room and none that it disturbs or that disturbs it."""
    result = []
    for source in map(Source, files):
        for members in result:
            if len(members) < MOST_FILES and not any(source.disturbs(each) or each.disturbs(source) for each in members):
                members.append(source)
                break
        else:
            result.append([source])
    return [[source.file for source in members] for members in result]


if __name__ == "__main__":
    for number, members in enumerate(units(sys.argv[1:])):
        for member in members:
            print(number, member)
