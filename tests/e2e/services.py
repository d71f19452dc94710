"""`huygens webhook` and `huygens controller` on a real node (one_node.py), installed and removed by the commands of the docs, with certificates of
either kind: the image of the one program, the shipped manifests and permissions, and an API server that calls the webhook's Service."""
import contextlib
import re
import time

from api import ApiError, wait_until
from budgets import GROUP
from chart import CHART, HELM, Helm
from first_hour import Reader
from guides import OF_THE_WEBHOOK
from install import KINDS, SYSTEM, Installation, main, on_a_node
from kubelet import IMAGE
from one_node import OneNode
from rendered import project_version
from shell_page import blocks_of
from testbed import GROUPS_PATH, ROOT

SERVICES = ("huygens-webhook", "huygens-controller")
SLICES = "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/huygens-controller"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SECONDS = 240  # a block
HELM_VALUES = {"tls": {"source": "generate"}, "webhook": {"enabled": True}, "controller": {"enabled": True},
               "resources": {"requests": {"cpu": "50m"}}, "kubeScheduler": {"resources": {"requests": {"cpu": "50m"}}}}  # of two CPUs, less


def node_services():
    """On a real node: webhook and controller installed by docs/admission.md, with both kinds of certificates; a budget kept; removed by the guide."""
    return on_a_node("node_services", __file__, [project_version()])


class Node(OneNode):
    """There is no kube-proxy, so the API server calls the pods behind a Service."""

    def api_server_options(self):
        return [*super().api_server_options(), "--enable-aggregator-routing=true"]


def block(page, section, mark):
    found, = [each for each in blocks_of(ROOT / "docs" / page) if each.section == section and mark in each.text]
    return found


def pods(site, service):
    found = site.client.get(f"{SYSTEM}/pods?labelSelector=app.kubernetes.io%2Fname%3D{service}")["items"]
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def check_running(site):
    """Two replicas each, ready, none started anew, and a controller that leads."""
    for service in SERVICES:
        statuses = [status for pod in pods(site, service) for status in pod["status"]["containerStatuses"]]
        assert len(statuses) == 2 and all(status["ready"] and not status["restartCount"] for status in statuses), f"{service}: {statuses}"
        images = {status["image"].rpartition("/")[2] for status in statuses}
        assert images == {f"huygens:{project_version()}"}, images

    def leads():
        with contextlib.suppress(ApiError):
            holder = site.client.get(LEASE)["spec"]["holderIdentity"]
            return any(holder.startswith(pod["metadata"]["name"]) for pod in pods(site, "huygens-controller"))

    wait_until(leads, "no controller leads", 60)


def check_metrics(site):
    """What config/monitoring asks: both replicas, behind the port `admin` of their Service; the alert on certificates goes by the webhook's."""
    for service in SERVICES:
        slices = site.client.get(f"{SLICES}?labelSelector=kubernetes.io%2Fservice-name%3D{service}")["items"]
        found = [f"{address}:{port['port']}" for each in slices for port in each["ports"] if port["name"] == "admin"
                 for endpoint in each["endpoints"] for address in endpoint["addresses"]]
        assert len(found) == 2, f"{service}: {slices}"
        for where in found:
            ends = re.search(r"^huygens_tls_certificate_expiry_timestamp_seconds (\S+)$", site.shell(f"curl -sf http://{where}/metrics"), re.M)
            assert ends and (float(ends[1]) > time.time()) == (service == "huygens-webhook"), f"{service}: {ends and ends[0]}"


def make_deployment(name, group, replicas):
    """Of 50m each."""
    amounts = {"cpu": "50m", "memory": "16Mi"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": {GROUP: group}}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name, GROUP: group}}, "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{"name": "app", "image": IMAGE, "imagePullPolicy": "Never", "resources": {"requests": amounts, "limits": amounts}}]}}}}


def check_budget(site, name):
    """A group for two of them: three are refused by the webhook, two run, and the controller counts them."""
    client, group = site.client, f"{GROUPS_PATH}/{name}"
    client.post(GROUPS_PATH, {"apiVersion": "quota.huygens.dev/v1alpha1", "kind": "BizGroupResourceQuota", "metadata": {"name": name},
                              "spec": {"hard": {"limits.cpu": "100m"}}})

    def used():
        return client.get(group).get("status", {}).get("used", {}).get("limits.cpu")

    wait_until(lambda: used() == "0", lambda: f"nobody counts the group: {client.get(group)}", 30)
    try:
        client.post(DEPLOYMENTS, make_deployment(f"{name}-large", name, 3))
    except ApiError as error:
        assert error.code == 403 and "limits.cpu used 0 of 100m, requested 150m" in str(error), error
    else:
        raise AssertionError("a Deployment beyond the budget was created")
    client.post(DEPLOYMENTS, make_deployment(name, name, 2))
    wait_until(lambda: client.get(f"{DEPLOYMENTS}/{name}")["status"].get("readyReplicas") == 2, "the Deployment does not run", 60)
    wait_until(lambda: used() == "100m", lambda: f"{used()} used", 30)


def check_logs(site):
    logs = {name: text for name, text in site.bed.container_logs().items() if name.startswith(SERVICES)}
    assert len(logs) >= 4, list(logs)
    for name, text in logs.items():
        lines = [line for line in text.splitlines() if "forbidden" in line.lower()]
        assert not lines, f"{name}: {lines[0][-500:]}"


def check_removed(site):
    """Nothing is left that would stop anybody, and the definitions go although there are groups."""
    names = site.shell(f"kubectl get {KINDS},{OF_THE_WEBHOOK} -A -o name").split()
    left = [name for name in names if "huygens" in name and not name.startswith("customresourcedefinition")]
    assert not left, left
    site.shell("kubectl delete crd bizgroupresourcequotas.quota.huygens.dev quotatransfers.quota.huygens.dev", 60)


def with_helm(site):
    """The same switched on in the chart, beside the scheduler."""
    if not HELM.exists():
        return False
    helm = Helm(site.bed)
    helm.run("install", "huygens", CHART, "-n", "kube-system", "--wait", "--timeout", "120s", values=HELM_VALUES, seconds=150)
    check_running(site)
    check_budget(site, "by-helm")
    check_logs(site)
    helm.run("uninstall", "huygens", "-n", "kube-system", "--wait")
    return True


def inside(directory, cgroup):
    with Node("node_services", cgroup) as bed:
        bed.import_image(directory / f"huygens-{project_version()}.tar")
        site = Installation(bed)
        by_controller = block("admission.md", "Install", "webhook-own-authority")
        by_hand = block("admission.md", "Install", "make_certificates")
        remove = block("guides/uninstall.md", "Webhook and controller", "webhook-own-authority")
        with Reader(bed) as reader:
            by_hand = by_hand._replace(text=by_hand.text.replace("/root/huygens-tls", str(bed.directory / "webhook-tls")))
            for name, install in (("by-controller", by_controller), ("by-hand", by_hand)):
                reader.paste(install, SECONDS)
                check_running(site)
                check_metrics(site)
                check_budget(site, name)
                check_logs(site)
                reader.paste(remove, SECONDS)
                check_removed(site)
        by_helm = ", with Helm" if with_helm(site) else " (not with Helm: build/helm has none)"
    return f"certificates by the controller and by hand{by_helm}: installed, a Deployment beyond its budget refused, one within it counted, removed"


if __name__ == "__main__":
    main(inside)
