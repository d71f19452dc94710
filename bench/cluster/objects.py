"""The made cluster of tools/bench_cluster: nodes of 2, 4 or 8 zones, their topology objects, pods of a hundred Deployments, a week of their use."""
import math

from budgets import GROUP as GROUP_LABEL
from cases import GROUP, SCHEDULER_NAME

DEPLOYMENTS = 100
CPUS, GIBIBYTES = 32, 128  # of a zone
SLOT, SLOTS = 900, 7 * 96


def node_name(index):
    """30 characters, like the names of cloud machines."""
    return f"pool-a-4f9c2d7b-worker-{index:07d}"


def zones_of(index):
    return (2, 4, 8)[index % 3]


def node(index):
    zones = zones_of(index)
    amounts = {"cpu": str(CPUS * zones), "memory": f"{GIBIBYTES * zones}Gi", "pods": "250"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node_name(index)},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def costs(index, zone):
    return [{"name": f"node{other}", "value": 10 if other == zone else 12 if other // 2 == zone // 2 else 20} for other in range(zones_of(index))]


def crane_topology(index):
    amounts = {"cpu": str(CPUS), "memory": f"{GIBIBYTES}Gi"}
    return {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": node_name(index)},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"},
            "zones": [{"name": f"node{zone}", "type": "Node", "costs": costs(index, zone),
                       "resources": {"capacity": amounts, "allocatable": amounts}} for zone in range(zones_of(index))]}


def community_topology(index):
    resources = [{"name": name, "capacity": amount, "allocatable": amount, "available": amount}
                 for name, amount in (("cpu", str(CPUS)), ("memory", f"{GIBIBYTES}Gi"))]
    return {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": node_name(index)},
            "attributes": [{"name": "topologyManagerPolicy", "value": "single-numa-node"}, {"name": "topologyManagerScope", "value": "pod"}],
            "zones": [{"name": f"node-{zone}", "type": "Node", "resources": resources} for zone in range(zones_of(index))]}


def replica_set(deployment):
    return f"service-{deployment:03d}-7d4b9c6f5"


def pod(index):
    """Guaranteed, two CPUs of one zone."""
    owner, amounts = replica_set(index % DEPLOYMENTS), {"cpu": "2", "memory": "4Gi"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{owner}-{index:06d}", "labels": {"app": owner, GROUP_LABEL: GROUP}, "annotations": {"topology.crane.io/topology-awareness": "true"},
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "controller": True,
                                              "uid": f"7a4e6c1e-0d0f-4c57-9e0b-{index % DEPLOYMENTS:012d}"}]},
            "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 0, "tolerations": [{"operator": "Exists"}],
                     "containers": [{"name": "main", "image": "registry.example/web:1", "resources": {"requests": amounts, "limits": amounts}}]}}


def write_week(path, namespace, nodes, now):
    """OpenMetrics: the use of each Deployment by quarter of an hour, busy by day, and what the nodes themselves use, of which the last hours suffice."""
    newest = now - now % SLOT
    with open(path, "w") as file:
        file.write("# TYPE huygens:node_system_usage gauge\n")
        for name in map(node_name, range(nodes)):
            for resource, amount in (("cpu", 0.5), ("memory", 2 << 30)):
                file.writelines(f'huygens:node_system_usage{{node="{name}",resource="{resource}"}} {amount} {time}\n' for time in (newest - SLOT, newest, now - 30))
        file.write("# TYPE huygens:workload_usage gauge\n")
        for deployment in range(DEPLOYMENTS):
            labels = f'namespace="{namespace}",owner_kind="ReplicaSet",owner_name="{replica_set(deployment)}"'
            for slot in range(SLOTS):
                time = newest - (SLOTS - 1 - slot) * SLOT
                day = math.sin(2 * math.pi * (slot / 96 + deployment / DEPLOYMENTS))
                file.write(f'huygens:workload_usage{{{labels},resource="cpu"}} {1 + 0.8 * day:.3f} {time}\n')
        for deployment in range(DEPLOYMENTS):
            labels = f'namespace="{namespace}",owner_kind="ReplicaSet",owner_name="{replica_set(deployment)}"'
            file.writelines(f'huygens:workload_usage{{{labels},resource="memory"}} {3 << 30} {newest - slot * SLOT}\n' for slot in reversed(range(SLOTS)))
        file.write("# EOF\n")
