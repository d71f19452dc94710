"""The programs that tools/control_plane built: those of the house version, or of the one that HUYGENS_E2E_KUBERNETES names."""
import functools
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# 1.30 and 1.30.14 lie in the same place: there is one patch of each minor.
_WANTED = os.environ.get("HUYGENS_E2E_KUBERNETES", "")
CHOSEN = ".".join(_WANTED.split(".")[:2])
BINARIES = ROOT / "build" / (f"k8s-{CHOSEN}" if CHOSEN else "k8s")
KEPT = ROOT / "build" / (f"e2e-{CHOSEN}" if CHOSEN else "e2e")  # what failed scenarios leave


def missing(*names):
    """Why a scenario that needs these programs cannot run here, or "" if it can."""
    absent = [name for name in names if not (BINARIES / name).exists()]
    build = f"tools/control_plane {CHOSEN}".strip()
    return f"build/{BINARIES.name} has no {', '.join(absent)}; {build} builds it where Go 1.26 is installed" if absent else ""


def kubernetes_minor():
    """36 of v1.36.3."""
    return int(kubernetes_version().split(".")[1])


def longest_backoff():
    """For how many seconds at most kube-scheduler leaves a pod alone that was woken: from 1.33 on it takes it at once when nothing else is to do."""
    return 10 if kubernetes_minor() < 33 else 0


@functools.cache
def kubernetes_version():
    """As the API server names itself: v1.36.3."""
    text = subprocess.run([BINARIES / "kube-apiserver", "--version"], check=True, capture_output=True, text=True).stdout
    version = re.fullmatch(r"Kubernetes (v1\.\d+\.\d+)\s*", text).group(1)
    assert not _WANTED or f"{version}.".startswith(f"v{_WANTED}."), f"{BINARIES} holds {version}, not {_WANTED}"
    return version
