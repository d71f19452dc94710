"""The agent's side of a container runtime, runtime/, against real ones: a probe (runtime_probe.cc) gives each container the CPUs that its pod's
annotation names, by NRI and by events."""
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

from api import wait_until
from binaries import ROOT
from node_processes import CRI_SOCKET, NRI_SOCKET, Inside, Node
from testbed import Skip

PODS = 8
NO_SUCH_CPU = 1000
REST_SECONDS = 10


def probe_binary():
    built = [path for preset in ("test", "dev") if (path := ROOT / "build" / preset / "tests" / "runtime_probe").exists()]
    if not built:
        raise Skip("no runtime_probe in build/test/tests or build/dev/tests; `tools/test unit` builds it")
    return max(built, key=lambda path: path.stat().st_mtime)


class Probe(Inside):
    """Its lines, with the time at which each came."""

    def __init__(self, node):
        self.lines = []
        self._answers = queue.Queue()
        arguments = [probe_binary(), CRI_SOCKET] + [NRI_SOCKET] * node.with_nri
        super().__init__(node, "probe", arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def start(self):
        super().start()
        threading.Thread(target=self._read, args=(self.enter.stdout,), daemon=True).start()

    def _read(self, output):
        for line in output:
            self.lines.append((time.monotonic(), line.rstrip()))
            if line.startswith("answer "):
                self._answers.put(line[len("answer "):].rstrip())

    def texts(self, pattern):
        return [line for _, line in list(self.lines) if re.search(pattern, line)]

    def wait(self, pattern, count=1, seconds=60):
        wait_until(lambda: len(self.texts(pattern)) >= count, lambda: f"the probe does not say {count} x {pattern!r}, but:\n" +
                   "\n".join(line for _, line in self.lines[-40:]), seconds, interval=0.02)
        return self.texts(pattern)

    def tell(self, line):
        self.enter.stdin.write(line + "\n")
        self.enter.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return self._answers.get(timeout=30)

    def id_of(self, pod):
        return self.texts(rf"^event started {pod}-")[-1].split()[3]


def runtime():
    """What the agent hears of Debian's containerd and does there, by its events: pods pinned as they start, a crash, wrong updates, containerd restarted."""
    return check(with_nri=False)


def runtime_nri():
    """The same with a containerd that has NRI (`make e2e-agent`): every process on its CPUs from its first instruction on, updates of others overridden."""
    return check(with_nri=True)


def check(with_nri):
    with Node("runtime-nri" if with_nri else "runtime", with_nri) as node:
        probe = Probe(node)
        probe.wait("^connection up containerd .*events by " + ("CRI" if with_nri else "containerd"))
        if with_nri:
            probe.wait("^nri synchronized")
        said = [eight_at_once(node, probe), crash(node, probe)]
        updates(node, probe)
        said.append(restart(node, probe))
        if with_nri:
            refusal(node, probe)
        said.append(rest(probe))
        for pod in range(PODS):
            node.delete_pod(f"p{pod}")
        probe.wait(r"^event stopped p\d-", PODS + 1)  # and the one that was killed
        assert not probe.texts("^not pinned"), probe.texts("^not pinned")
        probe.end()
        return "; ".join(said)


def wanted(pod):
    return str(pod % 2)


def eight_at_once(node, probe):
    for pod in range(PODS):
        node.run_pod(f"p{pod}", {"test/cpus": wanted(pod)})
    done = [probe.wait(rf"^pinned p{pod}-")[-1] for pod in range(PODS)]
    for pod in range(PODS):
        container = probe.id_of(f"p{pod}")
        assert node.cgroup_file("cpuset", container, "cpuset.cpus") == wanted(pod), container
        untouched(node, container)
        wait_until(lambda pod=pod: node.start_affinities(f"p{pod}"), f"p{pod} did not say where it began", 10)
    right = sum(node.start_affinities(f"p{pod}")[0] == wanted(pod) for pod in range(PODS))
    if node.with_nri:
        assert right == PODS, f"{right} of {PODS} began where they should"
        assert all(" updates 0 " in line for line in done), done
    latest = max(int(re.search(r"after (\d+) ms", line)[1]) for line in done)
    return f"of {PODS} pods at once {right} began on their CPUs, all were there {latest} ms after they were said to have started"


def untouched(node, container):
    """100 m of CPU and 64 Mi as kubelet asked for."""
    assert node.cgroup_file("cpu", container, "cpu.shares") == "102"
    assert node.cgroup_file("cpu", container, "cpu.cfs_quota_us") == "10000"
    assert node.cgroup_file("memory", container, "memory.limit_in_bytes") == str(64 * 2**20)


def crash(node, probe):
    """A container that is killed comes back under another ID, and on its CPUs."""
    before = probe.id_of("p0")
    (process,) = node.processes_of(before)
    os.kill(process, signal.SIGKILL)
    probe.wait("^event stopped p0-")
    probe.wait("^pinned p0-", 2)
    after = probe.id_of("p0")
    assert after != before
    assert probe.texts(f"^event started p0-.* {after} restarts 1$"), probe.texts("^event started p0")
    assert node.cgroup_file("cpuset", after, "cpuset.cpus") == wanted(0)
    wait_until(lambda: 1 in node.start_affinities("p0"), "the restarted container did not say where it began", 10)
    began = node.start_affinities("p0")[1]
    assert began == wanted(0) or not node.with_nri, began
    return f"after a crash it began on {began}"


def updates(node, probe):
    container = probe.id_of("p2")
    # The kernel refuses; nothing has changed, in the spec neither.
    answer = probe.ask(f"update {container} {NO_SUCH_CPU}")
    if node.with_nri:
        assert answer.startswith("ok "), answer  # what the plugin says is done in its place
    else:
        assert " code 3 " in answer and "no such CPU" in answer, answer  # InvalidArgument
    assert probe.ask(f"read {container}").split()[0] == wanted(2)
    # Somebody else's update: NRI keeps what the plugin wants.
    assert probe.ask(f"update {container} 1").startswith("ok "), "a good update"
    assert probe.ask(f"read {container}").split()[0] == (wanted(2) if node.with_nri else "1")
    if not node.with_nri:
        assert probe.ask(f"update {container} {wanted(2)}").startswith("ok "), "a good update"
    untouched(node, container)
    assert " code 5 " in probe.ask("update 0123456789abcdef 1")
    assert probe.ask("list") == "done"
    (listed,) = probe.texts(f"^listed p2-.* {container} ")
    assert re.search(rf" restarts 0 default \S+ main state 2 cpus {wanted(2)} shares 102 quota 10000 memory {64 * 2**20}$", listed), listed


def restart(node, probe):
    """containerd is killed and started again: containers keep their sets, and what starts after it is pinned."""
    containers = [probe.id_of(f"p{pod}") for pod in range(PODS)]
    node.containerd.end()
    probe.wait("^connection down ")
    node.containerd.start()
    began = time.monotonic()
    probe.wait("^connection up containerd", 2)
    if node.with_nri:
        probe.wait("^nri synchronized", 2)
    back = time.monotonic() - began
    for pod, container in enumerate(containers):
        assert node.cgroup_file("cpuset", container, "cpuset.cpus") == wanted(pod)
    node.delete_pod("p1")
    probe.wait("^event stopped p1-")
    node.run_pod("p1", {"test/cpus": wanted(0)})
    wait_until(lambda: probe.id_of("p1") != containers[1], "the pod does not come back", 60)
    container = probe.id_of("p1")
    probe.wait(f"^pinned p1-.* {container} ")
    assert node.cgroup_file("cpuset", container, "cpuset.cpus") == wanted(0)
    return f"{back:.1f} s after a start of containerd it was back"


def refusal(node, probe):
    """A container that the plugin refuses is not made, kubelet has the reason, and tries again."""
    probe.tell(f"refuse refused-{node.name}")
    node.run_pod("refused", {"test/cpus": "1"})
    probe.wait("^nri create refused-", 2)
    probe.wait("^pinned refused-")
    assert "the probe was told to refuse it" in node.kubelet.log()
    node.delete_pod("refused")


def rest(probe):
    """What the probe costs when nothing happens."""
    def switches():
        found = 0
        for status in pathlib.Path(f"/proc/{probe.pid}/task").glob("*/status"):
            found += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
        return found

    def seconds():
        fields = pathlib.Path(f"/proc/{probe.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    begun, began = switches(), seconds()
    time.sleep(REST_SECONDS)
    wakes, share = (switches() - begun) / REST_SECONDS, (seconds() - began) / REST_SECONDS
    memory = pathlib.Path(f"/proc/{probe.pid}/smaps_rollup").read_text()
    resident, anonymous = (int(re.search(rf"^{name}:\s+(\d+) kB", memory, re.M)[1]) / 1024 for name in ("Rss", "Anonymous"))
    assert resident <= 30 and anonymous <= 8, f"{resident:.1f} MiB resident, {anonymous:.1f} MiB anonymous"
    return f"at rest {resident:.1f} MiB resident, {anonymous:.1f} MiB anonymous, {wakes:.1f} wake-ups a second, {share:.2%} of a core"
