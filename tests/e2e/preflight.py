"""`huygens preflight` against a real API server."""
import datetime
import json
import subprocess

from testbed import CONFIG, SAMPLE_CLUSTER, ControlPlane, huygens_binary, replaced

ACCOUNT = "kube-system/huygens"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


def preflight():
    """On a bare cluster preflight names what is missing; what it says to apply mends that; it writes nothing."""
    with ControlPlane("preflight") as bed:
        config = bed.directory / "preflight.yaml"
        config.write_text(replaced((CONFIG / "extender" / "extender.yaml").read_text(), {"/etc/huygens/server": str(bed.certificates())}))
        scheduler = bed.directory / "kube-scheduler.yaml"
        scheduler.write_text(replaced((CONFIG / "scheduler" / "kube-scheduler.yaml").read_text(),
                                      {"/etc/huygens/client": str(bed.certificates())}))

        def run(*more):
            command = [huygens_binary(), "preflight", "--config", config, "--scheduler-config", scheduler,
                       "--kubeconfig", bed.kubeconfig("admin-token"), "--account", ACCOUNT, *more]
            result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
            assert "admin-token" not in result.stdout.replace("admin-token.kubeconfig", ""), "a secret is printed"
            return result

        def findings(code):
            result = run("-o", "json")
            assert result.returncode == code, f"exit code {result.returncode}: {result.stdout}{result.stderr}"
            return json.loads(result.stdout)["findings"]

        def said(found, severity):
            return [each["what"] for each in found if each["severity"] == severity]

        bare = findings(2)
        errors, warnings = said(bare, "error"), said(bare, "warning")
        assert f"service account {ACCOUNT} may not create pods/binding" in errors, errors
        assert "there are no nodes" in errors, errors
        assert "there is no kind bizgroupresourcequotas.quota.huygens.dev" in warnings, warnings
        assert "neither kind of NodeResourceTopology is installed" in warnings, warnings
        assert any("there is no metrics API" in warning for warning in warnings), warnings
        assert not [each for each in bare if each["group"] == "scheduler" and each["severity"] != "ok"], bare
        print(run().stdout)

        # What it says to do, line by line.
        mends = {line.split("   #")[0] for each in bare for line in each["mend"].splitlines()}
        for command in ("kubectl apply -k config/crd", "kubectl apply -k config/rbac"):
            assert command in mends, mends
            bed.kubectl(*command.split()[1:])
        bed.wait_established("noderesourcetopologies.topology.crane.io", "bizgroupresourcequotas.quota.huygens.dev")
        bed.kubectl("apply", "-f", SAMPLE_CLUSTER)
        mended = findings(1)
        assert said(mended, "error") == [], mended
        assert not [each for each in mended if each["group"] == "permissions" and each["severity"] != "ok"], mended
        left = {each["group"] for each in mended if each["severity"] == "warning"}
        assert "usage" in left, "nothing measures use on this machine"
        print(run().stdout)

        assert any("nobody has led yet" in what for what in said(mended, "ok")), mended
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "huygens-scheduler", "namespace": "kube-system"},
                 "spec": {"holderIdentity": "pod-a_1", "leaseDurationSeconds": 15, "renewTime": "2026-11-21T12:00:00.000000Z"}}
        bed.client.post(LEASES, lease)
        assert any(what.startswith("nobody leads: pod-a holds") for what in said(findings(1), "warning")), "a Lease that nobody renews"
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        bed.client.patch(f"{LEASES}/huygens-scheduler", {"spec": {"renewTime": now}})
        assert "pod-a leads, by the Lease kube-system/huygens-scheduler" in said(findings(1), "ok")

        writes = {(event["verb"], event["objectRef"]["resource"]) for event in bed.audit()
                  if event.get("userAgent", "").startswith("huygens/") and event["verb"] not in ("get", "list", "watch")}
        assert writes <= {("create", "subjectaccessreviews"), ("create", "selfsubjectaccessreviews")}, writes
