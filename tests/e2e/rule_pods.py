"""Random pods and rules over few names, so that they meet each other often: for what must be the same by two ways."""

CONTAINERS = [{"name": "app", "image": "app"}]
TOLERATIONS = [{"key": "pool", "operator": "Equal", "value": "shared", "effect": "NoSchedule"}, {"key": "pool", "operator": "Exists"},
               {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}, {"key": "pool", "value": "batch", "effect": "NoSchedule"},
               {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}, {"operator": "Exists", "effect": "PreferNoSchedule"}]
REQUIREMENTS = [{"key": "zone", "operator": "In", "values": ["a", "b"]}, {"key": "zone", "operator": "In", "values": ["b", "a"]},
                {"key": "disk", "operator": "Exists"}, {"key": "cores", "operator": "Gt", "values": ["8"]}, {"key": "zone", "operator": "NotIn", "values": ["c"]}]
PREFERRED = [{"weight": 10, "preference": {"matchExpressions": [REQUIREMENTS[2]]}}, {"weight": 5, "preference": {"matchExpressions": [REQUIREMENTS[0]]}}]
TERMS = [{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "cart"}}},
         {"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["cart", "web"]}]}}]
SPREAD = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "cart"}}},
          {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "cart"}}},
          {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}},
          {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "web"}}}]
KEYS = ("app", "tier", "example.com/pool")
VALUES = ("cart", "web", "it-s")
CLASSES = ("high", "low")
SPACES = {"shop": {"team": "a"}, "lab": {"team": "b", "cluster": "x"}, "bare": {}}
OWNERS = ("ReplicaSet", "DaemonSet", "StatefulSet")


class Words:
    def __init__(self, random):
        self.random = random

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def some(self, items, most=3):
        items = list(items)
        return self.random.sample(items, self.random.randrange(1, min(most, len(items)) + 1))

    def labels(self):
        return {key: self.random.choice(VALUES) for key in self.some(KEYS)}

    def annotations(self):
        return {key: self.random.choice(("x", "y \"z\"", "")) for key in self.some(("note", "example.com/note", "rules.huygens.dev/skip"), 2)}

    def affinity(self):
        affinity = {}
        if self.chance(60):
            node = affinity["nodeAffinity"] = {}
            if self.chance(80):
                node["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [self.term() for _ in range(self.random.randrange(1, 4))]}
            if self.chance(40):
                node["preferredDuringSchedulingIgnoredDuringExecution"] = self.some(PREFERRED)
        for kind in ("podAffinity", "podAntiAffinity"):
            if self.chance(30):
                affinity[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": self.some(TERMS)} if self.chance(50) else {
                    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "podAffinityTerm": each} for each in self.some(TERMS)]}
        return affinity

    def term(self):
        return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]} if self.chance(20) else {
            "matchExpressions": self.some(REQUIREMENTS)} if self.chance(90) else {}

    def spread(self):
        chosen = {(each["topologyKey"], each["whenUnsatisfiable"]): each for each in self.some(SPREAD)}
        return list(chosen.values())

    def pod(self, number):
        metadata = {"name": f"pod-{number}", "namespace": self.random.choice(list(SPACES))}
        if self.chance(80):
            metadata["labels"] = self.labels()
        if self.chance(40):
            metadata["annotations"] = self.annotations()
        if self.chance(50):
            metadata["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": self.random.choice(OWNERS), "name": "cart", "uid": "1234", "controller": True}]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": self.pod_spec()}

    def pod_spec(self):
        spec = {"containers": CONTAINERS}
        if self.chance(30):
            spec["schedulerName"] = "own-scheduler"
        if self.chance(30):
            spec["priorityClassName"] = self.random.choice(CLASSES)
        if self.chance(50):
            spec["tolerations"] = self.some(TOLERATIONS)
        if self.chance(40):
            spec["topologySpreadConstraints"] = self.spread()
        if self.chance(50):
            spec["affinity"] = self.affinity()
        if self.chance(10):
            spec["nodeName"] = "n1"
        return spec

    def deployment(self, number):
        labels = self.labels() | {"app": "cart"}
        metadata = {"name": f"deployment-{number}", "namespace": self.random.choice(list(SPACES))} | ({"labels": self.labels()} if self.chance(60) else {})
        spec = self.pod_spec()
        spec.pop("nodeName", None)
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {
            "selector": {"matchLabels": {"app": "cart"}}, "template": {"metadata": {"labels": labels}, "spec": spec}}}

    def node(self, number):
        taints = {(key, effect): {"key": key, "effect": effect, **({"value": "v"} if self.chance(50) else {})} for key in self.some(("pool", "gpu"), 2)
                  for effect in self.some(("NoSchedule", "NoExecute"), 2)}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"} | ({"labels": self.labels()} if self.chance(70) else {}),
                "spec": {"taints": list(taints.values())} if self.chance(50) else {}}

    def selector(self, kinds):
        selector = {"kinds": kinds}
        if self.chance(40):
            selector["matchLabels"] = {self.random.choice(KEYS): self.random.choice(VALUES)}
        if self.chance(20):
            operator = self.random.choice(("In", "NotIn", "Exists", "DoesNotExist"))
            selector["matchExpressions"] = [{"key": self.random.choice(KEYS), "operator": operator,
                                             **({"values": self.some(VALUES, 2)} if operator.endswith("n") else {})}]
        if kinds != ["Node"]:
            if self.chance(15):
                selector["namespaces"] = self.some(SPACES, 2)
            if self.chance(15):
                selector["namespaceSelector"] = {"matchLabels": {"team": self.random.choice("ab")}}
            if self.chance(15):
                selector["ownerKinds"] = self.some(OWNERS, 2)
        return selector

    def rule(self, number):
        kinds = self.random.choice((["Pod"], ["Pod"], ["Pod", "Deployment"], ["Deployment"], ["Node"]))
        inject = self.injection(kinds == ["Node"])
        spec = {"mode": "enforce", "always": True, "priority": self.random.randrange(3), "selector": self.selector(kinds), "inject": inject}
        if self.chance(20):
            spec["exclude"] = {"matchLabels": {self.random.choice(KEYS): self.random.choice(VALUES)}}
        if self.chance(40) and "annotations" not in inject:
            spec["onConflict"] = "override"
        return {"apiVersion": "huygens.dev/v1alpha1", "kind": "SchedulingRule", "metadata": {"name": f"rule-{number}", "generation": self.random.randrange(1, 9)},
                "spec": spec}

    def injection(self, of_node):
        inject = {}
        if self.chance(60):
            inject["labels"] = {key: self.random.choice(VALUES) for key in self.some((*KEYS, "new/label"), 2)}
        if self.chance(30):
            inject["annotations"] = {key: self.random.choice(("x", "y \"it's\"\n")) for key in self.some(("note", "example.com/note"), 2)}
        if of_node:
            if self.chance(70) or not inject:
                inject["taints"] = [{"key": key, "value": self.random.choice(("v", "w")), "effect": "NoSchedule"} for key in self.some(("pool", "gpu"), 2)]
            return inject
        if self.chance(50):
            inject["tolerations"] = self.some(TOLERATIONS)
        if self.chance(30):
            inject["topologySpreadConstraints"] = self.spread()
        if self.chance(40):
            inject["nodeAffinity"] = {"required": self.some(REQUIREMENTS)} | ({"preferred": self.some(PREFERRED)} if self.chance(50) else {})
        if self.chance(20):
            inject["podAffinity"] = {"preferred": [{"weight": 7, "podAffinityTerm": each} for each in self.some(TERMS)]}
        if self.chance(20):
            inject["podAntiAffinity"] = {"required": self.some(TERMS)}
        if self.chance(20):
            inject["schedulerName"] = self.random.choice(("pool-scheduler", "batch-scheduler"))
        if self.chance(20) or not inject:
            inject["priorityClassName"] = self.random.choice(CLASSES)
        return inject
