"""The control plane of tools/bench_cluster, and one run on it: pods that wait, a kube-scheduler that is started, Bindings that are counted."""
import json
import os
import pathlib
import re
import subprocess
import time

import cases
import objects
import prometheus
from api import wait_until
from binaries import BINARIES, ROOT
from quota_workload import make_group
from testbed import CONFIG, GROUPS_PATH, NRT_PATH, ControlPlane, Huygens, Process, Scheduler, free_port, huygens_binary

COUNTER, LOADER = ROOT / "build" / "cluster_bench", ROOT / "build" / "webhook_bench"
PLUGIN = ROOT / "build" / "nrt-plugin" / "kube-scheduler"
COMMUNITY_PATH = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
NAMESPACE = "bench"
BATCH = 5000  # requests that are handed to the loader at a time
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process):
    """User and system time of all threads that the process has or had."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class BenchHuygens(Huygens):
    def __init__(self, bed, case, run):
        self.name = f"huygens-{run}"
        self.port, self.admin_port = free_port(), free_port()
        self.config = bed.directory / f"{self.name}.yaml"
        self.config.write_text(cases.extender_configuration(case, self.port, self.admin_port, bed.kubeconfig("huygens-token"), bed.certificates(), bed.prometheus))
        self.process = Process(self.name, [huygens_binary(), "extender", "--config", self.config], bed.directory, grace=30)


class Attempts:
    """scheduler_scheduling_attempt_duration_seconds of the attempts that placed their pod."""

    def __init__(self, page):
        name = r'^scheduler_scheduling_attempt_duration_seconds_bucket\{(.*)\} (\d+)$'
        buckets = {}
        for labels, count in re.findall(name, page, re.M):
            if 'result="scheduled"' in labels:
                bound = float(re.search(r'(?:^|,)le="([^"]+)"', labels)[1].replace("+Inf", "inf"))
                buckets[bound] = buckets.get(bound, 0) + int(count)
        self._buckets = sorted(buckets.items())
        self.others = sum(int(float(count)) for result, count in re.findall(r'^scheduler_schedule_attempts_total\{.*result="(\w+)".*\} (\S+)$', page, re.M)
                          if result != "scheduled")

    def milliseconds(self, share):
        """Interpolated within its bucket, as histogram_quantile does it."""
        if not self._buckets or not self._buckets[-1][1]:
            return float("nan")
        wanted, below, before = share * self._buckets[-1][1], 0.0, 0
        for bound, count in self._buckets:
            if count >= wanted:
                return 1000 * (below if bound == float("inf") else below + (bound - below) * (wanted - before) / (count - before))
            below, before = bound, count


class Bed(ControlPlane):
    def __init__(self, nodes, everything):
        super().__init__(f"bench_cluster-{nodes}")
        self._nodes, self._everything = nodes, everything
        self._runs = 0
        self.prometheus = None
        self._others = []

    def api_server_options(self):
        return [*super().api_server_options(), "--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--enable-priority-and-fairness=false",
                "--audit-policy-file=", "--audit-log-path="]

    def _end(self, failed):
        for process in self._others:
            process.stop()
        return super()._end(failed)

    def install_all(self):
        self.install()
        self.kubectl("apply", "-k", CONFIG / "crd-community")
        self.wait_established("noderesourcetopologies.topology.node.k8s.io")
        self.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self.client.post(GROUPS_PATH, make_group(cases.GROUP, **{"limits.cpu": "10000000", "limits.memory": "10000000Gi"}))
        self._load("POST", "/api/v1/nodes", objects.node, self._nodes)
        self._load("POST", NRT_PATH, objects.crane_topology, self._nodes)
        if self._everything:
            prometheus.need_prometheus()
            self.prometheus = prometheus.Prometheus(self.directory, lambda path: objects.write_week(path, NAMESPACE, self._nodes, int(time.time())))
            self._others.append(self.prometheus.process)

    def _server(self):
        return [f"https://127.0.0.1:{self.client.port}", str(self.directory / "apiserver" / "apiserver.crt"), "admin-token"]

    def _load(self, method, path, make, count):
        server, authority, token = self._server()
        for begin in range(0, count, BATCH):
            requests = [{"method": method, "path": path, "body": json.dumps(make(i))} for i in range(begin, min(count, begin + BATCH))]
            load = {"servers": [server], "authority": authority, "token": token, "clients": 8, "requests": requests}
            done = json.loads(subprocess.run([LOADER, "load"], input=json.dumps(load), capture_output=True, text=True, check=True).stdout)
            assert not done.get("failure"), f"{method} {path}: {done['failure']}"

    def _count_pods(self):
        return len(self.client.get(f"/api/v1/namespaces/{NAMESPACE}/pods?limit=1")["items"])

    def _start_extender(self, case, name):
        """(port, process, whom to stop)."""
        if case.extender == "huygens":
            huygens = BenchHuygens(self, case, name)
            self.extenders.append(huygens)
            huygens.wait_ready(300)
            if case.everything:
                wait_until(lambda: huygens.metric("huygens_nodes", 'usage="fresh"') == self._nodes,
                           lambda: f"nodes without figures of use: {huygens.admin('/readyz?verbose')}", 300)
            return huygens.port, huygens.process, huygens
        port, certificates = free_port(), self.certificates()
        process = Process(f"nothing-{name}", [COUNTER, "nothing", f"127.0.0.1:{port}", certificates / "tls.crt", certificates / "tls.key"], self.directory, grace=1)
        self._others.append(process)
        return port, process, process

    def _start_scheduler(self, case, port, name):
        kubeconfig, own_port = self.kubeconfig("admin-token"), free_port()
        config = self.directory / f"scheduler-{name}.yaml"
        config.write_text(cases.scheduler_configuration(case, kubeconfig, port, self.certificates()))
        program = PLUGIN if case.plugin else BINARIES / "kube-scheduler"
        scheduler = Scheduler(f"kube-scheduler-{name}", [
            program, f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={own_port}", f"--cert-dir={self.directory / f'scheduler-{name}'}",
            f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}"], self.directory)
        self.schedulers.append(scheduler)
        scheduler.wait_healthy(own_port)
        return scheduler

    def run(self, case, pods, seconds):
        """The figures of one run; `seconds`: after so many it is over, whoever is still waiting."""
        self._runs += 1
        name = f"{self._runs}-{case.name}"
        extender, port, stopped = None, None, []
        if case.plugin:
            self._load("POST", COMMUNITY_PATH, objects.community_topology, self._nodes)
        try:
            self._load("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", objects.pod, pods)
            if case.extender:
                port, extender, stop = self._start_extender(case, name)
                stopped.append(stop)
            counter = subprocess.Popen([COUNTER, "count", *self._server(), NAMESPACE, str(pods), str(seconds)], stdout=subprocess.PIPE, text=True)
            try:
                return self._measure(counter, case, extender, port, name, stopped)
            finally:
                counter.kill()
                counter.wait()
        finally:
            for process in reversed(stopped):
                process.stop()
                for alive in (self.schedulers, self.extenders, self._others):
                    if process in alive:
                        alive.remove(process)
            self._clear(case)

    def _measure(self, counter, case, extender, port, name, stopped):
        assert counter.stdout.readline() == "watching\n", "nobody counts"
        scheduler = self._start_scheduler(case, port, name)
        stopped.append(scheduler)
        watched = {"kube-scheduler": scheduler, "kube-apiserver": self.api_server, "etcd": self.etcd}
        if extender:
            watched["extender"] = extender
        if counter.stdout.readline() != "first\n":
            raise AssertionError(f"{case.title}: no pod was bound; {scheduler.log()[-1500:]}")
        before = {who: cpu_seconds(process) for who, process in watched.items()}
        count, seconds = counter.stdout.readline().split()
        used = {who: cpu_seconds(process) - before[who] for who, process in watched.items()}
        count, seconds = int(count), float(seconds)
        attempts = Attempts(scheduler._get("/metrics"))
        return {"pods": count, "rate": (count - 1) / seconds if seconds else 0, "p50": attempts.milliseconds(0.5), "p99": attempts.milliseconds(0.99),
                "failed attempts": attempts.others, "cpu": {who: 1000 * spent / max(1, count - 1) for who, spent in used.items()}}

    def _clear(self, case):
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
        self.client.call("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods", options)
        wait_until(lambda: self._count_pods() == 0, "pods are left", 120)
        if case.plugin:
            self.client.call("DELETE", COMMUNITY_PATH, options)
