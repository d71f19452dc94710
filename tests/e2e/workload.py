"""A made cluster of nodes with 2 to 8 zones, pods of every shape and policy, and their coming and going. Same seed, same workload."""
import copy
import random
import threading
import time

import oracle
from testbed import NRT_PATH, SCHEDULER_NAME

DISTANCES = {"local": 10, "near": 12, "far": 21}


def node_name(index):
    return f"node-{index:04d}"


def make_node(index, zones):
    cpus = sum(int(zone["resources"]["allocatable"]["cpu"]) for zone in zones)
    amounts = {"cpu": str(cpus), "memory": f"{cpus * 4}Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node_name(index)},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def make_zones(rng):
    count = rng.randint(2, 8)
    cpus = rng.choice([2, 3, 4, 6, 8])
    zones = []
    for i in range(count):
        allocatable = cpus - 1 if i == 0 else cpus
        half = count / 2
        costs = [{"name": f"node{j}", "value": DISTANCES["local" if i == j else "near" if (i < half) == (j < half) else "far"]}
                 for j in range(count)]
        zone = {"name": f"node{i}", "type": "Node", "costs": costs,
                "resources": {"capacity": {"cpu": str(cpus)}, "allocatable": {"cpu": str(allocatable)}}}
        if rng.random() < 0.15:
            zone["attributes"] = {"offline_capacity": rng.choice(["1", "2", "2500m", "0", "64"])}
        zones.append(zone)
    return zones


def make_cluster(rng, count):
    """(nodes, topology objects): most nodes managed, some pinned by kubelet, some without a topology object."""
    nodes, topologies = [], []
    for index in range(count):
        zones = make_zones(rng)
        nodes.append(make_node(index, zones))
        kind = rng.random()
        if kind < 0.05:
            continue
        topologies.append({
            "apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": node_name(index)},
            "craneManagerPolicy": {"cpuManagerPolicy": "None" if kind < 0.1 else "Static",
                                   "topologyManagerPolicy": rng.choice(["None", "SingleNUMANodePodLevel"])},
            "zones": zones})
    return nodes, topologies


def container(name, request, limit=None):
    limit = limit or request
    return {"name": name, "image": "image", "resources": {"requests": {"cpu": request, "memory": "256Mi"},
                                                          "limits": {"cpu": limit, "memory": "256Mi"}}}


def make_pod(rng, index, scheduler_name=SCHEDULER_NAME):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{index:05d}", "namespace": "default", "annotations": {}},
           "spec": {"schedulerName": scheduler_name, "terminationGracePeriodSeconds": 0, "containers": []}}
    marks, spec = pod["metadata"]["annotations"], pod["spec"]
    awareness = rng.choice(["true", "true", "false", "false", None, "perhaps"])
    if awareness:
        marks[oracle.AWARENESS] = awareness
    policy = rng.choice([None, None, "exclusive", "numa", "immovable", "none", "sometimes"])
    if policy:
        marks[oracle.CPU_POLICY] = policy
    shape = rng.random()
    if shape < 0.60:  # one pinned container
        spec["containers"] = [container("app", str(rng.choice([1, 1, 2, 2, 3, 4, 6])))]
    elif shape < 0.72:  # several, summed
        spec["containers"] = [container(f"app{i}", rng.choice(["1", "2000m", "1.0"])) for i in range(rng.randint(2, 3))]
    elif shape < 0.80:  # a pinned one beside one that shares
        spec["containers"] = [container("app", "2"), container("agent", "300m")]
    elif shape < 0.86:  # shares only
        spec["containers"] = [container("app", "500m", "2")]
    elif shape < 0.92:  # init container and sidecar
        spec["containers"] = [container("app", "2")]
        spec["initContainers"] = [{**container("proxy", "100m"), "restartPolicy": "Always"}, container("migrate", "3")]
    elif shape < 0.95:  # as of a DaemonSet
        spec["containers"] = [container("app", "1")]
        pod["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "daemon",
                                               "uid": "7a4e6c1e-0d0f-4c57-9e0b-5d8a4f3c2b10", "controller": True}]
    elif shape < 0.98:  # across zones
        spec["containers"] = [container("app", str(rng.randint(10, 20)))]
        marks[oracle.AWARENESS] = "false"
    else:  # into no zone there is
        spec["containers"] = [container("app", "11")]
        marks[oracle.AWARENESS] = "true"
        marks.pop(oracle.CPU_POLICY, None)
    return pod


def create_nodes(client, nodes, topologies):
    client.for_each(lambda node: client.post("/api/v1/nodes", node), nodes)
    client.for_each(lambda topology: client.post(NRT_PATH, topology), topologies)


def create_pods(client, pods):
    client.for_each(lambda pod: client.post(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", pod), pods)


def pod_path(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


class Churn(threading.Thread):
    """While scheduling goes on: bound pods are deleted and created again under the same name, some with another shape and some with the
    annotations of their predecessor; others end, or linger as deleted; zones get back capacity."""

    def __init__(self, client, recorder, seed, count, topologies):
        super().__init__(name="churn")
        self.count = count
        self.done = 0
        self.failure = None
        self._client = client
        self._recorder = recorder
        self._rng = random.Random(seed)
        self._topologies = topologies

    def run(self):
        try:
            while (left := self.count - self.done) > 0:  # read once: Successors.end() changes `count` from another thread
                candidates = [p for p in self._recorder.pods()
                              if oracle.bound(p) and not oracle.ended(p) and not p["metadata"].get("deletionTimestamp")]
                if not candidates:
                    time.sleep(0.05)
                    continue
                candidates.sort(key=lambda p: p["metadata"]["name"])
                for pod in self._rng.sample(candidates, min(10, len(candidates), left)):
                    self._touch(pod)
                    self.done += 1
        except Exception as error:  # reported by finish()
            self.failure = error

    def finish(self, seconds):
        self.join(seconds)
        if self.failure:
            raise self.failure
        assert not self.is_alive(), f"only {self.done} of {self.count} changes were made in {seconds} s"

    def _touch(self, pod):
        choice = self._rng.random()
        if choice < 0.10:
            self._client.patch(pod_path(pod) + "/status", {"status": {"phase": self._rng.choice(["Succeeded", "Failed"])}})
        elif choice < 0.15:
            self._client.delete(pod_path(pod), grace_seconds=600)  # holds its zones until the very end, which never comes here
        elif choice < 0.20:
            self._give_back()
        else:
            self._replace(pod)

    def _replace(self, pod):
        successor = make_pod(self._rng, 0, pod["spec"]["schedulerName"])
        if self._rng.random() < 0.5:
            successor["spec"] = {key: copy.deepcopy(pod["spec"][key]) for key in ("schedulerName", "containers", "initContainers")
                                 if key in pod["spec"]}
            successor["metadata"]["annotations"] = dict(oracle.annotations(pod))  # with the predecessor's result, as templates copy it
        successor["metadata"]["name"] = pod["metadata"]["name"]
        self._client.delete(pod_path(pod))
        create_pods(self._client, [successor])

    def _give_back(self):
        topology = self._rng.choice(self._topologies)
        zones = [{key: value for key, value in zone.items() if key != "attributes"} for zone in topology["zones"]]
        self._client.patch(f"{NRT_PATH}/{topology['metadata']['name']}", {"zones": zones})
