"""Rules marked `always` as policies of the API server: on random objects they must do the very same as rules/ does, which the webhook uses."""
import concurrent.futures
import json
import random
import subprocess

import rule_pods
from api import ApiError, wait_until
from testbed import ControlPlane, huygens_binary

POLICIES = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
LISTS = {"Pod": "/api/v1/namespaces/{}/pods", "Deployment": "/apis/apps/v1/namespaces/{}/deployments", "Node": "/api/v1/nodes"}
OBJECTS = 1200
SETS = 12  # of rules
MARK = "rules.e2e/mark"


def dry(client, item):
    return client.post(LISTS[item["kind"]].format(item["metadata"].get("namespace")) + "?dryRun=All", item)


def dry_all(client, items):
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        return list(threads.map(lambda item: dry(client, item), items))


def comparable(item):
    """Without what differs from call to call, and without what is as good as absent."""
    item = json.loads(json.dumps(item))
    for key in ("uid", "creationTimestamp", "managedFields", "resourceVersion", "generation"):
        item["metadata"].pop(key, None)
    for key in ("status", "kind", "apiVersion"):
        item.pop(key, None)
    for key in ("priority", "preemptionPolicy"):  # the API server works them out once more, after the policy
        item.get("spec", {}).pop(key, None)

    def without_nothing(value):
        if isinstance(value, dict):
            cleaned = {key: without_nothing(each) for key, each in value.items()}
            return {key: each for key, each in cleaned.items() if each not in ({}, [], None)}
        return [without_nothing(each) if each != {} else each for each in value] if isinstance(value, list) else value

    return without_nothing(item)


def huygens_rules(bed, *arguments):
    done = subprocess.run([huygens_binary(), "rules", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)["items"]


def list_of(item):
    return "/apis/admissionregistration.k8s.io/v1/" + ("mutatingadmissionpolicybindings" if item["kind"].endswith("Binding") else "mutatingadmissionpolicies")


def install(bed, policies):
    for item in policies:
        bed.client.post(list_of(item), item)


def remove(bed, policies):
    for item in policies:
        bed.client.delete(f"{list_of(item)}/{item['metadata']['name']}")


def write(path, items):
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


def marked(item, number):
    """A rule for everybody, from which it shows that the policies of this set are in force."""
    mark = {"apiVersion": "huygens.dev/v1alpha1", "kind": "SchedulingRule", "metadata": {"name": f"mark-{number}", "generation": 1},
            "spec": {"mode": "enforce", "always": True, "priority": -9, "selector": {"kinds": ["Pod", "Deployment"]}, "inject": {"annotations": {MARK: str(number)}}}}
    nodes = json.loads(json.dumps(mark))
    nodes["metadata"]["name"] += "-nodes"
    nodes["spec"]["selector"]["kinds"] = ["Node"]
    return [*item, mark, nodes]


def mark_of(stored):
    metadata = stored["spec"]["template"]["metadata"] if "template" in stored.get("spec", {}) else stored["metadata"]
    return metadata.get("annotations", {}).get(MARK)


def one_set(bed, number, seed):
    """The numbers of objects that were compared, and of those that were changed."""
    words, client = rule_pods.Words(random.Random(seed + number)), bed.client
    rules = marked([words.rule(i) for i in range(words.random.randrange(2, 7))], number)
    written = [words.pod(i) if i % 10 < 7 else words.deployment(i) if i % 10 < 9 else words.node(i) for i in range(OBJECTS // SETS)]
    without = [stored | {"kind": item["kind"], "apiVersion": item["apiVersion"]} for item, stored in zip(written, dry_all(client, written))]
    spaces = client.get("/api/v1/namespaces")["items"]
    for each in without:
        each.pop("status", None)
    files = bed.directory / f"set-{number}"
    files.mkdir()
    rule_file = write(files / "rules.json", rules)
    policies = huygens_rules(bed, "compile", rule_file)
    wanted = huygens_rules(bed, "apply", rule_file, write(files / "objects.json", [each | {"apiVersion": "v1", "kind": "Namespace"} for each in spaces] + without))
    assert len(wanted) == len(written), (len(wanted), len(written))
    install(bed, policies)
    probes = [words.deployment(9000), words.node(9001), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe", "namespace": "shop"},
                                                        "spec": {"containers": rule_pods.CONTAINERS}}]
    for probe in probes:
        probe["metadata"].pop("annotations", None)
        wait_until(lambda probe=probe: mark_of(dry(client, probe)) == str(number), f"the policy for {probe['kind']} is not in force", 30)
    changed = 0
    for item, before, want, got in zip(written, without, wanted, dry_all(client, written)):
        is_, should = comparable(got), comparable(want)
        assert is_ == should, "the policy and the engine differ:\n" + "\n".join(
            json.dumps(each, sort_keys=True) for each in ({"set": number, "seed": seed}, rules, item, is_, should))
        changed += should != comparable(before)
        priority = {None: 0, "high": 101, "low": 100}
        if item["kind"] == "Pod":
            assert got["spec"]["priority"] == priority[got["spec"].get("priorityClassName")], got["spec"]
    remove(bed, policies)
    for probe in probes:
        wait_until(lambda probe=probe: mark_of(dry(client, probe)) is None, f"the policy for {probe['kind']} is still in force", 30)
    return len(written), changed


def rule_policies():
    """Rules compiled to MutatingAdmissionPolicies do on random pods, Deployments and nodes what the webhook's engine does; none is refused or dropped."""
    seed = 20
    with ControlPlane("rule_policies") as bed:
        client = bed.client
        for name, labels in rule_pods.SPACES.items():
            client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        for i, name in enumerate(reversed(rule_pods.CLASSES)):
            client.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 100 + i})
        counts = [one_set(bed, number, seed) for number in range(SETS)]
        try:
            client.post(POLICIES, {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "bad"}, "spec": {}})
        except ApiError:
            pass  # the API server does look at policies
        else:
            raise AssertionError("the API server takes any policy")
    objects, changed = (sum(each) for each in zip(*counts))
    assert changed > objects / 2, (changed, objects)
    return f"{objects} objects alike, {changed} of them changed, by {SETS} sets of rules"
