"""Requests that fit: a real API server asks huygens webhook about the pods that a real kube-controller-manager creates."""
import json
import time

from admission import Balancer
from api import wait_until
from binaries import BINARIES, missing
from rendered import objects
from testbed import CONFIG, TOKENS, ControlPlane, Huygens, Process, Skip, free_port, huygens_binary, replaced
from webhook_bed import Certificates

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"
RECORD = "huygens.dev/overcommit"
TOKENS["kube-system-webhook-token"] = ("system:serviceaccount:kube-system:huygens-webhook", "system:serviceaccounts")
CONFIGURATION = """
overcommit:
  mode: enforce
  pools:
  - {name: shared, type: both, autoApply: true, hpaBasis: limit, factors: [{cpu: 30%}]}
"""


class Webhook(Huygens):
    """One `huygens webhook` with the shipped configuration, what the bed adds to it, and the shipped permissions."""

    def __init__(self, bed, name):
        self.name, self.port, self.admin_port = name, free_port(), free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "webhook" / "webhook.yaml").read_text(), {
            "0.0.0.0:8443": f"127.0.0.1:{self.port}", "0.0.0.0:8889": f"127.0.0.1:{self.admin_port}",
            "/etc/huygens/webhook": str(bed.tls.directory), 'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('kube-system-webhook-token')}",
            "lameDuck: 10s": "lameDuck: 1s",
            "webhook:\n": f"webhook:\n  configurations: [{', '.join(bed.BELIEVED)}]\n"}) + bed.CONFIGURATION)
        self.process = Process(name, [huygens_binary(), "webhook", "--config", self.config], bed.directory, grace=30)


class Bed(ControlPlane):
    """Two webhooks by what config/webhook and a part of config/ beside it ship, and the controllers that make pods."""
    PART, CONFIGURATION, BELIEVED = "overcommit", CONFIGURATION, ["MutatingWebhookConfiguration/huygens-overcommit"]

    def __init__(self, name):
        if why := missing("kube-controller-manager"):
            raise Skip(why)
        super().__init__(name)
        self.others, self.balancer = [], None

    def install(self):
        self.kubectl("apply", "-k", CONFIG / "crd")
        self.wait_established("recommendations.huygens.dev", "schedulingrules.huygens.dev")
        shipped = objects(self, "-k", CONFIG / "webhook") + objects(self, "-k", CONFIG / self.PART)
        kept = [item for item in shipped if item["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding")]
        self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": kept}))
        self.tls = Certificates(self.directory / "webhook-tls")
        self.webhooks = [Webhook(self, f"webhook-{i}") for i in range(2)]
        self.extenders += self.webhooks
        self.balancer = Balancer([each.port for each in self.webhooks])
        self.hooks = [item for item in shipped if item["kind"].endswith("WebhookConfiguration") and f"{item['kind']}/{item['metadata']['name']}" in self.BELIEVED]
        assert len(self.hooks) == len(self.BELIEVED), self.hooks
        for hook in [hook for item in self.hooks for hook in item["webhooks"]]:
            path = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{self.balancer.port}{path}", "caBundle": Certificates.bundle(self.tls.authority)}
        for item in self.hooks:
            self.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(item))
        for each in self.webhooks:
            each.wait_ready()

    def start_controllers(self, *controllers, token="admin-token", **options):
        self.others.append(Process("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={self.kubeconfig(token)}", "--leader-elect=false",
            f"--controllers={','.join(controllers)}", "--bind-address=127.0.0.1", f"--secure-port={free_port()}", "--kube-api-qps=500",
            "--kube-api-burst=1000", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())], self.directory, grace=5))

    def _end(self, failed):
        for process in self.others:
            process.stop()
        if self.balancer:
            self.balancer.close()
        return super()._end(failed)

    def pods_of(self, app):
        return [pod for pod in self.client.get(f"{PODS}?labelSelector=app={app}")["items"] if "deletionTimestamp" not in pod["metadata"]]


def make_deployment(name, cpu="4", cpu_limit="4", memory=("4Gi", "8Gi"), replicas=1, pool="shared", annotations=None):
    labels = {"app": name, **({"huygens.dev/pool": pool} if pool else {})}
    resources = {"requests": {"cpu": cpu, "memory": memory[0]}, "limits": {"cpu": cpu_limit, "memory": memory[1]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": labels, "annotations": annotations or {}},
                                  "spec": {"terminationGracePeriodSeconds": 0,
                                           "containers": [{"name": "app", "image": "none", "resources": resources}]}}}}


def requested(pod, resource="cpu"):
    return pod["spec"]["containers"][0]["resources"]["requests"][resource]


def recorded(pod):
    return json.loads(pod["metadata"].get("annotations", {}).get(RECORD, "{}"))


def wait_pods(bed, app, right, what):
    wait_until(lambda: (pods := bed.pods_of(app)) and all(map(right, pods)), lambda: f"{app}: {what}: {bed.pods_of(app)}", 30)
    return bed.pods_of(app)


def lowered_once(bed):
    """From 4 to 1.2 CPU, the limit as it was, and what was asked for kept; the Deployment as it was written."""
    bed.client.post(DEPLOYMENTS, make_deployment("web"))
    pod, = wait_pods(bed, "web", lambda pod: requested(pod) == "1200m", "is not lowered")
    assert pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "4", pod
    assert requested(pod, "memory") == "4Gi", pod
    assert recorded(pod) == {"pool": "shared", "basis": "limit", "containers": {
        "app": {"cpu": {"original": "4", "applied": "1200m", "limit": "4", "source": "static"}}}}, recorded(pod)
    assert pod["status"]["qosClass"] == "Burstable", pod["status"]
    deployment = bed.client.get(f"{DEPLOYMENTS}/web")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "4", deployment
    assert sum(each.metric("huygens_overcommit_requests_total", 'resource="cpu",source="static"') for each in bed.webhooks) >= 1


def ten_redeploys(bed):
    """As a tool does that writes the running pod's requests and annotation back into the template."""
    for round_ in range(10):
        before = bed.pods_of("web")[0]
        annotation = {**before["metadata"]["annotations"], "round": str(round_)}
        container = {"name": "app", "image": "none", "resources": before["spec"]["containers"][0]["resources"]}
        bed.client.patch(f"{DEPLOYMENTS}/web", {"spec": {"template": {"metadata": {"annotations": annotation}, "spec": {"containers": [container]}}}})
        pod, = wait_pods(bed, "web", lambda pod: pod["metadata"]["annotations"].get("round") == str(round_), "is not redeployed")
        assert requested(pod) == "1200m" and recorded(pod) == recorded(before), pod


def raised(bed):
    """A request that a user writes is a new original."""
    bed.client.patch(f"{DEPLOYMENTS}/web", {"spec": {"template": {"spec": {"containers": [
        {"name": "app", "image": "none", "resources": {"requests": {"cpu": "3", "memory": "4Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}}}]}}}})
    pod, = wait_pods(bed, "web", lambda pod: requested(pod) == "900m", "is not lowered anew")
    assert recorded(pod)["containers"]["app"]["cpu"]["original"] == "3", pod


def recommended(bed):
    """Once its use is known well enough, a pod gets what is recommended, in place of the factor and never times it; not when that is old."""
    path = "/apis/huygens.dev/v1alpha1/namespaces/default/recommendations"
    bed.client.post(path, {"apiVersion": "huygens.dev/v1alpha1", "kind": "Recommendation", "metadata": {"name": "deployment-web", "namespace": "default"},
                           "spec": {"template": "all", "dimension": "workload", "target": {"group": "apps", "kind": "Deployment", "name": "web"}}})
    instant = lambda ago: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))

    def say(age):
        used = {"model": 0.5, "p50": 0.4, "p95": 0.5, "max": 0.6, "samples": 3000, "firstSample": instant(7 * 86400), "lastSample": instant(age)}
        memory = {**used, "model": 1e9, "p50": 1e9, "p95": 1e9, "max": 1e9}
        bed.client.patch(f"{path}/deployment-web/status", {"status": {
            "pods": 1, "confidence": 7, "cpu": used, "memory": memory, "podCPU": {}, "podMemory": {},
            "conditions": [{"type": "Ready", "status": "True", "reason": "Samples", "message": "", "lastTransitionTime": instant(0)}]}})

    def comes_again(cpu, source):
        """The watch is a moment behind: pods come anew until one says so."""
        def right():
            for pod in bed.pods_of("web"):
                if requested(pod) == cpu and recorded(pod)["containers"]["app"]["cpu"]["source"] == source:
                    return True
                bed.client.delete(f"{PODS}/{pod['metadata']['name']}")
            return False
        wait_until(right, lambda: f"web should ask for {cpu}: {bed.pods_of('web')}", 30)

    say(age=60)
    comes_again("550m", "dynamic")  # x 1.1
    say(age=2 * 3600)
    comes_again("900m", "static")


def kept(bed):
    """Guaranteed pods, those that do not want it, those of no pool; and a pod that nobody made."""
    bed.client.post(DEPLOYMENTS, make_deployment("guaranteed", memory=("8Gi", "8Gi")))
    bed.client.post(DEPLOYMENTS, make_deployment("unwilling", annotations={"huygens.dev/overcommit-allowed": "false"}))
    bed.client.post(DEPLOYMENTS, make_deployment("elsewhere", pool=None))
    for app in ("guaranteed", "unwilling", "elsewhere"):
        pod, = wait_pods(bed, app, lambda pod: True, "has no pod")
        assert requested(pod) == "4" and not recorded(pod), pod
    alone = make_deployment("alone")["spec"]["template"]
    dry = bed.client.post(f"{PODS}?dryRun=All", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone", **alone["metadata"]}, "spec": alone["spec"]})
    assert requested(dry) == "1200m", dry


def webhooks_down(bed):
    """Pods are created as they are written."""
    for each in bed.webhooks:
        each.process.kill()
    bed.client.post(DEPLOYMENTS, make_deployment("later"))
    pod, = wait_pods(bed, "later", lambda pod: True, "has no pod while no webhook answers")
    assert requested(pod) == "4" and not recorded(pod), pod
    for each in bed.webhooks:
        each.process.start()
        each.wait_ready()
    bed.client.delete(f"{PODS}/{pod['metadata']['name']}")
    wait_pods(bed, "later", lambda pod: requested(pod) == "1200m", "is not lowered when it comes again")


def overcommit():
    """Requests are lowered when pods are created, once however often they are redeployed; kept where they must be; as written without a webhook."""
    with Bed("overcommit") as bed:
        bed.install()
        bed.start_controllers("deployment-controller", "replicaset-controller", "garbage-collector-controller")
        for check in (lowered_once, ten_redeploys, raised, recommended, kept, webhooks_down):
            check(bed)
    return "10 redeploys changed nothing"
