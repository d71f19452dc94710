"""huygens-agent pins the containers of a real kubelet with a real containerd: whom, when, and what it outlives."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.request

from agents import agent_binary
from api import wait_until
from kubelet import CGROUPS
from node_processes import CRI_SOCKET, NRI_SOCKET, Inside, Node
from testbed import Skip, free_port

SHARED_PODS = 7
OWN_CPU, SHARED_CPU = "1", "0"  # CPU 0 is what kubelet reserves
CHURN_SECONDS = float(os.environ.get("HUYGENS_E2E_PIN_CHURN", "8"))
RESULT = {"topology.crane.io/topology-result": '[{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"1"}}}]'}


class PinningAgent(Inside):
    def __init__(self, node, port):
        self.admin_port = free_port()
        self.state = node.directory / "huygens" / "crane_cpu_manager_state"
        # It writes Events, and this node has no API server: whatever it tells there is lost, and nothing else.
        (node.directory / "kubeconfig").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{free_port()}"}}], "users": [{"name": "u", "user": {}}]}))
        self.configuration = node.directory / "agent.yaml"
        self.configuration.write_text(json.dumps({
            "apiVersion": "config.huygens.dev/v1alpha1", "kind": "AgentConfiguration", "nodeName": node.name,
            "adminAddress": f"127.0.0.1:{self.admin_port}", "kubernetes": {"kubeconfig": str(node.directory / "kubeconfig")},
            "kubelet": {"url": f"https://127.0.0.1:{port}", "insecureSkipTLSVerify": True, "directory": str(node.directory / "lib" / "kubelet")},
            "publish": {"enabled": False},
            "pin": {"runtimeSocket": CRI_SOCKET, "nriSocket": NRI_SOCKET if node.with_nri else "", "stateFile": str(self.state), "interval": "1s"}}))
        super().__init__(node, "agent", [agent_binary(), "run", "--config", self.configuration])

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=5) as response:
                return response.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except OSError:
            return ""

    def wait_pinning(self):
        ready = "NRI connected" if self._node.with_nri else "events by"
        wait_until(lambda: ready in self.get("/readyz?verbose"), lambda: f"it does not pin: {self.get('/readyz?verbose')}\n{self.log()[-3000:]}", 60)

    def metric(self, series):
        found = re.search(rf"^{re.escape(series)} (\S+)$", self.get("/metrics"), re.M)
        return float(found[1]) if found else 0

    def sets(self):
        """{container: its CPUs} of the state file."""
        entries = json.loads(self.state.read_text()).get("entries", {})
        return {f"{uid}/{name}": cpus for uid, containers in entries.items() for name, cpus in containers.items()}


class Sampler:
    """Looks at the sets of all containers as often as it can: since when each runs, when it had which set, and who ran alone on his CPU."""

    def __init__(self, node):
        self._root = CGROUPS / "cpuset" / node._cgroup
        self.began, self.had, self.together, self.looks = {}, {}, [], 0
        self._ending = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ending:
            owners = []
            # os.walk passes over what goes while it looks.
            for folder in (pathlib.Path(path) for path, below, _ in os.walk(self._root / "kubepods") if not below):
                with contextlib.suppress(OSError):
                    cpus = (folder / "cpuset.cpus").read_text().strip()
                    if (folder / "cgroup.procs").read_text():
                        self.began.setdefault(folder.name, time.monotonic())
                        self.had.setdefault(folder.name, {}).setdefault(cpus, time.monotonic())
                        owners += [folder.name] * (cpus == OWN_CPU)
            if len(owners) > 1:
                self.together.append(owners)
            self.looks += 1
            time.sleep(0.002)

    def end(self):
        assert self._thread.is_alive(), "the sampler ended by itself"
        self._ending = True
        self._thread.join()


def container_of(node, pod):
    """The ID of the pod's container that runs, if there is one."""
    for log in sorted((node.directory / "log" / "pods").glob(f"default_{pod}-{node.name}_*/main/*.log"), key=lambda path: path.stat().st_mtime):
        newest = log
    return container_id(node, newest) if "newest" in locals() else None


def container_id(node, log):
    """kubelet links its logs to /var/log/containers, by the ID."""
    for link in (node.directory / "log" / "containers").glob("*.log"):
        if os.readlink(link).endswith("/".join(log.parts[-3:])):
            return link.stem.rsplit("-", 1)[1]
    return None


def cpus_of(node, pod):
    with contextlib.suppress(OSError, ValueError):
        if found := container_of(node, pod):
            return node.cgroup_file("cpuset", found, "cpuset.cpus")
    return None


def wait_cpus(node, agent, pod, cpus, seconds=60):
    wait_until(lambda: cpus_of(node, pod) == cpus, lambda: f"{pod} has {cpus_of(node, pod)}, not {cpus}:\n{agent.log()[-3000:]}", seconds, interval=0.02)


def agent_pins():
    """Pinned by Debian's containerd as containers start: an exclusive pod among others; agent, containerd and kubelet killed, drift, churn."""
    return check(with_nri=False)


def agent_pins_nri():
    """The same with NRI (`make e2e-agent`): the first instruction of each container is on its CPUs."""
    return check(with_nri=True)


def check(with_nri):
    if os.cpu_count() < 2:
        raise Skip("needs two CPUs")
    port = free_port()
    settings = {"enableServer": True, "address": "127.0.0.1", "port": port, "systemReserved": {"cpu": "100m"},
                "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}}
    with Node("pins-nri" if with_nri else "pins", with_nri, settings) as node:
        agent = PinningAgent(node, port)
        agent.wait_pinning()
        sampler = Sampler(node)
        said = [eight_at_once(node, agent, sampler)]
        said.append(killed(node, agent))
        said.append(drift(node, agent))
        said.append(crash(node, agent))
        said.append(restarts(node, agent))
        said.append(churn(node, agent, sampler))
        sampler.end()
        assert not sampler.together, f"two owners of CPU {OWN_CPU}: {sampler.together[:5]}"
        agent.end(signal.SIGTERM)
        assert agent.enter.returncode == 0, agent.log()[-2000:]
        return "; ".join(said)


def eight_at_once(node, agent, sampler):
    node.run_pod("own", RESULT, cpu="1")
    for pod in range(SHARED_PODS):
        node.run_pod(f"s{pod}", {})
    wait_cpus(node, agent, "own", OWN_CPU)
    for pod in range(SHARED_PODS):
        wait_cpus(node, agent, f"s{pod}", SHARED_CPU)
    latest, wrong = 0, 0
    for pod, cpus in [("own", OWN_CPU)] + [(f"s{pod}", SHARED_CPU) for pod in range(SHARED_PODS)]:
        found = container_of(node, pod)
        latest = max(latest, sampler.had[found][cpus] - sampler.began[found]) if found in sampler.had else latest
        wait_until(lambda pod=pod: node.start_affinities(pod), f"{pod} did not say where it began", 10)
        wrong += node.start_affinities(pod)[0] != cpus
    if node.with_nri:
        assert node.start_affinities("own")[0] == OWN_CPU, node.start_affinities("own")
    untouched(node, container_of(node, "own"), 1024, 100000)
    untouched(node, container_of(node, "s0"), 102, 10000)
    wait_until(lambda: list(agent.sets().values()) == [OWN_CPU], lambda: f"the state file says {agent.sets()}", 10)
    assert agent.state.stat().st_mode & 0o777 == 0o600
    assert f"default/own-{node.name} main: has CPUs {OWN_CPU} (exclusive)" in told(node, agent, "doctor", f"own-{node.name}", "--config", agent.configuration)
    shown = told(node, agent, "show", "--state", agent.state)
    assert re.search(rf"^  {OWN_CPU} +default/own-{node.name} +main$", shown, re.M), shown
    return f"of 8 pods at once {8 - wrong} began on their CPUs, all were there {latest * 1000:.0f} ms after their cgroups had a process"


def told(node, agent, *arguments):
    """What huygens-agent says of the node, asked by hand."""
    command = ["nsenter", "-t", str(node.first), "-m", "-p", "--", *map(str, (agent_binary(), *arguments))]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def untouched(node, container, shares, quota):
    assert node.cgroup_file("cpu", container, "cpu.shares") == str(shares)
    assert node.cgroup_file("cpu", container, "cpu.cfs_quota_us") == str(quota)
    assert node.cgroup_file("memory", container, "memory.limit_in_bytes") == str(64 * 2**20)


def killed(node, agent):
    """Killed and started again, it finds everybody where they belong and writes nothing."""
    before = agent.sets()
    agent.end()
    assert cpus_of(node, "own") == OWN_CPU and cpus_of(node, "s0") == SHARED_CPU
    agent.start()
    agent.wait_pinning()
    wait_until(lambda: agent.metric('huygens_agent_pinned_containers{pool="exclusive"}') == 1, "it does not know the pod again", 30)
    assert agent.sets() == before
    assert agent.metric('huygens_agent_pin_updates_total{result="ok"}') == 0, agent.log()[-2000:]
    # Without its state file, too.
    agent.end()
    agent.state.write_text("{half")
    agent.start()
    agent.wait_pinning()
    wait_until(lambda: agent.state.exists() and agent.sets() == before, lambda: f"it does not take over what runs:\n{agent.log()[-2000:]}", 30)
    assert pathlib.Path(f"{agent.state}.bad").exists()
    assert agent.metric('huygens_agent_pin_updates_total{result="ok"}') == 0, agent.log()[-2000:]
    return "killed and started again it wrote nothing, with its state file and without"


def drift(node, agent):
    (folder,) = (CGROUPS / "cpuset" / node._cgroup).rglob(container_of(node, "own"))
    (folder / "cpuset.cpus").write_text("0-1")
    began = time.monotonic()
    wait_cpus(node, agent, "own", OWN_CPU)
    took = time.monotonic() - began
    wait_until(lambda: agent.metric("huygens_agent_pins_repaired_total") >= 1, "the repair is not counted", 10)
    return f"a set that somebody changed was right again after {took:.1f} s"


def crash(node, agent):
    before = container_of(node, "own")
    (process,) = node.processes_of(before)
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: 1 in node.start_affinities("own"), "the container does not come back", 60)
    wait_cpus(node, agent, "own", OWN_CPU)
    began = node.start_affinities("own")[1]
    assert began == OWN_CPU or not node.with_nri, began
    return f"after a crash it began on {began}"


def restarts(node, agent):
    node.containerd.end()
    node.kubelet.end()
    node.containerd.start()
    node.kubelet.start()
    assert cpus_of(node, "own") == OWN_CPU and cpus_of(node, "s0") == SHARED_CPU
    agent.wait_pinning()
    node.run_pod("late", {})

    def late():
        # kubelet ends where containerd's CRI is not up yet.
        if node.kubelet.enter.poll() is not None:
            node.kubelet.start()
        return cpus_of(node, "late") == SHARED_CPU

    wait_until(late, lambda: f"late has {cpus_of(node, 'late')}:\n{agent.log()[-3000:]}", 60, interval=0.1)
    assert cpus_of(node, "own") == OWN_CPU
    return "containerd and kubelet killed changed nothing"


def churn(node, agent, sampler):
    """One pod after the other owns the CPU: the next is created while the last one ends."""
    ends, turns = time.monotonic() + CHURN_SECONDS, 0
    last = "own"
    while time.monotonic() < ends or turns < 2:
        turns += 1
        name = f"own{turns}"
        node.delete_pod(last)
        node.run_pod(name, RESULT, cpu="1")
        wait_cpus(node, agent, name, OWN_CPU)
        last = name
    node.delete_pod(last)
    wait_cpus(node, agent, "s0", "0-1")
    wait_until(lambda: not agent.sets(), lambda: f"the state file still says {agent.sets()}", 10)
    lost = agent.metric('huygens_agent_pin_updates_total{result="lost"}')
    return f"{turns} owners one after the other, {sampler.looks} looks, {lost:.0f} updates lost and repeated"
