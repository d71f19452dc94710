"""docs/guides: every block of commands that needs no machine of its own is pasted, every YAML text is read by what it is for."""
import re
import shutil
import subprocess

import kubeadm
from binaries import kubernetes_minor, kubernetes_version
from chart import HELM, Helm, configuration, define_foreign_kinds
from controller import FINALIZER
from install import KINDS
from shell_page import Terminal, blocks_of
from testbed import BINARIES, CONFIG, GROUPS_PATH, ROOT, SCHEDULER_NAME, ControlPlane, Skip, huygens_binary
from workload import make_node

GUIDES = ROOT / "docs" / "guides"
# What config/overlays/kubeadm adds to kubeadm's configuration, and the oldest and newest minor version of kubeadm that reads it.
SHIPPED = {"kubeadm.yaml": (31, 999), "kubeadm-v1beta3.yaml": (0, 36)}
COMMUNITY_DEFINITION = ROOT / "tests" / "e2e" / "node" / "noderesourcetopologies.yaml"
# Kinds that no API server serves: read as YAML, no more.
OF_OTHERS = ("kubelet.config.k8s.io/", "descheduler/", "kustomize.config.k8s.io/")
# What config/webhook has besides the kinds of config/default, none of it in a namespace.
OF_THE_WEBHOOK = "validatingwebhookconfigurations,flowschemas,prioritylevelconfigurations"
SECONDS = 120


def guides():
    """Each page of docs/guides: its commands do what it says, its YAML is what a real API server, kubeadm and huygens accept."""
    if not HELM.exists():
        raise Skip("build/helm has no helm; tools/helm builds it where Go 1.26 is installed")
    pages = sorted(GUIDES.glob("*.md"), key=lambda page: (page.stem == "gpu-nodes", page))  # last: huygens goes on running after it
    pasted = read = 0
    with ControlPlane("guides") as bed:
        define_foreign_kinds(bed)
        bed.kubectl("create", "namespace", "monitoring")
        for number, page in enumerate(pages):
            blocks = blocks_of(page)
            scene = Scene(bed, page.stem)
            with Reader(bed, number) as reader:
                scene.begin()
                for block in blocks:
                    if block.language == "yaml":
                        check_yaml(bed, reader, block)
                        read += 1
                    elif block.language == "sh":
                        scene.before(block.section)
                        reader.paste(block, SECONDS)
                        pasted += 1
                    else:
                        check_syntax(block)
                scene.end()
        check_shipped(bed)
    assert pasted >= 12 and read >= 18, f"{pasted} blocks of commands and {read} of YAML: does this test still read the pages?"
    how = "" if kubeadm.KUBEADM.exists() else "; kubeadm's configuration was only read as YAML (no build/k8s/kubeadm)"
    return f"{len(pages)} pages, {pasted} blocks of commands, {read} of YAML{how}"


class Reader(Terminal):
    """In a checkout of its own, with kubectl, helm and huygens."""

    def __init__(self, bed, number):
        directory = bed.directory / f"guide-{number}"
        (directory / "home" / ".kube").mkdir(parents=True)
        shutil.copy(bed.kubeconfig("admin-token"), directory / "home" / ".kube" / "config")
        self.checkout = directory / "checkout"
        self.checkout.mkdir()
        shutil.copytree(CONFIG, self.checkout / "config")
        programs = directory / "bin"
        programs.mkdir()
        for name, target in (("kubectl", BINARIES / "kubectl"), ("helm", HELM), ("huygens", huygens_binary())):
            (programs / name).symlink_to(target)
        environment = {name: value for name, value in Helm(bed).environment.items() if name.startswith("HELM_")}
        super().__init__(self.checkout, directory / "block", {**environment, "HOME": str(directory / "home")}, [programs])


class Scene:
    """What a page takes for granted, and what it must leave behind."""

    def __init__(self, bed, page):
        self._bed, self._page, self._seen = bed, page, set()

    def begin(self):
        {"gpu-nodes": self._gpu_node, "nfd": self._worker, "kubeadm-ha": self._kubeadm, "uninstall": self._marked_node}.get(self._page, lambda: None)()

    def before(self, section):
        if section not in self._seen and self._page == "uninstall":
            {"Webhook and controller": self._webhook_and_controller, "With kustomize": self._kustomize, "With Helm": self._helm,
             "In the cluster's own kube-scheduler (kubeadm)": self._overlay}.get(section, lambda: None)()
        self._seen.add(section)

    def end(self):
        if self._page == "uninstall":
            kinds = ",".join(kind for kind in KINDS.split(",") if kind not in ("replicasets", "pods"))
            names = self._bed.kubectl("get", kinds, "-A", "-o", "name").stdout.split()
            names += self._bed.kubectl("get", OF_THE_WEBHOOK, "-o", "name").stdout.split()
            left = [name for name in names if "huygens" in name or "topology.crane.io" in name]
            assert not left, f"uninstall.md leaves {left}"
        if self._page == "kube-prometheus-stack":
            self._bed.kubectl("delete", "-k", CONFIG / "monitoring")
            Helm(self._bed).run("uninstall", "huygens", "-n", "kube-system")

    def _define_topology(self):
        self._bed.kubectl("apply", "-f", COMMUNITY_DEFINITION)
        self._bed.wait_established("noderesourcetopologies.topology.node.k8s.io")

    def _node(self, name, **amounts):
        node = make_node(0, [{"resources": {"allocatable": {"cpu": "8"}}}])
        node["metadata"]["name"] = name
        node["status"]["capacity"].update(amounts)
        node["status"]["allocatable"].update(amounts)
        self._bed.client.post("/api/v1/nodes", node)

    def _worker(self):
        self._define_topology()
        self._node("worker-1")

    def _gpu_node(self):
        """The whole of it runs here: huygens and kube-scheduler place the pods."""
        self._define_topology()
        self._bed.install()
        self._node("gpu-1", cpu="62", memory="510Gi", **{"nvidia.com/gpu": "4"})
        self._bed.start_scheduler(self._bed.start_huygens())

    def _kubeadm(self):
        self._bed.kubectl("-n", "monitoring", "create", "service", "clusterip", "kube-prometheus-stack-prometheus", "--tcp=9090")
        self._lease("kube-scheduler")

    def _lease(self, name):
        self._bed.client.post("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", {
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-system"},
            "spec": {"holderIdentity": "machine-1_0"}})

    def _marked_node(self):
        self._bed.kubectl("apply", "-k", CONFIG / "crd")
        self._bed.wait_established("noderesourcetopologies.topology.crane.io", "bizgroupresourcequotas.quota.huygens.dev")
        self._node("marked")
        self._bed.kubectl("annotate", "node", "marked", "huygens.dev/wake=1")

    def _leases_and_secret(self):
        for name in ("huygens-scheduler", "huygens-bind"):
            self._lease(name)
        self._bed.kubectl("-n", "kube-system", "create", "secret", "generic", "huygens-tls")

    def _webhook_and_controller(self):
        """As they were when they ran: a group with the controller's finalizer, and an API server that asks a webhook which nobody answers for."""
        self._bed.client.post(GROUPS_PATH, {"apiVersion": "quota.huygens.dev/v1alpha1", "kind": "BizGroupResourceQuota",
                                            "metadata": {"name": "kept", "finalizers": [FINALIZER]}, "spec": {"hard": {"pods": "1"}}})
        self._bed.kubectl("apply", "-k", CONFIG / "overlays" / "webhook-own-authority")
        self._lease("huygens-controller")
        self._bed.kubectl("-n", "kube-system", "create", "secret", "generic", "huygens-webhook-tls")
        self._bed.kubectl("-n", "kube-system", "create", "configmap", "huygens-controller-hours")

    def _kustomize(self):
        self._bed.kubectl("apply", "-k", CONFIG / "default")
        self._leases_and_secret()
        self._bed.kubectl("-n", "kube-system", "create", "configmap", "huygens-0123456789")  # of an earlier configuration
        self._bed.kubectl("-n", "kube-system", "label", "configmap", "huygens-0123456789", f"app.kubernetes.io/name={SCHEDULER_NAME}")

    def _helm(self):
        Helm(self._bed).run("install", "huygens", CONFIG / "helm" / "huygens", "-n", "kube-system")
        self._leases_and_secret()

    def _overlay(self):
        self._bed.kubectl("apply", "-k", CONFIG / "overlays" / "kubeadm")
        self._lease("huygens-bind")


def check_syntax(block):
    """Of commands for another machine: bash can read them."""
    assert block.language.startswith("sh "), f"{block.page}, {block.section!r}: a block of {block.language}"
    result = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
    assert result.returncode == 0, f"{block.page}, {block.section!r}: {result.stderr}"


def check_yaml(bed, reader, block):
    where = f"{block.page}, {block.section!r}"
    if block.name:
        (reader.checkout / block.name).write_text(block.text)
    group = re.search(r"^apiVersion: (\S+)$", re.sub(r" +#.*", "", block.text), re.M)
    if not group:
        check_fragment(bed, where, block.text)
    elif group[1].startswith("kubeadm.k8s.io/"):
        check_kubeadm(bed, where, block.text)
    elif group[1].startswith(OF_OTHERS):
        configuration(block.text)
    else:
        result = bed.kubectl("apply", "--dry-run=server", "-f", "-", stdin=block.text, check=False)
        assert result.returncode == 0, f"{where}: {result.stderr[-1500:]}"


def check_fragment(bed, where, text):
    """A part of huygens' configuration if it begins with one of its sections, else the values of somebody's chart."""
    sections = set(re.findall(r"^(\w+):", text, re.M))
    values = configuration(f"apiVersion: v1\nkind: Values\n{text}")
    assert sections <= values.keys(), f"{where}: {values}"
    known = set(re.findall(r"^(\w+):", subprocess.run([huygens_binary(), "config", "defaults"], capture_output=True, text=True, check=True).stdout, re.M))
    if not sections <= known - {"apiVersion", "kind"}:
        return
    path = bed.directory / "fragment.yaml"
    rest = "" if "cluster" in sections else "cluster: {kubernetes: {}}\n"
    path.write_text(f"apiVersion: config.huygens.dev/v1alpha1\nkind: ExtenderConfiguration\n{rest}{text}")
    result = subprocess.run([huygens_binary(), "config", "check", path], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, f"{where}: {result.stdout}{result.stderr}"


def check_shipped(bed):
    """kubeadm makes of the shipped files what it makes of the guide's. A cluster has more in its configuration: without a version kubeadm would
    ask the internet for the newest."""
    for name, (oldest, newest) in SHIPPED.items():
        text = (CONFIG / "overlays" / "kubeadm" / name).read_text()
        whole, count = re.subn(r"^kind: ClusterConfiguration$",
                               rf"\g<0>\nkubernetesVersion: {kubernetes_version()}\ncontrolPlaneEndpoint: k8s.example.com:6443", text, flags=re.M)
        assert count == 1, f"{name} has {count} ClusterConfigurations"
        if oldest <= kubernetes_minor() <= newest:
            check_kubeadm(bed, f"config/overlays/kubeadm/{name}", whole)


def check_kubeadm(bed, where, text):
    path = bed.directory / "kubeadm.yaml"
    path.write_text(text)
    documents = [configuration(document) for document in re.split(r"^---$", text, flags=re.M)]
    if not kubeadm.KUBEADM.exists():
        return
    fault = kubeadm.validate(path)
    assert not fault, f"{where}: {fault}"
    for document in documents:
        if document["kind"] == "ClusterConfiguration":
            kubeadm.check_static_pod(path, document["controlPlaneEndpoint"])
