"""What huygens' agent says of real kubelets, and what huygens makes of it with nothing set by hand."""
import contextlib
import json
import os
import pathlib
import random
import time

import oracle
import pinning
from agents import Agent, allow_agents, writes
from api import wait_until
from exporter import PATH as TOPOLOGIES
from kubelet import Kubelet, need_kubelet
from machine import Machine
from scenarios import SEED, scaled
from testbed import NRT_PATH, ControlPlane

GIB = 2**30
PLACEMENT = "huygens.dev/kubelet-placement"
QUIET, REST = 3, 10  # seconds
ROUND = 24  # pods
# Which machine, which CPUs kubelet keeps, and what it is given besides a static CPU manager.
NODES = {
    "none": (Machine(2, 4, 2, 16 * GIB), "0,8", {"topologyManagerPolicy": "none", "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}),
    "best-effort": (Machine(4, 2, 2, 8 * GIB), "1,9", {
        "topologyManagerPolicy": "best-effort",
        "cpuManagerPolicyOptions": {"full-pcpus-only": "true", "distribute-cpus-across-numa": "true"}}),
    "restricted": (Machine(2, 4, 2, 16 * GIB), "0,8", {
        "topologyManagerPolicy": "restricted", "topologyManagerScope": "pod", "memoryManagerPolicy": "Static",
        "cpuManagerPolicyOptions": {"distribute-cpus-across-numa": "true"}}),
    # Kubelet itself chooses which CPUs it keeps.
    "single-numa-node": (Machine(2, 4, 2, 16 * GIB), "0,8", {
        "topologyManagerPolicy": "single-numa-node", "reservedSystemCPUs": "", "kubeReserved": {"cpu": "1500m"}}),
}


@contextlib.contextmanager
def nodes_with_agents(bed):
    with contextlib.ExitStack() as stack:
        kubelets = {name: stack.enter_context(Kubelet(bed, name, machine, reserved, settings, {})) for name, (machine, reserved, settings) in NODES.items()}
        wait_until(lambda: len(bed.client.get("/api/v1/nodes")["items"]) == len(NODES) and all(k.manages() for k in kubelets.values()),
                   "a kubelet does not work", 60)
        agents = {name: stack.enter_context(Agent(bed, kubelet)) for name, kubelet in kubelets.items()}
        for agent in agents.values():
            agent.wait_ready()
        yield pinning.Fleet(bed, kubelets, []), agents


def published(bed, node):
    return bed.client.get(f"{TOPOLOGIES}/{node}")


def attribute(item, name):
    return next((each["value"] for each in item.get("attributes") or [] if each["name"] == name), None)


def available(item):
    """Of CPUs, by zone."""
    return [int(next(r["available"] for r in zone["resources"] if r["name"] == "cpu")) for zone in item["zones"]]


def check_objects(bed, kubelets):
    """Each says what its kubelet was given, and what its state files hold."""
    for name, kubelet in kubelets.items():
        item, settings = published(bed, name), NODES[name][2]
        assert attribute(item, "topologyManagerPolicy") == settings["topologyManagerPolicy"], item
        assert attribute(item, "topologyManagerScope") == settings.get("topologyManagerScope", "container"), item
        assert attribute(item, "memoryManagerPolicy") == settings.get("memoryManagerPolicy", "None"), item
        for option, key in (("full-pcpus-only", "cpuManagerOptionFullPcpusOnly"), ("distribute-cpus-across-numa", "cpuManagerOptionDistributeCpusAcrossNuma")):
            assert attribute(item, key) == settings.get("cpuManagerPolicyOptions", {}).get(option, "false"), (option, item)
        assert available(item) == kubelet.free_cpus(), (name, available(item), kubelet.free_cpus())
        node = bed.client.get(f"/api/v1/nodes/{name}")
        assert item["metadata"]["ownerReferences"][0]["uid"] == node["metadata"]["uid"], item["metadata"]
        cpus = [set(range(16)) & set(NODES[name][0].cpus(zone)) for zone in NODES[name][0].zone_ids]
        assert [int(next(r["capacity"] for r in zone["resources"] if r["name"] == "cpu")) for zone in item["zones"]] == list(map(len, cpus)), item


def check_placements(bed, nodes):
    """Pods that own CPUs name them, and no others do. Returns how many."""

    def wrong():
        owned = {uid: containers for kubelet in nodes.kubelets.values() for uid, containers in kubelet.assigned_cpus().items()}
        for item in pinning.list_pods(bed):
            uid, text = item["metadata"]["uid"], oracle.annotations(item).get(PLACEMENT)
            if oracle.ended(item) or uid not in owned:
                continue
            machine = nodes.kubelets[item["spec"]["nodeName"]].machine
            zones = {}
            for cpu in {cpu for cpus in owned[uid].values() for cpu in cpus}:
                zones[f"node{machine.zone_of(cpu)}"] = zones.get(f"node{machine.zone_of(cpu)}", 0) + 1
            mark = json.loads(text) if text else {"zones": []}
            said = {zone["name"]: int(zone["resources"]["capacity"]["cpu"]) for zone in mark["zones"] if "cpu" in zone["resources"]["capacity"]}
            if said != zones or mark["uid"] != uid:
                return f"{item['metadata']['name']}: {text} instead of {zones}"
        return None

    wait_until(lambda: wrong() is None, wrong, 30)
    return sum(PLACEMENT in oracle.annotations(item) for item in pinning.list_pods(bed))


def check_foreign_attributes(bed, nodes):
    """The community's definition in this bed knows no map of zones: what a master wrote must outlive what the agent writes next."""
    path, name = f"{TOPOLOGIES}/restricted", "offline_capacity"
    item = published(bed, "restricted")
    for zone in item["zones"]:
        zone["attributes"].append({"name": name, "value": "7"})
    bed.client.patch(path, {"zones": item["zones"]})
    before = available(item)
    bed.client.post(pinning.PODS, pinning.pod("after-the-master", [pinning.container("a", 1)], node="restricted"))
    wait_until(lambda: available(published(bed, "restricted")) != before, "the agent does not see a pod", 30)
    values = [attribute(zone, name) for zone in published(bed, "restricted")["zones"]]
    assert values == ["7"] * len(values), f"the agent took a master's attributes away: {values}"


def check_cranes_object(bed, agent):
    """One that says that the agent pins, where kubelet does: the agent takes its hands off, and leaves a master's attributes alone."""
    name = agent.kubelet.name
    zones = [{"name": f"node{zone}", "type": "Node", "attributes": {"offline_capacity": "3"}} for zone in agent.kubelet.machine.zone_ids]
    bed.client.call("PATCH", f"{NRT_PATH}/{name}?fieldManager=huygens-master&force=true", {
        "apiVersion": "topology.crane.io/v1alpha1", "kind": "NodeResourceTopology", "metadata": {"name": name},
        "craneManagerPolicy": {"cpuManagerPolicy": "Static"}, "zones": zones}, "application/apply-patch+yaml")
    agent.process.stop()
    agent.process.start()
    get = lambda: bed.client.get(f"{NRT_PATH}/{name}")
    wait_until(lambda: get()["craneManagerPolicy"]["cpuManagerPolicy"] == "None", "the agent leaves crane's object as it is", 30)
    for zone in get()["zones"]:
        assert zone["attributes"] == {"offline_capacity": "3"} and int(zone["resources"]["capacity"]["cpu"]) > 0, zone
    assert "by their names" in agent.process.log(), agent.process.log()[-2000:]


def measure_latency(bed, nodes):
    """Seconds from when kubelet has written down whom it gave CPUs until the topology object says so."""
    kubelet = nodes.kubelets["none"]
    before = available(published(bed, "none"))
    bed.client.post(pinning.PODS, pinning.pod("measured", [pinning.container("a", 2)], node="none"))
    wait_until(lambda: kubelet.free_cpus() != before, "kubelet gives no CPUs", 30, interval=0.01)
    start = time.monotonic()
    wait_until(lambda: available(published(bed, "none")) == kubelet.free_cpus(), "the agent does not see a pod", 30, interval=0.01)
    return time.monotonic() - start


def refuse_half_cores(bed, nodes):
    """One CPU where kubelet gives whole cores of two."""
    for name in ("none", "best-effort"):
        bed.client.post(pinning.PODS, pinning.pod(f"half-a-core-on-{name}", [pinning.container("a", 1)], node=name))


def agent():
    """What the agent publishes makes huygens predict each kubelet with nothing set by hand; at rest it writes nothing."""
    need_kubelet()
    rng = random.Random(SEED)
    count = int(os.environ.get("HUYGENS_E2E_AGENT_PODS", scaled(24, 18)))
    with ControlPlane("agent") as bed:
        bed.install()
        bed.kubectl("apply", "-f", pathlib.Path(__file__).parent / "node" / "noderesourcetopologies.yaml")
        allow_agents(bed)
        with nodes_with_agents(bed) as (nodes, agents):
            bed.start_scheduler(bed.start_huygens())
            check_objects(bed, nodes.kubelets)
            latency = measure_latency(bed, nodes)
            doubted = set()
            for first in range(0, count, ROUND):  # a node that is full says nothing about kubelet
                pinning.delete_all(bed)
                # Objects name the pods that they contain, so that nobody waits for time to tell.
                pinning.stream(bed, nodes, rng, min(ROUND, count - first), quiet=QUIET)
                doubted |= {f"{name}-round-{first // ROUND}" for name in pinning.doubt(bed, nodes)}
            seen = len(writes(bed))
            pinning.fragment(bed, nodes, multiple_of=2)  # threads of a core
            refuse_half_cores(bed, nodes)
            nodes.wait_quiet(QUIET)
            noted = check_placements(bed, nodes)
            doubted |= pinning.doubt(bed, nodes)
            pinning.delete_all(bed)
            check_objects_settle(bed, nodes)
            check_foreign_attributes(bed, nodes)
            check_cranes_object(bed, agents["none"])
            nodes.wait_quiet(QUIET)
            at_rest, woken = len(writes(bed)), {name: each.wake_ups() for name, each in agents.items()}
            time.sleep(REST)
            most_woken = max(each.wake_ups() - woken[name] for name, each in agents.items()) / REST
            assert len(writes(bed)) == at_rest, f"agents write at rest: {writes(bed)[at_rest:]}"
            resident, anonymous, threads = (max(values) for values in zip(*(each.memory() for each in agents.values())))
            smt = [name for name in doubted if "half-a-core" in name]
            # How many of the stream's pods are refused goes by the order in which they come.
            assert len(smt) == 2, f"huygens refused too little that kube-scheduler had room for: {doubted}"
            return (f"kubelets started all of {len(nodes.zones)} pods that huygens let through and refused all of {len(doubted)} that it had refused; "
                    f"{noted} pods name their CPUs; {seen} writes for {count} pods, 0 in {REST} s at rest; an object {latency:.2f} s behind its kubelet; "
                    f"at most {resident / 1024:.1f} MiB resident, {anonymous / 1024:.1f} anonymous, {threads} threads, {most_woken:.1f} wake-ups a second")


def check_objects_settle(bed, nodes):
    wait_until(lambda: all(available(published(bed, name)) == kubelet.usable_cpus() for name, kubelet in nodes.kubelets.items()),
               "an object does not give back what pods had", 40)
