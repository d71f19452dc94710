"""The examples of README.md, run as a reader would paste them."""
import pathlib
import re
import subprocess
import tempfile

from testbed import ROOT, free_port, huygens_binary, replaced

SAMPLE = "config/samples/extender.yaml"


def readme():
    """The curl examples of the README get the answers that it shows."""
    section = re.search(r"^## Asking it with curl$(.*?)^## ", (ROOT / "README.md").read_text(), re.M | re.S).group(1)
    blocks = re.findall(r"^```(sh)?\n(.*?)^```$", section, re.M | re.S)
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-readme-") as temporary:
        config = pathlib.Path(temporary) / "extender.yaml"
        ports = {":8888": f":{free_port()}", ":8889": f":{free_port()}"}
        config.write_text(replaced((ROOT / SAMPLE).read_text(), ports))
        script = replaced("".join(body for language, body in blocks if language), {
            **ports, SAMPLE: str(config), "build/release/huygens ": f"timeout 50 {huygens_binary()} ", "/tmp/huygens.log": f"{temporary}/log",
            "explain big-0": f"explain big-0 --admin-url http://127.0.0.1{ports[':8889']}"})
        # -m: job control, so that `kill %1` means what it means in a terminal.
        run = subprocess.run(["bash", "-m", "-c", script + "wait\n"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    said = set(map(without_times, run.stdout.splitlines()))
    shown = [line for language, body in blocks if not language for line in map(without_times, body.splitlines()) if line]
    missing = [line for line in shown if line not in said]
    assert len(shown) > 6 and not missing, f"the README shows {missing[:3]}, but the commands printed {run.stdout[-2000:]}{run.stderr[-500:]}"


def without_times(line):
    return re.sub(r"\S+Z \(\d+s ago\)", "TIME", line)
