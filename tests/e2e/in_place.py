"""Running pods whose requests are lowered without a restart: the subresource `resize` of a real API server, written by huygens controller with the
permissions that it ships with. There is no kubelet: what the API server stores is what is looked at."""
from api import ApiError, wait_until
from overcommit import DEPLOYMENTS, PODS, make_deployment, recorded, requested

OLDEST = 33  # where pods have the subresource without a feature gate
WRITES = {("patch", "pods", "status"), ("patch", "pods", "resize")}
POOL = "  - {name: steady, type: static, autoApply: true, inPlace: true, factors: [{cpu: 50%}]}\n"


def running_pods_are_lowered(scene):
    """Burstable pods ask for half from now on, and are the same pods; Guaranteed ones, and who opts out, stay."""
    for name, cpu_limit, memory, annotations in (("steady", "8", ("1Gi", "2Gi"), {}), ("exact", "4", ("1Gi", "1Gi"), {}),
                                                 ("opted", "8", ("1Gi", "2Gi"), {"huygens.dev/overcommit-allowed": "false"})):
        scene.client.post(DEPLOYMENTS, make_deployment(name, cpu_limit=cpu_limit, memory=memory, pool="steady", annotations=annotations,
                                                       replicas=3 if name == "steady" else 1))
    of = lambda name: [pod for pod in scene.client.get(f"{PODS}?labelSelector=app={name}")["items"] if "deletionTimestamp" not in pod["metadata"]]
    wait_until(lambda: [len(of(each)) for each in ("steady", "exact", "opted")] == [3, 1, 1], "no pods", 30)
    before = {pod["metadata"]["uid"] for pod in of("steady")}
    scene.run_pods()
    wait_until(lambda: all(requested(pod) == "2" for pod in of("steady")), lambda: f"not lowered: {of('steady')[0]}", 30)
    scene.scans()
    for pod in of("steady"):
        assert pod["metadata"]["uid"] in before and pod["status"]["qosClass"] == "Burstable", pod
        assert pod["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "8", "memory": "2Gi"} and requested(pod, "memory") == "1Gi", pod
        assert recorded(pod)["containers"]["app"]["cpu"] == {"original": "4", "applied": "2", "limit": "8", "source": "static", "before": "4"}, pod
    for name in ("exact", "opted"):
        pod, = of(name)
        assert requested(pod) == "4" and not recorded(pod), pod
    assert scene.leader().metric("huygens_overcommit_resizes_total", 'result="lowered"') == 3
    templates = {scene.client.get(f"{DEPLOYMENTS}/{name}")["metadata"]["generation"] for name in ("steady", "exact", "opted")}
    assert templates == {1}, f"Deployments were changed: {templates}"
    only_lower(scene, of("steady")[0]["metadata"]["name"])
    for name in ("steady", "exact", "opted"):
        scene.client.delete(f"{DEPLOYMENTS}/{name}")
    wait_until(lambda: not any(of(name) for name in ("steady", "exact", "opted")), "pods stay", 60)


def only_lower(scene, name):
    """The account may do nothing else by these permissions, whatever it tries."""
    client = scene.bed.client_as("controller-token")
    resources = lambda **more: {"spec": {"containers": [{"name": "app", "resources": more}]}}
    for what, subresource, patch in (
            ("raised a request", "resize", resources(requests={"cpu": "3"})),
            ("changed a limit", "resize", resources(limits={"cpu": "9"})),
            ("wrote another annotation", "status", {"metadata": {"annotations": {"a": "b"}}}),
            ("wrote a label", "status", {"metadata": {"labels": {"a": "b"}}}),
            ("wrote a status", "status", {"status": {"phase": "Failed"}})):
        try:
            client.call("PATCH", f"{PODS}/{name}/{subresource}", patch, "application/strategic-merge-patch+json")
        except ApiError as error:
            assert error.code == 422 and "this account may" in str(error), f"it {what}: {error}"
        else:
            raise AssertionError(f"it {what}")
