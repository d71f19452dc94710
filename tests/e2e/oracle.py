"""What must be true of a cluster that huygens places pods in, computed from the API objects alone and sharing no code with huygens.

CPU is in milli, memory in bytes. A zone's room is min(allocatable, offline_capacity); a pod holds what its topology-result says while it
is bound and has not ended.
"""
import fractions
import json
import math
import re

RESULT = "topology.crane.io/topology-result"
PLACEMENT = "huygens.dev/placement"
CPU_POLICY = "topology.crane.io/cpu-policy"
AWARENESS = "topology.crane.io/topology-awareness"
SUFFIXES = {"": 1, "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000), "k": 10**3,
            "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
QUANTITY = re.compile(r"^([0-9.]+)([A-Za-z]*)$")


def quantity(value, scale=1):
    number, suffix = QUANTITY.match(str(value)).groups()
    return math.ceil(fractions.Fraction(number) * SUFFIXES[suffix] * scale)


def cpu(resources):
    return quantity(resources.get("cpu", 0), 1000)


def memory(resources):
    return quantity(resources.get("memory", 0))


def annotations(pod):
    return pod["metadata"].get("annotations") or {}


def bound(pod):
    return bool(pod["spec"].get("nodeName"))


def ended(pod):
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def of_daemon_set(pod):
    return any(o.get("controller") and o["kind"] == "DaemonSet" and o["apiVersion"].startswith("apps/") for o in pod["metadata"].get("ownerReferences") or [])


def zone_request(pod):
    """Milli-CPUs that the pod wants in zones: its containers with a whole, positive number of CPUs as request and limit."""
    if of_daemon_set(pod) or annotations(pod).get(CPU_POLICY) == "none":
        return 0
    total = 0
    for container in pod["spec"]["containers"]:
        resources = container.get("resources", {})
        request, limit = cpu(resources.get("requests") or {}), cpu(resources.get("limits") or {})
        if request == limit and request > 0 and request % 1000 == 0:
            total += request
    return total


def node_request(pod, amount, side="requests"):
    """What kube-scheduler charges to the node: sidecars run beside everything that starts after them."""
    containers = sum(amount(c.get("resources", {}).get(side) or {}) for c in pod["spec"]["containers"])
    sidecars = peak = 0
    for container in pod["spec"].get("initContainers") or []:
        own = amount(container.get("resources", {}).get(side) or {})
        if container.get("restartPolicy") == "Always":
            sidecars += own
            peak = max(peak, sidecars)
        else:
            peak = max(peak, sidecars + own)
    return max(peak, sidecars + containers)


def placement(pod):
    """The huygens.dev/placement of this very pod on its node; None if there is none or it is a copy of another pod's."""
    text = annotations(pod).get(PLACEMENT)
    mark = json.loads(text) if text else None
    return mark if mark and mark["uid"] == pod["metadata"]["uid"] and mark["node"] == pod["spec"].get("nodeName") else None


def held(pod):
    """{zone name: milli-CPUs} that the pod holds."""
    text, mark = annotations(pod).get(RESULT), placement(pod)
    if not text or not bound(pod) or ended(pod) or not mark or "zones" not in mark:
        return {}
    return {zone["name"]: cpu(zone["resources"]["capacity"]) for zone in json.loads(text)}


def unscheduled_reason(pod):
    conditions = pod["status"].get("conditions") or []
    return next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled" and c["status"] == "False"), "")


class Topology:
    def __init__(self, item):
        manager = item["craneManagerPolicy"]
        self.managed = manager["cpuManagerPolicy"] == "Static"
        self.one_zone = manager["topologyManagerPolicy"] == "SingleNUMANodePodLevel"
        self.room = {}
        for zone in item["zones"]:
            allocatable = cpu(zone["resources"]["allocatable"])
            offline = zone.get("attributes", {}).get("offline_capacity")
            self.room[zone["name"]] = min(allocatable, quantity(offline, 1000)) if offline else allocatable


class Cluster:
    """The nodes, topologies and pods at one moment."""

    def __init__(self, nodes, topologies, pods):
        self.nodes = {n["metadata"]["name"]: n["status"]["allocatable"] for n in nodes}
        self.topologies = {t["metadata"]["name"]: Topology(t) for t in topologies}
        self.pods = pods
        self.used = {name: {"cpu": 0, "memory": 0, "pods": 0, "zones": {}} for name in self.nodes}
        for pod in pods:
            if not bound(pod) or ended(pod):
                continue
            used = self.used[pod["spec"]["nodeName"]]
            used["cpu"] += node_request(pod, cpu)
            used["memory"] += node_request(pod, memory)
            used["pods"] += 1
            for zone, amount in held(pod).items():
                used["zones"][zone] = used["zones"].get(zone, 0) + amount

    def pending(self):
        return [p for p in self.pods if not bound(p) and not ended(p) and not p["metadata"].get("deletionTimestamp")]

    def fits(self, pod, name):
        """Whether the node has room for the pod now."""
        allocatable, used = self.nodes[name], self.used[name]
        if used["cpu"] + node_request(pod, cpu) > cpu(allocatable) or used["pods"] + 1 > int(allocatable["pods"]):
            return False
        if used["memory"] + node_request(pod, memory) > memory(allocatable):
            return False
        wanted = zone_request(pod)
        awareness = annotations(pod).get(AWARENESS)
        topology = self.topologies.get(name)
        if wanted == 0 or (topology and not topology.managed):
            return True
        if not topology:
            return awareness != "true"
        free = [room - used["zones"].get(zone, 0) for zone, room in topology.room.items()]
        if awareness == "true" or (awareness != "false" and topology.one_zone):
            return any(f >= wanted for f in free)
        return sum(max(f, 0) // 1000 * 1000 for f in free) >= wanted

    def pending_that_fit(self):
        """[(pod name, a node that would take it, what kube-scheduler last said about the pod)]"""
        found = []
        for pod in self.pending():
            node = next((n for n in self.nodes if self.fits(pod, n)), None)
            if node:
                found.append((pod["metadata"]["name"], node, unscheduled_reason(pod)))
        return found

    def wrong_results(self):
        """One line per bound pod whose zones are missing, superfluous or not what it asked for."""
        wrong = []
        for pod in self.pods:
            if not bound(pod):
                continue
            name, node = pod["metadata"]["name"], pod["spec"]["nodeName"]
            topology, wanted, mark = self.topologies.get(node), zone_request(pod), placement(pod)
            if not (topology and topology.managed):
                if mark and "zones" in mark:  # without zones it takes the place of one that the pod had brought along
                    wrong.append(f"{name} on {node} has a placement of zones and should have none: {mark}")
                continue
            if not wanted:
                if not mark or mark["zones"] or held(pod):
                    wrong.append(f"{name} on {node} wants no zones: placement {mark}, result {annotations(pod).get(RESULT)}")
                continue
            text = annotations(pod).get(RESULT)
            if not text or not mark:
                wrong.append(f"{name} on {node} has no result of its own: {annotations(pod)}")
                continue
            zones = {zone["name"]: cpu(zone["resources"]["capacity"]) for zone in json.loads(text)}
            awareness = annotations(pod).get(AWARENESS)
            if sum(zones.values()) != wanted or any(amount <= 0 for amount in zones.values()):
                wrong.append(f"{name} on {node} wants {wanted} milli-CPUs and has {zones}")
            if not set(zones) <= set(topology.room):
                wrong.append(f"{name} on {node} has zones that the node has not: {zones}")
            if len(zones) > 1 and (awareness == "true" or (awareness != "false" and topology.one_zone)):
                wrong.append(f"{name} on {node} wants one zone and has {zones}")
            if {z["name"]: cpu(z) for z in mark["zones"]} != zones:
                wrong.append(f"{name} on {node}: placement {mark['zones']} and result {zones} differ")
        return wrong
