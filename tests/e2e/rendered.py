"""What kustomize makes of config/ beyond what stands there: names that it rewrites, images and when these are pulled; and how its pods are confined."""
import json
import re

from testbed import CONFIG, ROOT

WORKLOADS = ("default", "overlays/kubeadm", "webhook", "controller", "recommendations", "resizing", "rules-controller", "metrics-front", "overlays/webhook-own-authority", "overlays/real-capacity", "agent",
             "overlays/agent-extended-resources", "overlays/agent-devices")
KUBEADM_PATCH = CONFIG / "overlays" / "kubeadm" / "patches" / "kube-scheduler+strategic.yaml"


def project_version():
    return re.search(r"^project\(huygens VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def objects(bed, *arguments):
    """The objects of files (-f) or of a rendered directory (-k), as kubectl would send them."""
    text = bed.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", *arguments).stdout
    decoder, found = json.JSONDecoder(), []
    while text.strip():
        item, end = decoder.raw_decode(text.lstrip())
        text = text.lstrip()[end:]
        found += item["items"] if item["kind"] == "List" else [item]
    return found


def resource_names(items):
    """{(kind, name): the resourceNames of its rules, in their order}."""
    return {(item["kind"], item["metadata"]["name"]): [rule.get("resourceNames") for rule in item["rules"] or ()]
            for item in items if item["kind"] in ("Role", "ClusterRole")}


def check_resource_names(bed):
    """kustomize takes a name in a rule for that of any object that it renames, be it of another kind."""
    files = [path for path in CONFIG.rglob("*.yaml") if re.search(r"^kind: (Cluster)?Role$", path.read_text(), re.M)]
    written = resource_names([item for path in files for item in objects(bed, "-f", path)])
    assert any(any(names) for names in written.values()), "no rule in config/ names an object any more: is this test still of use?"
    for directory in WORKLOADS:
        rendered = resource_names(objects(bed, "-k", CONFIG / directory))
        assert rendered, f"config/{directory} has no role"
        for role, names in rendered.items():
            assert names == written[role], f"config/{directory}: rules of {role} name {names} where the file says {written[role]}"


def check_images(bed):
    """The image of huygens bears the version of the project and is not asked for anew where the machine has it."""
    expected = f"huygens:{project_version()}"
    pods = {f"config/{directory}, {item['metadata']['name']}": item["spec"]["template"]["spec"]
            for directory in WORKLOADS for item in objects(bed, "-k", CONFIG / directory) if item["kind"] in ("Deployment", "DaemonSet")}
    for file in ("scheduler/deployment.yaml", "controller/deployment.yaml", "webhook/deployment.yaml", "agent/daemonset.yaml"):  # for whoever applies a file
        deployment, = [item for item in objects(bed, "-f", CONFIG / file) if item["kind"] in ("Deployment", "DaemonSet")]
        pods[f"config/{file}"] = deployment["spec"]["template"]["spec"]
    pods["config/overlays/kubeadm"] = objects(bed, "-f", KUBEADM_PATCH)[0]["spec"]
    assert len(pods) >= 9, f"pods of huygens: {sorted(pods)}"
    for where, spec in pods.items():
        containers = [container for container in spec.get("initContainers", []) + spec["containers"] if container["name"] in ("huygens", "controller", "agent")]
        assert len(containers) == 1, f"{where}: {len(containers)} containers of huygens"
        for container in containers:
            assert container["image"] == expected, f"{where}: the image is {container['image']}, the project's version {expected}"
            assert container.get("imagePullPolicy") == "IfNotPresent", f"{where}: imagePullPolicy {container.get('imagePullPolicy')}"


def check_confinement(bed):
    """Each container that we write runs as nobody in particular, with a root that it cannot write and no capability, and is probed; and who may
    connect to it is said. In the kubeadm pod kube-scheduler itself is kubeadm's, which runs it as root: the patch must leave it as it is."""
    items = objects(bed, "-k", CONFIG / "default")
    deployment, = [item for item in items if item["kind"] == "Deployment"]
    check_confined("config/default", deployment["spec"]["template"]["spec"], {"huygens", "kube-scheduler"})
    pod, = objects(bed, "-f", KUBEADM_PATCH)
    theirs, = pod["spec"].pop("containers")
    assert theirs.keys() == {"name", "volumeMounts"}, f"the kubeadm patch changes more of kube-scheduler than its files: {theirs}"
    check_confined("config/overlays/kubeadm", pod["spec"], {"huygens"})

    check_policy(items, deployment)
    for directory, container in (("controller", "controller"), ("webhook", "huygens")):
        items = objects(bed, "-k", CONFIG / directory)
        deployment, = [item for item in items if item["kind"] == "Deployment"]
        check_confined(f"config/{directory}", deployment["spec"]["template"]["spec"], {container})
        check_policy(items, deployment)
    check_agent(bed)


def check_agent(bed):
    """The agent is uid 0, for the sockets and state files of the node, and has nothing else of root's: no capability, no privilege, no namespace of
    the host, and of its files only directories that it needs, most of them read-only."""
    items = objects(bed, "-k", CONFIG / "agent")
    daemon, = [item for item in items if item["kind"] == "DaemonSet"]
    pod = daemon["spec"]["template"]["spec"]
    container, = pod["containers"]
    wanted = {"allowPrivilegeEscalation": False, "privileged": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container["securityContext"] == wanted, container["securityContext"]
    assert pod["securityContext"] == {"runAsUser": 0, "runAsGroup": 0, "seccompProfile": {"type": "RuntimeDefault"}}, pod["securityContext"]
    assert not any(pod.get(each) for each in ("hostPID", "hostIPC", "hostNetwork", "initContainers")), pod
    assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys(), container
    assert pod["priorityClassName"] == "system-node-critical" and pod["tolerations"] == [{"operator": "Exists"}], pod
    paths = {volume["name"]: volume["hostPath"]["path"] for volume in pod["volumes"] if "hostPath" in volume}
    writable = {paths[mount["name"]] for mount in container["volumeMounts"] if mount["name"] in paths and not mount.get("readOnly")}
    assert writable == {"/var/lib/kubelet/device-plugins", "/var/lib/kubelet/pod-resources", "/run/containerd", "/var/run/nri", "/var/lib/huygens"}, writable
    assert set(paths.values()) - writable == {"/var/lib/kubelet", "/sys/fs/cgroup"}, paths
    for volume in pod["volumes"]:  # a file or socket that is replaced would stay the old one in the pod
        assert volume.get("hostPath", {}).get("type", "Directory") in ("Directory", "DirectoryOrCreate"), volume
    check_policy(items, daemon)


def check_policy(items, deployment):
    policy, = [item for item in items if item["kind"] == "NetworkPolicy"]
    selected, labels = policy["spec"]["podSelector"]["matchLabels"], deployment["spec"]["template"]["metadata"]["labels"]
    assert selected and selected.items() <= labels.items(), f"the NetworkPolicy selects {selected}, the pods are {labels}"
    assert policy["metadata"]["namespace"] == deployment["metadata"]["namespace"] and policy["spec"]["policyTypes"] == ["Ingress"], policy


def check_confined(where, spec, names):
    containers = spec.get("initContainers", []) + spec.get("containers", [])
    assert {container["name"] for container in containers} == names, f"{where}: {[container['name'] for container in containers]}"
    for container in containers:
        found = {**spec.get("securityContext", {}), **container.get("securityContext", {})}  # the container's own word counts
        wanted = {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True,
                  "seccompProfile": {"type": "RuntimeDefault"}}
        wrong = {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
        assert not wrong, f"{where}: container {container['name']} has {wrong}"
        assert found.get("runAsUser", 0) > 0 and found.get("runAsGroup", 0) > 0 and not found.get("privileged"), f"{where}: {container['name']}: {found}"
        absent = {"startupProbe", "livenessProbe", "readinessProbe"} - container.keys()
        assert not absent, f"{where}: container {container['name']} has no {', '.join(sorted(absent))}"
    shared = {key for key in ("hostPID", "hostIPC", "hostNetwork") if spec.get(key)}
    assert not shared, f"{where}: {shared}"


def check_old_kubernetes(bed):
    """What Kubernetes 1.30 would not take: kube-scheduler answers neither /livez nor /readyz there, and a Service finds no port of a sidecar
    by name."""
    items = objects(bed, "-k", CONFIG / "default")
    deployment, = [item for item in items if item["kind"] == "Deployment"]
    scheduler, = deployment["spec"]["template"]["spec"]["containers"]
    paths = {probe: scheduler[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert set(paths.values()) == {"/healthz"}, paths
    sidecars = [port["name"] for container in deployment["spec"]["template"]["spec"]["initContainers"] for port in container["ports"]]
    targets = [port["targetPort"] for item in items if item["kind"] == "Service" for port in item["spec"]["ports"]]
    assert len(targets) == 2 and not set(sidecars) & set(targets), f"the Service's target ports {targets} name {sidecars}"
