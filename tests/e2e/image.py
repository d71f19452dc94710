"""The image: what is in it, what is not, and that it is the same each time."""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile

import release
from archives import ImageBuilder, dockerfile_context, need_image
from rendered import project_version
from testbed import ROOT, Skip

SHELLS = {"sh", "bash", "dash", "busybox"}


def image():
    """The image holds the program and what it loads, nothing setuid and no shell, runs as nobody in particular, and is the same twice."""
    need_image()
    version = project_version()
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-image-") as temporary:
        # Each lays out a root of its own: what differs may come from tools/image_root as well as from buildah.
        builders, digests = [], []
        for name in ("first", "second"):
            directory = pathlib.Path(temporary) / name
            directory.mkdir()
            builders.append(ImageBuilder(directory))
            digests.append(builders[-1].build(version, directory / "huygens.tar"))
        assert digests[0] == digests[1], f"two builds differ: {digests}; in their roots: {differences(*(each.root for each in builders)) or 'nothing'}"
        builder = builders[0]
        configuration = builder.configuration(version)
        labels = configuration["Labels"]
        assert labels["org.opencontainers.image.version"] == version and labels["org.opencontainers.image.revision"] == "0123abc", labels
        assert labels["org.opencontainers.image.licenses"] == "Apache-2.0", labels
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", configuration["User"]), f"the image runs as {configuration['User']!r}"
        user = int(configuration["User"].split(":")[0])
        for arguments in (configuration["Cmd"], ["version"], ["config", "defaults"]):
            run_inside(builder.root, [*configuration["Entrypoint"], *arguments], user)
        run_inside(builder.root, ["/usr/local/bin/huygens-agent", "version"], 0)
        check_files(builder.root)
        packages = check_packages(builder.root)
    how = f"built from the sources twice: {build_in_full()}" if os.environ.get("HUYGENS_E2E_FULL_IMAGE") else "not built from the sources (make image-test)"
    return f"{packages} packages; {how}"


def image_context():
    """What .dockerignore lets into the build of the image is enough to configure it, and no more: a changed document compiles nothing anew."""
    if not shutil.which("cmake") or not (ROOT / ".git").exists():
        raise Skip("needs cmake, and git to list the files")
    context = dockerfile_context()
    strange = [file for file in context if file.startswith(("docs/", "tests/", "config/")) or file.endswith(".md")]
    assert not strange, f"a change of {strange[:3]} would compile everything anew"
    missing = sorted(named_by_the_build() - context)
    assert not missing, f".dockerignore keeps out what the Dockerfile and tools/image_root use: {', '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-context-") as temporary:
        for file in context:
            if (ROOT / file).is_file():  # one that was deleted is listed until that is committed
                copy = pathlib.Path(temporary) / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, copy)
        # Configuring reads every list of files that compiling needs, and takes seconds.
        result = subprocess.run(["cmake", "--preset", "image"], cwd=temporary, capture_output=True, text=True)
    said = result.stderr.strip() or result.stdout[-1500:]
    assert result.returncode == 0, f"the files that .dockerignore lets in cannot be configured: {said}"
    return f"{len(context)} files"


def named_by_the_build():
    """The files that the Dockerfile and the script that it ends with call by name."""
    named = set(re.findall(r"\btools/[\w.]*\w", (ROOT / "Dockerfile").read_text()))
    return named | {os.path.normpath(f"tools/{name}") for name in re.findall(r"\$tools/([\w./]*\w)", (ROOT / "tools" / "image_root").read_text())}


def differences(first, second):
    """What `diff` says of two directories, its first lines."""
    return subprocess.run(["diff", "-rq", "--no-dereference", first, second], capture_output=True, text=True).stdout[:1000]


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
    """Everything in containers, without a cache, on a base made of packages: some twenty minutes. Then a release with that image."""
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
        release.check_with_image(pathlib.Path(temporary) / "release", digests[0], environment)
        return digests[0]
