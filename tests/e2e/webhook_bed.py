"""A real API server that asks two instances of huygens webhook, by what config/webhook ships: only where the webhooks are, and whom to believe, is
replaced, since there is no network of Services. The instances run with the shipped account and nothing but its permissions."""
import base64
import json
import os
import ssl
import subprocess
import urllib.request
import uuid

from admission import Balancer, Service
from api import wait_until
from binaries import BINARIES
from quota_workload import make_group
from rendered import objects
from testbed import CONFIG, GROUPS_PATH, TOKENS, ControlPlane, Huygens, Process, free_port, huygens_binary, replaced

CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/huygens-webhook"
for namespace in ("kube-system", "huygens-system"):
    TOKENS[f"{namespace}-webhook-token"] = (f"system:serviceaccount:{namespace}:huygens-webhook", "system:serviceaccounts")
# A few kinds of other projects, each as a definition of its own that has what matters here.
FOREIGN = {"rollouts.argoproj.io": ("Rollout", "v1alpha1", ".spec.replicas"), "clonesets.apps.kruise.io": ("CloneSet", "v1alpha1", ".spec.replicas"),
           "pytorchjobs.kubeflow.org": ("PyTorchJob", "v1", ".spec.pytorchReplicaSpecs.Worker.replicas")}


class Certificates:
    """A directory as kubelet mounts a Secret: the files are links into a directory that is swapped as a whole."""

    def __init__(self, directory):
        self.directory, self._number = directory, 0
        directory.mkdir()
        self.authority = self.make_authority("first")
        self.issue(self.authority)
        for name in ("tls.crt", "tls.key"):
            (directory / name).symlink_to(f"..data/{name}")

    def make_authority(self, name):
        certificate, key = self.directory / f"{name}.crt", self.directory / f"{name}.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                      "-keyout", key, "-out", certificate)
        return certificate, key

    def issue(self, authority):
        """Swaps in a new certificate, signed by it."""
        self._number += 1
        fresh = self.directory / f"..{self._number}"
        fresh.mkdir()
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=huygens-webhook",
                      "-keyout", fresh / "tls.key", "-out", fresh / "request")
        (fresh / "more").write_text("subjectAltName=DNS:huygens-webhook.kube-system.svc,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        self._openssl("x509", "-req", "-in", fresh / "request", "-CA", authority[0], "-CAkey", authority[1], "-CAcreateserial", "-days", "2",
                      "-extfile", fresh / "more", "-out", fresh / "tls.crt")
        link = self.directory / "..new"
        link.symlink_to(fresh.name)
        os.replace(link, self.directory / "..data")

    @staticmethod
    def bundle(*authorities):
        return base64.b64encode(b"".join(certificate.read_bytes() for certificate, _ in authorities)).decode()

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def creation(item, resource, **more):
    """The request of an API server that was asked to create the item."""
    group, _, version = item["apiVersion"].rpartition("/")
    kind = {"group": group, "version": version}
    return {"uid": str(uuid.uuid4()), "operation": "CREATE", "userInfo": {"username": "test"}, "object": item, "name": item["metadata"]["name"],
            "kind": kind | {"kind": item["kind"]}, "resource": kind | {"resource": resource}, **more}


class Webhook(Service):
    """One `huygens webhook` with the shipped configuration."""
    metric = Huygens.metric

    def __init__(self, bed, name, certificates, api_server=None, advance=False):
        self.bed, self.name, self.port, self.admin_port = bed, name, free_port(), free_port()
        self.config = bed.directory / f"{name}.yaml"
        self.config.write_text(replaced((CONFIG / "webhook" / "webhook.yaml").read_text(), {
            "0.0.0.0:8443": f"127.0.0.1:{self.port}", "0.0.0.0:8889": f"127.0.0.1:{self.admin_port}",
            "/etc/huygens/webhook": str(certificates), 'kubeconfig: ""': f"kubeconfig: {bed.kubeconfig(f'{bed.namespace}-webhook-token', api_server)}",
            "lameDuck: 10s": "lameDuck: 2s", "webhook:\n": f"webhook:\n  advance: {str(advance).lower()}\n"}))
        self.process = Process(name, [huygens_binary(), "webhook", "--config", self.config], bed.directory, grace=30)

    def knows(self, group):
        """Whether its watch has told it of the group: it then says of another one of that name that it exists."""
        answer = self.review(creation(make_group(group), "bizgroupresourcequotas", dryRun=True))
        return answer.get("status", {}).get("message") == f"bizrq/{group} exists"

    def review(self, request):
        """What it answers to an API server that asks this."""
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
        unverified = ssl.create_default_context()
        unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
        asked = urllib.request.Request(f"https://127.0.0.1:{self.port}/validate", json.dumps(review).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=10, context=unverified) as response:
            return json.load(response)["response"]


class WebhookBed(ControlPlane):
    def __init__(self, name, options=(), namespace="kube-system", advance=False):
        super().__init__(name)
        self._options, self._others, self.namespace, self._advance = list(options), [], namespace, advance
        self.balancer = self.api_servers = None  # what passes connections on to the webhooks, and to API servers

    def api_server_options(self):
        return super().api_server_options() + self._options

    def install_webhook(self, flow_schema=True):
        """The definition of groups, config/webhook, and two instances that answer."""
        self.kubectl("apply", "-k", CONFIG / "crd")
        self.wait_established("bizgroupresourcequotas.quota.huygens.dev")
        self.certificates_of_webhook = Certificates(self.directory / "webhook-tls")
        shipped = objects(self, "-k", CONFIG / "webhook")
        hooks, = [item for item in shipped if item["kind"] == "ValidatingWebhookConfiguration"]
        left_out = {"Deployment", "ValidatingWebhookConfiguration"} | (set() if flow_schema else {"FlowSchema", "PriorityLevelConfiguration"})
        items = {"apiVersion": "v1", "kind": "List", "items": [item for item in shipped if item["kind"] not in left_out]}
        if self.namespace != "kube-system":
            self.kubectl("create", "namespace", self.namespace)
        self.kubectl("apply", "-f", "-", stdin=json.dumps(items).replace('"kube-system"', json.dumps(self.namespace)))
        self.webhooks = [self.start_webhook(f"webhook-{i}") for i in range(2)]
        for each in self.webhooks:
            each.wait_ready()
        self.balancer = Balancer([each.port for each in self.webhooks])
        for hook in hooks["webhooks"]:
            service = hook["clientConfig"].pop("service")
            assert (service["name"], service["namespace"]) == ("huygens-webhook", "kube-system"), service
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{self.balancer.port}{service['path']}",
                                    "caBundle": Certificates.bundle(self.certificates_of_webhook.authority)}
        self.hooks = hooks
        self.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(hooks))
        # It acts within milliseconds, but not at once: asked until a dry run of what must be refused is.
        nobody = make_group("nobody", "nowhere", **{"limits.cpu": "1"})
        wait_until(lambda: self.kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(nobody), check=False).returncode != 0,
                   "the API server does not ask the webhooks", 10, interval=0.02)

    def start_webhook(self, name, api_server=None, advance=None):
        """`api_server`: the port of the one that it talks to, if not the first. `advance`: if not as the others."""
        webhook = Webhook(self, name, self.certificates_of_webhook.directory, api_server, self._advance if advance is None else advance)
        self.extenders.append(webhook)
        return webhook

    def tell(self, *authorities):
        """Sets the bundle of every webhook, as a controller would: nothing but that field."""
        bundle = Certificates.bundle(*authorities)
        for hook in self.hooks["webhooks"]:  # whoever applies them again
            hook["clientConfig"]["caBundle"] = bundle
        patch = {"webhooks": [{"name": hook["name"], "clientConfig": {"caBundle": bundle}} for hook in self.hooks["webhooks"]]}
        self.client.call("PATCH", f"{CONFIGURATION}?fieldManager=huygens-certificates", patch, "application/strategic-merge-patch+json")

    def install_foreign_kinds(self):
        for name, (kind, version, path) in FOREIGN.items():
            plural, _, group = name.partition(".")
            self.client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
                "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [{
                    "name": version, "served": True, "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                    "subresources": {"status": {}, "scale": {"specReplicasPath": path, "statusReplicasPath": ".status.replicas"}}}]}})
        self.wait_established(*FOREIGN)

    def start_controllers(self, *controllers):
        """kube-controller-manager, with these of its controllers."""
        self._others.append(Process("kube-controller-manager", [
            BINARIES / "kube-controller-manager", f"--kubeconfig={self.kubeconfig('admin-token')}", "--leader-elect=false",
            f"--controllers={','.join(controllers)}", "--bind-address=127.0.0.1", f"--secure-port={free_port()}",
            "--kube-api-qps=500", "--kube-api-burst=1000", "--horizontal-pod-autoscaler-sync-period=1s"], self.directory, grace=5))

    def _end(self, failed):
        for process in self._others:
            process.stop()
        for each in filter(None, (self.balancer, self.api_servers)):
            each.close()
        return super()._end(failed)

    # What the controller does; it has none here.
    def count(self, name, **used):
        """Says of every key of the budget that so much of it is used, and for which budget that was counted."""
        hard = self.client.get(f"{GROUPS_PATH}/{name}")["spec"]["hard"]
        amounts = {key: "0" for key in hard} | used
        self.client.patch(f"{GROUPS_PATH}/{name}/status", {"status": {"hard": hard, "used": amounts, "selfUsed": amounts, "reservations": ""}})

    def make_group(self, name, parent="", **hard):
        """Where it returns both webhooks know the group, whichever is asked next."""
        self.client.post(GROUPS_PATH, make_group(name, parent, **hard))
        self.count(name)
        for each in self.webhooks:
            wait_until(lambda: each.knows(name), lambda: f"{each.name} does not get to know {name}", 10, interval=0.01)

    def status(self, name):
        return self.client.get(f"{GROUPS_PATH}/{name}").get("status", {})

    def used(self, name, key="limits.cpu"):
        return self.status(name)["used"][key]
