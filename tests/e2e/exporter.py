"""The exporter of a kubelet's node: publishes its zones as topology.node.k8s.io/v1alpha2, late, from what kubelet itself says.

Like the real exporters it counts what kubelet's podresources endpoint would list: the CPUs of containers and sidecars, not those that
ordinary init containers leave behind. Where it publishes no fingerprint it says when it looked, so that the object changes each time.
"""
import threading
import time

import oracle
from api import ApiError
from fingerprint import fingerprint

PATH = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"


def pins(container):
    """Whether the static CPU manager gives the container, of a Guaranteed pod, CPUs of its own."""
    cpu = oracle.cpu(container.get("resources", {}).get("requests") or {})
    return cpu > 0 and cpu % 1000 == 0


def lasting(pod):
    return pod["spec"]["containers"] + [c for c in pod["spec"].get("initContainers") or [] if c.get("restartPolicy") == "Always"]


class Exporter(threading.Thread):
    """Publishes `lag` (random, up to so many seconds) after it looked, as long as it is in a `with` statement."""

    def __init__(self, kubelet, client, rng, attributes, lag, with_fingerprint):
        super().__init__(daemon=True)
        self._kubelet, self._client, self._rng = kubelet, client, rng
        self._attributes, self._lag, self._with_fingerprint = attributes, lag, with_fingerprint
        self._stopping = threading.Event()
        self._failure = None
        self.published = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        self._stopping.set()
        self.join()
        if self._failure and kind is None:
            raise self._failure

    def run(self):
        try:
            while not self._stopping.is_set():
                topology = self.look()
                self._stopping.wait(self._rng.uniform(0, self._lag))
                if topology:
                    self._publish(topology)
        except Exception as error:  # told to the thread that ends this one
            self._failure = error

    def look(self):
        """The topology object of this moment, or None while kubelet is in the middle of admitting a pod."""
        pods = [pod for pod in self._kubelet.pods() if not oracle.ended(pod)]
        cpus, memory = self._kubelet.assigned_cpus(), self._kubelet.memory()
        taken = set()
        for pod in pods:
            if pod["status"].get("qosClass") != "Guaranteed":
                continue
            for container in filter(pins, lasting(pod)):
                own = cpus.get(pod["metadata"]["uid"], {}).get(container["name"])
                if not own:
                    return None
                taken |= own
        attributes = dict(self._attributes)
        if self._with_fingerprint:
            attributes["nodeTopologyPodsFingerprint"] = fingerprint((p["metadata"]["namespace"], p["metadata"]["name"]) for p in pods)
            attributes["nodeTopologyPodsFingerprintMethod"] = "all"
        else:
            attributes["lookedAt"] = f"{time.time():.1f}"
        machine, reserved = self._kubelet.machine, self._kubelet.reserved_cpus
        zones = []
        for zone in machine.zone_ids:
            all_cpus, usable_memory = set(machine.cpus(zone)), machine.zone_memory - self._kubelet.reserved_memory
            free_memory, memory_group = memory.get(zone, (usable_memory, [zone]))
            zones.append({
                "name": f"node-{zone}", "type": "Node",
                "attributes": [{"name": "memoryGroup", "value": ",".join(f"node-{member}" for member in memory_group)}],
                "costs": [{"name": f"node-{other}", "value": machine.distance(zone, other)} for other in machine.zone_ids],
                "resources": [
                    {"name": "cpu", "capacity": str(len(all_cpus)), "allocatable": str(len(all_cpus - reserved)),
                     "available": str(len(all_cpus - reserved - taken))},
                    {"name": "memory", "capacity": str(machine.zone_memory),
                     "allocatable": str(usable_memory), "available": str(free_memory)}]})
        return {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": self._kubelet.name},
                "attributes": [{"name": name, "value": value} for name, value in attributes.items()], "zones": zones}

    def _publish(self, topology):
        try:
            self._client.patch(f"{PATH}/{self._kubelet.name}", topology)
        except ApiError as error:
            if error.code != 404:
                raise
            self._client.post(PATH, topology)
        self.published += 1
