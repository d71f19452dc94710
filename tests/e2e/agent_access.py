"""What the account of huygens-agent may do on a real API server: with the token of a pod, on that pod's node, and nothing besides."""
import json

from api import ApiError, wait_until
from rendered import objects
from testbed import CONFIG, ControlPlane

CRANE = "/apis/topology.crane.io/v1alpha1/noderesourcetopologies"
COMMUNITY = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
ACCOUNT = "/api/v1/namespaces/kube-system/serviceaccounts/huygens-agent"
PLACEMENT = "huygens.dev/kubelet-placement"
COUNTED = "huygens.dev/counted-resources"
NODES = ("mine", "other")
# Of everything else a few that matter: (verb, resource, subresource, namespace, name).
NEVER = [("GET", "/api/v1/namespaces/kube-system/secrets"), ("GET", "/api/v1/secrets"), ("GET", "/api/v1/pods"), ("GET", "/api/v1/namespaces/default/pods/on-mine"),
         ("GET", "/api/v1/nodes"), ("GET", "/api/v1/configmaps"), ("POST", "/api/v1/namespaces/default/pods"), ("DELETE", "/api/v1/namespaces/default/pods/on-mine"),
         ("PATCH", "/api/v1/namespaces/default/pods/on-mine/status"), ("POST", "/api/v1/namespaces/default/pods/on-mine/binding"),
         ("POST", "/api/v1/namespaces/default/pods/on-mine/exec"), ("POST", "/api/v1/namespaces/default/pods/on-mine/eviction"),
         ("PATCH", "/api/v1/nodes/mine"), ("DELETE", "/api/v1/nodes/mine"), ("GET", "/api/v1/nodes/mine/proxy/configz"), ("GET", CRANE), ("DELETE", f"{CRANE}/mine"),
         ("GET", "/api/v1/namespaces/default/events"), ("POST", f"{ACCOUNT}/token"), ("GET", "/apis/coordination.k8s.io/v1/leases")]


def topology(name, group="topology.crane.io/v1alpha1"):
    crane = group.startswith("topology.crane")
    zone = {"name": "node0" if crane else "node-0", "type": "Node",
            "resources": {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}} if crane else
                         [{"name": "cpu", "capacity": "4", "allocatable": "4", "available": "4"}]}
    return {"apiVersion": group, "kind": "NodeResourceTopology", "metadata": {"name": name}, "zones": [zone],
            **({"craneManagerPolicy": {"cpuManagerPolicy": "Static"}} if crane else {"attributes": [{"name": "topologyManagerPolicy", "value": "restricted"}]})}


class Agent:
    """Whoever has a token of the account."""

    def __init__(self, bed, token):
        self.client = bed.client_as(token)

    def code(self, method, path, body=None, content_type="application/json"):
        """(HTTP status, what it said)."""
        try:
            self.client.call(method, path, body, content_type)
        except ApiError as error:
            return error.code, str(error)
        return 200, ""

    def apply(self, path, item):
        return self.code("PATCH", f"{path}/{item['metadata']['name']}?fieldManager=huygens-agent", item, "application/apply-patch+yaml")

    def patch(self, path, change):
        return self.code("PATCH", path, change, "application/merge-patch+json")

    def json_patch(self, path, *operations):
        return self.code("PATCH", path, list(operations), "application/json-patch+json")


def check(what, answer, code, says=""):
    assert answer[0] == code and says in answer[1], f"{what}: {answer[0]} {answer[1][:400]}, wanted {code} {says!r}"


def set_up(bed):
    bed.install()
    bed.kubectl("apply", "-k", CONFIG / "crd-community")
    bed.wait_established("noderesourcetopologies.topology.node.k8s.io")
    # All but what would run: there is no node.
    shipped = [item for item in objects(bed, "-k", CONFIG / "overlays" / "agent-extended-resources") if item["kind"] != "DaemonSet"]
    bed.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": shipped}))
    for node in NODES:
        bed.client.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
        bed.client.patch(f"/api/v1/nodes/{node}/status", {"status": {"capacity": {"cpu": "4", "pods": "110"}, "allocatable": {"cpu": "4", "pods": "110"}}})
        for namespace, name in (("default", f"on-{node}"), ("kube-system", f"agent-{node}")):
            container = {"name": "app", "image": "none"}
            bed.client.post(f"/api/v1/namespaces/{namespace}/pods", {
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "some"}, "annotations": {"kept": "yes"}},
                "spec": {"nodeName": node, "serviceAccountName": "huygens-agent" if namespace == "kube-system" else "default", "containers": [container]}})
    bed.client.post("/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waiting"},
                                                        "spec": {"containers": [{"name": "app", "image": "none"}]}})


def token(bed, pod=None):
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    if pod:
        uid = bed.client.get(f"/api/v1/namespaces/kube-system/pods/{pod}")["metadata"]["uid"]
        request["spec"]["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": uid}
    return bed.client.post(f"{ACCOUNT}/token", request)["status"]["token"]


def check_topologies(agent):
    for path, group in ((CRANE, "topology.crane.io/v1alpha1"), (COMMUNITY, "topology.node.k8s.io/v1alpha2")):
        check("own object, created by applying it", agent.apply(path, topology("mine", group)), 200)
        check("own object, applied again", agent.apply(path, topology("mine", group)), 200)
        check("own object, read", agent.code("GET", f"{path}/mine"), 200)
        refused = "the agent of node mine may write objects of that node only, not other"
        check("another node's object", agent.apply(path, topology("other", group)), 422, refused)
        check("another node's object, by POST", agent.code("POST", path, topology("other", group)), 422, refused)


def check_pods(agent, client):
    mine, other = "/api/v1/namespaces/default/pods/on-mine", "/api/v1/namespaces/default/pods/on-other"
    annotate = lambda **annotations: {"metadata": {"annotations": annotations}}
    check("the annotation, on its node", agent.patch(mine, annotate(**{PLACEMENT: "[]"})), 200)
    assert client.get(mine)["metadata"]["annotations"] == {"kept": "yes", PLACEMENT: "[]"}
    check("the annotation, taken away", agent.patch(mine, annotate(**{PLACEMENT: None})), 200)
    check("the annotation, on another node", agent.patch(other, annotate(**{PLACEMENT: "[]"})), 422, "may write pods of that node only")
    check("the annotation, of a pod without a node", agent.patch("/api/v1/namespaces/default/pods/waiting", annotate(**{PLACEMENT: "[]"})), 422,
          "may write pods of that node only")
    for other_annotation in ({"more": "no"}, {"kept": "no"}, {"kept": None}, {"huygens.dev/wake": "now"}):
        check(f"another annotation {other_annotation}", agent.patch(mine, annotate(**other_annotation)), 422, "and no other")
    for what, change in (("an image", {"spec": {"containers": [{"name": "app", "image": "mine"}]}}), ("a label", {"metadata": {"labels": {"app": "mine"}}}),
                         ("a finalizer", {"metadata": {"finalizers": ["mine.example.com/x"]}}), ("a deadline", {"spec": {"activeDeadlineSeconds": 60}})):
        check(what, agent.patch(mine, change), 422, "an agent may change neither the spec")


def check_events(agent):
    """Of pods, and in the name of the agent of its own node."""
    def event(kind="Pod", instance="mine", component="huygens-agent"):
        return {"apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "on-mine."}, "type": "Warning", "reason": "NotPinned", "message": "no room",
                "reportingComponent": component, "reportingInstance": instance,
                "involvedObject": {"apiVersion": "v1", "kind": kind, "namespace": "default", "name": "on-mine", "uid": "u"}}
    path, refused = "/api/v1/namespaces/default/events", "may write Events of pods in its own name only"
    check("an Event of a pod", agent.code("POST", path, event()), 200)
    for what, other in (("of a Node", event(kind="Node")), ("in the name of another node's agent", event(instance="other")),
                        ("in the name of kubelet", event(component="kubelet"))):
        check(f"an Event {what}", agent.code("POST", path, other), 422, refused)


def check_nodes(agent, client):
    mine, other = "/api/v1/nodes/mine/status", "/api/v1/nodes/other/status"
    licences = {"op": "add", "path": "/status/capacity/example.com~1licences", "value": "5"}
    check("its node", agent.code("GET", "/api/v1/nodes/mine"), 200)
    check("an extended resource of its node", agent.json_patch(mine, licences), 200)
    assert client.get("/api/v1/nodes/mine")["status"]["capacity"]["example.com/licences"] == "5"
    check("the same, taken away", agent.json_patch(mine, {"op": "remove", "path": licences["path"]}), 200)
    check("an extended resource of another node", agent.json_patch(other, licences), 422, "may write objects of that node only, not other")
    counted = {"metadata": {"annotations": {COUNTED: "example.com/licences"}}}
    check("which of them are its own", agent.patch(mine, counted), 200)
    check("the same, of another node", agent.patch(other, counted), 422, "may write objects of that node only, not other")
    check("the same, of a pod", agent.patch("/api/v1/namespaces/default/pods/on-mine", counted), 422, "and no other")
    for what, change, says in (("CPUs", {"status": {"capacity": {"cpu": "400"}}}, "extended resources only"),
                               ("pods taken away", {"status": {"capacity": {"pods": None}}}, "extended resources only"),
                               ("allocatable", {"status": {"allocatable": {"example.com/licences": "5"}}}, "nothing of a node's status but"),
                               ("a condition", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "nothing of a node's status but"),
                               ("a label by way of the status", {"metadata": {"labels": {"role": "master"}}}, "nor its labels"),
                               ("an annotation by way of the status", {"metadata": {"annotations": {"a": "b"}}}, "and no other")):
        check(what, agent.patch(mine, change), 422, says)


def agent_access():
    """The agent's account writes topology, one annotation and extended resources of the node that its token names, and nothing else at all."""
    with ControlPlane("agent_access") as bed:
        set_up(bed)
        agent, unbound = Agent(bed, token(bed, "agent-mine")), Agent(bed, token(bed))
        # A policy acts within a second, but not at once.
        nowhere = "this one names no node"
        wait_until(lambda: nowhere in unbound.code("PATCH", f"{CRANE}/mine?fieldManager=x&dryRun=All", topology("mine"), "application/apply-patch+yaml")[1],
                   "the policy does not act", 15)
        check_topologies(agent)
        check_pods(agent, bed.client)
        check_nodes(agent, bed.client)
        check_events(agent)
        check("a token of no pod: an object", unbound.apply(CRANE, topology("mine")), 422, nowhere)
        check("a token of no pod: an annotation", unbound.patch("/api/v1/namespaces/default/pods/on-mine", {"metadata": {"annotations": {PLACEMENT: "[]"}}}), 422, nowhere)
        for method, path in NEVER:
            body = None if method in ("GET", "DELETE") else {}
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            check(f"{method} {path}", agent.code(method, path, body, kind), 403)
        # Everybody else goes on as before.
        bed.client.patch("/api/v1/namespaces/default/pods/on-other", {"metadata": {"annotations": {PLACEMENT: "[]"}}})
        check_kubelet(bed)
        return f"{len(NEVER)} other requests are forbidden"


def check_kubelet(bed):
    """What kubelet asks of the API server when the agent comes with its token."""
    for subresource, allowed in (("configz", True), ("pods", True), ("proxy", False), ("log", False), ("metrics", False), ("stats", False)):
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": "system:serviceaccount:kube-system:huygens-agent",
                           "resourceAttributes": {"verb": "get", "resource": "nodes", "subresource": subresource, "name": "mine"}}}
        said = bed.client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]
        assert said["allowed"] == allowed, (subresource, said)
