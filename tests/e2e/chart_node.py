"""The Helm chart on a real node (one_node.py), in a namespace of its own, and `kubectl huygens` through a real `kubectl exec`."""
import contextlib
import time

from api import ApiError, wait_until
from chart import CHART, HELM, Helm
from install import NEXT_VERSION, Installation, check_running, main, on_a_node
from one_node import OneNode
from rendered import project_version
from testbed import ROOT, Skip

NAMESPACE = "placing"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/huygens-scheduler"
RELEASE = ("huygens", CHART, "-n", NAMESPACE, "--wait", "--timeout", "120s")
SMALL = {"resources": {"requests": {"cpu": "50m"}}, "kubeScheduler": {"resources": {"requests": {"cpu": "50m"}}}}  # of two CPUs, less
# What docs/operations.md says is enough to ask.
ASKS = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]}]
VALUES = {**SMALL, "tls": {"source": "generate"}}


def node_chart():
    """On a real node: the chart installed in a namespace of its own, upgraded, rolled back and removed, with certificates that helm makes."""
    if not HELM.exists():
        raise Skip("build/helm has no helm; tools/helm builds it where Go 1.26 is installed")
    return on_a_node("node_chart", __file__)


def pods(site):
    found = site.client.get(f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app.kubernetes.io%2Fname%3Dhuygens-scheduler")["items"]
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def check_replicas(site, version):
    """Both run that image, and one of them leads; its name. helm itself waits until all but maxUnavailable are ready."""
    site.shell(f"kubectl -n {NAMESPACE} rollout status deployment/huygens-scheduler --timeout=120s")
    for pod in pods(site):
        check_running(pod)
        assert pod["spec"]["initContainers"][0]["image"] == f"huygens:{version}", pod["spec"]["initContainers"][0]["image"]
    names = {pod["metadata"]["name"] for pod in pods(site)}
    assert len(names) == 2, names

    def leader():
        with contextlib.suppress(ApiError):
            return next((name for name in names if site.client.get(LEASE)["spec"]["holderIdentity"].startswith(name)), None)

    return wait_until(leader, "no replica holds kube-scheduler's Lease", 60)


def ask(site, *arguments):
    """`kubectl huygens`, through the real kubelet."""
    return site.shell(f"PATH={ROOT / 'cli'}:$PATH kubectl huygens {' '.join(arguments)}")


def check_plugin(site, leading, pod):
    rows = {cells[1]: cells[2:] for cells in (line.split() for line in ask(site, "status").splitlines()[1:])}
    assert rows == {name: ["true"] + (["yes"] if name == leading else []) for name in rows} and len(rows) == 2, rows
    said = ask(site, "explain", f"default/{pod}")
    assert "Bound to " in said, said
    assert ask(site, "version").startswith(f"huygens {project_version()} ")
    ask(site, "usage", "top")
    ask(site, "quota", "tree", "-o", "json")
    found = ask(site, "preflight", "-o", "json", "||", "test", "$?", "-eq", "1")  # 1: warnings
    assert '"error"' not in found, found

    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
    site.client.post(f"{roles}/roles", {"metadata": {"name": "asks"}, "rules": ASKS})
    site.client.post(f"{roles}/rolebindings", {
        "metadata": {"name": "asks"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "asks"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "operator"}]})
    assert "Bound to " in ask(site, "explain", f"default/{pod}", "--as=operator", f"--huygens-namespace={NAMESPACE}")


def inside(directory, cgroup):
    with OneNode("node_chart", cgroup) as bed:
        for version in (project_version(), NEXT_VERSION):
            bed.import_image(directory / f"huygens-{version}.tar")
        site, helm = Installation(bed), Helm(bed)
        start = time.monotonic()
        helm.run("install", *RELEASE, "--create-namespace", values=VALUES, seconds=180)
        ready = time.monotonic() - start
        leading = check_replicas(site, project_version())
        _, first = site.run_pod("plain")
        check_plugin(site, leading, "plain")

        helm.run("upgrade", *RELEASE, values={**VALUES, "image": {"tag": NEXT_VERSION}, "checks": {"usage": "enforce"}}, seconds=180)
        leading = check_replicas(site, NEXT_VERSION)
        site.run_pod("upgraded")
        assert "only reports" not in ask(site, "explain", "default/upgraded")
        helm.run("rollback", "huygens", "-n", NAMESPACE, "--wait", "--timeout", "120s", seconds=180)
        check_replicas(site, project_version())
        site.run_pod("back")
        site.check_logs("huygens-")

        helm.run("uninstall", "huygens", "-n", NAMESPACE, "--wait", "--timeout", "120s", seconds=180)
        wait_until(lambda: not pods(site), "its pods do not go", 90)
        site.run_pod("after", scheduler="default-scheduler")
        site.shell(f"kubectl delete namespace {NAMESPACE} --timeout=60s")
        return f"Ready {ready:.0f} s after `helm install`, the first pod Running {first:.1f} s after its creation"


if __name__ == "__main__":
    main(inside)
