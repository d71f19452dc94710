"""A roll of the Deployment to another image while pods arrive all the time."""
import collections
import datetime
import threading
import time

import oracle
import workload
from api import wait_until
from testbed import SCHEDULER_NAME

RATE = 20  # pods a second
NODES = 20
NAMESPACE = "rolling"
TAINT = {"key": "e2e/rolling", "value": "yes", "effect": "NoSchedule"}
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
DELAY = 1.0  # seconds that a roll may add
TICK = 0.1  # seconds


def pod(name):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"schedulerName": SCHEDULER_NAME, "nodeSelector": {"e2e/rolling": "yes"}, "tolerations": [{"key": "e2e/rolling", "operator": "Exists"}],
                     "containers": [workload.container("app", "100m")]}}


class Background(threading.Thread):
    """Runs until end()."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self._client = client
        self._ended = threading.Event()
        self.start()

    def end(self):
        self._ended.set()
        self.join(10)
        assert not self.is_alive()


class Arrivals(Background):
    """Creates RATE pods a second, for nodes that only exist as objects."""

    made = 0

    def run(self):
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due += 1 / RATE
            self._client.post(PODS, pod(f"p-{self.made:04d}"))
            self.made += 1


class Heartbeat(Background):
    """What this machine takes from everybody. A thread wants to wake every tenth of a second and to ask the API server a trifle; how much later it
    has the answer is what a step on the way of a pod would have lost just then. In a second it takes about as many steps as a pod does."""

    def __init__(self, client):
        self.lost = []  # (when it was due, seconds until it was done), by the clock of the audit log
        super().__init__(client)

    def run(self):
        due = time.time()
        while not self._ended.wait(max(0.0, due - time.time())):
            self._client.get("/version")
            done = time.time()
            self.lost.append((due, done - due))
            due = done + TICK  # what is lost is counted once


def lost_between(lost, start, end):
    return sum(seconds for due, seconds in lost if due < end and due + seconds > start)


def judge(times, start, lost):
    """(longest delay before the roll, name of the pod that is most beyond what is allowed in it, its delay, what the machine lost meanwhile).

    `times`: {pod: (made, bound)}; the pods of the roll are those bound after `start`."""
    before = max(bound - made for made, bound in times.values() if bound < start)
    delay, meanwhile = {}, {}
    for name, (made, bound) in times.items():
        if bound >= start:
            delay[name], meanwhile[name] = bound - made, lost_between(lost, made, bound)
    worst = max(delay, key=lambda name: delay[name] - meanwhile[name])
    return before, worst, delay[worst], meanwhile[worst]


def pod_times(bed):
    """{pod: (time of the answer to its creation, of the answer to its Binding)}, by the API server's clock."""
    seen = collections.defaultdict(dict)
    for event in bed.audit():
        what = event.get("objectRef", {})
        if event["verb"] == "create" and what.get("resource") == "pods" and what.get("namespace") == NAMESPACE \
                and event["stage"] == "ResponseComplete" and event["responseStatus"]["code"] == 201:
            when = datetime.datetime.fromisoformat(event["stageTimestamp"].replace("Z", "+00:00")).timestamp()
            seen[what["name"]]["bound" if what.get("subresource") == "binding" else "made"] = when
    return {name: (times["made"], times["bound"]) for name, times in seen.items() if "bound" in times and "made" in times}


def roll(site, version):
    bed, client = site.bed, site.client
    client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    wait_until(lambda: client.get(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts")["items"], "no service account", 30)
    for index in range(NODES):
        node = workload.make_node(index, [{"resources": {"allocatable": {"cpu": "64"}}}])
        node["metadata"]["labels"] = {"e2e/rolling": "yes"}
        node["spec"] = {"taints": [TAINT]}  # the Deployment's own pods need a kubelet
        client.post("/api/v1/nodes", node)
    client.post(PODS, pod("first"))  # once it is bound kube-scheduler knows the nodes
    wait_until(lambda: oracle.bound(client.get(f"{PODS}/first")), "the first pod is not bound", 30)
    before = {each["metadata"]["uid"] for each in site.pods()}
    arrivals, heartbeat = Arrivals(client), Heartbeat(client)
    wait_until(lambda: arrivals.made >= 3 * RATE, "pods do not arrive", 30)
    start, started = time.monotonic(), time.time()
    site.choose(version)
    site.shell(f"kubectl apply -k {site.overlay} && kubectl -n kube-system rollout status deployment/huygens-scheduler --timeout=120s")
    took = time.monotonic() - start
    made = arrivals.made
    wait_until(lambda: arrivals.made >= made + 3 * RATE, "pods do not arrive", 30)
    arrivals.end()

    def waiting():
        return [each["metadata"]["name"] for each in client.get(PODS)["items"] if not oracle.bound(each)]

    wait_until(lambda: not waiting(), lambda: f"these pods wait: {waiting()}", 30)
    heartbeat.end()
    after = site.pods()
    assert len([each for each in after if "deletionTimestamp" not in each["metadata"]]) == 2
    assert not before & {each["metadata"]["uid"] for each in after if "deletionTimestamp" not in each["metadata"]}, "nothing was rolled"
    times = pod_times(bed)
    del times["first"]
    assert len(times) == arrivals.made, f"{len(times)} of {arrivals.made} pods have both times"
    check_warnings(client, {name for name, (_, bound) in times.items() if bound >= started})
    usual, worst, delay, lost = judge(times, started, heartbeat.lost)
    assert delay <= usual + DELAY + lost, (f"{worst} waited {delay:.2f} s while the Deployment was rolled: before that none waited longer than {usual:.2f} s, "
                                           f"{DELAY:.0f} s more is allowed, and the machine itself lost {lost:.2f} s meanwhile")
    waited = sorted(bound - made for made, bound in times.values())
    late = sum(delay > DELAY for delay in waited)
    return (f"{arrivals.made} pods at {RATE} a second, rolled in {took:.0f} s: median {waited[len(waited) // 2] * 1000:.0f} ms, longest "
            f"{waited[-1]:.2f} s (before the roll {usual:.2f} s; in it at most {delay:.2f} s, of which the machine lost {lost:.2f} s), {late} later than a second, no warning")


def check_warnings(client, names):
    """No pod of the roll failed to be scheduled, not even for a moment."""
    failures = [f"{event['involvedObject']['name']}: {event['reason']}: {event['message'][:300]}"
                for event in client.get(f"/api/v1/namespaces/{NAMESPACE}/events")["items"]
                if event["type"] == "Warning" and event["involvedObject"].get("name") in names]
    assert not failures, f"{len(failures)} warnings about pods of the roll: {'; '.join(failures[:3])}"
