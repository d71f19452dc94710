"""The Helm chart: it renders what kustomize does, and helm installs, upgrades, rolls back and removes it on a real API server.

There is no node: what the pods do once they run is not looked at here.
"""
import base64
import collections
import json
import os
import re
import subprocess

from api import ApiError, wait_until
from binaries import BINARIES, ROOT, kubernetes_version
from chart_guide import check_guide
from testbed import CONFIG, ControlPlane, Skip, huygens_binary, replaced

HELM = ROOT / "build" / "helm" / "helm"
CHART = CONFIG / "helm" / "huygens"
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"
DEPLOYMENT = "/apis/apps/v1/namespaces/kube-system/deployments/huygens-scheduler"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

# Where the two differ, and may. Whatever else differs is a fault.
# kustomize: a hash in the name rolls the pods when the text changes
HASHED_CONFIG_MAPS = ("huygens", "huygens-scheduler-config", "huygens-controller-config", "huygens-webhook-config", "huygens-agent-config")
CHECKSUM = "checksum/config"                                  # helm: this annotation does

# Everything that can be switched on or set.
EVERYTHING = {
    "image": {"repository": "registry.example:5000/huygens", "digest": "sha256:" + "0" * 64, "pullPolicy": "Always"},
    "imagePullSecrets": [{"name": "pull"}],
    "replicas": 1,
    "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]}}},
    "podAnnotations": {"example.com/note": "one"}, "podLabels": {"team": "platform"},
    "extraVolumes": [{"name": "password", "secret": {"secretName": "prometheus"}}],
    "extraVolumeMounts": [{"name": "password", "mountPath": "/etc/huygens/prometheus", "readOnly": True}],
    "checks": {"topology": "report", "usage": "enforce", "quota": "off"},
    "controller": {"enabled": True, "replicas": 1, "config": {"controller": {"resync": "2m", "realCapacity": {"mode": "report"}}}},
    "agent": {"enabled": True, "extendedResources": True, "nodeSelector": {"pool": "numa"}, "tolerations": [{"key": "dedicated", "operator": "Exists"}],
              "affinity": {"nodeAffinity": {}}, "config": {"kubelet": {"interval": "30s"}}},
    "config": {"bind": {"lease": {"duration": "15s"}}, "wake": {"enabled": False}, "usage": {"prometheus": {"url": "http://prometheus:9090"}},
               "prioritize": {"terms": [{"name": "LeastUsed", "weight": 1}]}},
    "kubeScheduler": {"image": {"repository": "registry.example:5000/kube-scheduler", "tag": "v1.36.0"}, "schedulerName": "numa",
                      "config": {"percentageOfNodesToScore": 50}},
    "tls": {"source": "certManager"},
    "webhook": {"enabled": True, "replicas": 3, "failurePolicy": {"scale": "Ignore"}, "config": {"webhook": {"autoscalers": "warn"}},
                "tls": {"source": "certManager", "secretName": "door"}},
    "metrics": {each: {"enabled": True, "labels": {"release": "kube-prometheus-stack"}}
                for each in ("podMonitor", "serviceMonitor", "alerts", "rules")},
}


class Helm:
    """helm, with nothing of the machine's own configuration."""

    binary = HELM

    def __init__(self, bed):
        self._bed = bed
        home = bed.directory / "helm"
        self.environment = {**os.environ, "KUBECONFIG": str(bed.kubeconfig("admin-token")),
                             **{f"HELM_{each}_HOME": str(home / each.lower()) for each in ("CACHE", "CONFIG", "DATA")}}

    def run(self, *arguments, values=None, check=True, seconds=120):
        command = [str(self.binary), *map(str, arguments)]
        if values is not None:
            path = self._bed.directory / "values.json"
            path.write_text(json.dumps(values))
            command += ["--values", str(path)]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=seconds)
        if check:
            assert result.returncode == 0, f"helm {' '.join(map(str, arguments))}: {result.stderr[-2000:]}"
        return result

    def template(self, chart, namespace="kube-system", version=None, values=None):
        version = version or kubernetes_version()
        return self.run("template", "huygens", chart, "--include-crds", "-n", namespace, "--kube-version", version, values=values).stdout


def objects(text):
    """The objects of a YAML text, whatever their kinds: kubectl reads it, and asks no server."""
    mark = "read-by-tests"
    command = [BINARIES / "kubectl", "--kubeconfig=/dev/null", "label", "--local", "-o", "json", "-f", "-", f"{mark}=1"]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-1000:]
    decoder, found, rest = json.JSONDecoder(), [], result.stdout.strip()
    while rest:
        item, end = decoder.raw_decode(rest)
        del item["metadata"]["labels"][mark]
        found.append(item)
        rest = rest[end:].lstrip()
    return found


def configuration(text):
    """One of the configuration files: as objects(), but it has no name."""
    return objects(text + "\nmetadata: {name: none}\n")[0]


def normalised(item):
    """Folded lines of YAML are unfolded a little differently; a file in a ConfigMap counts by what it says."""
    if isinstance(item, dict):
        return {key: normalised(value) for key, value in item.items() if value not in ({}, [])}
    if isinstance(item, list):
        return [normalised(each) for each in item]
    return " ".join(item.split()) if isinstance(item, str) else item


def without_hash(name):
    return name if name in HASHED_CONFIG_MAPS else re.sub(r"-[a-z0-9]{10}$", "", name)


def comparable(items):
    """{(kind, namespace, name): object} without the differences that may be."""
    found = {}
    for item in items:
        name = item["metadata"]["name"]
        if item["kind"] == "ConfigMap":
            name = without_hash(name)
            assert name in HASHED_CONFIG_MAPS, name
            item["metadata"]["name"] = name
            item["data"] = {file: configuration(text) for file, text in item["data"].items()}
        if item["kind"] in ("Deployment", "DaemonSet"):
            template = item["spec"]["template"]
            template["metadata"].get("annotations", {}).pop(CHECKSUM, None)
            for volume in template["spec"]["volumes"]:
                if "configMap" in volume:
                    volume["configMap"]["name"] = without_hash(volume["configMap"]["name"])
        key = item["kind"], item["metadata"].get("namespace", ""), name
        assert key not in found, f"{key} is there twice"
        found[key] = normalised(item)
    return found


def differences(path, one, other):
    """Where two objects differ, a line each."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(f"{path}.{key}", one.get(key), other.get(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (mine, theirs) in enumerate(zip(one, other)):
            yield from differences(f"{path}[{index}]", mine, theirs)
    elif one != other:
        yield f"{path}: helm {json.dumps(one)}, kustomize {json.dumps(other)}"


# What else can be switched on, each with the directory of config/ that it is.
SWITCHES = {"controller": CONFIG / "controller", "webhook": CONFIG / "webhook", "agent": CONFIG / "agent"}


def check_same_as_kustomize(bed, helm):
    # config/default names the house version of kube-scheduler; the chart takes the cluster's unless told otherwise.
    text = bed.kubectl("kustomize", CONFIG / "default").stdout
    tag = re.search(r"kube-scheduler:(v[\d.]+)", text)[1]
    values = {"kubeScheduler": {"image": {"tag": tag}}}
    check_same(objects(helm.template(CHART, values=values)), objects(text))
    parts = [bed.kubectl("kustomize", directory).stdout for directory in SWITCHES.values()]
    values.update({switch: {"enabled": True} for switch in SWITCHES})
    values["webhook"]["tls"] = {"source": "secret"}
    check_watched(objects("\n---\n".join([text, *parts, bed.kubectl("kustomize", CONFIG / "monitoring").stdout])))
    return check_same(objects(helm.template(CHART, values=values)), objects("\n---\n".join([text, *parts])))


def check_parts_of_the_controller(bed, helm):
    """What the controller may do besides follows what it is told to do, in the chart as in config/."""
    base = {"controller": {"enabled": True}}
    shipped = {name: objects(bed.kubectl("kustomize", CONFIG / name).stdout) for name in ("controller", "recommendations", "resizing", "rules-controller", "metrics-front")}
    bare = comparable(objects(helm.template(CHART, values=base)))
    resizes = {"overcommit": {"mode": "enforce", "pools": [{"name": "shared", "type": "dynamic", "autoApply": True, "inPlace": True}]}}
    for name, values in (("recommendations", {"config": {"overcommit": {"mode": "report"}}}), ("rules-controller", {"config": {"controller": {"rules": {"mode": "report"}}}}), ("resizing", {"config": resizes}),
                         ("metrics-front", {"metricsFront": {"enabled": True, "tls": {"source": "secret"}}})):
        more = comparable(objects(helm.template(CHART, values={"controller": {"enabled": True, **values}})))
        theirs = comparable(json.loads(json.dumps(shipped[name])))
        if name == "resizing":  # which needs recommendations
            theirs |= comparable(json.loads(json.dumps(shipped["recommendations"])))
        faults = [line for key in theirs for line in differences("/".join(key), more.get(key), theirs[key])]
        assert not faults, f"the chart and config/{name} differ: {faults[:10]}"
        added = more.keys() - bare.keys()
        assert added and added <= theirs.keys(), f"{name}: the chart alone has {added - theirs.keys()}"

    front = {"controller": {"enabled": True, "metricsFront": {"enabled": True}}}
    made = {(item["kind"], item["metadata"]["name"]): item for item in objects(helm.template(CHART, values=front))}
    data, service = made["Secret", "huygens-metrics-front-tls"]["data"], made["APIService", "v1beta1.metrics.k8s.io"]["spec"]
    assert service["caBundle"] == data["ca.crt"] and "insecureSkipTLSVerify" not in service, service
    front["controller"]["metricsFront"]["tls"] = {"source": "certManager", "secretName": "front"}
    made = {(item["kind"], item["metadata"]["name"]): item for item in objects(helm.template(CHART, values=front))}
    certificate, service = made["Certificate", "huygens-metrics-front"]["spec"], made["APIService", "v1beta1.metrics.k8s.io"]
    assert certificate["dnsNames"] == ["huygens-metrics-front.kube-system.svc"] and certificate["secretName"] == "front", certificate
    assert service["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "kube-system/huygens-metrics-front"}, service
    mounted = [volume["secret"]["secretName"] for volume in made["Deployment", "huygens-controller"]["spec"]["template"]["spec"]["volumes"] if "secret" in volume]
    assert mounted == ["front"], mounted
    for namespace, values, named in (("other", {"metricsFront": {"enabled": True}}, "needs the release in kube-system"),
                                     ("kube-system", {"config": {"controller": {"metricsFront": {"enabled": True}}}}, "set controller.metricsFront.enabled"),
                                     ("kube-system", {"metricsFront": {"enabled": True}, "config": {"server": {"address": "0.0.0.0:1"}}}, "server.address is 0.0.0.0:1"),
                                     ("kube-system", {"metricsFront": {"tls": {"source": "none"}}}, "/metricsFront/tls/source")):
        refused = helm.run("template", "huygens", CHART, "-n", namespace, values={"controller": {"enabled": True, **values}}, check=False)
        assert refused.returncode != 0 and named in refused.stderr, f"{values}: {refused.stderr[-500:]}"


def check_parts_of_the_webhook(bed, helm):
    """What the API server asks the webhook besides, and what it may read for that, follows its configuration, in the chart as in config/."""
    base = {"controller": {"enabled": True}, "webhook": {"enabled": True, "tls": {"source": "certManager"}}}
    bare = comparable(objects(helm.template(CHART, values=base)))
    for name in ("overcommit", "rules"):
        values = {**base, "webhook": {**base["webhook"], "config": {name: {"mode": "report"}}}}
        more = comparable(objects(helm.template(CHART, values=values)))
        theirs = {key: item for key, item in comparable(objects(bed.kubectl("kustomize", CONFIG / name).stdout)).items()
                  if not key[-1].startswith("huygens-controller-")}  # which keeps certificates, and of the chart does not
        faults = [line for key in theirs for line in differences("/".join(key), more.get(key), theirs[key])]
        assert not faults, f"the chart and config/{name} differ: {faults[:10]}"
        assert more.keys() - bare.keys() == theirs.keys(), f"{name}: {more.keys() - bare.keys()} instead of {theirs.keys()}"
    elsewhere = objects(helm.template(CHART, values=values, namespace="other"))
    config, = [item for item in elsewhere if item["kind"] == "ConfigMap" and item["metadata"]["name"].startswith("huygens-webhook-config")]
    assert "excludedNamespaces:\n  - other" in config["data"]["webhook.yaml"], config["data"]
    hook = next(hook for item in elsewhere if item["kind"] == "MutatingWebhookConfiguration" for hook in item["webhooks"] if hook["name"].startswith("pods."))
    assert "other" in hook["namespaceSelector"]["matchExpressions"][0]["values"] and hook["clientConfig"]["service"]["namespace"] == "other", hook


def selects(selector, labels):
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"] for each in selector.get("matchExpressions", ()))


def check_watched(items):
    """Each service is asked for its metrics, by one ServiceMonitor, and where there is a PodMonitor by that: else alerts on them were silent."""
    by_kind = collections.defaultdict(list)
    for item in items:
        by_kind[item["kind"]].append(item)
    assert len(by_kind["Deployment"]) == 3 and len(by_kind["DaemonSet"]) == 1, by_kind["Deployment"]
    for deployment in by_kind["Deployment"] + by_kind["DaemonSet"]:
        labels, place = deployment["spec"]["template"]["metadata"]["labels"], deployment["metadata"]["namespace"]
        ports = {(service["metadata"]["name"], port["name"]): service["metadata"]["labels"] for service in by_kind["Service"]
                 if service["spec"]["selector"].items() <= labels.items() for port in service["spec"]["ports"] if port["port"] in (8889, 8891)}
        watching = [monitor["metadata"]["name"] for monitor in by_kind["ServiceMonitor"] for (_, port), of_service in ports.items()
                    if selects(monitor["spec"]["selector"], of_service) and monitor["spec"]["namespaceSelector"] == {"matchNames": [place]}
                    and port in {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]}]
        watching += [monitor["metadata"]["name"] for monitor in by_kind["PodMonitor"] if selects(monitor["spec"]["selector"], labels)]
        wanted = len(by_kind["PodMonitor"]) + 1
        assert len(watching) == wanted, f"{deployment['metadata']['name']} is watched by {watching}, and should be by {wanted}"


def check_same(helm_made, kustomize_made):
    rendered, kustomized = comparable(helm_made), comparable(kustomize_made)
    assert len(kustomized) > 15, sorted(kustomized)
    faults = [line for key in sorted({*rendered, *kustomized})
              for line in differences("/".join(key), rendered.get(key), kustomized.get(key))]
    assert not faults, f"the chart and config/ differ: {faults[:10]}"
    return len(rendered)


def check_values(bed, helm):
    """What values change, and that nothing else than what is known can be set."""
    everything = helm.template(CHART, "huygens-system", values=EVERYTHING)
    items = {(item["kind"], item["metadata"]["name"]): item for item in objects(everything)}
    strays = [key for key, item in items.items() if item["metadata"].get("namespace", "huygens-system") != "huygens-system"]
    assert strays == [("RoleBinding", "huygens-scheduler-authentication-reader")], strays
    check_webhook_values(items)
    check_watched(items.values())
    forbidding = ("CustomResourceDefinition", "schedulingrules.huygens.dev")  # no rule may be for the namespaces of Kubernetes
    naming = [key for key, item in items.items() if key not in [*strays, forbidding] and "kube-system" in json.dumps(item)]
    assert not naming, f"{naming} still name kube-system"
    pod = items["Deployment", "huygens-scheduler"]["spec"]["template"]["spec"]
    images = [container["image"] for container in pod["initContainers"] + pod["containers"]]
    assert images == ["registry.example:5000/huygens@sha256:" + "0" * 64, "registry.example:5000/kube-scheduler:v1.36.0"], images
    secrets = {volume["name"]: volume["secret"] for volume in pod["volumes"] if "secret" in volume}
    made = [items["Certificate", name]["spec"]["secretName"] for name in ("huygens", "huygens-kube-scheduler")]
    assert [secrets[f"huygens-{side}-tls"]["secretName"] for side in ("server", "client")] == made, (secrets, made)
    for side in ("server", "client"):
        keys = [each["key"] for each in secrets[f"huygens-{side}-tls"]["items"]]
        assert keys == ["ca.crt", "tls.crt", "tls.key"], f"cert-manager makes no {keys}"
    config = configuration(items["ConfigMap", "huygens"]["data"]["extender.yaml"])
    modes = {check["name"]: check["mode"] for check in config["filter"]["checks"]}
    assert modes == EVERYTHING["checks"], modes
    assert config["wake"] == {"enabled": False} and config["usage"] == EVERYTHING["config"]["usage"], config
    assert config["bind"]["lease"] == {"enabled": True, "namespace": "huygens-system", "name": "huygens-bind", "duration": "15s"}, config
    scheduler = configuration(items["ConfigMap", "huygens-scheduler-config"]["data"]["kube-scheduler.yaml"])
    assert scheduler["profiles"] == [{"schedulerName": "numa"}] and scheduler["percentageOfNodesToScore"] == 50, scheduler
    assert len(scheduler["extenders"]) == 1, scheduler
    controller = configuration(items["ConfigMap", "huygens-controller-config"]["data"]["controller.yaml"])["controller"]
    assert controller["lease"]["namespace"] == "huygens-system" and controller["resync"] == "2m", controller
    assert items["Deployment", "huygens-controller"]["spec"]["replicas"] == 1, items["Deployment", "huygens-controller"]
    assert ("ClusterRole", "huygens-controller-real-capacity") in items, "a controller that writes real capacity may not"
    agent = items["DaemonSet", "huygens-agent"]["spec"]["template"]["spec"]
    assert agent["nodeSelector"] == {"pool": "numa"} and agent["tolerations"] == EVERYTHING["agent"]["tolerations"], agent
    assert configuration(items["ConfigMap", "huygens-agent-config"]["data"]["agent.yaml"])["kubelet"] == {"interval": "30s"}, agent
    assert ("ClusterRole", "huygens-agent-extended-resources") in items, "an agent with extended resources may not write them"
    check_extender_configuration(bed, items["ConfigMap", "huygens"]["data"]["extender.yaml"])

    for wrong, named in (({"webhooks": {"enabled": True}}, "webhooks"), ({"webhook": {"failurePolicy": {"scale": "Deny"}}}, "/webhook/failurePolicy/scale"),
                         ({"webhook": {"enabled": True, "config": {"server": {"address": "0.0.0.0:443"}}}}, 'webhook.config.server.address is "0.0.0.0:443"'),
                         ({"checks": {"usage": "on"}}, "/checks/usage"),
                         ({"agent": {"enabled": True, "config": {"adminAddress": "0.0.0.0:9000"}}}, "agent.config.adminAddress is 0.0.0.0:9000"),
                         ({"replicas": "two"}, "/replicas"), ({"image": {"tag": "no tag"}}, "/image/tag"),
                         ({"tls": {"source": "none"}}, "/tls/source"), ({"kubeScheduler": {"schedulerName": "default-scheduler"}}, "schedulerName"),
                         ({"checks": {"usage": "enforce"}, "config": {"filter": {"checks": ["topology"]}}}, "checks.usage and config.filter.checks"),
                         ({"config": {"bind": {"lease": {"name": "mine"}}}}, "config.bind.lease.name is mine"),
                         ({"config": {"bind": {"lease": {"namespace": "mine"}}}}, "config.bind.lease.namespace is mine"),
                         ({"config": {"server": {"adminAddress": "0.0.0.0:9000"}}}, 'config.server.adminAddress is "0.0.0.0:9000"'),
                         ({"config": {"server": {"adminAddress": "127.0.0.1:8889"}}}, 'config.server.adminAddress is "127.0.0.1:8889"'),
                         ({"config": {"server": {"adminAddress": "[::1]:8889"}}}, 'config.server.adminAddress is "[::1]:8889"'),
                         *(({"kubeScheduler": {"config": {"leaderElection": {field: "mine"}}}}, f"kubeScheduler.config.leaderElection.{field} is mine")
                           for field in ("resourceName", "resourceNamespace"))):
        refused = helm.run("template", "huygens", CHART, values=wrong, check=False)
        assert refused.returncode != 0 and named in refused.stderr, f"{wrong}: {refused.stdout[:200]}{refused.stderr[-500:]}"
    old = helm.run("template", "huygens", CHART, "--kube-version", "v1.29.9", check=False)
    assert old.returncode != 0 and "kubeVersion" in old.stderr, old.stderr
    for word in ("off", False):  # what YAML makes of an `off` without quotes
        rendered = helm.template(CHART, values={"config": {"filter": {"checks": ["topology", {"name": "usage", "mode": word}]}}})
        config, = [item["data"]["extender.yaml"] for item in objects(rendered) if item["metadata"]["name"] == "huygens" and item["kind"] == "ConfigMap"]
        assert configuration(config)["filter"]["checks"] == ["topology", {"name": "usage", "mode": "off"}], config
        check_extender_configuration(bed, config)
    for address in ("[::]:8889", ":8889"):
        helm.template(CHART, values={"config": {"server": {"adminAddress": address}}})
    for monitors, watched in ((("podMonitor",), False), (("serviceMonitor", "podMonitor"), True), ((), True)):
        text = helm.template(CHART, values={"metrics": {each: {"enabled": True} for each in (*monitors, "alerts", "rules")}})
        assert "HuygensOvercommitted" in text and "huygens:pod_usage" in text, "the other rules are gone"
        assert ("alert: HuygensSchedulerWithoutLeader" in text) == watched, f"{monitors or 'no monitor'}: who scrapes kube-scheduler?"
    helm.template(CHART, version="v1.30.1-vendor.100")  # as clusters of some vendors call theirs
    return everything


def check_webhook_values(items):
    """What EVERYTHING says of the webhook; takes the one mention of kube-system that must stay out of `items`."""
    hooks = items["ValidatingWebhookConfiguration", "huygens-webhook"]
    assert hooks["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "huygens-system/huygens-webhook"}, hooks["metadata"]
    policies = {hook["name"].split(".")[0]: hook["failurePolicy"] for hook in hooks["webhooks"]}
    assert policies == {"groups": "Fail", "workloads": "Fail", "pods": "Ignore", "scale": "Ignore", "autoscalers": "Ignore"}, policies
    for hook in hooks["webhooks"]:
        assert hook["clientConfig"]["service"]["namespace"] == "huygens-system" and "caBundle" not in hook["clientConfig"], hook
        for each in hook.get("namespaceSelector", {}).get("matchExpressions", ()):
            if each["key"] == "kubernetes.io/metadata.name":
                assert each["values"].pop(1) == "kube-system" and each["values"] == ["huygens-system"], each
    deployment = items["Deployment", "huygens-webhook"]["spec"]
    secrets = [volume["secret"]["secretName"] for volume in deployment["template"]["spec"]["volumes"] if "secret" in volume]
    assert deployment["replicas"] == 3 and secrets == ["door"], (deployment["replicas"], secrets)
    certificate = items["Certificate", "huygens-webhook"]["spec"]
    assert certificate["dnsNames"] == ["huygens-webhook.huygens-system.svc"] and certificate["secretName"] == "door", certificate
    config = configuration(items["ConfigMap", "huygens-webhook-config"]["data"]["webhook.yaml"])
    assert config["webhook"]["autoscalers"] == "warn" and config["server"]["address"] == "0.0.0.0:8443", config


def check_extender_configuration(bed, text):
    """huygens reads what the chart made of its configuration."""
    path = bed.directory / "chart-extender.yaml"
    path.write_text(replaced(text, {"/etc/huygens/server": str(bed.certificates())}))
    result = subprocess.run([huygens_binary(), "config", "check", path], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"


def define_foreign_kinds(bed):
    """Those of cert-manager and the Prometheus operator, as these projects define them."""
    for path in sorted((HELM.parent / "definitions").iterdir()):
        definition, = objects(path.read_text())
        for section in ("labels", "annotations"):  # cert-manager's are templates
            definition["metadata"].pop(section, None)
        made = bed.client.post(CRDS, definition)["metadata"]["name"]
        wait_until(lambda made=made: any(condition["type"] == "Established" and condition["status"] == "True" for condition in
                                         bed.client.get(f"{CRDS}/{made}").get("status", {}).get("conditions") or ()),
                   f"{made} is not served", 30)


def deployed(bed):
    """(replicas, the checksum that rolls the pods, the mode of `usage`) as the API server has them."""
    item = bed.client.get(DEPLOYMENT)
    config = configuration(bed.client.get(f"{KUBE_SYSTEM}/configmaps/huygens")["data"]["extender.yaml"])
    modes = {check["name"]: check["mode"] for check in config["filter"]["checks"]}
    return item["spec"]["replicas"], item["spec"]["template"]["metadata"]["annotations"][CHECKSUM], modes["usage"]


def absent(bed, path):
    try:
        bed.client.get(path)
    except ApiError as error:
        return error.code == 404
    return False


def check_life(bed, helm, package):
    """install, upgrade, roll back, uninstall; the definitions stay, for objects of others may be of these kinds."""
    release = ("huygens", package, "-n", "kube-system")
    notes = helm.run("install", *release).stdout
    assert "The Secret huygens-tls is not there yet" in notes and "usage report" in notes, notes
    names = [item["metadata"]["name"] for item in objects(helm.template(package)) if item["kind"] == "CustomResourceDefinition"]
    assert len(names) == len(list((CHART / "crds").iterdir())) >= 3, names
    first = deployed(bed)
    assert first[0] == 2 and first[2] == "report", first

    again = helm.run("install", "other", package, "-n", "default", check=False)
    assert again.returncode != 0 and "cannot be imported into the current release" in again.stderr, "a cluster has one huygens"

    helm.run("upgrade", *release, values={"replicas": 3, "checks": {"usage": "enforce"}})
    second = deployed(bed)
    assert (second[0], second[2]) == (3, "enforce") and second[1] != first[1], f"{first} became {second}"
    # What `helm upgrade` leaves to the operator.
    bed.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=helm.run("show", "crds", package).stdout)
    by_name = helm.run("upgrade", *release, values={"config": {"filter": {"checks": ["topology", {"name": "usage", "mode": "report"}, {"name": "quota"}]}}})
    assert "Checks: topology enforce. usage report. quota enforce." in by_name.stdout, by_name.stdout
    helm.run("rollback", "huygens", "1", "-n", "kube-system")
    assert deployed(bed) == first, f"rolled back to {deployed(bed)} from {first}"

    manifest = helm.run("get", "manifest", "huygens", "-n", "kube-system").stdout
    helm.run("uninstall", "huygens", "-n", "kube-system")
    left = bed.kubectl("get", "--ignore-not-found", "-f", "-", "-o", "name", stdin=manifest).stdout.split()
    assert not left, f"helm left {left}"
    for name in names:
        bed.client.get(f"{CRDS}/{name}")


def check_generated_for_webhook(bed, directory):
    """Each webhook believes the authority of the certificate, also after the upgrade."""
    data = bed.client.get(f"{KUBE_SYSTEM}/secrets/huygens-webhook-tls")["data"]
    for name, content in data.items():
        (directory / f"webhook-{name}").write_bytes(base64.b64decode(content))
    subprocess.run(["openssl", "verify", "-CAfile", directory / "webhook-ca.crt", "-purpose", "sslserver", "-verify_hostname",
                    "huygens-webhook.kube-system.svc", directory / "webhook-tls.crt"], check=True, capture_output=True)
    hooks = bed.client.get("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/huygens-webhook")["webhooks"]
    assert {hook["clientConfig"]["caBundle"] for hook in hooks} == {data["ca.crt"]}, "a webhook believes somebody else"


def check_beside_the_overlay(bed, helm, package):
    """Where huygens is in the cluster's own kube-scheduler, too, both must ask for one bind Lease."""
    bed.kubectl("apply", "-k", CONFIG / "overlays" / "kubeadm")
    elsewhere = helm.run("install", "huygens", package, "-n", "huygens-system", "--take-ownership", check=False)
    assert elsewhere.returncode != 0 and "install the chart with -n kube-system --take-ownership" in elsewhere.stderr, elsewhere.stderr
    helm.run("install", "huygens", package, "-n", "kube-system", "--take-ownership")
    helm.run("uninstall", "huygens", "-n", "kube-system")
    bed.kubectl("delete", "--ignore-not-found", "-k", CONFIG / "overlays" / "kubeadm")


def check_generated_certificates(bed, helm, package):
    """They fit both ends, an upgrade keeps them, and without their Secret it makes new ones."""
    values = {"tls": {"source": "generate"}, "webhook": {"enabled": True}}
    helm.run("install", "huygens", package, "-n", "kube-system", values=values)
    secret = f"{KUBE_SYSTEM}/secrets/huygens-tls"
    data = bed.client.get(secret)["data"]
    directory = bed.directory / "generated"
    directory.mkdir()
    for name, content in data.items():
        (directory / name).write_bytes(base64.b64decode(content))
    for certificate, purpose, host in (("tls", "sslserver", "huygens"), ("kube-scheduler", "sslclient", "kube-scheduler")):
        subprocess.run(["openssl", "verify", "-CAfile", directory / "ca.crt", "-purpose", purpose, "-verify_hostname", host,
                        directory / f"{certificate}.crt"], check=True, capture_output=True)
    helm.run("upgrade", "huygens", package, "-n", "kube-system", values={**values, "replicas": 3})
    assert bed.client.get(secret)["data"] == data, "an upgrade made new certificates"
    check_generated_for_webhook(bed, directory)
    bed.client.delete(secret)
    helm.run("upgrade", "huygens", package, "-n", "kube-system", values=values)
    assert bed.client.get(secret)["data"].keys() == data.keys() and bed.client.get(secret)["data"] != data
    helm.run("uninstall", "huygens", "-n", "kube-system")
    assert absent(bed, secret), "the keys are left behind"


def chart():
    """The chart renders what kustomize does; a real API server takes it; install, upgrade, rollback and uninstall."""
    if not HELM.exists():
        raise Skip("build/helm has no helm; tools/helm builds it where Go 1.26 is installed")
    with ControlPlane("chart") as bed:
        helm = Helm(bed)
        for values in ({}, EVERYTHING):
            helm.run("lint", "--strict", "--kube-version", kubernetes_version(), CHART, values=values)
        count = check_same_as_kustomize(bed, helm)
        check_parts_of_the_controller(bed, helm)
        check_parts_of_the_webhook(bed, helm)
        everything = check_values(bed, helm)
        bed.kubectl("apply", "--dry-run=server", "-f", "-", stdin=helm.template(CHART))
        define_foreign_kinds(bed)
        bed.client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "huygens-system"}})
        bed.kubectl("apply", "--dry-run=server", "-f", "-", stdin=everything)

        helm.run("package", CHART, "-d", bed.directory)
        package, = bed.directory.glob("huygens-*.tgz")
        check_life(bed, helm, package)
        check_generated_certificates(bed, helm, package)
        check_beside_the_overlay(bed, helm, package)
        blocks = check_guide(bed, helm)
        return f"{count} objects as kustomize renders them; {blocks} blocks of commands of docs/helm.md"
