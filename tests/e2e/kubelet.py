"""A real kubelet with containerd and runc, as a node of the test bed, on a machine that does not exist (machine.py).

A node lives in a PID and a mount namespace of its own: the made machine and the node's /run, /var/lib and /var/log are bind mounts that
nobody else sees, and when the namespace's first process is killed the kernel ends everything in it, shims and containers too. What
kubelet decides is its own; only the pinning itself is left out (node/oci_runtime), since the CPUs are not there.
"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess

from api import wait_until
from archives import write_archive
from binaries import BINARIES, missing
from testbed import Process, Skip, free_port

HERE = pathlib.Path(__file__).resolve().parent / "node"
CGROUPS = pathlib.Path("/sys/fs/cgroup")
IMAGE = "localhost/pause:1"  # never pulled: every node has it
RESERVED_MEMORY_MIB, EVICTION_MIB = 256, 100
CONTAINERD_CONFIG = """
version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runtime}"
"""


def need_kubelet():
    if why := missing("kubelet"):
        raise Skip(why)
    if os.geteuid() != 0:
        raise Skip("kubelet and containerd need root")
    absent = [program for program in ("containerd", "ctr", "runc", "gcc", "unshare") if not shutil.which(program)]
    if absent:
        raise Skip(f"not installed: {', '.join(absent)}; tools/setup --kubelet installs them")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("needs namespaces of its own in which it may mount")
    if not os.access(CGROUPS / "cpuset" / "tasks", os.W_OK):
        raise Skip(f"needs cgroup v1, writable: there is no {CGROUPS}/cpuset/tasks")


def hierarchies():
    """The mounted cgroup hierarchies; some controllers share one under two names."""
    return sorted({path.parent.resolve() for path in CGROUPS.glob("*/cgroup.procs")})


@contextlib.contextmanager
def own_cgroup(name):
    """A group in each hierarchy, for `cgroupRoot`; removed with all below when their processes have ended."""
    try:
        for hierarchy in hierarchies():
            (hierarchy / name).mkdir()
        for file in ("cpuset.cpus", "cpuset.mems"):  # a new cpuset is empty and takes no process
            (CGROUPS / "cpuset" / name / file).write_text((CGROUPS / "cpuset" / file).read_text())
        yield
    finally:
        for hierarchy in hierarchies():
            groups = [procs.parent for procs in (hierarchy / name).rglob("cgroup.procs")]
            for group in sorted(groups, key=lambda g: len(g.parts), reverse=True):
                wait_until(lambda g=group: not (g / "cgroup.procs").read_text(), f"processes are left in {group}", 10)
                group.rmdir()


def write_pause(directory):
    """pause.tar: the archive of an image that holds one static program, /pause."""
    subprocess.run(["gcc", "-O1", "-static", "-o", directory / "pause", HERE / "pause.c"], check=True)
    write_archive(directory / "pause.tar", IMAGE, directory / "pause", "/pause")


def parse_cpus(text):
    """The CPUs of a list as the kernel writes it: 0-3,8."""
    cpus = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


class Kubelet:
    """One node. `settings` are fields of its KubeletConfiguration. Use it in a `with` statement inside that of the control plane `bed`."""

    def __init__(self, bed, name, machine, reserved_cpus, settings, labels):
        self.name, self.machine, self.reserved_cpus = name, machine, parse_cpus(reserved_cpus)
        self.static_memory = settings.get("memoryManagerPolicy") == "Static"
        # kubelet wants the zones' reserved memory to add up to what the node reserves and evicts at.
        self.reserved_memory = RESERVED_MEMORY_MIB * 2**20 if self.static_memory else 0  # per zone
        self.directory = bed.directory / name
        self.state_files = self.directory / "lib" / "kubelet"
        self._cgroup = f"huygens-e2e-{os.getpid()}-{name}"
        self.port = free_port()
        self._token = bed.client.token
        if self.static_memory:
            settings = {**settings, "systemReserved": {"memory": f"{RESERVED_MEMORY_MIB * len(machine.zone_ids) - EVICTION_MIB}Mi"},
                        "reservedMemory": [{"numaNode": zone, "limits": {"memory": f"{RESERVED_MEMORY_MIB}Mi"}}
                                           for zone in machine.zone_ids]}
        self._write_files({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "address": "127.0.0.1", "port": self.port, "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True}}, "authorization": {"mode": "Webhook"},
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self._cgroup}", "failCgroupV1": False, "failSwapOn": False,
            "enforceNodeAllocatable": [], "localStorageCapacityIsolation": False, "makeIPTablesUtilChains": False,
            "cpuManagerPolicy": "static", "reservedSystemCPUs": reserved_cpus, "evictionHard": {"memory.available": f"{EVICTION_MIB}Mi"},
            **settings})
        self._logs = bed.directory
        self._command = [
            "unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc", HERE / "boot", self.directory,
            BINARIES / "kubelet", f"--config={self.directory / 'kubelet.yaml'}", f"--kubeconfig={bed.kubeconfig(self._token)}",
            f"--hostname-override={name}", f"--node-labels={','.join(map('='.join, labels.items()))}", "--v=2"]

    def _write_files(self, configuration):
        self.directory.mkdir()
        self.machine.write(self.directory / "machine")
        if not (self.directory.parent / "pause.tar").exists():
            write_pause(self.directory.parent)
        (self.directory / "containerd.toml").write_text(CONTAINERD_CONFIG.format(image=IMAGE, runtime=HERE / "oci_runtime"))
        (self.directory / "kubelet.yaml").write_text(json.dumps(configuration))

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            undo.enter_context(own_cgroup(self._cgroup))
            self.process = Process(f"node-{self.name}", self._command, self._logs, grace=5)
            undo.callback(self.process.kill)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_):
        self._undo.close()

    def manages(self):
        """Whether its managers have begun; it registers the node before."""
        names = ["cpu_manager_state"] + ["memory_manager_state"] * self.static_memory
        return all((self.state_files / name).exists() for name in names)

    def usable_cpus(self):
        """How many CPUs each zone has for pods."""
        return [len(set(self.machine.cpus(zone)) - self.reserved_cpus) for zone in self.machine.zone_ids]

    def pods(self):
        """The pods as kubelet knows them; a refused one is Failed here long before the API server is told."""
        unverified = ssl.create_default_context()
        unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE  # kubelet makes its own certificate
        with contextlib.closing(http.client.HTTPSConnection("127.0.0.1", self.port, context=unverified, timeout=10)) as connection:
            connection.request("GET", "/pods", headers={"Authorization": f"Bearer {self._token}"})
            response = connection.getresponse()
            text = response.read().decode()
            assert response.status == 200, f"{self.name}: kubelet answers {response.status} {text[:500]}"
            return json.loads(text)["items"] or []

    def _state(self, name):
        return json.loads((self.state_files / name).read_text())

    def assigned_cpus(self):
        """{pod UID: {container: its exclusive CPUs}} of kubelet's CPU manager."""
        entries = self._state("cpu_manager_state").get("entries") or {}
        return {uid: {name: parse_cpus(cpus) for name, cpus in containers.items()} for uid, containers in entries.items()}

    def free_cpus(self):
        """How many CPUs of each zone are usable and not exclusively some container's."""
        taken = {cpu for containers in self.assigned_cpus().values() for cpus in containers.values() for cpu in cpus}
        return [len(set(self.machine.cpus(zone)) - self.reserved_cpus - taken) for zone in self.machine.zone_ids]

    def memory(self):
        """{zone: (free bytes, the zones it shares memory with)} of kubelet's memory manager, if it is static."""
        if not self.static_memory:
            return {}
        zones = self._state("memory_manager_state")["machineState"]
        return {int(zone): (state["memoryMap"]["memory"]["free"], state["cells"]) for zone, state in zones.items()}
