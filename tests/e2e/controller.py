"""Budgets counted: two instances of huygens controller on a real API server, with real Deployments by kube-controller-manager."""
import random
import subprocess
import time

from admission import DEPLOYMENTS, make_deployment
from api import ApiError, wait_until
from binaries import BINARIES, missing
from budgets import GROUP
from quota_workload import make_group
from testbed import CONFIG, GROUPS_PATH, TOKENS, ControlPlane, Huygens, Process, Skip, free_port, huygens_binary, replaced

ACCOUNT = "system:serviceaccount:kube-system:huygens-controller"
FINALIZER = "quota.huygens.dev/in-use"
PODS = "/api/v1/namespaces/default/pods"
TAKEOVER = 20  # seconds
HOURS = "cash/limits.cpu"
TRANSFERS = "/apis/quota.huygens.dev/v1alpha1/quotatransfers"
TOKENS["controller-token"] = (ACCOUNT, "")


class Controller(Huygens):
    """One `huygens controller` with the shipped configuration, but that it writes hours each second; with the shipped permissions."""

    def __init__(self, bed, name):
        self.name, self.admin_port = name, free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "controller" / "controller.yaml").read_text(), {
            "adminAddress: 0.0.0.0:8889": f"adminAddress: 127.0.0.1:{self.admin_port}",
            'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('controller-token')}",
            "hoursInterval: 1m": "hoursInterval: 1s"}))
        self.process = Process(name, [huygens_binary(), "controller", "--config", self.config], bed.directory, grace=30)

    def leads(self):
        return self.metric("huygens_controller_leader") == 1


class Scene:
    def __init__(self, bed, controllers=None):
        """`controllers`: that run already."""
        self.bed, self.client = bed, bed.client
        self.controllers = controllers or [Controller(bed, f"controller-{i}") for i in range(2)]
        bed.extenders += [each for each in self.controllers if each not in bed.extenders]
        for each in self.controllers:
            each.wait_ready()
        self.leader()

    def leader(self):
        wait_until(lambda: sum(each.leads() for each in self.controllers) == 1, "nobody leads", 60)
        return next(each for each in self.controllers if each.leads())

    def group(self, name):
        return self.client.get(f"{GROUPS_PATH}/{name}")

    def used(self, name, key="limits.cpu"):
        return self.group(name).get("status", {}).get("used", {}).get(key)

    def wait_used(self, name, cpus, seconds=10):
        wait_until(lambda: self.used(name) == str(cpus), lambda: f"{name} should use {cpus}: {self.group(name).get('status')}", seconds)

    def make_group(self, name, parent="", cpus="100", hours=None):
        budget = {"limits.cpu": cpus, **({HOURS: hours} if hours else {})}
        self.client.post(GROUPS_PATH, make_group(name, parent, **budget))

    def observed(self):
        """What is there, counted without huygens: {group: cores}."""
        cores = {}
        for each in self.client.get(DEPLOYMENTS)["items"]:
            group = each["metadata"]["labels"].get(GROUP)
            cores[group] = cores.get(group, 0) + each["spec"]["replicas"]
        return cores

    def create(self, name, group, replicas):
        self.client.post(DEPLOYMENTS, make_deployment(name, group, replicas))

    def writes(self):
        """By the controllers, in the audit log: [(verb, resource, subresource)]."""
        return [(event["verb"], event["objectRef"]["resource"], event["objectRef"].get("subresource", "")) for event in self.bed.audit()
                if event["user"]["username"] == ACCOUNT and event["verb"] not in ("get", "list", "watch")]


def new_groups(scene):
    """A new group gets figures and a finalizer; its parent is charged its budget."""
    scene.make_group("org", cpus="100", hours="100")
    scene.make_group("team", "org", cpus="40", hours="10")
    scene.make_group("other", "org", cpus="30", hours="10")
    scene.wait_used("org", 70)
    for name in ("team", "other"):
        scene.wait_used(name, 0)
        group = scene.group(name)
        assert group["status"]["hard"] == group["spec"]["hard"], group
        wait_until(lambda name=name: scene.group(name)["metadata"].get("finalizers") == [FINALIZER], f"{name} has no finalizer", 5)


def one_deployment(scene):
    """It comes, scales, moves and goes; its ReplicaSets and pods, which have no label, cost nothing more."""
    web = f"{DEPLOYMENTS}/web"
    scene.create("web", "team", 3)
    scene.wait_used("team", 3)
    scene.bed.kubectl("scale", "deployment/web", "--replicas=5")
    scene.wait_used("team", 5)
    scene.client.patch(web, {"spec": {"template": {"metadata": {"annotations": {"rolled": "once"}}}}})
    wait_until(lambda: len(scene.client.get("/apis/apps/v1/namespaces/default/replicasets")["items"]) == 2, "no rollout", 30)
    scene.client.patch(web, {"metadata": {"labels": {GROUP: "other"}}})
    scene.wait_used("team", 0)
    scene.wait_used("other", 5)
    scene.client.delete(web)
    scene.wait_used("other", 0)


def churn(scene):
    """Many at once; in the end the figures are what is there."""
    def live(index):
        draw = random.Random(index)
        name, group = f"churn-{index}", draw.choice(("team", "other"))
        scene.create(name, group, draw.randrange(4))
        for _ in range(draw.randrange(4)):
            change = draw.choice(({"spec": {"replicas": draw.randrange(5)}}, {"metadata": {"labels": {GROUP: draw.choice(("team", "other"))}}}))
            scene.client.patch(f"{DEPLOYMENTS}/{name}", change)
        if draw.random() < 0.4:
            scene.client.delete(f"{DEPLOYMENTS}/{name}")

    scene.client.for_each(live, range(60))
    start, expected = time.monotonic(), scene.observed()
    for group in ("team", "other"):
        scene.wait_used(group, expected.get(group, 0), 20)
    return f"{sum(expected.values())} cores of 60 Deployments right {time.monotonic() - start:.1f} s after the last change"


def leak(scene):
    """A charge that nobody takes back is healed, and told; one that is reserved counts until its time is over."""
    scene.make_group("quiet", cpus="10")
    wait_until(lambda: scene.group("quiet")["metadata"].get("finalizers"), "no finalizer", 10)
    path, wrong = f"{GROUPS_PATH}/quiet/status", {"limits.cpu": "4"}
    before = scene.leader().metric("huygens_quota_drift_total", "over")
    scene.client.patch(path, {"status": {"used": wrong, "selfUsed": wrong}})
    scene.wait_used("quiet", 0)
    wait_until(lambda: scene.leader().metric("huygens_quota_drift_total", "over") == before + 1, "the drift was not counted", 5)
    until = time.time() + 4
    reservation = {"uid": "00000000-0000-0000-0000-000000000001", "kind": "Deployment.apps", "namespace": "default", "name": "never",
                   "amounts": wrong, "until": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(until))}
    scene.client.patch(path, {"status": {"used": wrong, "selfUsed": wrong, "reservations": [reservation]}})
    scene.wait_used("quiet", 0, 20)
    assert time.time() >= int(until), "a reservation counts until its time is over"
    assert scene.leader().metric("huygens_quota_drift_total") == before + 1, "a reservation that ends is no drift"


def at_rest(scene):
    """Nothing happens, and nothing is written but the Lease; the followers write nothing at all."""
    wait_until(lambda: not any(each["status"].get("reservations") for each in scene.client.get(GROUPS_PATH)["items"]), "reservations do not end", 30)
    before, versions = len(scene.writes()), {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in scene.client.get(GROUPS_PATH)["items"]}
    time.sleep(20)
    written = [write for write in scene.writes()[before:] if write[1] != "leases"]
    after = {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in scene.client.get(GROUPS_PATH)["items"]}
    assert not written and after == versions, f"written at rest: {written}"


def takeover(scene):
    """The leader dies without a word."""
    leader = scene.leader()
    standby, = [each for each in scene.controllers if each is not leader]
    used = int(scene.used("team"))
    leader.process.kill()
    scene.bed.extenders.remove(leader)
    start = time.monotonic()
    scene.create("late", "team", 2)
    scene.wait_used("team", used + 2, TAKEOVER)
    took = time.monotonic() - start
    scene.controllers = [standby, Controller(scene.bed, "controller-2")]
    scene.bed.extenders.append(scene.controllers[1])
    scene.controllers[1].wait_ready()
    assert standby.leads() and not scene.controllers[1].leads()
    return f"taken over {took:.1f} s after SIGKILL"


def hours(scene):
    """Two pods with a node for some seconds; their group is deleted and made anew."""
    scene.make_group("spender", "org", cpus="5", hours="5")
    scene.wait_used("spender", 0)
    scene.create("burn", "spender", 2)
    pods = wait_until(lambda: [each for each in scene.client.get(f"{PODS}?labelSelector=app%3Dburn")["items"]] if
                      len(scene.client.get(f"{PODS}?labelSelector=app%3Dburn")["items"]) == 2 else None, "no pods", 30)
    start = time.time()
    for each in pods:
        scene.client.post(f"{PODS}/{each['metadata']['name']}/binding",
                          {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": each["metadata"]["name"]}, "target": {"kind": "Node", "name": "n"}})
    time.sleep(6)
    scene.client.delete(f"{DEPLOYMENTS}/burn")
    for each in pods:  # there is no kubelet
        try:
            scene.client.delete(f"{PODS}/{each['metadata']['name']}")
        except ApiError as error:
            assert error.code == 404, error
    end = time.time()
    scene.client.delete(f"{GROUPS_PATH}/spender")
    wait_until(lambda: "spender" not in [each["metadata"]["name"] for each in scene.client.get(GROUPS_PATH)["items"]], "the group stays", 30)
    consumed = lambda: int(scene.group("org")["status"].get("exactHours", {}).get("limits.cpu", "0")) / 1000
    seconds = wait_until(consumed, "its hours are not the parent's", 20)
    assert 2 * 5 <= seconds <= 2 * (end - start + 3), f"{seconds} core-seconds of two pods of one core in {end - start:.1f} s"
    scene.make_group("spender", "org", cpus="5", hours="5")
    scene.wait_used("spender", 0)
    time.sleep(3)
    assert consumed() == seconds and scene.group("spender")["status"].get("exactHours", {}) in ({}, {"limits.cpu": "0"}), scene.group("spender")
    return f"{seconds:.0f} core-seconds stayed with the parent"


def root_hours(scene):
    """What a group without a parent consumed is kept in a ConfigMap when it is deleted, and is there when it is made anew; likewise the second time."""
    def delete(path):
        try:
            scene.client.delete(path)
        except ApiError as error:
            assert error.code == 404, error

    def gone():
        return "solo" not in [each["metadata"]["name"] for each in scene.client.get(GROUPS_PATH)["items"]]

    def consumed():
        return int(scene.group("solo").get("status", {}).get("exactHours", {}).get("limits.cpu", "0"))

    kept = "/api/v1/namespaces/kube-system/configmaps/huygens-controller-hours"
    scene.make_group("solo", cpus="5", hours="5")
    scene.wait_used("solo", 0)
    scene.create("alone", "solo", 1)
    pods = lambda: scene.client.get(f"{PODS}?labelSelector=app%3Dalone")["items"]
    wait_until(lambda: len(pods()) == 1, "no pod", 30)
    name = pods()[0]["metadata"]["name"]
    start = time.time()
    scene.client.post(f"{PODS}/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"kind": "Node", "name": "n"}})
    time.sleep(4)
    delete(f"{DEPLOYMENTS}/alone")
    delete(f"{PODS}/{name}")
    end = time.time()
    delete(f"{GROUPS_PATH}/solo")
    wait_until(gone, "the group stays", 30)
    text = scene.client.get(kept)["data"]["solo"]
    scene.make_group("solo", cpus="5", hours="5")
    scene.wait_used("solo", 0)
    first = consumed()
    assert 3000 <= first <= 1000 * (end - start + 3), f"{first} milli-core-seconds of one pod in {end - start:.1f} s"
    assert str(first) in text, (first, text)
    delete(f"{GROUPS_PATH}/solo")
    wait_until(gone, "the group stays the second time", 30)
    assert str(first) in scene.client.get(kept)["data"]["solo"], scene.client.get(kept)["data"]
    scene.make_group("solo", cpus="5", hours="5")
    scene.wait_used("solo", 0)
    assert consumed() == first, f"{consumed()} instead of {first}"
    delete(f"{GROUPS_PATH}/solo")
    wait_until(gone, "the group stays the third time", 30)
    return f"{first / 1000:.0f} core-seconds of a root came back twice"


def transfers(scene):
    """Ten cores of one team go to another for good, and five as a loan that comes back; at each look nobody has given away more than it has, and
    those above see nothing of it. A loan that is used when its time is over is overdue until that ends."""
    scene.make_group("house", cpus="100")
    for floor, room, cpus in (("left", "attic", "40"), ("right", "cellar", "30")):
        scene.make_group(floor, "house", cpus)
        scene.make_group(room, floor, str(int(cpus) - 10))
    tree = {"house": ("left", "right"), "left": ("attic",), "right": ("cellar",)}
    scene.wait_used("house", 70)
    scene.wait_used("left", 30)
    scene.wait_used("right", 20)
    scene.create("tenant", "attic", 12)
    scene.wait_used("attic", 12)
    kubeconfig, looks, drift = scene.bed.kubeconfig("admin-token"), 0, scene.leader().metric("huygens_quota_drift_total")

    def transfer(*what):
        made = subprocess.run([huygens_binary(), "quota", "transfer", "--kubeconfig", kubeconfig, *what], capture_output=True, text=True, timeout=30)
        assert made.returncode == 0, made.stderr
        return made.stdout.split()[0].split("/")[1]

    def look(name, phase):
        nonlocal looks
        looks += 1
        groups = {each["metadata"]["name"]: each for each in scene.client.get(GROUPS_PATH)["items"]}
        hard = {each: int(group["spec"]["hard"]["limits.cpu"]) for each, group in groups.items()}
        left = {each: hard[each] - int(groups[each]["status"]["used"]["limits.cpu"]) for each in tree}
        for parent, children in tree.items():
            assert sum(hard[each] for each in children) <= hard[parent], hard
        assert left["house"] <= 30 and left["left"] <= 10 and left["right"] <= 10, (left, groups)
        status = scene.client.get(f"{TRANSFERS}/{name}").get("status", {})
        return status.get("phase") == phase and (hard, left, groups)

    def until(name, phase, seconds=30):
        return wait_until(lambda: look(name, phase), lambda: f"{name} should be {phase}: {scene.client.get(f'{TRANSFERS}/{name}')}", seconds)

    def settled(name, phase, attic, cellar):
        # The reservations that it was paid by, and the marks, go a moment later.
        def same():
            known = look(name, phase)
            return known and known[1] == {"house": 30, "left": 10, "right": 10} and not any(
                group["status"].get("reservations") or group["metadata"].get("annotations") for each, group in known[2].items() if each in tree) and known
        hard, _, _ = wait_until(same, lambda: f"not settled: {look(name, phase)}", 20)
        assert (hard["attic"], hard["cellar"]) == (attic, cellar), hard

    good = transfer("attic", "cellar", "limits.cpu=10")
    until(good, "Moved")
    settled(good, "Moved", 20, 30)
    start = time.monotonic()
    loan = transfer("attic", "cellar", "limits.cpu=5", "--until", "8s")
    until(loan, "Lent", 7)
    until(loan, "Returned")
    assert time.monotonic() - start >= 7, "it came back before its time"
    settled(loan, "Returned", 20, 30)
    late = transfer("attic", "cellar", "limits.cpu=5", "--until", "8s")
    until(late, "Lent", 7)
    scene.create("guest", "cellar", 32)
    until(late, "Overdue")
    scene.wait_used("cellar", 37)
    scene.bed.kubectl("scale", "deployment/guest", "--replicas=20")
    until(late, "Returned")
    settled(late, "Returned", 20, 30)
    scene.bed.kubectl("delete", "quotatransfers", "--all", "--timeout=30s")
    for name in ("guest", "tenant"):
        scene.client.delete(f"{DEPLOYMENTS}/{name}")
    assert scene.leader().metric("huygens_quota_drift_total") == drift, "transfers are no drift"
    return f"3 transfers in {looks} looks"


def allowed(scene):
    """With the shipped permissions nothing was refused, and nothing else was written."""
    refused = [event for event in scene.bed.audit() if event["user"]["username"] == ACCOUNT and event["responseStatus"]["code"] == 403]
    assert not refused, refused[:2]
    kinds = set(scene.writes())
    expected = {("update", "bizgroupresourcequotas", "status"), ("patch", "bizgroupresourcequotas", ""), ("update", "leases", ""), ("create", "leases", ""),
                ("update", "quotatransfers", "status"), ("patch", "quotatransfers", ""), ("create", "events", ""),
                ("create", "configmaps", ""), ("patch", "configmaps", "")}
    assert kinds == expected, kinds ^ expected


def controller():
    """Groups are counted as real Deployments come, scale, roll and go; a dead leader is replaced; nothing is written at rest; hours are not minted."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    with ControlPlane("controller") as bed:
        bed.install()
        bed.wait_established("quotatransfers.quota.huygens.dev")
        bed.kubectl("apply", "-f", CONFIG / "controller" / "rbac.yaml")
        manager = Process("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={bed.kubeconfig('admin-token')}", "--leader-elect=false", "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}", "--controllers=deployment-controller,replicaset-controller,garbage-collector-controller"],
            bed.directory, grace=5)
        try:
            scene = Scene(bed)
            parts = (new_groups, one_deployment, churn, leak, at_rest, takeover, hours, root_hours, transfers, allowed)
            return "; ".join(filter(None, [part(scene) for part in parts]))
        finally:
            manager.stop()
