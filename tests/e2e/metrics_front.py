"""Autoscaling of pods whose requests were lowered: a real HPA controller asks a real API server, which asks huygens controller, which asks
whoever measures."""
import http.client
import http.server
import json
import ssl
import subprocess
import threading
import time
import urllib.parse

from admission import Balancer
from api import ApiError, wait_until
from overcommit import DEPLOYMENTS, PODS, Bed, make_deployment, recorded, requested
from rendered import objects
from testbed import CONFIG, TOKENS, Huygens, Process, free_port, huygens_binary, replaced

TOKENS["manager-token"] = ("system:kube-controller-manager", "system:masters")
TOKENS["controller-token"] = ("system:serviceaccount:kube-system:huygens-controller", "")
AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
METRICS = "/apis/metrics.k8s.io/v1beta1"
RECOMMENDATION = "/apis/huygens.dev/v1alpha1/namespaces/default/recommendations/deployment-web"
PROXY = "front-proxy-client"
# It recommends, too, by what the aggregated API says: its own front, that is, through the API server.
CONFIGURATION = """
overcommit: {mode: report, interval: 1s, checkpointInterval: 3s, pools: [{name: shared, type: dynamic, autoApply: true, minHistory: 0s}]}
"""


class Upstream:
    """As metrics-server answers: of each pod that runs `cpu` (millis), whoever asks."""

    def __init__(self, bed):
        self.bed, self.cpu, self.asked = bed, 2000, 0
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = upstream.answer(urllib.parse.urlsplit(self.path))
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, url):
        if url.path == METRICS:
            names = [{"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["get", "list"]}]
            return json.dumps({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": names}).encode()
        if url.path != f"{METRICS}/namespaces/default/pods":
            return b""
        selector = urllib.parse.parse_qs(url.query).get("labelSelector", [""])[0]
        self.asked += bool(selector)  # by an autoscaler, whom the recommender's scans are none of
        pods = self.bed.client.get(f"{PODS}?{urllib.parse.urlencode({'labelSelector': selector})}")["items"]
        items = [{"metadata": {"name": pod["metadata"]["name"], "namespace": "default", "labels": pod["metadata"]["labels"]},
                  "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 5)), "window": "15.5s",
                  "containers": [{"name": "app", "usage": {"cpu": f"{self.cpu * 1000000}n", "memory": "1048576Ki"}}]}
                 for pod in pods if pod["status"]["phase"] == "Running"]
        return json.dumps({"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": items}, indent=1).encode()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Kubelet:
    """Says of every pod that it has been running and ready for ten minutes."""

    def __init__(self, bed):
        self.bed, self._ended = bed, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ended.wait(0.1):
            for pod in self.bed.client.get(PODS)["items"]:
                if pod["status"]["phase"] != "Pending":
                    continue
                then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600))
                statuses = [{"name": each["name"], "image": "none", "imageID": "none", "ready": True, "restartCount": 0, "containerID": "none://1",
                             "state": {"running": {"startedAt": then}}} for each in pod["spec"]["containers"]]
                status = {"phase": "Running", "startTime": then, "containerStatuses": statuses, "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": then}]}
                try:
                    self.bed.client.patch(f"{PODS}/{pod['metadata']['name']}/status", {"status": status})
                except ApiError as error:
                    if error.code not in (404, 409):
                        raise

    def close(self):
        self._ended.set()
        self._thread.join()


class Front(Huygens):
    """One `huygens controller` with the shipped configuration of config/metrics-front and the shipped permissions."""

    def __init__(self, bed, name):
        self.name, self.port, self.admin_port = name, free_port(), free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "metrics-front" / "controller.yaml").read_text(), {
            "0.0.0.0:8443": f"127.0.0.1:{self.port}", "0.0.0.0:8889": f"127.0.0.1:{self.admin_port}",
            "/etc/huygens/metrics-front": str(bed.tls.directory), "/etc/huygens/front-proxy/requestheader-client-ca-file": str(bed.proxy / "ca.crt"),
            'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('controller-token')}",
            "enabled: true                    # of metricsFront": f'enabled: true\n    tokenFile: ""\n    upstream: http://127.0.0.1:{bed.upstream.port}'}) + CONFIGURATION)
        self.process = Process(name, [huygens_binary(), "controller", "--config", self.config], bed.directory, grace=30)


class FrontBed(Bed):
    def __init__(self, name):
        super().__init__(name)
        self.proxy = self.directory / "proxy"
        self.proxy.mkdir()
        self.upstream = self.kubelet = self.front_balancer = None
        run = lambda *arguments: subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        run("req", "-x509", *key, "-days", "2", "-subj", "/CN=front-proxy-ca", "-keyout", self.proxy / "ca.key", "-out", self.proxy / "ca.crt")
        run("req", *key, "-subj", f"/CN={PROXY}", "-keyout", self.proxy / "client.key", "-out", self.proxy / "request")
        (self.proxy / "more").write_text("extendedKeyUsage=clientAuth\n")
        run("x509", "-req", "-in", self.proxy / "request", "-CA", self.proxy / "ca.crt", "-CAkey", self.proxy / "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", self.proxy / "more", "-out", self.proxy / "client.crt")

    def api_server_options(self):
        return super().api_server_options() + [
            f"--requestheader-client-ca-file={self.proxy / 'ca.crt'}", f"--requestheader-allowed-names={PROXY}",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--proxy-client-cert-file={self.proxy / 'client.crt'}", f"--proxy-client-key-file={self.proxy / 'client.key'}"]

    def install_front(self):
        """What config/controller and config/metrics-front ship; the Service leads to this machine, for there is no network of Services."""
        shipped = [item for each in ("controller", "recommendations", "metrics-front") for item in objects(self, "-k", CONFIG / each)]
        kept = [item for item in shipped if item["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")]
        self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": kept}))
        self.upstream, self.kubelet = Upstream(self), Kubelet(self)
        self.fronts = [Front(self, f"front-{i}") for i in range(2)]
        self.extenders += self.fronts
        for each in self.fronts:
            each.wait_ready()
        self.front_balancer = Balancer([each.port for each in self.fronts])
        api_service, = [item for item in shipped if item["kind"] == "APIService"]
        service = api_service["spec"]["service"]
        service["port"] = self.front_balancer.port
        self.client.post("/api/v1/namespaces/kube-system/services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": service["name"]},
            "spec": {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": self.front_balancer.port}]}})
        self.kubectl("apply", "-f", "-", stdin=json.dumps(api_service))
        self.kubectl("wait", "--for=condition=Available", "--timeout=60s", "apiservice/v1beta1.metrics.k8s.io")

    def _end(self, failed):
        for each in filter(None, (self.kubelet, self.front_balancer, self.upstream)):
            each.close()
        return super()._end(failed)

    def autoscaler(self, name):
        return self.client.get(f"{AUTOSCALERS}/{name}")

    def replicas(self, name):
        return self.client.get(f"{DEPLOYMENTS}/{name}")["spec"]["replicas"]


def make_autoscaler(name, annotations=None):
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {"minReplicas": 1, "maxReplicas": 30, "metrics": [cpu],
                     "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}}}


def shown(autoscaler):
    """The percentage that kubectl shows; None: none yet."""
    for each in autoscaler.get("status", {}).get("currentMetrics") or []:
        if each["type"] == "Resource":
            return each["resource"]["current"].get("averageUtilization")
    return None


def as_written(autoscaler):
    """All of the object that is not status, nor says that the status was written."""
    metadata = {key: value for key, value in autoscaler["metadata"].items() if key not in ("resourceVersion", "managedFields")}
    return json.dumps({"metadata": metadata, "spec": autoscaler["spec"]}, sort_keys=True)


def rolling_restart(bed):
    """From 4 to 1.2 CPU, pod by pod: at no time another count, nor another percentage."""
    deployment = make_deployment("web", replicas=5, pool=None)
    deployment["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    bed.client.post(DEPLOYMENTS, deployment)
    bed.client.post(AUTOSCALERS, make_autoscaler("web"))
    wait_until(lambda: shown(bed.autoscaler("web")) == 50, lambda: f"no percentage: {bed.autoscaler('web').get('status')}", 60)
    before = as_written(bed.autoscaler("web"))
    bed.client.patch(f"{DEPLOYMENTS}/web", {"spec": {"template": {"metadata": {"labels": {"huygens.dev/pool": "shared"}}}}})
    seen, mixed = set(), 0

    def lowered():
        nonlocal mixed
        seen.add((bed.replicas("web"), shown(bed.autoscaler("web"))))
        requests = {requested(pod) for pod in bed.pods_of("web")}
        mixed += len(requests) == 2
        return requests == {"1200m"} and bed.client.get(f"{DEPLOYMENTS}/web")["status"].get("updatedReplicas") == 5

    wait_until(lowered, lambda: f"not lowered: {[requested(pod) for pod in bed.pods_of('web')]}", 60, interval=0.05)
    asked = bed.upstream.asked
    wait_until(lambda: lowered() and bed.upstream.asked > asked + 4, "the autoscaler asks no more", 30)
    assert mixed, "no pods of both kinds were ever there at once"
    assert seen == {(5, 50)}, f"counts and percentages: {seen}"
    assert as_written(bed.autoscaler("web")) == before, bed.autoscaler("web")
    assert sum(each.metric("huygens_metrics_front_answers_total", 'answer="scaled"') for each in bed.fronts) > 0


def raw_for_everybody_else(bed):
    """kubectl top and its like get what upstream says, to the byte."""
    path = f"{METRICS}/namespaces/default/pods?labelSelector=app%3Dweb"
    for _ in range(10):  # the second changes between the two once in a while
        told, upstream = bed.kubectl("get", "--raw", path).stdout, bed.upstream.answer(urllib.parse.urlsplit(path)).decode()
        if told == upstream:
            break
    assert told == upstream, (told, upstream)
    assert '"2000000000n"' in told, told
    autoscaler = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
    connection = bed.client.connect()
    connection.request("GET", path, headers={**bed.client.headers(), "X-Remote-User": autoscaler, "User-Agent": "kube-controller-manager"})
    assert b'"2000000000n"' in connection.getresponse().read(), "whoever says that he is the autoscaler is believed"
    # Whoever is no API server is not let in.
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    try:
        direct = http.client.HTTPSConnection("127.0.0.1", bed.fronts[0].port, context=unverified, timeout=10)
        direct.request("GET", path, headers={"X-Remote-User": autoscaler})
        raise AssertionError(f"answered without a certificate: {direct.getresponse().read()}")
    except OSError:
        pass


def recommended_from_the_metrics_api(bed):
    """metrics.k8s.io is a source, as a cluster serves it: aggregated by an API server, asked namespace by namespace with the shipped permissions."""
    bed.client.post("/apis/huygens.dev/v1alpha1/recommendationtemplates", {
        "apiVersion": "huygens.dev/v1alpha1", "kind": "RecommendationTemplate", "metadata": {"name": "all"}, "spec": {"namespaces": ["default"]}})

    def measured():
        try:
            found = bed.client.get(RECOMMENDATION)
        except ApiError as error:
            if error.code == 404:
                return None
            raise
        status = found.get("status", {})
        return status if status.get("cpu", {}).get("samples", 0) >= 10 else None

    wait_until(measured, "nothing is recommended by metrics.k8s.io", 60)
    status = measured()
    # Two cores: the end of the bucket that 2 is in, at most 5 % above, and a tenth more.
    assert 2 < status["cpu"]["model"] <= 2.1 and status["pods"] == 5, status
    amount = status["podCPU"]["recommended"]
    cores = int(amount.removesuffix("m")) / 1000
    assert 2.2 < cores <= 2.31 and status["podCPU"]["original"] == "4", status
    assert status["memory"]["samples"] >= 10, status


def more_use_more_pods(bed):
    """It still scales, by limits: three cores of four are 75 %, half as many pods more."""
    bed.upstream.cpu = 3000
    wait_until(lambda: bed.replicas("web") == 8, lambda: f"{bed.replicas('web')} replicas: {bed.autoscaler('web')['status']}", 30)
    bed.upstream.cpu = 2000
    wait_until(lambda: len(bed.pods_of("web")) == 8 and shown(bed.autoscaler("web")) == 50, "no percentage of 8 pods", 30)


def native(bed):
    """Where the autoscaler is to go by requests as they are, it does: two of 1.2 cores are 166 %."""
    bed.client.post(DEPLOYMENTS, make_deployment("plain", replicas=2))
    bed.client.post(AUTOSCALERS, make_autoscaler("plain", {"huygens.dev/hpa-basis": "native"}))
    wait_until(lambda: bed.replicas("plain") > 2, lambda: f"{bed.autoscaler('plain').get('status')}", 60)
    assert all(recorded(pod) for pod in bed.pods_of("plain"))
    bed.client.delete(f"{AUTOSCALERS}/plain")


def fronts_killed(bed):
    """The autoscaler holds what there is, whatever is used."""
    for each in bed.fronts:
        each.process.kill()
    bed.upstream.cpu = 4000
    failed = lambda: [each for each in bed.autoscaler("web")["status"]["conditions"] if each["reason"] == "FailedGetResourceMetric"]
    wait_until(failed, lambda: f"no such condition: {bed.autoscaler('web')['status']}", 30)
    assert bed.replicas("web") == 8, bed.replicas("web")
    for each in bed.fronts:
        each.process.start()
        each.wait_ready()
    wait_until(lambda: bed.replicas("web") > 8, "it scales no more once there is somebody to ask", 60)


def metrics_front():
    """Autoscalers of pods whose requests were lowered go by limits: the same count and percentage through a rolling restart; held without huygens."""
    with FrontBed("metrics_front") as bed:
        bed.install()
        bed.install_front()
        bed.start_controllers("deployment-controller", "replicaset-controller", "horizontal-pod-autoscaler-controller", token="manager-token",
                              horizontal_pod_autoscaler_sync_period="1s", horizontal_pod_autoscaler_downscale_stabilization="1s")
        for check in (rolling_restart, raw_for_everybody_else, recommended_from_the_metrics_api, more_use_more_pods, native, fronts_killed):
            check(bed)
