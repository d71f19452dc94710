"""The Lease that lets one instance bind at a time, on bad days. One function per scenario; tests/e2e/run calls them."""
import collections
import random
import threading
import time

import history
import oracle
import scenarios
import workload
from api import ApiError, wait_until
from testbed import SCHEDULER_NAME, ControlPlane

BIND_LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/huygens-bind"
SCHEDULER_LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{SCHEDULER_NAME}"
LEASE_SECONDS = 10  # bind.lease.duration as shipped


def holder(bed, path):
    try:
        return bed.client.get(path)["spec"].get("holderIdentity", "")
    except ApiError as error:
        if error.code == 404:
            return ""
        raise


def count_bound(bed):
    return sum(map(oracle.bound, bed.client.get("/api/v1/pods")["items"]))


def lease_deleted():
    """Two kube-schedulers, each with a huygens, while somebody deletes the bind Lease under them: no zone is overfilled."""

    def delete_lease(bed):
        for _ in range(3):
            wait_until(lambda: holder(bed, BIND_LEASE), "nobody took the Lease again", 60)
            before = count_bound(bed)
            bed.client.delete(BIND_LEASE)
            wait_until(lambda b=before: count_bound(bed) > b + 20, "nobody binds after the Lease was deleted", 60)
        incidents = [huygens.metric("huygens_bind_lease_incidents_total") for huygens in bed.extenders]
        assert sum(incidents) >= 3, f"incidents: {incidents}"
        assert any("somebody meddled with the bind Lease" in h.process.log() for h in bed.extenders), "nobody told of it"

    return scenarios.place_many("lease_deleted", delete_lease, schedulers=2)


class Stream(threading.Thread):
    """Creates small pods one after the other until it is stopped."""

    def __init__(self, client):
        super().__init__(name="stream", daemon=True)
        self._client = client
        self._stopping = threading.Event()

    def run(self):
        number = 0
        while not self._stopping.wait(0.05):
            pod = workload.make_pod(random.Random(0), number)
            pod["metadata"]["annotations"] = {}
            pod["spec"]["containers"] = [workload.container("app", "1")]
            workload.create_pods(self._client, [pod])
            number += 1

    def stop(self):
        self._stopping.set()
        self.join()


def failover():
    """The machine of the active kube-scheduler and its huygens dies at work: the standby binds as soon as it is the leader."""
    rng = random.Random(scenarios.SEED)
    nodes, topologies = workload.make_cluster(rng, 200)
    with ControlPlane("failover") as bed:
        bed.install()
        # The user of the test's kube-scheduler has by itself, in older versions, no right to a Lease that is called otherwise than kube-scheduler's.
        bed.kubectl("-n", "kube-system", "create", "role", "scheduler-lease", "--verb=get,create,update", "--resource=leases.coordination.k8s.io")
        bed.kubectl("-n", "kube-system", "create", "rolebinding", "scheduler-lease", "--role=scheduler-lease", "--user=system:kube-scheduler")
        workload.create_nodes(bed.client, nodes, topologies)
        recorder = history.Recorder(bed.client)
        first = bed.start_huygens("huygens-a")
        active = bed.start_scheduler(first, replica="a")
        wait_until(lambda: holder(bed, SCHEDULER_LEASE), "no kube-scheduler became the leader", 60)
        leader = holder(bed, SCHEDULER_LEASE)
        bed.start_scheduler(bed.start_huygens("huygens-b"), replica="b")
        stream = Stream(bed.client)
        stream.start()
        try:
            wait_until(lambda: sum(map(oracle.bound, recorder.pods())) > 50, "pods are not bound", 60)
            wait_until(lambda: holder(bed, BIND_LEASE), "nobody holds the bind Lease", 60)
            bed.kill_replica(first, active)
            killed = time.monotonic()
            bound = set()
            wait_until(lambda: holder(bed, SCHEDULER_LEASE) not in ("", leader), "the standby did not become the leader", 60)
            changed = time.monotonic()
            bound = {p["metadata"]["uid"] for p in recorder.pods() if oracle.bound(p)}
            wait_until(lambda: any(oracle.bound(p) and p["metadata"]["uid"] not in bound for p in recorder.pods()),
                       "the standby does not bind", 60, interval=0.02)
            at_work = time.monotonic()
        finally:
            stream.stop()
        failures = collections.Counter()
        for event in bed.client.get("/api/v1/events")["items"]:
            if event["reason"] == "FailedScheduling" and "bind" in event.get("message", "").lower():
                failures["failed binds"] += 1
        recorder.stop()
        overfull, bindings = history.overfull_zones(recorder.events())
        assert not overfull, f"{len(overfull)} bindings overfilled a zone: " + "; ".join(overfull[:5])
        change, whole = changed - killed, at_work - killed
        assert whole <= max(change, LEASE_SECONDS + 2) + 3, f"kube-scheduler changed after {change:.1f} s, pods were bound again after {whole:.1f} s"
        return (f"kube-scheduler changed after {change:.1f} s, pods were bound again after {whole:.1f} s; "
                f"{failures['failed binds']} events of failed binds; {bindings} bindings with zones")
