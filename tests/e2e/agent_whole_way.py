"""The whole way on a real node, real parts only: kube-scheduler asks huygens, huygens binds with zones, kubelet and containerd run the pod, and
huygens-agent, which published the zones, pins it: its threads run on the CPUs that are its own, and everybody else's do not."""
import json
import pathlib

from agents import TOKEN, agent_binary, allow_agents
from api import wait_until
from install import main, on_a_node
from kubelet import IMAGE, parse_cpus
from one_node import ADDRESS, NODE, OneNode
from testbed import SCHEDULER_NAME, Process

PODS = "/api/v1/namespaces/default/pods"
TOPOLOGY = f"/apis/topology.crane.io/v1alpha1/noderesourcetopologies/{NODE}"


def agent_whole_way():
    """kube-scheduler, huygens, kubelet, containerd and the agent on one node: threads run on the CPUs of the zones that huygens chose."""
    return on_a_node("agent_whole_way", __file__, ())


def start_agent(bed):
    state = bed.directory / "agent-state" / "crane_cpu_manager_state"
    configuration = bed.directory / "agent.yaml"
    configuration.write_text(json.dumps({
        "apiVersion": "config.huygens.dev/v1alpha1", "kind": "AgentConfiguration", "nodeName": NODE,
        "kubernetes": {"kubeconfig": str(bed.kubeconfig(TOKEN))},
        "kubelet": {"url": f"https://{ADDRESS}:10250", "insecureSkipTLSVerify": True},
        "pin": {"nriSocket": "", "stateFile": str(state)}}))
    return Process("agent", [agent_binary(), "run", "--config", configuration], bed.directory, grace=5), state


def pod(name, cpu):
    resources = {"cpu": cpu, "memory": "16Mi"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"schedulerName": SCHEDULER_NAME, "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": IMAGE, "imagePullPolicy": "Never",
                                     "resources": {"requests": resources, "limits": resources}}]}}


def threads_of(bed, name):
    """On which CPUs each thread of the pod's container may run, as /proc says."""
    status = bed.client.get(f"{PODS}/{name}")["status"]
    found = (status.get("containerStatuses") or [{}])[0].get("containerID", "")
    if not found or status["phase"] != "Running":
        return []
    lines = []
    for cgroup in pathlib.Path("/proc").glob("[0-9]*/cgroup"):
        try:
            if found.rpartition("/")[2] in cgroup.read_text():
                for thread in (cgroup.parent / "task").glob("*/status"):
                    lines += [line.split()[1] for line in thread.read_text().splitlines() if line.startswith("Cpus_allowed_list")]
        except OSError:
            continue  # it has ended
    return lines


def inside(_, cgroup):
    with OneNode("agent_whole_way", cgroup) as bed:
        bed.install()
        allow_agents(bed)
        process, state = start_agent(bed)
        try:
            wait_until(lambda: TOPOLOGY.rpartition("/")[2] in [item["metadata"]["name"] for item in bed.client.get(TOPOLOGY.rpartition("/")[0])["items"]],
                       lambda: f"the agent publishes no zones:\n{process.log()[-2000:]}", 60)
            bed.start_scheduler(bed.start_huygens())
            for name, cpu in (("own", "1"), ("other", "50m")):
                bed.client.post(PODS, pod(name, cpu))

            def owned():
                entries = json.loads(state.read_text()).get("entries", {}) if state.exists() else {}
                uid = bed.client.get(f"{PODS}/own")["metadata"]["uid"]
                return entries.get(uid, {}).get("main")

            cpus = wait_until(owned, lambda: f"nobody owns CPUs:\n{process.log()[-3000:]}", 90)
            wait_until(lambda: set(threads_of(bed, "own")) == {cpus}, lambda: f"own runs on {threads_of(bed, 'own')}, not {cpus}", 60)
            wait_until(lambda: threads_of(bed, "other") and not parse_cpus(threads_of(bed, "other")[0]) & parse_cpus(cpus),
                       lambda: f"other runs on {threads_of(bed, 'other')}", 60)
            placed = bed.client.get(f"{PODS}/own")["metadata"]["annotations"]
            result = json.loads(placed["topology.crane.io/topology-result"])
            assert [(zone["name"], zone["resources"]["capacity"]["cpu"]) for zone in result] == [("node0", "1")], result
            bed.client.delete(f"{PODS}/own")
            wait_until(lambda: threads_of(bed, "other") and len(parse_cpus(threads_of(bed, "other")[0])) > 1,
                       lambda: f"other runs on {threads_of(bed, 'other')} though nobody owns CPUs any more", 60)
        finally:
            process.stop()
        return f"its threads run on CPU {cpus}, which nobody else's do"


if __name__ == "__main__":
    main(inside)
