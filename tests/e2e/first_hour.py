"""docs/first-hour.md, pasted block by block into one shell on a real node (one_node.py).

The scene: the images that the page names are on the node, the kubeconfig, kubectl and huygens where a reader has them, and the checkout is a
copy. Every command is the page's.
"""
import pathlib
import re
import shutil
import subprocess

from api import wait_until
from install import KINDS, Installation, check_running, main, on_a_node
from kubelet import IMAGE
from one_node import SCHEDULER_IMAGE, OneNode
from rendered import project_version
from shell_page import Terminal, blocks_of
from testbed import CONFIG, ROOT, huygens_binary

PAGE = "docs/first-hour.md"
PAUSE = "registry.k8s.io/pause:3.10"
SECONDS = 400  # a block; the page's own time-outs are shorter


def versions():
    """Those that the page installs and upgrades to."""
    return project_version(), re.search(r"^NEW=(\S+)$", (ROOT / PAGE).read_text(), re.M).group(1)


def first_hour():
    """docs/first-hour.md, pasted on a real node: install, preflight, report, enforce, upgrade, roll back, uninstall; it prints what it says."""
    return on_a_node("first_hour", __file__, versions())


class Reader(Terminal):
    """In a checkout of its own, on a machine with the programs that the page asks for."""

    def __init__(self, bed):
        home, checkout = bed.directory / "home", bed.directory / "checkout"
        (home / ".kube").mkdir(parents=True)
        shutil.copy(bed.kubeconfig("admin-token"), home / ".kube" / "config")
        checkout.mkdir()
        shutil.copytree(CONFIG, checkout / "config")
        (checkout / "cli").symlink_to(ROOT / "cli")
        programs = bed.directory / "bin"
        (programs / "huygens").symlink_to(huygens_binary())
        super().__init__(checkout, bed.directory / "first-hour", {"HOME": str(home)}, [programs])


def tag(old, new):
    subprocess.run(["ctr", "-n", "k8s.io", "images", "tag", old, new], check=True, capture_output=True)


def inside(directory, cgroup):
    with OneNode("first_hour", cgroup) as bed:
        old, new = versions()
        for version in (old, new):
            bed.import_image(directory / f"huygens-{version}.tar")
        server = bed.client.get("/version")["gitVersion"]
        tag(SCHEDULER_IMAGE, f"registry.k8s.io/kube-scheduler:{server}")
        tag(IMAGE, PAUSE)
        site = Installation(bed)
        blocks = blocks_of(ROOT / PAGE)
        assert {block.language for block in blocks} == {"sh"}, blocks
        sections = {re.match(r"\d+\. (\w+)", block.section).group(1) for block in blocks}
        assert sections >= {"Preflight", "Install", "Enforce", "Upgrade", "Roll", "Uninstall"}, sections
        with Reader(bed) as reader:
            for block in blocks:
                if block.section.startswith("8."):
                    site.check_logs("huygens-scheduler-")  # kubelet takes them away with the pods
                reader.paste(block, SECONDS, {"huygens preflight": 1})  # nothing measures use here: warnings
                if block.section.startswith(("3.", "6.", "7.")):
                    check_replicas(site)
        left = [name for name in site.shell(f"kubectl get {KINDS} -A -o name").split() if "huygens" in name or "topology.crane.io" in name]
        assert not left, left
        return f"{sum(block.text.count(chr(10)) for block in blocks)} lines in {len(blocks)} blocks"


def check_replicas(site):
    """Two, without a restart; those of before may still be ending."""
    def standing():
        pods = [pod for pod in site.pods() if "deletionTimestamp" not in pod["metadata"]]
        return pods if len(pods) == 2 else None

    for pod in wait_until(standing, "there are not two replicas", 60):
        check_running(pod)


if __name__ == "__main__":
    main(inside)
