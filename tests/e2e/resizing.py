"""Pods that are resized in place, on the real kube-apiserver and kube-scheduler. What kubelet says of a resize the test says: there is none."""
import json

import oracle
import workload
from api import wait_until
from binaries import kubernetes_minor, kubernetes_version
from preemption import PODS, PRIORITIES, make_pod, node_and_topology
from report import ask as ask_huygens
from testbed import ControlPlane, Skip, need_control_plane

OLDEST = 33  # where pods have the subresource `resize` without a feature gate
PREEMPTS = 37  # where kube-scheduler makes room for a resize that kubelet has deferred
GATE = "--feature-gates=InPlacePodVerticalScalingSchedulerPreemption=true"


def resize():
    """A pod that outgrows its zones is told of and given no company there until it has shrunk; from 1.37 on one victim, no more, makes room for it."""
    need_control_plane()
    minor = kubernetes_minor()
    if minor < OLDEST:
        raise Skip(f"Kubernetes {kubernetes_version()} resizes no pods in place; HUYGENS_E2E_KUBERNETES=1.{OLDEST} does")
    with ControlPlane("resize") as bed:
        bed.install()
        node = workload.node_name(0)
        workload.create_nodes(bed.client, *zip(node_and_topology(0)))
        for name, value in PRIORITIES.items():
            bed.client.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens, options=[GATE] if minor >= PREEMPTS else [])

        def names():
            return {pod["metadata"]["name"] for pod in bed.client.get(PODS)["items"]}

        def place(name, priority, cpus, **more):
            bed.client.post(PODS, make_pod(name, priority, cpus, **more))
            wait_until(lambda: oracle.bound(bed.client.get(f"{PODS}/{name}")), f"{name} was not bound", 60)
            return bed.client.get(f"{PODS}/{name}")

        def ask(cpus):
            """The resize, as a user asks for it."""
            return bed.client.patch(f"{PODS}/grows/resize", {"spec": {"containers": [workload.container("app", cpus)]}})

        def answer(cpus, condition=None):
            """What kubelet has given, and what it says of the rest."""
            amounts = {"cpu": cpus}
            bed.client.patch(f"{PODS}/grows/status", {"status": {
                "phase": "Running", "conditions": [condition] if condition else [],
                "containerStatuses": [{"name": "app", "image": "none", "imageID": "none", "ready": True, "restartCount": 0, "started": True,
                                       "allocatedResources": amounts, "resources": {"requests": amounts}}]}})

        def overcommitted():
            return huygens.metric("huygens_overcommitted", 'what="zones"')

        # It grows from two to three CPUs in a zone of four, of which another holds two.
        assert oracle.held(place("grows", "wanted", "2")) == {"node0": 2000}
        assert oracle.held(place("apart", "holder", "2")) == {"node1": 2000}
        assert oracle.held(place("beside", "holder", "2")) == {"node0": 2000}
        answer("2")
        ask("3")
        wait_until(lambda: overcommitted() == 1, "nobody says that the zone is over-used", 60)

        def events():
            return [event for event in bed.client.get("/api/v1/namespaces/default/events")["items"] if event["reason"] == "ZonesOutgrown"]

        wait_until(events, "the pod has no Event", 60)
        assert {event["involvedObject"]["name"] for event in events()} == {"grows"}, events()
        explained = ask_huygens(huygens, "explain", "default/grows")
        assert "no longer fits its zones: it asks 3 cpu and was bound with 2 cpu; node0 can give 4 cpu, of which 5 cpu are taken" in explained, explained
        explained = ask_huygens(huygens, "explain", f"node/{node}")
        assert "outgrew their zones: default/grows asks 3 cpu" in explained, explained
        assert oracle.held(place("third", "outside", "1")) == {"node1": 1000}  # no company for it
        ask("2")
        answer("2")
        wait_until(lambda: overcommitted() == 0, "what it gave up is still charged", 60)
        assert "no longer fits" not in ask_huygens(huygens, "explain", "default/grows")
        if minor < PREEMPTS:
            return f"told of the pod that outgrew its zone; kube-scheduler makes room from 1.{PREEMPTS} on"

        # One CPU of the node is free, and it wants two more: kubelet defers. kube-scheduler would evict the pod of the lowest priority, which
        # holds the other zone. Nobody else than the pod beside it has to go, and once that has gone the resize fits.
        ask("4")
        answer("2", {"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "node has not enough"})

        def decisions():
            return [each for each in json.loads(huygens.admin("/debug/decisions?pod=default/grows")[1])["decisions"] if each["verb"] != "bind"]

        asked = len(decisions())
        wait_until(lambda: "beside" not in names(), lambda: f"nobody makes room: {decisions()[:3]}", 60)
        wait_until(lambda: len(decisions()) > asked and decisions()[0]["verb"] == "filter" and decisions()[0]["outcome"] == "ok",
                   lambda: f"it does not fit: {decisions()[:3]}", 60)
        assert names() == {"grows", "apart", "third"}, names()
        wait_until(lambda: overcommitted() == 0, "the zone is over-used although there is room", 60)
        assert oracle.held(bed.client.get(f"{PODS}/grows")) == {"node0": 2000}  # as it was bound
        return "told of the pod that outgrew its zone; one victim made room for a resize that kubelet deferred"
