"""What an API server asks more than once, and what becomes of a yes of ours when it stores nothing: A4 and A5, with a controller at work.

Each part leaves groups whose `used` must be what is there, at the end; those of `lost_for_good` after the time that a reservation has."""
import concurrent.futures
import contextlib
import copy
import http.client
import json
import time
import uuid

from admission import DEPLOYMENTS
from api import wait_until
from budgets import GROUP
from testbed import GROUPS_PATH
from quota_workload import make_group, reserved
from webhook_bed import creation
from webhook_denials import deployment
from webhook_load import MERGE, Caller, stored

SUPERSEDED = 5  # seconds: the controller takes back within 2 what failed since its name was taken
REFUSING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


def make_counted_group(bed, name, parent="", **hard):
    """Through the webhook, as people do; returns when the controller has counted it and both webhooks know it."""
    code, message, _ = Caller(bed).patiently("POST", GROUPS_PATH, make_group(name, parent, **hard))
    assert code == 200, (name, code, message)
    wait_until(lambda: bed.status(name).get("hard", {}).keys() == hard.keys(), lambda: f"{name} is not counted: {bed.status(name)}", 20)
    for each in bed.webhooks:
        wait_until(lambda: each.knows(name), f"{each.name} does not get to know {name}", 10)


def in_a_row(call, count, threads=16):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(call, range(count)))


def create(bed, item):
    code, message, _ = Caller(bed).patiently("POST", DEPLOYMENTS, item)
    assert code == 200, (item["metadata"], code, message)


def wait_used(bed, group, cpus, seconds=SUPERSEDED):
    wait_until(lambda: bed.used(group) == str(cpus), lambda: f"{group} should use {cpus}: {bed.status(group)}", seconds)


def generated_names(bed):
    """Names that the API server makes are charged by uid; a made name that is taken already is tried again, as one more review with another uid."""
    make_counted_group(bed, "made", **{"limits.cpu": "40"})
    item = deployment("made", "made")
    del item["metadata"]["name"]
    item["metadata"]["generateName"] = "made-"
    caller = Caller(bed)
    codes = set(in_a_row(lambda _: caller.patiently("POST", DEPLOYMENTS, item)[0], 20))
    assert codes == {200} and bed.used("made") == "20" and len(stored(bed, "made-")) == 20, (codes, bed.used("made"))
    taken = next(each["metadata"]["name"] for each in bed.client.get(DEPLOYMENTS)["items"] if each["metadata"]["name"].startswith("made-"))
    collided = deployment(taken, "made")
    collided["metadata"] |= {"generateName": "made-", "namespace": "default", "uid": str(uuid.uuid4())}
    answer = bed.webhooks[0].review(creation(collided, "deployments", namespace="default"))
    assert answer["allowed"], answer
    assert bed.used("made") == "21", bed.status("made")  # else what follows says nothing
    wait_used(bed, "made", 20)


def existing_names(bed):
    """A client that loops on a name that exists keeps nobody out: what it was charged for nothing is given back."""
    make_counted_group(bed, "loop", **{"limits.cpu": "10"})
    create(bed, deployment("loop", "loop", 4))
    caller = Caller(bed)
    codes = in_a_row(lambda _: caller.call("POST", DEPLOYMENTS, deployment("loop", "loop", 1))[0], 40)
    assert set(codes) <= {409, 403} and 409 in codes, set(codes)
    assert 403 in codes or int(bed.used("loop")) > 4, bed.status("loop")  # else what follows says nothing
    start = time.monotonic()
    wait_used(bed, "loop", 4)
    took = time.monotonic() - start
    create(bed, deployment("loop-rest", "loop", 6))
    assert bed.used("loop") == "10", bed.status("loop")
    return f"{len(codes)} creations of a name that exists given back after {took:.1f} s"


def dry_runs(bed):
    """They charge nothing, and the creation after them once."""
    make_counted_group(bed, "rehearsed", **{"limits.cpu": "3"})
    caller, item = Caller(bed), deployment("rehearsed", "rehearsed", 2)
    codes = set(in_a_row(lambda _: caller.patiently("POST", f"{DEPLOYMENTS}?dryRun=All", item)[0], 8))
    assert codes == {200} and bed.used("rehearsed") == "0" and not bed.status("rehearsed").get("reservations"), (codes, bed.status("rehearsed"))
    create(bed, item)
    assert bed.used("rehearsed") == "2", bed.status("rehearsed")
    path = f"{DEPLOYMENTS}/rehearsed/scale"
    assert caller.patiently("PATCH", f"{path}?dryRun=All", {"spec": {"replicas": 3}}, MERGE)[0] == 200 and bed.used("rehearsed") == "2"
    assert caller.patiently("PATCH", path, {"spec": {"replicas": 3}}, MERGE)[0] == 200 and bed.used("rehearsed") == "3"


def stale_writes(bed):
    """PUT with a version, as autoscalers write: those that lose are 409 after our yes, and the object is charged for the most that it may have got."""
    make_counted_group(bed, "stale", **{"limits.cpu": "100"})
    create(bed, deployment("stale", "stale"))
    caller, path = Caller(bed), f"{DEPLOYMENTS}/stale/scale"

    def put(index):
        scale = bed.client.get(path)
        return caller.patiently("PUT", path, {**scale, "spec": {"replicas": 2 + index % 9}})[0]

    codes = in_a_row(put, 100)
    assert set(codes) == {200, 409}, set(codes)
    replicas = bed.client.get(path)["spec"]["replicas"]
    assert replicas <= int(bed.used("stale")) <= 10, (replicas, bed.status("stale"))
    return f"{codes.count(409)} of 100 stale writes refused"


def resent_reviews(bed):
    """The same review by several connections to both webhooks, as after a connection that broke: charged once, whoever is first."""
    make_counted_group(bed, "resent", **{"limits.cpu": "10"})
    item = deployment("resent", "resent", 3)
    item["metadata"] |= {"namespace": "default", "uid": str(uuid.uuid4())}
    request = creation(item, "deployments", namespace="default")
    answers = in_a_row(lambda index: bed.webhooks[index % 2].review(copy.deepcopy(request)), 12)
    assert all(each["allowed"] for each in answers), answers
    assert bed.used("resent") == "3" and len(reserved(bed.status("resent"))) == 1, bed.status("resent")


def give_up(bed, path, item, milliseconds=None):
    """Asks for a creation and goes before the answer, or lets the API server go."""
    connection = bed.client.connect()
    connection.request("POST", f"{path}?timeout={milliseconds}ms" if milliseconds else path, json.dumps(item), bed.client.headers())
    if milliseconds:
        with contextlib.suppress(OSError, http.client.HTTPException):  # instead of 504 it may say nothing
            connection.getresponse()
    connection.close()


def lost_for_good(bed):
    """After our yes nothing is stored, and nobody will ever see by its name that it failed. Returns the groups, and how many cores each was charged."""
    bed.client.post(REFUSING, {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "later"}, "webhooks": [{
            "name": "later.e2e.test", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
            "clientConfig": {"url": "https://127.0.0.1:1/nobody"}, "objectSelector": {"matchLabels": {"e2e.test/later": "refuses"}},
            "rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}]}]})
    bed.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "limited"}})
    none = {"count/deployments.apps": "0"}
    limit = bed.client.post("/api/v1/namespaces/limited/resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": none}})
    bed.client.call("PUT", "/api/v1/namespaces/limited/resourcequotas/none/status", {**limit, "status": {"hard": none, "used": none}})
    refused = deployment("refused", "refused", 2)
    refused["metadata"]["labels"]["e2e.test/later"] = "refuses"
    large = deployment("large", "large", 2)
    large["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "LARGE", "value": "x" * (1600 << 10)}]
    caller, charged = Caller(bed), {}
    for path, item, code, why in ((DEPLOYMENTS, refused, 500, 'failed calling webhook "later.e2e.test"'), (DEPLOYMENTS, large, 500, "request is too large"),
                                  (DEPLOYMENTS.replace("/default/", "/limited/"), deployment("over", "over", 2), 403, "exceeded quota: none")):
        name = item["metadata"]["labels"][GROUP]
        make_counted_group(bed, name, **{"limits.cpu": "10"})

        def told():
            """Both configurations act soon, and not at once; until then the dry run passes."""
            return item is large or why in caller.call("POST", f"{path}?dryRun=All", item)[1]

        wait_until(told, f"{name} is not refused", 10, interval=0.02)
        answer = caller.call("POST", path, item)
        assert answer[0] == code and why in answer[1], (name, *answer)
        charged[name] = int(bed.used(name))
        assert charged[name] in (2, 4), (name, bed.status(name))  # at most a second time, under another uid
    make_counted_group(bed, "gone", **{"limits.cpu": "100"})
    for milliseconds in (None, 5, 10, 20):
        in_a_row(lambda index: give_up(bed, DEPLOYMENTS, deployment(f"gone-{milliseconds}-{index}", "gone"), milliseconds), 10)
    return charged


TAKES_90_S = (resent_reviews, stale_writes)  # until all is given back
TAKES_SECONDS = (generated_names, existing_names, dry_runs)
