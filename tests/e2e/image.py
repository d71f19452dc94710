"""The image: what is in it, what is not, and that it is the same each time."""
import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile

from archives import ImageBuilder, dockerfile_context, need_image
from rendered import project_version
from testbed import ROOT

SHELLS = {"sh", "bash", "dash", "busybox"}


def image():
    """The image holds the program and what it loads, nothing setuid and no shell, runs as nobody in particular, and is the same twice."""
    need_image()
    version = project_version()
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-image-") as temporary:
        directory = pathlib.Path(temporary)
        builder = ImageBuilder(directory)
        digests = {builder.build(version, directory / "huygens.tar") for _ in range(2)}
        assert len(digests) == 1, f"two builds differ: {digests}"
        configuration = builder.configuration(version)
        labels = configuration["Labels"]
        assert labels["org.opencontainers.image.version"] == version and labels["org.opencontainers.image.revision"] == "0123abc", labels
        assert labels["org.opencontainers.image.licenses"] == "Apache-2.0", labels
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", configuration["User"]), f"the image runs as {configuration['User']!r}"
        user = int(configuration["User"].split(":")[0])
        for arguments in (configuration["Cmd"], ["version"], ["config", "defaults"]):
            run_inside(builder.root, [*configuration["Entrypoint"], *arguments], user)
        check_files(builder.root)
        packages = check_packages(builder.root)
    context = dockerfile_context()
    strange = [file for file in context if file.startswith(("docs/", "tests/", "config/")) or file.endswith(".md")]
    assert not strange and "cli/main.cc" in context, f"a change of {strange[:3]} would compile everything anew"
    detail = f"{packages} packages"
    if os.environ.get("HUYGENS_E2E_FULL_IMAGE"):
        detail += f"; built from the sources twice: {build_in_full()}"
    return detail


def run_inside(root, command, user):
    result = subprocess.run(["chroot", f"--userspec={user}:{user}", root, *command], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, f"{command} in the image: {result.stdout}{result.stderr}"


def check_files(root):
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        assert path.is_symlink() or not mode & (stat.S_ISUID | stat.S_ISGID | stat.S_IWOTH), f"{path} has mode {stat.filemode(mode)}"
        assert path.name not in SHELLS, f"{path} is a shell"


def check_packages(root):
    """The list of packages is SPDX, whole, and each library's package is on it and has its licence there. Returns how many."""
    document = json.loads((root / "usr/share/sbom/huygens.spdx.json").read_text())
    assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "1970-01-01T00:00:01Z", document["creationInfo"]
    ids = {package["SPDXID"] for package in document["packages"]}
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    assert related == ids and len(ids) == len(document["packages"]), f"unrelated or twice: {ids ^ related}"
    names = {package["name"] for package in document["packages"]}
    libraries = [path for path in root.rglob("*.so*") if path.is_file()]
    assert len(libraries) > 10, libraries
    known = subprocess.run(["dpkg", "-S", *(f"*/{library.name}" for library in libraries)], capture_output=True, text=True).stdout.splitlines()
    listed = {line.rsplit("/")[-1] for line in known if line.split(":")[0] in names}
    assert {library.name for library in libraries} <= listed, f"not of a package on the list: {libraries}, {listed}"
    missing = [name for name in names if not (root / "usr/share/doc" / name / "copyright").is_file()]
    assert not missing, f"no licence of {missing}"
    return len(names)


def build_in_full():
    """Everything in containers, without a cache, on a base made of packages: some twenty minutes."""
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-image-full-") as temporary:
        storage = pathlib.Path(temporary) / "storage.conf"
        storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{temporary}/root"\nrunroot = "{temporary}/run"\n')
        environment = {**os.environ, "CONTAINERS_STORAGE_CONF": str(storage), "BUILDAH_ISOLATION": "chroot"}
        digests = []
        for _ in range(2):
            result = subprocess.run([ROOT / "tools" / "image", "--base-from-packages", "--no-cache"], env=environment, capture_output=True, text=True)
            assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
            digests.append(result.stdout.splitlines()[-1].rpartition("@")[2])
        assert digests[0] == digests[1], f"two builds of one commit differ: {digests}"
        return digests[0]
