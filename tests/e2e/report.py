"""Checks that only report refuse nothing and say what they would; one word in the configuration, and they refuse it."""
import json
import subprocess

import oracle
import workload
from api import wait_until
from budgets import GROUP
from quota_workload import make_group
from scenarios import check_audit
from testbed import GROUPS_PATH, NRT_PATH, SCHEDULER_NAME, ControlPlane, huygens_binary

PODS = "/api/v1/namespaces/default/pods"
CPUS, ZONES = 16, 4
# Nothing measures use here, so limits stand for it, and there is no history to wait for.
ESTIMATES = """
usage:
  minHistory: 0s
  maxStaleNodes: 1
"""
USAGE = "node(s) would exceed the usage ceiling"
TOPOLOGY = "node(s) had insufficient resource of NUMA node"
QUOTA = "quota of the pod's business group is exhausted"


def make_node(name, role):
    amounts = {"cpu": str(CPUS), "memory": "64Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"role": role}},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def make_topology(name):
    zones = [{"name": f"node{i}", "type": "Node", "costs": [{"name": f"node{j}", "value": 10 if i == j else 20} for j in range(ZONES)],
              "resources": {"capacity": {"cpu": str(CPUS // ZONES)}, "allocatable": {"cpu": str(CPUS // ZONES)}}} for i in range(ZONES)]
    return {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": name},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"}, "zones": zones}


def make_pod(name, role, request, limit=None, node=None, **labels):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": labels},
           "spec": {"schedulerName": SCHEDULER_NAME, "nodeSelector": {"role": role}, "terminationGracePeriodSeconds": 0,
                    "containers": [workload.container("app", request, limit)]}}
    if node:
        pod["spec"]["nodeName"] = node
    return pod


def wait_bound(client, *names):
    wait_until(lambda: all(oracle.bound(client.get(f"{PODS}/{name}")) for name in names),
               lambda: f"not bound: {[(name, oracle.unscheduled_reason(client.get(f'{PODS}/{name}'))) for name in names]}", 30)


def wait_refused(client, name, reason):
    wait_until(lambda: oracle.unscheduled_reason(client.get(f"{PODS}/{name}")), f"{name} was not decided", 30)
    pod = client.get(f"{PODS}/{name}")
    assert not oracle.bound(pod) and reason in oracle.unscheduled_reason(pod), f"{name}: {pod['spec'].get('nodeName')} {pod['status']}"


def check_said(huygens, check, reason, pods, nodes):
    """All that "Switch on safely" names says that `check` would have refused these pods on each of so many nodes."""
    count = huygens.metric("huygens_pods_would_be_rejected_total", f'check="{check}"')
    # Each once in ten minutes, but the first of these periods is shorter: a pod that is tried before and after it counts twice.
    assert len(pods) <= count <= 2 * len(pods), f"{check}: {count} pods are counted, not {len(pods)}"
    text = huygens.admin("/readyz?verbose")[1]
    notice = next((line for line in text.splitlines() if f"check {check} only reports" in line), "")
    told = f"{len(pods)} pod{'s' * (len(pods) > 1)} on {nodes} node{'s' * (nodes > 1)}, {len(pods)} of them on every node: {reason}"
    assert told in notice, f"/readyz?verbose does not say {told!r}:\n{text}"
    for pod in pods:
        explained = ask(huygens, "explain", f"default/{pod}")
        assert f"would be refused: {check}: {reason}" in explained, explained
        assert "A check that only reports would have refused that node" in explained, explained
        decisions = json.loads(huygens.admin(f"/debug/decisions?pod=default/{pod}")[1])["decisions"]
        last = {decision["verb"]: decision for decision in reversed(decisions)}  # they come latest first
        said = [node["wouldRefuse"] for node in last["filter"]["nodes"]] + [last["bind"]["wouldRefuse"]]
        # Behind the text for kube-scheduler it may say more: "too small even when empty".
        assert len(said) == nodes + 1 and all(list(each) == [check] and each[check].startswith(reason) for each in said), last


def ask(huygens, *arguments):
    result = subprocess.run([huygens_binary(), *arguments, f"--admin-url=http://127.0.0.1:{huygens.admin_port}"], capture_output=True, text=True)
    assert result.returncode == 0, f"huygens {' '.join(arguments)}: {result.stderr}"
    return result.stdout


def report():
    """What a check in mode report would refuse is bound, counted and explained; after one word and a restart it is refused, and the other way round."""
    with ControlPlane("report") as bed:
        bed.install()
        client = bed.client
        for name, role in (("hot-1", "hot"), ("hot-2", "hot"), ("zoned", "zoned")):
            client.post("/api/v1/nodes", make_node(name, role))
        client.post(NRT_PATH, make_topology("zoned"))
        client.post(GROUPS_PATH, make_group("small", **{"limits.cpu": "1"}))
        # 8 CPUs count as 6.8: one such pod is below the ceiling of 12.8, two are above.
        workload.create_pods(client, [make_pod(f"old-{node}", "hot", "100m", "8", node) for node in ("hot-1", "hot-2")])
        greedy = [f"greedy-{i}" for i in range(4)]
        huygens = bed.start_huygens(more=ESTIMATES)  # the shipped modes: usage reports, topology and quota refuse
        bed.start_scheduler(huygens)

        workload.create_pods(client, [make_pod(name, "hot", "100m", "8") for name in greedy])
        workload.create_pods(client, [make_pod("wide", "zoned", "6"), make_pod("dear", "zoned", "2", **{GROUP: "small"})])
        wait_bound(client, *greedy)
        wait_refused(client, "wide", TOPOLOGY)
        wait_refused(client, "dear", QUOTA)
        check_said(huygens, "usage", USAGE, greedy, 2)
        assert huygens.metric("huygens_nodes_would_be_rejected_total", 'reason="usage_ceiling"') >= 2 * len(greedy)

        huygens.change({"{name: usage, mode: report}": "{name: usage, mode: enforce}",
                        "{name: topology, mode: enforce}": "{name: topology, mode: report}",
                        "{name: quota, mode: enforce}": "{name: quota, mode: report}"})
        wait_bound(client, "wide", "dear")
        check_said(huygens, "topology", TOPOLOGY, ["wide"], 1)
        check_said(huygens, "quota", QUOTA, ["dear"], 1)
        workload.create_pods(client, [make_pod(f"late-{i}", "hot", "100m", "8") for i in range(2)])
        for i in range(2):
            wait_refused(client, f"late-{i}", f"2 {USAGE}")
        assert USAGE in ask(huygens, "explain", "default/late-0")
        wait_bound(client, *greedy)  # what runs stays
        bindings = check_audit(bed)
        assert bindings == len(greedy) + 2, f"{bindings} bindings"
        return (f"{len(greedy)} pods above the ceiling bound and counted in report, 2 of their kind refused once it was enforced; "
                "topology and quota the other way round")
