"""Everything that keeps budgets, at work on one cluster: two instances of huygens webhook and of huygens controller, huygens under a real
kube-scheduler with `enforcement: admission`, and real Deployments by kube-controller-manager."""
import collections
import random
import time

import budgets
import oracle
import quota_workload
from admission import DEPLOYMENTS
from api import wait_until
from binaries import missing
from budgets import GROUP
from controller import Controller, Scene, transfers
from history import Recorder
from testbed import CONFIG, GROUPS_PATH, SCHEDULER_NAME, Skip
from webhook_bed import WebhookBed
from webhook_denials import deployment
from webhook_load import MERGE, Caller
from webhook_repeats import TAKES_90_S, TAKES_SECONDS, create, in_a_row, lost_for_good, make_counted_group

PODS = "/api/v1/namespaces/default/pods"
LOST_FOR = 95  # seconds: a reservation has 90
NODES, THREADS, STEPS = 4, 8, 240


def runnable(name, group, replicas=1, labelled=False, **models):
    """A Deployment whose pods huygens places; `labelled`: they name its group and models themselves, too."""
    item = deployment(name, group, replicas, **models)
    item["spec"]["strategy"] = {"type": "Recreate"}  # without a kubelet no pod gets ready, and no rollout would end
    template = item["spec"]["template"]
    template["spec"] |= {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 0}
    if labelled:
        template["metadata"]["labels"] = {**template["metadata"]["labels"], **item["metadata"]["labels"]}
    return item


class There:
    """What is there at one moment, counted from objects alone: {group: {key: thousandths}}."""

    def __init__(self):
        self.groups, self._costs = {}, {}  # uid -> (group, amounts)

    def set(self, kind, item, gone=False):
        if kind == "group":
            self.groups.pop(item["metadata"]["name"], None)
            if not gone:
                self.groups[item["metadata"]["name"]] = item
            return
        self._costs.pop(item["metadata"]["uid"], None)
        group = budgets.group_of(item)
        if gone or not group or item["metadata"].get("ownerReferences") or (kind == "pod" and oracle.ended(item)):
            return
        pod = item if kind == "pod" else {"metadata": item["metadata"], "spec": item["spec"]["template"]["spec"]}
        count = 1 if kind == "pod" else item["spec"]["replicas"]
        self._costs[item["metadata"]["uid"]] = group, {key: amount * count for key, amount in budgets.usage(pod).items()}

    def used(self):
        used = {name: {} for name in self.groups}
        for group, amounts in self._costs.values():
            if group in used:
                budgets.add(used[group], amounts)
        for item in self.groups.values():
            if item["spec"]["parentBizGroup"]:
                budgets.add(used[item["spec"]["parentBizGroup"]], budgets.hard(item))
        return used


def said_used(group):
    return {key: oracle.quantity(amount, 1000) for key, amount in group.get("status", {}).get("used", {}).items()}


def faults(events):
    """Replays the history: at no moment is more there than was charged, nor more charged than the budget."""
    there, found = There(), []
    for version, kind, change, item in events:
        there.set(kind, item, change == "DELETED")
        observed = there.used()
        for name, group in there.groups.items():
            charged = said_used(group)
            for key, hard in budgets.hard(group).items():
                if key in charged and not observed[name].get(key, 0) <= charged[key] <= hard:
                    found.append(f"at version {version} ({change} {item['metadata']['name']}): {name} has {observed[name].get(key, 0)}, "
                                 f"is charged {charged[key]}, of {hard} thousandths of {key}")
    return found


def present(bed):
    there = There()
    for kind, path in (("group", GROUPS_PATH), ("deployment", "/apis/apps/v1/deployments"), ("pod", PODS)):
        for item in bed.client.get(path)["items"]:
            there.set(kind, item)
    return there


def wrong_figures(bed):
    """One line for each group whose status is not what is there; while somebody writes it may be both."""
    there = present(bed)
    used = there.used()
    wrong = []
    for name, group in there.groups.items():
        charged = said_used(group)
        right = {key: used[name].get(key, 0) for key in budgets.hard(group)}
        if charged != right:
            wrong.append(f"{name} uses {right} and is charged {charged}")
        if left := quota_workload.reserved(group.get("status", {})):
            wrong.append(f"{name} has {len(left)} reservations")
    return wrong


def charged_once(bed):
    """A budget that a Deployment fills to the last core, with pods that name group and model themselves: each gets its node; a bare pod more does not come in."""
    make_counted_group(bed, "exact", **{"limits.cpu": "6", "limits.cpu.A4": "5"})
    create(bed, runnable("exact", "exact", 5, labelled=True, cpu="A4"))
    pod = quota_workload.make_pod("bare", "exact")
    code, message, _ = Caller(bed).patiently("POST", PODS, pod)
    assert code == 200 and bed.used("exact") == "6" and bed.used("exact", "limits.cpu.A4") == "5", (code, message, bed.status("exact"))
    code, message, _ = Caller(bed).patiently("POST", PODS, quota_workload.make_pod("one-more", "exact"))
    assert code == 403 and "quota bizrq/exact: limits.cpu used 6 of 6, requested 1" in message, (code, message)
    wait_until(lambda: sum(oracle.bound(each) for each in bed.client.get(PODS)["items"] if budgets.group_of(each) == "exact") == 6,
               lambda: f"not all are bound: {[oracle.unscheduled_reason(each) for each in bed.client.get(PODS)['items']]}", 60)


class Churn:
    """Deployments that come, scale, move and go, by several threads at once."""

    def __init__(self, bed, groups):
        self._caller, self._groups = Caller(bed), groups
        self.codes = collections.Counter()

    def run(self, thread):
        draw, there = random.Random(thread), set()
        for _ in range(STEPS // THREADS):
            self.step(thread, draw, there)

    def step(self, thread, draw, there):
        """One change by this thread; `there`: its Deployments that exist."""
        name, chance = f"churn-{thread}-{draw.randrange(4)}", draw.random()
        path = f"{DEPLOYMENTS}/{name}"
        if name not in there:
            request = "POST", DEPLOYMENTS, runnable(name, draw.choice(self._groups), draw.randrange(4))
        elif chance < 0.5:
            request = "PATCH", f"{path}/scale", {"spec": {"replicas": draw.randrange(5)}}, MERGE
        elif chance < 0.7:
            request = "PATCH", path, {"metadata": {"labels": {GROUP: draw.choice(self._groups)}}}, MERGE
        elif chance < 0.85:
            request = "PATCH", path, {"spec": {"replicas": draw.randrange(5), "template": {"metadata": {"annotations": {"n": str(chance)}}}}}, MERGE
        else:
            request = "DELETE", path
        code = self._caller.patiently(*request)[0]
        self.codes[code] += 1
        if code == 200:
            (there.discard if request[0] == "DELETE" else there.add)(name)

    def done(self):
        return sum(self.codes.values())


def leader(controllers):
    return wait_until(lambda: next((each for each in controllers if each.process.running() and each.leads()), None), "no controller leads", 60)


def tree_under_fire(bed, controllers):
    """A webhook and the leading controller die in the middle of it; a group gets a larger budget."""
    make_counted_group(bed, "org", **{"limits.cpu": "60"})
    for name in ("team", "other"):
        make_counted_group(bed, name, "org", **{"limits.cpu": "20"})
    too_large = Caller(bed).patiently("PATCH", f"{GROUPS_PATH}/team", {"spec": {"hard": {"limits.cpu": "41"}}}, MERGE)
    assert too_large[0] == 403 and "parent org has 20 of 60 limits.cpu left, 21 more wanted" in too_large[1], too_large
    churn, killed = Churn(bed, ("team", "other")), leader(controllers)

    def fire():
        wait_until(lambda: churn.done() > STEPS // 5, "the churn stands still", 120, interval=0.01)
        bed.webhooks[0].process.kill()
        wait_until(lambda: churn.done() > 2 * STEPS // 5, "one webhook is not enough", 120, interval=0.01)
        killed.process.kill()
        assert Caller(bed).patiently("PATCH", f"{GROUPS_PATH}/team", {"spec": {"hard": {"limits.cpu": "35"}}}, MERGE)[0] == 200
        wait_until(lambda: churn.done() > 3 * STEPS // 5, "the churn stands still", 120, interval=0.01)
        bed.webhooks[0].process.start()
        bed.webhooks[0].wait_ready()
        bed.webhooks[1].process.kill()
        wait_until(lambda: churn.done() > 4 * STEPS // 5, "one webhook is not enough", 120, interval=0.01)
        bed.webhooks[1].process.start()
        killed.process.start()

    in_a_row(lambda index: churn.run(index) if index < THREADS else fire(), THREADS + 1)
    for each in (*bed.webhooks, killed):
        each.wait_ready()
    assert churn.codes.keys() == {200, 403}, dict(churn.codes)
    return f"{churn.codes[200]} of {churn.done()} changes passed, {churn.codes[403]} were over budget"


def all_pods_placed(bed):
    """What was admitted runs: each Deployment of ours has its pods, on nodes."""
    def wrong():
        pods = collections.Counter(each["metadata"].get("labels", {}).get("app") for each in bed.client.get(PODS)["items"]
                                   if oracle.bound(each) and not each["metadata"].get("deletionTimestamp"))
        wanted = {each["metadata"]["name"]: each["spec"]["replicas"] for each in bed.client.get(DEPLOYMENTS)["items"]
                  if each["spec"]["template"]["spec"]["schedulerName"] == SCHEDULER_NAME}
        return [f"{name} has {pods[name]} of {count} pods" for name, count in wanted.items() if pods[name] != count]

    wait_until(lambda: not wrong(), lambda: "; ".join(wrong()), 60)


def together():
    """Webhooks, controllers and placement at once, killed in turns: never more there than charged nor charged than the budget, and in the end used is what is there."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    with WebhookBed("together") as bed:
        bed.install()
        bed.kubectl("apply", "-f", CONFIG / "controller" / "rbac.yaml")
        for index in range(NODES):
            bed.client.post("/api/v1/nodes", quota_workload.make_node(index))
        bed.install_webhook()
        controllers = [Controller(bed, f"controller-{i}") for i in range(2)]
        bed.extenders += controllers
        bed.start_controllers("deployment-controller", "replicaset-controller", "garbage-collector-controller")
        bed.start_scheduler(bed.start_huygens(more="\nquota:\n  enforcement: admission\n"))
        for each in controllers:
            each.wait_ready()
        recorder = Recorder(bed.client, {"group": GROUPS_PATH, "deployment": "/apis/apps/v1/deployments", "pod": PODS})
        charged = lost_for_good(bed)
        lost_at = time.monotonic()
        said = [part(bed) for part in TAKES_90_S]
        said.append(tree_under_fire(bed, controllers))
        last_lost_at = time.monotonic()
        said += [part(bed) for part in TAKES_SECONDS]  # meanwhile
        charged_once(bed)
        all_pods_placed(bed)
        left = [name for name in charged if int(bed.used(name)) == charged[name]]
        assert len(left) == len(charged) or time.monotonic() - lost_at > 80, f"given back before the API server may have ended: {charged.keys() - left}"
        for lost, at in ((charged, lost_at), (("resent",), last_lost_at)):
            for name in lost:
                wait_until(lambda: bed.used(name) == "0", lambda: f"{name} does not get back what it was charged: {bed.status(name)}",
                           max(1, at + LOST_FOR - time.monotonic()))
        wait_until(lambda: not wrong_figures(bed), lambda: "; ".join(wrong_figures(bed)), max(1, last_lost_at + LOST_FOR - time.monotonic()))
        recorder.stop()
        found = faults(recorder.events())
        assert not found and not recorder.gaps, f"{len(found)} faults, such as {found[:3]}; {recorder.gaps} gaps"
        said.append(f"right at each of {len(recorder.events())} changes, and at the end")
        said.append(transfers(Scene(bed, controllers)))  # whose writes the webhook sees
        return "; ".join(filter(None, said))
