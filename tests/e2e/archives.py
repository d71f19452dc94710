"""Container images without a registry: archives that containerd imports."""
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile

from testbed import ROOT, Skip, huygens_binary

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())  # as Go names them
BUILT_ROOT = "COPY --from=build /image /\n"  # of the Dockerfile


def write_archive(path, name, program, command):
    """The archive of an image that holds one static program."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        tar.add(os.path.realpath(program), command.strip("/"))
    digest = "sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()
    config = {"architecture": ARCHITECTURE, "os": "linux", "config": {"Entrypoint": [command], "Env": ["PATH=/usr/local/bin"]},
              "rootfs": {"type": "layers", "diff_ids": [digest]}}
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w") as tar:
        for member_name, data in (("manifest.json", json.dumps(manifest).encode()), ("config.json", json.dumps(config).encode()),
                                  ("layer.tar", layer.getvalue())):
            member = tarfile.TarInfo(member_name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def need_image():
    if not shutil.which("dpkg-query"):
        raise Skip("no dpkg: the image is laid out from Debian's packages")
    release = dict(line.split("=", 1) for line in open("/etc/os-release").read().splitlines() if "=" in line)
    if (release.get("ID"), release.get("VERSION_ID", "").strip('"')) != ("debian", "12"):
        raise Skip("the image is Debian 12, this machine is not")
    if os.geteuid() != 0:
        raise Skip("buildah needs root here")
    if not shutil.which("buildah"):
        raise Skip("not installed: buildah; tools/setup --image installs it")


class ImageBuilder:
    """The last stage of the Dockerfile, on a root that tools/image_root lays out with a program that is built already: compiling it again
    inside an image would prove little and take minutes. Everything of buildah's lies in `directory`."""

    def __init__(self, directory):
        self.root = directory / "image-root"
        self._directory = directory
        storage = directory / "storage.conf"
        storage.write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{directory / "storage"}"\nrunroot = "{directory / "storage-run"}"\n')
        self.environment = {**os.environ, "CONTAINERS_STORAGE_CONF": str(storage), "BUILDAH_ISOLATION": "chroot", "SOURCE_DATE_EPOCH": "1",
                            "COMMIT": "0123abc"}
        self.run(ROOT / "tools" / "image_root", self.root, huygens_binary(), huygens_binary().with_name("huygens-agent"))
        dockerfile = (ROOT / "Dockerfile").read_text()
        last = dockerfile[dockerfile.rindex("\nFROM "):]
        assert BUILT_ROOT in last, "the Dockerfile's last stage takes its root from elsewhere"
        (directory / "Containerfile").write_text(last.replace(BUILT_ROOT, "COPY . /\n"))

    def run(self, *command):
        result = subprocess.run([str(part) for part in command], env=self.environment, capture_output=True, text=True)
        assert result.returncode == 0, f"{' '.join(map(str, command))}: {(result.stdout + result.stderr)[-1500:]}"
        return result.stdout

    def build(self, version, archive):
        """The digest of the image huygens:`version`, which `archive` gets."""
        name, digest = f"docker.io/library/huygens:{version}", self._directory / "digest"
        archive.unlink(missing_ok=True)
        self.run("buildah", "bud", "--no-cache", "--timestamp", "1", "--identity-label=false", "--build-arg", f"VERSION={version}", "--build-arg",
                 "COMMIT=0123abc", "--tag", name, "--file", self._directory / "Containerfile", self.root)
        self.run("buildah", "push", "--digestfile", digest, name, f"oci-archive:{archive}:{name}")
        return digest.read_text()

    def configuration(self, version):
        return json.loads(self.run("buildah", "inspect", "--type", "image", f"docker.io/library/huygens:{version}"))["OCIv1"]["config"]


def dockerfile_context():
    """The files of the tree that .dockerignore lets into the build, as far as its patterns are used here."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    kept = set(files)
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = re.compile(re.escape(line.lstrip("!").strip("/")).replace(r"\*", "[^/]*") + "(/|$)")
        matching = {file for file in files if pattern.match(file)}
        kept = kept | matching if line.startswith("!") else kept - matching
    return kept
