"""What kubeadm itself makes of a configuration, where it is built (build/k8s/kubeadm), in an /etc/kubernetes that nobody else sees."""
import os
import subprocess

from rendered import KUBEADM_PATCH, project_version
from testbed import BINARIES

KUBEADM = BINARIES / "kubeadm"
SCRIPT = r"""
set -e
mkdir -p /etc/kubernetes && mount -t tmpfs none /etc/kubernetes
install -D "$2" /etc/kubernetes/huygens/patches/"$(basename "$2")"
"$0" init phase certs ca --config "$1" >/dev/null
"$0" init phase control-plane scheduler --config "$1" >/dev/null
cat /etc/kubernetes/manifests/kube-scheduler.yaml
"$0" kubeconfig user --client-name huygens --config "$1" | grep server:
"""


def validate(path):
    """What is wrong with the file, or nothing."""
    result = subprocess.run([KUBEADM, "config", "validate", "--config", path], capture_output=True, text=True, timeout=30)
    return result.stderr[-1500:] if result.returncode else ""


def check_static_pod(path, endpoint):
    """With the patch that is shipped kubeadm writes a kube-scheduler that has huygens beside it, and a kubeconfig for the endpoint of all machines."""
    if os.geteuid() != 0:
        return
    result = subprocess.run(["unshare", "--mount", "--propagation=private", "bash", "-c", SCRIPT, KUBEADM, path, KUBEADM_PATCH],
                            capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr[-1500:]
    for part in (f"image: huygens:{project_version()}", "- --config=/etc/kubernetes/huygens/config/kube-scheduler.yaml", "restartPolicy: Always",
                 f"server: https://{endpoint}"):
        assert part in result.stdout, f"no {part!r} in {result.stdout}"
