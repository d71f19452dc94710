"""Capacity that moves where kube-scheduler does not look: rejected pods are woken, and no zone gets more than it really has."""
import collections
import concurrent.futures
import datetime
import itertools
import json
import random
import threading
import time

import history
import oracle
import workload
from api import ApiError, wait_until
from binaries import ROOT, longest_backoff
from scenarios import SEED, check_audit, list_cluster, scaled
from testbed import CONFIG, NRT_PATH, ControlPlane

ZONES = 2
ZONE_CPUS = 4
PATIENCE = 10  # seconds; the aim is 2, and what was reached is printed


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def zones(offline, when=None):
    """Zones of ZONE_CPUS allocatable CPUs that can really give `offline` each."""
    when = (when or now()).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return [{"name": f"node{i}", "type": "Node",
             "resources": {"capacity": {"cpu": str(ZONE_CPUS)}, "allocatable": {"cpu": str(ZONE_CPUS)}},
             "attributes": {"offline_capacity": str(cpus), "offline_capacity_updated": when}} for i, cpus in enumerate(offline)]


def topology(name, offline):
    return {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": name},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"}, "zones": zones(offline)}


def give(client, name, offline):
    client.patch(f"{NRT_PATH}/{name}", {"zones": zones(offline)})


def pod(name, cpus, node=None):
    made = workload.make_pod(random.Random(0), 0)
    made["metadata"] = {"name": name, "namespace": "default", "annotations": {oracle.AWARENESS: "true"}}
    made["spec"].update({"containers": [workload.container("app", str(cpus))], "initContainers": []})
    if node:
        made["spec"]["nodeSelector"] = {"e2e/node": node}
    return made


def make_nodes(client, count, offline):
    nodes = [workload.make_node(i, zones([ZONE_CPUS] * ZONES)) for i in range(count)]
    for node in nodes:
        node["metadata"]["labels"] = {"e2e/node": node["metadata"]["name"]}
    names = [node["metadata"]["name"] for node in nodes]
    workload.create_nodes(client, nodes, [topology(name, offline) for name in names if offline])
    return names


class Binds:
    """When each pod was first seen with a node, by its name."""

    def __init__(self, recorder):
        self._recorder = recorder

    def bound(self, names):
        return {p["metadata"]["name"] for p in self._recorder.pods() if oracle.bound(p)} >= set(names)

    def seconds(self, names, start):
        wait_until(lambda: self.bound(names), lambda: f"not all of {names} were bound", PATIENCE + longest_backoff(), interval=0.01)
        return time.monotonic() - start

    def rejected(self, names):
        """Waits until kube-scheduler has written down that huygens rejected these pods."""
        def all_rejected():
            reasons = {p["metadata"]["name"]: oracle.unscheduled_reason(p) for p in self._recorder.pods()}
            return all("NRT" in reasons.get(n, "") or "NUMA" in reasons.get(n, "") for n in names)

        wait_until(all_rejected, f"not all of {names} were rejected by huygens", 30)


def wake_writes(bed):
    """[(seconds, "pods"|"nodes", name)] of each patch by huygens, in order."""
    found = []
    for event in bed.audit():
        if event["user"].get("username") == "huygens" and event["verb"] == "patch":
            when = datetime.datetime.fromisoformat(event["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()
            found.append((when, event["objectRef"]["resource"], event["objectRef"]["name"]))
    return sorted(found)


def check_write_rate(bed, node_of):
    """No more than one write per second and node; a pod's write counts for the node that it got. Returns how many there were."""
    last, writes = {}, wake_writes(bed)
    for when, resource, name in writes:
        node = name if resource == "nodes" else node_of.get(name)
        if node is None:
            continue
        # huygens counts a second from the answer to the last write; the audit log has the beginning of each.
        assert when - last.get(node, 0) >= 0.99, f"two writes for {node} within {when - last[node]:.3f} s"
        last[node] = when
    return len(writes)


def node_of_pods(recorder):
    return {p["metadata"]["name"]: p["spec"]["nodeName"] for p in recorder.pods() if oracle.bound(p)}


def wake():
    """Pods that huygens rejected are bound soon after a topology object changed, by few writes; a zone that shrinks wakes nobody."""
    with ControlPlane("wake") as bed:
        bed.install()
        names = make_nodes(bed.client, scaled(100, 20), [1, 1])
        bare = workload.make_node(len(names), zones([ZONE_CPUS] * ZONES))
        bare["metadata"]["labels"] = {"e2e/node": bare["metadata"]["name"]}
        bed.client.post("/api/v1/nodes", bare)
        recorder = history.Recorder(bed.client)
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens)
        binds = Binds(recorder)
        took = {}
        # The first bind in a cluster waits until the new bind Lease is surely nobody else's, which is no part of waking.
        workload.create_pods(bed.client, [pod("first", 1, names[0])])
        wait_until(lambda: binds.bound(["first"]), "the first pod was not bound", 60)

        def measure(what, pods, change):
            workload.create_pods(bed.client, pods)
            pod_names = [p["metadata"]["name"] for p in pods]
            binds.rejected(pod_names)
            start = time.monotonic()
            change()
            took[what] = binds.seconds(pod_names, start)

        measure("one zone of one node gains, one pod", [pod("one", 4)], lambda: give(bed.client, names[3], [1, 4]))
        measure("one node gains, four pods", [pod(f"four-{i}", 2, names[5]) for i in range(4)],
                lambda: give(bed.client, names[5], [4, 4]))
        measure("ten nodes gain, ten pods", [pod(f"ten-{i}", 3) for i in range(10)],
                lambda: bed.client.for_each(lambda name: give(bed.client, name, [3, 1]), names[6:16]))
        measure("a topology object appears", [pod("bare", 2, bare["metadata"]["name"])],
                lambda: bed.client.post(NRT_PATH, topology(bare["metadata"]["name"], [2, 1])))

        # What shrinks, or gains too little, wakes nobody: the only writes after that are for the pod that fits in the end.
        workload.create_pods(bed.client, [pod("last", 4)])
        binds.rejected(["last"])
        before = len(wake_writes(bed))
        for offline in ([0, 1], [2, 1], [0, 0], [3, 3], [1, 1]):
            bed.client.for_each(lambda name, offline=offline: give(bed.client, name, offline), names[16:])
        start = time.monotonic()
        give(bed.client, names[1], [4, 1])
        took["one node gains after many shrank"] = binds.seconds(["last"], start)
        vain = [write for write in wake_writes(bed)[before:] if write[2] not in ("last", names[1])]
        assert not vain, f"woken in vain: {vain}"

        recorder.stop()
        writes = check_write_rate(bed, node_of_pods(recorder))
        assert huygens.metric("huygens_pods_woken_total") >= 5, huygens.metric("huygens_pods_woken_total")
        assert bed.client.get("/api/v1/nodes/" + names[3])["metadata"]["labels"] == {"e2e/node": names[3]}
        check_audit(bed)
        return "; ".join(f"{what}: {seconds:.2f} s" for what, seconds in took.items()) + f"; {writes} writes in all"


def wake_only():
    """The account of huygens can wake pods, and change nothing else of any pod or node."""
    with ControlPlane("wake_only") as bed:
        bed.install()
        admin, account = bed.client, bed.client_as("huygens-token")
        make_nodes(admin, 1, [1, 1])
        workload.create_pods(admin, [pod("p", 1)])
        node = admin.get("/api/v1/nodes")["items"][0]["metadata"]["name"]
        pod_path, node_path = "/api/v1/namespaces/default/pods/p", "/api/v1/nodes/" + node
        wake_patch = {"metadata": {"annotations": {"huygens.dev/wake": "now"}}}
        forbidden = {
            "another annotation": {"metadata": {"annotations": {"huygens.dev/wake": "now", "huygens.dev/smt": "pack"}}},
            "an annotation that goes": {"metadata": {"annotations": {"kept": None}}},
            "a label": {"metadata": {"labels": {"a": "b"}}},
            "a finalizer": {"metadata": {"finalizers": ["a.example/b"]}},
            "a status": {"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Forged", "lastProbeTime": None}]}},
            "wake beside a status": dict(wake_patch, status={"conditions": [{"type": "Ready", "status": "False", "reason": "Forged"}]}),
        }
        for path in (pod_path, node_path):
            admin.patch(path, {"metadata": {"annotations": {"kept": "here"}}})

        def refused(client, path, patch):
            try:
                client.patch(path, patch)
            except ApiError as error:
                assert error.code in (403, 422), error
                return error.body
            return ""

        # What docs/operations.md says to do to see whether the policy is in force.
        def probe(account="huygens"):
            labelled = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "labels": {"probe": "1"}}}
            return bed.kubectl("apply", "--server-side", "--subresource=status", "--dry-run=server", f"--as={account}", "-f", "-", check=False,
                               stdin=json.dumps(labelled), program=ROOT / "build/k8s/kubectl").stderr  # kubectl 1.31 has no --subresource

        # The policy takes a moment to be in force.
        in_force = lambda: "huygens-wake-only" in refused(account, pod_path + "/status", forbidden["a label"])
        wait_until(in_force, "the policy is not in force", 30, interval=0.2)
        assert "huygens-wake-only" in probe(), probe()
        count = 0
        for path in (pod_path, node_path):
            admin.patch(path, {"metadata": {"labels": {"a": None}}})
            before = admin.get(path)
            for what, patch in forbidden.items():
                why = refused(account, path + "/status", patch)
                assert "huygens-wake-only" in why, f"{what} of {path}: {why or 'was allowed'}"
                count += 1
            why = refused(account, path, wake_patch)
            assert "forbidden" in why and "huygens-wake-only" not in why, f"the whole object must not be writable: {why or 'was allowed'}"
            after = admin.get(path)
            assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"], f"{path} changed"
            account.patch(path + "/status", wake_patch)
            account.patch(path + "/status", {"metadata": {"uid": before["metadata"]["uid"], "annotations": {"huygens.dev/wake": "again"}}})
            after = admin.get(path)
            expected = dict(before["metadata"]["annotations"], **{"huygens.dev/wake": "again"})
            assert after["metadata"]["annotations"] == expected, after["metadata"]
            assert after["spec"] == before["spec"] and after["status"] == before["status"]
            # Of an object that was replaced meanwhile huygens must not wake the successor.
            try:
                account.patch(path + "/status", {"metadata": {"uid": "another", "annotations": {"huygens.dev/wake": "third"}}})
                raise AssertionError(f"a UID of another object was accepted for {path}")
            except ApiError as error:
                assert error.code in (409, 422), error
        # The account of config/default is held to the same, the kube-scheduler of the same pod is not.
        bed.kubectl("apply", "-k", CONFIG / "rbac")
        sidecar = bed.client_as("sidecar-token")
        wait_until(lambda: "huygens-wake-only" in refused(sidecar, pod_path + "/status", forbidden["a status"]),
                   "the account of config/default may write a status", 10, interval=0.2)
        sidecar.patch(pod_path + "/status", wake_patch)
        scheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available"}
        bed.client_as("sidecar-scheduler-token").patch(pod_path + "/status", {"status": {"conditions": [scheduled], "nominatedNodeName": node}})
        assert admin.get(pod_path)["status"]["nominatedNodeName"] == node
        # That of the chart in a namespace of its own neither loses the policy to what was applied last.
        elsewhere = "system:serviceaccount:placing:huygens"
        bed.kubectl("create", "clusterrolebinding", "elsewhere", "--clusterrole=huygens", f"--user={elsewhere}")
        assert "huygens-wake-only" in probe(elsewhere), probe(elsewhere)
        # Others are not held to it.
        admin.patch(pod_path + "/status", forbidden["a label"])
        return f"{count} other changes refused"


CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/noderesourcetopologies.topology.crane.io"


def lost_topology():
    """The definition of topology objects is deleted and made again: nobody is bound without zones meanwhile, nor onto full ones."""
    count = scaled(50, 10)
    with ControlPlane("lost_topology") as bed:
        bed.install()
        names = make_nodes(bed.client, count, [4, 4])
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens)
        pods = lambda: bed.client.get("/api/v1/namespaces/default/pods")["items"]

        def bound(prefix):
            return [p for p in pods() if p["metadata"]["name"].startswith(prefix) and oracle.bound(p)]

        # Half of all zones are taken before, the other half is asked for while the objects are gone.
        workload.create_pods(bed.client, [pod(f"before-{i}", 4) for i in range(count)])
        wait_until(lambda: len(bound("before-")) == count, "pods do not get their zones", 60)
        bed.client.delete(CRD_PATH)
        wait_until(lambda: huygens.metric("huygens_nodes_topology_lost") == count,
                   lambda: f"lost: {huygens.metric('huygens_nodes_topology_lost')} of {count}", 60)
        workload.create_pods(bed.client, [pod(f"meanwhile-{i}", 4) for i in range(count)])
        free = [pod(f"free-{i}", 4) for i in range(5)]
        for each in free:
            each["spec"]["containers"][0]["resources"] = {"requests": {"memory": "64Mi"}}  # the CPUs are for the others
            each["metadata"]["annotations"] = {}
        workload.create_pods(bed.client, free)
        wait_until(lambda: len(bound("free-")) == len(free), "pods that need no zones wait, too", 30)

        def told():
            return all("lost their NRT" in oracle.unscheduled_reason(p) for p in pods() if p["metadata"]["name"].startswith("meanwhile-"))

        wait_until(told, "kube-scheduler does not say why pods wait", 30)
        assert not bound("meanwhile-"), "pods were bound without zones"
        assert f"{count} nodes lost the topology object" in huygens.admin("/readyz?verbose")[1], huygens.admin("/readyz?verbose")
        events = wait_until(lambda: bed.client.get("/api/v1/namespaces/default/events?fieldSelector=reason%3DTopologyLost")["items"],
                            "no Event tells of it", 30)
        assert all(e["involvedObject"]["kind"] == "Node" for e in events), events[0]

        bed.kubectl("apply", "-k", "config/crd")
        bed.wait_established("noderesourcetopologies.topology.crane.io")
        workload.create_nodes(bed.client, [], [topology(name, [4, 4]) for name in names])
        start = time.monotonic()
        wait_until(lambda: len(bound("meanwhile-")) == count, "pods do not get their zones once the objects are back", 90)
        took = time.monotonic() - start
        used = collections.Counter()
        for each in bound(""):
            for zone, milli in oracle.held(each).items():
                used[each["spec"]["nodeName"], zone] += milli
        assert len(used) == 2 * count and set(used.values()) == {4000}, f"zones that are not just full: {used.most_common(5)}"
        assert huygens.metric("huygens_nodes_topology_lost") == 0
        assert huygens.metric("huygens_reservation_drift") == 0
        check_audit(bed)
        return f"{count} nodes; {count} pods waited and were bound {took:.1f} s after the objects were back; {len(events)} events"


class MovingCapacity:
    """Writes another real capacity to one node after the other, to each every `period` seconds if the API server keeps up."""

    THREADS = 4

    def __init__(self, client, names, period):
        self.changes = 0
        self._client, self._period = client, period
        self._stopping = threading.Event()
        self._pool = concurrent.futures.ThreadPoolExecutor(self.THREADS)
        self._writers = [self._pool.submit(self._write, names[i::self.THREADS], random.Random(SEED + i)) for i in range(self.THREADS)]

    def _write(self, names, rng):
        due = time.monotonic()
        for name in itertools.cycle(names):
            due = max(due + self._period / len(names), time.monotonic())
            if self._stopping.wait(due - time.monotonic()):
                return
            give(self._client, name, [rng.randint(0, ZONE_CPUS) for _ in range(ZONES)])
            self.changes += 1

    def finish(self):
        self._stopping.set()
        for writer in self._writers:
            writer.result(30)


def beyond_real_capacity(events, decided):
    """Replays the history. Returns (faults, bindings, the oldest figure that a binding relied on, in seconds).

    A topology object that was written a moment before a decision may not have reached huygens yet: the decision is right if some
    figure that was in force shortly before allowed it. `decided`: when each pod's Binding was sent.
    """
    figures = collections.defaultdict(list)  # (node, zone) -> [(written, room)]
    holders = collections.defaultdict(dict)  # node -> uid -> (zones, decided)
    faults, bindings, oldest = [], 0, 0.0
    for version, kind, change, item in events:
        name = item["metadata"]["name"]
        if kind == "topology":
            for zone, room in oracle.Topology(item).room.items():
                written = next(z for z in item["zones"] if z["name"] == zone)["attributes"]["offline_capacity_updated"]
                figures[name, zone].append((datetime.datetime.fromisoformat(written.replace("Z", "+00:00")).timestamp(), room))
            continue
        node, uid = item["spec"].get("nodeName"), item["metadata"]["uid"]
        held = {} if change == "DELETED" else oracle.held(item)
        before = holders[node].pop(uid, None)
        if not held:
            continue
        when = decided[name]
        holders[node][uid] = (held, when)
        if before:
            continue
        bindings += 1
        for zone in held:
            used = sum(z.get(zone, 0) for z, _ in holders[node].values())
            latest = max(t for z, t in holders[node].values() if zone in z)
            # When a figure that allows this was replaced; the one in force was not.
            known = [(figures[node, zone][i + 1][0] if i + 1 < len(figures[node, zone]) else float("inf"))
                     for i, (written, room) in enumerate(figures[node, zone]) if room >= used and written <= latest]
            age = when - max(known, default=float("-inf"))
            oldest = max(oldest, age)
            if age > 2:
                faults.append(f"at version {version}, {name} on {node}: {zone} holds {used} milli-CPUs, of {figures[node, zone][-3:]}")
    return faults, bindings, oldest


def waiting_in_vain(client):
    """Names of the pending pods that fit one of the nodes they may run on."""
    cluster = list_cluster(client)
    nodes = lambda p: [p["spec"]["nodeSelector"]["e2e/node"]] if p["spec"].get("nodeSelector") else cluster.nodes
    return [p["metadata"]["name"] for p in cluster.pending() if any(cluster.fits(p, name) for name in nodes(p))]


def binding_times(bed):
    return {e["objectRef"]["name"]: datetime.datetime.fromisoformat(e["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()
            for e in bed.audit() if e["verb"] == "create" and e.get("objectRef", {}).get("subresource") == "binding"
            and e["responseStatus"]["code"] == 201}


def real_capacity():
    """The real capacity of every zone changes every few seconds while pods come and go: nobody is placed beyond it, nobody is evicted."""
    count = scaled(1000, 50)
    seconds = 25
    with ControlPlane("real_capacity") as bed:
        bed.install()
        names = make_nodes(bed.client, count, [1, 1])
        recorder = history.Recorder(bed.client)
        huygens = bed.start_huygens()
        bed.start_scheduler(huygens)
        moving = MovingCapacity(bed.client, names, period=5)
        rng = random.Random(SEED)
        created, deleted = 0, set()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # Some are for one node alone, so that there are always a few that huygens rejects.
            running = [p for p in recorder.pods() if oracle.bound(p)]
            pending = sum(not oracle.bound(p) for p in recorder.pods())
            if pending < 40:
                pods = [pod(f"p-{created + i:05d}", rng.choice([2, 3, 4, 4]), rng.choice([None, None, rng.choice(names)])) for i in range(20)]
                workload.create_pods(bed.client, pods)
                created += len(pods)
            running.sort(key=lambda p: p["metadata"]["name"])
            for victim in rng.sample(running, min(5, len(running) // 4)):
                deleted.add(victim["metadata"]["uid"])
                bed.client.delete(workload.pod_path(victim))
            time.sleep(0.2)
        moving.finish()
        pending = [p["metadata"]["name"] for p in recorder.pods() if not oracle.bound(p)]
        woken = huygens.metric("huygens_pods_woken_total")
        # In the end every zone has all it can have: what is still rejected fits, and must not wait for kube-scheduler's next round.
        bed.client.for_each(lambda name: give(bed.client, name, [ZONE_CPUS] * ZONES), names)
        start = time.monotonic()
        wait_until(lambda: not waiting_in_vain(bed.client), lambda: f"these pods wait and fit: {waiting_in_vain(bed.client)}", 20)
        settled = time.monotonic() - start

        recorder.wait_version("pod", max(int(p["metadata"]["resourceVersion"]) for p in bed.client.get("/api/v1/pods")["items"]), 30)
        recorder.stop()
        events = recorder.events()
        gone = {item["metadata"]["uid"] for _, kind, change, item in events if kind == "pod" and change == "DELETED"}
        assert gone <= deleted, f"{len(gone - deleted)} pods were evicted"
        faults, bindings, oldest = beyond_real_capacity(events, binding_times(bed))
        assert not faults, f"{len(faults)} bindings beyond the real capacity: " + "; ".join(faults[:5])
        check_write_rate(bed, node_of_pods(recorder))
        check_audit(bed)
        assert woken > 0, "no pod was woken"
        assert huygens.metric("huygens_reservation_drift") == 0
        return (f"{count} nodes, {moving.changes} changes of real capacity in {seconds} s, {created} pods created, {len(deleted)} deleted, "
                f"{bindings} bindings with zones, none beyond what was known (oldest figure relied on {oldest * 1000:.0f} ms out of date); "
                f"{woken:.0f} pods woken by {len(wake_writes(bed))} writes; the last {len(pending)} bound {settled:.1f} s after room came back")
