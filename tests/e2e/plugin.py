"""`kubectl huygens` on a real API server: which pod it asks, and what for.

There is no node, so `kubectl exec` cannot reach a container: a kubectl that is first on the PATH runs the program in its stead, against the huygens that
stands for that pod. All else it hands to the real kubectl, which finds the plug-in by itself.
"""
import json
import os
import subprocess

import oracle
from api import wait_until
from binaries import BINARIES, ROOT
from testbed import CONFIG, SAMPLE_CLUSTER, SCHEDULER_NAME, ControlPlane, huygens_binary

PODS = "/api/v1/namespaces/{}/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
KUBECTL = """#!/bin/sh
case " $* " in
  *" exec "*)
    echo "$*" >>{log}
    pod=${{*#*exec }} pod=${{pod%% *}}
    while [ "$1" != -- ]; do shift; done
    shift 2
    case $1 in explain|usage|quota) set -- "$@" --admin-url "$(cat {directory}/$pod)" ;; preflight) exit 0 ;; esac
    exec {huygens} "$@" ;;
esac
exec {kubectl} "$@"
"""


class Plugin:
    def __init__(self, bed):
        self._bed = bed
        self._directory = bed.directory / "plugin"
        self._directory.mkdir()
        self._log = self._directory / "log"
        wrapper = self._directory / "kubectl"
        wrapper.write_text(KUBECTL.format(log=self._log, directory=self._directory, huygens=huygens_binary(),
                                          kubectl=BINARIES / "kubectl"))
        wrapper.chmod(0o755)
        (self._directory / "kubectl-huygens").symlink_to(ROOT / "cli" / "kubectl-huygens")

    def run(self, *arguments, code=0, namespace=""):
        """What it printed, on both streams. `namespace`: that of the context."""
        config = json.loads(self._bed.kubeconfig("admin-token").read_text())
        config["contexts"][0]["context"]["namespace"] = namespace
        path = self._directory / "kubeconfig"
        path.write_text(json.dumps(config))
        environment = {**os.environ, "PATH": f"{self._directory}:{os.environ['PATH']}", "KUBECONFIG": str(path),
                       "KUBECACHEDIR": str(self._bed.directory / "kube-cache")}
        result = subprocess.run(["kubectl", "huygens", *arguments], env=environment, capture_output=True, text=True, timeout=60)
        assert result.returncode == code, f"kubectl huygens {' '.join(arguments)}: {result.returncode} {result.stdout}{result.stderr}"
        return result.stdout + result.stderr

    def asked(self):
        """What was run in which pod since the last call: [(pod, "huygens ...")]."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return [(line.split(" exec ")[1].split()[0], line.split(" -- ")[1]) for line in lines]

    def stand_in(self, name, labels, huygens, namespace="kube-system", ready=True):
        """A pod of huygens as the API server shows it when it runs; `huygens` answers in its place."""
        images = {"image": "none", "imagePullPolicy": "IfNotPresent"}
        client, path = self._bed.client, PODS.format(namespace)
        client.post(path, {"metadata": {"name": name, "labels": labels}, "spec": {
            "nodeName": "numa-2", "initContainers": [{"name": "other", **images}, {"name": "huygens", "restartPolicy": "Always", **images}],
            "containers": [{"name": "kube-scheduler", **images}]}})
        statuses = [{"name": each, "ready": ready, "restartCount": 0, "image": "none", "imageID": ""} for each in ("other", "huygens")]
        client.patch(f"{path}/{name}/status", {"status": {"phase": "Running", "initContainerStatuses": statuses}})
        if huygens:
            (self._directory / name).write_text(f"http://127.0.0.1:{huygens.admin_port}")


def lead(bed, name, holder, namespace="kube-system"):
    lease = {"metadata": {"name": name}, "spec": {"holderIdentity": f"{holder}_1f0c8f5e-0000-4000-8000-000000000000"}}
    bed.kubectl("-n", namespace, "delete", "lease", name, "--ignore-not-found")
    bed.client.post(LEASES.format(namespace), lease)


def kubectl_plugin():
    """`kubectl huygens` finds the replica that leads, wherever it runs, asks another one what the leader does not know, and places pods of a file."""
    with ControlPlane("kubectl_plugin") as bed:
        bed.install()
        bed.kubectl("apply", "-f", SAMPLE_CLUSTER)
        plugin = Plugin(bed)
        nothing = plugin.run("status", code=3)
        assert "no pod of huygens runs" in nothing, nothing

        decided, idle = bed.start_huygens("huygens-a"), bed.start_huygens("huygens-b")
        bed.start_scheduler(decided)
        bed.kubectl("apply", "-f", CONFIG / "samples" / "pods.yaml")
        pod = lambda: bed.client.get(PODS.format("default") + "/one-zone")
        wait_until(lambda: oracle.bound(pod()), "a sample pod was not bound", 60)
        labels = {"app.kubernetes.io/name": SCHEDULER_NAME}
        plugin.stand_in("huygens-scheduler-a", labels, decided)
        plugin.stand_in("huygens-scheduler-b", labels, idle)

        check_leader(bed, plugin)
        check_pods(bed, plugin, pod()["metadata"]["uid"])
        check_rest(plugin)
        check_place(bed, plugin)
        check_elsewhere(bed, plugin, decided)


def check_leader(bed, plugin):
    nobody = plugin.run("status", code=1)
    assert "Nobody leads" in nobody and nobody.count("huygens-scheduler-") >= 2, nobody
    lead(bed, "huygens-scheduler", "huygens-scheduler-b")
    rows = [line.split() for line in plugin.run("status").splitlines()]
    assert rows[1:] == [["kube-system", "huygens-scheduler-a", "true"], ["kube-system", "huygens-scheduler-b", "true", "yes"]], rows
    plugin.run("usage", "top")
    assert plugin.asked() == [("huygens-scheduler-b", "huygens usage top")]


def check_pods(bed, plugin, uid):
    # b leads and has decided nothing: a has.
    said = plugin.run("explain", "default/one-zone")
    assert "Bound to " in said, said
    assert plugin.asked() == [(f"huygens-scheduler-{each}", "huygens explain default/one-zone") for each in "ba"]
    lead(bed, "huygens-scheduler", "huygens-scheduler-a")
    assert "Bound to " in plugin.run("explain", "default/one-zone")
    assert plugin.asked() == [("huygens-scheduler-a", "huygens explain default/one-zone")], "the leader knows, and others were asked"

    assert "Bound to " in plugin.run("explain", "one-zone", namespace="default")
    assert "Bound to " in plugin.run("explain", "one-zone", "-n", "default", namespace="shop")
    assert "Bound to " in plugin.run("explain", uid, namespace="shop")
    assert '"outcome"' in plugin.run("explain", "-o", "json", "one-zone", namespace="default")
    assert "shop/one-zone" in plugin.run("explain", "one-zone", namespace="shop", code=1)
    plugin.asked()
    assert "--bad-flag" in plugin.run("explain", "node/numa-2", "--bad-flag", "x", code=2)
    assert len(plugin.asked()) == 1, "wrong usage is wrong for each"
    plugin.run("quota", "explain", "over-budget", namespace="default")
    assert plugin.asked()[0][1] == "huygens quota explain over-budget -n default"


def check_rest(plugin):
    assert "search" in plugin.run("quota", "tree")
    assert plugin.run("version").startswith("huygens ")
    plugin.asked()
    plugin.run("preflight", "-o", "json")
    assert plugin.asked() == [("huygens-scheduler-a", "huygens preflight --config /etc/huygens/config/extender.yaml -o json")]
    assert "no such subcommand: expalin" in plugin.run("expalin", "x", code=2)
    assert "Usage: kubectl huygens" in plugin.run("--help")
    assert plugin.asked() == []


def check_place(bed, plugin):
    """Pods of a file are created, and what became of each is said when it is known, or after a time."""
    file = bed.directory / "place.json"

    def write(*items):
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    def pod(name, cpu, scheduler=SCHEDULER_NAME, **more):
        amounts = {"cpu": cpu, "memory": "1Gi"}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": {"topology.crane.io/topology-awareness": "true"}},
                "spec": {"schedulerName": scheduler, **more, "containers": [{"name": "app", "image": "none", "resources": {"requests": amounts, "limits": amounts}}]}}

    # A node that kubelet pins would give it no zones.
    write(pod("fits", "1", nodeSelector={"kubernetes.io/hostname": "numa-4"}), pod("too-large", "17"))
    said = plugin.run("place", "-f", str(file), namespace="default")
    bound = bed.client.get(PODS.format("default") + "/fits")
    zone, = oracle.placement(bound)["zones"]
    rows = [line.split(maxsplit=2) for line in said.splitlines()[:3]]
    assert [row[:2] for row in rows] == [["POD", "NODE"], ["default/fits", bound["spec"]["nodeName"]], ["default/too-large", "-"]], said
    assert rows[1][2].startswith(f"{zone['name']}: 1 cpu") and "nodes are available" in rows[2][2], said
    assert "\n1 of 2 pods placed, 1 without a node.\n" in said, said
    assert plugin.asked() == [("huygens-scheduler-a", "huygens explain default/too-large")] and "17 cpu" in said.rpartition("without a node.")[2], said
    again = plugin.run("place", "-f", str(file), namespace="default", code=1)
    assert again.count("already exists") == 2 and " placed" not in again, again

    bed.client.post("/api/v1/namespaces", {"metadata": {"name": "shop"}})
    write(pod("nobodys", "1", "nobody"))
    late = plugin.run("place", "-f", str(file), "-n", "shop", "--timeout", "1", namespace="default", code=1)
    assert "shop/nobodys  -" in late and "ERROR not decided on within 1 s" in late and "0 of 1 pods placed, 0 without a node, 1 failed." in late, late
    write(pod("alone", "1"), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "beside"}})
    plugin.asked()
    assert "place takes pods alone" in plugin.run("place", "-f", str(file), namespace="default", code=2)
    assert not bed.kubectl("get", "pod/alone", "configmap/beside", "-o", "name", "--ignore-not-found").stdout, "what was refused was made"
    assert "-f FILE is needed" in plugin.run("place", code=2)
    assert "nowhere.yaml" in plugin.run("place", "-f", str(bed.directory / "nowhere.yaml"), code=2)
    assert plugin.asked() == []


def check_elsewhere(bed, plugin, huygens):
    """In another namespace, and inside the cluster's own kube-scheduler pods."""
    for name in ("huygens-scheduler-a", "huygens-scheduler-b"):
        bed.client.delete(PODS.format("kube-system") + f"/{name}")
    bed.client.post("/api/v1/namespaces", {"metadata": {"name": "placing"}})
    plugin.stand_in("huygens-scheduler-c", {"app.kubernetes.io/name": SCHEDULER_NAME}, huygens, "placing")
    lead(bed, "huygens-scheduler", "huygens-scheduler-c", "placing")
    assert "Bound to " in plugin.run("explain", "default/one-zone")
    assert "in the namespace kube-public" in plugin.run("status", "--huygens-namespace", "kube-public", code=3)
    # Whoever may see that namespace alone has to name it.
    bed.kubectl("create", "role", "asks", "-n", "placing", "--verb=get,list", "--resource=pods,leases")
    bed.kubectl("create", "rolebinding", "asks", "-n", "placing", "--role=asks", "--user=operator")
    assert "--huygens-namespace" in plugin.run("status", "--as=operator", code=3)
    assert "huygens-scheduler-c" in plugin.run("status", "--as=operator", "--huygens-namespace=placing")
    bed.client.delete(PODS.format("placing") + "/huygens-scheduler-c")

    plugin.stand_in("kube-scheduler-machine-1", {"component": "kube-scheduler"}, None)
    plugin.stand_in("kube-scheduler-machine-2", {"component": "kube-scheduler"}, huygens)
    lead(bed, "kube-scheduler", "machine-2")
    plugin.asked()
    assert "Bound to " in plugin.run("explain", "default/one-zone")
    assert plugin.asked() == [("kube-scheduler-machine-2", "huygens explain default/one-zone")]
