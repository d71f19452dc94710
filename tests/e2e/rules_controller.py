"""Policy as data, what `huygens controller` does of it: objects that stand already, policies of the API server, the status of rules and their history;
and what becomes of objects while no webhook answers."""
import json
import subprocess
import time

import overcommit
import rules
from api import ApiError, wait_until
from controller import Controller
from rendered import objects
from rules import APPLIED, BEFORE, DEPLOYMENTS, PODS, RULES, applied, make_pod
from testbed import CONFIG, Process, free_port, huygens_binary, replaced

POLICIES = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
NODES = "/api/v1/nodes"


class Keeper(Controller):
    """One `huygens controller` with the shipped configuration and permissions, that keeps rules."""

    def __init__(self, bed, name):
        self.name, self.admin_port = name, free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "controller" / "controller.yaml").read_text(), {
            "adminAddress: 0.0.0.0:8889": f"adminAddress: 127.0.0.1:{self.admin_port}",
            'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig('controller-token')}",
            "  resync: 5m": "  rules: {mode: enforce, writesPerSecond: 50}\n  resync: 5m"}) + "\nrules: {excludedNamespaces: [huygens-system]}\n")
        self.process = Process(name, [huygens_binary(), "controller", "--config", self.config], bed.directory, grace=30)


class Bed(rules.Bed):
    def install(self):
        super().install()
        for part in ("controller", "rules-controller"):
            kept = [item for item in objects(self, "-k", CONFIG / part) if item["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")]
            self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": kept}))
        self.keepers = [Keeper(self, f"controller-{i}") for i in range(2)]
        self.extenders += self.keepers
        for each in self.keepers:
            each.wait_ready()
        self.leader()

    def leader(self):
        return wait_until(lambda: next((each for each in self.keepers if each.process.running() and each.leads()), None), "nobody leads", 60)

    def pod(self, name, namespace="default"):
        return self.client.get(f"/api/v1/namespaces/{namespace}/pods/{name}")

    def status(self, rule):
        return self.client.get(f"{RULES}/{rule}").get("status", {})

    def condition(self, rule, kind):
        return next((each for each in self.status(rule).get("conditions", []) if each["type"] == kind), {})

    def huygens(self, *arguments, code=0):
        done = subprocess.run([huygens_binary(), "rules", *map(str, arguments), "--kubeconfig", str(self.kubeconfig("admin-token"))], capture_output=True, text=True)
        assert done.returncode == code, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def wait(self, condition, what, seconds=40):
        """`what`: what is looked at, to be told where it does not come to be."""
        return wait_until(condition, lambda: f"not so after {seconds} s: {what() if callable(what) else what}", seconds)


def file_with(bed, name, *items):
    path = bed.directory / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    return path


def rule_of(name, inject, kinds=("Pod",), selector=None, **more):
    return {"apiVersion": "huygens.dev/v1alpha1", "kind": "SchedulingRule", "metadata": {"name": name},
            "spec": {"mode": "enforce", "selector": {"kinds": list(kinds), **(selector or {})}, "inject": inject, **more}}


def standing_objects(bed):
    """What is there already gets what can be changed in place, with its record; what only a new pod would have is told; each goes back with the rule."""
    client = bed.client
    client.post(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "b"}},
                        "status": {"capacity": {"cpu": "64", "memory": "256Gi"}, "allocatable": {"cpu": "64", "memory": "256Gi"}}})
    for name in ("old-0", "old-1"):
        client.post(PODS, make_pod(name, labels={"app": "old"}, nodeName="n1"))
    client.post(PODS, make_pod("old-skips", labels={"app": "old", "rules.huygens.dev/skip": "true"}, nodeName="n1"))
    client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "left-out", "labels": {"huygens.dev/rules": "ignore"}}})
    client.post("/api/v1/namespaces/left-out/pods", make_pod("old-0", labels={"app": "old"}, namespace="left-out"))
    inject = {"labels": {"pool": "shared"}, "tolerations": [{"key": "pool", "operator": "Exists"}],
              "nodeAffinity": {"required": [{"key": "zone", "operator": "In", "values": ["a"]}]}}
    said = bed.huygens("diff", "-f", file_with(bed, "diff.json", rule_of("old", inject, selector={"matchLabels": {"app": "old"}})))
    assert "Pod default/old-0" in said and "/metadata/labels/pool" in said and "only a new pod has it; its node does not meet it" in said, said
    assert "2 of 5 objects would change in place, 2 pods would have to be made anew, 2 of them are on a node where they may not be" in said, said
    bed.rule("old", inject, selector={"matchLabels": {"app": "old"}})
    for name in ("old-0", "old-1"):
        bed.wait(lambda name=name: bed.pod(name)["metadata"]["labels"].get("pool") == "shared", lambda name=name: bed.pod(name)["metadata"])
        assert {"key": "pool", "operator": "Exists"} in bed.pod(name)["spec"]["tolerations"], bed.pod(name)["spec"]
        assert "affinity" not in bed.pod(name)["spec"]
    right = {"matched": 2, "applied": 0, "needNewPods": 2, "misplaced": 2}
    bed.wait(lambda: right.items() <= bed.status("old").items(), lambda: bed.status("old"))
    assert bed.condition("old", "Valid")["status"] == "True" and bed.condition("old", "Carried")["status"] == "False", bed.status("old")
    for namespace, name in (("default", "old-skips"), ("left-out", "old-0")):
        assert "pool" not in bed.pod(name, namespace)["metadata"]["labels"], (namespace, name)
    explained = bed.huygens("explain", "old-0")
    assert "old@1" in explained and "labels/pool" in explained and "nodeAffinity/required" in explained, explained
    # On a node where it may stay the pod only lacks what it does not say.
    client.patch(f"{NODES}/n1", {"metadata": {"labels": {"zone": "a"}}})
    bed.wait(lambda: bed.status("old").get("misplaced", 0) == 0 and bed.status("old").get("needNewPods") == 2, lambda: bed.status("old"))
    client.delete(f"{RULES}/old")
    for name in ("old-0", "old-1"):  # the toleration stays, and with it the record that the pod has it from the rule
        bed.wait(lambda name=name: "pool" not in bed.pod(name)["metadata"]["labels"] and BEFORE not in bed.pod(name)["metadata"]["annotations"],
                 lambda name=name: bed.pod(name)["metadata"])
    assert applied(bed.pod("old-0")) == ["old@1"], bed.pod("old-0")["metadata"]
    for name in ("old-0", "old-1", "old-skips"):
        client.delete(f"{PODS}/{name}")


def oversold(bed):
    """A node is sold without a heartbeat, and is what it was when the rule is gone."""
    client = bed.client
    bed.rule("sell", {"labels": {"sold": "yes"}, "allocatable": {"cpu": {"factor": 1.5}}}, kinds=("Node",))
    node = lambda: client.get(f"{NODES}/n1")  # noqa: E731
    bed.wait(lambda: node()["status"]["allocatable"]["cpu"] == "96" and node()["metadata"]["labels"].get("sold") == "yes", node)
    bed.wait(lambda: bed.status("sell").get("applied") == 1 and bed.condition("sell", "Carried").get("status") == "True", lambda: bed.status("sell"))
    version = node()["metadata"]["resourceVersion"]
    client.delete(f"{RULES}/sell")
    bed.wait(lambda: node()["status"]["allocatable"]["cpu"] == "64" and "sold" not in node()["metadata"]["labels"], node)
    bed.wait(lambda: not {APPLIED, BEFORE} & node()["metadata"].get("annotations", {}).keys(), node)
    assert node()["metadata"]["resourceVersion"] != version


def policies(bed):
    """They follow the rules that are marked always; one of this name that is not ours is left alone, and so is what cannot be compiled."""
    client, label = bed.client, {"matchLabels": {"app": "always"}}
    bed.rule("always", {"labels": {"pool": "one"}}, selector=label, always=True)
    bed.rule("always-by-factor", {"resources": {"requests": {"cpu": {"factor": 0.5}}}}, selector=label, always=True)
    bed.wait(lambda: bed.condition("always", "PoliciesInStep").get("status") == "True", lambda: bed.status("always"))
    bed.wait(lambda: "exact arithmetic" in bed.condition("always-by-factor", "PoliciesInStep").get("message", ""), lambda: bed.status("always-by-factor"))
    client.delete(f"{RULES}/always-by-factor")
    policy = lambda: client.get(f"{POLICIES}/huygens-rules-pod")  # noqa: E731
    assert "always@1" in json.dumps(policy()), policy()
    bed.rule("always", {"labels": {"pool": "two"}}, selector=label, always=True)
    bed.wait(lambda: "always@2" in json.dumps(policy()), policy)
    # Nothing is written again that is as it should be: two rounds of a minute would be long, so that it is begun anew.
    version = policy()["metadata"]["resourceVersion"]
    leader = bed.leader()
    leader.process.kill()
    other, = [each for each in bed.keepers if each is not leader]
    wait_until(other.leads, "nobody takes over", 60)
    bed.wait(lambda: other.metric("huygens_controller_reconciles_total", 'reconciler="rulePolicies",result="ok"') >= 1, lambda: other.admin("/metrics"))
    assert policy()["metadata"]["resourceVersion"] == version, policy()
    leader.process.start()
    leader.wait_ready()
    client.delete(f"{RULES}/always")

    def gone(path):
        try:
            client.get(path)
        except ApiError as error:
            return error.code == 404
        return False

    bed.wait(lambda: gone(f"{POLICIES}/huygens-rules-pod") and gone(f"{POLICIES[:-3]}ybindings/huygens-rules-pod"), policy)
    foreign = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "huygens-rules-pod"}, "spec": {
        "failurePolicy": "Ignore", "reinvocationPolicy": "Never", "matchConstraints": {"resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}]},
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'test', path: '/metadata/name', value: object.metadata.name}]"}}]}}
    client.post(POLICIES, foreign)
    bed.rule("always", {"labels": {"pool": "one"}}, selector=label, always=True)
    bed.wait(lambda: "did not make" in bed.condition("always", "PoliciesInStep").get("message", ""), lambda: bed.status("always"))
    assert policy()["spec"]["mutations"] == foreign["spec"]["mutations"], policy()
    client.delete(f"{POLICIES}/huygens-rules-pod")
    client.delete(f"{RULES}/always")


def history(bed):
    """What a rule said is kept, and one command takes it back; what is gone back to is the newest then, as with kubectl rollout undo."""
    selector = {"matchLabels": {"app": "past"}}
    for pool in ("one", "two", "three"):
        generation = bed.rule("past", {"labels": {"pool": pool}}, selector=selector)
        bed.kubectl("annotate", "schedulingrule", "past", f"kubernetes.io/change-cause=to {pool}", "--overwrite")
        bed.wait(lambda generation=generation: f" {generation} " in bed.huygens("history", "past"), lambda: bed.huygens("history", "past"))
    said = bed.huygens("history", "past")
    assert said.splitlines()[1].split() == ["REVISION", "GENERATION", "FIRST", "SAID", "CHANGE-CAUSE"] and "3 (now)" in said, said
    assert '~ /inject/labels/pool: "one"' in bed.huygens("history", "past", "--revision", "1")
    pool = lambda: bed.client.get(f"{RULES}/past")["spec"]["inject"]["labels"]["pool"]  # noqa: E731
    assert "taken back to revision 2 (dry run)" in bed.huygens("back", "past", "--dry-run") and pool() == "three"
    said = bed.huygens("back", "past")
    assert "taken back to revision 2\n" in said and '~ /inject/labels/pool: "two"' in said and pool() == "two", said
    bed.wait(lambda: "4 (now)" in bed.huygens("history", "past"), lambda: bed.huygens("history", "past"))
    assert "taken back to revision 1\n" in bed.huygens("back", "past", "--revision", "1") and pool() == "one"
    assert "has no revision 77" in bed.huygens("back", "past", "--revision", "77", code=1)
    kept = bed.client.get("/apis/apps/v1/namespaces/kube-system/controllerrevisions")["items"]
    assert {each["metadata"]["ownerReferences"][0]["name"] for each in kept if each["metadata"]["labels"].get("rules.huygens.dev/rule") == "past"} == {"past"}, kept
    bed.client.delete(f"{RULES}/past")


def quiet(bed):
    """Where nothing changes, nothing is written."""
    writes = lambda: len([event for event in bed.audit() if event["user"]["username"].endswith("huygens-controller")  # noqa: E731
                          and event["verb"] not in ("get", "list", "watch") and event["objectRef"]["resource"] not in ("leases", "tokenreviews")])
    bed.client.post(PODS, make_pod("calm", labels={"app": "calm"}))
    bed.rule("calm", {"labels": {"pool": "calm"}}, selector={"matchLabels": {"app": "calm"}})
    bed.wait(lambda: bed.status("calm").get("applied") == 1, lambda: bed.status("calm"))
    wait_until(lambda: (before := writes()) == (time.sleep(6) or writes()) and before, "writes do not end", 60)
    version = bed.client.get(f"{RULES}/calm")["metadata"]["resourceVersion"]
    bed.client.patch(f"{PODS}/calm", {"metadata": {"annotations": {"other": "change"}}})
    time.sleep(8)  # longer than the pause between two writes of the status
    assert bed.client.get(f"{RULES}/calm")["metadata"]["resourceVersion"] == version
    bed.client.delete(f"{RULES}/calm")
    bed.client.delete(f"{PODS}/calm")


def rules_controller():
    """Objects that stand get what they can have in place; policies follow the rules; status and history are kept; one command goes back."""
    with Bed("rules_controller") as bed:
        bed.install()
        bed.start_controllers("garbage-collector-controller")
        for check in (standing_objects, oversold, policies, history, quiet):
            check(bed)


def rules_outage():
    """The webhook killed: pods are created, rules marked always hold, and what others lack is repaired within a minute once it can be."""
    with Bed("rules_outage") as bed:
        bed.install()
        bed.start_controllers("deployment-controller", "replicaset-controller")
        client = bed.client
        selector = {"matchLabels": {"app": "outage"}}
        bed.rule("always", {"labels": {"pool": "always"}, "tolerations": [{"key": "pool", "operator": "Exists"}]}, selector=selector, always=True, priority=1)
        bed.rule("webhook", {"labels": {"by": "webhook"}, "annotations": {"example.com/a": "b"}}, selector=selector)
        pod = make_pod("before", labels={"app": "outage"})
        bed.wait_rule("webhook@1", pod)
        bed.wait(lambda: bed.condition("always", "PoliciesInStep").get("status") == "True", lambda: bed.status("always"))
        whole = client.post(PODS, pod)
        assert applied(whole) == ["always@1", "webhook@1"], whole["metadata"]
        for each in bed.webhooks:
            each.process.kill()
        for each in bed.keepers:  # so that nobody repairs before it was looked at
            each.process.kill()
        began = time.monotonic()
        deployment = overcommit.make_deployment("outage", pool=None, replicas=20)
        client.post(DEPLOYMENTS, deployment)
        wait_until(lambda: len(bed.pods_of("outage")) == 21, "creation does not go on", 60)
        for each in bed.pods_of("outage"):
            if each["metadata"]["name"] == "before":
                continue
            assert applied(each) == ["always@1"] and each["metadata"]["labels"]["pool"] == "always", each["metadata"]
            assert {"key": "pool", "operator": "Exists"} in each["spec"]["tolerations"] and "by" not in each["metadata"]["labels"]
        took = time.monotonic() - began
        for each in bed.keepers:
            each.process.start()
        for each in bed.keepers:
            each.wait_ready()
        began = time.monotonic()
        wait_until(lambda: all(applied(each) == ["always@1", "webhook@1"] for each in bed.pods_of("outage")), lambda: [each["metadata"] for each in bed.pods_of("outage")][:3], 60)
        repaired = time.monotonic() - began
        # As it would have been with the webhook, to the letter.
        keys = lambda item: ({key: value for key, value in item["metadata"]["labels"].items() if key != "pod-template-hash"}, item["metadata"]["annotations"])  # noqa: E731
        for each in bed.pods_of("outage"):
            assert keys(each) == keys(whole), (keys(each), keys(whole))
        bed.wait(lambda: bed.status("webhook").get("applied") == 21, lambda: bed.status("webhook"))
        for each in bed.webhooks:
            each.process.start()
            each.wait_ready()
        bed.wait_rule("webhook@1", make_pod("after", labels={"app": "outage"}))
    return f"20 pods in {took:.1f} s without a webhook, repaired after {repaired:.1f} s"
