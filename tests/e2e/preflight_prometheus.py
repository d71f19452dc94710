"""`huygens preflight` against a real Prometheus, which holds what several clusters scrape: each is asked for by a matcher."""
import json
import re
import subprocess
import time

import prometheus
from prometheus import PASSWORD, USER
from report import make_node, make_topology
from testbed import CONFIG, NRT_PATH, ControlPlane, huygens_binary, replaced

NODES = {"node-a": "10.0.0.1", "node-b": "10.0.0.2"}
MINUTE, HOUR, DAY = 60, 3600, 86400
# Pods: name, node, owner, since how long, and until how long ago. The rollout of `web` gave its ReplicaSet another name an hour ago.
PODS = [("web-5d8f6c7b9-abcde", "node-a", "ReplicaSet", "web-5d8f6c7b9", 7 * DAY, HOUR),
        ("web-7d4b9c6f5-fghij", "node-b", "ReplicaSet", "web-7d4b9c6f5", HOUR, 0),
        ("db-0", "node-a", "StatefulSet", "db", 7 * DAY, 0), ("batch-6c9d8f7b5-klmno", "node-b", "ReplicaSet", "batch-6c9d8f7b5", HOUR, 0)]
KUBELET = {"job": "kubelet", "endpoint": "https-metrics", "metrics_path": "/metrics/cadvisor"}


def lived(pod, now):
    return lambda seconds: now - pod[4] <= seconds and (not pod[5] or seconds < now - pod[5])


class Series:
    """What one cluster scrapes, for prometheus.write_series."""

    def __init__(self, cluster, now):
        self.cluster, self.now, self.all = cluster, now, []

    def add(self, metric, labels, value, there=lambda _: True):
        self.all.append((metric, {"cluster": self.cluster, **labels}, lambda seconds: value(seconds) if there(seconds) else None))

    def counter(self, metric, labels, per_second, there=lambda _: True):
        self.add(metric, labels, lambda seconds: per_second * (seconds - self.now + 8 * DAY), there)

    def pods(self, owners=True):
        """What cAdvisor says of containers, their sandboxes and the pods' cgroups, and kube-state-metrics of owners."""
        for pod in PODS:
            name, node, kind, owner = pod[:4]
            there = lived(pod, self.now)
            if owners:
                self.add("kube_pod_owner", {"job": "kube-state-metrics", "namespace": "default", "pod": name, "owner_kind": kind, "owner_name": owner,
                                            "owner_is_controller": "true"}, lambda _: 1, there)
            for container in ("app", "POD", ""):
                labels = {**KUBELET, "instance": f"{NODES[node]}:10250", "node": node, "namespace": "default", "pod": name, "container": container,
                          "id": f"/kubepods/{name}/{container}"}
                self.counter("container_cpu_usage_seconds_total", {**labels, "cpu": "total"}, 0.5, there)
                self.add("container_memory_working_set_bytes", labels, lambda _: 2**28, there)
        return self

    def roots(self):
        for node, address in NODES.items():
            labels = {**KUBELET, "instance": f"{address}:10250", "node": node, "id": "/"}
            self.counter("container_cpu_usage_seconds_total", {**labels, "cpu": "total"}, 2)
            self.add("container_memory_working_set_bytes", labels, lambda _: 2**31)
        return self

    def node_exporter(self, known):
        for node, address in NODES.items():
            labels = {"job": "node-exporter", "instance": f"{address}:9100"}
            for mode, share in (("user", 1.5), ("system", 0.5), ("idle", 14)):
                self.counter("node_cpu_seconds_total", {**labels, "cpu": "0", "mode": mode}, share)
            self.add("node_memory_MemTotal_bytes", labels, lambda _: 2**34)
            self.add("node_memory_MemAvailable_bytes", labels, lambda _: 2**33)
            if known:
                self.add("kube_node_info", {"job": "kube-state-metrics", "node": node, "internal_ip": address}, lambda _: 1)
        return self

    def kubelet_resource(self):
        for node, address in NODES.items():
            labels = {"job": "kubelet", "metrics_path": "/metrics/resource", "instance": f"{address}:10250", "node": node}
            self.counter("node_cpu_usage_seconds_total", labels, 2)
            self.add("node_memory_working_set_bytes", labels, lambda _: 2**31)
        return self

    def recorded(self, since=8 * DAY, nodes=1.0):
        """What the rules of config/prometheus would have written."""
        for resource, amount in (("cpu", 0.5), ("memory", 2**28)):
            for pod in PODS:
                name, _, kind, owner = pod[:4]
                labels = {"namespace": "default", "owner_kind": kind, "owner_name": owner, "resource": resource}
                self.add("huygens:workload_usage", {**labels, **({} if kind == "ReplicaSet" else {"pod": name})}, lambda _, amount=amount: amount,
                         lambda seconds, pod=pod: lived(pod, self.now)(seconds) and seconds >= self.now - since)
            for node in NODES:
                self.add("huygens:node_system_usage", {"node": node, "resource": resource}, lambda _: nodes)
        self.add("huygens:pod_owner", {"namespace": "default", "pod": "db-0", "owner_kind": "StatefulSet", "owner_name": "db"}, lambda _: 1)
        return self


def write(path, now):
    clusters = [
        Series("whole", now).pods().roots(), Series("exporter", now).pods().node_exporter(known=True), Series("resource", now).pods().kubelet_resource(),
        Series("bare", now).pods(), Series("addresses", now).pods().node_exporter(known=False), Series("ownerless", now).pods(owners=False).roots(),
        Series("recorded", now).recorded(), Series("recorded-bare", now).recorded(nodes=float("nan")), Series("new", now).recorded(since=4 * HOUR)]
    # Densely around the moments that are asked about, with time for the scenario; and every three hours of the week.
    moments = {t // MINUTE * MINUTE for ago in (0, DAY, DAY * 5 // 4, DAY * 3 // 2) for t in range(now - ago - 10 * MINUTE, now - ago + 20 * MINUTE, MINUTE)}
    week = {t for t in range((now - 8 * DAY) // (3 * HOUR) * 3 * HOUR, now, 3 * HOUR)}
    prometheus.write_series(path, [each for cluster in clusters for each in cluster.all], sorted(moments | week))


def preflight_prometheus():
    """Preflight says what a real Prometheus has, and has not, of several kinds of clusters, and why one cannot be asked."""
    prometheus.need_prometheus()
    with ControlPlane("preflight_prometheus") as bed:
        bed.install()
        bed.kubectl("apply", "-k", CONFIG / "rbac")
        for node in NODES:
            bed.client.post("/api/v1/nodes", make_node(node, "any"))
            bed.client.post(NRT_PATH, make_topology(node))
        now = int(time.time())
        with prometheus.Prometheus(bed.directory, lambda path: write(path, now), login=True) as server:
            ask = Preflight(bed, server.url)
            check_clusters(ask)
            check_failures(ask, server)
    return f"{ask.runs} runs of preflight"


class Preflight:
    def __init__(self, bed, url):
        self.bed, self.url, self.runs = bed, url, 0
        self.shipped = replaced((CONFIG / "extender" / "extender.yaml").read_text(),
                                {"/etc/huygens/server": str(bed.certificates()), "usage:\n  historyFile: /var/lib/huygens/history\n": ""})
        self.password_file = bed.directory / "password"
        self.password_file.write_text(PASSWORD)

    def run(self, code, matchers=(), url=None, password_file=None, enforce=False):
        """{what it finds of real use: the finding}; `enforce`: the check is enforced, and refuses nodes without figures even if no node has any."""
        self.runs += 1
        config = self.bed.directory / "preflight.yaml"
        source = {"url": url or self.url, "username": USER, "passwordFile": str(password_file or self.password_file), "matchers": list(matchers)}
        usage = {"prometheus": source, "resources": [{"name": name, "ceiling": 0.8, "whenAbsent": "reject"} for name in ("cpu", "memory")]}
        if enforce:
            usage.update(maxStaleNodes=1, minHistory="0s")
        text = replaced(self.shipped, {"{name: usage, mode: report}": "{name: usage, mode: enforce}"}) if enforce else self.shipped
        config.write_text(f"{text}\nusage: {json.dumps(usage)}\n")
        result = subprocess.run([huygens_binary(), "preflight", "--config", config, "--kubeconfig", self.bed.kubeconfig("admin-token"), "-o", "json"],
                                capture_output=True, text=True, timeout=60)
        assert PASSWORD not in result.stdout + result.stderr, "a secret is printed"
        assert result.returncode == code, f"{matchers}: exit code {result.returncode}: {result.stdout}{result.stderr}"
        return {each["what"]: each for each in json.loads(result.stdout)["findings"] if each["group"] == "usage"}


def warned(found):
    return sorted(what for what, each in found.items() if each["severity"] != "ok")


def both(text):
    return [f"cpu: {text}", f"memory: {text}"]


def check_clusters(ask):
    """Each cluster is told apart by the matcher alone, so a question without it would see all of them."""
    no_rule, no_nodes = both("there is no recording rule"), both("pods but no nodes are measured")
    young = "1 of 3 workloads has less than 1d of history (usage.minHistory): default/Deployment/batch"

    def run(cluster, code, warnings):
        found = ask.run(code, [f'cluster="{cluster}"'])
        seen = [re.sub("covers [0-9]+%", "covers a part", what) for what in warned(found)]
        assert seen == sorted(warnings), f"{cluster}: {seen}, not {sorted(warnings)}"
        return found

    found = run("recorded", 0, [])
    assert set(both(young)) <= set(found), list(found)
    found = run("whole", 1, no_rule)
    assert set(both(young)) <= set(found) and not any("whole nodes" in what for what in found), list(found)
    for cluster, source in (("exporter", "node_exporter"), ("resource", "kubelet's /metrics/resource")):
        found = run(cluster, 1, no_rule)
        assert set(both(f"whole nodes are measured by {source} (2 nodes: node-a, node-b)")) <= set(found), list(found)
    found = run("ownerless", 1, no_rule + ["there is no series kube_pod_owner"])
    for cluster, warnings in (("bare", no_rule + no_nodes), ("recorded-bare", no_nodes)):
        mend = run(cluster, 1, warnings)[no_nodes[1]]["mend"]
        for way in ("node_exporter", 'container_memory_working_set_bytes{id="/"}', "/metrics/resource"):
            assert way in mend, mend
    mend = run("addresses", 1, no_rule + no_nodes)[no_nodes[0]]["mend"]
    assert "node_exporter measures 10.0.0.1, 10.0.0.2" in mend and "kube_node_info" in mend, mend
    found = run("new", 1, both("3 of 3 workloads have less than 1d of history (usage.minHistory): default/Deployment/batch, default/Deployment/web, "
                               "default/StatefulSet/db-0") + both("history covers a part of usage.window (7d)"))
    found = run("none", 1, both("no pod is measured"))
    assert 'none of them with cluster="none"' in found["cpu: no pod is measured"]["why"], found


def check_failures(ask, server):
    """Why Prometheus cannot be asked; where it matters to pods, that is an error."""
    def run(code, why, url=server.url, **more):
        found = ask.run(code, url=url, **more)
        assert list(found) == [f"Prometheus at {url} cannot be asked"], list(found)
        said = found[f"Prometheus at {url} cannot be asked"]["why"]
        assert why in said, f"{said!r} does not say {why!r}"

    guessed = ask.bed.directory / "guessed"
    guessed.write_text("guessed")
    run(1, "HTTP 401: check the bearer token, or the user and password", password_file=guessed)
    run(1, "HTTP 404: check that the URL is that of Prometheus", url=f"{server.url}/nowhere")
    run(1, "Could not resolve host", url="http://prometheus.invalid:9090")
    server.process.stop()
    run(1, "Connection refused")
    run(2, "Connection refused", enforce=True)
