"""Policy as data: a real API server asks huygens webhook what rules make of pods, controllers and nodes, and whether a rule is a good one."""
import concurrent.futures
import contextlib
import json
import time

import overcommit
from api import ApiError, wait_until
from testbed import CONFIG

RULES = "/apis/huygens.dev/v1alpha1/schedulingrules"
PODS, DEPLOYMENTS = overcommit.PODS, overcommit.DEPLOYMENTS
APPLIED, BEFORE = "rules.huygens.dev/applied", "rules.huygens.dev/before"
SAMPLES = CONFIG / "samples" / "rules" / "rules.yaml"


class Bed(overcommit.Bed):
    PART, CONFIGURATION = "rules", "\nrules: {mode: enforce, excludedNamespaces: [huygens-system]}\n"
    BELIEVED = ["MutatingWebhookConfiguration/huygens-rules", "ValidatingWebhookConfiguration/huygens-rules"]

    def rule(self, name, inject, kinds=("Pod",), selector=None, **more):
        """Creates or replaces it, and says its generation."""
        item = {"apiVersion": "huygens.dev/v1alpha1", "kind": "SchedulingRule", "metadata": {"name": name},
                "spec": {"mode": "enforce", "selector": {"kinds": list(kinds), **(selector or {})}, "inject": inject, **more}}
        return json.loads(self.kubectl("apply", "-o", "json", "-f", "-", stdin=json.dumps(item)).stdout)["metadata"]["generation"]

    def refusal(self, name, inject, kinds=("Pod",), selector=None, **more):
        item = {"apiVersion": "huygens.dev/v1alpha1", "kind": "SchedulingRule", "metadata": {"name": name},
                "spec": {"mode": "enforce", "selector": {"kinds": list(kinds), **(selector or {})}, "inject": inject, **more}}
        done = self.kubectl("apply", "-f", "-", stdin=json.dumps(item), check=False)
        assert done.returncode != 0, f"{name} was taken"
        return done.stderr

    def dry(self, pod):
        """As the API server would store it."""
        namespace = pod["metadata"].get("namespace", "default")
        return self.client.post(f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)

    def wait_rule(self, version, pod):
        """Until all webhooks know this version of a rule that is for the pod; the two answer in turns."""
        wait_until(lambda: all(version in applied(self.dry(pod)) for _ in range(6)), lambda: f"{version} is not applied: {applied(self.dry(pod))}", 30)

    def wait_gone(self, name, pod):
        def gone():
            with contextlib.suppress(ApiError):  # what a rule names may be gone a moment before the webhook hears of it
                return not any(rule.startswith(f"{name}@") for _ in range(6) for rule in applied(self.dry(pod)))
        wait_until(gone, f"{name} is still applied", 30)


def applied(item):
    return [each for each in item["metadata"].get("annotations", {}).get(APPLIED, "").split(",") if each]


def make_pod(name="p", labels=None, namespace="default", owner=None, **spec):
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    if owner:  # as a ReplicaSet of a Deployment has them made: without a name or a UID
        metadata = {"generateName": f"{owner}-5c6d7-", "namespace": namespace, "labels": {**metadata["labels"], "pod-template-hash": "5c6d7"}, "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{owner}-5c6d7", "uid": f"uid-{owner}", "controller": True}]}
    resources = {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"cpu": "4", "memory": "2Gi"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [{"name": "app", "image": "none", "resources": resources}], **spec}}


def injected(bed):
    """Pods get what is said, are Burstable or not as before, and say which rule it was; whoever skips rules gets nothing."""
    generation = bed.rule("all-of-it", {
        "labels": {"pool": "shared"}, "annotations": {"example.com/a": "b"}, "schedulerName": "other", "tolerations": [{"key": "pool", "operator": "Exists"}],
        "nodeAffinity": {"required": [{"key": "pool", "operator": "In", "values": ["shared"]}]}, "resources": {"requests": {"cpu": {"factor": 0.4}}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}]},
        selector={"matchLabels": {"app": "all"}})
    pod = make_pod(labels={"app": "all"}, topologySpreadConstraints=[
        {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}])
    bed.wait_rule(f"all-of-it@{generation}", pod)
    stored = bed.client.post(PODS, pod)
    bed.client.delete(f"{PODS}/p")
    spec = stored["spec"]
    assert stored["metadata"]["labels"]["pool"] == "shared" and spec["schedulerName"] == "other", stored
    assert spec["containers"][0]["resources"]["requests"]["cpu"] == "800m" and len(spec["topologySpreadConstraints"]) == 1, spec
    term, = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "pool", "operator": "In", "values": ["shared"]}], term
    for metadata in ({"annotations": {"rules.huygens.dev/skip": "true"}}, {"labels": {"app": "all", "rules.huygens.dev/skip": "true"}}):
        skipped = make_pod(labels={"app": "all"})
        skipped["metadata"].update(metadata)
        assert not applied(bed.dry(skipped)), metadata
    for namespace in ("kube-system", "huygens-system", "left-out"):
        if namespace != "kube-system":
            bed.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": namespace, "labels": {"huygens.dev/rules": "ignore"} if namespace == "left-out" else {}}})
        assert not applied(bed.dry(make_pod(labels={"app": "all"}, namespace=namespace))), namespace


def controllers(bed):
    """A Deployment's template is changed when it is created; its ReplicaSet is not, so that no second one is ever made."""
    bed.rule("templates", {"labels": {"pool": "b"}, "schedulerName": "other"}, kinds=("Deployment",), selector={"matchLabels": {"tier": "web"}})
    deployment = overcommit.make_deployment("ruled", pool=None)
    deployment["metadata"]["labels"] = {"tier": "web"}
    wait_until(lambda: all(bed.client.post(f"{DEPLOYMENTS}?dryRun=All", deployment)["spec"]["template"]["spec"]["schedulerName"] == "other" for _ in range(6)),
               "the template is not changed", 30)
    made = bed.client.post(DEPLOYMENTS, deployment)
    assert made["spec"]["template"]["metadata"]["labels"]["pool"] == "b", made
    overcommit.wait_pods(bed, "ruled", lambda pod: pod["metadata"]["labels"].get("pool") == "b", "has no label")
    bed.client.patch(f"{DEPLOYMENTS}/ruled", {"spec": {"replicas": 2}})
    wait_until(lambda: len(bed.pods_of("ruled")) == 2, "is not scaled", 30)
    sets = bed.client.get("/apis/apps/v1/namespaces/default/replicasets?labelSelector=app=ruled")["items"]
    assert len(sets) == 1, [each["metadata"]["name"] for each in sets]
    # A rule that changes rolls nothing out by itself.
    bed.rule("templates", {"labels": {"pool": "c"}, "schedulerName": "another"}, kinds=("Deployment",), selector={"matchLabels": {"tier": "web"}})
    other = {**deployment, "metadata": {"name": "asked", "labels": {"tier": "web"}}}
    wait_until(lambda: all(bed.client.post(f"{DEPLOYMENTS}?dryRun=All", other)["spec"]["template"]["spec"]["schedulerName"] == "another" for _ in range(6)),
               "the changed rule is not applied", 30)
    bed.client.patch(f"{DEPLOYMENTS}/ruled", {"spec": {"replicas": 1}})
    assert bed.client.get(f"{DEPLOYMENTS}/ruled")["spec"]["template"]["spec"]["schedulerName"] == "other"
    bed.client.delete(f"{DEPLOYMENTS}/ruled")


def refused(bed):
    """Rules that would deny, fight or touch the system, each with its reason; a deletion and an unrelated change never are."""
    label = {"labels": {"pool": "a"}}
    spread = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    taint = {"key": "a", "effect": "NoSchedule"}
    for name, reason, more in (
            ("twins", "Duplicate value", {"inject": {"topologySpreadConstraints": [{"maxSkew": 1, **spread}, {"maxSkew": 2, **spread}]}}),
            ("twin-taints", "Duplicate value", {"inject": {"taints": [taint, taint]}, "kinds": ["Node"]}),
            ("key", 'inject.labels: "not a key!"', {"inject": {"labels": {"not a key!": "a"}}}),
            ("no-class", "there is no PriorityClass gone", {"inject": {"priorityClassName": "gone"}}),
            ("loop", "others write this key and go by it", {"inject": {"annotations": {"sidecar.istio.io/status": "a"}}}),
            ("loop-beyond-cel", 'kubernetes.io/metadata.a" is not for rules: others write it and go by it', {"inject": {"labels": {"kubernetes.io/metadata.a": "a"}}}),
            ("loop-of-taints", "others put this taint on and take it off", {"inject": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]}, "kinds": ["Node"]}),
            ("system", "rules are not for the namespaces of the cluster itself", {"inject": label, "selector": {"namespaces": ["kube-system"]}}),
            ("system-by-label", "rules are not for kube-system", {"inject": label, "selector": {"namespaceSelector": {"matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["kube-system"]}]}}}),
            ("own", "rules are not for huygens-system: huygens itself lives there", {"inject": label, "selector": {"namespaces": ["huygens-system"]}})):
        said = bed.refusal(name, **more)
        assert reason in said, f"{name}: {said}"

    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    bed.client.post(path, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000})
    generation = bed.rule("classy", {"priorityClassName": "high"}, selector={"matchLabels": {"app": "classy"}})  # at once: the watch is a moment behind
    pod = make_pod(labels={"app": "classy"})
    bed.wait_rule(f"classy@{generation}", pod)
    assert bed.dry(pod)["spec"]["priority"] == 1000, bed.dry(pod)["spec"]
    bed.client.delete(f"{path}/high")
    bed.wait_gone("classy", pod)  # nor is a pod refused for it
    bed.client.patch(f"{RULES}/classy", {"spec": {"rollout": {"percent": 10}}})
    bed.client.delete(f"{RULES}/classy")


def share(bed):
    """10 % are 85 to 115 of 1000 workloads, 20 % have all of those, and another process picks the same. Each is in by a hash of its name: of six rules
    five pick so many, and always the same."""
    selector = {"matchLabels": {"app": "share"}}
    pods = [make_pod(labels={"app": "share"}, owner=f"work-{i}") for i in range(1000)]

    def chosen():
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            return {i for i, stored in enumerate(threads.map(bed.dry, pods)) if any(rule.startswith("tenth@") for rule in applied(stored))}

    def at(percent):
        """A rule for everybody beside it says when all webhooks have come that far: changes of rules come in their order."""
        bed.rule("tenth", {"annotations": {"example.com/part": "in"}}, selector=selector, rollout={"percent": percent})
        generation = bed.rule("mark", {"annotations": {"example.com/mark": str(percent)}}, selector=selector)
        bed.wait_rule(f"mark@{generation}", pods[0])
        return chosen()

    tenth = at(10)
    assert 85 <= len(tenth) <= 115, len(tenth)
    for each in bed.webhooks:
        each.process.kill()
        each.process.start()
        each.wait_ready()
    assert chosen() == tenth, "another process picks others"
    fifth = at(20)
    assert tenth < fifth and 165 <= len(fifth) <= 235, (len(tenth), len(fifth), len(tenth - fifth))
    assert at(10) == tenth
    for name in ("tenth", "mark"):
        bed.client.delete(f"{RULES}/{name}")
    return len(tenth)


def cpu_of(node):
    return node["status"]["allocatable"]["cpu"]


def oversold(bed):
    """A node that is over-sold stays so over 1000 heartbeats, follows what kubelet says, and goes back when the rule does."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"pool": "oversold"}},
            "status": {"capacity": {"cpu": "64", "memory": "256Gi"}, "allocatable": {"cpu": "64", "memory": "256Gi"}}}
    bed.rule("oversell", {"allocatable": {"cpu": {"factor": 1.5}}}, kinds=("Node",), selector={"matchLabels": {"pool": "oversold"}})
    status = "/api/v1/nodes/n1/status"

    def heartbeat(**more):
        return bed.client.call("PATCH", status, {"status": {"conditions": [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}], **more}},
            "application/strategic-merge-patch+json")

    bed.client.post("/api/v1/nodes", node)
    wait_until(lambda: all(cpu_of(heartbeat()) == "96" for _ in range(6)), lambda: f"is not over-sold: {bed.client.get('/api/v1/nodes/n1')}", 30)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        seen = {cpu_of(each) for each in threads.map(lambda _: heartbeat(), range(1000))}
    assert seen == {"96"}, seen
    for _ in range(10):  # as kubelet does, which finds another amount than its own
        assert cpu_of(heartbeat(allocatable={"cpu": "63", "memory": "256Gi"})) == "94500m"
    assert cpu_of(heartbeat(allocatable={"cpu": "94500m", "memory": "256Gi"})) == "94500m"  # somebody writes back what is sold
    read = bed.client.get("/api/v1/nodes/n1")
    assert json.loads(read["metadata"]["annotations"][BEFORE])["allocatable/cpu"] == ["63", "94500m"], read["metadata"]
    bed.client.delete(f"{RULES}/oversell")
    wait_until(lambda: all(cpu_of(heartbeat()) == "63" for _ in range(6)), lambda: f"does not go back: {bed.client.get('/api/v1/nodes/n1')}", 30)
    assert not {APPLIED, BEFORE} & bed.client.get("/api/v1/nodes/n1")["metadata"].get("annotations", {}).keys()
    bed.client.delete("/api/v1/nodes/n1")


def samples(bed):
    """config/samples/rules as it is shipped: what it is for, on what the API server stores."""
    bed.kubectl("apply", "-f", SAMPLES)
    for name, labels in (("payments", {"cluster": "payments"}), ("map", {}), ("batch", {})):
        bed.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    bed.client.patch(f"{RULES}/batch-pool", {"spec": {"mode": "enforce"}})

    # One service flat over all its StatefulSets.
    tiles = make_pod(labels={"service": "map", "app": "tiles"}, namespace="map")
    bed.wait_rule("map-flat@1", tiles)
    spread, = bed.dry(tiles)["spec"]["topologySpreadConstraints"]
    assert spread["labelSelector"] == {"matchLabels": {"service": "map"}} and spread["topologyKey"] == "kubernetes.io/hostname", spread
    # A business cluster on machines of its own.
    ledger = make_pod(labels={"app": "ledger", "spread": "off"}, namespace="payments")
    bed.wait_rule("payments-pods@1", ledger)
    stored = bed.dry(ledger)
    assert {"key": "cluster", "operator": "Equal", "value": "payments", "effect": "NoSchedule"} in stored["spec"]["tolerations"], stored["spec"]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "payments-1", "labels": {"cluster": "payments"}}}
    wait_until(lambda: {"key": "cluster", "value": "payments", "effect": "NoSchedule"} in bed.client.post("/api/v1/nodes?dryRun=All", node)["spec"].get("taints", []),
               "the machines of the cluster have no taint", 30)
    # Copies apart, of a tenth of the workloads.
    some = [bed.dry(make_pod(labels={"app": "cart"}, owner=f"cart-{i}")) for i in range(100)]
    with_copies = [pod for pod in some if pod["metadata"].get("annotations", {}).get("example.com/spread") == "copies"]
    assert 1 <= len(with_copies) <= 30, len(with_copies)
    assert all(pod["spec"]["topologySpreadConstraints"][0]["matchLabelKeys"] == ["app"] for pod in with_copies)
    # Over-sold machines, never beyond 120.
    for has, offers in (("64", "96"), ("96", "120")):
        amount = {"cpu": has, "memory": "256Gi"}
        stored = bed.client.post("/api/v1/nodes?dryRun=All", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "s", "labels": {"pool": "shared"}},
                                                             "status": {"capacity": amount, "allocatable": amount}})
        assert cpu_of(stored) == offers, stored["status"]
    # The same scheduler, another policy for a pool.
    report = make_pod(labels={"pool": "batch"}, namespace="batch")
    bed.wait_rule("batch-pool@2", report)
    stored = bed.dry(report)
    assert stored["spec"]["schedulerName"] == "huygens-scheduler" and stored["spec"]["priorityClassName"] == "batch", stored["spec"]
    assert stored["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "1" and "tolerations" not in bed.dry(make_pod(labels={"pool": "b"}))["spec"].get("affinity", {})
    bed.kubectl("delete", "-f", SAMPLES)
    bed.wait_gone("map-flat", tiles)


def down(bed):
    """Killed: objects are stored as they are written, no rule can be created, each can be deleted."""
    label = {"labels": {"pool": "down"}}
    generation = bed.rule("down", label, selector={"matchLabels": {"app": "down"}})
    pod = make_pod(labels={"app": "down"})
    bed.wait_rule(f"down@{generation}", pod)
    for each in bed.webhooks:
        each.process.kill()
    began = time.monotonic()
    assert not applied(bed.dry(pod))
    assert time.monotonic() - began < 3, "creation waits for who is not there"
    assert "failed calling webhook" in bed.refusal("later", label)
    bed.client.delete(f"{RULES}/down")
    for each in bed.webhooks:
        each.process.start()
        each.wait_ready()
    assert bed.rule("later", label, selector={"matchLabels": {"app": "down"}}) == 1
    bed.client.delete(f"{RULES}/later")


def counted(bed):
    for each in bed.webhooks:
        assert each.metric("huygens_rules_objects_total", 'result="unreadable"') == 0, each.name
    assert sum(each.metric("huygens_rule_reviews_total", 'outcome="allowed"') or 0 for each in bed.webhooks) >= 1


def rules():
    """Rules change pods, controllers and nodes as they are written, roll out by share, and are refused where they would do harm."""
    with Bed("rules") as bed:
        bed.install()
        bed.start_controllers("deployment-controller", "replicaset-controller", "garbage-collector-controller")
        for check in (injected, controllers, refused):
            check(bed)
        picked = share(bed)
        for check in (oversold, samples, down, counted):
            check(bed)
    return f"10 % picked {picked} of 1000 workloads; 1000 heartbeats moved nothing"
