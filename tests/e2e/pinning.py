"""What huygens predicts of kubelet, tried on real kubelets: what it lets through must start, what it refuses must really fail."""
import contextlib
import dataclasses
import json
import pathlib
import random
import time

import oracle
from api import ApiError, wait_until
from exporter import PATH as TOPOLOGIES
from exporter import Exporter
from kubelet import IMAGE, Kubelet, need_kubelet
from machine import Machine
from scenarios import SEED, scaled
from testbed import SCHEDULER_NAME, ControlPlane

PODS = "/api/v1/namespaces/default/pods"
GIB = 2**30


@dataclasses.dataclass
class Kind:
    """A kind of node."""
    machine: Machine
    reserved_cpus: str
    policy: str
    scope: str
    memory_manager: str = "None"
    told_by_labels: bool = False  # how the CPU and the memory manager are configured; else attributes of the topology object tell
    lag: float = 1.0  # of the exporter, in seconds
    fingerprint: bool = False


NODES = {
    "single-container": Kind(Machine(2, 4, 2, 16 * GIB), "0,8", "single-numa-node", "container", lag=1.5, fingerprint=True),
    "single-pod": Kind(Machine(2, 4, 2, 16 * GIB), "0,8", "single-numa-node", "pod", told_by_labels=True),
    "restricted-container": Kind(Machine(4, 2, 2, 8 * GIB), "0", "restricted", "container"),
    "restricted-pod": Kind(Machine(2, 4, 2, 16 * GIB), "0,8", "restricted", "pod", memory_manager="Static", lag=1.5, fingerprint=True),
}


def container(name, cpu, memory="128Mi", limits=True, **more):
    amounts = {"cpu": str(cpu), "memory": memory}
    return {"name": name, "image": IMAGE, "imagePullPolicy": "Never",
            "resources": {"requests": amounts, **({"limits": amounts} if limits else {})}, **more}


def pod(name, containers, init=(), node=None, scheduler=SCHEDULER_NAME, **more):
    selector = {"nodeSelector": {"kubernetes.io/hostname": node}} if node else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"schedulerName": scheduler, "hostNetwork": True, "terminationGracePeriodSeconds": 1,
                     "tolerations": [{"operator": "Exists"}], "containers": containers, "initContainers": list(init), **selector, **more}}


def random_pod(rng, name):
    size, memory = rng.randint(2, 6), rng.choice(["128Mi"] * 4 + ["1Gi", "5Gi", "18Gi"])
    shape = rng.choices(["plain", "two", "init", "sidecar", "fractional", "burstable", "short"], [8, 3, 3, 3, 1, 1, 1])[0]
    if shape == "two":
        return pod(name, [container("a", size, memory), container("b", rng.randint(1, 3))])
    if shape == "init":
        return pod(name, [container("a", size, memory)], [container("i", rng.randint(1, 6), args=["ends"])])
    if shape == "sidecar":
        return pod(name, [container("a", size, memory)], [container("s", rng.randint(1, 2), restartPolicy="Always"),
                                                          container("i", rng.randint(1, 3), args=["ends"])])
    if shape == "fractional":
        return pod(name, [container("a", "1500m", memory), container("b", 1)])
    if shape == "burstable":
        return pod(name, [container("a", 1, memory, limits=False)])
    if shape == "short":
        return pod(name, [container("a", size, memory, args=["ends"])], restartPolicy="Never")
    return pod(name, [container("a", size, memory)])


def list_pods(bed):
    return bed.client.get(PODS)["items"]


def up(item):
    return item["status"]["phase"] in ("Running", "Succeeded")


def decided(item):
    return oracle.bound(item) or oracle.unscheduled_reason(item)


class Fleet:
    """The kubelets and their exporters, and what was seen of kubelet's decisions."""

    def __init__(self, bed, kubelets, exporters):
        self.bed, self.kubelets, self._exporters = bed, kubelets, exporters
        self.zones = {}  # pod UID: the zones of the CPUs that kubelet gave it
        self.seen = {}  # pod UID: each pod as it was last, those that are deleted too

    def watch(self):
        """Remembers what every pod was given; the pods now."""
        for kubelet in self.kubelets.values():
            for uid, containers in kubelet.assigned_cpus().items():
                self.zones[uid] = {f"node-{kubelet.machine.zone_of(cpu)}" for cpus in containers.values() for cpu in cpus}
        pods = list_pods(self.bed)
        self.seen.update((item["metadata"]["uid"], item) for item in pods)
        return pods

    def refused(self):
        """{pod name: why} of the pods that a kubelet failed."""
        return {item["metadata"]["name"]: item["status"].get("reason", "no reason")
                for kubelet in self.kubelets.values() for item in kubelet.pods() if item["status"]["phase"] == "Failed"}

    def wait_all_up(self, seconds):
        """Until every pod is bound and runs or ended well, or is known not to fit. Fails at once if a kubelet refused one."""

        def all_up():
            refused = self.refused()
            assert not refused, f"kubelet refused what huygens let through: {refused}"
            return all(decided(item) and (not oracle.bound(item) or up(item)) for item in self.watch())

        wait_until(all_up, lambda: "not up: " + "; ".join(
            f"{item['metadata']['name']} on {item['spec'].get('nodeName')} is {item['status']['phase']}"
            for item in list_pods(self.bed) if oracle.bound(item) and not up(item)), seconds)

    def wait_quiet(self, seconds=12):
        """Until every exporter looked anew, and no pod was bound for some seconds: what is refused now is refused on current facts.

        The seconds are more than huygens takes a topology object without fingerprint to lag behind (docs/topology.md).
        """
        wanted = [exporter.published + 2 for exporter in self._exporters]
        wait_until(lambda: all(e.published >= w for e, w in zip(self._exporters, wanted)), "an exporter publishes nothing any more", 30)
        seen = {"bound": None, "since": 0.0}

        def quiet():
            bound = sum(map(oracle.bound, list_pods(self.bed)))
            if bound != seen["bound"]:
                seen.update(bound=bound, since=time.monotonic())
            return time.monotonic() - seen["since"] > seconds

        wait_until(quiet, "pods are bound all the time", 60)
        self.wait_all_up(60)


@contextlib.contextmanager
def fleet(bed, rng):
    with contextlib.ExitStack() as stack:
        kubelets = {}
        for name, kind in NODES.items():
            settings = {"topologyManagerPolicy": kind.policy, "topologyManagerScope": kind.scope, "memoryManagerPolicy": kind.memory_manager}
            labels = {"huygens.dev/cpu-manager-policy": "static", "huygens.dev/memory-manager-policy": kind.memory_manager}
            kubelets[name] = stack.enter_context(
                Kubelet(bed, name, kind.machine, kind.reserved_cpus, settings, labels if kind.told_by_labels else {}))
        wait_until(lambda: len(bed.client.get("/api/v1/nodes")["items"]) == len(NODES) and all(k.manages() for k in kubelets.values()),
                   "a kubelet does not work", 60)
        exporters = []
        for name, kind in NODES.items():
            attributes = {"topologyManagerPolicy": kind.policy, "topologyManagerScope": kind.scope}
            if not kind.told_by_labels:
                attributes |= {"cpuManagerPolicy": "static", "memoryManagerPolicy": kind.memory_manager}
            exporters.append(stack.enter_context(
                Exporter(kubelets[name], bed.client, random.Random(rng.random()), attributes, kind.lag, kind.fingerprint)))
        wait_until(lambda: len(bed.client.get(TOPOLOGIES)["items"]) == len(NODES), "an exporter published nothing", 30)
        yield Fleet(bed, kubelets, exporters)


def stream(bed, nodes, rng, count, quiet=12):
    """Pods of all shapes, some deleted again while others arrive."""
    for first in range(0, count, 6):
        for index in range(first, first + 6):
            bed.client.post(PODS, random_pod(rng, f"pod-{index}"))
        wait_until(lambda: all(map(decided, list_pods(bed))), "a pod was not decided", 30)
        # One that the round before deleted may still run.
        running = sorted(item["metadata"]["name"] for item in nodes.watch()
                         if item["status"]["phase"] == "Running" and "deletionTimestamp" not in item["metadata"])
        for name in rng.sample(running, len(running) // 3):
            bed.client.delete(f"{PODS}/{name}", grace_seconds=1)
    nodes.wait_quiet(quiet)


def node_rooms(bed):
    """{node: milli-CPUs, bytes} that kube-scheduler sees free."""
    rooms = {}
    for node in bed.client.get("/api/v1/nodes")["items"]:
        rooms[node["metadata"]["name"]] = [oracle.cpu(node["status"]["allocatable"]), oracle.memory(node["status"]["allocatable"])]
    for item in list_pods(bed):
        if oracle.bound(item) and not oracle.ended(item):
            room = rooms[item["spec"]["nodeName"]]
            room[0] -= oracle.node_request(item, oracle.cpu)
            room[1] -= oracle.node_request(item, oracle.memory)
    return rooms


def left_behind(item):
    """The milli-CPUs that the pod's init containers had beyond what its other containers have: no exporter shows them."""
    spec = item["spec"]
    init = [container for container in spec.get("initContainers") or [] if container.get("restartPolicy") != "Always"]
    most = max((oracle.cpu(container["resources"]["requests"]) for container in init), default=0)
    return max(0, most - sum(oracle.cpu(container["resources"]["requests"]) for container in spec["containers"]))


def is_certain(page, pods):
    """Whether huygens charges what init containers left behind to the zones where it is. A pod whose zones it doubts is charged for
    it in every zone until it ends (docs/topology.md), and other pods are refused there that kubelet would take."""
    charged = sum(oracle.cpu(zone["available"]) - oracle.cpu(zone["free"]) for zone in page["zones"])
    left = sum(map(left_behind, pods))
    return left == 0 or charged <= left


def doubt(bed, nodes):
    """Binds by hand what huygens refused and kube-scheduler had room for: kubelet has to fail all of it. Returns their names."""
    rooms, pods = node_rooms(bed), list_pods(bed)
    [huygens] = bed.extenders
    pages = {node: json.loads(huygens.admin(f"/debug/nodes/{node}")[1]) for node in rooms}
    for node, page in pages.items():
        if not is_certain(page, [item for item in pods if item["spec"].get("nodeName") == node and not oracle.ended(item)]):
            del rooms[node]
    expected = set()
    for item in pods:
        if oracle.bound(item):
            continue
        for node, (cpu, memory) in rooms.items():
            chosen = item["spec"].get("nodeSelector", {}).get("kubernetes.io/hostname", node)
            if chosen != node or oracle.node_request(item, oracle.cpu) > cpu or oracle.node_request(item, oracle.memory) > memory:
                continue
            name = f"by-hand-{item['metadata']['name']}-on-{node}"
            spec = item["spec"]
            bed.client.post(PODS, pod(name, spec["containers"], spec.get("initContainers") or (), scheduler="by-hand",
                                      restartPolicy=spec["restartPolicy"]))
            bed.client.post(f"{PODS}/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                                       "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
            expected.add(name)

    def all_known():
        accepted = [item["metadata"]["name"] for item in list_pods(bed) if item["metadata"]["name"] in expected and up(item)]
        assert not accepted, f"kubelet starts what huygens refused: {accepted}; huygens said of the nodes: {pages}"
        return expected <= set(nodes.refused())

    wait_until(all_known, lambda: f"kubelet does not refuse {sorted(expected - set(nodes.refused()))}", 30)
    reasons = {why for name, why in nodes.refused().items() if name in expected}
    assert reasons <= {"TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError"}, f"kubelet refused for another reason: {reasons}"
    for name in expected:
        bed.client.delete(f"{PODS}/{name}")
    wait_until(lambda: not nodes.refused(), "kubelet does not forget the refused pods", 30)
    return expected


def predictions(nodes, pods):
    """How many of the pods kubelet put exactly where huygens wrote it would, and how many more it put elsewhere."""
    right, wrong = 0, 0
    for item in pods:
        mark, actual = oracle.placement(item), nodes.zones.get(item["metadata"]["uid"])
        if mark and mark.get("zones") and actual:
            right += {zone["name"] for zone in mark["zones"] if oracle.cpu(zone)} == actual
            wrong += {zone["name"] for zone in mark["zones"] if oracle.cpu(zone)} != actual
    return right, wrong


def delete_all(bed):
    for item in list_pods(bed):
        with contextlib.suppress(ApiError):  # it ended meanwhile
            bed.client.delete(f"{PODS}/{item['metadata']['name']}", grace_seconds=1)
    wait_until(lambda: not list_pods(bed), "pods are left", 60)


def place_on_each(bed, nodes, name, size_of):
    """One pod for each node, of the size that size_of(its kubelet) says; it must be bound and land where predicted, if anything was."""
    names = set()
    for node, kubelet in nodes.kubelets.items():
        names.add(f"{name}-of-{node}")
        bed.client.post(PODS, pod(f"{name}-of-{node}", [container("a", size_of(kubelet))], node=node))

    def refused():
        return [item for item in list_pods(bed) if item["metadata"]["name"] in names and not oracle.bound(item)]

    wait_until(lambda: not refused(), lambda: "capacity is lost: " + "; ".join(
        f"{item['metadata']['name']}: {oracle.unscheduled_reason(item)}" for item in refused()), 60)
    nodes.wait_all_up(60)
    right, wrong = predictions(nodes, [item for item in nodes.watch() if item["metadata"]["name"] in names])
    assert wrong == 0, f"{name}: {wrong} of {right + wrong} predictions are wrong"


def refill(bed, nodes):
    """With all pods gone every node's largest zone can be had as a whole again."""
    delete_all(bed)
    place_on_each(bed, nodes, "whole-zone", lambda kubelet: max(kubelet.usable_cpus()))


def fragment(bed, nodes, multiple_of=1):
    """Takes more than half of two zones, and asks for what the node has room for but no zone."""
    delete_all(bed)
    for filler in ("filler-a", "filler-b"):
        place_on_each(bed, nodes, filler, lambda kubelet: -(-(max(kubelet.usable_cpus()) // 2 + 1) // multiple_of) * multiple_of)
    for name, kubelet in nodes.kubelets.items():
        free = kubelet.free_cpus()
        for size in range(max(free) + 1, min(sum(free), max(kubelet.usable_cpus())) + 1):
            bed.client.post(PODS, pod(f"too-wide-for-{name}-{size}", [container("a", size)], node=name))
    wait_until(lambda: all(map(decided, list_pods(bed))), "a pod was not decided", 30)


def kubelet():
    """Real kubelets with static CPU managers: what huygens lets through starts, what it refuses is refused by kubelet, too."""
    need_kubelet()
    rng = random.Random(SEED)
    with ControlPlane("kubelet") as bed:
        bed.install()
        bed.kubectl("apply", "-f", pathlib.Path(__file__).parent / "node" / "noderesourcetopologies.yaml")
        with fleet(bed, rng) as nodes:
            bed.start_scheduler(bed.start_huygens())
            stream(bed, nodes, rng, scaled(48, 18))
            doubted = doubt(bed, nodes)
            nodes.watch()
            right, wrong = predictions(nodes, nodes.seen.values())
            assert 10 * wrong <= right, f"kubelet put only {right} of {right + wrong} pods where huygens predicted"
            refill(bed, nodes)
            fragment(bed, nodes)
            doubted |= doubt(bed, nodes)
            assert len(doubted) >= 3, f"huygens refused too little that kube-scheduler had room for: {doubted}"
            return (f"kubelet started all of {len(nodes.zones)} pods, {right} of {right + wrong} of the stream where predicted; "
                    f"it refused all of {len(doubted)} that huygens had refused")
