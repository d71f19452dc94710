"""A real containerd and a real kubelet, started and ended one by one, in a PID and a mount namespace of their own; kubelet runs pods from files, without an
API server. Of either containerd: Debian's, or the one with NRI that tools/containerd builds."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from api import wait_until
from archives import write_archive
from binaries import BINARIES, KEPT, ROOT
from kubelet import CGROUPS, CONTAINERD_CONFIG, HERE, IMAGE, need_kubelet, own_cgroup
from testbed import Process, Skip

BUILT = ROOT / "build" / "containerd"
CRI_SOCKET, NRI_SOCKET = "/run/containerd/containerd.sock", "/run/nri/nri.sock"


def need_node(with_nri):
    need_kubelet()
    if not shutil.which("nsenter"):
        raise Skip("not installed: nsenter (util-linux)")
    if with_nri and not (BUILT / "containerd").exists():
        raise Skip("build/containerd has no containerd with NRI; `make e2e-agent` builds it where Go 1.26 is installed")


class Inside:
    """A process in the node's namespaces."""

    def __init__(self, node, name, arguments, **options):
        self.name, self._node = name, node
        self._arguments = ["nsenter", "-t", str(node.first), "-m", "-p", "--", *map(str, arguments)]
        self._options = options
        self.start()

    def start(self):
        with open(self._node.directory / f"{self.name}.log", "ab") as log:
            options = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL, **self._options}
            self.enter = subprocess.Popen(self._arguments, **options)
        children = pathlib.Path(f"/proc/{self.enter.pid}/task/{self.enter.pid}/children")
        wait_until(lambda: self.enter.poll() is not None or children.read_text().split(), f"{self.name} does not start", 10, interval=0.01)
        assert self.enter.poll() is None, f"{self.name} ended at once: {self.log()[-2000:]}"
        self.pid = int(children.read_text().split()[0])

    def end(self, how=signal.SIGKILL):
        """Ends it, not what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        self.enter.wait(20)

    def log(self):
        return (self._node.directory / f"{self.name}.log").read_text(errors="replace")


class Node:
    """Use it in a `with` statement. `first`: the PID of its first process, as the test sees it."""

    def __init__(self, name, with_nri, settings=None):
        """`settings`: fields of its KubeletConfiguration."""
        need_node(with_nri)
        self._settings = settings or {}
        self.name, self.with_nri = name, with_nri
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"huygens-e2e-{name}-"))
        self.manifests = self.directory / "manifests"
        self._cgroup = f"huygens-e2e-{os.getpid()}-{name}"

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            undo.enter_context(own_cgroup(self._cgroup))
            shell = Process("first", ["unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc", HERE / "idle",
                                      self.directory], self.directory, grace=5)
            undo.callback(shell.kill)
            wait_until((self.directory / "ready").exists, "the node's namespaces are not ready", 10, interval=0.05)
            children = pathlib.Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text()
            self.first = int(children.split()[0])
            self._start()
            self._undo = undo.pop_all()
        return self

    def _start(self):
        directory = self.directory
        self.manifests.mkdir()
        (directory / "containerd.toml").write_text(CONTAINERD_CONFIG.format(image=IMAGE, runtime="runc"))
        environment = {**os.environ, "PATH": f"{BUILT}:{os.environ['PATH']}"} if self.with_nri else None
        self.containerd = Inside(self, "containerd", ["containerd", "--config", directory / "containerd.toml"], env=environment)
        subprocess.run(["gcc", "-O1", "-static", "-o", directory / "affinity", HERE / "affinity.c"], check=True)
        write_archive(directory / "affinity.tar", IMAGE, directory / "affinity", "/affinity")

        def imported():
            command = ["nsenter", "-t", str(self.first), "-m", "--", "ctr", "-n", "k8s.io", "images", "import", "--no-unpack", str(directory / "affinity.tar")]
            return subprocess.run(command, capture_output=True).returncode == 0

        wait_until(imported, "containerd does not import the image", 30, interval=0.2)
        (directory / "kubelet.yaml").write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "enableServer": False, "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
            "containerRuntimeEndpoint": f"unix://{CRI_SOCKET}", "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self._cgroup}", "failCgroupV1": False,
            "failSwapOn": False, "enforceNodeAllocatable": [], "localStorageCapacityIsolation": False, "makeIPTablesUtilChains": False,
            "staticPodPath": str(self.manifests), "fileCheckFrequency": "1s", "evictionHard": {"memory.available": "50Mi"},
            **self._settings}))
        self.kubelet = Inside(self, "kubelet", [BINARIES / "kubelet", f"--config={directory / 'kubelet.yaml'}", f"--hostname-override={self.name}", "--v=2"])

    def __exit__(self, kind, *_):
        self._undo.close()
        if kind is not None or os.environ.get("HUYGENS_E2E_KEEP"):
            kept = KEPT / self.name
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            for file in self.directory.glob("*.log"):
                shutil.copy(file, kept)
        shutil.rmtree(self.directory, ignore_errors=True)

    def run_pod(self, name, annotations, cpu="100m", memory="64Mi"):
        resources = {"cpu": cpu, "memory": memory}
        # Written beside it and renamed: kubelet reads a file as soon as it is there.
        beside = self.directory / f"{name}.json"
        beside.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "annotations": annotations},
            "spec": {"hostNetwork": True, "terminationGracePeriodSeconds": 1, "tolerations": [{"operator": "Exists"}],
                     "containers": [{"name": "main", "image": IMAGE, "imagePullPolicy": "Never",
                                     "resources": {"requests": resources, "limits": resources}}]}}))
        beside.rename(self.manifests / f"{name}.json")

    def delete_pod(self, name):
        (self.manifests / f"{name}.json").unlink()

    def start_affinities(self, pod):
        """The CPUs on which each of the pod's containers found itself as it began, by its restart count."""
        found = {}
        for log in (self.directory / "log" / "pods").glob(f"default_{pod}-{self.name}_*/main/*.log"):
            lines = [line.split("affinity", 1)[1].split() for line in log.read_text().splitlines() if "affinity" in line]
            if lines:
                found[int(log.stem)] = ",".join(lines[0])
        return found

    def cgroup_file(self, controller, container_id, name):
        """What the kernel has for a container."""
        (folder,) = (CGROUPS / controller / self._cgroup).rglob(container_id)
        return (folder / name).read_text().strip()

    def processes_of(self, container_id):
        return [int(pid) for pid in self.cgroup_file("cpuset", container_id, "cgroup.procs").split()]
