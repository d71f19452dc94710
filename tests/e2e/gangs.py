"""Pods that kube-scheduler places together or not at all (spec.schedulingGroup), as Kubernetes 1.37 does with a gate that is off by default."""
import collections

import oracle
import workload
from api import wait_until
from binaries import kubernetes_minor, kubernetes_version
from testbed import SCHEDULER_NAME, ControlPlane, Skip, need_control_plane

PODS = "/api/v1/namespaces/default/pods"
GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups"
GATE = "--feature-gates=GenericWorkload=true"
OLDEST = 37


class GangControlPlane(ControlPlane):
    def api_server_options(self):
        return [*super().api_server_options(), GATE, "--runtime-config=scheduling.k8s.io/v1beta1=true"]


def make_topology(index, zones):
    return {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": workload.node_name(index)},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"}, "zones": zones}


def make_member(gang, index, cpus):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{gang}-{index}", "namespace": "default"},
            "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 0, "schedulingGroup": {"podGroupName": gang},
                     "containers": [workload.container("app", cpus)]}}


def gang():
    """A gang for which the nodes have room and the zones have not is left out whole; one that fits is bound whole, each pod in a zone of its own."""
    need_control_plane()
    if kubernetes_minor() < OLDEST:
        raise Skip(f"Kubernetes {kubernetes_version()} places no gangs; HUYGENS_E2E_KUBERNETES=1.{OLDEST} does")
    with GangControlPlane("gang") as bed:
        bed.install()
        # Three nodes of two zones of five CPUs each: by zones there is room for six pods of three CPUs, by the sums of the nodes for nine.
        zones = [{"name": f"node{i}", "type": "Node", "resources": {"capacity": {"cpu": "5"}, "allocatable": {"cpu": "5"}}} for i in range(2)]
        nodes = 3
        workload.create_nodes(bed.client, [workload.make_node(i, zones) for i in range(nodes)], [make_topology(i, zones) for i in range(nodes)])
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens, options=[GATE])

        def create(name, count, cpus="3"):
            bed.client.post(GROUPS, {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name},
                                     "spec": {"schedulingPolicy": {"gang": {"minCount": count}}}})
            for index in range(count):
                bed.client.post(PODS, make_member(name, index, cpus))

        def members(name):
            return [pod for pod in bed.client.get(PODS)["items"] if pod["metadata"]["name"].startswith(f"{name}-")]

        def told(name):
            return [oracle.unscheduled_reason(pod) for pod in members(name)]

        # The bind Lease that is new settles first; until then nothing is bound, gang or not.
        first = make_member("first", 0, "1")
        del first["spec"]["schedulingGroup"]
        bed.client.post(PODS, first)
        wait_until(lambda: oracle.bound(bed.client.get(f"{PODS}/first-0")), "a pod without a gang was not bound", 60)
        bed.client.delete(f"{PODS}/first-0", grace_seconds=0)
        create("large", 8)
        wait_until(lambda: any(map(oracle.bound, members("large"))) or all(told("large")), lambda: f"not all are told why: {told('large')}", 60)
        assert not any(map(oracle.bound, members("large"))), f"part of a gang was bound, the others: {told('large')}"
        # What was held for the gang in vain is given back, and another takes it.
        create("small", 6)
        wait_until(lambda: all(oracle.bound(pod) for pod in members("small")), lambda: f"not bound: {told('small')}", 90)
        assert not any(map(oracle.bound, members("large"))), f"part of a gang was bound, the others: {told('large')}"
        taken = collections.Counter((pod["spec"]["nodeName"], zone) for pod in members("small") for zone in oracle.held(pod))
        assert len(taken) == 2 * nodes and set(taken.values()) == {1}, taken
        wait_until(lambda: huygens.metric("huygens_reservations") == 0, "something is held for ever", 30)
        refused = [line for line in huygens.process.log().splitlines() if "verb=bind" in line and "rejected" in line]
        assert not refused, refused
        return f"6 of 6 bound, each in a zone of its own, 0 of 8; {len(taken)} zones"
