"""Nodes of several models, a tree of business groups, and pods that ask for more than it has. Same seed, same workload."""
import budgets
import oracle
import workload
from budgets import GROUP, group_of
from testbed import SCHEDULER_NAME

NODE_CPUS, NODE_GIB, NODE_GPUS = 32, 128, 8
# Keys of every budget of the tree, and what one unit of their amounts is written as.
UNITS = {"limits.cpu": "", "limits.cpu.A4": "", "limits.memory": "Gi", "requests.nvidia.com/gpu": "", "requests.nvidia.com/gpu.A30": ""}


def unit(key):
    return 1000 * oracle.SUFFIXES[UNITS[key]]


def written(amounts):
    """Amounts as a budget says them, in whole units, rounded up."""
    return {key: f"{-(-amounts.get(key, 0) // unit(key))}{suffix}" for key, suffix in UNITS.items()}


def make_node(index):
    models = {"huygens.dev/cpu-model": "A4" if index % 3 == 0 else "X9"}
    amounts = {"cpu": str(NODE_CPUS), "memory": f"{NODE_GIB}Gi", "pods": "110"}
    if index % 2:
        models["huygens.dev/gpu-model"] = "A30" if index % 4 == 1 else "A100.80GB"
        amounts["nvidia.com/gpu"] = str(NODE_GPUS)
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": workload.node_name(index), "labels": models},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def make_group(name, parent="", **hard):
    return {"apiVersion": "quota.huygens.dev/v1alpha1", "kind": "BizGroupResourceQuota", "metadata": {"name": name},
            "spec": {"parentBizGroup": parent, "hard": hard}}


def reserved(status):
    """The UIDs of what is reserved in a group, by its status."""
    return [line.split(" ")[-1] for line in status.get("reservations", "").splitlines()]


def container(name, cpus, gib=1, gpus=0):
    amounts = {"cpu": cpus, "memory": f"{gib}Gi"}
    if gpus:
        amounts["nvidia.com/gpu"] = str(gpus)
    return {"name": name, "image": "image", "resources": {"requests": amounts, "limits": amounts}}


def make_pod(name, group, cpus="1", gib=1, gpus=0, **models):
    """`models`: cpu="A4", gpu="A30"."""
    marks = {GROUP: group} if group else {}
    marks.update({f"{GROUP}/{kind}-type": model for kind, model in models.items()})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": marks},
            "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 0, "containers": [container("app", cpus, gib, gpus)]}}


def random_pod(rng, index, groups):
    name, group, gib = f"pod-{index:04d}", rng.choice(groups), rng.randint(1, 3)
    shape = rng.random()
    if shape < 0.08:
        return make_pod(name, None, "2", gib)
    if shape < 0.45:
        return make_pod(name, group, rng.choice(["500m", "1", "1500m", "2", "3"]), gib)
    if shape < 0.68:
        return make_pod(name, group, rng.choice(["1", "2", "3"]), gib, cpu="A4")
    if shape < 0.80:
        return make_pod(name, group, "1", gib, rng.randint(1, 2), gpu="A30")
    if shape < 0.90:
        return make_pod(name, group, "1", gib, 1, gpu="A100")  # general to A100.80GB
    pod = make_pod(name, group, "1", gib)
    pod["spec"]["initContainers"] = [{**container("proxy", "200m"), "restartPolicy": "Always"}, container("migrate", "3")]
    return pod


def make_tree(rng, pods):
    """Three levels, parents first: budgets of 40 to 80 percent of what the group's own pods ask for, and what is handed down."""
    tree = {"org": ""} | {f"dept-{d}": "org" for d in range(3)} | {f"team-{d}{t}": f"dept-{d}" for d in range(3) for t in range(3)}
    asked = {name: {} for name in tree}
    budget = {name: {} for name in tree}
    for pod in pods(list(tree)):
        if group_of(pod):
            budgets.add(asked[group_of(pod)], budgets.usage(pod))
    for name in reversed(tree):
        for key in UNITS:
            own = asked[name].get(key, 0) * rng.choice([4, 6, 8]) // 10
            budgets.add(budget[name], {key: -(-own // unit(key)) * unit(key)})
        if tree[name]:
            budgets.add(budget[tree[name]], budget[name])
    return [make_group(name, parent, **written(budget[name])) for name, parent in tree.items()]
