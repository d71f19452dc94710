"""ResourceClaims are charged to business groups by device class, beside kube-scheduler's own allocation of devices."""
import json
import time

import oracle
import workload
from api import wait_until
from binaries import kubernetes_minor, kubernetes_version
from quota import EXHAUSTED, PODS, Scene
from quota_workload import make_group, make_node, make_pod
from scenarios import check_audit
from testbed import GROUPS_PATH, ControlPlane, Skip, need_control_plane

OLDEST = 34  # which serves resource.k8s.io/v1, and whose kube-scheduler allocates devices without a feature gate

API = "/apis/resource.k8s.io/v1"
CLAIMS = f"{API}/namespaces/default/resourceclaims"
CLASS, DRIVER = "gpu.example.com", "gpu.example.com"
KEY = f"{CLASS}.deviceclass.resource.k8s.io/devices"
UNKNOWN = "quota of the pod's business group is of devices and a ResourceClaim of the pod is unknown"
ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/huygens"


def make_class():
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": CLASS},
            "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}}


def make_slice(node, devices=8):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-gpus"},
            "spec": {"driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                     "devices": [{"name": f"gpu-{i}"} for i in range(devices)]}}


def make_claim(name, count=1):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "default"},
            "spec": {"devices": {"requests": [{"name": "gpus", "exactly": {"deviceClassName": CLASS, "count": count}}]}}}


def claiming(name, group, claim=None, template=None):
    pod = make_pod(name, group)
    source = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": template}
    pod["spec"]["resourceClaims"] = [{"name": "gpus", **source}]
    pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpus"}]
    return pod


def used(scene, group):
    groups = {g["name"]: g for g in json.loads(scene.huygens.admin("/debug/quotas")[1])["groups"]}
    return next((k["used"] for k in groups[group]["keys"] if k["key"] == KEY), "0")


def wait_used(scene, group, amount):
    wait_until(lambda: used(scene, group) == amount, lambda: f"{group} uses {used(scene, group)} devices, not {amount}", 30)


def one_after_the_other(scene):
    """Of two pods that want the one device of their group the second is bound when the first has ended."""
    for name in ("first", "second"):
        scene.client.post(CLAIMS, make_claim(name))
    scene.place(claiming("first", "team", "first"))
    assert used(scene, "team") == "1"
    allocated = scene.client.get(f"{CLAIMS}/first")["status"]
    assert allocated["allocation"]["devices"]["results"][0]["driver"] == DRIVER and allocated["reservedFor"][0]["name"] == "first", allocated
    scene.refused(claiming("second", "team", "second"), f"quota bizrq/team: {KEY} used 1 of 1, requested 1", EXHAUSTED)
    scene.place(make_pod("plain", "team"))
    scene.rest()
    start = time.monotonic()
    scene.end("first")
    took = scene.seconds_to_bind(["second"], start)
    wait_used(scene, "team", "1")
    scene.end("second")
    wait_used(scene, "team", "0")
    return took


def shared(scene):
    """A claim of pods of two groups is charged to the first, then to the other."""
    scene.client.post(CLAIMS, make_claim("shared"))
    scene.place(claiming("holds", "team", "shared"))
    scene.place(claiming("shares", "other", "shared"))
    assert (used(scene, "team"), used(scene, "other")) == ("1", "0")
    scene.client.post(CLAIMS, make_claim("more"))
    scene.refused(claiming("waits", "team", "more"), f"quota bizrq/team: {KEY} used 1 of 1, requested 1", EXHAUSTED)
    scene.end("holds")
    scene.wait_bound("waits")
    wait_used(scene, "other", "1")
    for name in ("shares", "waits"):
        scene.end(name)
    wait_used(scene, "team", "0")
    wait_used(scene, "other", "0")


def from_template(scene):
    """There is no kube-controller-manager here: the scenario makes the claim of a template, and says its name, as that would."""
    workload.create_pods(scene.client, [claiming("templated", "team", template="one-gpu")])
    pod = scene.pod("templated")
    claim = make_claim("templated-gpus-7k2xp")
    claim["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": "templated", "uid": pod["metadata"]["uid"], "controller": True}]
    scene.client.post(CLAIMS, claim)
    status = {"resourceClaimStatuses": [{"name": "gpus", "resourceClaimName": claim["metadata"]["name"]}]}
    scene.client.patch(f"{PODS}/templated/status", {"status": status})
    scene.wait_bound("templated")
    assert used(scene, "team") == "1"
    scene.end("templated")
    wait_used(scene, "team", "0")


def forbidden(scene):
    """Without the permission to read claims huygens is ready, and only who asks for devices of a budget waits."""
    role = scene.client.get(ROLE)
    rules = [rule for rule in role["rules"] if rule["apiGroups"] != ["resource.k8s.io"]]
    assert len(rules) == len(role["rules"]) - 1
    scene.client.patch(ROLE, {"rules": rules})
    scene.huygens.process.kill()
    scene.huygens.process.start()
    scene.huygens.wait_ready()
    said = scene.huygens.admin("/readyz?verbose")[1]
    line = next(l for l in said.splitlines() if "resourceclaims.resource.k8s.io" in l)
    assert line.startswith("[!]") and "resources: [resourceclaims, deviceclasses]" in line, line
    scene.client.post(CLAIMS, make_claim("unread"))
    scene.refused(claiming("blind", "team", "unread"), "huygens may not read resourceclaims.resource.k8s.io", UNKNOWN)
    scene.place(make_pod("sighted", "team"))
    scene.client.patch(ROLE, {"rules": role["rules"]})
    wait_until(lambda: oracle.bound(scene.pod("blind")), "a pod waits though its claim can be read", 60)
    assert used(scene, "team") == "1"


def quota_claims():
    """ResourceClaims are charged by device class: one after the other, shared, from a template, and without the permission to read them."""
    need_control_plane()
    if kubernetes_minor() < OLDEST:
        raise Skip(f"Kubernetes {kubernetes_version()} allocates no devices by itself; HUYGENS_E2E_KUBERNETES=1.{OLDEST} does")
    with ControlPlane("quota_claims") as bed:
        bed.install()
        nodes = [make_node(i) for i in range(3)]
        bed.client.for_each(lambda node: bed.client.post("/api/v1/nodes", node), nodes)
        bed.client.post(f"{API}/deviceclasses", make_class())
        for node in nodes:
            bed.client.post(f"{API}/resourceslices", make_slice(node["metadata"]["name"]))
        for name in ("team", "other"):
            bed.client.post(GROUPS_PATH, make_group(name, **{KEY: "1", "limits.cpu": "20"}))
        scene = Scene(bed)
        bed.start_scheduler(scene.huygens)
        took = one_after_the_other(scene)
        shared(scene)
        from_template(scene)
        forbidden(scene)
        assert scene.huygens.metric("huygens_reservation_drift") == 0
        check_audit(bed)
        return f"the second pod bound {took:.2f} s after the first had ended"
