"""What huygens does between a real kube-scheduler and a real API server. One function per scenario; tests/e2e/run calls them."""
import collections
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import ssl
import time

import history
import oracle
import workload
from api import wait_until
from binaries import BINARIES, ROOT
from testbed import CONFIG, NRT_PATH, SAMPLE_CLUSTER, SCHEDULER_NAME, ControlPlane, huygens_binary

SAMPLES = CONFIG / "samples"
SEED = int(os.environ.get("HUYGENS_E2E_SEED", "20261121"))


def scaled(count, least):
    """`count`, less where HUYGENS_E2E_SCALE asks for a shortened run (a sanitizer's, for example)."""
    return max(least, round(count * float(os.environ.get("HUYGENS_E2E_SCALE", "1"))))


def demo(keep=False):
    """The sample pods through the real kube-scheduler; prints what became of each."""
    with ControlPlane("demo") as bed:
        bed.install()
        bed.kubectl("apply", "-f", SAMPLE_CLUSTER)
        huygens = bed.start_huygens()
        check_mutual_tls(bed, huygens)
        bed.start_scheduler(huygens)
        bed.kubectl("apply", "-f", SAMPLES / "pods.yaml")

        def sample_pods():
            pods = bed.client.get("/api/v1/namespaces/default/pods")["items"]
            return [pod for pod in pods if not pod["metadata"]["name"].startswith("search-")]

        # Until then the Lease, which nobody ever held, may hold back the binds of the first seconds.
        decided = lambda pod: oracle.bound(pod) or "nodes are available" in oracle.unscheduled_reason(pod)
        wait_until(lambda: all(decided(pod) for pod in sample_pods()), "a sample pod was not decided", 60)
        pods = sorted(sample_pods(), key=lambda p: p["metadata"]["name"])
        print(f"{'POD':<24}{'NODE':<12}{'ZONES':<32}REASON")
        for pod in pods:
            zones = " ".join(f"{zone}:{amount / 1000:g}" for zone, amount in oracle.held(pod).items()) or "-"
            name, node, reason = pod["metadata"]["name"], pod["spec"].get("nodeName") or "-", oracle.unscheduled_reason(pod)
            print(f"{name:<24}{node:<12}{zones:<32}{reason.split('. ')[0]}".rstrip())

        pending = {pod["metadata"]["name"]: oracle.unscheduled_reason(pod) for pod in pods if not oracle.bound(pod)}
        assert list(pending) == ["over-budget", "too-large-for-a-zone"], f"pending: {pending}"
        assert "quota of the pod's business group is exhausted" in pending["over-budget"], pending
        assert "node(s) had insufficient resource of NUMA node" in pending["too-large-for-a-zone"], pending
        wrong = oracle.Cluster(bed.client.get("/api/v1/nodes")["items"], bed.client.get(NRT_PATH)["items"], pods).wrong_results()
        assert not wrong, wrong
        zones = {pod["metadata"]["name"]: oracle.held(pod) for pod in pods}
        assert len(zones["cross-zone"]) > 1, zones
        # kube-scheduler draws among the best nodes; on the one that kubelet pins no result is written.
        nodes = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in pods}
        assert len(zones["one-zone"]) == (0 if nodes["one-zone"] == "kubelet-2" else 1), (zones, nodes)
        assert not zones["not-pinned"] and not zones["shares-cpus"] and not zones["daemon-of-numa-4"], zones
        check_audit(bed)

        print("\n$ kubectl get pod cross-zone -o jsonpath='{.metadata.annotations}'")
        shown = json.loads(bed.kubectl("get", "pod", "cross-zone", "-o", "jsonpath={.metadata.annotations}").stdout)
        for key in (oracle.RESULT, oracle.PLACEMENT):
            print(f"  {key}: {shown[key]}")
        writes = collections.Counter((e["verb"], e["objectRef"]["resource"], e["objectRef"].get("subresource", ""))
                                     for e in bed.audit() if e["user"].get("username") == "huygens" and e["verb"] not in READS)
        print("writes by the user huygens: " + ", ".join(f"{verb} {'/'.join(filter(None, what))} x{count}"
                                                         for (verb, *what), count in sorted(writes.items())), flush=True)
        if keep:
            stay(bed, huygens)


def stay(bed, huygens):
    """Leaves everything running until Ctrl-C."""
    kubectl = f"{(BINARIES / 'kubectl').relative_to(ROOT)} --kubeconfig {bed.kubeconfig('admin-token')}"
    print(f"\nAll of it goes on until Ctrl-C. Try, in another terminal:\n  {kubectl} get pod cross-zone -o yaml")
    binary = os.path.relpath(huygens_binary(), ROOT)  # HUYGENS_BINARY may be anywhere
    print(f"  {binary} explain cross-zone --admin-url http://127.0.0.1:{huygens.admin_port}")
    print("`kubectl huygens` finds no pod of huygens here: it runs outside of the cluster.", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()


def check_mutual_tls(bed, huygens):
    """Only a client with the certificate of kube-scheduler gets an answer."""

    def status(certificate):
        context = ssl.create_default_context(cafile=bed.certificates() / "ca.crt")
        if certificate:
            context.load_cert_chain(bed.certificates() / f"{certificate}.crt", bed.certificates() / f"{certificate}.key")
        connection = http.client.HTTPSConnection("127.0.0.1", huygens.port, context=context, timeout=5)
        try:
            connection.request("GET", "/filter")
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    assert status("kube-scheduler") == 405, "huygens does not answer kube-scheduler's certificate"
    assert status(None) is None, "huygens answers a client without a certificate"
    assert status("tls") is None, "huygens answers a client with the server's own certificate"


READS = ("get", "list", "watch")
# Everything that huygens may ask for: (verb, resource, subresource).
READ = ("nodes", "pods", "noderesourcetopologies", "bizgroupresourcequotas", "resourceclaims", "deviceclasses")
ALLOWED = set(itertools.product(READS, READ, (None,))) | {
    ("create", "pods", "binding"), ("create", "events", None), ("patch", "pods", "status"), ("patch", "nodes", "status"),
    ("get", "leases", None), ("create", "leases", None), ("update", "leases", None)}


def check_audit(bed):
    """huygens asked for nothing but what it may, and all bindings are its own.

    Returns the number of bindings. A permitted call may have been refused all the same: an API server that just started answers
    before it knows all roles.
    """
    bindings = 0
    for event in bed.audit():
        user, verb, target = event["user"].get("username"), event["verb"], event.get("objectRef", {})
        what = (verb, target.get("resource"), target.get("subresource"))
        if user == "huygens":
            assert what in ALLOWED or (verb in READS and not target), f"huygens asked for {verb} {event['requestURI']}"
            bindings += what == ("create", "pods", "binding") and event["responseStatus"]["code"] == 201
        elif user == "system:kube-scheduler":
            assert what != ("create", "pods", "binding"), f"kube-scheduler bound a pod itself: {event['requestURI']}"
            assert what != ("patch", "pods", None), f"kube-scheduler patched a pod: {event['requestURI']}"
    assert bindings, "the audit shows no binding by huygens"
    return bindings


def list_cluster(client):
    nodes = client.get("/api/v1/nodes")["items"]
    topologies = client.get(NRT_PATH)["items"]
    return oracle.Cluster(nodes, topologies, client.get("/api/v1/pods")["items"])


def settle(bed, seconds):
    """Waits until no pending pod fits anywhere and huygens holds no reservation.

    kube-scheduler does not see everything that makes room (a zone that gets capacity back); huygens wakes the pods that it rejected.
    """
    state = {"fit": None}

    def settled():
        state["fit"] = list_cluster(bed.client).pending_that_fit()
        return not state["fit"]

    wait_until(settled, lambda: f"{len(state['fit'])} pending pods would fit: {state['fit'][:10]}", seconds, interval=0.5)
    for huygens in bed.extenders:
        wait_until(lambda h=huygens: h.metric("huygens_reservations") == 0,
                   lambda h=huygens: f"{h.name}: huygens_reservations is {h.metric('huygens_reservations')}", 30)
        wait_until(lambda h=huygens: h.admin("/readyz")[0] == 200, f"{huygens.name} is not ready", 30)
        assert huygens.metric("huygens_reservation_drift") == 0, f"{huygens.name}: drift {huygens.metric('huygens_reservation_drift')}"


def check_outcome(bed, recorder, ignored=()):
    """The assertions that hold after every scenario with many pods, `ignored` topology objects left out. Returns a line of figures."""
    for kind, path in history.PATHS.items():
        items = bed.client.get(path)["items"]
        recorder.wait_version(kind, max(int(item["metadata"]["resourceVersion"]) for item in items), 30)
    recorder.stop()
    cluster = list_cluster(bed.client)
    wrong = cluster.wrong_results()
    assert not wrong, f"{len(wrong)} wrong results: " + "; ".join(wrong[:5])
    overfull, bindings = history.overfull_zones(recorder.events(), ignored)
    assert not overfull, f"{len(overfull)} bindings overfilled a zone: " + "; ".join(overfull[:5])
    audited = check_audit(bed)
    bound = sum(oracle.bound(p) for p in cluster.pods)
    assert bound > len(cluster.pods) / 2, f"only {bound} of {len(cluster.pods)} pods are bound"
    restarts = sum(scheduler.restarts for scheduler in bed.schedulers)
    ghosts = sum(scheduler.ghosts for scheduler in bed.schedulers)
    return (f"{audited} bindings, {bindings} with zones; {bound} pods bound, {len(cluster.pending())} pending at the end; "
            f"watch of the test resumed with a gap {recorder.gaps} times, kube-scheduler ended itself {restarts} times"
            + (f", and was started again for {ghosts} pods that it reckoned with and that were gone" if ghosts else ""))


def place_many(name, disturb=None, schedulers=1):
    """Nodes of many kinds, pods of many shapes, churn while they are scheduled, and in the middle of it `disturb(bed)`."""
    rng = random.Random(SEED)
    nodes, topologies = workload.make_cluster(rng, scaled(200, 20))
    names = [SCHEDULER_NAME, "huygens-scheduler-b"][:schedulers]
    pods = [workload.make_pod(rng, i, names[i % schedulers]) for i in range(scaled(1500, 150))]
    with ControlPlane(name) as bed:
        bed.install()
        workload.create_nodes(bed.client, nodes, topologies)
        recorder = history.Recorder(bed.client)
        for scheduler_name in names:
            bed.start_scheduler(bed.start_huygens("huygens" + scheduler_name.removeprefix(SCHEDULER_NAME)), scheduler_name)
        churn = workload.Churn(bed.client, recorder, SEED, scaled(400, 40), topologies)
        creator = concurrent.futures.ThreadPoolExecutor(1).submit(workload.create_pods, bed.client, pods)
        churn.start()
        if disturb:
            wait_until(lambda: sum(map(oracle.bound, recorder.pods())) > len(pods) / 5, "a fifth of the pods was not bound", 120)
            disturb(bed)
        creator.result(180)
        churn.finish(240)
        for scheduler in bed.schedulers:
            scheduler.forget_ghosts()
        changed = time.monotonic()
        settle(bed, 180)
        return f"{check_outcome(bed, recorder)}; settled {time.monotonic() - changed:.1f} s after the last change"


def placement():
    """Every pod that should have zones has them, no zone is overfilled at any time, nothing that fits stays pending."""
    return place_many("placement")


def kill():
    """The same, with huygens killed in the middle of it and started again; the Lease of the dead process must run out first."""

    def kill_and_restart(bed):
        huygens = bed.extenders[0]
        huygens.process.kill()
        huygens.process.start()
        huygens.wait_ready()

    return place_many("kill", kill_and_restart)


def outage():
    """The same, with the API server away for 20 seconds in the middle of it."""

    def kill_and_return(bed):
        bed.kill_api_server()
        time.sleep(20)
        bed.restart_api_server()

    return place_many("outage", kill_and_return)


def two_schedulers():
    """The same, with two kube-schedulers at work on the same nodes, each with a huygens of its own."""
    return place_many("two_schedulers", schedulers=2)
