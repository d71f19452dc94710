"""Recommendations: two instances of huygens controller on a real API server, with real Deployments, and a source of metrics that the test makes."""
import http.server
import json
import re
import subprocess
import threading
import time
import urllib.parse

from api import ApiError, wait_until
from binaries import BINARIES, kubernetes_minor, missing
from controller import ACCOUNT, Controller
from in_place import OLDEST, POOL, WRITES, running_pods_are_lowered
from overcommit import make_deployment
from testbed import CONFIG, ControlPlane, Process, Skip, free_port, huygens_binary, replaced

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"
TEMPLATES = "/apis/huygens.dev/v1alpha1/recommendationtemplates"
RECOMMENDATIONS = "/apis/huygens.dev/v1alpha1/namespaces/default/recommendations"
CHECKPOINTS = "/apis/huygens.dev/v1alpha1/namespaces/default/recommendationcheckpoints"
DEFINITIONS = ("recommendationtemplates", "recommendations", "recommendationcheckpoints")
CONFIGURATION = """
usage: {prometheus: {url: "http://127.0.0.1:PORT"}}
overcommit:
  mode: enforce
  interval: 1s
  checkpointInterval: 3s
  backfill: 26h
  keepFor: 1h
  pools:
  - {name: shared, type: dynamic, autoApply: true}
""" + POOL


class Metrics:
    """Answers as Prometheus does: each pod of the default namespace uses, and used, what `used` says, in cores and bytes."""

    def __init__(self):
        self.used, self.pods, self.answers, self.fails = {"cpu": 1.0, "memory": 200 * 2**20}, set(), 0, False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                status, body = outer.answer(self.path, {key: values[0] for key, values in form.items()})
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, path, form):
        query = form["query"]
        if self.fails:
            return 503, {"status": "error", "errorType": "unavailable", "error": "made to fail"}
        value = self.used["cpu" if "container_cpu_usage_seconds_total" in query else "memory"]
        if 'namespace="default"' not in query:
            return 200, {"status": "success", "data": {"resultType": "vector", "result": []}}
        self.answers += 1
        if path.endswith("/query"):
            result = [{"metric": {"pod": pod, "container": "app"}, "value": [float(form["time"]), str(value)]} for pod in sorted(self.pods)]
            return 200, {"status": "success", "data": {"resultType": "vector", "result": result}}
        assert path.endswith("/query_range"), path
        names = re.search(r'pod=~"([^"]*)"', query).group(1).replace("\\\\", "\\")
        start, end, step = (float(form[key]) for key in ("start", "end", "step"))
        points = [[start + i * step, str(value)] for i in range(int((end - start) / step) + 1)]
        pod = "cart-6d4b75cb6d-hwqxv"  # of a ReplicaSet that is long gone
        result = [{"metric": {"pod": pod}, "values": points[::60]}] if re.fullmatch(names, pod) else []
        return 200, {"status": "success", "data": {"resultType": "matrix", "result": result}}

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Recommender(Controller):
    """One controller with the shipped configuration, but that it recommends, and is in a hurry."""

    def __init__(self, bed, name, metrics):  # pylint: disable=super-init-not-called
        self.name, self.admin_port = name, free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "controller" / "controller.yaml").read_text(), {
            "adminAddress: 0.0.0.0:8889": f"adminAddress: 127.0.0.1:{self.admin_port}",
            'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('controller-token')}"}) + CONFIGURATION.replace("PORT", str(metrics.port)))
        self.process = Process(name, [huygens_binary(), "controller", "--config", self.config], bed.directory, grace=30)


class Scene:
    def __init__(self, bed, metrics):
        self.bed, self.client, self.metrics = bed, bed.client, metrics
        self.controllers = [Recommender(bed, f"controller-{i}", metrics) for i in range(2)]
        bed.extenders += self.controllers
        for each in self.controllers:
            each.wait_ready()
        self.leader()

    def leader(self):
        wait_until(lambda: sum(each.leads() for each in self.controllers if each.process.running()) == 1, "nobody leads", 60)
        return next(each for each in self.controllers if each.process.running() and each.leads())

    def run_pods(self):
        """As kubelets would: all pods that are there run, and are measured."""
        pods = [pod for pod in self.client.get(PODS)["items"] if "deletionTimestamp" not in pod["metadata"]]
        for pod in pods:
            if pod["status"].get("phase") == "Running":
                continue
            statuses = [{"name": each["name"], "image": "none", "imageID": "none", "ready": True, "restartCount": 0, "containerID": "none://1",
                         "resources": each["resources"],  # by which an API server knows a kubelet that resizes
                         "state": {"running": {"startedAt": pod["metadata"]["creationTimestamp"]}}} for each in pod["spec"]["containers"]]
            self.client.patch(f"{PODS}/{pod['metadata']['name']}/status", {"status": {"phase": "Running", "containerStatuses": statuses}})
        self.metrics.pods = {pod["metadata"]["name"] for pod in pods}
        return pods

    def recommendation(self, name="deployment-cart"):
        try:
            return self.client.get(f"{RECOMMENDATIONS}/{name}")
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def wait(self, right, what, seconds=20):
        def looked():
            found = self.recommendation()
            return found is not None and right(found)
        wait_until(looked, lambda: f"{what}: {self.recommendation()}", seconds)
        return self.recommendation()

    def scans(self, count=2):
        """So many whole scans from now on."""
        leader = self.leader()
        begin = leader.metric("huygens_recommendation_scans_total") or 0
        wait_until(lambda: (leader.metric("huygens_recommendation_scans_total") or 0) >= begin + count, "no scan", 20)


def condition(recommendation, kind):
    return next((each for each in recommendation.get("status", {}).get("conditions", []) if each["type"] == kind), {"status": "", "reason": ""})


def refused_templates(scene):
    """What makes no sense does not get in."""
    wrong = ({"dimension": "zone"}, {"dimension": "pod", "kinds": ["Deployment"]}, {"policy": {"cpuPercentile": 95}}, {"policy": {"halfLife": "soon"}},
             {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, {"policy": {"cpuPercentile": 0}})
    for spec in wrong:
        try:
            scene.client.post(TEMPLATES, {"apiVersion": "huygens.dev/v1alpha1", "kind": "RecommendationTemplate", "metadata": {"name": "wrong"}, "spec": spec})
        except ApiError as error:
            assert error.code == 422, (spec, error)
        else:
            raise AssertionError(f"a template was taken: {spec}")


def template_makes_recommendations(scene):
    """A template and a Deployment become a recommendation that is effective at once, by what Prometheus remembers."""
    scene.client.post(DEPLOYMENTS, make_deployment("cart", replicas=2, cpu_limit="8"))
    wait_until(lambda: len(scene.client.get(PODS)["items"]) == 2, "no pods", 30)
    scene.run_pods()
    scene.client.post(TEMPLATES, {"apiVersion": "huygens.dev/v1alpha1", "kind": "RecommendationTemplate", "metadata": {"name": "all"},
                                  "spec": {"namespaces": ["default"]}})
    found = scene.wait(lambda each: condition(each, "Applied")["reason"] == "Dynamic", "no recommendation is effective", 30)
    status = found["status"]
    assert found["spec"] == {"template": "all", "dimension": "workload", "target": {"group": "apps", "kind": "Deployment", "name": "cart"}}, found
    # One core: the end of its bucket, and a tenth more.
    assert status["podCPU"] == {"original": "4", "requested": "4", "recommended": "1118m", "limit": "8"}, status
    assert status["pool"] == "shared" and status["pods"] == 2, status
    checkpoint = scene.client.get(f"{CHECKPOINTS}/deployment-cart")
    assert checkpoint["metadata"]["ownerReferences"][0]["uid"] == found["metadata"]["uid"], checkpoint
    assert len(json.dumps(checkpoint)) < 16_000


def asked_by_people(scene):
    """huygens recommend, kubectl and the page of the leader say the same."""
    kubeconfig = scene.bed.kubeconfig("admin-token")
    ask = lambda *arguments: subprocess.run([huygens_binary(), "recommend", *arguments, "--kubeconfig", kubeconfig], capture_output=True, text=True)
    row, = json.loads(ask("deploy/cart", "-n", "default", "-o", "json").stdout)["recommendations"]
    assert row["cpu"]["original"] == "4" and row["cpu"]["recommended"] == "1118m" and row["applied"] and row["reason"] == "Dynamic", row
    assert 0.72 < row["cpu"]["saving"] < 0.73, row
    table = ask("--pool", "shared").stdout
    assert "default/Deployment/cart" in table and "1118m" in table and "72%" in table, table
    unknown = ask("deployment/nobody")
    assert unknown.returncode == 1 and "no RecommendationTemplate selects it" in unknown.stderr, unknown
    shown = json.loads(scene.leader().admin("/debug/recommendations?namespace=default&limit=5")[1])
    assert shown["recommendations"][0]["cpu"]["recommended"] == "1118m", shown
    other = next(each for each in scene.controllers if not each.leads())
    assert other.admin("/debug/recommendations")[0] == 503
    listed = scene.bed.kubectl("get", "recommendations").stdout
    assert "1118m" in listed and "Dynamic" in listed, listed


def raised_request(scene):
    """A request that a user writes is the new original; what is used stays what is used."""
    scene.client.patch(f"{DEPLOYMENTS}/cart", {"spec": {"template": {"spec": {"containers": [
        {"name": "app", "image": "none", "resources": {"requests": {"cpu": "6", "memory": "4Gi"}, "limits": {"cpu": "8", "memory": "8Gi"}}}]}}}})

    def renewed():
        pods = scene.run_pods()
        return pods and all(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "6" for pod in pods)
    wait_until(renewed, "no rollout", 30)
    found = scene.wait(lambda each: each["status"]["podCPU"].get("original") == "6", "the raised original is not followed")
    assert found["status"]["podCPU"]["recommended"] == "1118m", found


def nothing_is_deleted(scene):
    """Metrics fail, the API server dies, all pods go while their Deployment stays: the recommendation stays as it is."""
    before = scene.recommendation()
    scene.metrics.fails = True
    leader = scene.leader()
    failures = lambda: leader.metric("huygens_recommendation_scan_failures_total") or 0
    begin = failures()
    wait_until(lambda: failures() > begin, "no scan failed", 20)
    assert "made to fail" in leader.admin("/readyz?verbose")[1], leader.admin("/readyz?verbose")[1]
    scene.metrics.fails = False
    scene.bed.kill_api_server()
    time.sleep(1)
    scene.bed.restart_api_server()
    scene.leader()
    scene.scans()
    scene.bed.kubectl("scale", "deployment/cart", "--replicas=0")
    wait_until(lambda: not scene.client.get(PODS)["items"], "pods stay", 60)
    leader = scene.leader()
    looks = lambda: leader.metric("huygens_controller_reconciles_total", 'reconciler="recommendations",result="ok"') or 0
    begin = looks()
    wait_until(lambda: looks() > begin, "the workload without pods was not looked at", 20)
    after = scene.recommendation()
    assert after["metadata"]["uid"] == before["metadata"]["uid"] and "goneSince" not in after["status"], after
    assert after["status"]["podCPU"] == before["status"]["podCPU"], (before, after)


def leader_dies(scene):
    """kill -9: the other goes on with the same history, and the value moves by one bucket at most."""
    scene.bed.kubectl("scale", "deployment/cart", "--replicas=2")
    wait_until(lambda: len(scene.client.get(PODS)["items"]) == 2, "no pods", 30)
    scene.run_pods()
    before = scene.wait(lambda each: each["status"]["pods"] == 2, "its pods are not seen again")
    dead = scene.leader()
    dead.process.kill()
    start = time.monotonic()
    heir = scene.leader()
    took = time.monotonic() - start
    scene.wait(lambda each: each["status"]["cpu"]["lastSample"] > before["status"]["cpu"]["lastSample"], "the heir measures nothing", 30)
    after = scene.recommendation()
    assert after["metadata"]["uid"] == before["metadata"]["uid"], after
    assert after["status"]["cpu"]["firstSample"] == before["status"]["cpu"]["firstSample"], (before, after)
    assert after["status"]["cpu"]["samples"] > 1500 / 60, after
    ratio = after["status"]["cpu"]["model"] / before["status"]["cpu"]["model"]
    assert 1 / 1.06 < ratio < 1.06, (before, after)
    assert after["status"]["podCPU"]["recommended"] == "1118m", after
    assert heir is not dead
    dead.process.start()
    dead.wait_ready()
    return took


def template_says(scene):
    """Its status says what came of it."""
    wait_until(lambda: scene.client.get(f"{TEMPLATES}/all").get("status", {}).get("ready") == 1, lambda: scene.client.get(f"{TEMPLATES}/all"), 30)


def workload_goes(scene):
    """A Deployment that is deleted is gone for sure; the recommendation is kept for keepFor."""
    scene.client.delete(f"{DEPLOYMENTS}/cart")
    found = scene.wait(lambda each: "goneSince" in each["status"], "it is not seen that the workload is gone", 40)
    assert condition(found, "Ready")["reason"] == "WorkloadGone", found
    assert found["status"]["podCPU"]["original"] == "6", found


def only_what_is_allowed(scene):
    """The shipped permissions are enough, and nothing was written but recommendations and what they rest on."""
    mine = [event for event in scene.bed.audit() if event["user"]["username"] == ACCOUNT]
    what = lambda event: (event["verb"], event["objectRef"]["resource"], event["objectRef"].get("subresource", ""))
    # An API server that has just been started refuses what it allows a moment later.
    refused = {what(event) for event in mine if event["responseStatus"]["code"] == 403}
    granted = {what(event) for event in mine if event["responseStatus"]["code"] < 300}
    assert refused <= granted, refused - granted
    written = {each for each in granted if each[0] not in ("get", "list", "watch") and each[1] not in ("leases", "configmaps", "events")}
    allowed = {("create", "recommendations", ""), ("patch", "recommendations", ""), ("update", "recommendations", "status"), ("patch", "recommendations", "status"),
               ("create", "recommendationcheckpoints", ""), ("update", "recommendationcheckpoints", ""), ("update", "recommendationtemplates", "status"), *WRITES}
    assert written <= allowed, written - allowed


def recommend():
    """Templates become recommendations; they follow a raised request, outlive failures and a dead leader, and are given up only for sure."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    with ControlPlane("recommend") as bed:
        bed.install()
        bed.wait_established(*(f"{each}.huygens.dev" for each in DEFINITIONS))
        for each in ("controller/rbac", "recommendations/rbac", "resizing/rbac", "resizing/lower-only"):
            bed.kubectl("apply", "-f", CONFIG / f"{each}.yaml")
        manager = Process("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={bed.kubeconfig('admin-token')}", "--leader-elect=false", "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}", "--controllers=deployment-controller,replicaset-controller,garbage-collector-controller"],
            bed.directory, grace=5)
        metrics = Metrics()
        try:
            scene = Scene(bed, metrics)
            for check in (refused_templates, *([running_pods_are_lowered] if kubernetes_minor() >= OLDEST else []), template_makes_recommendations,
                          asked_by_people, raised_request, nothing_is_deleted):
                check(scene)
            took = leader_dies(scene)
            template_says(scene)
            workload_goes(scene)
            only_what_is_allowed(scene)
        finally:
            manager.stop()
            metrics.close()
    return f"another leader after {took:.0f} s"
