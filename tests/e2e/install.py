"""The way of an operator from an image to running pods, on a real node (one_node.py), by the commands of the docs.

`on_a_node` makes the images and the namespaces; what happens inside is the file of the scenario run as a program.
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import oracle
import rolling
from api import ApiError, wait_until
from archives import ImageBuilder, need_image
from binaries import BINARIES, KEPT, ROOT
from kubelet import HERE, IMAGE, own_cgroup
from manifests import STATIC_POD
from one_node import ADDRESS, NODE, SERVICE_ADDRESS, OneNode, need_one_node
from rendered import KUBEADM_PATCH, project_version
from testbed import CONFIG, NRT_PATH, SCHEDULER_NAME, huygens_binary

NEXT_VERSION = "999.0.0"  # to roll to
SYSTEM = "/api/v1/namespaces/kube-system"
PODS = "/api/v1/namespaces/default/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
# What the operator sets: where the images are, and here, of two CPUs, less of them.
OVERLAY = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../default]
images:
- {{name: huygens, newTag: {version}}}
"""
SMALL_REQUESTS = """\
patches:
- target: {kind: Deployment, name: huygens-scheduler}
  patch: |-
    - {op: replace, path: /spec/template/spec/initContainers/0/resources/requests/cpu, value: 50m}
    - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 50m}
"""
# What an operator puts in there by hand where there is no kustomize.
SET_IMAGES = r"\(cd config/default && kustomize edit set image [^)]*\)"
# Everything of any kind that config/default makes and a cluster could stumble over later.
KINDS = ("deployments,replicasets,pods,services,configmaps,secrets,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,"
         "networkpolicies,poddisruptionbudgets,customresourcedefinitions,validatingadmissionpolicies,validatingadmissionpolicybindings,leases")


def node_install():
    """On a real node: the images imported, config/default installed, rolled under load, its token renewed, removed; then the kubeadm variant."""
    return on_a_node("node_install", __file__)


def on_a_node(name, program, versions=(project_version(), NEXT_VERSION)):
    """Makes images of these versions and runs `program` with their directory and a cgroup, in namespaces of a machine of its own; its last line."""
    need_one_node()
    need_image()
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-images-") as temporary:
        directory = pathlib.Path(temporary)
        builder = ImageBuilder(directory)
        for version in versions:
            builder.build(version, directory / f"huygens-{version}.tar")
        cgroup, node = f"huygens-e2e-{os.getpid()}-{name}", directory / "node"
        node.mkdir()
        with own_cgroup(cgroup):
            result = subprocess.run(
                ["unshare", "--mount", "--propagation=private", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", HERE / "alone", node,
                 ADDRESS, SERVICE_ADDRESS, sys.executable, program, directory, cgroup], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = result.stdout.strip().splitlines() or ["it said nothing"]
        if result.returncode:
            log = KEPT / name / "inside.txt"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(result.stdout)
        assert result.returncode == 0, lines[-1]
        return lines[-1]


class Installation:
    """`bed` with the shipped configuration in a copy of config/, and a shell as the operator has it."""

    def __init__(self, bed):
        self.bed, self.client = bed, bed.client
        self.overlay = bed.directory / "config" / "installed"
        shutil.copytree(CONFIG, bed.directory / "config")
        self.overlay.mkdir()
        self._programs = bed.directory / "bin"
        self._programs.mkdir()
        (self._programs / "kubectl").symlink_to(BINARIES / "kubectl")

    def choose(self, version):
        (self.overlay / "kustomization.yaml").write_text(OVERLAY.format(version=version) + SMALL_REQUESTS)

    def shell(self, script, seconds=180):
        environment = {**os.environ, "PATH": f"{self._programs}:{os.environ['PATH']}", "HOME": str(self.bed.directory),
                       "KUBECONFIG": str(self.bed.kubeconfig("admin-token"))}
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds)
        assert result.returncode == 0, f"{script}: {result.stdout[-500:]}{result.stderr[-1000:]}"
        return result.stdout

    def documented(self, page, text, **replacements):
        """Runs the block of commands of a document in which `text` stands, config/default being the overlay."""
        blocks = [block for block in re.findall(r"^ *```sh\n(.*?)^ *```$", (ROOT / page).read_text(), re.M | re.S) if text in block]
        assert len(blocks) == 1, f"{page} has {len(blocks)} blocks with {text!r}"
        script = re.sub(SET_IMAGES, ":", blocks[0]).replace("config/default", str(self.overlay))
        for old, new in replacements.items():
            assert old in script, f"{page}: no {old!r} in {script}"
            script = script.replace(old, str(new))
        return self.shell(script)

    def pods(self):
        return self.client.get(f"{SYSTEM}/pods?labelSelector=app.kubernetes.io%2Fname%3Dhuygens-scheduler")["items"]

    def leader(self):
        """The pod that holds kube-scheduler's Lease, if it is not ending."""
        with contextlib.suppress(ApiError):
            holder = self.client.get(f"{LEASES}/huygens-scheduler")["spec"]["holderIdentity"]
            return next((pod for pod in self.pods() if holder.startswith(pod["metadata"]["name"]) and "deletionTimestamp" not in pod["metadata"]), None)

    def create_pod(self, name, cpu="50m", scheduler=SCHEDULER_NAME, labels=()):
        amounts = {"cpu": cpu, "memory": "32Mi"}
        self.client.post(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": dict(labels)}, "spec": {
            "schedulerName": scheduler, "terminationGracePeriodSeconds": 1, "containers": [
                {"name": "app", "image": IMAGE, "imagePullPolicy": "Never", "resources": {"requests": amounts, "limits": amounts}}]}})

    def run_pod(self, name, **more):
        """Creates a pod, waits until it runs, and returns it and how long that took."""
        start = time.monotonic()
        self.create_pod(name, **more)
        wait_until(lambda: self.client.get(f"{PODS}/{name}")["status"].get("phase") == "Running",
                   lambda: f"{name} does not run: {self.client.get(f'{PODS}/{name}')['status']}", 60)
        return self.client.get(f"{PODS}/{name}"), time.monotonic() - start

    def check_logs(self, pod):
        """Of the pods whose names begin so. While it is removed huygens loses its permissions before it ends, and says so."""
        logs = {name: text for name, text in self.bed.container_logs().items() if name.startswith(pod)}
        assert any(name.endswith("/huygens") for name in logs) and any(name.endswith("/kube-scheduler") for name in logs), list(logs)
        for name, text in logs.items():
            lines = [line for line in text.splitlines() if "forbidden" in line.lower()]
            assert not lines, f"{name}: {lines[0][-500:]}"


def check_running(pod):
    statuses = pod["status"].get("initContainerStatuses", []) + pod["status"].get("containerStatuses", [])
    assert len(statuses) == 2 and all(status["ready"] for status in statuses), f"{pod['metadata']['name']}: {statuses}"
    restarts = {status["name"]: status["restartCount"] for status in statuses if status["restartCount"]}
    assert not restarts, f"{pod['metadata']['name']} restarted: {restarts}, {statuses}"


def install(site):
    """By the commands of docs/operations.md, up to pods that run; returns what took how long."""
    version = project_version()
    site.choose(version)
    start = time.monotonic()
    site.documented("docs/operations.md", "rollout status deployment/huygens-scheduler\nkubectl -n kube-system get lease")
    ready = time.monotonic() - start
    pods = site.pods()
    assert len(pods) == 2, [pod["metadata"]["name"] for pod in pods]
    for pod in pods:
        check_running(pod)
        images = {container["image"] for container in pod["spec"]["initContainers"]}
        assert images == {f"huygens:{version}"}, images

    leading = wait_until(site.leader, "no replica holds kube-scheduler's Lease", 30)
    plain, first = site.run_pod("plain")
    assert plain["spec"]["nodeName"] == NODE
    site.client.post(NRT_PATH, {
        "apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": NODE},
        "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "SingleNUMANodePodLevel"},
        "zones": [{"name": "node0", "type": "Node", "resources": {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "2"}}}]})
    zoned, second = site.run_pod("zoned", cpu="1")
    assert [zone["name"] for zone in oracle.placement(zoned)["zones"]] == ["node0"], zoned["metadata"]["annotations"]
    check_metrics(site, leading)
    said = explained(site, leading, "zoned")
    assert "zoned" in said and NODE in said, said
    report = site.shell(f"kubectl -n kube-system exec {leading['metadata']['name']} -c huygens -- "
                        "huygens preflight --config /etc/huygens/config/extender.yaml || [ $? -eq 1 ]")  # nothing measures use here
    assert "\n0 errors" in report, report
    site.check_logs("huygens-scheduler-")
    return f"Ready {ready:.0f} s after the first command, pods Running {first:.1f} and {second:.1f} s after their creation"


def explained(site, replica, pod):
    """Asked inside the pod, as the docs say; its default container is huygens."""
    return site.shell(f"kubectl -n kube-system exec {replica['metadata']['name']} -- huygens explain default/{pod}")


def check_metrics(site, leading):
    """Both ports of the pod answer on its address, and the Service lists both replicas."""
    address = leading["status"]["podIP"]
    metrics = site.shell(f"curl -sf http://{address}:8889/metrics")
    assert f'huygens_build_info{{commit="' in metrics and f'version="{project_version()}"' in metrics, metrics[:500]
    status = site.shell(f"curl -sfk -H 'Authorization: Bearer admin-token' https://{address}:10259/metrics | grep ^leader_election_master_status")
    assert status.split()[-1] == "1", status
    slices = site.client.get("/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dhuygens-scheduler")
    assert sum(len(each["endpoints"]) for each in slices["items"]) == 2, slices["items"]


def renew_token(site):
    """huygens goes on with another token of its account, and the old one is worth nothing."""
    secret = f"{SYSTEM}/secrets/huygens-token"
    old = base64.b64decode(site.client.get(secret)["data"]["token"]).decode()
    site.bed.client_as(old).get(SYSTEM + "/pods?limit=1")
    site.documented("docs/operations.md", "delete secret huygens-token")
    start = time.monotonic()
    new = wait_until(lambda: (site.client.get(secret).get("data") or {}).get("token"), "the Secret gets no token", 30)
    new = base64.b64decode(new).decode()
    assert new != old

    def refused():
        try:
            site.bed.client_as(old).get(SYSTEM + "/pods?limit=1")
        except ApiError as error:
            return error.code == 401
        return False

    wait_until(refused, "the old token is still good", 60)
    site.create_pod("renewed")
    wait_until(lambda: oracle.bound(site.client.get(f"{PODS}/renewed")), "nothing is bound with the new token", 120)
    took = time.monotonic() - start
    for pod in site.pods():
        check_running(pod)
    users = site.bed.bound_by("plain", "renewed")
    assert users == {"system:serviceaccount:kube-system:huygens"}, users
    return f"bound with a new token {took:.0f} s after the old one was deleted"


def read_from_elsewhere(site):
    """/debug of a replica, asked from outside of its pod: for a token that may `get` it, by the commands of docs/operations.md, and for no other."""
    address, token = site.pods()[0]["status"]["podIP"], site.bed.directory / "reader"

    def answered(*options):
        return site.shell(f"curl -s -o /dev/null -w '%{{http_code}}' {' '.join(options)} http://{address}:8889/debug/usage")

    assert answered() == "401"
    site.shell("kubectl -n kube-system create serviceaccount stranger")
    stranger = site.shell("kubectl -n kube-system create token stranger").strip()
    # The API server may not know a token yet that it has just given.
    wait_until(lambda: answered("-H", f"'Authorization: Bearer {stranger}'") != "401", "the stranger's token is not known", 30, interval=1)
    refused = answered("-H", f"'Authorization: Bearer {stranger}'")
    assert refused == "403", f"a stranger was answered {refused}"
    said = site.documented("docs/operations.md", "create token huygens-reader", **{
        "> token": f"> {token}", "--token-file token": f"--token-file {token}", "huygens usage": f"{huygens_binary()} usage", "POD-ADDRESS": address})
    assert "created" in said, said
    assert answered("-H", f"\"Authorization: Bearer $(cat {token})\"") == "200"
    site.shell("kubectl -n kube-system delete serviceaccount stranger huygens-reader && kubectl delete clusterrolebinding huygens-reader")


def uninstall(site):
    """Nothing is left: ordinary pods run, namespaces go."""
    site.documented("docs/operations.md", "kubectl delete -k config/default")
    assert not site.pods(), site.pods()
    names = site.shell(f"kubectl get {KINDS} -A -o name").split()
    left = sorted(name for name in names if "huygens" in name or "topology.crane.io" in name)
    assert not left, left
    site.run_pod("after", scheduler="default-scheduler")
    site.shell("kubectl create namespace passing && kubectl delete namespace passing --timeout=60s")


def in_the_clusters_own_scheduler(site):
    """config/overlays/kubeadm by its README, with a static pod such as kubeadm writes; the image is merely present."""
    bed, page = site.bed, "config/overlays/kubeadm/README.md"
    bed.default_scheduler.stop()
    bed.forget(bed.default_scheduler)
    tls = bed.directory / "kubeadm-tls"
    site.documented(page, "make_certificates", **{"/root/huygens-tls": tls})
    site.shell(f"kubectl apply -k {CONFIG / 'overlays' / 'kubeadm'}")
    for name, token in ((tls / "huygens.conf", "huygens-token"), (pathlib.Path("/etc/kubernetes/scheduler.conf"), "scheduler-token")):
        shutil.copy(bed.kubeconfig(token), name)
    site.documented(page, "install -d -o 65532", **{"/root/huygens-tls": tls, "CHECKOUT": ROOT})
    pod = json.loads(json.dumps(STATIC_POD))
    pod["spec"]["containers"][0]["command"] += ["--config=/etc/kubernetes/huygens/config/kube-scheduler.yaml", "--bind-address=127.0.0.1",
                                                "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf",
                                                "--authorization-kubeconfig=/etc/kubernetes/scheduler.conf"]
    merged = bed.kubectl("patch", "--local", "--type=strategic", f"--patch-file={KUBEADM_PATCH}", "-f", "-", "-o", "yaml", stdin=json.dumps(pod)).stdout
    start = time.monotonic()
    (bed.static_pods / "kube-scheduler.yaml").write_text(merged.replace("cpu: 500m", "cpu: 50m"))
    mirror = f"{SYSTEM}/pods/kube-scheduler-{NODE}"

    def ready():
        with contextlib.suppress(ApiError):
            status = site.client.get(mirror)["status"]
            return any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", []))

    wait_until(ready, lambda: f"the static pod is not Ready: {site.shell(f'kubectl -n kube-system get pod kube-scheduler-{NODE} -o yaml || true')[-1500:]}", 90)
    took = time.monotonic() - start
    _, running = site.run_pod("ordinary", scheduler="default-scheduler")
    check_running(site.client.get(mirror))
    assert "readyz check passed" in site.shell("curl -s 'http://127.0.0.1:8889/readyz?verbose'")
    users = bed.bound_by("ordinary")
    assert users == {"huygens"}, users
    site.check_logs("kube-scheduler-")
    return f"static pod Ready after {took:.0f} s, an ordinary pod Running after {running:.1f} s"


def inside(directory, cgroup):
    with OneNode("node_install", cgroup) as bed:
        for version in (project_version(), NEXT_VERSION):
            bed.import_image(directory / f"huygens-{version}.tar")
        site = Installation(bed)
        said = [install(site), rolling.roll(site, NEXT_VERSION), renew_token(site)]
        read_from_elsewhere(site)
        site.check_logs("huygens-scheduler-")
        uninstall(site)
        said.append(in_the_clusters_own_scheduler(site))
        return "; ".join(said)


def main(inside):
    """What such a program does."""
    try:
        print(inside(pathlib.Path(sys.argv[1]), sys.argv[2]))
    except BaseException as error:
        traceback.print_exc()
        print(" ".join(f"{error}".split())[:1500])
        sys.exit(1)


if __name__ == "__main__":
    main(inside)
