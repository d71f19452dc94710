"""Budgets of business groups at placement: a tree of groups, pods that ask for more than it has, and what changes meanwhile."""
import concurrent.futures
import json
import random
import re
import time

import budgets
import history
import oracle
import workload
from api import wait_until
from binaries import longest_backoff
from budgets import GROUP, Budgets, group_of
from quota_workload import UNITS, make_group, make_node, make_pod, make_tree, random_pod, unit, written
from scenarios import SEED, check_audit, scaled
from testbed import GROUPS_PATH, ControlPlane

PATHS = {"pod": "/api/v1/pods", "group": GROUPS_PATH}
PODS = "/api/v1/namespaces/default/pods"
EVENTS = "/api/v1/namespaces/default/events"
PATIENCE = 10  # seconds; the aim is 2, and what was reached is printed
# What kube-scheduler shows.
EXHAUSTED = "quota of the pod's business group is exhausted"
SPENT = "quota hours of the pod's business group are spent"
NO_GROUP = "quota of the pod's business group does not exist"
CLOSED = "quota of the pod's business group takes no pods now"
OTHER_MODEL = "node(s) were not of the model that the pod's quota labels name"


class Scene:
    """One control plane with its huygens, and what the steps ask of them."""

    def __init__(self, bed):
        self.client = bed.client
        self.recorder = history.Recorder(bed.client, PATHS)
        self.huygens = bed.start_huygens()
        self.nudges = 0

    def present(self):
        pods = self.client.get(PODS)["items"]
        return Budgets(self.client.get(GROUPS_PATH)["items"], pods, self.client.get("/api/v1/nodes")["items"]), pods

    def fitting(self):
        """Names of the pods that wait and would fit."""
        state, pods = self.present()
        used = state.used()
        return [p["metadata"]["name"] for p in pods if not oracle.bound(p) and (not group_of(p) or not state.lacking(p, used))]

    def settle(self, seconds=60):
        """Waits until nothing waits that fits, every waiting pod was refused by its group, and no reservation is left."""
        wait_until(lambda: not self.fitting(), lambda: f"these pods wait and fit: {self.fitting()[:10]}", seconds)
        undecided = lambda: [p["metadata"]["name"] for p in self.client.get(PODS)["items"]
                             if not oracle.bound(p) and "business group" not in oracle.unscheduled_reason(p)]
        wait_until(lambda: not undecided(), lambda: f"not decided: {undecided()[:10]}", 30)
        wait_until(lambda: self.huygens.metric("huygens_reservations") == 0, "a reservation is left", 30)
        assert self.huygens.metric("huygens_reservation_drift") == 0

    def rest(self):
        """Waits until kube-scheduler has tried no pod for 10 s: for so long it may let one rest that it tried, whoever wakes that pod."""
        asked = lambda: self.huygens.metric("huygens_request_duration_seconds_count", 'verb="filter"')
        last, since = asked(), time.monotonic()

        def quiet():
            nonlocal last, since
            if asked() != last:
                last, since = asked(), time.monotonic()
            return time.monotonic() - since > 10

        wait_until(quiet, "kube-scheduler goes on trying pods", 120)

    def pod(self, name):
        return self.client.get(f"{PODS}/{name}")

    def bound(self, *names):
        present = {p["metadata"]["name"] for p in self.recorder.pods() if oracle.bound(p)}
        return present >= set(names)

    def wait_bound(self, *names):
        wait_until(lambda: self.bound(*names), lambda: f"{[(n, oracle.unscheduled_reason(self.pod(n))) for n in names if not self.bound(n)]}",
                   30, interval=0.01)

    def seconds_to_bind(self, names, start):
        wait_until(lambda: self.bound(*names), lambda: f"not bound: {[n for n in names if not self.bound(n)]}", PATIENCE + longest_backoff(), interval=0.01)
        return time.monotonic() - start

    def place(self, *pods):
        workload.create_pods(self.client, pods)
        self.wait_bound(*(p["metadata"]["name"] for p in pods))

    def refused(self, pod, event, text=EXHAUSTED):
        """Creates the pod, or has it tried again if it is but a name, and waits for the text of kube-scheduler and the Event, if any."""
        name = pod if isinstance(pod, str) else pod["metadata"]["name"]
        if isinstance(pod, str):
            before = self.filters(name)
            self.nudge(name)
            wait_until(lambda: self.filters(name) > before, f"{name} was not tried again", 30)
        else:
            workload.create_pods(self.client, [pod])
        reason = wait_until(lambda: oracle.unscheduled_reason(self.pod(name)), f"{name} was not decided", 30)
        assert not oracle.bound(self.pod(name)), f"{name} was bound"
        check_text(reason, text)
        if not event:
            return
        found = []

        def told():
            found[:] = [e["message"] for e in self.client.get(EVENTS)["items"] if e["involvedObject"]["name"] == name]
            if any(event in message for message in found):
                return True
            self.nudge(name)  # Events are rationed: another refusal may get one
            return False

        wait_until(told, lambda: f"no Event on {name} says {event!r}: {found}", 30, interval=0.5)

    def nudge(self, name):
        """Makes kube-scheduler try the pod again."""
        self.nudges += 1
        self.client.patch(f"{PODS}/{name}", {"metadata": {"annotations": {"e2e/nudge": str(self.nudges)}}})

    def filters(self, name):
        """How often huygens was asked which nodes can take the pod."""
        decisions = json.loads(self.huygens.admin(f"/debug/decisions?pod=default/{name}")[1])["decisions"]
        return sum(decision["verb"] == "filter" for decision in decisions)

    def change(self, write):
        """Does it, and waits until huygens knows; groups are one more watch that may lag behind."""
        kind = 'kind="bizgroupresourcequotas.quota.huygens.dev",type='
        seen = lambda: sum(self.huygens.metric("huygens_watch_events_total", kind + f'"{what}"') or 0 for what in ("set", "gone"))
        before = seen()
        write()
        wait_until(lambda: seen() > before, "huygens does not see the change of a group", 30)

    def set_hard(self, name, **hard):
        self.client.patch(f"{GROUPS_PATH}/{name}", {"spec": {"hard": hard}})

    def end(self, name):
        self.client.patch(f"{PODS}/{name}/status", {"status": {"phase": "Succeeded"}})


def check_text(reason, text):
    """One of the fixed texts for all nodes that kube-scheduler asked about; nothing in it is a number but kube-scheduler's own counts."""
    # The answer to a bind: another pod took the rest of the budget since the filter, on nodes of every model or of this one.
    if reason in (text, f"node(s) were of a model of which {text}"):
        return
    listed = reason.partition(": ")[2].split(". ")[0].rstrip(".")
    own = ("Insufficient ", "didn't match Pod's node affinity/selector")  # of kube-scheduler itself
    texts = {re.sub(r"^\d+ ", "", part) for part in listed.split(", ") if not any(words in part for words in own)}
    assert texts == {text} and not re.search(r"\d", text), f"{reason!r} does not say {text!r}"


def check_models(client):
    """Pods that name a model are on nodes of that model. Returns how many do."""
    nodes = {n["metadata"]["name"]: n["metadata"]["labels"] for n in client.get("/api/v1/nodes")["items"]}
    count = 0
    for pod in client.get(PODS)["items"]:
        for kind in ("cpu", "gpu"):
            wanted = budgets.labels(pod).get(f"{GROUP}/{kind}-type")
            if wanted and oracle.bound(pod):
                has = nodes[pod["spec"]["nodeName"]].get(f"huygens.dev/{kind}-model", "")
                assert has == wanted or has.startswith(wanted + "."), f"{pod['metadata']['name']} wants {wanted} and is on a node of {has}"
                count += 1
    return count


def check_figures(scene):
    """What huygens says is used is what an independent count finds, key by key."""

    def differing():
        groups = json.loads(scene.huygens.admin("/debug/quotas")[1])["groups"]
        told = {g["name"]: {k["key"]: oracle.quantity(k["used"], 1000) for k in g["keys"] if "used" in k} for g in groups}
        return [f"{name} {key}: {told[name].get(key)} told, {amount} counted" for name, amounts in scene.present()[0].used().items()
                for key, amount in amounts.items() if told[name].get(key, 0) != amount]

    wait_until(lambda: not differing(), lambda: "; ".join(differing()[:5]), 10)


def place_many(scene, pods):
    """The pods all at once; in the middle of it huygens is killed and started again."""
    creator = concurrent.futures.ThreadPoolExecutor(1).submit(workload.create_pods, scene.client, pods)
    bound = lambda: sum(map(oracle.bound, scene.recorder.pods()))
    wait_until(lambda: bound() > len(pods) / 8, "an eighth of the pods was not bound", 60, interval=0.01)
    scene.huygens.process.kill()
    at_kill = bound()
    scene.huygens.process.start()
    scene.huygens.wait_ready()
    creator.result(60)
    scene.settle()
    assert bound() > at_kill * 1.5, f"{at_kill} pods were bound before the kill and {bound()} in the end: it was not in the middle"
    return at_kill, bound()


def grow(scene, team):
    """All that waits for the team's budget fits when it has grown. Returns (seconds, pods).

    Its parents grow first, by what they hand down and by what their own pods wait for, which would take the rest otherwise.
    """
    state, pods = scene.present()
    parents = {g["metadata"]["name"]: g["spec"]["parentBizGroup"] for g in scene.client.get(GROUPS_PATH)["items"]}
    name, more, changes, waiting = team, {}, [], []
    while name:
        for pod in pods:
            if group_of(pod) == name and not oracle.bound(pod):
                # Those that name no model may take all of it on nodes of A4.
                budgets.add(more, {key: amount for key, amount in budgets.usage(pod, {"cpu-type": "A4"}).items() if key in UNITS})
                waiting += [pod["metadata"]["name"]] if name == team else []
        more = {key: -(-amount // unit(key)) * unit(key) for key, amount in more.items()}
        amounts = dict(state.hard[name])
        budgets.add(amounts, more)
        changes.insert(0, (name, written(amounts)))
        name = parents[name]
    for name, hard in changes:
        scene.set_hard(name, **hard)
    return scene.seconds_to_bind(waiting, time.monotonic()), len(waiting)


def one_ends(scene):
    """What a pod gives back, by its end or by its deletion, the next one gets; a deletionTimestamp alone gives nothing back."""
    scene.client.post(GROUPS_PATH, make_group("ends", **{"limits.cpu": "2"}))
    scene.place(make_pod("ends-0", "ends", "2"))
    scene.refused(make_pod("ends-1", "ends", "2"), "quota bizrq/ends: limits.cpu used 2 of 2, requested 2")
    start = time.monotonic()
    scene.end("ends-0")
    took = scene.seconds_to_bind(["ends-1"], start)
    scene.refused(make_pod("ends-2", "ends", "2"), "quota bizrq/ends: limits.cpu used 2 of 2, requested 2")
    scene.client.delete(f"{PODS}/ends-1", grace_seconds=600)  # lingers: there is no kubelet
    scene.refused("ends-2", "quota bizrq/ends: limits.cpu used 2 of 2")
    scene.client.delete(f"{PODS}/ends-1")
    scene.wait_bound("ends-2")
    return took


def shrink(scene):
    """A budget below what is used evicts nothing and stops what would add, until enough has ended."""
    scene.client.post(GROUPS_PATH, make_group("shrinks", **{"limits.cpu": "4", "limits.memory": "8Gi"}))
    scene.place(*(make_pod(f"shrinks-{i}", "shrinks") for i in range(3)))
    scene.change(lambda: scene.set_hard("shrinks", **{"limits.cpu": "2"}))
    scene.refused(make_pod("shrinks-3", "shrinks"), "quota bizrq/shrinks: limits.cpu used 3 of 2, requested 1")
    scene.end("shrinks-0")
    scene.refused("shrinks-3", None)  # an Event on the same pod with other figures would be no news
    assert scene.bound("shrinks-1", "shrinks-2") and not scene.bound("shrinks-3")
    scene.end("shrinks-1")
    scene.wait_bound("shrinks-3")


def delete_group(scene):
    """A group that is being deleted, or is gone, takes nothing and loses nothing; one that comes back takes what waits."""
    group = make_group("goes", **{"limits.cpu": "4"})
    scene.client.post(GROUPS_PATH, {**group, "metadata": {"name": "goes", "finalizers": ["e2e.huygens.dev/keep"]}})
    scene.place(make_pod("goes-0", "goes"))
    scene.change(lambda: scene.client.delete(f"{GROUPS_PATH}/goes"))
    scene.refused(make_pod("goes-1", "goes"), "quota bizrq/goes: the group is being deleted", CLOSED)
    scene.change(lambda: scene.client.patch(f"{GROUPS_PATH}/goes", {"metadata": {"finalizers": None}}))
    scene.refused(make_pod("goes-2", "goes"), "quota bizrq/goes: no such group", NO_GROUP)
    assert scene.bound("goes-0") and not scene.bound("goes-1")
    scene.client.post(GROUPS_PATH, group)
    scene.wait_bound("goes-1", "goes-2")


def spend_hours(scene):
    """Hours that are spent, or that nobody has counted, refuse new pods and end no running one."""

    def count(hours):
        scene.client.patch(f"{GROUPS_PATH}/hours/status", {"status": {"selfUsed": {"cash/limits.cpu": hours}}})

    scene.client.post(GROUPS_PATH, make_group("hours", **{"cash/limits.cpu": "10", "limits.cpu": "8"}))
    scene.refused(make_pod("hours-0", "hours", "2"), "quota bizrq/hours: status unknown for cash/limits.cpu", CLOSED)
    count("9999m")
    scene.wait_bound("hours-0")
    scene.change(lambda: count("10"))
    scene.refused(make_pod("hours-1", "hours"), "quota bizrq/hours: cash/limits.cpu used 10 of 10", SPENT)
    assert scene.bound("hours-0") and not oracle.ended(scene.pod("hours-0"))
    scene.set_hard("hours", **{"cash/limits.cpu": "11"})
    scene.wait_bound("hours-1")


def want_model(scene):
    """A pod waits for a node of its model, and gets it when there is one; a pod without a group has a model, too."""
    scene.refused(make_pod("wants-z1", None, cpu="Z1"), None, OTHER_MODEL)
    scene.client.patch(f"/api/v1/nodes/{workload.node_name(1)}", {"metadata": {"labels": {"huygens.dev/cpu-model": "Z1"}}})
    scene.wait_bound("wants-z1")


def quota():
    """400 pods ask for more than a tree of groups has: no budget is exceeded at any moment, as much as fits is bound, growth binds the rest."""
    rng = random.Random(SEED)
    count, nodes = scaled(400, 60), scaled(60, 12)
    with ControlPlane("quota") as bed:
        bed.install()
        bed.client.for_each(lambda i: bed.client.post("/api/v1/nodes", make_node(i)), range(nodes))
        pods = []
        tree = make_tree(rng, lambda names: pods.extend(random_pod(rng, i, names) for i in range(count)) or pods)
        for group in tree:
            bed.client.post(GROUPS_PATH, group)
        scene = Scene(bed)
        bed.start_scheduler(scene.huygens)

        at_kill, bound = place_many(scene, pods)
        check_figures(scene)
        models = check_models(scene.client)
        waiting = {}
        for pod in scene.client.get(PODS)["items"]:
            if not oracle.bound(pod):
                check_text(oracle.unscheduled_reason(pod), EXHAUSTED)
                waiting[group_of(pod)] = waiting.get(group_of(pod), 0) + 1
        teams = sorted((name for name in waiting if name.startswith("team-")), key=lambda name: (-waiting[name], name))
        assert len(teams) >= 3, f"the workload would make hardly anyone wait: {waiting}"
        scene.rest()
        grown = [grow(scene, team) for team in teams[:3]]
        scene.settle()
        ended = one_ends(scene)
        shrink(scene)
        delete_group(scene)
        spend_hours(scene)
        want_model(scene)
        scene.settle()
        check_figures(scene)

        scene.recorder.wait_version("pod", max(int(p["metadata"]["resourceVersion"]) for p in bed.client.get(PODS)["items"]), 30)
        scene.recorder.stop()
        assert scene.recorder.gaps == 0, "the history has a gap"
        faults, binds, fullest = budgets.exceeded(scene.recorder.events(), bed.client.get("/api/v1/nodes")["items"])
        assert not faults, f"{len(faults)} times a budget was exceeded: " + "; ".join(faults[:5])
        assert all(fullest[key] == 1 for key in UNITS if key != "limits.memory"), f"no budget was ever full: {fullest}"
        gone = [item["metadata"]["name"] for _, kind, change, item in scene.recorder.events() if kind == "pod" and change == "DELETED"]
        assert gone == ["ends-1"], f"evicted: {gone}"
        check_audit(bed)
        return (f"{nodes} nodes, {len(tree)} groups; of {count} pods {bound} bound ({at_kill} when huygens was killed), {models} on nodes of their "
                f"model, {sum(waiting.values())} waited; {binds} binds in the history, no budget exceeded at any moment; "
                + "; ".join(f"{pods} pods bound {seconds:.2f} s after their team grew" for seconds, pods in grown)
                + f"; the next pod bound {ended:.2f} s after one ended")
