"""Device plug-ins of huygens' agent against real kubelets: given in zones, lost and back, and registered again when kubelet comes anew."""
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import tempfile
import time

import pinning
from agents import USER, Agent, allow_agents
from api import ApiError, wait_until
from kubelet import Kubelet, need_kubelet
from machine import Machine
from testbed import CONFIG, ControlPlane

FPGA, LICENCE, NIC = "example.com/fpga", "example.com/licence", "example.com/nic-vf"
RESULT = "topology.crane.io/topology-result"
TOPOLOGIES = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
# Nodes that every machine has stand for devices: their numbers tell where sysfs would have them.
NODES = {"fpga0": ("/dev/null", "1:3", 0), "fpga1": ("/dev/zero", "1:5", 0), "fpga2": ("/dev/full", "1:7", 1), "fpga3": ("/dev/random", "1:8", 1)}
SETTINGS = {"aligned": {"topologyManagerPolicy": "single-numa-node"}, "free": {"topologyManagerPolicy": "none"}}
RESTARTS = int(os.environ.get("HUYGENS_E2E_KUBELET_RESTARTS", "3"))
SOON = 200  # ms from kubelet's socket until it has the plug-in again
STATUS_PERMISSION = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "counted"},
                     "rules": [{"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]}]}
STATUS_BINDING = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "counted"},
                  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "counted"},
                  "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}]}


class DeviceNode:
    """A kubelet with an agent that serves devices to it."""

    def __init__(self, bed, name, stack):
        self.bed, self.name = bed, name
        self.kubelet = stack.enter_context(Kubelet(bed, name, Machine(2, 4, 2, 16 * 2**30), "0,8", SETTINGS[name], {}))
        # Outside of the bed's directory, all of whose files are copied when a scenario fails: some of these never end.
        self.devices = pathlib.Path(tempfile.mkdtemp(prefix="huygens-e2e-dev-"))
        stack.callback(shutil.rmtree, self.devices)
        self.plugins = self.kubelet.state_files / "device-plugins"

    def start_agent(self, stack):
        self.agent = Agent(self.bed, self.kubelet, pin={"enabled": False}, devices={
            "files": [{"resource": FPGA, "paths": [f"{self.devices}/fpga*"]}],
            "pci": [{"resource": NIC, "vendors": ["8086"], "functions": "virtual", "give": "variable", "interval": "1s"}],
            "counted": [{"resource": LICENCE, "count": 7}]})
        self._make_devices()
        stack.enter_context(self.agent)

    def _make_devices(self):
        root = self.agent.root
        below = root / self.devices.relative_to("/")  # the same path below the agent's root
        below.parent.mkdir(parents=True)
        below.symlink_to(self.devices)
        (root / "sys" / "dev" / "char").mkdir(parents=True)
        for name, (node, number, zone) in NODES.items():
            self.plug(name)
            slot = root / "sys" / "devices" / f"slot-{name}"
            slot.mkdir(parents=True)
            (slot / "numa_node").write_text(f"{zone}\n")
            (root / "sys" / "dev" / "char" / number).symlink_to(f"../../devices/slot-{name}")
        for address, zone in (("0000:3b:01.0", 0), ("0000:86:01.0", 1)):
            function = root / "sys" / "bus" / "pci" / "devices" / address
            function.mkdir(parents=True)
            for file, text in (("vendor", "0x8086"), ("device", "0x1889"), ("class", "0x020000"), ("numa_node", str(zone))):
                (function / file).write_text(f"{text}\n")
            (function / "physfn").symlink_to("../0000:3b:00.0")

    def plug(self, name):
        (self.devices / name).symlink_to(NODES[name][0])

    def unplug(self, name):
        (self.devices / name).unlink()

    def amounts(self):
        """{resource: (capacity, allocatable)} of the node."""
        status = self.bed.client.get(f"/api/v1/nodes/{self.name}")["status"]
        return {name: (int(status.get("capacity", {}).get(name, -1)), int(status.get("allocatable", {}).get(name, -1))) for name in (FPGA, NIC, LICENCE)}

    def published(self, resource):
        """{zone: (allocatable, available)} in the topology object that the agent writes."""
        try:
            zones = self.bed.client.get(f"{TOPOLOGIES}/{self.name}")["zones"]
        except ApiError as error:
            if error.code == 404:
                return None
            raise
        return {zone["name"]: (int(each["allocatable"]), int(each["available"])) for zone in zones for each in zone["resources"] if each["name"] == resource}

    def wait_published(self, resource, zones):
        wait_until(lambda: self.published(resource) == zones, lambda: f"{self.name}: {resource} is published as {self.published(resource)}, not {zones}", 40)

    def wait_amounts(self, **wanted):
        wanted = {{"fpga": FPGA, "nic": NIC, "licence": LICENCE}[name]: amounts for name, amounts in wanted.items()}
        start = time.monotonic()
        wait_until(lambda: wanted.items() <= self.amounts().items(), lambda: f"{self.name}: {self.amounts()}, not {wanted}\n{self.agent.process.log()[-2000:]}", 40)
        return time.monotonic() - start

    def run(self, name, cpus, fpgas, annotations=None, nics=0):
        """Starts a pod there and returns it once kubelet has started or refused it."""
        container = pinning.container("a", cpus)
        for resource, count in ((FPGA, fpgas), (NIC, nics)):
            if count:
                container["resources"]["limits"] = {**container["resources"]["limits"], resource: str(count)}
                container["resources"]["requests"] = {**container["resources"]["requests"], resource: str(count)}
        item = pinning.pod(name, [container], nodeName=self.name)
        item["metadata"]["annotations"] = annotations or {}
        self.bed.client.post(pinning.PODS, item)

        def decided():
            pod = self.bed.client.get(f"{pinning.PODS}/{name}")
            return pod if pod["status"]["phase"] in ("Running", "Failed") else None

        return wait_until(decided, f"kubelet does nothing with {name}", 40)

    def environment(self, pod):
        """Of the process in its container, as the kernel has it."""
        status = pod["status"]["containerStatuses"][0]
        identity = status["containerID"].rpartition("/")[2]
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if identity in (process / "cgroup").read_text():
                    pairs = (process / "environ").read_text().split("\0")
                    return dict(pair.split("=", 1) for pair in pairs if "=" in pair), process
        raise AssertionError(f"{pod['metadata']['name']}: no process of its container {identity}")

    def given(self, pod, resource=FPGA):
        """Names of the devices that its container was given, seen inside of it."""
        environment, process = self.environment(pod)
        if resource == NIC:
            return environment["PCIDEVICE_EXAMPLE_COM_NIC_VF"].split(",")
        paths = [pathlib.Path(path) for path in environment["DEVICES_EXAMPLE_COM_FPGA"].split(",")]
        for path in paths:
            inside = process / "root" / path.relative_to("/")
            assert inside.is_char_device(), f"{path} is not in the container"
            assert inside.stat().st_rdev == os.stat(NODES[path.name][0]).st_rdev, f"{path} is another device in the container"
        return [path.name for path in paths]

    def delete(self, pod):
        name = pod["metadata"]["name"]
        self.bed.client.delete(f"{pinning.PODS}/{name}")

        def gone():
            try:
                self.bed.client.get(f"{pinning.PODS}/{name}")
            except ApiError as error:
                return error.code == 404
            return False

        wait_until(gone, f"{name} does not go", 30)

    def sockets(self):
        return {path.name for path in self.plugins.iterdir() if path.is_socket()}

    def restart_kubelet(self):
        """Kills it. Returns ms from its new socket until it has been asked to register each plug-in, by its own log."""
        log = self.kubelet.directory / "kubelet.log"
        begin, before = log.stat().st_size, (self.plugins / "kubelet.sock").stat()
        os.kill(kubelet_process(self.kubelet), signal.SIGKILL)

        def registered():
            with open(log, errors="replace") as file:
                file.seek(begin)
                lines = [line for line in file if "Got registration request from device plugin" in line]
            found = {resource: klog_time(line) for line in lines for resource in (FPGA, NIC) if resource in line}
            return found if len(found) == 2 else None

        found = wait_until(registered, lambda: f"not registered again:\n{self.agent.process.log()[-2000:]}", 60, interval=0.02)
        socket = (self.plugins / "kubelet.sock").stat()
        assert (socket.st_ino, socket.st_ctime_ns) != (before.st_ino, before.st_ctime_ns), "kubelet has not started anew"
        return [(at - socket.st_ctime) * 1000 for at in found.values()]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.agent.process.pid}/fd"))


def klog_time(line):
    """Seconds since 1970 of I1126 05:10:32.123456 …: this year's, in the machine's own zone."""
    month, day, clock = re.match(r"[IWE](\d\d)(\d\d) (\S+)", line).groups()
    return datetime.datetime.strptime(f"{datetime.datetime.now().year}-{month}-{day} {clock}", "%Y-%m-%d %H:%M:%S.%f").timestamp()


def kubelet_process(kubelet):
    wanted = f"--config={kubelet.directory / 'kubelet.yaml'}"
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            arguments = (process / "cmdline").read_text().split("\0")
            if wanted in arguments and arguments[0].endswith("/kubelet"):
                return int(process.name)
    raise AssertionError("there is no kubelet")


def zones_of(names):
    return {NODES[name][2] for name in names}


def check_alignment(node):
    """Two CPUs and two devices from one zone, until a zone has no two left; and the node then refuses what huygens' zones would have refused."""
    node.wait_published(FPGA, {"node-0": (2, 2), "node-1": (2, 2)})
    node.wait_published(NIC, {"node-0": (1, 1), "node-1": (1, 1)})
    pods = [node.run(f"both-{i}", 2, 2) for i in range(2)]
    node.wait_published(FPGA, {"node-0": (2, 0), "node-1": (2, 0)})
    given = [node.given(pod) for pod in pods]
    assert sorted(given[0] + given[1]) == sorted(NODES), given
    for pod, names in zip(pods, given):
        cpus = node.kubelet.assigned_cpus()[pod["metadata"]["uid"]]["a"]
        assert {node.kubelet.machine.zone_of(cpu) for cpu in cpus} == zones_of(names) and len(zones_of(names)) == 1, (cpus, names)
    node.delete(pods[1])
    refused = node.run("three", 2, 3)
    assert refused["status"].get("reason") in ("TopologyAffinityError", "UnexpectedAdmissionError"), refused["status"]
    for pod in (pods[0], refused):
        node.delete(pod)
    return pods[0]


def check_chosen_zones(node):
    """A kubelet that aligns nothing gives devices in the zones that huygens bound the pod for; else the lowest of one zone."""
    result = json.dumps([{"name": "node1", "type": "Node", "resources": {"capacity": {"cpu": "1"}}}])
    plain, chosen = node.run("plain", 1, 1), node.run("chosen", 1, 1, {RESULT: result})
    assert node.given(plain) == ["fpga0"], node.given(plain)
    assert node.given(chosen) == ["fpga2"], f"huygens chose zone 1, kubelet gave {node.given(chosen)}"
    nic = node.run("nic", 1, 0, {RESULT: result}, nics=1)
    assert node.given(nic, NIC) == ["0000:86:01.0"], node.given(nic, NIC)


def check_lost_and_back(node):
    node.unplug("fpga3")
    lost = node.wait_amounts(fpga=(4, 3))
    assert "device lost or not healthy" in node.agent.process.log()
    node.plug("fpga3")
    return lost, node.wait_amounts(fpga=(4, 4))


def check_restarts(node):
    """Kubelet killed again and again: nothing is leaked, containers keep what they have."""
    (node.kubelet.directory / "again").touch()
    kept = node.run("kept", 1, 1)
    given, took, descriptors = node.given(kept), [], []
    for _ in range(RESTARTS):
        took += node.restart_kubelet()
        wait_until(lambda: len(node.sockets()) == 3, lambda: f"sockets in {node.plugins}: {node.sockets()}", 10)
        descriptors.append(node.descriptors())
    # Other tests may load the machine; who asks for many restarts asks for the figure.
    assert max(took) <= SOON or RESTARTS < 20, f"ms from kubelet's socket to registration: {took}"
    assert descriptors[-1] <= descriptors[0] + 4, f"descriptors grow: {descriptors}"
    node.wait_amounts(fpga=(4, 4), nic=(2, 2), licence=(7, 7))
    assert node.given(kept) == given
    after = node.run("after", 1, 1)
    assert not set(node.given(after)) & set(given), "a device is given twice"
    return took


def agent_devices():
    """Devices by real kubelets: in zones, lost and back, registered again after kubelet was killed; and resources that are only counted."""
    need_kubelet()
    with ControlPlane("agent_devices") as bed, contextlib.ExitStack() as stack:
        allow_agents(bed)
        bed.kubectl("apply", "-k", CONFIG / "crd-community")
        bed.wait_established("noderesourcetopologies.topology.node.k8s.io")
        for kind, item in (("clusterroles", STATUS_PERMISSION), ("clusterrolebindings", STATUS_BINDING)):
            bed.client.post(f"/apis/rbac.authorization.k8s.io/v1/{kind}", item)
        aligned, free = (DeviceNode(bed, name, stack) for name in SETTINGS)
        wait_until(lambda: len(bed.client.get("/api/v1/nodes")["items"]) == 2 and aligned.kubelet.manages() and free.kubelet.manages(), "a kubelet does not work", 60)
        for node in (aligned, free):
            node.start_agent(stack)
        for node in (aligned, free):
            node.wait_amounts(fpga=(4, 4), nic=(2, 2), licence=(7, 7))
        check_alignment(aligned)
        check_chosen_zones(free)
        lost, back = check_lost_and_back(aligned)
        took = check_restarts(aligned)
        readiness = aligned.agent.get("/readyz?verbose")
        assert f"device {FPGA}" in readiness and "4 healthy, 0 not" in readiness, readiness
        assert aligned.agent.metric("huygens_agent_device_allocations_total") >= 4
        resident, anonymous, threads = aligned.agent.memory()
        return (f"registered again {min(took):.0f} to {max(took):.0f} ms after the socket of a kubelet that was killed {RESTARTS} times; "
                f"a lost device left the node's allocatable after {lost:.1f} s, and was back after {back:.1f} s; the agent has {resident / 1024:.1f} MiB resident, "
                f"{anonymous / 1024:.1f} anonymous, {threads} threads")
