"""Placement by real use: the week before repeats itself, and no node gets above its ceiling."""
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

import oracle
import prometheus
import workload
from api import wait_until
from prometheus import SLOT, SLOTS
from scenarios import SEED, check_audit, scaled
from testbed import SCHEDULER_NAME, ControlPlane, EmbeddedHuygens, huygens_binary

NODE_CPUS, NODE_GIB = 16, 64
CEILING = 0.8
SYSTEM_CPUS, SYSTEM_GIB = 0.25, 1.0
DAY = SLOTS // 7
STALE_AFTER = 40  # seconds
CONFIGURATION = """
usage:
  {source}
  interval: 5s
  staleAfter: {stale_after}s
  resources:
  - {{name: cpu, ceiling: 0.8, whenStale: useRequests, whenAbsent: useRequests}}
  - {{name: memory, ceiling: 0.9, whenStale: useRequests, whenAbsent: useRequests}}
"""


def slot_at(seconds):
    return int(seconds // SLOT) % SLOTS


class Workload:
    """A Deployment whose pods all use the same: cores by slot of the week, with a busy time of day and quieter week-ends; constant memory."""

    def __init__(self, rng, index):
        self.name = f"web-{index:03d}"
        self.replica_set = f"{self.name}-7d4b9c6f5"
        self.gib = rng.uniform(0.2, 1.0)
        peak, idle, busiest, width = rng.uniform(0.3, 1.2), rng.uniform(0.05, 0.5), rng.randrange(DAY), rng.uniform(4, 20)
        self.cores = []
        for slot in range(SLOTS):
            distance = min((slot - busiest) % DAY, (busiest - slot) % DAY)
            week = 1.0 if slot // DAY < 5 else 0.6
            self.cores.append(round(peak * (idle + (1 - idle) * week * math.exp(-(distance / width) ** 2)), 3))

    def labels(self, resource):
        return {"namespace": "default", "owner_kind": "ReplicaSet", "owner_name": self.replica_set, "resource": resource}

    def series(self):
        name = "huygens:workload_usage"
        return [(name, self.labels("cpu"), lambda seconds: self.cores[slot_at(seconds)]),
                (name, self.labels("memory"), lambda _: self.gib * 2**30)]

    def pod(self, index, node=None, limit="2"):
        name = f"{self.replica_set}-{index:05d}"
        made = {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": "default", "labels": {"app": self.name},
                             "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": self.replica_set,
                                                  "uid": "7a4e6c1e-0d0f-4c57-9e0b-5d8a4f3c2b10", "controller": True}]},
                # Asks for far less than it uses: by requests all of them would fit on a few nodes.
                "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 0,
                         "containers": [workload.container("app", "100m", limit)]}}
        if node:
            made["spec"]["nodeName"] = node
        return made


def make_node(index):
    amounts = {"cpu": str(NODE_CPUS), "memory": f"{NODE_GIB}Gi", "pods": "250"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": workload.node_name(index)},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def system_series(node):
    name = "huygens:node_system_usage"
    return [(name, {"node": node, "resource": "cpu"}, lambda _: SYSTEM_CPUS),
            (name, {"node": node, "resource": "memory"}, lambda _: SYSTEM_GIB * 2**30)]


def highest(workloads):
    """The highest use of a node with one pod of each of these, at any slot of the week, in cores."""
    return max((sum(slot) for slot in zip(*(w.cores for w in workloads))), default=0) + SYSTEM_CPUS


def fill(rng, names, workloads, count):
    """Which workloads run on each node to begin with: every other node is busy, none above its ceiling."""
    placed = {name: [] for name in names}
    for turn in range(count):
        name = names[turn % len(names)]
        busy = turn % 2 == 0
        choices = sorted(rng.sample(workloads, 8), key=lambda w: max(w.cores), reverse=busy)
        room = NODE_CPUS * (CEILING if busy else CEILING / 2)
        placed[name] += next(([w] for w in choices if highest(placed[name] + [w]) <= room), [])
    return placed


def by_node(client, workloads):
    """{node: workloads of the pods there}, and the number of pods without a node."""
    known = {w.replica_set: w for w in workloads}
    placed, waiting = collections.defaultdict(list), 0
    for item in client.get("/api/v1/pods")["items"]:
        if oracle.bound(item):
            placed[item["spec"]["nodeName"]].append(known[item["metadata"]["ownerReferences"][0]["name"]])
        else:
            waiting += 1
    return placed, waiting


def hot_nodes(placed):
    """What replaying the week through this result shows."""
    hot = {name: round(highest(each), 3) for name, each in placed.items() if highest(each) > NODE_CPUS * CEILING + 1e-6}
    memory = [name for name, each in placed.items() if sum(w.gib for w in each) + SYSTEM_GIB > NODE_GIB * 0.9]
    return hot, memory


def create_old_pods(client, placed):
    pods = [w.pod(i, name) for name, each in placed.items() for i, w in enumerate(each)]
    for index, item in enumerate(pods):
        item["metadata"]["name"] += f"-{index:04d}"
    workload.create_pods(client, pods)
    return len(pods)


def place(bed, pods, seconds):
    workload.create_pods(bed.client, pods)
    names = {p["metadata"]["name"] for p in pods}

    def decided():
        items = [p for p in bed.client.get("/api/v1/pods")["items"] if p["metadata"]["name"] in names]
        return all(oracle.bound(p) or oracle.unscheduled_reason(p) for p in items)

    wait_until(decided, "some pods were not decided", seconds)


def ask(huygens, *arguments):
    """What the command line prints about a running huygens."""
    result = subprocess.run([huygens_binary(), *arguments, f"--admin-url=http://127.0.0.1:{huygens.admin_port}"], capture_output=True, text=True)
    assert result.returncode == 0, f"huygens {' '.join(arguments)}: {result.stderr}"
    return result.stdout


def check_predictions(huygens, placed):
    """What huygens says of each node's peak is what replaying the week shows, but for rounding: a milli-core or so a pod."""
    told = json.loads(ask(huygens, "usage", "top", f"--limit={len(placed)}", "-o", "json"))["top"]
    assert len(told) == len(placed), f"{len(told)} nodes told of, not {len(placed)}"
    for node in told:
        cores = oracle.quantity(node["usage"]["cpu"]["peak"], 1000) / 1000
        real = highest(placed[node["name"]])
        assert -1e-6 <= cores - real <= 0.002 * (len(placed[node["name"]]) + 1), f"{node['name']}: {cores} cores predicted, {real:.3f} replayed"
    hottest = told[0]["name"]
    assert hottest in ask(huygens, "usage", "top", "--size", "cpu=1,memory=1Gi").split("NODE", 1)[1].splitlines()[1]
    assert "history of default/Deployment/web-" in ask(huygens, "explain", f"node/{hottest}")


def history_times(now):
    """A sample in the middle of each slot of the week that ended, then one every ten seconds until a quarter of an hour from now."""
    begin = now // SLOT * SLOT
    week = [begin - (SLOTS - i) * SLOT + SLOT // 2 for i in range(SLOTS)]
    return week + list(range(begin, now + SLOT, 10))


def usage():
    """500 pods placed by a week of real use from Prometheus: replaying the week leaves no node above its ceiling, also without Prometheus."""
    prometheus.need_prometheus()
    rng = random.Random(SEED)
    count = scaled(100, 10)
    with ControlPlane("usage") as bed:
        bed.install()
        workloads = [Workload(rng, i) for i in range(scaled(400, 60))]
        names = [workload.node_name(i) for i in range(count)]
        placed = fill(rng, names, workloads, 20 * count)
        series = [s for w in workloads for s in w.series()] + [s for name in names for s in system_series(name)]
        begin = time.monotonic()
        with prometheus.Prometheus(bed.directory, lambda path: prometheus.write_series(path, series, history_times(int(time.time())))) as server:
            imported = time.monotonic() - begin
            bed.client.for_each(lambda i: bed.client.post("/api/v1/nodes", make_node(i)), range(count))
            old = create_old_pods(bed.client, placed)
            huygens = bed.start_huygens(enforce_usage=True, more=CONFIGURATION.format(source=f"prometheus: {{url: {json.dumps(server.url)}}}",
                                                                  stale_after=STALE_AFTER))

            def state(name):
                return huygens.metric("huygens_nodes", f'usage="{name}"')

            wait_until(lambda: state("fresh") == count, lambda: f"nodes fresh: {state('fresh')}; {huygens.admin('/readyz?verbose')}", 60)
            filled = time.monotonic() - begin - imported
            bed.start_scheduler(huygens)
            new = [rng.choice(workloads).pod(90000 + i) for i in range(5 * count)]
            # The scenario could fail: spread evenly, as requests would have it, the same pods overload nodes.
            known = {w.replica_set: w for w in workloads}
            even = {name: list(each) for name, each in placed.items()}
            for index, item in enumerate(new):
                even[names[index % count]].append(known[item["metadata"]["ownerReferences"][0]["name"]])
            assert hot_nodes(even)[0], "the workload would overload no node anyway"

            place(bed, new[:len(new) // 2], 60)
            server.process.stop()
            place(bed, new[len(new) // 2:], 60)
            after, waiting = by_node(bed.client, workloads)
            hot, memory = hot_nodes(after)
            assert not hot and not memory, f"above the ceiling: {hot} {memory}"
            check_predictions(huygens, after)
            assert waiting <= len(new) // 20, f"{waiting} of {len(new)} pods found no node"
            assert huygens.metric("huygens_reservation_drift") == 0

            # Past the limit nothing is known any more: the check steps aside, says so, and comes back with Prometheus.
            wait_until(lambda: huygens.metric("huygens_usage_check_steps_aside") == 1, "the check did not step aside", STALE_AFTER + 30)
            assert huygens.admin("/readyz")[0] == 200, huygens.admin("/readyz?verbose")
            assert "usage" in huygens.admin("/readyz?verbose")[1]
            place(bed, [workloads[0].pod(99999)], 30)
            assert by_node(bed.client, workloads)[1] <= waiting, "without figures a pod must not wait"
            server.process.start()
            server.wait_ready()
            wait_until(lambda: huygens.metric("huygens_usage_check_steps_aside") == 0, "the check did not come back", 60)
        check_audit(bed)
        most = max(highest(each) for each in after.values()) / NODE_CPUS
        return (f"{count} nodes, {old} pods, {len(series)} series of a week imported in {imported:.0f} s, all figures there {filled:.0f} s "
                f"later; {len(new)} more pods placed, {waiting} wait; highest node at {most:.1%} of its cores in the replayed week, "
                f"{len(hot_nodes(even)[0])} nodes above {CEILING:.0%} had they been spread by requests")


class Herd:
    """Nodes that are used up to two fifths, but for the first, which idles; and a burst of pods of a workload without a history."""

    LATE = 180  # seconds
    ESTIMATE = 0.85  # of the limit of one core

    def __init__(self):
        rng = random.Random(SEED)
        self.burst = scaled(200, 40)
        self.workloads = [Workload(rng, i) for i in range(60)]
        self.names = [workload.node_name(i) for i in range(scaled(50, 10))]
        self.placed = {name: [] for name in self.names}
        for name in self.names[1:]:
            while highest(self.placed[name]) < NODE_CPUS * 0.4:
                self.placed[name].append(rng.choice(self.workloads))
        self.batch = Workload(rng, 999)
        self.pods = [self.batch.pod(i, limit="1") for i in range(self.burst)]

    def check(self, landed):
        """`landed`: how many pods on each node."""
        for name, pods in landed.items():
            use = highest(self.placed[name]) + pods * self.ESTIMATE
            assert use <= NODE_CPUS * CEILING + 1e-6, f"{name} would use {use:.2f} cores"
        return (f"{self.burst} pods on {len(landed)} of {len(self.names)} nodes, {landed[self.names[0]]} of them on the idle one, "
                f"at most {max(landed.values())} on any")


def herd():
    """200 pods at once, with metrics that are three minutes late, do not all go to the node that looks idle."""
    prometheus.need_prometheus()
    scene = Herd()
    count = len(scene.names)
    with ControlPlane("herd") as bed:
        bed.install()
        series = [s for w in scene.workloads for s in w.series()] + [s for name in scene.names for s in system_series(name)]
        late = int(time.time()) - Herd.LATE
        times = [t for t in history_times(late) if t <= late]
        with prometheus.Prometheus(bed.directory, lambda path: prometheus.write_series(path, series, times)) as server:
            bed.client.for_each(lambda i: bed.client.post("/api/v1/nodes", make_node(i)), range(count))
            create_old_pods(bed.client, scene.placed)
            huygens = bed.start_huygens(enforce_usage=True, more=CONFIGURATION.format(source=f"prometheus: {{url: {json.dumps(server.url)}}}", stale_after=600))
            wait_until(lambda: huygens.metric("huygens_nodes", 'usage="fresh"') == count,
                       lambda: f"nodes are not fresh: {huygens.admin('/readyz?verbose')}", 60)
            bed.start_scheduler(huygens)
            workload.create_pods(bed.client, scene.pods)
            landed = collections.Counter()

            def of_the_batch():
                return [p for p in bed.client.get("/api/v1/pods")["items"] if p["metadata"]["labels"]["app"] == scene.batch.name]

            def all_bound():
                landed.clear()
                landed.update(p["spec"].get("nodeName") for p in of_the_batch())
                return landed.total() == scene.burst and None not in landed

            def why_not():
                return collections.Counter(oracle.unscheduled_reason(p) for p in of_the_batch() if not oracle.bound(p)).most_common(5)

            wait_until(all_bound, lambda: f"bound: {landed}, the others: {why_not()}", 60)
            check_audit(bed)
            return scene.check(landed)


def usage_histories(scene, late):
    """What Prometheus would hold, as an object of the embedded cluster: of each slot of the week that had ended by `late` the highest value."""
    end = late // SLOT
    slots = range(end - SLOTS - 1, end)  # the open slot counts as a week before, and the one that `late` lies in may have ended
    start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(slots[0] * SLOT))
    series = []
    for w in scene.workloads:
        name = f"default/Deployment/{w.name}"
        series.append({"workload": name, "resource": "cpu", "start": start, "values": [f"{w.cores[i % SLOTS]:.3f}" for i in slots]})
        series.append({"workload": name, "resource": "memory", "start": start, "values": [str(math.ceil(w.gib * 2**30))] * len(slots)})
    for name in scene.names:
        series.append({"node": name, "resource": "cpu", "start": start, "values": [str(SYSTEM_CPUS)] * len(slots)})
        series.append({"node": name, "resource": "memory", "start": start, "values": [f"{SYSTEM_GIB:.0f}Gi"] * len(slots)})
    return {"apiVersion": "huygens.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "week"}, "spec": {"series": series}}


def herd_embedded():
    """The same on the embedded cluster, by several stand-ins for kube-scheduler at once."""
    scene = Herd()
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-herd_embedded-") as temporary:
        directory = pathlib.Path(temporary)
        cluster = directory / "cluster"
        cluster.mkdir()
        objects = [make_node(i) for i in range(len(scene.names))] + [usage_histories(scene, int(time.time()) - Herd.LATE)]
        for name, each in scene.placed.items():
            for i, w in enumerate(each):
                objects.append(w.pod(i, name))
                objects[-1]["metadata"].update(name=f"{w.name}-{name}-{i}", uid=f"{w.name}-{name}-{i}")
        (cluster / "objects.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        with EmbeddedHuygens(directory, cluster, CONFIGURATION.format(source="", stale_after=3600)) as huygens:
            wait_until(lambda: huygens.metric("huygens_nodes", 'usage="fresh"') == len(scene.names),
                       lambda: f"nodes are not fresh: {huygens.admin('/readyz?verbose')}", 60)
            landed, refused = place_at_once(huygens, directory, scene.pods)
        return f"{scene.check(landed)}; {refused} times another pod was quicker"


def place_at_once(huygens, directory, pods, stand_ins=8):
    """Where the pods land, by node, and how often bind refused one; whom bind refuses is tried again, as kube-scheduler would."""
    def place(number, share):
        path = directory / f"pods-{number}.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": share}))
        run = subprocess.run([huygens_binary(), "place", "-f", path, "-o", "json", f"--url=http://127.0.0.1:{huygens.port}",
                              f"--admin-url=http://127.0.0.1:{huygens.admin_port}"], capture_output=True, text=True)
        assert run.returncode in (0, 1) and run.stdout, run.stderr
        return json.loads(run.stdout)["pods"]

    landed, refused, waiting = collections.Counter(), 0, {f"default/{p['metadata']['name']}": p for p in pods}
    while waiting:
        shares = [list(waiting.values())[i::stand_ins] for i in range(min(stand_ins, len(waiting)))]
        with concurrent.futures.ThreadPoolExecutor(stand_ins) as pool:
            outcomes = [outcome for share in pool.map(place, range(stand_ins), shares) for outcome in share]
        for outcome in outcomes:
            if "error" in outcome:
                assert "usage ceiling" in outcome["error"], outcome
                refused += 1
                continue
            assert outcome.get("node"), f"fits nowhere: {outcome}"
            landed[outcome["node"]] += 1
            del waiting[outcome["pod"]]
    return landed, refused


