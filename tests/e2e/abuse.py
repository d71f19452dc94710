"""Everything that a tenant, a neighbour or bad luck can do, at once and for long, while pods are scheduled: `make soak` runs it for an hour.

Each abuser is a thread that does one thing again and again. What must hold meanwhile is what holds in every scenario (no zone overfilled, no
result wrong, nothing left pending that fits), and besides: no probe of kubelet is missed, and memory stays flat.
"""
import contextlib
import http.client
import json
import os
import random
import socket
import ssl
import sys
import threading
import time

import history
import oracle
import probes
import workload
from api import ApiError, wait_until
from scenarios import SEED, check_outcome, scaled, settle
from testbed import CONFIG, NRT_PATH, SCHEDULER_NAME, ControlPlane, Process, free_port

SECONDS = float(os.environ.get("HUYGENS_SOAK_SECONDS", "60"))
TENANT = "tenant"
DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/noderesourcetopologies.topology.crane.io"
SPOILT = "spoilt"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/huygens-bind"
# Memory may grow while caches fill. After a third of the time it may differ by this much, between the same load.
FLAT = 1.25
FLAT_SLACK_KB = 48 << 10


class Repeated(threading.Thread):
    """Calls `action` until stop(), with `pause` seconds between two calls. A failure ends it and is raised by stop()."""

    def __init__(self, name, action, pause):
        super().__init__(name=name, daemon=True)
        self.times = 0
        self._action, self._pause = action, pause
        self._stopping = threading.Event()
        self._failure = None
        self.start()

    def run(self):
        try:
            while not self._stopping.wait(self._pause):
                self._action()
                self.times += 1
        except Exception as error:  # reported by stop()
            self._failure = error

    def stop(self):
        self._stopping.set()
        self.join(120)
        assert not self.is_alive(), f"{self.name} does not end"
        if self._failure:
            raise AssertionError(f"{self.name} failed after {self.times} times: {self._failure!r}")


def closed_by_peer(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class HeldConnections:
    """Connections that are opened and then neither used nor read. Those that the server closes are opened again."""

    def __init__(self, count, opening):
        self._open = opening  # makes one
        self._held = [None] * count

    def __call__(self):
        for i, connection in enumerate(self._held):
            if connection is None or closed_by_peer(connection):
                if connection:
                    connection.close()
                try:
                    self._held[i] = self._open()
                except OSError:
                    self._held[i] = None


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=2)


def asking(port, path):
    """A connection on which `path` is asked for and the answer is never read."""
    connection = connect(port)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return connection


def beginning(port):
    """A connection with half a request line."""
    connection = connect(port)
    connection.sendall(b"GET /readyz HT")
    return connection


@contextlib.contextmanager
def trivial_server(directory):
    """The port of an HTTP server that has nothing to do, in a process of its own as huygens is."""
    port, empty = free_port(), directory / "empty"
    empty.mkdir()
    process = Process("trivial-server", [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", empty, port], directory, grace=5)
    try:
        wait_until(lambda: probes.probe(port, "/")[0] == 200, lambda: f"the trivial server does not answer: {process.log()}", 30)
        yield port
    finally:
        process.stop()


class Memory:
    """Resident memory of one huygens over the time."""

    def __init__(self, huygens):
        self.huygens = huygens
        self.samples = []  # (time, kB)

    def __call__(self):
        try:
            with open(f"/proc/{self.huygens.process.pid}/status") as status:
                kilobytes = next((int(line.split()[1]) for line in status if line.startswith("VmRSS:")), None)
        except OSError:  # it is being started again
            return
        if kilobytes:
            self.samples.append((time.monotonic(), kilobytes))

    def highest(self, start, end):
        return max((kilobytes for when, kilobytes in self.samples if start <= when <= end), default=0)


class Verbs:
    """Requests that no kube-scheduler sends, with its certificate. Each must be answered."""

    def __init__(self, bed, huygens, rng):
        self._huygens, self._rng = huygens, rng
        self._tls = ssl.create_default_context(cafile=bed.certificates() / "ca.crt")
        self._tls.load_cert_chain(bed.certificates() / "kube-scheduler.crt", bed.certificates() / "kube-scheduler.key")

    def __call__(self):
        verb = self._rng.choice(["filter", "prioritize", "preempt", "bind"])
        body = self._rng.choice([self._garbage, self._wrong_types, self._large_pod, self._many_names, self._unknown_bind])()
        connection = http.client.HTTPSConnection("127.0.0.1", self._huygens.port, context=self._tls, timeout=30)
        try:
            connection.request("POST", f"/{verb}", body)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            if self._huygens.probes.excused.is_set():
                return
            raise
        finally:
            connection.close()
        assert response.status in (200, 400, 413, 503), f"{verb}: {response.status} {text[:200]}"
        if response.status == 200:
            json.loads(text)

    def _garbage(self):
        return self._rng.randbytes(self._rng.randint(0, 4096))

    def _wrong_types(self):
        return json.dumps(self._rng.choice([
            None, [], 7, {"Pod": 7, "NodeNames": "a"}, {"Pod": {"metadata": []}, "NodeNames": [None]}, {"Pod": None, "NodeNames": None},
            {"Pod": {"metadata": {"name": "a"}, "spec": {"containers": [{"resources": {"requests": {"cpu": "x" * 5000}}}]}}, "NodeNames": []},
            {"PodName": [], "Node": {}}]))

    def _large_pod(self):
        containers = [{"name": f"c{i}", "resources": {"requests": {"cpu": "1m", f"made.up/r{i}": "1"}}} for i in range(10_000)]
        return json.dumps({"Pod": {"metadata": {"name": "large", "namespace": TENANT, "uid": "large"}, "spec": {"containers": containers}},
                           "NodeNames": [workload.node_name(i) for i in range(20)]})

    def _many_names(self):
        return json.dumps({"Pod": {"metadata": {"name": "p", "namespace": TENANT, "uid": "p"}, "spec": {"containers": []}},
                           "NodeNames": [f"nobody-{self._rng.randint(0, 10**9)}" for _ in range(20_000)]})

    def _unknown_bind(self):
        return json.dumps({"PodName": "nobody", "PodNamespace": TENANT, "PodUID": "nobody", "Node": "nowhere"})


class Tenant:
    """Creates pods that try it on, and deletes them a little later."""

    def __init__(self, client, rng):
        self._client, self._rng = client, rng
        self._made = []
        self._number = 0
        client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TENANT}})

    def __call__(self):
        self._number += 1
        pod = workload.make_pod(random.Random(self._number), self._number)
        pod["metadata"].update(name=f"trick-{self._number}", namespace=TENANT)
        self._rng.choice([self._made_up_resources, self._forged_result, self._copied_mark, self._false_daemon])(pod)
        workload.create_pods(self._client, [pod])
        self._made.append(pod)
        if len(self._made) > 12:
            self._delete(self._made.pop(0))

    def finish(self):
        for pod in self._made:
            self._delete(pod)

    def _delete(self, pod):
        try:
            self._client.delete(workload.pod_path(pod))
        except ApiError as error:
            if error.code != 404:
                raise

    def _made_up_resources(self, pod):
        more = {f"made.up/tenant-{self._number}-{i}": "1" for i in range(1000)}
        resources = pod["spec"]["containers"][0]["resources"]
        resources["requests"].update(more)
        resources["limits"].update(more)

    def _forged_result(self, pod):
        pod["metadata"]["annotations"][oracle.RESULT] = json.dumps(
            [{"name": f"node{i}", "type": "Node", "resources": {"capacity": {"cpu": "2"}}} for i in range(4)])

    def _copied_mark(self, pod):
        self._forged_result(pod)
        pod["metadata"]["annotations"][oracle.PLACEMENT] = json.dumps(
            {"uid": "another", "node": workload.node_name(self._number % 20), "zones": [{"name": "node0", "cpu": "2"}], "by": "me", "at": "now"})

    def _false_daemon(self, pod):
        pod["metadata"]["ownerReferences"] = [{"apiVersion": "example.com/v1", "kind": "DaemonSet", "name": "mine",
                                               "uid": "7a4e6c1e-0d0f-4c57-9e0b-5d8a4f3c2b11"}]


class Objects:
    """Topology objects that go and come back, one by one and all at once, and an object that nobody can use."""

    def __init__(self, bed, rng, topologies):
        self._bed, self._client, self._rng = bed, bed.client, rng
        self._topologies = topologies
        self._turn = 0
        self._lock = threading.Lock()

    def __call__(self):
        with self._lock:
            self._turn += 1
            self._spoil()
            topology = self._rng.choice(self._topologies)
            path = f"{NRT_PATH}/{topology['metadata']['name']}"
            self._client.delete(path)
            time.sleep(self._rng.random())
            self._client.post(NRT_PATH, topology)

    def replace_definition(self):
        """The CRD goes, and with it all objects; both come back a little later."""
        with self._lock:
            self._client.delete(DEFINITION)
            wait_until(lambda: self._code(DEFINITION) == 404, "the definition is not deleted", 60)
            self._bed.kubectl("apply", "-f", CONFIG / "crd" / "noderesourcetopologies.yaml")
            wait_until(lambda: self._code(NRT_PATH) == 200, "the definition is not served again", 60)
            self._client.for_each(lambda topology: self._client.post(NRT_PATH, topology), self._topologies)

    def finish(self):
        with self._lock:
            if self._code(f"{NRT_PATH}/{SPOILT}") == 200:
                self._client.delete(f"{NRT_PATH}/{SPOILT}")

    def _code(self, path):
        try:
            self._client.get(path)
        except ApiError as error:
            return error.code
        return 200

    def _spoil(self):
        """Of a node that takes no pods: what is wrong there must not reach the others."""
        amounts = self._rng.choice([{"cpu": "-4"}, {"cpu": "999999999999E"}, {}, {f"made.up/zone-{self._turn}-{i}": "1" for i in range(200)}])
        zones = [{"name": f"node{i}", "type": "Node", "resources": {"capacity": amounts, "allocatable": amounts}} for i in range(2)]
        if self._code(f"{NRT_PATH}/{SPOILT}") == 200:
            self._client.delete(f"{NRT_PATH}/{SPOILT}")
        self._client.post(NRT_PATH, {
            "apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": SPOILT},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static", "topologyManagerPolicy": "None"}, "zones": zones})


class Successors(workload.Churn):
    """The churn of the other scenarios, without an end of its own; zones and the tenant's pods are others' business here."""

    PAUSE = 2.0

    def __init__(self, client, recorder, seed):
        super().__init__(client, self, seed, 10**9, [])
        self._history = recorder

    def pods(self):
        time.sleep(self.PAUSE)
        return [pod for pod in self._history.pods() if pod["metadata"]["namespace"] != TENANT]

    def end(self):
        self.count = 0
        self.finish(60)

    def _give_back(self):
        pass


def delete_lease(client):
    try:
        client.delete(LEASE)
    except ApiError as error:
        if error.code != 404:
            raise


def kill_and_restart(huygens):
    with huygens.probes.excusing():
        huygens.process.kill()
        huygens.process.start()
        huygens.wait_ready()


def abuse():
    """No tenant, neighbour or mishap stops scheduling: abuse of every kind at once while pods come and go, HUYGENS_SOAK_SECONDS long."""
    rng = random.Random(SEED)
    nodes, topologies = workload.make_cluster(rng, scaled(100, 20))
    names = [SCHEDULER_NAME, "huygens-scheduler-b"]
    pods = [workload.make_pod(rng, i, names[i % 2]) for i in range(scaled(600, 100))]
    with ControlPlane("abuse") as bed, trivial_server(bed.directory) as trivial_port:
        bed.install()
        workload.create_nodes(bed.client, nodes, topologies)
        recorder = history.Recorder(bed.client)
        for scheduler_name in names:
            huygens = bed.start_huygens("huygens" + scheduler_name.removeprefix(SCHEDULER_NAME))
            huygens.probes = probes.Probes(huygens, trivial_port, bed.directory, Process)
            bed.start_scheduler(huygens, scheduler_name)
        first, second = bed.extenders
        churn = Successors(bed.client, recorder, SEED)
        tenant = Tenant(bed.client, random.Random(SEED + 1))
        objects = Objects(bed, random.Random(SEED + 3), topologies)
        memory = [Memory(each) for each in bed.extenders]
        start = time.monotonic()
        watching = [Repeated("memory", each, 1.0) for each in memory]
        abusers = [
            Repeated("silent connections", HeldConnections(70, lambda: connect(first.admin_port)), 0.2),
            Repeated("half requests", HeldConnections(20, lambda: beginning(second.admin_port)), 0.2),
            Repeated("slow readers", HeldConnections(24, lambda: asking(second.admin_port, "/debug/decisions?limit=1000")), 0.2),
            Repeated("stalled handshakes", HeldConnections(40, lambda: connect(first.port)), 0.2),
            Repeated("odd requests", Verbs(bed, first, random.Random(SEED + 2)), 0.5),
            Repeated("tenant", tenant, 0.5),
            Repeated("objects", objects, 1.0),
            Repeated("Lease", lambda: delete_lease(bed.client), 7.0),
        ]
        workload.create_pods(bed.client, pods)
        churn.start()
        mishaps = [lambda: kill_and_restart(second), objects.replace_definition, lambda: restart_api_server(bed),
                   lambda: kill_and_restart(first)]
        rounds = max(1, round(SECONDS / 300))
        for number in range(rounds):
            for mishap in mishaps:
                time.sleep(SECONDS / rounds / (len(mishaps) + 1))
                mishap()
        time.sleep(max(0.0, start + SECONDS - time.monotonic()))
        end = time.monotonic()
        problems = []
        for thread in abusers + watching:
            try:
                thread.stop()
            except AssertionError as error:
                problems.append(str(error))
        churn.end()
        tenant.finish()
        objects.finish()
        for each in bed.extenders:
            each.probes.stop()
            problems += each.probes.missed[:5]
        third = (end - start) / 3
        for each in memory:
            before, after = each.highest(start + third, start + 2 * third), each.highest(start + 2 * third, end)
            if after > before * FLAT + FLAT_SLACK_KB:
                problems.append(f"{each.huygens.name} took {before} kB and later {after} kB")
        assert not problems, "; ".join(problems)
        settle(bed, 180)
        probed = [each.probes for each in bed.extenders]
        slowest, beside = max(each.slowest for each in probed)
        return (f"{check_outcome(bed, recorder, ignored={SPOILT})}; {churn.done} pods replaced, {sum(each.asked for each in probed)} probes, slowest "
                f"{slowest:.2f} s (beside it a server with nothing to do {beside:.2f} s), {sum(each.late_with_all for each in probed)} later than "
                f"{probes.TIMEOUT:.0f} s as was that server's; memory at most "
                f"{max(kilobytes for each in memory for _, kilobytes in each.samples) >> 10} MB; "
                + ", ".join(f"{each.name} x{each.times}" for each in abusers))


def restart_api_server(bed):
    bed.kill_api_server()
    time.sleep(3)
    bed.restart_api_server()
