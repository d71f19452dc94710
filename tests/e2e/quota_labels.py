"""No way around a budget: models that a pod does not name, labels that change after the bind, namespaces without groups, children above parents."""
import json
import time

import oracle
from api import ApiError, wait_until
from budgets import GROUP
from quota import PODS, Scene
from quota_workload import make_group, make_node, make_pod
from scenarios import check_audit
from testbed import GROUPS_PATH, ControlPlane

MODEL_EXHAUSTED = "node(s) were of a model of which quota of the pod's business group is exhausted"
ABOVE = "quota of a group above the pod's business group is over its budget"
KEEPS, REQUIRES = "huygens-quota-labels", "huygens-require-group"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"


def why_refused(write):
    """What the API server says of a write that it must refuse; empty if it took it."""
    try:
        write()
    except ApiError as error:
        assert error.code in (403, 422), error
        return error.body
    return ""


def on_a4(name, **models):
    pod = make_pod(name, "team", **models)
    pod["spec"]["nodeSelector"] = {"huygens.dev/cpu-model": "A4"}
    return pod


def used(scene, group, key):
    groups = {g["name"]: g for g in json.loads(scene.huygens.admin("/debug/quotas")[1])["groups"]}
    return next((k["used"] for k in groups[group]["keys"] if k["key"] == key), "0")


def charge_models(scene):
    """Pods that name no model take the budget of their node's all the same."""
    scene.place(on_a4("a"), on_a4("b"))
    scene.refused(on_a4("c"), "quota bizrq/team: limits.cpu.A4 used 2 of 2, requested 1 (2 nodes of cpu model A4)", MODEL_EXHAUSTED)
    scene.place(make_pod("elsewhere", "team"))
    assert used(scene, "team", "limits.cpu.A4") == "2" and used(scene, "team", "limits.cpu") == "3"


def keep_labels(scene):
    """Quota labels of pods that have a node, and the annotation that keeps them, cannot change; others can, and before the bind all can."""
    def change(path, **metadata):
        return why_refused(lambda: scene.client.patch(path, {"metadata": metadata}))

    scene.place(make_pod("gone", None))
    path = f"{PODS}/a"
    wait_until(lambda: KEEPS in change(path, labels={GROUP: "other"}), "the policy is not in force", 30, interval=0.2)
    for where in (path, path + "/status"):
        for what in ({GROUP: None}, {GROUP: "other"}, {f"{GROUP}/cpu-type": "A4"}, {f"{GROUP}/gpu-type": "A30"}, {f"{GROUP}/memory-type": "D"}):
            assert KEEPS in change(where, labels=what), f"{where}: {what} was allowed"
        for what in (None, "{}"):
            assert KEEPS in change(where, annotations={"huygens.dev/placement": what}), f"{where}: a mark of {what} was allowed"
        assert change(where, labels={"app": "web"}, annotations={"note": "x"}) == ""
    assert KEEPS in change(f"{PODS}/gone", labels={GROUP: "team"}), "a pod that was bound without a group got one"
    assert change(f"{PODS}/c", labels={f"{GROUP}/gpu-type": "A30"}) == "", "a pod that waits may say something else"
    assert change(f"{PODS}/c", labels={f"{GROUP}/gpu-type": None}) == ""
    forged = json.dumps({"uid": scene.pod("c")["metadata"]["uid"], "node": "n", "group": "other"})
    for where in (f"{PODS}/c", f"{PODS}/c/status"):
        assert KEEPS in change(where, annotations={"huygens.dev/placement": forged}), f"{where}: a pod that waits was given a mark"
    copied = make_pod("copied", "team")
    copied["metadata"]["annotations"] = {"huygens.dev/placement": forged}
    copied["spec"]["schedulerName"] = "nobody"
    assert why_refused(lambda: scene.client.post(PODS, copied)) == "", "templates copy annotations"
    assert change(f"{PODS}/copied", annotations={"huygens.dev/placement": None}) == "", "and may be mended"


def bound_with(scene):
    """Without the policy labels change, and nothing is freed or moved; nor when huygens starts anew."""
    mark = json.loads(scene.pod("a")["metadata"]["annotations"]["huygens.dev/placement"])
    assert mark["group"] == "team" and mark["uid"] == scene.pod("a")["metadata"]["uid"] and "models" not in mark, mark
    scene.client.delete(f"{BINDINGS}/{KEEPS}")
    wait_until(lambda: not why_refused(lambda: scene.client.patch(f"{PODS}/a", {"metadata": {"labels": {GROUP: None}}})),
               "the policy is still in force", 30, interval=0.2)
    scene.client.patch(f"{PODS}/b", {"metadata": {"labels": {GROUP: "other"}}})
    for again in (False, True):
        if again:
            scene.huygens.process.kill()
            scene.huygens.process.start()
            scene.huygens.wait_ready()
        assert used(scene, "team", "limits.cpu.A4") == "2" and used(scene, "other", "limits.cpu") == "0", f"started anew: {again}"
    assert json.loads(scene.huygens.admin("/debug/quotas/pods/default/b")[1])["relabelled"]
    scene.refused("c", None, MODEL_EXHAUSTED)


def require_group(scene):
    """Pods of a namespace that says so name a group from their creation to their bind."""
    scene.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                             "metadata": {"name": "strict", "labels": {"quota.huygens.dev/require-group": "true"}}})
    pods = "/api/v1/namespaces/strict/pods"

    def create(name, group):
        pod = make_pod(name, group)
        pod["metadata"]["namespace"] = "strict"
        pod["spec"]["schedulerName"] = "nobody"
        return why_refused(lambda: scene.client.post(pods, pod))

    number = iter(range(1000))
    wait_until(lambda: REQUIRES in create(f"none-{next(number)}", None), "the policy is not in force", 30, interval=0.2)
    assert create("named", "team") == ""
    before = [p["metadata"]["name"] for p in scene.client.get(pods)["items"] if p["metadata"]["name"].startswith("none-")]
    for path in (f"{pods}/named", f"{pods}/named/status"):
        for group in (None, ""):
            refused = why_refused(lambda path=path, group=group: scene.client.patch(path, {"metadata": {"labels": {GROUP: group}}}))
            assert REQUIRES in refused, f"{path}: {group!r} was allowed"
    assert why_refused(lambda: scene.client.patch(f"{pods}/named", {"metadata": {"labels": {GROUP: "other"}}})) == ""
    for name in before:  # what was there before goes on as it was
        assert why_refused(lambda name=name: scene.client.patch(f"{pods}/{name}", {"metadata": {"labels": {"app": "x"}}})) == ""
    scene.place(make_pod("free", None))


def over_parent(scene):
    """A child above its parent gets no pods until that is mended."""
    scene.client.post(GROUPS_PATH, make_group("org", **{"limits.cpu": "4"}))
    scene.client.post(GROUPS_PATH, make_group("child", "org", **{"limits.cpu": "10"}))
    scene.refused(make_pod("too-much", "child"), "quota bizrq/child: bizrq/org above it is over its budget: limits.cpu used 10 of 4, requested 1", ABOVE)
    scene.rest()
    start = time.monotonic()
    scene.set_hard("org", **{"limits.cpu": "10"})
    return scene.seconds_to_bind(["too-much"], start)


def quota_labels():
    """Budgets of models hold for pods that name none; what a pod was bound with holds; namespaces require groups; no child above its parent."""
    with ControlPlane("quota_labels") as bed:
        bed.install()
        bed.client.for_each(lambda i: bed.client.post("/api/v1/nodes", make_node(i)), range(6))  # two of A4
        for name in ("team", "other"):
            bed.client.post(GROUPS_PATH, make_group(name, **{"limits.cpu": "10", "limits.cpu.A4": "2"}))
        scene = Scene(bed)
        bed.start_scheduler(scene.huygens)
        charge_models(scene)
        keep_labels(scene)
        require_group(scene)
        bound_with(scene)
        took = over_parent(scene)
        assert not oracle.bound(scene.pod("c"))
        assert scene.huygens.metric("huygens_reservation_drift") == 0
        check_audit(bed)
        return f"the pod of a child bound {took:.2f} s after its parent had grown"
