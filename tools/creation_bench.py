"""What tools/bench_overcommit and tools/bench_rules do alike: what pods cost to create with one mutating webhook, another, and none."""
import importlib.machinery
import importlib.util
import json
import pathlib
import statistics
import subprocess

from testbed import Process, free_port
from webhook_bed import Certificates

ROOT = pathlib.Path(__file__).resolve().parent.parent
PODS = "/api/v1/namespaces/default/pods"


def bench_webhook():
    """tools/bench_webhook: how its program is built, and where."""
    loader = importlib.machinery.SourceFileLoader("bench_webhook", str(ROOT / "tools" / "bench_webhook"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_webhook", loader))
    loader.exec_module(module)
    return module


def alone(bed):
    """One instance, asked without anybody in between."""
    bed.webhooks.pop().stop()
    bed.balancer.close()
    bed.balancer = None


def ask(bed, name, hook, port, path):
    hook = hook | {"clientConfig": {"url": f"https://127.0.0.1:{port}{path}", "caBundle": Certificates.bundle(bed.tls.authority)}}
    bed.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=json.dumps({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": {"name": name}, "webhooks": [hook]}))


def ask_nothing(bed, program, hook, label):
    """A webhook in Go that allows everything, about pods with the label."""
    port, tls = free_port(), bed.tls.directory
    bed.others.append(Process("nothing", [program, "nothing", f"127.0.0.1:{port}", tls / "tls.crt", tls / "tls.key"], bed.directory, grace=1))
    ask(bed, "nothing", hook | {"name": "nothing.huygens.dev", "objectSelector": {"matchExpressions": [{"key": label, "operator": "Exists"}]}}, port, "/validate")


def median_of_round(bed, program, pods):
    """In milliseconds, of pods that one client creates one after the other."""
    requests = [{"method": "POST", "path": PODS, "body": json.dumps(pod)} for pod in pods]
    load = {"servers": [f"https://127.0.0.1:{bed.client.port}"], "authority": str(bed.directory / "apiserver" / "apiserver.crt"),
            "token": "admin-token", "clients": 1, "version": "", "requests": requests}
    done = json.loads(subprocess.run([program, "load"], input=json.dumps(load), capture_output=True, text=True, check=True).stdout)
    assert set(done["codes"]) == {"201"}, done.get("failure")
    bed.client.call("DELETE", f"{PODS}?gracePeriodSeconds=0")
    return statistics.median(done["milliseconds"])


def in_turns(cases, rounds, measure):
    """{case: the figures of its rounds}; each round begins with another case, and what comes first is warmed up."""
    figures = {case: [] for case in cases}
    for case in cases:
        measure(case, 100)
    for number in range(rounds):
        turn = number % len(cases)
        for case in cases[turn:] + cases[:turn]:
            figures[case].append(measure(case, None))
    return figures
