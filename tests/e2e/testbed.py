"""A real control plane as plain processes on free loopback ports: etcd, kube-apiserver, kube-scheduler, and huygens between them.

What is started is what config/ ships: the API server gets the shipped CRD and RBAC, huygens runs as the user `huygens` with nothing but
those permissions, and both sides of the extender connection use the shipped configuration files, with only paths and ports replaced.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from api import ApiError, Client, wait_until
from binaries import BINARIES, KEPT, ROOT, missing

CONFIG = ROOT / "config"
# For kubectl -f: all of the sample cluster that an API server knows.
SAMPLE_CLUSTER = ",".join(str(CONFIG / "samples" / "cluster" / f"{kind}.yaml") for kind in ("nodes", "pods", "topology", "groups"))
NRT_PATH = "/apis/topology.crane.io/v1alpha1/noderesourcetopologies"
GROUPS_PATH = "/apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas"
SCHEDULER_NAME = "huygens-scheduler"

# What the tests prove about writes is read from the audit log.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "users": ["huygens", "system:serviceaccount:kube-system:huygens-controller"]},
        {"level": "Metadata", "verbs": ["create", "update", "patch", "delete"],
         "resources": [{"group": "", "resources": ["pods", "pods/*"]}]},
        {"level": "None"},
    ],
}
TOKENS = {"admin-token": ("admin", "system:masters"), "scheduler-token": ("system:kube-scheduler", ""), "huygens-token": ("huygens", ""),
          "sidecar-token": ("system:serviceaccount:kube-system:huygens", ""),
          "sidecar-scheduler-token": ("system:serviceaccount:kube-system:huygens-scheduler", "")}
SANITIZER_REPORTS = ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "ERROR: LeakSanitizer", "runtime error:")


def not_to_be_kept(folder, names):
    """Of what a failed scenario leaves: what is large or secret, as what a node's containerd had, and what is no file: a device has no end."""
    large_or_secret = shutil.ignore_patterns("etcd", "*.key", "run", "containerd", "containers")(folder, names)
    return large_or_secret | {name for name in names if not (path := pathlib.Path(folder, name)).is_file() and not path.is_dir()}


class Skip(Exception):
    """The machine lacks what the scenario needs."""


def need_control_plane():
    if why := missing("etcd", "kube-apiserver", "kube-scheduler", "kubectl"):
        raise Skip(why)


def huygens_binary():
    chosen = os.environ.get("HUYGENS_BINARY")
    candidates = [pathlib.Path(chosen)] if chosen else [ROOT / "build" / preset / "huygens" for preset in ("release", "dev")]
    for path in candidates:
        if path.exists():
            return path.resolve()
    raise AssertionError(f"no huygens binary: looked for {', '.join(map(str, candidates))}")


_given_ports = set()


def free_port():
    """A port below the range that outgoing connections take theirs from, so that nothing of the test bed's own grabs it."""
    while True:
        port = random.randint(20000, 32000)
        if port in _given_ports:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        _given_ports.add(port)
        return port


def replaced(text, replacements):
    """`text` with every key of `replacements` replaced; a key that is not there means the shipped file changed, and fails."""
    for old, new in replacements.items():
        assert old in text, f"the shipped file has no {old!r}"
        text = text.replace(old, new)
    return text


class Process:
    """A child with its own log. Ended by SIGTERM, and by SIGKILL when that takes too long."""

    def __init__(self, name, arguments, directory, grace):
        self.name = name
        self.arguments = [str(argument) for argument in arguments]
        self.log_path = directory / f"{name}.log"
        self.grace = grace
        self._child = None
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            self._child = subprocess.Popen(self.arguments, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    @property
    def pid(self):
        return self._child.pid

    def running(self):
        return self._child.poll() is None

    def kill(self):
        self._child.kill()
        self._child.wait()

    def stop(self):
        """The exit code, or None if it had to be killed."""
        if self.running():
            self._child.send_signal(signal.SIGTERM)
        try:
            return self._child.wait(self.grace)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def log(self):
        return self.log_path.read_text(errors="replace")


class Scheduler(Process):
    """A kube-scheduler that is started again when it ends by itself, as kubelet would.

    It ends by itself when its watch had to start anew and a pod was deleted and created again under the same name meanwhile: it takes
    that for a corrupted cache. Nothing else is a reason to end here.

    Where it had bound that pod itself and not yet seen it bound, it does not end, but reckons with the pod for ever: what it has assumed
    of a pod does not expire, and whom it belongs to is told by the UID alone. Up to 1.34 it is blind for up to a minute after an API
    server has come back, which makes this likely there.
    """

    EXPECTED_END = "Scheduler cache is corrupted"
    BLIND_SECONDS = 75

    def __init__(self, *arguments):
        self.restarts = self.ghosts = 0
        self._stopping = threading.Event()
        super().__init__(*arguments, grace=10)
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    def _supervise(self):
        while not self._stopping.wait(0.2):
            if not self.running() and self.log().count(self.EXPECTED_END) > self.restarts:
                self.restarts += 1
                self.start()

    def _get(self, path):
        unverified = ssl._create_unverified_context()  # it made the certificate itself
        request = urllib.request.Request(f"https://127.0.0.1:{self._port}{path}", headers={"Authorization": "Bearer admin-token"})
        with urllib.request.urlopen(request, timeout=5, context=unverified) as response:
            return response.read().decode()

    def wait_healthy(self, port):
        self._port = port

        def healthy():
            assert self.running(), f"{self.name} ended by itself:\n{self.log()[-2000:]}"
            try:
                return self._get("/healthz") == "ok"
            except OSError:
                return False

        wait_until(healthy, f"{self.name} is not healthy", 60)

    def assumed_pods(self):
        """How many pods it has bound and not seen bound; None: it does not answer, since it has just ended itself."""
        try:
            page = self._get("/metrics")
        except OSError:
            return None
        shown = re.search(r'^scheduler_(?:scheduler_)?cache_size\{type="assumed_pods"\} (\d+)$', page, re.M)
        return int(shown[1]) if shown else 0

    def forget_ghosts(self):
        """Once nobody is bound any more: starts it again, as an operator would, if it reckons with pods that are not there."""
        try:
            wait_until(lambda: self.assumed_pods() == 0, "", self.BLIND_SECONDS)
        except AssertionError:
            self.ghosts += self.assumed_pods() or 0
            self.kill()
            self.start()
            self.wait_healthy(self._port)

    def abandon(self):
        """Nobody starts it again."""
        self._stopping.set()
        self._supervisor.join()

    def stop(self):
        self.abandon()
        assert self.running(), f"{self.name} ended by itself:\n{self.log()[-2000:]}"
        super().stop()


class Huygens:
    """One huygens with its ports and configuration; it can be killed and started again."""

    def __init__(self, bed, name, more="", enforce_usage=False):
        self.name = name
        self.port, self.admin_port = free_port(), free_port()
        shipped = (CONFIG / "overlays" / "kubeadm" / "extender.yaml").read_text()
        if "\nusage:" in more:  # in place of the shipped section
            shipped = replaced(shipped, {"usage:\n  historyFile: /var/lib/huygens/history\n": ""})
        else:
            shipped = replaced(shipped, {"/var/lib/huygens/history": str(bed.directory / f"{name}.history")})
        if enforce_usage:  # the one word of "Switch on safely"
            shipped = replaced(shipped, {"{name: usage, mode: report}": "{name: usage, mode: enforce}"})
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced(shipped, {
            "127.0.0.1:8888": f"127.0.0.1:{self.port}",
            "127.0.0.1:8889": f"127.0.0.1:{self.admin_port}",
            "/etc/huygens/server/huygens.conf": str(bed.kubeconfig("huygens-token")),
            "/etc/huygens/server": str(bed.certificates()),
        }) + more)
        self.process = Process(name, [huygens_binary(), "extender", "--config", self.config], bed.directory, grace=30)

    def admin(self, path):
        """(status code, text) of the admin port; (0, reason) while nothing answers there."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=5) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait_ready(self, seconds=60):
        def ready():
            assert self.process.running(), f"{self.name} ended by itself:\n{self.process.log()[-2000:]}"
            return self.admin("/readyz")[0] == 200

        wait_until(ready, lambda: f"{self.name} is not ready: {self.admin('/readyz?verbose')}", seconds)

    def change(self, replacements):
        """What an operator does to change the configuration: edits the file, has it checked, restarts."""
        self.config.write_text(replaced(self.config.read_text(), replacements))
        subprocess.run([huygens_binary(), "config", "check", self.config], check=True, capture_output=True)
        self.stop()
        self.process.start()
        self.wait_ready()

    def metric(self, name, label=""):
        """The sum of a metric over its labels, or of those that bear `label`; None if there is no such metric."""
        values = []
        for line in self.admin("/metrics")[1].splitlines():
            key, _, value = line.rpartition(" ")
            if (key == name or key.startswith(name + "{")) and label in key:
                values.append(float(value))
        return sum(values) if values else None

    def keep_pages(self, directory):
        """Writes down what it thinks of the cluster and of the last pods."""
        for page in ("/readyz?verbose", "/metrics", "/debug/decisions?limit=1000", "/debug/usage?limit=1000", "/debug/nodes"):
            name = page.split("?")[0].strip("/").replace("/", "-")
            try:
                text = self.admin(page)[1]
            except Exception as error:  # it may have ended in the middle of an answer
                text = f"{error!r}\n"
            (directory / f"{self.name}-{name}").write_text(text)

    def stop(self):
        """Ends it as kubelet would, and fails if it did not end cleanly or a sanitizer found something."""
        code = self.process.stop()
        log = self.process.log()
        for report in SANITIZER_REPORTS:
            assert report not in log, f"{self.name}: {report}\n{log[log.index(report):][:3000]}"
        assert code == 0, f"{self.name} ended with {'SIGKILL after a time-out' if code is None else code} on SIGTERM"


class EmbeddedHuygens(Huygens):
    """A huygens that reads its cluster from a directory. Use it in a `with` statement."""

    def __init__(self, directory, cluster, more=""):
        self.name = "huygens"
        self.port, self.admin_port = free_port(), free_port()
        config = directory / "extender.yaml"
        config.write_text(f"""\
apiVersion: config.huygens.dev/v1alpha1
kind: ExtenderConfiguration
server: {{address: "127.0.0.1:{self.port}", adminAddress: "127.0.0.1:{self.admin_port}"}}
cluster:
  manifests: {{directory: {json.dumps(str(cluster))}}}
""" + more)
        self.process = Process(self.name, [huygens_binary(), "extender", "--config", config], directory, grace=30)

    def __enter__(self):
        try:
            self.wait_ready()
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(self, kind, _value, _trace):
        if kind is None:
            self.stop()
        else:
            self.process.kill()


class ControlPlane:
    """etcd and kube-apiserver; kube-scheduler and huygens on demand. Use it in a `with` statement."""

    def __init__(self, name, port=None):
        need_control_plane()
        self.name = name
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"huygens-e2e-{name}-"))
        self.audit_path = self.directory / "audit.log"
        self.schedulers, self.extenders = [], []
        self.etcd = self.api_server = None
        self.more_api_servers = []
        self.client = None
        self._port = port or free_port()

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._end(failed=True)
            raise
        return self

    def __exit__(self, kind, value, _trace):
        problems = self._end(failed=kind is not None)
        if problems and (kind is None or issubclass(kind, Exception)):  # beside a failure they may be its cause
            raise AssertionError("; ".join([*([str(value)] if kind else []), *problems])) from value

    def _start(self):
        directory = self.directory
        client_port, peer_port = free_port(), free_port()
        client_url, peer_url = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
        self.etcd = Process("etcd", [
            BINARIES / "etcd", "--name=node0", f"--data-dir={directory / 'etcd'}", "--unsafe-no-fsync", "--log-level=warn",
            f"--listen-client-urls={client_url}", f"--advertise-client-urls={client_url}", f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}", f"--initial-cluster=node0={peer_url}"], directory, grace=5)

        key = directory / "service-account.key"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True)
        (directory / "audit.yaml").write_text(json.dumps(AUDIT_POLICY))
        (directory / "tokens.csv").write_text(
            "".join(f'{token},{user},{user},"{groups}"\n' for token, (user, groups) in TOKENS.items()))
        # Token authentication only; admission and bootstrapping without what a controller-manager would have to complete.
        self.api_server = Process("kube-apiserver", [
            BINARIES / "kube-apiserver", f"--etcd-servers={client_url}", f"--secure-port={self._port}",
            f"--cert-dir={directory / 'apiserver'}", f"--token-auth-file={directory / 'tokens.csv'}",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.0.0.0/16",
            "--endpoint-reconciler-type=none", f"--audit-policy-file={directory / 'audit.yaml'}", f"--audit-log-path={self.audit_path}",
            *self.api_server_options()], directory, grace=3)
        self._wait_api_server()
        self.client = self.client_as("admin-token")
        wait_until(lambda: self._exists("/api/v1/namespaces/default") and self._exists("/api/v1/namespaces/kube-system"),
                   "the API server did not make its namespaces", 30)

    def api_server_options(self):
        return ["--bind-address=127.0.0.1", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"]

    def _exists(self, path):
        try:
            return self.client.get(path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def start_another_api_server(self):
        """Its port. It shares etcd and the certificate with the first, and answers where that has died."""
        port, name = free_port(), f"kube-apiserver-{len(self.more_api_servers) + 2}"
        own = {"--secure-port": port, "--audit-log-path": self.directory / f"{name}.audit.log"}
        arguments = [f"{flag}={own[flag]}" if (flag := each.partition("=")[0]) in own else each for each in self.api_server.arguments]
        self.more_api_servers.append(Process(name, arguments, self.directory, grace=3))
        self._wait_api_server(self.more_api_servers[-1], port)
        return port

    def _wait_api_server(self, server=None, port=None):
        certificate = self.directory / "apiserver" / "apiserver.crt"
        wait_until(certificate.exists, "kube-apiserver wrote no certificate", 30)

        def ready():
            for process in (self.etcd, server or self.api_server):
                assert process.running(), f"{process.name} ended by itself:\n{process.log()[-2000:]}"
            try:
                connection = self.client_as("admin-token", port).connect(timeout=5)
                connection.request("GET", "/readyz", headers={"Authorization": "Bearer admin-token"})
                return connection.getresponse().status == 200
            except OSError:
                return False

        wait_until(ready, "kube-apiserver is not ready", 60)

    def _end(self, failed):
        """Ends everything in the order that works: kube-apiserver without etcd would not end. Returns what did not end cleanly."""
        problems = []
        if self.client:
            self.client.patience = 0  # threads of a failed scenario are to give up, too
        keep = failed or os.environ.get("HUYGENS_E2E_KEEP")
        if keep:
            for extender in self.extenders:
                extender.keep_pages(self.directory)
        for process in self.schedulers + self.extenders:
            try:
                process.stop()
            except AssertionError as error:
                problems.append(str(error))
        for process in (*self.more_api_servers, self.api_server, self.etcd):
            if process:
                process.stop()
        kept = KEPT / self.name
        shutil.rmtree(kept, ignore_errors=True)
        if keep or problems:
            shutil.copytree(self.directory, kept, ignore=not_to_be_kept, ignore_dangling_symlinks=True)
        shutil.rmtree(self.directory, ignore_errors=True)
        return problems

    def kill_replica(self, huygens, scheduler):
        """Both at once and without a word, as when their machine dies. They are not started again."""
        for process in (scheduler, huygens.process):
            process.kill()
        scheduler.abandon()
        self.schedulers.remove(scheduler)
        self.extenders.remove(huygens)

    def kill_api_server(self):
        self.api_server.kill()

    def restart_api_server(self):
        self.api_server.start()
        self._wait_api_server()

    def client_as(self, token, port=None):
        """`port`: where the API server is, if not the first."""
        return Client(port or self._port, self.directory / "apiserver" / "apiserver.crt", token)

    def kubeconfig(self, token, port=None):
        """Written once, and whole: a kube-scheduler that has just been started may read it at any moment, and ends if it finds half a file."""
        port = port or self._port
        path = self.directory / f"{token}{'' if port == self._port else f'-{port}'}.kubeconfig"
        if not path.exists():
            part = path.with_suffix(f".{threading.get_ident()}")
            part.touch(mode=0o600)
            part.write_text(json.dumps({
                "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
                "clusters": [{"name": "e2e", "cluster": {"server": f"https://127.0.0.1:{port}", **self.authority()}}],
                "users": [{"name": "e2e", "user": {"token": token}}],
                "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
            }))
            part.rename(path)
        return path

    def authority(self):
        """Who signed the API server's certificate, as a kubeconfig says it."""
        return {"certificate-authority": str(self.directory / "apiserver" / "apiserver.crt")}

    def kubectl(self, *arguments, token="admin-token", check=True, stdin=None, program=BINARIES / "kubectl"):
        """Output and exit code of kubectl; a failure fails the test unless check=False."""
        command = [str(program), "--kubeconfig", str(self.kubeconfig(token)), f"--cache-dir={self.directory / 'kube-cache'}"]
        result = subprocess.run(command + [str(a) for a in arguments], input=stdin, capture_output=True, text=True, cwd=ROOT)
        if check:
            assert result.returncode == 0, f"kubectl {' '.join(map(str, arguments))}: {result.stderr[-2000:]}"
        return result

    def install(self):
        """The shipped CRDs, and the shipped permissions for the user `huygens`."""
        self.kubectl("apply", "-k", CONFIG / "overlays" / "kubeadm")
        self.wait_established("noderesourcetopologies.topology.crane.io", "bizgroupresourcequotas.quota.huygens.dev")

    def wait_established(self, *definitions):
        """Waits until the API server serves these CustomResourceDefinitions. `kubectl wait` fails where one has no conditions yet."""
        def missing_ones():
            return [name for name in definitions if not self._established(name)]

        wait_until(lambda: not missing_ones(), lambda: f"not established: {', '.join(missing_ones())}", 30)

    def _established(self, definition):
        found = self._exists(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{definition}")
        conditions = (found or {}).get("status", {}).get("conditions") or []  # null at first
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    def certificates(self):
        directory = self.directory / "tls"
        if not directory.exists():
            subprocess.run([CONFIG / "tls" / "make_certificates", directory], check=True, capture_output=True)
        return directory

    def start_huygens(self, name="huygens", more="", enforce_usage=False):
        """`more`: further text of the configuration."""
        huygens = Huygens(self, name, more, enforce_usage)
        self.extenders.append(huygens)
        huygens.wait_ready()
        return huygens

    def start_scheduler(self, huygens, scheduler_name=SCHEDULER_NAME, replica=None, options=()):
        """kube-scheduler with the shipped configuration, pointed at `huygens`; `options`: further flags.

        Only leader election is off where it is not one `replica` (a name) of several: its Lease would outlive a process that ended
        itself, and the next one would wait for its end.
        """
        shipped = (CONFIG / "scheduler" / "kube-scheduler.yaml").read_text()
        name = f"{scheduler_name}-{replica}" if replica else scheduler_name
        config = self.directory / f"{name}.yaml"
        config.write_text(replaced(shipped, {
            "https://127.0.0.1:8888": f"https://127.0.0.1:{huygens.port}",
            "/etc/huygens/client": str(self.certificates()),
            f"schedulerName: {SCHEDULER_NAME}": f"schedulerName: {scheduler_name}",
            "leaderElect: true": f"leaderElect: {'true' if replica else 'false'}",
        }) + f"clientConnection: {{kubeconfig: {self.kubeconfig('scheduler-token')}}}\n")
        kubeconfig, port = self.kubeconfig("scheduler-token"), free_port()
        scheduler = Scheduler(f"kube-scheduler-{name}", [
            BINARIES / "kube-scheduler", f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={port}",
            f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}", *options],
            self.directory)
        self.schedulers.append(scheduler)
        scheduler.wait_healthy(port)
        return scheduler

    def audit(self):
        """The audit events so far."""
        with open(self.audit_path) as log:
            return [json.loads(line) for line in log]

    def bound_by(self, *pods):
        """The users who bound these pods. An attempt that was refused is not counted: one with a token that has ended names no user."""
        return {event["user"]["username"] for event in self.audit()
                if event.get("objectRef", {}).get("subresource") == "binding" and event["objectRef"]["name"] in pods
                and event["responseStatus"]["code"] == 201}
