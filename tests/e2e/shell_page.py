"""A page of the docs as somebody reads it who pastes its commands: blocks of commands, and below each what it prints."""
import collections
import os
import re
import subprocess
import threading

# `text` is pasted where `language` is `sh`; after `sh WHERE` it is for another machine. `shown`: the lines of the blocks without a language that
# follow; … stands for anything. `name`: of the file that the line above gives it.
Block = collections.namedtuple("Block", "page section name language text shown")
# Told of every command that fails outside of a condition, as `set -e` would be, while the shell goes on as a terminal does.
# The line that reads a block fails as its last command does, and says nothing new.
PROLOGUE = """trap 'code=$?; case $BASH_COMMAND in ". "*) ;; *) echo "$code $BASH_COMMAND" >&3 ;; esac' ERR; set -E -o pipefail\n"""


def blocks_of(path):
    found, section = [], ""
    for heading, name, language, text in re.findall(r"^#+ ([^\n]*)$|(?:^`([^`\n]+)`:\n\n)?^ *```([^\n]*)\n(.*?)^ *```$", path.read_text(), re.M | re.S):
        if heading:
            section = heading
        elif language:
            found.append(Block(path.name, section, name, language, text, []))
        elif found:  # else it shows what nobody is asked to type
            found[-1].shown.extend(line for line in text.splitlines() if line.strip())
    return found


class Terminal:
    """One bash, in `directory`, whose output of each block is kept in files that begin with `log`. Use it in a `with` statement."""

    def __init__(self, directory, log, environment, programs):
        self._directory, self._log, self._count = directory, log, 0
        path = ":".join([*map(str, programs), os.environ["PATH"]])
        self._environment = {**{name: value for name, value in os.environ.items() if name != "KUBECONFIG"}, **environment, "PATH": path}

    def __enter__(self):
        self._failures = open(f"{self._log}.failures", "a+")
        # 3 is where the trap writes.
        self._shell = subprocess.Popen(["bash", "--norc", "-c", f"exec 3>&{self._failures.fileno()}; exec bash --norc -s"], cwd=self._directory,
                                       env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       pass_fds=(self._failures.fileno(),), start_new_session=True)
        self._say(PROLOGUE)
        return self

    def __exit__(self, *_):
        self._shell.kill()
        self._shell.wait()
        self._shell.stdin.close()
        self._shell.stdout.close()
        self._failures.close()

    def _say(self, text):
        self._shell.stdin.write(text)
        self._shell.stdin.flush()

    def paste(self, block, seconds, allowed=None):
        """Runs it; fails if a command does, unless it begins with a text of `allowed` and ends with that code, or if it does not print what is shown.
        Returns what it printed."""
        self._count += 1
        script, output = f"{self._log}-{self._count}.sh", f"{self._log}-{self._count}.txt"
        with open(script, "w") as file:
            file.write(block.text)
        self._say(f". {script} >{output} 2>&1 </dev/null; echo pasted\n")
        where = f"{block.page}, {block.section!r}"
        cut = threading.Timer(seconds, self._shell.kill)
        cut.start()
        try:
            line = self._shell.stdout.readline()
        finally:
            cut.cancel()
        with open(output) as file:
            said = file.read()
        assert line == "pasted\n", f"{where}: not done in {seconds} s, or the shell ended: {said[-1500:]}"
        self._failures.seek(0)
        failed = self._failures.read().splitlines()
        self._failures.truncate(0)
        for failure in failed:
            code, _, command = failure.partition(" ")
            if not any(command.startswith(start) and int(code) == expected for start, expected in (allowed or {}).items()):
                raise AssertionError(f"{where}: exit code {code} of {command}: {said[-1500:]}")
        check_shown(where, block.shown, said)
        return said


def check_shown(where, shown, said):
    """The lines come one after the other, others between them."""
    lines = iter(" ".join(line.split()) for line in said.splitlines())
    for line in shown:
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))
        assert any(re.fullmatch(pattern.replace(".*", " ?.* ?"), each) for each in lines), f"{where}: shows {line!r}, but printed {said[-1500:]}"
