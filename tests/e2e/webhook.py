"""huygens webhook as config/webhook ships it, between a real API server, kube-controller-manager and kubectl. There is no controller of huygens."""
import concurrent.futures
import json

from admission import DEPLOYMENTS
from api import wait_until
from binaries import missing
from budgets import GROUP
from quota_workload import container, reserved
from testbed import GROUPS_PATH, Skip
from webhook_bed import CONFIGURATION, WebhookBed
from webhook_denials import SCALE, check_denials, deployment
from webhook_load import MERGE, Caller, exactly_what_fits, kill_one, restart_each, rotate

AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container("app", "1")]}}
SELECTED = {"selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE}
# Every kind that can be scaled, without saying how many it wants: one.
SCALED = {
    "/apis/apps/v1/namespaces/default/deployments": ("apps/v1", "Deployment", SELECTED),
    "/apis/apps/v1/namespaces/default/replicasets": ("apps/v1", "ReplicaSet", SELECTED),
    "/apis/apps/v1/namespaces/default/statefulsets": ("apps/v1", "StatefulSet", {**SELECTED, "serviceName": "x"}),
    "/api/v1/namespaces/default/replicationcontrollers": ("v1", "ReplicationController", {"selector": {"app": "x"}, "template": TEMPLATE}),
    "/apis/argoproj.io/v1alpha1/namespaces/default/rollouts": ("argoproj.io/v1alpha1", "Rollout", SELECTED),
    "/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets": ("apps.kruise.io/v1alpha1", "CloneSet", SELECTED),
    "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs": ("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {"template": TEMPLATE}}}),
}


def scale_of_every_kind(bed):
    """A6: PATCH and PUT of the subresource, which has no labels."""
    caller = Caller(bed)
    for path, (version, kind, spec) in SCALED.items():
        group = f"scaled-{kind.lower()}"
        bed.make_group(group, **{"limits.cpu": "4"})
        code, message, _ = caller.patiently("POST", path, {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "labels": {GROUP: group}}, "spec": spec})
        assert code == 200 and bed.used(group) == "1", (kind, code, message, bed.status(group))

        def patch(replicas):
            return caller.patiently("PATCH", f"{path}/x/scale", {"spec": {"replicas": replicas}}, MERGE)[:2]

        def put(replicas):
            scale = bed.client.get(f"{path}/x/scale")
            return caller.patiently("PUT", f"{path}/x/scale", {**scale, "spec": {"replicas": replicas}})[:2]

        assert patch(3) == (200, "") and bed.used(group) == "3", (kind, bed.status(group))
        for write in (patch, put):
            assert write(5) == (403, f"{SCALE}quota bizrq/{group}: limits.cpu used 3 of 4, requested 2"), (kind, write(5))
        assert put(4) == (200, "") and bed.used(group) == "4", (kind, bed.status(group))
        assert put(0) == (200, "") and bed.client.get(f"{path}/x/scale")["spec"].get("replicas", 0) == 0, kind
    return f"{len(SCALED)} kinds scaled"


def repeated_in_one_call(bed):
    """A5: writes without a version that meet others are judged again inside the API server, and charged once."""
    bed.make_group("race", **{"limits.cpu": "50"})
    bed.client.post(DEPLOYMENTS, deployment("race", "race"))
    caller, path = Caller(bed), f"{DEPLOYMENTS}/race"

    def write(index):
        if index % 2:
            return caller.patiently("PATCH", path, {"metadata": {"annotations": {"e2e/touched": str(index)}}}, MERGE)[0]
        return caller.patiently("PATCH", f"{path}/scale", {"spec": {"replicas": 2 + index % 9}}, MERGE)[0]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        codes = set(pool.map(write, range(120)))
    assert codes == {200}, codes
    assert bed.used("race") == "10" and len(reserved(bed.status("race"))) == 1, bed.status("race")


def what_shrinks_passes(bed):
    """A7: whatever state the group is in."""
    bed.make_group("full", **{"limits.cpu": "6"})
    for name in ("web", "gone"):
        bed.client.post(DEPLOYMENTS, deployment(f"full-{name}", "full", 3))
    path, caller = f"{DEPLOYMENTS}/full-web", Caller(bed)
    shrunk = bed.kubectl("patch", "bizrq/full", "--type=merge", "-p", '{"spec":{"hard":{"limits.cpu":"2"}}}')
    assert shrunk.stderr == "Warning: quota bizrq/full: limits.cpu used 6 of 2; what runs stays, nothing new fits\n", shrunk.stderr
    bed.count("full", **{"limits.cpu": "6"})
    assert "limits.cpu used 6 of 2, requested 1" in caller.patiently("PATCH", f"{path}/scale", {"spec": {"replicas": 4}}, MERGE)[1]
    for what, body in (("an annotation", {"metadata": {"annotations": {"note": "x"}}}), ("a finalizer", {"metadata": {"finalizers": ["e2e.test/held"]}}),
                       ("another image", {"spec": {"template": {"spec": {"containers": [{**container("app", "1"), "image": "new"}]}}}}),
                       ("fewer replicas", {"spec": {"replicas": 2}}), ("a smaller pod", {"spec": {"template": {"spec": {"containers": [container("app", "500m")]}}}})):
        assert caller.patiently("PATCH", path, body, MERGE)[:2] == (200, ""), what
    assert caller.patiently("PATCH", f"{path}/scale", {"spec": {"replicas": 1}}, MERGE)[0] == 200
    bed.kubectl("label", "deployment/full-gone", f"{GROUP}-")
    for name in ("web", "gone"):
        bed.client.delete(f"{DEPLOYMENTS}/full-{name}")
    assert bed.client.get(path)["metadata"]["deletionTimestamp"]
    assert caller.patiently("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)[:2] == (200, "")
    bed.count("full")  # the controller's work; then the group can go
    wait_until(lambda: caller.call("DELETE", f"{GROUPS_PATH}/full")[0] == 200, "an empty group stays", 10)


def ready_while_believed(bed):
    """A webhook whose certificate the API server does not believe is not ready, and says what to do."""
    def all_say(code, text):
        said = [each.admin("/readyz?verbose") for each in bed.webhooks]
        return all(got[0] == code and text in got[1] for got in said)

    certificates = bed.certificates_of_webhook
    wait_until(lambda: all_say(200, "[+]caBundle of huygens-webhook names who signed the certificate"), "they do not know that they are believed", 20)
    bed.tell(certificates.make_authority("stranger"))
    wait_until(lambda: all_say(503, "[-]caBundle of huygens-webhook API servers do not believe the certificate: webhook groups.quota.huygens.dev: "
                               "the certificate is signed by another authority; write the authority that signed it into caBundle"),
               lambda: f"they are ready: {[each.admin('/readyz?verbose') for each in bed.webhooks]}", 20)
    bed.tell(certificates.authority)
    for each in bed.webhooks:
        each.wait_ready()


def while_nobody_answers(bed):
    """What passes with both webhooks dead, as webhooks.yaml says it; how they are switched off, for a namespace and at all."""
    caller = Caller(bed)
    bed.make_group("quiet", **{"limits.cpu": "10"})
    for name in ("web", "held"):
        bed.client.post(DEPLOYMENTS, deployment(f"quiet-{name}", "quiet", 2))
    bed.client.patch(f"{DEPLOYMENTS}/quiet-held", {"metadata": {"finalizers": ["e2e.test/held"]}})
    for each in bed.webhooks:
        each.process.kill()
    web = f"{DEPLOYMENTS}/quiet-web"
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "quiet", "labels": {GROUP: "quiet"}}, "spec": {"containers": [container("app", "1")]}}
    passes = (
        ("a workload of no group", "POST", DEPLOYMENTS, deployment("quiet-nobody", "")),
        ("a pod of a group", "POST", "/api/v1/namespaces/default/pods", pod),
        ("scaling down", "PATCH", f"{web}/scale", {"spec": {"replicas": 1}}),
        ("scaling to nothing", "PATCH", f"{web}/scale", {"spec": {"replicas": 0}}),
        ("an annotation", "PATCH", web, {"metadata": {"annotations": {"note": "x"}}}),
        ("the status", "PATCH", f"{web}/status", {"status": {"observedGeneration": 7}}),
        ("a deletion", "DELETE", f"{DEPLOYMENTS}/quiet-held", None),
        ("the removal of a finalizer", "PATCH", f"{DEPLOYMENTS}/quiet-held", {"metadata": {"finalizers": None}}),
        ("a workload in kube-system", "POST", DEPLOYMENTS.replace("/default/", "/kube-system/"), deployment("quiet", "quiet")),
        ("a group's status", "PATCH", f"{GROUPS_PATH}/quiet/status", {"status": {"used": {"limits.cpu": "4"}}}))
    refused = (
        ("a workload of a group", "POST", DEPLOYMENTS, deployment("quiet-more", "quiet")),
        ("another template", "PATCH", web, {"spec": {"template": {"spec": {"containers": [container("app", "2")]}}}}),
        ("scaling up", "PATCH", f"{web}/scale", {"spec": {"replicas": 3}}),
        ("a larger budget", "PATCH", f"{GROUPS_PATH}/quiet", {"spec": {"hard": {"limits.cpu": "11"}}}),
        ("the deletion of a group", "DELETE", f"{GROUPS_PATH}/quiet", None))

    def call(method, path, body):
        return caller.call(method, path, body, MERGE if method == "PATCH" else "application/json")[:2]

    for what, *request in passes:
        assert call(*request) == (200, ""), (what, call(*request))
    for what, *request in refused:
        code, message = call(*request)
        assert code == 500 and "failed calling webhook" in message, (what, code, message)
    bed.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "trusted"}})
    trusted = DEPLOYMENTS.replace("/default/", "/trusted/")
    assert call("POST", trusted, deployment("quiet", "quiet"))[0] == 500
    bed.kubectl("label", "namespace", "trusted", "quota.huygens.dev/webhook=ignore")
    wait_until(lambda: call("POST", trusted, deployment("quiet", "quiet"))[0] == 200, "the label of the namespace does nothing", 10)
    bed.kubectl("delete", "validatingwebhookconfiguration", "huygens-webhook")
    wait_until(lambda: call(*refused[0][1:])[0] == 200, "they are not switched off", 10)
    bed.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(bed.hooks))
    assert bed.client.get(CONFIGURATION)["webhooks"]
    for each in bed.webhooks:
        each.process.start()
    for each in bed.webhooks:
        each.wait_ready()


def autoscaler(bed):
    """A6, A7 by kube-controller-manager: what the autoscaler wants beyond the budget its condition tells of; a ReplicaSet that loses its owner passes."""
    # No work for the controllers but what is looked at.
    bed.kubectl("delete", "deployments,replicasets,statefulsets,replicationcontrollers", "--all", "--wait=false")
    bed.make_group("auto", **{"limits.cpu": "6"})
    bed.client.post(DEPLOYMENTS, deployment("auto", "auto"))
    bed.client.post(AUTOSCALERS, {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "auto"}, "spec": {
        "minReplicas": 3, "maxReplicas": 6, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "auto"}}})
    owned = deployment("owned", "auto")
    owned["spec"]["template"]["metadata"]["labels"][GROUP] = "auto"
    bed.client.post(DEPLOYMENTS, owned)
    bed.start_controllers("deployment-controller", "replicaset-controller", "horizontal-pod-autoscaler-controller", "garbage-collector-controller")
    wait_until(lambda: bed.client.get(f"{DEPLOYMENTS}/auto")["spec"]["replicas"] == 3, "the autoscaler does not reach what fits", 60)
    assert bed.used("auto") == "4", bed.status("auto")
    bed.client.patch(f"{AUTOSCALERS}/auto", {"spec": {"minReplicas": 6}})
    text = f"{SCALE}quota bizrq/auto: limits.cpu used 4 of 6, requested 3"

    def told():
        conditions = bed.client.get(f"{AUTOSCALERS}/auto").get("status", {}).get("conditions") or ()
        return any(each["type"] == "AbleToScale" and each["status"] == "False" and text in each["message"] for each in conditions)

    wait_until(told, lambda: f"no condition says it: {bed.client.get(f'{AUTOSCALERS}/auto').get('status')}", 60)
    assert bed.client.get(f"{DEPLOYMENTS}/auto")["spec"]["replicas"] == 3
    # Its ReplicaSet was charged with it, and stays when it goes.
    sets = lambda: [each for each in bed.client.get("/apis/apps/v1/namespaces/default/replicasets")["items"] if each["metadata"]["name"].startswith("owned-")]
    wait_until(sets, "there is no ReplicaSet", 90)
    bed.kubectl("delete", "deployment", "owned", "--cascade=orphan")
    wait_until(lambda: not sets()[0]["metadata"].get("ownerReferences"), "the ReplicaSet was not orphaned", 30)
    assert bed.used("auto") == "4", bed.status("auto")


def webhook():
    """Budgets at the door, as config/webhook ships it: refusals word by word, every kind scaled, dead and restarted webhooks, other certificates."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    with WebhookBed("webhook") as bed:
        bed.install_foreign_kinds()
        bed.install_webhook()
        said = [part(bed) for part in (check_denials, scale_of_every_kind, repeated_in_one_call, what_shrinks_passes, exactly_what_fits, kill_one,
                                       restart_each, rotate, ready_while_believed, while_nobody_answers, autoscaler)]
        return "; ".join(filter(None, said))
