"""huygens-agent beside a kubelet of the test bed: as it runs on a node, with the least that it must be allowed."""
import json
import os
import pathlib
import tempfile
import urllib.request

from api import wait_until
from binaries import ROOT
from testbed import TOKENS, Process, free_port

TOKEN, USER = "agent-token", "huygens-agent"
TOKENS[TOKEN] = (USER, "")
# docs/agent.md names these rules.
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": USER}, "rules": [
    {"apiGroups": [""], "resources": ["nodes", "nodes/pods", "nodes/configz"], "verbs": ["get"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "patch"]},
    {"apiGroups": ["topology.crane.io", "topology.node.k8s.io"], "resources": ["noderesourcetopologies"], "verbs": ["get", "create", "patch"]}]}
BINDING = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": USER},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": USER},
           "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}]}
READS = ("get", "list", "watch")


def agent_binary():
    """Of the same build as huygens."""
    chosen = os.environ.get("HUYGENS_AGENT_BINARY")
    candidates = [pathlib.Path(chosen)] if chosen else [ROOT / "build" / preset / "huygens-agent" for preset in ("release", "dev")]
    for path in candidates:
        if path.exists():
            return path.resolve()
    raise AssertionError(f"no huygens-agent binary: looked for {', '.join(map(str, candidates))}")


def allow_agents(bed):
    for kind, item in (("clusterroles", ROLE), ("clusterrolebindings", BINDING)):
        bed.client.post(f"/apis/rbac.authorization.k8s.io/v1/{kind}", item)


class Agent:
    """Use it in a `with` statement inside that of its kubelet. It reads the made machine, kubelet's API and kubelet's files, and nothing else."""

    def __init__(self, bed, kubelet, **more):
        self.kubelet, self._bed = kubelet, bed
        self._root = tempfile.TemporaryDirectory(prefix="huygens-agent-root-")  # outside of what a failed scenario keeps: links lead out of it
        self.root = root = pathlib.Path(self._root.name)
        devices = root / "sys" / "devices" / "system"
        devices.mkdir(parents=True)
        (root / "sys" / "fs").mkdir()
        (root / "sys" / "fs" / "cgroup").symlink_to("/sys/fs/cgroup")
        (root / "proc").mkdir()
        for name in ("cpu", "node"):
            (devices / name).symlink_to(kubelet.directory / "machine" / name)
        (root / "proc" / "meminfo").symlink_to(kubelet.directory / "machine" / "meminfo")
        self.admin_port = free_port()
        self._configuration = kubelet.directory / "agent.yaml"
        self._configuration.write_text(json.dumps({
            "apiVersion": "config.huygens.dev/v1alpha1", "kind": "AgentConfiguration", "nodeName": kubelet.name, "root": str(root),
            "adminAddress": f"127.0.0.1:{self.admin_port}", "kubernetes": {"kubeconfig": str(bed.kubeconfig(TOKEN))},
            "kubelet": {"url": f"https://127.0.0.1:{kubelet.port}", "directory": str(kubelet.state_files)}, "pin": {"enabled": False},
            **more}))

    def __enter__(self):
        self.process = Process(f"agent-{self.kubelet.name}", [agent_binary(), "run", "--config", self._configuration], self._bed.directory, grace=5)
        return self

    def __exit__(self, kind, *_):
        code = self.process.stop()
        self._root.cleanup()
        assert kind or code == 0, f"{self.process.name} ended with {code}:\n{self.process.log()[-2000:]}"

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=10) as response:
            return response.read().decode()

    def metric(self, name):
        """The sum over its series."""
        lines = [line for line in self.get("/metrics").splitlines() if line.startswith((f"{name} ", f"{name}{{"))]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def ready(self):
        try:
            return self.get("/readyz") == "ok\n"
        except OSError:
            return False

    def wait_ready(self, seconds=60):
        wait_until(self.ready, lambda: f"{self.process.name} is not ready:\n{self.process.log()[-2000:]}", seconds)

    def memory(self):
        """Resident and anonymous KiB, and how many threads."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return tuple(int(fields[name].split()[0]) for name in ("VmRSS", "RssAnon", "Threads"))

    def wake_ups(self):
        """How often its threads woke up so far."""
        files = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/status")
        return sum(int(line.split()[1]) for file in files for line in file.read_text().splitlines() if line.startswith("voluntary_ctxt_switches"))


def writes(bed):
    """What agents wrote so far, by the audit log."""
    return [event for event in bed.audit() if event["user"].get("username") == USER and event["verb"] not in READS]
