"""Budgets kept at the door: a real API server asks two instances of huygens webhook."""
import base64
import concurrent.futures
import itertools
import json
import re
import select
import socket
import threading
import time
import urllib.error
import urllib.request

from api import ApiError, wait_until
from budgets import GROUP
from quota_workload import container, make_group, reserved
from testbed import GROUPS_PATH, ControlPlane, Process, free_port, huygens_binary

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CLIENTS = 16


class Service:
    """One `huygens webhook`."""

    def __init__(self, bed, command, name):
        self.bed, self.name, self.port, self.admin_port = bed, name, free_port(), free_port()
        tls = bed.certificates()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(json.dumps({
            "apiVersion": "config.huygens.dev/v1alpha1", "kind": "ExtenderConfiguration",
            "server": {"address": f"127.0.0.1:{self.port}", "adminAddress": f"127.0.0.1:{self.admin_port}",
                       "tls": {"certFile": str(tls / "tls.crt"), "keyFile": str(tls / "tls.key")}},
            "cluster": {"kubernetes": {"kubeconfig": str(bed.kubeconfig("admin-token"))}}}))
        self.process = Process(name, [huygens_binary(), command, "--config", self.config], bed.directory, grace=30)

    def admin(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=5) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait_ready(self):
        def ready():
            assert self.process.running(), f"{self.name} ended by itself:\n{self.process.log()[-2000:]}"
            return self.admin("/readyz")[0] == 200

        wait_until(ready, lambda: f"{self.name} is not ready: {self.admin('/readyz?verbose')}", 60)
        return self

    def keep_pages(self, directory):
        for page in ("/readyz?verbose", "/metrics"):
            (directory / f"{self.name}-{page.split('?')[0].strip('/')}").write_text(self.admin(page)[1])

    def stop(self):
        code = self.process.stop()
        assert code == 0, f"{self.name} ended with {code} on SIGTERM:\n{self.process.log()[-2000:]}"


class Balancer:
    """What a Service is: passes each connection on to the next of several ports that takes it."""

    def __init__(self, ports):
        self.ports, self.turns = list(ports), itertools.count()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        first = next(self.turns)
        for i in range(len(self.ports)):
            try:
                server = socket.create_connection(("127.0.0.1", self.ports[(first + i) % len(self.ports)]))
                break
            except OSError:
                continue
        else:
            return client.close()
        with client, server:
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for source in select.select([client, server], [], [])[0]:
                    try:
                        data = source.recv(1 << 16)
                        if not data:
                            return
                        (server if source is client else client).sendall(data)
                    except OSError:
                        return

    def close(self):
        self.listener.close()


def register(bed, port):
    """The webhooks, at this port."""
    authority = base64.b64encode((bed.certificates() / "ca.crt").read_bytes()).decode()

    def hook(name, operations, groups, resources, **more):
        return {"name": f"{name}.quota.huygens.dev", "admissionReviewVersions": ["v1"], "sideEffects": "NoneOnDryRun", "timeoutSeconds": 10,
                "clientConfig": {"url": f"https://127.0.0.1:{port}/validate", "caBundle": authority},
                "rules": [{"operations": operations, "apiGroups": groups, "apiVersions": ["*"], "resources": resources}], **more}

    labelled = {"objectSelector": {"matchExpressions": [{"key": GROUP, "operator": "Exists"}]}}
    bed.client.post(HOOKS, {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                            "metadata": {"name": "huygens-quota"},
                            "webhooks": [hook("workloads", ["CREATE", "UPDATE"], ["apps", "batch"],
                                              ["deployments", "replicasets", "statefulsets", "jobs"], **labelled),
                                         hook("scale", ["UPDATE"], ["apps"], ["deployments/scale", "statefulsets/scale", "replicasets/scale"]),
                                         hook("groups", ["CREATE", "UPDATE", "DELETE"], ["quota.huygens.dev"], ["bizgroupresourcequotas"])]})


def make_deployment(name, group="team", replicas=1, cpus="1"):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": {GROUP: group} if group else {}},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [container("app", cpus)]}}}}


class Scene:
    def __init__(self, bed):
        self.bed, self.client = bed, bed.client
        self.webhooks = [Service(bed, "webhook", f"webhook-{i}") for i in range(2)]
        bed.extenders += self.webhooks
        for each in self.webhooks:
            each.wait_ready()
        self.balancer = Balancer([each.port for each in self.webhooks])
        register(bed, self.balancer.port)

    def status(self, group):
        return self.client.get(f"{GROUPS_PATH}/{group}").get("status", {})

    def make_group(self, name, parent="", cpus="100"):
        """There is no controller: the scenario says for it that nothing is used yet."""
        self.client.post(GROUPS_PATH, make_group(name, parent, **{"limits.cpu": cpus}))
        nothing = {"limits.cpu": "0"}
        self.client.patch(f"{GROUPS_PATH}/{name}/status", {"status": {"hard": {"limits.cpu": cpus}, "used": nothing, "selfUsed": nothing, "reservations": ""}})

    def why_refused(self, method, path, body=None):
        """What the API server says of a write that it must refuse with 403; empty if it took it. 503 is tried again, as a client should."""
        try:
            self.client.call(method, path, body, "application/merge-patch+json" if method == "PATCH" else "application/json")
        except ApiError as error:
            assert error.code == 403, error
            return json.loads(error.body)["message"]
        return ""

    def create(self, *arguments, **more):
        return self.why_refused("POST", DEPLOYMENTS, make_deployment(*arguments, **more))

    def used(self, group):
        return self.status(group)["used"]["limits.cpu"]


def exactly_what_fits(scene):
    """200 creations at once for a budget of 100, by two webhooks."""
    scene.make_group("crowd")
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(lambda index: scene.create(f"crowd-{index}", "crowd"), range(200)))
    took = time.monotonic() - start
    assert answers.count("") == 100, f"{answers.count('')} of 100 were admitted"
    denied = next(filter(None, answers))
    # Charges that an instance is about to write count beside those that the other has written just now: together they may be more than fit.
    said = re.fullmatch('admission webhook "workloads.quota.huygens.dev" denied the request: quota bizrq/crowd: limits.cpu used ([0-9]+) of 100, requested 1', denied)
    assert said and int(said[1]) >= 100, denied
    stored = {each["metadata"]["uid"] for each in scene.client.get(DEPLOYMENTS)["items"] if each["metadata"]["name"].startswith("crowd-")}
    charged = set(reserved(scene.status("crowd")))
    assert len(stored) == 100 and stored == charged and scene.used("crowd") == "100", (len(stored), len(charged), scene.used("crowd"))
    return f"of 200 creations at once 100 admitted in {took:.1f} s"


def every_way_to_grow(scene):
    """Creations, edits, scale, moves; what shrinks passes, and a dry run writes nothing."""
    scene.make_group("team", cpus="4")
    scene.make_group("other", cpus="1")
    web = f"{DEPLOYMENTS}/web"
    dry = scene.bed.kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(make_deployment("dry", "team")), check=False)
    assert dry.returncode == 0 and scene.used("team") == "0", (dry.stderr, scene.status("team"))
    assert not scene.create("web", "team", replicas=3)
    assert scene.used("team") == "3", scene.status("team")
    refused = scene.bed.kubectl("scale", "deployment/web", "--replicas=5", check=False)
    assert refused.stderr.startswith("Error from server (Forbidden): ") and "quota bizrq/team: limits.cpu used 3 of 4, requested 2" in refused.stderr, refused.stderr
    scene.bed.kubectl("scale", "deployment/web", "--replicas=4")
    assert scene.used("team") == "4", scene.status("team")
    assert "requested 4" in scene.why_refused("PATCH", web, {"spec": {"template": {"spec": {"containers": [container("app", "2")]}}}})
    assert "quota bizrq/other: limits.cpu used 0 of 1, requested 4" in scene.why_refused("PATCH", web, {"metadata": {"labels": {GROUP: "other"}}})
    assert "no such group" in scene.why_refused("PATCH", web, {"metadata": {"labels": {GROUP: "nobody"}}})
    scene.bed.kubectl("scale", "deployment/web", "--replicas=1")
    assert not scene.why_refused("PATCH", web, {"metadata": {"labels": {GROUP: "other"}}})
    assert scene.used("other") == "1" and scene.used("team") == "4"  # what is given back a controller takes back


def budgets_of_groups(scene):
    """A child comes out of its parent's budget."""
    scene.make_group("org", cpus="10")
    too_much = make_group("dept", "org", **{"limits.cpu": "11"})
    assert "parent org has 10 of 10 limits.cpu left, 11 more wanted" in scene.why_refused("POST", GROUPS_PATH, too_much)
    assert "parent nowhere" in scene.why_refused("POST", GROUPS_PATH, make_group("dept", "nowhere", **{"limits.cpu": "1"}))
    scene.make_group("dept", "org", "6")
    assert scene.used("org") == "6", scene.status("org")
    assert "limits.cpu used 6 of 10, requested 5" in scene.create("big", "org", replicas=5)
    assert "it has children: dept" in scene.why_refused("DELETE", f"{GROUPS_PATH}/org")


def admission():
    """Budgets at the door of a real API server: 200 creations for 100 places, every way to grow, groups; two webhooks. No controller yet."""
    with ControlPlane("admission") as bed:
        bed.install()
        scene = Scene(bed)
        said = [part(scene) for part in (budgets_of_groups, every_way_to_grow, exactly_what_fits)]
        scene.balancer.close()
        return "; ".join(filter(None, said))
