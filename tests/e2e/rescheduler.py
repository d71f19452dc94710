"""Pods that stand wrong are moved: real Deployments and StatefulSets by kube-controller-manager, real kube-scheduler, a stand-in for kubelet."""
import collections
import json
import os
import queue
import random
import threading
import time

import history
import workload
from api import ApiError, wait_until
from binaries import BINARIES, missing
from quota_workload import make_group
from testbed import CONFIG, GROUPS_PATH, SCHEDULER_NAME, ControlPlane, Process, Skip, free_port

NODES = int(os.environ.get("HUYGENS_E2E_RESCHEDULER_NODES", "24"))
MOVES = int(os.environ.get("HUYGENS_E2E_RESCHEDULER_MOVES", "12"))
REPLICAS = 4
IN_FLIGHT = {"cluster": 6, "source": 2, "target": 2}
MODEL = "huygens.dev/cpu-model"
MIGRATIONS = "/apis/huygens.dev/v1alpha1/podmigrations"
GRACE = 1
CONFIGURATION = """
rescheduler:
  mode: report
  leaseDuration: 4s
  planInterval: 2s
  moveInterval: 200ms
  podCoolDown: 0s
  nodeCoolDown: 0s
  minimumAge: 0s
  minimumHistory: 0s
  workloadShare: 100%
  perHour: {cluster: 10000, node: 1000, group: 10000}
  inFlight: """ + json.dumps({**IN_FLIGHT, "namespace": 100, "group": 100}) + "\n"


class Kubelets(history.Recorder):
    """Stands in for the kubelets of all nodes: pods are Ready a moment after they are bound, and gone once their grace period is over."""

    def __init__(self, client):
        self._work = queue.PriorityQueue()
        self._done = set()
        self._client_of_kubelets = client
        self._threads_of_kubelets = [threading.Thread(target=self._run, daemon=True) for _ in range(8)]
        super().__init__(client, {"pod": "/api/v1/pods"})
        for thread in self._threads_of_kubelets:
            thread.start()

    def _record(self, kind, change, item, version):
        super()._record(kind, change, item, version)
        meta = item["metadata"]
        if change == "DELETED" or not item["spec"].get("nodeName"):
            return
        if "deletionTimestamp" in meta:
            self._later(("gone", meta["uid"]), meta.get("deletionGracePeriodSeconds", 0), item)
        else:
            self._later(("ready", meta["uid"]), 0.1, item)

    def _later(self, what, seconds, item):
        if what in self._done:
            return
        self._done.add(what)
        self._work.put((time.monotonic() + seconds, what, json.dumps(item)))

    def _run(self):
        while not self._stopping:
            try:
                when, (what, uid), text = self._work.get(timeout=0.2)
            except queue.Empty:
                continue
            time.sleep(max(0, when - time.monotonic()))
            item = json.loads(text)
            try:
                if what == "ready":
                    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                    ready = [{"type": each, "status": "True", "lastTransitionTime": now} for each in ("Ready", "ContainersReady", "Initialized")]
                    self._client_of_kubelets.patch(workload.pod_path(item) + "/status",
                                                   {"metadata": {"uid": uid}, "status": {"phase": "Running", "startTime": now, "conditions": ready}})
                else:
                    self._client_of_kubelets.call("DELETE", workload.pod_path(item), {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})
            except ApiError as error:
                if error.code not in (404, 409, 422):
                    raise


def make_workload(kind, name, replicas):
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {
        "metadata": {"labels": {"app": name, "biz.group.resource.quota": "team", "biz.group.resource.quota/cpu-type": "A4"}},
        "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": GRACE, "containers": [workload.container("app", "1")]}}}
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def make_budget(name):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"},
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": name}}}}


class Scene:
    """`sources` are the nodes of model A4 at first, `targets` those that will be."""

    def __init__(self, bed):
        self.bed, self.client = bed, bed.client
        bed.install()
        bed.kubectl("apply", "-k", CONFIG / "rescheduler")
        bed.wait_established("podmigrations.huygens.dev")
        names = [workload.node_name(index) for index in range(NODES)]
        count = max(4, MOVES // 3)
        assert count * 2 <= NODES
        self.sources, self.targets = names[:count], names[count:]
        nodes = [self._node(name, "A4" if name in self.sources else "B7") for name in names]
        self.client.for_each(lambda node: self.client.post("/api/v1/nodes", node), nodes)
        # Its budget is what its pods take: a move must not need more.
        self.client.post(GROUPS_PATH, make_group("team", **{"limits.cpu": str(MOVES)}))
        self.manager = Process("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={bed.kubeconfig('admin-token')}", "--leader-elect=false", "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}", "--concurrent-replicaset-syncs=10", "--kube-api-qps=500", "--kube-api-burst=500",
            "--controllers=deployment-controller,replicaset-controller,statefulset-controller,disruption-controller,garbage-collector-controller"],
            bed.directory, grace=5)
        self.kubelets = Kubelets(bed.client_as("admin-token"))
        self.workloads = []

    @staticmethod
    def _node(name, model):
        amounts = {"cpu": "8", "memory": "64Gi", "pods": "110"}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {MODEL: model, "kubernetes.io/hostname": name}},
                "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}

    def end(self):
        self.kubelets.stop()
        self.manager.stop()

    def create(self, total):
        for index, first in enumerate(range(0, total, REPLICAS)):
            kind, name, replicas = ("StatefulSet" if index % 3 == 2 else "Deployment"), f"work-{index}", min(REPLICAS, total - first)
            self.client.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", make_budget(name))
            self.client.post(f"/apis/apps/v1/namespaces/default/{kind.lower()}s", make_workload(kind, name, replicas))
            self.workloads.append((kind, name, replicas))
        wait_until(lambda: len(self.serving()) == total, lambda: f"{len(self.serving())} of {total} pods serve: {self.pods()}", 60 + total / 5)

    def pods(self):
        return [(pod["metadata"]["name"], pod["spec"].get("nodeName")) for pod in self.kubelets.pods()]

    def serving(self):
        return [pod for pod in self.kubelets.pods() if "deletionTimestamp" not in pod["metadata"] and is_ready(pod)]

    def exchange_models(self):
        for names, model in ((self.targets, "A4"), (self.sources, "B7")):
            self.client.for_each(lambda name, model=model: self.client.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": {MODEL: model}}}), names)

    def migrations(self):
        return self.client.get(MIGRATIONS)["items"]

    def phases(self):
        return collections.Counter(each.get("status", {}).get("phase", "Reserved") for each in self.migrations())


def is_ready(pod):
    return any(each["type"] == "Ready" and each["status"] == "True" for each in pod.get("status", {}).get("conditions", []))


def page(huygens):
    status, text = huygens.admin("/debug/reschedule")
    assert status == 200, (status, text)
    return json.loads(text)


def reported_first(scene, huygens):
    """Mode report finds all of them, and writes nothing."""
    wait_until(lambda: len(page(huygens)["plan"]) == MOVES, lambda: f"the plan: {page(huygens)}", 60)
    plan = page(huygens)["plan"]
    assert {each["cause"] for each in plan} == {"model"} and {each["source"] for each in plan} <= set(scene.sources), plan
    assert {each["target"] for each in plan} <= set(scene.targets), plan
    assert not scene.migrations()
    assert not [e for e in scene.bed.audit() if e["user"]["username"] == "huygens" and e.get("objectRef", {}).get("subresource") == "eviction"]
    return f"{len(plan)} moves planned and reported"


def moved(scene, huygens, kills):
    """All are moved, also where huygens is killed in the middle."""
    huygens.change({"mode: report\n  leaseDuration": "mode: move\n  leaseDuration"})
    killed, started = 0, time.monotonic()

    def settled():
        nonlocal killed
        phases = scene.phases()
        if killed < kills and phases["Evicted"] + phases["Bound"] + phases["Evicting"] > 0 and sum(phases.values()) >= (killed + 1) * MOVES // (kills + 1):
            huygens.process.kill()
            killed += 1
            huygens.process.start()
            huygens.wait_ready()
        return phases["Succeeded"] >= MOVES and not any(phases[each] for each in ("Reserved", "Evicting", "Evicted", "Bound"))

    wait_until(settled, lambda: f"moves: {scene.phases()}, {page(huygens)}", 120 + 3 * MOVES, interval=0.05)
    assert killed == kills, f"it was killed {killed} times only"
    wait_until(lambda: len(scene.serving()) == MOVES, lambda: f"pods: {scene.pods()}", 30)
    assert not [name for name, node in scene.pods() if node in scene.sources], scene.pods()
    wait_until(lambda: huygens.metric("huygens_reservations", 'state="held"') == 0, "room is held for nobody", 10)
    moves = [each for each in scene.migrations() if each["status"]["phase"] == "Succeeded"]
    landed = collections.Counter("target" if each["status"]["replacement"]["node"] == each["spec"]["target"] else "elsewhere" for each in moves)
    assert landed["target"] >= 0.99 * len(moves), landed
    return f"{landed['target']} of {len(moves)} on their target in {time.monotonic() - started:.0f} s, killed {killed} times"


def no_limit_exceeded(scene):
    """By the history of the pods: budgets of disruption, and moves at once from one node, to one node and in all."""
    alive, leaving, worst = {}, {}, collections.Counter()
    names = {name: replicas for _, name, replicas in scene.workloads}
    reached = set()
    for _, _, change, pod in scene.kubelets.events():
        uid, app = pod["metadata"]["uid"], pod["metadata"]["labels"]["app"]
        if change == "DELETED":
            alive.pop(uid, None)
            leaving.pop(uid, None)
        else:
            alive[uid] = (app, is_ready(pod) and "deletionTimestamp" not in pod["metadata"])
            if "deletionTimestamp" in pod["metadata"]:
                leaving[uid] = pod["spec"].get("nodeName")
        ready = sum(1 for each, good in alive.values() if each == app and good)
        if ready == names[app]:
            reached.add(app)
        if app in reached:
            worst["unavailable"] = max(worst["unavailable"], names[app] - ready)
        worst["cluster"] = max(worst["cluster"], len(leaving))
        if leaving:
            worst["source"] = max(worst["source"], max(collections.Counter(leaving.values()).values()))
    assert worst["unavailable"] <= 1, f"a PodDisruptionBudget allows one, {worst['unavailable']} were missing"
    for limit in ("cluster", "source"):
        assert worst[limit] <= IN_FLIGHT[limit], f"{worst[limit]} at once, {limit} allows {IN_FLIGHT[limit]}"
    evicted = [e for e in scene.bed.audit() if e.get("objectRef", {}).get("subresource") == "eviction" and e["responseStatus"]["code"] == 201
               and "dryRun" not in e["requestURI"]]
    pods = collections.Counter(e["objectRef"]["name"] for e in evicted if not e["objectRef"]["name"].startswith("work-2-"))
    return f"most at once {dict(worst)}, {len(evicted)} evictions of {len(pods)} pods"


def scaled_down(scene, huygens):
    """Nothing is held ten seconds after a Deployment is scaled down in the middle of a move."""
    kind, name, _ = scene.workloads[0]
    path = f"/apis/apps/v1/namespaces/default/{kind.lower()}s/{name}"
    scene.sources, scene.targets = scene.targets, scene.sources
    scene.exchange_models()
    before = len(scene.migrations())
    wait_until(lambda: len(scene.migrations()) > before, "no move begins", 30, interval=0.02)
    for kind, name, _ in scene.workloads:
        scene.client.patch(f"/apis/apps/v1/namespaces/default/{kind.lower()}s/{name}", {"spec": {"replicas": 0}})
    wait_until(lambda: huygens.metric("huygens_reservations", 'state="held"') == 0, "room is held for nobody", GRACE + 12)
    return "nothing held after a scale-down"


def only_nominates(scene):
    """The account may set where a replacement goes, and change nothing else of a status."""
    account = scene.bed.client_as("huygens-token")
    pod = scene.serving()[0]
    path = workload.pod_path(pod) + "/status"
    for patch in ({"phase": "Failed"}, {"nominatedNodeName": "a", "phase": "Failed"}, {"nominatedNodeName": "a", "hostIP": "10.0.0.1"}):
        try:
            account.patch(path, {"status": patch})
            raise AssertionError(f"{patch} was allowed")
        except ApiError as error:
            assert "huygens-wake-only" in error.body, error.body
    account.patch(path, {"metadata": {"uid": pod["metadata"]["uid"]}, "status": {"nominatedNodeName": scene.targets[0]}})
    scene.client.patch(path, {"status": {"nominatedNodeName": None}})
    return "the account nominates and changes nothing else"


def stopped(scene, huygens):
    """One annotation stops all moves."""
    scene.bed.kubectl("annotate", "configmap", "-n", "kube-system", "huygens-moves", "huygens.dev/stop=e2e")
    wait_until(lambda: page(huygens).get("stopped") == "e2e", lambda: page(huygens), 10)
    scene.bed.kubectl("annotate", "configmap", "-n", "kube-system", "huygens-moves", "huygens.dev/stop-")
    wait_until(lambda: not page(huygens).get("stopped"), lambda: page(huygens), 10)
    return "stopped by an annotation"


def rescheduler():
    """Pods on nodes of a wrong model are reported, then moved to their targets, with kill -9 in the middle; no budget and no cap is exceeded."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    with ControlPlane("rescheduler") as bed:
        scene = Scene(bed)
        try:
            huygens = bed.start_huygens(more=CONFIGURATION)
            bed.start_scheduler(huygens)
            scene.create(MOVES)
            scene.exchange_models()
            results = [reported_first(scene, huygens), moved(scene, huygens, kills=1 if MOVES < 50 else 3), no_limit_exceeded(scene),
                       only_nominates(scene), stopped(scene, huygens), scaled_down(scene, huygens)]
            return "; ".join(results)
        finally:
            scene.end()
