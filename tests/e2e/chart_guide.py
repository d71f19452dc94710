"""The commands of docs/helm.md, run as a reader would paste them. There is no node, so nothing waits for pods."""
import subprocess

from binaries import BINARIES, ROOT
from shell_page import blocks_of
from testbed import CONFIG, huygens_binary

KUBECTL = """#!/bin/sh
case " $* " in *" rollout status "*) echo "there is no node"; exit 0 ;; esac
exec {kubectl} "$@"
"""


class Guide:
    """The page's blocks, run in a checkout of one's own."""

    def __init__(self, bed, helm):
        self._directory = bed.directory / "guide"
        programs = self._directory / "bin"
        programs.mkdir(parents=True)
        (self._directory / "config").symlink_to(CONFIG)
        (programs / "helm").symlink_to(helm.binary)
        (programs / "huygens").symlink_to(huygens_binary())
        kubectl = programs / "kubectl"
        kubectl.write_text(KUBECTL.format(kubectl=BINARIES / "kubectl"))
        kubectl.chmod(0o755)
        self._environment = {**helm.environment, "PATH": f"{programs}:{helm.environment['PATH']}",
                             "KUBECACHEDIR": str(bed.directory / "kube-cache")}
        blocks = [block._replace(text=block.text.replace("REGISTRY", "registry.example:5000")) for block in blocks_of(ROOT / "docs" / "helm.md")]
        self.blocks = [block.text for block in blocks if block.language == "sh"]
        for block in blocks:
            if block.language == "yaml" and block.name:
                (self._directory / block.name).write_text(block.text)

    def run(self, block):
        result = subprocess.run(["bash", "-e", "-c", block], cwd=self._directory, env=self._environment,
                                capture_output=True, text=True, timeout=180)
        assert result.returncode == 0, f"docs/helm.md: {block}\n{result.stderr[-1500:]}"
        return result.stdout


def check_guide(bed, helm):
    guide = Guide(bed, helm)
    assert len(guide.blocks) >= 7, f"docs/helm.md has {len(guide.blocks)} blocks of commands: does this test still read it?"
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "huygens-scheduler", "namespace": "kube-system"},
             "spec": {"holderIdentity": "somebody"}}
    bed.client.post("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", lease)
    said = [guide.run(block) for block in guide.blocks]
    assert "somebody" in said[0], said[0]
    checked, = [text for block, text in zip(guide.blocks, said) if "huygens config check" in block]
    assert checked == "/dev/stdin: ok\n", checked
    assert helm.run("list", "-A", "-q").stdout == "", "the page does not end with an uninstallation"

    # The way from kustomize to helm, from where it begins.
    bed.kubectl("apply", "-k", CONFIG / "default")
    move, = [block for block in guide.blocks if "--take-ownership" in block]
    guide.run(move)
    maps = bed.kubectl("-n", "kube-system", "get", "configmaps", "-o", "name").stdout.split()
    ours = sorted(name for name in maps if "huygens" in name)
    assert ours == ["configmap/huygens", "configmap/huygens-scheduler-config"], maps
    guide.run(guide.blocks[-1])
    return len(guide.blocks)
