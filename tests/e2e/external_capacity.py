"""External facts as attributes of zones: huygens controller asks a Prometheus and an HTTP server, and writes on a real API server what follows."""
import http.server
import json
import shutil
import threading
import time
import urllib.parse

import workload
from api import ApiError, wait_until
from binaries import missing
from controller import ACCOUNT, Controller
from prometheus import Prometheus, write_series
from rendered import objects
from testbed import CONFIG, NRT_PATH, ControlPlane, Process, Skip, free_port, huygens_binary, replaced
from waking import pod

OVERLAY = CONFIG / "overlays" / "real-capacity"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/noderesourcetopologies.topology.crane.io"
COMMUNITY_PATH = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
REPORT = "mode: report                     # writes nothing, and says what it would; then: enforce"
ALONE = {"lease: {enabled: true": "lease: {enabled: false"}  # leads at once
CARRY_OVER = {"    prometheus:\n": "    withoutListMap: carryOver\n    prometheus:\n"}
WRITE = 'attribute="offline_capacity",state="write"'
PROMETHEUS = "http://prometheus-operated.monitoring:9090"


class Facts:
    """An HTTP server with facts: `foreign` {(node, zone): CPUs} as Prometheus answers them, `watts` {node: W} as a document."""

    def __init__(self):
        self.foreign, self.watts, self.down, self.asked = {}, {}, False, []
        facts = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, document):
                body = b"no upstream" if facts.down else json.dumps(document).encode()
                self.send_response(503 if facts.down else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.answer({"items": [{"node": node, "value": watts} for node, watts in facts.watts.items()]})

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                facts.asked.append(form["query"][0])
                series = [{"metric": {"node": node, "zone": zone}, "value": [time.time(), str(cpus)]} for (node, zone), cpus in facts.foreign.items()]
                self.answer({"status": "success", "data": {"resultType": "vector", "result": series}})

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Master(Controller):
    """One controller with the shipped configuration of the overlay, but that it is in a hurry and asks for watts, too. `changes`: of that."""

    def __init__(self, bed, name, facts, changes):  # pylint: disable=super-init-not-called
        self.name, self.admin_port = name, free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((OVERLAY / "controller.yaml").read_text(), {
            "adminAddress: 0.0.0.0:8889": f"adminAddress: 127.0.0.1:{self.admin_port}",
            'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('controller-token')}",
            REPORT: "mode: enforce\n    objects: both", "interval: 30s": "interval: 1s", "period: 1m": "period: 1s", "refresh: 2m": "refresh: 10m",
            PROMETHEUS: facts.url,
            "    attributes:\n": f"    - {{name: watts, url: '{facts.url}/watts', zoneLabel: ''}}\n    attributes:\n"
                                 "    - {name: power_watts, unit: number, formula: watts / 2, vanishedAfter: 3}\n",
            "      maxRise: 4": "      vanishedAfter: 3\n      maxRise: 4"} | changes))
        self.process = Process(name, [huygens_binary(), "controller", "--config", self.config], bed.directory, grace=30)
        bed.extenders.append(self)

    def readiness(self):
        return self.admin("/readyz?verbose")[1]


class Scene:
    def __init__(self, bed, facts):
        self.bed, self.client, self.facts = bed, bed.client, facts

    def publish(self, node, zones=(0, 1), cpus=8):
        """As the agent of the node does: with server-side apply, under a name of its own."""
        item = {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": node},
                "craneManagerPolicy": {"cpuManagerPolicy": "Static"},
                "zones": [{"name": f"node{i}", "type": "Node", "attributes": {"huygens.dev/cores": f"{4 * i}-{4 * i + 3}"},
                           "resources": {"capacity": {"cpu": str(cpus)}, "allocatable": {"cpu": str(cpus)}}} for i in zones]}
        self.bed.kubectl("apply", "--server-side", "--field-manager=huygens-agent", "-f", "-", stdin=json.dumps(item))

    def zones(self, node):
        return {zone["name"]: zone.get("attributes", {}) for zone in self.client.get(f"{NRT_PATH}/{node}")["zones"]}

    def capacity(self, node):
        return {name: attributes.get("offline_capacity") for name, attributes in self.zones(node).items()}

    def wait_capacity(self, node, wanted, seconds=15):
        wait_until(lambda: self.capacity(node) == wanted, lambda: f"{node} should give {wanted}: {self.capacity(node)}", seconds)

    def master(self, name, changes=None):
        master = Master(self.bed, name, self.facts, changes or {})
        master.wait_ready()
        wait_until(master.leads, f"{name} does not lead", 30)
        return master

    def end(self, master):
        master.stop()
        self.bed.extenders.remove(master)

    def rounds(self, master, count):
        """Waits until the sources were asked so many times more."""
        query = "huygens_real_capacity_answers_total"
        first = master.metric(query)
        wait_until(lambda: master.metric(query) >= first + 2 * count, "the sources are not asked", 30)


def only_told(scene):
    """In mode `report` nothing is written, and the log says what would be."""
    master = scene.master("reporting", ALONE | {REPORT: "mode: report"})
    wait_until(lambda: "real capacity would be written" in master.process.log(), "it tells nothing", 15)
    assert scene.capacity("a") == {"node0": None, "node1": None}
    assert master.metric("huygens_real_capacity_zones", WRITE) == 2
    scene.end(master)


def written(scene, master):
    """The formula, with allocatable CPUs of the zone, beside what the agent owns; at rest nothing."""
    scene.wait_capacity("a", {"node0": "5800m", "node1": "8"})
    zone = scene.zones("a")["node0"]
    assert zone["huygens.dev/cores"] == "0-3" and zone["power_watts"] == "200.5", zone
    assert abs(time.time() - time.mktime(time.strptime(zone["offline_capacity_updated"], "%Y-%m-%dT%H:%M:%SZ")) + time.timezone) < 30, zone
    scene.rounds(master, 1)
    version = scene.client.get(f"{NRT_PATH}/a")["metadata"]["resourceVersion"]
    scene.facts.foreign["a", "0"] = 2.1  # within the step
    scene.rounds(master, 2)
    assert scene.client.get(f"{NRT_PATH}/a")["metadata"]["resourceVersion"] == version, "at rest it writes nothing"


def beside_the_agent(scene, master):
    """The agent applies its object again, with other zones: what the master wrote stays, and a zone that is gone is gone."""
    scene.facts.foreign["a", "0"] = 2
    scene.rounds(master, 2)
    before = scene.zones("a")["node0"]["offline_capacity"]
    scene.publish("a", zones=(0,), cpus=8)
    wait_until(lambda: list(scene.zones("a")) == ["node0"], lambda: f"node1 should go: {scene.zones('a')}", 15)
    zone = scene.zones("a")["node0"]
    assert zone["offline_capacity"] == before and zone["huygens.dev/cores"] == "0-3" and zone["power_watts"] == "200.5", zone
    scene.publish("a", zones=(0, 1))
    scene.wait_capacity("a", {"node0": "5800m", "node1": "8"})


def in_steps(scene):
    """A rise comes in steps of four CPUs, a fall at once."""
    scene.facts.foreign["a", "0"] = 100
    scene.wait_capacity("a", {"node0": "0", "node1": "8"})
    scene.facts.foreign["a", "0"] = 0
    seen = []

    def risen():
        now = scene.capacity("a")["node0"]
        if now not in seen[-1:]:
            seen.append(now)
        return now == "8"

    wait_until(risen, lambda: f"node0 should rise to 8: {seen}", 20, interval=0.05)
    assert "4" in seen, f"in one jump: {seen}"


def silent(scene, master):
    """A source that is down leaves what is written, with its time; it is told once, and again when it is back."""
    before = scene.zones("a")
    scene.facts.down = True
    wait_until(lambda: "no facts of real capacity" in master.process.log(), "nobody says that the source is down", 15)
    scene.rounds(master, 2)
    assert scene.zones("a") == before, scene.zones("a")
    assert master.metric("huygens_real_capacity_zones", WRITE.replace("write", "stale")) == 2
    detail = master.readiness()
    assert "[!]realCapacity" in detail.replace(" ", "") and "HTTP 503" in detail, detail
    scene.facts.down = False
    wait_until(lambda: "are there again" in master.process.log(), "nobody says that the source is back", 15)


def vanished(scene, master):
    """A series that is gone removes the attribute after three good answers; an answer that names nothing at all removes nothing."""
    kept = dict(scene.facts.foreign)
    scene.facts.foreign = {}
    scene.rounds(master, 4)
    assert scene.capacity("a") == {"node0": "8", "node1": "8"}, "an empty answer is none"
    scene.facts.foreign = {key: value for key, value in kept.items() if key != ("a", "1")}
    scene.wait_capacity("a", {"node0": "8", "node1": None})
    assert "offline_capacity_updated" not in scene.zones("a")["node1"] and "power_watts" in scene.zones("a")["node1"], scene.zones("a")
    events = [event for event in scene.client.get("/api/v1/namespaces/default/events")["items"]
              if event["reason"] == "RealCapacityRemoved" and "names the zone no more" in event["message"]]
    assert len(events) == 1 and events[0]["involvedObject"]["name"] == "a", events
    scene.facts.foreign = kept
    scene.wait_capacity("a", {"node0": "8", "node1": "8"})


def unknown(scene, master):
    """What the cluster does not have is counted, and not made."""
    scene.facts.foreign.update({("nowhere", "0"): 1, ("a", "7"): 1})
    wait_until(lambda: (master.metric("huygens_real_capacity_unknown", "node"), master.metric("huygens_real_capacity_unknown", "zone")) == (1, 1),
               "what is unknown is not counted", 15)
    assert len(scene.client.get(NRT_PATH)["items"]) == 1
    scene.client.delete(f"{NRT_PATH}/a")
    scene.rounds(master, 2)
    assert not scene.client.get(NRT_PATH)["items"], "an object that was deleted is not made anew"
    del scene.facts.foreign["nowhere", "0"], scene.facts.foreign["a", "7"]
    scene.publish("a")
    scene.wait_capacity("a", {"node0": "8", "node1": "8"})


def foreign_owner(scene, master):
    """An attribute that somebody else owns stays his, and that is told."""
    item = {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": "b"},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static"},
            "zones": [{"name": "node0", "type": "Node", "attributes": {"offline_capacity": "1"},
                       "resources": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}}]}
    scene.facts.foreign["b", "0"] = 2
    scene.bed.kubectl("apply", "--server-side", "--field-manager=my-script", "-f", "-", stdin=json.dumps(item))
    wait_until(lambda: master.metric("huygens_real_capacity_writes_total", "refused") >= 1, "the conflict is not counted", 15)
    assert scene.capacity("b") == {"node0": "1"}
    told = [event["message"] for event in scene.client.get("/api/v1/namespaces/default/events")["items"] if event["reason"] == "RealCapacityNotWritten"]
    assert told and 'conflict with "my-script"' in told[0], told
    scene.client.delete(f"{NRT_PATH}/b")
    del scene.facts.foreign["b", "0"]


def community(scene):
    """The same of the community's objects, whose attributes are lists: the exporter that applies its object again keeps what the master owns."""
    item = {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": "k"},
            "zones": [{"name": "node-0", "type": "Node", "attributes": [{"name": "memoryGroup", "value": "node-0"}],
                       "resources": [{"name": "cpu", "capacity": "8", "allocatable": "7", "available": "7"}]}]}
    publish = lambda: scene.bed.kubectl("apply", "--server-side", "--field-manager=exporter", "-f", "-", stdin=json.dumps(item))
    attributes = lambda: {each["name"]: each["value"] for each in scene.client.get(f"{COMMUNITY_PATH}/k")["zones"][0]["attributes"]}
    scene.facts.foreign["k", "0"] = 1
    publish()
    wait_until(lambda: attributes().get("offline_capacity") == "5900m", lambda: f"the community's object is not written: {attributes()}", 15)
    item["zones"][0]["attributes"][0]["value"] = "node-0,node-1"
    publish()
    assert attributes()["memoryGroup"] == "node-0,node-1" and attributes()["offline_capacity"] == "5900m", attributes()
    scene.client.delete(f"{COMMUNITY_PATH}/k")
    del scene.facts.foreign["k", "0"]


def waking(scene):
    """A pod waits for what a zone really has; when the master writes more, huygens wakes it and it is bound."""
    bed = scene.bed
    node = workload.make_node(0, [{"name": f"node{i}", "type": "Node", "resources": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}} for i in range(2)])
    name = node["metadata"]["name"]
    node["metadata"]["labels"] = {"e2e/node": name}
    workload.create_nodes(scene.client, [node], [])
    scene.facts.foreign.update({(name, "0"): 6, (name, "1"): 6})
    scene.publish(name)
    scene.wait_capacity(name, {"node0": "1400m", "node1": "1400m"})
    huygens = bed.start_huygens()
    bed.start_scheduler(huygens)
    path = "/api/v1/namespaces/default/pods"
    scene.client.post(path, pod("waits", 4, name))
    condition = lambda: next((c for c in scene.client.get(f"{path}/waits")["status"].get("conditions", []) if c["type"] == "PodScheduled"), {})
    wait_until(lambda: condition().get("reason") == "Unschedulable", "the pod should be refused", 30)
    scene.facts.foreign[name, "1"] = 3
    start = time.monotonic()
    wait_until(lambda: scene.client.get(f"{path}/waits")["spec"].get("nodeName") == name, "the pod is not woken", 30)
    assert huygens.metric("huygens_pods_woken_total") >= 1
    return time.monotonic() - start


def without_map(scene):
    """A definition without a map of zones: nothing is written and that is told, or by a patch that leaves all else as it is."""
    definition = scene.client.get(CRD)
    zones = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["zones"]
    for key in ("x-kubernetes-list-type", "x-kubernetes-list-map-keys"):
        del zones[key]
    scene.client.call("PUT", CRD, definition)
    scene.facts.foreign["a", "0"] = 5
    master = scene.master("refusing", ALONE)
    wait_until(lambda: "has no map of zones" in master.readiness(), master.readiness, 30)
    scene.rounds(master, 2)
    assert scene.capacity("a")["node0"] == "8", scene.capacity("a")
    scene.end(master)
    master = scene.master("carrying", ALONE | CARRY_OVER)
    scene.wait_capacity("a", {"node0": "2500m", "node1": "8"})
    assert scene.zones("a")["node0"]["huygens.dev/cores"] == "0-3"
    scene.end(master)


def real_prometheus(scene):
    """The same of a real Prometheus."""
    if not (shutil.which("prometheus") and shutil.which("promtool")):
        return "no Prometheus on the PATH"
    start = int(time.time()) - 60
    series = [("foreign_cpu_cores", {"node": "a", "zone": str(i), "part": part}, lambda _, i=i: 1.5 + i) for i in range(2) for part in "xy"]
    with Prometheus(scene.bed.directory, lambda path: write_series(path, series, range(start, start + 900, 15))) as prometheus:
        master = scene.master("asking", ALONE | CARRY_OVER | {PROMETHEUS: prometheus.url})
        scene.wait_capacity("a", {"node0": "4700m", "node1": "2500m"}, 30)
        scene.end(master)
    return "with a real Prometheus"


def external_capacity():
    """Facts of Prometheus and HTTP become attributes of zones: steps, jumps, silence, vanished series, conflicts, waking, definitions without a map."""
    if why := missing("kubectl"):
        raise Skip(why)
    with Facts() as facts, ControlPlane("external_capacity") as bed:
        bed.install()
        bed.kubectl("apply", "-k", CONFIG / "crd-community")
        bed.wait_established("noderesourcetopologies.topology.node.k8s.io")
        shipped = [item for item in objects(bed, "-k", OVERLAY) if item["kind"] not in ("Deployment", "PodDisruptionBudget")]
        bed.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": shipped}))
        scene = Scene(bed, facts)
        facts.foreign, facts.watts = {("a", "0"): 2, ("a", "1"): 0}, {"a": 401}
        scene.publish("a")
        only_told(scene)
        first = scene.master("first")
        written(scene, first)
        beside_the_agent(scene, first)
        in_steps(scene)
        silent(scene, first)
        vanished(scene, first)
        unknown(scene, first)
        foreign_owner(scene, first)
        community(scene)
        took = waking(scene)
        writers = {event["user"]["username"] for event in bed.audit() if event.get("objectRef", {}).get("resource") == "noderesourcetopologies" and event["verb"] == "create"}
        assert ACCOUNT not in writers, "the controller made an object"
        bed.extenders.remove(first)
        first.stop()
        without_map(scene)
        detail = real_prometheus(scene)
        return f"a waiting pod was bound {took:.1f} s after its zone had more; {detail}"
