"""A cluster of one real node: the control plane with kube-controller-manager and the kube-scheduler that every cluster has, containerd, kubelet
and a pod network, so that what config/ installs runs as it would at an operator's.

It lives in mount, PID and network namespaces of its own (node/alone), in which the test runs, too. There is no kube-proxy: the first address
of the Services is the node's, and the API server answers there.
"""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess

from api import ApiError, wait_until
from archives import write_archive
from binaries import BINARIES, missing
from kubelet import CONTAINERD_CONFIG, IMAGE, need_kubelet, write_pause
from testbed import TOKENS, ControlPlane, Process, Skip, free_port

PLUGINS = pathlib.Path("/usr/lib/cni")
ADDRESS, SERVICE_ADDRESS, POD_SUBNET = "192.168.77.1", "10.0.0.1", "10.85.0.0/24"
NODE = "n0"
SCHEDULER_IMAGE = "docker.io/library/kube-scheduler:v1.36.3"
CONTROLLERS = ("deployment-controller", "replicaset-controller", "serviceaccount-controller", "serviceaccount-token-controller",
               "root-ca-certificate-publisher-controller", "disruption-controller", "endpointslice-controller", "namespace-controller",
               "garbage-collector-controller")
NETWORK = {"cniVersion": "0.4.0", "name": "pods", "plugins": [{
    "type": "bridge", "bridge": "cni0", "isGateway": True,
    "ipam": {"type": "host-local", "ranges": [[{"subnet": POD_SUBNET}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}


def need_one_node():
    need_kubelet()
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    absent = [name for name in ("bridge", "host-local", "loopback") if not (PLUGINS / name).exists()]
    if absent or not shutil.which("ip"):
        raise Skip(f"no network plug-ins in {PLUGINS}, or no `ip`; tools/setup --kubelet installs them")
    bridge = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "ip", "link", "add", "x", "type", "bridge"]
    if subprocess.run(bridge, stderr=subprocess.DEVNULL).returncode:
        raise Skip("needs a network namespace of its own in which it may make a bridge")


class OneNode(ControlPlane):
    """`cgroup`: a group of each hierarchy that is the node's own."""

    def __init__(self, name, cgroup):
        super().__init__(name, port=443)
        self._cgroup = cgroup
        self._others = []
        self.logs = pathlib.Path("/var/log/pods")
        self.static_pods = self.directory / "static"

    def api_server_options(self):
        return ["--bind-address=0.0.0.0", f"--advertise-address={ADDRESS}", "--authorization-mode=Node,RBAC",
                "--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=TaintNodesByCondition",
                "--kubelet-preferred-address-types=InternalIP",  # as kubeadm; nobody knows the node's name here
                f"--kubelet-client-certificate={self.directory / 'kubelet-client.crt'}",
                f"--kubelet-client-key={self.directory / 'kubelet-client.key'}"]

    def _start(self):
        TOKENS["node-token"] = (f"system:node:{NODE}", "system:nodes")
        self._make_certificates()
        super()._start()
        kubeconfig = self.kubeconfig("admin-token")
        self._run("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={kubeconfig}", f"--root-ca-file={self.certificate}",
            f"--service-account-private-key-file={self.directory / 'service-account.key'}", "--use-service-account-credentials",
            f"--controllers={','.join(CONTROLLERS)}", "--leader-elect=false", "--bind-address=127.0.0.1", f"--secure-port={free_port()}"])
        self.default_scheduler = self._run("kube-scheduler", [
            BINARIES / "kube-scheduler", f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}"])
        self._start_node()

    @property
    def certificate(self):
        return self.directory / "apiserver" / "apiserver.crt"

    def _make_certificates(self):
        """The API server's, good for the address of the Service `kubernetes`, and the one by which kubelet knows the API server."""
        self.certificate.parent.mkdir()
        for name, subject, more in (
                (self.certificate, "/CN=kube-apiserver", f"subjectAltName=IP:127.0.0.1,IP:{SERVICE_ADDRESS},DNS:kubernetes.default.svc"),
                (self.directory / "kubelet-client.crt", "/CN=kube-apiserver/O=system:masters", "extendedKeyUsage=clientAuth")):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                            subject, "-addext", more, "-keyout", name.with_suffix(".key"), "-out", name], check=True, capture_output=True)

    def _run(self, name, arguments):
        process = Process(name, arguments, self.directory, grace=5)
        self._others.append(process)
        return process

    def authority(self):
        """As data: the kubeconfig is also read where the test's files are not."""
        certificate = (self.directory / "apiserver" / "apiserver.crt").read_bytes()
        return {"certificate-authority-data": base64.b64encode(certificate).decode()}

    def _start_node(self):
        directory = self.directory
        config = CONTAINERD_CONFIG.format(image=IMAGE, runtime="runc")
        network = directory / "cni"
        network.mkdir()
        (network / "pods.conflist").write_text(json.dumps(NETWORK))
        config += f'  [plugins."io.containerd.grpc.v1.cri".cni]\n    bin_dir = "{PLUGINS}"\n    conf_dir = "{network}"\n'
        (directory / "containerd.toml").write_text(config)
        self._run("containerd", ["containerd", "--config", directory / "containerd.toml"])
        write_pause(directory)
        write_archive(directory / "kube-scheduler.tar", SCHEDULER_IMAGE, BINARIES / "kube-scheduler", "/usr/local/bin/kube-scheduler")
        for name in ("pause", "kube-scheduler"):
            self.import_image(directory / f"{name}.tar")
        self.static_pods.mkdir()
        (directory / "kubelet.yaml").write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "address": "0.0.0.0", "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": str(directory / "kubelet-client.crt")}},
            "authorization": {"mode": "Webhook"}, "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self._cgroup}", "failCgroupV1": False, "failSwapOn": False, "enforceNodeAllocatable": [],
            "localStorageCapacityIsolation": False, "makeIPTablesUtilChains": False, "staticPodPath": str(self.static_pods),
            # Files of Secrets and manifests are looked at oftener than once a minute, so that the test need not wait for it.
            "syncFrequency": "5s", "fileCheckFrequency": "1s", "evictionHard": {"memory.available": "50Mi"}}))
        self._run("kubelet", [BINARIES / "kubelet", f"--config={directory / 'kubelet.yaml'}", f"--kubeconfig={self.kubeconfig('node-token')}",
                              f"--hostname-override={NODE}", f"--node-ip={ADDRESS}", "--v=2"])
        wait_until(self._node_ready, "the node is not Ready", 60)

    def _node_ready(self):
        for process in self._others:
            assert process.running(), f"{process.name} ended by itself:\n{process.log()[-2000:]}"
        with contextlib.suppress(ApiError):
            conditions = self.client.get(f"/api/v1/nodes/{NODE}")["status"].get("conditions", [])
            return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)

    def import_image(self, archive):
        def imported():
            # --no-unpack: unpacked when a container is made. All platforms: an archive need not say for which it is.
            return subprocess.run(["ctr", "-n", "k8s.io", "images", "import", "--no-unpack", archive], capture_output=True).returncode == 0

        wait_until(imported, f"containerd does not import {archive}", 30, interval=0.3)

    def _end(self, failed):
        if self.client and (failed or os.environ.get("HUYGENS_E2E_KEEP")):
            for what in ("pods", "events"):
                result = self.kubectl("get", what, "-A", "-o", "wide", check=False)
                (self.directory / f"{what}.txt").write_text(result.stdout + result.stderr)
            shutil.copytree(self.logs, self.directory / "pod-logs", ignore_dangling_symlinks=True, dirs_exist_ok=True)
        # kubelet first: it would start again whatever ends.
        for process in reversed(self._others):
            process.stop()
        return super()._end(failed)

    def forget(self, process):
        """It ended on purpose."""
        self._others.remove(process)

    def container_logs(self):
        """{pod/container: what it wrote}, of all containers that there were."""
        return {f"{path.parent.parent.name.split('_')[1]}/{path.parent.name}": path.read_text(errors="replace") for path in self.logs.glob("*/*/*.log")}
