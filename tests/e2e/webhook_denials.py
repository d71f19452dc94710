"""What kubectl prints of each refusal, word by word, by the numbers of the rules in docs/quota.md."""
import json

from admission import make_deployment
from budgets import GROUP
from quota_workload import container, make_group
from testbed import GROUPS_PATH

WORKLOADS = 'admission webhook "workloads.quota.huygens.dev" denied the request: '
SCALE = 'admission webhook "scale.quota.huygens.dev" denied the request: '
GROUPS = 'admission webhook "groups.quota.huygens.dev" denied the request: '
PODS = 'admission webhook "pods.quota.huygens.dev" denied the request: '
AUTOSCALERS = 'admission webhook "autoscalers.quota.huygens.dev" denied the request: '


def forbidden(where, text):
    return f'Error from server (Forbidden): error when creating "STDIN": {where}{text}\n'


def forbidden_change(where, text):
    return f"Error from server (Forbidden): {where}{text}\n"


def deployment(name, group, replicas=1, cpus="1", gib=1, gpus=0, **models):
    """`models`: cpu="A4"."""
    item = make_deployment(name, group, replicas)
    item["metadata"]["labels"].update({f"{GROUP}/{kind}-type": model for kind, model in models.items()})
    item["spec"]["template"]["spec"]["containers"] = [container("app", cpus, gib, gpus)]
    return item


class Denials:
    def __init__(self, bed):
        self._bed, self.count = bed, 0

    def create(self, item, expected=""):
        """kubectl create of it: taken where nothing is expected, else refused in these words; and the same as a dry run before, which writes nothing."""
        text = json.dumps(item)
        before = self._versions()
        for dry in (True, False):
            made = self._bed.kubectl("create", *(["--dry-run=server"] if dry else []), "-f", "-", stdin=text, check=False)
            assert made.stderr == expected, f"{item['kind']} {item['metadata']['name']}{' (dry run)' if dry else ''}: {made.stderr!r} is not {expected!r}"
            assert (made.returncode == 0) == (expected == "" or expected.startswith("Warning: ")), made.returncode
            if dry:
                assert self._versions() == before, f"a dry run of {item['metadata']['name']} wrote into a group"
        self.count += bool(expected)

    def kubectl(self, *arguments, expected="", stdin=None):
        done = self._bed.kubectl(*arguments, check=False, stdin=stdin)
        assert done.stderr == expected, f"kubectl {' '.join(arguments)}: {done.stderr!r} is not {expected!r}"
        self.count += bool(expected)

    def _versions(self):
        return [(item["metadata"]["name"], item["metadata"]["resourceVersion"]) for item in self._bed.client.get(GROUPS_PATH)["items"]]


def tree(bed, say):
    """N1, T1 to T8."""
    bed.make_group("org", **{"limits.cpu": "10", "limits.memory": "100Gi"})
    bed.make_group("other")  # T1: another root
    say.create(make_group("dept", "nowhere", **{"limits.cpu": "1"}), forbidden(GROUPS, "bizrq/dept: parent nowhere: no such group"))
    say.create(make_group("dept", "org", **{"limits.cpu": "1"}), forbidden(GROUPS, "bizrq/dept: dept must limit what its parent org limits: limits.memory"))
    say.create(make_group("dept", "org", **{"limits.cpu": "10001m", "limits.memory": "1Gi"}), 
               forbidden(GROUPS, "bizrq/dept: parent org has 10 of 10 limits.cpu left, 10001m more wanted"))
    say.create(make_group("org"), forbidden(GROUPS, "bizrq/org exists"))  # N1; known by now: else the API server says that it is there
    bed.make_group("dept", "org", **{"limits.cpu": "10", "limits.memory": "1Gi"})
    assert bed.used("org") == "10", bed.status("org")  # T5: the parent was charged before there was a child
    say.create(make_group("second", "org", **{"limits.cpu": "1m", "limits.memory": "1Gi"}), 
               forbidden(GROUPS, "bizrq/second: parent org has 0 of 10 limits.cpu left, 1m more wanted"))
    say.kubectl("patch", "bizrq/dept", "--type=merge", "-p", '{"spec":{"parentBizGroup":"other"}}', 
                expected='The BizGroupResourceQuota "dept" is invalid: spec.parentBizGroup: Invalid value: "other": parentBizGroup cannot be changed\n')
    say.kubectl("delete", "bizrq/org", expected=forbidden_change(GROUPS, "bizrq/org: it has children: dept"))
    say.kubectl("patch", "bizrq/dept", "--type=merge", "-p", '{"spec":{"hard":{"limits.cpu":"11"}}}', 
                expected=forbidden_change(GROUPS, "bizrq/dept: parent org has 0 of 10 limits.cpu left, 1 more wanted"))
    say.kubectl("patch", "bizrq/dept", "--type=merge", "-p", '{"spec":{"hard":{"limits.memory":"2Gi"}}}')
    assert bed.used("org", "limits.memory") == "2Gi", bed.status("org")


def models(bed, say):
    """P1 to P3."""
    bed.make_group("p1", **{"limits.cpu": "10", "limits.cpu.A4": "4"})
    say.create(deployment("p1-four", "p1", 4, cpu="A4"), "Warning: quota bizrq/p1: limits.cpu.A4 used 4 of 4\n")
    assert (bed.used("p1"), bed.used("p1", "limits.cpu.A4")) == ("4", "4"), bed.status("p1")
    say.create(deployment("p1-fifth", "p1", cpu="A4"), forbidden(WORKLOADS, "quota bizrq/p1: limits.cpu.A4 used 4 of 4, requested 1"))
    say.create(deployment("p1-six", "p1", 6), "Warning: quota bizrq/p1: limits.cpu used 10 of 10\n")
    say.create(deployment("p1-seventh", "p1"), forbidden(WORKLOADS, "quota bizrq/p1: limits.cpu used 10 of 10, requested 1"))
    bed.make_group("p2", **{"limits.cpu": "10", "limits.cpu.A4": "100"})
    say.create(deployment("p2", "p2", 11, cpu="A4"), forbidden(WORKLOADS, "quota bizrq/p2: limits.cpu used 0 of 10, requested 11"))
    bed.make_group("p3", **{"requests.nvidia.com/gpu": "8", "requests.nvidia.com/gpu.A30": "2", "limits.memory": "64Gi", "limits.memory.DDR5": "3Gi"})
    say.create(deployment("p3-gpus", "p3", 3, gpus=1, gpu="A30"), forbidden(WORKLOADS, "quota bizrq/p3: requests.nvidia.com/gpu.A30 used 0 of 2, requested 3"))
    say.create(deployment("p3-memory", "p3", 2, gib=2, memory="DDR5"), forbidden(WORKLOADS, "quota bizrq/p3: limits.memory.DDR5 used 0 of 3Gi, requested 4Gi"))
    say.create(deployment("p3-both", "p3", 9, gib=1, gpus=1, gpu="A30", memory="DDR5"), forbidden(
        WORKLOADS, "quota bizrq/p3: limits.memory.DDR5 used 0 of 3Gi, requested 9Gi; requests.nvidia.com/gpu used 0 of 8, requested 9; "
        "requests.nvidia.com/gpu.A30 used 0 of 2, requested 9"))


def workloads(bed, say):
    """W1, W4, K3, A9, A11, A12, A16, and scale."""
    bed.make_group("team", **{"limits.cpu": "4"})
    say.create(deployment("whole", "team", 5), forbidden(WORKLOADS, "quota bizrq/team: limits.cpu used 0 of 4, requested 5"))
    say.create(deployment("web", "team", 3))
    silent = deployment("silent", "team")
    del silent["spec"]["template"]["spec"]["containers"][0]["resources"]
    say.create(silent, forbidden(WORKLOADS, "quota bizrq/team: must specify limits.cpu for: app"))
    say.create(deployment("lost", "teem"), forbidden(WORKLOADS, "quota bizrq/teem: no such group"))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone", "namespace": "default", "labels": {GROUP: "team"}},
           "spec": {"containers": [container("app", "2")]}}
    say.create(pod, forbidden(PODS, "quota bizrq/team: limits.cpu used 3 of 4, requested 2"))
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": "default"},
              "spec": {"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}}
    too_many = forbidden(AUTOSCALERS, "maxReplicas 5: quota bizrq/team: limits.cpu used 3 of 4, requested 2")
    say.create(scaler, too_many)
    say.create({**scaler, "apiVersion": "autoscaling/v1"}, too_many)
    say.kubectl("scale", "deployment/web", "--replicas=5", expected=forbidden_change(SCALE, "quota bizrq/team: limits.cpu used 3 of 4, requested 2"))
    say.kubectl("label", "deployment/web", f"{GROUP}=p2", "--overwrite")
    say.kubectl("label", "deployment/web", f"{GROUP}=teem", "--overwrite", expected=forbidden_change(WORKLOADS, "quota bizrq/teem: no such group"))
    bed.make_group("spent", **{"limits.cpu": "4", "cash/limits.cpu": "100"})
    bed.count("spent", **{"cash/limits.cpu": "100"})
    say.create(deployment("late", "spent"), forbidden(WORKLOADS, "quota bizrq/spent: cash/limits.cpu used 100 of 100"))


def check_denials(bed):
    say = Denials(bed)
    for part in (tree, models, workloads):
        part(bed, say)
    return f"{say.count} refusals word by word, also as dry runs"
