"""What the pods of business groups take of their budgets, counted from API objects alone and sharing no code with huygens.

All amounts are in thousandths: of cores, of bytes, of GPUs.
"""
import oracle

GROUP = "biz.group.resource.quota"
# The keys of the test bed's budgets: where a pod says the amount, and the label that names the model.
COUNTED = (("limits.cpu", "limits", "cpu", "cpu-type"), ("limits.memory", "limits", "memory", "memory-type"),
           ("requests.nvidia.com/gpu", "requests", "nvidia.com/gpu", "gpu-type"))


def labels(item):
    return item["metadata"].get("labels") or {}


def group_of(pod):
    return labels(pod).get(GROUP)


def models_of(nodes):
    """{node: {"cpu-type": "A4"}}, as the nodes' labels say."""
    return {node["metadata"]["name"]: {f"{kind}-type": labels(node)[f"huygens.dev/{kind}-model"]
                                       for kind in ("cpu", "gpu", "memory") if labels(node).get(f"huygens.dev/{kind}-model")}
            for node in nodes}


def usage(pod, node=()):
    """{key: amount}; a model counts generally and for each front of its name: the one that the pod names, or else, or where that is but the
    front of it, the node's (one of models_of)."""
    amounts = {}
    for key, side, resource, label in COUNTED:
        amount = oracle.node_request(pod, lambda given, resource=resource: oracle.quantity(given.get(resource, 0), 1000), side)
        if not amount:
            continue
        amounts[key] = amount
        named, has = labels(pod).get(f"{GROUP}/{label}", ""), dict(node).get(label, "")
        parts = (has if not named or has.startswith(named + ".") else named).split(".")
        for length in range(1, len(parts) + 1 if parts[0] else 1):
            amounts[".".join([key, *parts[:length]])] = amount
    return amounts


def holds(pod):
    """Whether the pod is charged: from bind to end, whatever its deletionTimestamp."""
    return oracle.bound(pod) and not oracle.ended(pod)


def hard(group):
    return {key: oracle.quantity(amount, 1000) for key, amount in group["spec"]["hard"].items()}


def add(amounts, more):
    for key, amount in more.items():
        amounts[key] = amounts.get(key, 0) + amount


class Budgets:
    """Groups and pods at one moment."""

    def __init__(self, groups=(), pods=(), nodes=()):
        self.hard, self.held, self._parents = {}, {}, {}  # held: uid -> (group, amounts)
        self._models = models_of(nodes)
        for group in groups:
            self.set_group(group)
        for pod in pods:
            self.set_pod(pod)

    def set_group(self, group, gone=False):
        name = group["metadata"]["name"]
        self.hard.pop(name, None)
        if not gone:
            self.hard[name], self._parents[name] = hard(group), group["spec"]["parentBizGroup"]

    def set_pod(self, pod, gone=False):
        uid = pod["metadata"]["uid"]
        if gone or not holds(pod) or not group_of(pod):
            self.held.pop(uid, None)
        elif uid not in self.held:
            self.held[uid] = group_of(pod), usage(pod, self._models.get(pod["spec"]["nodeName"], ()))

    def used(self):
        """{group: {key: amount}}: own pods, and what was handed to child groups, counted as their budgets."""
        used = {name: {} for name in self.hard}
        for name, amounts in self.held.values():
            add(used.setdefault(name, {}), amounts)
        for name, amounts in self.hard.items():
            if self._parents[name]:
                add(used.setdefault(self._parents[name], {}), amounts)
        return used

    def lacking(self, pod, used):
        """The keys for which the pod does not fit into its group; `used`: what used() says."""
        name = group_of(pod)
        room = self.hard[name]
        return [key for key, amount in usage(pod).items() if key in room and used[name].get(key, 0) + amount > room[key]]


def exceeded(events, nodes):
    """Replays the history, on nodes of the same models all the time. Returns (faults, the number of binds, the fullest a budget ever was as {key: share}).

    A fault is a moment at which a budget was exceeded by something that added to it; a budget that was made smaller than what is used
    is none, until something adds.
    """
    budgets, before, faults, binds, fullest = Budgets(nodes=nodes), {}, [], 0, {}
    for version, kind, change, item in events:
        if kind == "group":
            budgets.set_group(item, change == "DELETED")
        else:
            binds += holds(item) and item["metadata"]["uid"] not in budgets.held and bool(group_of(item))
            budgets.set_pod(item, change == "DELETED")
        used = budgets.used()
        for name, room in budgets.hard.items():
            for key, amount in used[name].items():
                if key not in room:
                    continue
                fullest[key] = max(fullest.get(key, 0), amount / room[key] if room[key] and amount <= room[key] else 0)
                if amount > room[key] and amount > before.get(name, {}).get(key, 0):
                    faults.append(f"at version {version}, by {item['metadata']['name']}: {name} uses {amount} of {room[key]} of {key}")
        before = used
    return faults, binds, fullest
