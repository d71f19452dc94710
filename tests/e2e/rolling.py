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


class Arrivals(threading.Thread):
    """Creates RATE pods a second, for nodes that only exist as objects."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.made = 0
        self._client = client
        self._ended = threading.Event()
        self.start()

    def run(self):
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due += 1 / RATE
            self._client.post(PODS, {
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{self.made:04d}"},
                "spec": {"schedulerName": SCHEDULER_NAME, "nodeSelector": {"e2e/rolling": "yes"}, "tolerations": [{"key": "e2e/rolling", "operator": "Exists"}],
                         "containers": [workload.container("app", "100m")]}})
            self.made += 1

    def end(self):
        self._ended.set()
        self.join(10)
        assert not self.is_alive()


def delays(bed):
    """{pod: seconds from the answer to its creation to the answer to its Binding}, by the API server's clock."""
    seen = collections.defaultdict(dict)
    for event in bed.audit():
        what = event.get("objectRef", {})
        if event["verb"] == "create" and what.get("resource") == "pods" and what.get("namespace") == NAMESPACE \
                and event["stage"] == "ResponseComplete" and event["responseStatus"]["code"] == 201:
            when = datetime.datetime.fromisoformat(event["stageTimestamp"].replace("Z", "+00:00")).timestamp()
            seen[what["name"]]["bound" if what.get("subresource") == "binding" else "made"] = when
    return {name: times["bound"] - times["made"] for name, times in seen.items() if "bound" in times and "made" in times}


def roll(site, version):
    bed, client = site.bed, site.client
    client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    wait_until(lambda: client.get(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts")["items"], "no service account", 30)
    for index in range(NODES):
        node = workload.make_node(index, [{"resources": {"allocatable": {"cpu": "64"}}}])
        node["metadata"]["labels"] = {"e2e/rolling": "yes"}
        node["spec"] = {"taints": [TAINT]}  # the Deployment's own pods need a kubelet
        client.post("/api/v1/nodes", node)
    before = {pod["metadata"]["uid"] for pod in site.pods()}
    arrivals = Arrivals(client)
    wait_until(lambda: arrivals.made >= 3 * RATE, "pods do not arrive", 30)
    start = time.monotonic()
    site.choose(version)
    site.shell(f"kubectl apply -k {site.overlay} && kubectl -n kube-system rollout status deployment/huygens-scheduler --timeout=120s")
    took = time.monotonic() - start
    made = arrivals.made
    wait_until(lambda: arrivals.made >= made + 3 * RATE, "pods do not arrive", 30)
    arrivals.end()

    def waiting():
        return [pod["metadata"]["name"] for pod in client.get(PODS)["items"] if not oracle.bound(pod)]

    wait_until(lambda: not waiting(), lambda: f"these pods wait: {waiting()}", 30)
    after = site.pods()
    assert len([pod for pod in after if "deletionTimestamp" not in pod["metadata"]]) == 2
    assert not before & {pod["metadata"]["uid"] for pod in after if "deletionTimestamp" not in pod["metadata"]}, "nothing was rolled"
    failures = collections.Counter(event["reason"] for event in client.get(f"/api/v1/namespaces/{NAMESPACE}/events")["items"] if event["type"] == "Warning")
    waited = sorted(delays(bed).values())
    assert len(waited) == arrivals.made, f"{len(waited)} of {arrivals.made} pods have both times"
    late = sum(delay > 1 for delay in waited)
    return (f"{arrivals.made} pods at {RATE} a second, rolled in {took:.0f} s: median {waited[len(waited) // 2] * 1000:.0f} ms, longest "
            f"{waited[-1]:.1f} s, {late} later than a second, warnings {dict(failures) or 'none'}")
