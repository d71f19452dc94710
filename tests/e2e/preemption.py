"""Preemption where only huygens knows who is in the way."""
import http.client
import json
import ssl

import oracle
import workload
from api import ApiError, wait_until
from testbed import NRT_PATH, SCHEDULER_NAME, ControlPlane

PRIORITIES = {"urgent": 2000, "wanted": 1000, "holder": 20, "outside": 1}
PODS = "/api/v1/namespaces/default/pods"


def node_and_topology(index):
    """A managed node of 8 CPUs in two zones."""
    zones = [{"name": f"node{i}", "type": "Node", "resources": {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}}} for i in range(2)]
    node = workload.make_node(index, zones)
    node["metadata"]["labels"] = {"kubernetes.io/hostname": node["metadata"]["name"]}
    topology = {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": node["metadata"]["name"]},
                "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"}, "zones": zones}
    return node, topology


def make_pod(name, priority, cpus, node=None, policy="exclusive", grace=0):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "annotations": {oracle.CPU_POLICY: policy}},
            "spec": {"schedulerName": SCHEDULER_NAME, "priorityClassName": priority, "terminationGracePeriodSeconds": grace,
                     "nodeSelector": {"kubernetes.io/hostname": node} if node else {}, "containers": [workload.container("app", cpus)]}}


def post(bed, huygens, verb, arguments):
    """What huygens answers kube-scheduler."""
    context = ssl.create_default_context(cafile=bed.certificates() / "ca.crt")
    context.load_cert_chain(bed.certificates() / "kube-scheduler.crt", bed.certificates() / "kube-scheduler.key")
    connection = http.client.HTTPSConnection("127.0.0.1", huygens.port, context=context, timeout=5)
    connection.request("POST", f"/{verb}", json.dumps(arguments))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def ask(bed, huygens, pod, victims):
    """Whom huygens would evict when kube-scheduler names these victims (node -> UIDs)."""
    named = {node: {"Pods": [{"UID": uid} for uid in uids] or None, "NumPDBViolations": 0} for node, uids in victims.items()}
    answer = post(bed, huygens, "preempt", {"Pod": pod, "NodeNameToVictims": None, "NodeNameToMetaVictims": named})["NodeNameToMetaVictims"]
    return {node: [victim["UID"] for victim in each["Pods"]] for node, each in answer.items()}


def preempt():
    """A pod that needs a zone preempts exactly the pod that holds it, where kube-scheduler alone would evict another, in vain."""
    with ControlPlane("preempt") as bed:
        bed.install()
        helped, hopeless, kept = map(workload.node_name, range(3))
        workload.create_nodes(bed.client, *zip(*map(node_and_topology, range(2))))
        for name, value in PRIORITIES.items():
            bed.client.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens)

        def get(name):
            try:
                return bed.client.get(f"{PODS}/{name}")
            except ApiError as error:
                assert error.code == 404, error
                return None

        def place(name, *rest, **named):
            bed.client.post(PODS, make_pod(name, *rest, **named))
            wait_until(lambda: oracle.bound(get(name)), f"{name} was not bound", 30)
            return get(name)

        # Half of each zone is taken, and two CPUs of the node by a pod without zones: a pod of four lacks two CPUs of the node.
        place("first", "urgent", "2", helped)
        holder = place("holder", "holder", "2", helped)
        place("outside", "outside", "2", helped, policy="none")
        for name in ("second", "third"):
            place(name, "urgent", "2", hopeless)
        place("outside-too", "outside", "2", hopeless, policy="none")
        assert [list(oracle.held(get(name))) for name in ("first", "holder", "second", "third")] == [["node0"], ["node1"]] * 2

        # As Kubernetes 1.38 asks: it needs no victims, or knows none.
        wanted = make_pod("wanted", "wanted", "4")
        asked = {**wanted, "spec": {**wanted["spec"], "priority": PRIORITIES["wanted"]}}
        answer = ask(bed, huygens, asked, {helped: [], hopeless: []})
        assert answer == {helped: [holder["metadata"]["uid"]]}, answer
        never = {**asked, "spec": {**asked["spec"], "preemptionPolicy": "Never"}}
        assert ask(bed, huygens, never, {helped: []}) == {}

        # By what kube-scheduler knows the pod of the lowest priority makes room, on either node.
        bed.client.post(PODS, wanted)
        wait_until(lambda: oracle.bound(get("wanted")), lambda: oracle.unscheduled_reason(get("wanted")), 60)
        left = {pod["metadata"]["name"] for pod in bed.client.get(PODS)["items"]}
        assert left == {"first", "outside", "second", "third", "outside-too", "wanted"}, f"left: {sorted(left)}"
        assert get("wanted")["spec"]["nodeName"] == helped and oracle.held(get("wanted")) == {"node1": 4000}, oracle.held(get("wanted"))

        # While its victim leaves, nobody of lower priority gets the CPU beside the victim that the pod needs, too.
        workload.create_nodes(bed.client, *zip(node_and_topology(2)))
        place("fourth", "urgent", "4", kept)
        place("leaving", "holder", "3", kept, grace=600)  # nobody ends it: there is no kubelet
        bed.client.post(PODS, make_pod("waiting", "wanted", "4", kept))
        wait_until(lambda: get("waiting")["status"].get("nominatedNodeName") == kept and "deletionTimestamp" in get("leaving")["metadata"],
                   lambda: f"nobody makes room: {get('waiting')['status']}", 30)

        def passes(priority):
            competitor = make_pod("competitor", "outside", "1")
            competitor["spec"]["priority"] = priority
            return post(bed, huygens, "filter", {"Pod": competitor, "NodeNames": [kept]})["NodeNames"] == [kept]

        wait_until(lambda: not passes(PRIORITIES["wanted"]), "a pod of equal priority may take what was preempted for another", 10)
        assert not passes(PRIORITIES["outside"]) and passes(PRIORITIES["urgent"])
        bed.client.delete(f"{PODS}/leaving", grace_seconds=0)
        wait_until(lambda: oracle.bound(get("waiting")), lambda: oracle.unscheduled_reason(get("waiting")), 60)
        assert oracle.held(get("waiting")) == {"node1": 4000}, oracle.held(get("waiting"))
        wait_until(lambda: huygens.metric("huygens_reservations") == 0, "a reservation is left", 30)
        assert huygens.metric("huygens_reservation_drift") == 0
        answers = [d for d in json.loads(huygens.admin("/debug/decisions?pod=default/wanted")[1])["decisions"]
                   if d["verb"] == "preempt" and d["uid"]]
        return f"evicted holder alone; {len(answers)} question(s) of kube-scheduler, the last: {answers[0]['facts']}"
