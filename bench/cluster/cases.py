"""Who takes part in the scheduling of a pod, case by case, and with which configuration."""
import dataclasses
import json

from testbed import CONFIG, replaced

SCHEDULER_NAME = "bench-scheduler"
GROUP = "bench"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    extender: str = ""         # "", "nothing" or "huygens"
    narrow_to: int = 0         # of huygens
    everything: bool = False   # the checks usage and quota besides topology, and all terms
    plugin: bool = False       # the community's plug-in, in a kube-scheduler of its own


CASES = {case.name: case for case in (
    Case("none", "no extender"),
    Case("nothing", "do-nothing extender (Go)", extender="nothing"),
    Case("full", "huygens, full replies", extender="huygens"),
    Case("narrow-64", "huygens, narrowTo: 64", extender="huygens", narrow_to=64),
    Case("narrow-16", "huygens, narrowTo: 16", extender="huygens", narrow_to=16),
    Case("narrow-1", "huygens, narrowTo: 1", extender="huygens", narrow_to=1),
    Case("everything", "huygens, everything on", extender="huygens", everything=True),
    Case("everything-16", "everything on, narrowTo: 16", extender="huygens", everything=True, narrow_to=16),
    Case("plugin", "community's NRT plug-in", plugin=True),
)}


def scheduler_configuration(case, kubeconfig, port, certificates):
    """A KubeSchedulerConfiguration as JSON, which is YAML. Its client is not held back, as in a cluster of this size."""
    made = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 10000, "burst": 10000, "contentType": "application/vnd.kubernetes.protobuf"}}
    profile = {"schedulerName": SCHEDULER_NAME}
    if case.plugin:  # its cache reserves what was placed until the node reports it: what it needs to be right
        profile |= {"plugins": {"multiPoint": {"enabled": [{"name": "NodeResourceTopologyMatch"}]}},
                    "pluginConfig": [{"name": "NodeResourceTopologyMatch",
                                      "args": {"cacheResyncPeriodSeconds": 5, "scoringStrategy": {"type": "LeastAllocated"}}}]}
    if case.extender:
        made["extenders"] = [{
            "urlPrefix": f"https://127.0.0.1:{port}", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 5, "nodeCacheCapable": True,
            "enableHTTPS": True, "httpTimeout": "5s",
            "tlsConfig": {"serverName": "huygens", "caFile": str(certificates / "ca.crt"), "certFile": str(certificates / "kube-scheduler.crt"),
                          "keyFile": str(certificates / "kube-scheduler.key")}}]
        if case.extender == "huygens":
            made["extenders"][0] |= {"bindVerb": "bind", "preemptVerb": "preempt"}
    return json.dumps(made | {"profiles": [profile]})


def extender_configuration(case, port, admin_port, kubeconfig, certificates, prometheus):
    """As config/overlays/kubeadm ships it, but for paths, ports and what the case is about."""
    text = replaced((CONFIG / "overlays" / "kubeadm" / "extender.yaml").read_text(), {
        "127.0.0.1:8888": f"127.0.0.1:{port}", "127.0.0.1:8889": f"127.0.0.1:{admin_port}",
        "/etc/huygens/server/huygens.conf": str(kubeconfig), "/etc/huygens/server": str(certificates)})
    if case.narrow_to:
        text = replaced(text, {"\nfilter:\n": f"\nfilter:\n  narrowTo: {case.narrow_to}\n"})
    if case.everything:
        return replaced(text, {"{name: usage, mode: report}": "{name: usage, mode: enforce}",
                               "  historyFile: /var/lib/huygens/history\n": USAGE.format(url=json.dumps(prometheus.url))})
    return replaced(text, {"  - {name: usage, mode: report}": "", "  - {name: quota, mode: enforce}": "", "  - {name: LeastUsed, weight: 2}\n": "",
                           "  - {name: Balanced, weight: 1}\n": "", "usage:\n  historyFile: /var/lib/huygens/history\n": ""})


USAGE = """\
  prometheus: {{url: {url}}}
  staleAfter: 24h
  minHistory: 0s
  resources:
  - {{name: cpu, ceiling: 0.8, whenStale: useRequests, whenAbsent: useRequests}}
  - {{name: memory, ceiling: 0.9, whenStale: useRequests, whenAbsent: useRequests}}
"""
