"""Everything in config/ is what a real API server, kube-scheduler and huygens accept, and grants nothing more than is used."""
import json
import subprocess

from api import ApiError
from binaries import BINARIES, ROOT
from quota_workload import make_group
from rendered import KUBEADM_PATCH, check_confinement, check_images, check_old_kubernetes, check_resource_names
from testbed import CONFIG, GROUPS_PATH, NRT_PATH, SAMPLE_CLUSTER, ControlPlane, huygens_binary, replaced

# The static pod that kubeadm writes, as far as the patch meets it.
STATIC_POD = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-scheduler", "namespace": "kube-system"},
    "spec": {
        "containers": [{"name": "kube-scheduler", "image": "kube-scheduler:v1.36.3",
                        "command": ["kube-scheduler", "--kubeconfig=/etc/kubernetes/scheduler.conf"],
                        "volumeMounts": [{"mountPath": "/etc/kubernetes/scheduler.conf", "name": "kubeconfig", "readOnly": True}]}],
        "hostNetwork": True,
        "volumes": [{"name": "kubeconfig", "hostPath": {"path": "/etc/kubernetes/scheduler.conf", "type": "FileOrCreate"}}],
    },
}

# (verb, group, resource, namespace, name) -> allowed to the user that may do only what huygens does.
GRANTS = {
    ("list", "", "nodes", "", ""): True,
    ("get", "", "nodes", "", ""): False,
    ("watch", "", "pods", "", ""): True,
    ("list", "topology.crane.io", "noderesourcetopologies", "", ""): True,
    ("watch", "topology.node.k8s.io", "noderesourcetopologies", "", ""): True,
    ("list", "metrics.k8s.io", "pods", "", ""): True,
    ("create", "", "pods/binding", "default", ""): True,
    ("create", "", "events", "default", ""): True,
    ("patch", "", "events", "default", ""): False,
    ("create", "authentication.k8s.io", "tokenreviews", "", ""): True,
    ("create", "authorization.k8s.io", "subjectaccessreviews", "", ""): True,
    ("update", "coordination.k8s.io", "leases", "kube-system", "huygens-bind"): True,
    ("create", "coordination.k8s.io", "leases", "kube-system", ""): True,
    ("update", "coordination.k8s.io", "leases", "kube-system", "kube-scheduler"): False,
    ("create", "coordination.k8s.io", "leases", "default", ""): False,
    ("get", "", "secrets", "kube-system", "huygens-tls"): False,
    ("list", "", "secrets", "", ""): False,
    ("get", "", "configmaps", "kube-system", ""): False,
    ("patch", "", "pods", "default", ""): False,
    ("update", "", "pods", "default", ""): False,
    ("delete", "", "pods", "default", ""): False,
    ("patch", "", "pods/status", "default", ""): True,
    ("patch", "", "nodes", "", ""): False,
    ("update", "", "nodes", "", ""): False,
    ("patch", "", "nodes/status", "", ""): True,
    ("update", "", "nodes/status", "", ""): False,
    ("update", "topology.crane.io", "noderesourcetopologies", "", ""): False,
    ("watch", "quota.huygens.dev", "bizgroupresourcequotas", "", ""): True,
    ("patch", "quota.huygens.dev", "bizgroupresourcequotas", "", ""): False,
    ("watch", "resource.k8s.io", "resourceclaims", "", ""): True,
    ("list", "resource.k8s.io", "deviceclasses", "", ""): True,
    ("update", "resource.k8s.io", "resourceclaims", "default", ""): False,
    ("list", "resource.k8s.io", "resourceslices", "", ""): False,
    ("update", "quota.huygens.dev", "bizgroupresourcequotas/status", "", ""): False,
}
# Every rule of the user huygens besides what each authenticated user has.
RULES = {
    ("", "nodes", "list,watch", ""),
    ("", "pods", "get,list,watch", ""),
    ("topology.crane.io,topology.node.k8s.io", "noderesourcetopologies", "list,watch", ""),
    ("quota.huygens.dev", "bizgroupresourcequotas", "list,watch", ""),
    ("resource.k8s.io", "deviceclasses,resourceclaims", "list,watch", ""),
    ("metrics.k8s.io", "nodes,pods", "list", ""),
    ("", "nodes/status,pods/status", "patch", ""),
    ("", "pods/binding", "create", ""),
    ("", "events", "create", ""),
    ("coordination.k8s.io", "leases", "get,update", "huygens-bind"),
    ("coordination.k8s.io", "leases", "create", ""),
}
FOR_EVERYBODY = {"authentication.k8s.io", "authorization.k8s.io"}


def manifests():
    """Server-side dry run of everything, bad objects are refused, permissions are exactly those listed above."""
    with ControlPlane("manifests") as bed:
        bed.install()
        check_resource_names(bed)
        check_images(bed)
        check_confinement(bed)
        check_old_kubernetes(bed)
        for directory in ("default", "webhook", "controller", "recommendations", "resizing", "rules-controller", "metrics-front", "overlays/kubeadm", "overlays/webhook-own-authority", "overlays/real-capacity",
                          "agent", "overlays/agent-extended-resources", "overlays/agent-devices"):
            bed.kubectl("apply", "--dry-run=server", "-k", CONFIG / directory)
        bed.kubectl("apply", "--dry-run=server", "-k", CONFIG / "crd-community")
        # A dry run makes nothing that a later dry run could refer to; the sample pods need no more than the namespace.
        bed.kubectl("apply", "--dry-run=server", "-f", SAMPLE_CLUSTER, "-f", CONFIG / "samples" / "pods.yaml",
                    "-f", CONFIG / "samples" / "quota")
        check_static_pod(bed)
        check_bad_topologies(bed)
        check_groups(bed)
        check_transfers(bed)
        check_permissions(bed)
        check_certificates(bed)
        check_component_configurations(bed)
        return f"Kubernetes {bed.client.get('/version')['gitVersion']}"


def check_static_pod(bed):
    merged = bed.kubectl("patch", "--local", "--type=strategic", f"--patch-file={KUBEADM_PATCH}", "-f", "-", "-o", "json",
                         stdin=json.dumps(STATIC_POD)).stdout
    spec = json.loads(merged)["spec"]
    assert [c["name"] for c in spec["containers"]] == ["kube-scheduler"], "the patch must add a sidecar, not a second kube-scheduler"
    assert len(spec["containers"][0]["volumeMounts"]) == 3 and len(spec["volumes"]) == 5, spec
    bed.kubectl("apply", "--dry-run=server", "-f", "-", stdin=merged)


def topology(**changes):
    zone = {"name": "node0", "type": "Node", "resources": {"capacity": {"cpu": 4}, "allocatable": {"cpu": "4", "memory": "1Gi"}}}
    return {"apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": "n1"},
            "craneManagerPolicy": {"cpuManagerPolicy": "Static"}, "zones": [zone], **changes}


def check_bad_topologies(bed):
    path = NRT_PATH + "?dryRun=All"
    made = bed.client.post(path, topology())
    assert made["craneManagerPolicy"]["topologyManagerPolicy"] == "SingleNUMANodePodLevel", "the default is crane's"
    zone = topology()["zones"][0]
    refused = {
        "an unknown policy": topology(craneManagerPolicy={"cpuManagerPolicy": "Sometimes"}),
        "no policy": topology(craneManagerPolicy={}),
        "no zones": {k: v for k, v in topology().items() if k != "zones"},
        "a quantity that is none": topology(zones=[{**zone, "resources": {"allocatable": {"cpu": "four"}}}]),
        "two zones of one name": topology(zones=[zone, zone]),
        "an unknown type of zone": topology(zones=[{**zone, "type": "Drawer"}]),
        "a zone without a name": topology(zones=[{"type": "Node"}]),
    }
    for what, item in refused.items():
        check_refused(what, lambda item=item: bed.client.post(path, item))


def check_refused(what, write):
    try:
        write()
    except ApiError as error:
        assert error.code == 422, f"{what}: {error}"
    else:
        raise AssertionError(f"{what} was accepted")


def group(name="team", parent="org", **hard):
    return make_group(name, parent, **hard)


def check_groups(bed):
    """Every rule of the definition of groups, by an object that keeps it and one that breaks it; and what `kubectl get` shows of one."""
    client, path = bed.client, GROUPS_PATH + "?dryRun=All"
    longest = "a" * 63
    for name in ("a", "9-b", longest):
        client.post(path, group(name))
    for name in (longest + "a", "a.b"):
        check_refused(f"the name {name}", lambda name=name: client.post(path, group(name)))
    check_refused("a group below itself", lambda: client.post(path, group("org", "org")))
    check_refused("a parent's name that is too long", lambda: client.post(path, group(parent=longest + "a")))
    check_refused("no spec", lambda: client.post(path, {k: v for k, v in group().items() if k != "spec"}))

    known = ["cpu", "memory", "ephemeral-storage", "pods", "count/pods", "hugepages-2Mi", "nvidia.com/gpu", "cash/limits.cpu", "cash/limits.cpu.A4",
             "cash/requests.nvidia.com/gpu.A100.80GB"]
    known += [f"{side}.{name}" for side in ("requests", "limits")
              for name in ("cpu", "cpu.A4", "cpu.A4.v2", "memory", "memory.DDR5", "ephemeral-storage", "nvidia.com/gpu", "nvidia.com/gpu.A30")]
    client.post(path, group(**dict.fromkeys(known, "1")))
    for key in ("gpu", "limits.gpu", "limits.cpuu", "limit.cpu", "Limits.cpu", "limits.cpu.", "limits.cpu.-A4", "limits.cpu.A 4", "limits.pods",
                "count/services", "persistentvolumeclaims", "cash/", "nvidia.com/", "/gpu", "cash/cash/cpu", ""):
        check_refused(f"the key {key!r}", lambda key=key: client.post(path, group(**{key: "1"})))
    client.post(path, group(**{f"limits.cpu.M{i}": "1" for i in range(128)}))
    check_refused("129 keys", lambda: client.post(path, group(**{f"limits.cpu.M{i}": "1" for i in range(129)})))

    for amount in (0, 7, "0", "1.5", "500m", "64Gi", "1e3", "100E", "9223372036854775808"):
        client.post(path, group(cpu=amount))
    for amount in (-1, 1.5, "-1", "-0.5Gi", "", "much", "1 Gi", "1gi", "1e100", "0x10", "9" * 41, True, ["1"]):
        check_refused(f"the amount {amount!r}", lambda amount=amount: client.post(path, group(cpu=amount)))

    client.post(GROUPS_PATH, group(**{"limits.cpu": "10", "limits.memory": "64Gi", "requests.nvidia.com/gpu": 2, "cash/limits.cpu": "100"}))
    mine = f"{GROUPS_PATH}/team"
    client.patch(mine, {"spec": {"parentBizGroup": "org", "hard": {"limits.cpu": "12"}}})
    for parent in ("other", "", None):
        check_refused(f"another parent {parent!r}", lambda parent=parent: client.patch(mine, {"spec": {"parentBizGroup": parent}}))
    client.post(GROUPS_PATH, group("root", ""))
    check_refused("a parent for a root", lambda: client.patch(f"{GROUPS_PATH}/root", {"spec": {"parentBizGroup": "org"}}))
    check_refused("a negative figure", lambda: client.patch(f"{mine}/status", {"status": {"used": {"cpu": "-1"}}}))
    used = {"limits.cpu": "7", "limits.memory": "8Gi", "requests.nvidia.com/gpu": "1", "cash/limits.cpu": "12500m"}
    client.patch(f"{mine}/status", {"status": {"used": used, "selfUsed": used, "lastReconcileTime": "2026-11-21T11:36:17Z"}})
    client.patch(mine, {"status": {"used": {"limits.cpu": "99"}}})
    assert client.get(mine)["status"]["used"] == used, "the figures must be written through the subresource only"

    table = client.get_table(mine)
    shown = dict(zip((column["name"] for column in table["columnDefinitions"]), table["rows"][0]["cells"]))
    shown.pop("Age")
    assert shown == {"Name": "team", "Parent": "org", "CPU Used": "7", "CPU": "12", "Memory Used": "8Gi", "Memory": "64Gi", "GPU Used": "1",
                     "GPU": "2", "Core Hours Used": "12500m", "Core Hours": "100"}, shown
    def renewed(**policy):
        made = group("weekly")
        made["spec"]["cashPolicy"] = policy
        return made

    assert client.post(path, renewed(period="Week"))["spec"]["cashPolicy"] == {"period": "Week", "carryOver": 0, "timeZone": "UTC"}
    client.post(path, renewed(period="Month", carryOver=100, anchor="2026-01-31T00:00:00+08:00", timeZone="Asia/Shanghai"))
    for policy in ({}, {"period": "week"}, {"period": "Day", "carryOver": -1}, {"period": "Day", "carryOver": 101}, {"period": "Day", "anchor": "noon"},
                   {"period": "Day", "timeZone": "Europe/Bonn"}, {"period": "Day", "timeZone": "/etc/localtime"}):
        check_refused(f"the cashPolicy {policy}", lambda policy=policy: client.post(path, renewed(**policy)))
    names = {resource["name"]: resource for resource in client.get("/apis/quota.huygens.dev/v1alpha1")["resources"]}
    assert names["bizgroupresourcequotas"]["shortNames"] == ["bizrq"] and "bizgroupresourcequotas/status" in names, names
    for name in ("team", "root"):
        client.delete(f"{GROUPS_PATH}/{name}")


def check_transfers(bed):
    """The definition of transfers, likewise."""
    client = bed.client
    bed.wait_established("quotatransfers.quota.huygens.dev")
    path = "/apis/quota.huygens.dev/v1alpha1/quotatransfers"

    def transfer(**spec):
        return {"apiVersion": "quota.huygens.dev/v1alpha1", "kind": "QuotaTransfer", "metadata": {"name": "t"},
                "spec": {"from": "search", "to": "ads", "amounts": {"limits.cpu": "2"}, **spec}}

    for spec in ({"to": "search"}, {"to": "A"}, {"amounts": {}}, {"amounts": {"gpu": 1}}, {"amounts": {"limits.cpu": -1}}, {"until": "soon"}):
        check_refused(f"the transfer {spec}", lambda spec=spec: client.post(path + "?dryRun=All", transfer(**spec)))
    client.post(path, transfer())
    for change in ({"from": "org"}, {"to": "org"}, {"amounts": {"limits.cpu": "3"}}):
        check_refused(f"the change {change}", lambda change=change: client.patch(f"{path}/t", {"spec": change}))
    client.patch(f"{path}/t", {"spec": {"until": "2026-12-01T00:00:00Z"}})
    client.patch(f"{path}/t/status", {"status": {"phase": "Moving", "common": "org", "shrinking": ["search"], "growing": ["ads"]}})
    check_refused("an unknown phase", lambda: client.patch(f"{path}/t/status", {"status": {"phase": "Flying"}}))
    client.delete(f"{path}/t")


def check_permissions(bed):
    client = bed.client_as("huygens-token")
    for (verb, group, resource, namespace, name), expected in GRANTS.items():
        resource, _, subresource = resource.partition("/")
        review = client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": verb, "group": group, "resource": resource, "subresource": subresource,
                                            "namespace": namespace, "name": name}}})
        assert review["status"]["allowed"] == expected, f"{verb} {group}/{resource}/{subresource} {namespace}/{name}: {review['status']}"
    review = client.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": "kube-system"}})
    rules = {tuple(",".join(sorted(rule.get(key) or [])) for key in ("apiGroups", "resources", "verbs", "resourceNames"))
             for rule in review["status"]["resourceRules"] if not set(rule["apiGroups"]) <= FOR_EVERYBODY}
    assert rules == RULES, f"granted beyond use: {rules - RULES}; not granted: {RULES - rules}"

    # The accounts of config/default beside the user of the overlay, whichever was applied last: huygens has the same rights as either, its
    # kube-scheduler what such a one needs.
    accounts = ("huygens", *(f"system:serviceaccount:kube-system:{name}" for name in ("huygens", "huygens-scheduler")))
    answers = {"create pods --subresource=binding -n default": (True, True), "watch noderesourcetopologies.topology.crane.io": (True, False),
               "update leases/huygens-bind -n kube-system": (True, False), "update leases/huygens-scheduler -n kube-system": (False, True),
               "get configmaps/extension-apiserver-authentication -n kube-system": (False, True), "delete pods -n default": (False, True),
               "get secrets -n kube-system": (False, False), "update leases/kube-controller-manager -n kube-system": (False, False)}
    for directory in ("default", "overlays/kubeadm"):
        bed.kubectl("apply", "-k", CONFIG / directory)
        for question, (of_huygens, of_scheduler) in answers.items():
            for account, allowed in zip(accounts, (of_huygens, of_huygens, of_scheduler)):
                answer = bed.kubectl("auth", "can-i", *question.split(), f"--as={account}", check=False).stdout.strip()
                assert answer == ("yes" if allowed else "no"), f"after config/{directory}: can {account} {question}? {answer}"


def check_certificates(bed):
    """make_certificates that fails says why, and leaves each key with its certificate."""
    directory = bed.directory / "renewed"
    make = [CONFIG / "tls" / "make_certificates", directory]
    subprocess.run(make, check=True, capture_output=True)
    pairs = lambda: {path.name: path.read_bytes() for path in directory.iterdir() if path.name.startswith(("tls.", "kube-scheduler."))}
    before, authority = pairs(), (directory / "ca.crt").read_text()
    assert len(before) == 4, sorted(before)
    (directory / "ca.crt").write_text("none")
    failed = subprocess.run(make, capture_output=True, text=True)
    assert failed.returncode != 0 and "CA certificate" in failed.stderr and pairs() == before, failed
    (directory / "ca.crt").write_text(authority)
    subprocess.run(make, check=True, capture_output=True)
    assert pairs().keys() == before.keys() and not set(pairs().values()) & set(before.values()), "nothing was renewed"
    for name in ("tls.crt", "kube-scheduler.crt"):
        subprocess.run(["openssl", "verify", "-CAfile", directory / "ca.crt", directory / name], check=True, capture_output=True)


def check_component_configurations(bed):
    """Both programs read the shipped files: kube-scheduler by writing its completed configuration, huygens by `config check`."""
    kubeconfig = bed.kubeconfig("scheduler-token")
    for index, directory in enumerate((CONFIG / "scheduler", CONFIG / "overlays" / "kubeadm")):
        shipped = directory / "kube-scheduler.yaml"
        text = shipped.read_text().replace("/etc/kubernetes/huygens/client", str(bed.certificates()))
        text = text.replace("/etc/huygens/client", str(bed.certificates())).replace("/etc/kubernetes/scheduler.conf", str(kubeconfig))
        config, written = bed.directory / f"scheduler-{index}.yaml", bed.directory / f"scheduler-{index}-completed.yaml"
        config.write_text(text)
        result = subprocess.run([BINARIES / "kube-scheduler", f"--config={config}", f"--write-config-to={written}",
                                 f"--master=https://127.0.0.1:{bed.client.port}"], capture_output=True, text=True, timeout=30)
        assert written.exists() and "bindVerb: bind" in written.read_text(), f"{shipped}: {result.stderr[-1000:]}"
    server = str(bed.certificates())
    for index, shipped in enumerate((CONFIG / "extender" / "extender.yaml", CONFIG / "overlays" / "kubeadm" / "extender.yaml")):
        config = bed.directory / f"extender-{index}.yaml"
        config.write_text(replaced(shipped.read_text(), {"/etc/huygens/server": server}))
        result = subprocess.run([huygens_binary(), "config", "check", config], capture_output=True, text=True, timeout=30)
        assert result.returncode == 0, f"{shipped.relative_to(ROOT)}: {result.stdout}{result.stderr}"
    result = subprocess.run([huygens_binary(), "config", "check", CONFIG / "controller" / "controller.yaml"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, f"config/controller: {result.stdout}{result.stderr}"
