"""The whole family for long: two instances of huygens webhook and of huygens controller, huygens beside a real kube-scheduler, Deployments by the real
kube-controller-manager. Workloads and pods come and go, budgets, nodes and topology objects change, processes are killed and come back, certificates are
replaced. `make soak`: half an hour; HUYGENS_SOAK_SECONDS says otherwise. docs/reliability.md has what a run showed.
"""
import collections
import http.client
import os
import random
import threading
import time

import budgets
import oracle
import together
import workload
from abuse import FLAT, FLAT_SLACK_KB, Memory, Repeated
from admission import DEPLOYMENTS
from api import ApiError, wait_until
from binaries import missing
from controller import Controller
from history import Recorder
from scenarios import SEED, check_outcome, settle
from testbed import CONFIG, GROUPS_PATH, NRT_PATH, Skip
from webhook_bed import WebhookBed
from webhook_load import MERGE, Caller
from webhook_repeats import make_counted_group

SECONDS = float(os.environ.get("HUYGENS_SOAK_SECONDS", "1800"))
NODES, THREADS = 24, 4
TEAMS = ("team", "other")
ALIVE = 150  # pods without a workload that are there at a time
AWAY = 3.0  # seconds that a node or a topology object is not there
PATHS = {"pod": "/api/v1/pods", "topology": NRT_PATH, "group": GROUPS_PATH, "deployment": "/apis/apps/v1/deployments"}


class View:
    """What a Recorder of all kinds has of some."""

    def __init__(self, recorder, *kinds):
        self._recorder, self._kinds = recorder, kinds
        self.gaps, self.stop, self.wait_version = recorder.gaps, recorder.stop, recorder.wait_version

    def events(self):
        return [event for event in self._recorder.events() if event[1] in self._kinds]


class Deployments(together.Churn):
    """Deployments that come, scale, move and go until stop(). What became of a request that lost its API server is looked up."""

    def __init__(self, bed, groups):
        super().__init__(bed, groups)
        self.lost = 0
        self._client, self._stopping = bed.client, threading.Event()
        self._threads = [threading.Thread(target=self._loop, args=(number,), daemon=True) for number in range(THREADS)]
        self._failures = []
        for thread in self._threads:
            thread.start()

    def _loop(self, thread):
        draw, there = random.Random(SEED + thread), set()
        try:
            while not self._stopping.wait(0.02):
                try:
                    self.step(thread, draw, there)
                except (OSError, http.client.HTTPException):
                    self.lost += 1
                    time.sleep(0.5)
                    names = {each["metadata"]["name"] for each in self._client.get(DEPLOYMENTS)["items"]}
                    there = {name for name in names if name.startswith(f"churn-{thread}-")}
        except Exception as error:  # reported by stop()
            self._failures.append(repr(error))

    def stop(self):
        self._stopping.set()
        for thread in self._threads:
            thread.join(90)
        assert not self._failures, f"changes of Deployments failed: {self._failures}"
        # 409 and 404: a request whose answer was lost had been carried out all the same, or was repeated by the client.
        assert self.codes.keys() <= {200, 403, 404, 409}, dict(self.codes)


class Pods:
    """Pods of every shape, one after the other; the oldest goes when there are ALIVE."""

    def __init__(self, client):
        self.made, self._client, self._alive, self._random = 0, client, collections.deque(), random.Random(SEED)

    def __call__(self):
        pod = workload.make_pod(self._random, self.made)
        self.made += 1
        wait_until(lambda: self._created(pod), f"{pod['metadata']['name']} is not let in", 60)
        self._alive.append(pod)
        if len(self._alive) > ALIVE:
            try:
                self._client.delete(workload.pod_path(self._alive.popleft()))
            except ApiError as error:
                if error.code != 404:
                    raise


    def _created(self, pod):
        try:
            workload.create_pods(self._client, [pod])
        except ApiError as error:
            if error.code != 500:  # a webhook that has just been killed
                raise
            return False
        return True


class AwayForAWhile:
    """A node, or a topology object, that is deleted and comes back; one at a time: a node that comes back while its topology object is away has no zones."""

    _one_at_a_time = threading.Lock()

    def __init__(self, client, path, items):
        self._client, self._path, self._items, self._random = client, path, items, random.Random(SEED)

    def __call__(self):
        item = self._random.choice(self._items)
        with self._one_at_a_time:
            self._client.delete(f"{self._path}/{item['metadata']['name']}")
            time.sleep(AWAY)
            self._client.post(self._path, item)


class Budgets:
    """Budgets of the teams that grow and shrink; too little or too much is refused, and counted."""

    def __init__(self, bed):
        self.codes, self._bed, self._random = collections.Counter(), bed, random.Random(SEED)

    def __call__(self):
        wanted = {"spec": {"hard": {"limits.cpu": str(self._random.randint(10, 45))}}}
        try:
            code = Caller(self._bed).patiently("PATCH", f"{GROUPS_PATH}/{self._random.choice(TEAMS)}", wanted, MERGE)[0]
        except (OSError, http.client.HTTPException):
            return
        self.codes[code] += 1
        assert code in (200, 403), code


class Mishaps:
    """One after the other; each waits until what it broke is whole again."""

    def __init__(self, bed, huygens, controllers):
        self._bed, self._huygens, self._controllers = bed, huygens, controllers
        self.times = collections.Counter()
        self._all = [("webhook killed", self._webhook), ("leading controller killed", self._controller), ("extender killed", self._extender),
                     ("API server killed", self._api_server), ("certificate replaced", self._certificate), ("both controllers killed", self._both_controllers)]

    def next(self):
        name, mishap = self._all[sum(self.times.values()) % len(self._all)]
        mishap()
        self.times[name] += 1

    def _kill(self, *services, seconds=2.0):
        for service in services:
            service.process.kill()
        time.sleep(seconds)
        for service in services:
            service.process.start()
        for service in services:
            service.wait_ready()

    def _webhook(self):
        self._kill(self._bed.webhooks[self.times["webhook killed"] % 2])

    def _controller(self):
        self._kill(together.leader(self._controllers))

    def _both_controllers(self):
        self._kill(*self._controllers)

    def _extender(self):
        self._kill(self._huygens)

    def _api_server(self):
        self._bed.kill_api_server()
        time.sleep(2.0)
        self._bed.restart_api_server()

    def _certificate(self):
        self._bed.certificates_of_webhook.issue(self._bed.certificates_of_webhook.authority)


def soak():
    """Webhooks, controllers and extender for HUYGENS_SOAK_SECONDS while everything changes and everybody is killed in turns; in the end every figure is right."""
    if why := missing("kube-controller-manager"):
        raise Skip(why)
    rng = random.Random(SEED)
    nodes, topologies = workload.make_cluster(rng, NODES)
    with WebhookBed("soak") as bed:
        bed.install()
        bed.kubectl("apply", "-f", CONFIG / "controller" / "rbac.yaml")
        workload.create_nodes(bed.client, nodes, topologies)
        bed.install_webhook()
        controllers = [Controller(bed, f"controller-{i}") for i in range(2)]
        bed.extenders += controllers
        bed.start_controllers("deployment-controller", "replicaset-controller", "garbage-collector-controller")
        huygens = bed.start_huygens(more="\nquota:\n  enforcement: admission\n")
        scheduler = bed.start_scheduler(huygens)
        for each in controllers:
            each.wait_ready()
        # Who watches must not lose anything while the other one is killed.
        recorder = Recorder(bed.client_as("admin-token", bed.start_another_api_server()), PATHS)
        make_counted_group(bed, "org", **{"limits.cpu": "90"})
        for team in TEAMS:
            make_counted_group(bed, team, "org", **{"limits.cpu": "30"})
        start = time.monotonic()
        memory = [Memory(each) for each in bed.extenders]
        watching = [Repeated("memory", each, 1.0) for each in memory]
        pods, limits, mishaps = Pods(bed.client), Budgets(bed), Mishaps(bed, huygens, controllers)
        changing = [Repeated("pods", pods, 0.05), Repeated("budgets", limits, 1.0),
                    Repeated("nodes", AwayForAWhile(bed.client, "/api/v1/nodes", nodes), 5.0),
                    Repeated("topology objects", AwayForAWhile(bed.client, NRT_PATH, topologies), 5.0)]
        deployments = Deployments(bed, TEAMS)
        pause = min(20.0, SECONDS / 8)
        while time.monotonic() < start + SECONDS - pause:
            time.sleep(pause)
            mishaps.next()
        time.sleep(max(0.0, start + SECONDS - time.monotonic()))
        end = time.monotonic()
        problems = []
        for each in (*changing, *watching, deployments):
            try:
                each.stop()
            except AssertionError as error:
                problems.append(str(error))
        third = (end - start) / 3
        for each in memory:
            before, after = each.highest(start + third, start + 2 * third), each.highest(start + 2 * third, end)
            if after > before * FLAT + FLAT_SLACK_KB:
                problems.append(f"{each.huygens.name} took {before} kB and later {after} kB")
        assert not problems, "; ".join(problems)
        for service in (*bed.webhooks, *controllers, huygens):
            service.wait_ready()
        scheduler.forget_ghosts()
        return f"{SECONDS:.0f} s; {right_in_the_end(bed, recorder, huygens, controllers)}; " + counts(pods, limits, deployments, mishaps, changing, memory)


def right_in_the_end(bed, recorder, huygens, controllers):
    """Every figure is what is there, nothing is reserved, no zone was ever overfilled, and no budget. Returns figures."""
    wait_until(lambda: not together.wrong_figures(bed), lambda: "; ".join(together.wrong_figures(bed)), together.LOST_FOR + 60)
    extenders, bed.extenders = bed.extenders, [huygens]
    try:
        settle(bed, 180)
        outcome = check_outcome(bed, View(recorder, "pod", "topology"))
    finally:
        bed.extenders = extenders
    wait_until(lambda: not short_of_pods(bed)[0], lambda: f"bound pods and wanted: {short_of_pods(bed)[0]}", 120)
    events = View(recorder, "group", "deployment", "pod").events()
    found = faults(events)
    assert not found and not recorder.gaps, f"{len(found)} faults, such as {found[:3]}; {recorder.gaps} gaps"
    drift = sum(each.metric("huygens_quota_drift_total") or 0 for each in controllers)
    assert drift == 0, f"the controllers found {drift:.0f} figures that were wrong"
    return (f"{outcome}; budgets right at each of {len(events)} changes; {short_of_pods(bed)[1]} pods of deleted Deployments are left to Kubernetes' garbage "
            "collector, which backs off while its API server is away")


def faults(events):
    """Replays the history: at no moment is more there than was charged, and no charge grows beyond its budget, which may be made smaller than what is used."""
    there, found, before = together.There(), [], {}
    for version, kind, change, item in events:
        there.set(kind, item, change == "DELETED")
        observed = there.used()
        for name, group in there.groups.items():
            charged = together.said_used(group)
            for key, hard in budgets.hard(group).items():
                if key not in charged:
                    continue
                if observed[name].get(key, 0) > charged[key] or charged[key] > max(hard, before.get((name, key), 0)):
                    found.append(f"at version {version} ({change} {item['metadata']['name']}): {name} has {observed[name].get(key, 0)}, "
                                 f"is charged {charged[key]}, of {hard} thousandths of {key}")
                before[name, key] = charged[key]
    return found


def short_of_pods(bed):
    """({name: (bound, wanted)} of the Deployments that have not just their pods on nodes, how many pods of Deployments that are gone are left)."""
    sets = {each["metadata"]["uid"]: each for each in bed.client.get("/apis/apps/v1/replicasets")["items"]}
    bound = collections.Counter()
    for pod in bed.client.get(PATHS["pod"])["items"]:
        owner = next((each["uid"] for each in pod["metadata"].get("ownerReferences", []) if each["kind"] == "ReplicaSet"), None)
        if owner and not pod["metadata"].get("deletionTimestamp"):
            deployment = sets[owner]["metadata"]["ownerReferences"][0]["uid"] if owner in sets else None
            bound[deployment] += oracle.bound(pod)
    wanted = {each["metadata"]["uid"]: (each["metadata"]["name"], each["spec"]["replicas"]) for each in bed.client.get(DEPLOYMENTS)["items"]}
    left = sum(count for deployment, count in bound.items() if deployment not in wanted)
    return {name: (bound[uid], count) for uid, (name, count) in wanted.items() if bound[uid] != count}, left


def counts(pods, limits, deployments, mishaps, changing, memory):
    return (f"{pods.made} pods without a workload, {deployments.done()} changes of Deployments ({deployments.codes[403]} over budget, {deployments.lost} "
            f"lost with their API server), {sum(limits.codes.values())} of budgets ({limits.codes[403]} refused), "
            + ", ".join(f"{each.name} x{each.times}" for each in changing[2:]) + "; " + ", ".join(f"{name} x{times}" for name, times in mishaps.times.items())
            + f"; memory at most {', '.join(f'{each.huygens.name} {max(size for _, size in each.samples) >> 10} MB' for each in memory if each.samples)}")
