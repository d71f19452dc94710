"""The Dockerfile, step by step, as far as that goes without a container engine."""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from testbed import ROOT, Skip


def instructions(text):
    """[(instruction, arguments)] with continuation lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


def output(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{' '.join(map(str, command))}: {(result.stdout + result.stderr)[-1500:]}"
    return result.stdout


def context_files():
    """What the build context holds: the files of the tree less those of .dockerignore."""
    ignored = [line.strip("/") for line in (ROOT / ".dockerignore").read_text().split()]
    files = output("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    kept = [f for f in files if not any(f == i or f.startswith(i + "/") or fnmatch.fnmatch(f, i) for i in ignored)]
    return [f for f in kept if (ROOT / f).is_file()]


def copy_into(arguments, target, files):
    """COPY SOURCE... DESTINATION out of the build context, below `target`."""
    *sources, destination = arguments.split()
    for source in sources:
        prefix = "" if source == "." else source.rstrip("/")
        found = [f for f in files if not prefix or f == prefix or f.startswith(prefix + "/")]
        assert found, f"COPY {source}: not in the build context"
        for name in found:
            place = target / destination / (name if not prefix else os.path.basename(name))
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place)


def packages_of_install(command):
    """The packages of `apt-get install` in a RUN line."""
    match = re.search(r"apt-get install -y --no-install-recommends (.*?)(?:&&|$)", command)
    return match.group(1).split() if match else []


def check_runtime_libraries(binary, packages):
    """Each shared library of the program is in a runtime package or in what these depend on."""
    closure = set()
    for line in output("apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
                       "--no-replaces", "--no-enhances", *packages).splitlines():
        closure.add(re.sub(r"^[ |]*(?:Depends|PreDepends): ", "", line).strip().removesuffix(":amd64"))
    linked = output("ldd", binary)
    assert "not found" not in linked, linked
    libraries = [pathlib.Path(path) for path in re.findall(r"=> (/\S+)", linked)]
    # A package knows its files by the path it installs, which need not be the one the loader found.
    spellings = {str(s): library for library in libraries for s in (library, library.resolve(), "/usr" + str(library))}
    found = subprocess.run(["dpkg", "-S", *spellings], capture_output=True, text=True).stdout.splitlines()
    owners = {spellings[path]: package.split(":")[0] for package, path in (line.rsplit(": ", 1) for line in found)}
    for library in libraries:
        owner = owners.get(library)
        assert owner in closure, f"{library} is in the package {owner}, which the runtime image does not have"


def dockerfile():
    """Executes what can be executed of the Dockerfile's steps and names the rest."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise Skip("no apt-get: the steps need a Debian machine")
    release = dict(line.split("=", 1) for line in open("/etc/os-release").read().splitlines() if "=" in line)
    if (release.get("ID"), release.get("VERSION_ID", "").strip('"')) != ("debian", "12"):
        raise Skip("the image is Debian 12, this machine is not")
    files, done, left = context_files(), [], []
    steps = instructions((ROOT / "Dockerfile").read_text())
    users = [arguments for name, arguments in steps if name == "USER"]
    assert users and re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]), f"the image must run as a numbered user that is not root: {users}"
    binary = ROOT / "build" / "release" / "huygens"
    runtime_packages = []
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-dockerfile-") as temporary:
        stage = pathlib.Path(temporary)
        for name, arguments in steps:
            if name == "FROM":
                left.append(f"FROM {arguments.split()[0]}")
                assert re.match(r"debian:12(-slim)?( |$)", arguments), "the stages must be of one Debian release"
            elif name == "COPY" and arguments.startswith("--from=build "):
                assert arguments.split()[1] == "/src/build/release/huygens", arguments
            elif name == "COPY":
                copy_into(arguments, stage, files)
                done.append(f"COPY {arguments}")
            elif name == "RUN" and packages_of_install(arguments):
                runtime_packages = packages_of_install(arguments)  # the last such step is the runtime stage's
                output("apt-get", "-s", "install", "--no-install-recommends", *runtime_packages)
                done.append(f"apt-get install (simulated, {len(runtime_packages)} packages)")
            elif name == "RUN" and arguments == "make setup":
                output("make", "setup", cwd=stage)  # with only the files copied so far
                done.append("make setup")
            elif name == "RUN":
                assert arguments.startswith("make build &&"), f"this test does not know the step RUN {arguments}"
                output("cmake", "--preset", "release", cwd=stage)
                done.append("configuring `make build` in the copied context")
                left.append("compiling in the image")
            else:
                assert name in ("WORKDIR", "USER", "EXPOSE", "ENTRYPOINT", "CMD"), f"this test does not know {name}"
    if binary.exists():
        check_runtime_libraries(binary, runtime_packages)
        done.append("libraries of the program are in the runtime packages")
        entry = json.loads(dict(steps)["ENTRYPOINT"]), json.loads(dict(steps)["CMD"])
        assert entry[0] == ["/usr/local/bin/huygens"], entry
        user = int(users[-1].split(":")[0]) if os.geteuid() == 0 else None
        with tempfile.TemporaryDirectory() as temporary:  # the checkout may not be readable to that user
            os.chmod(temporary, 0o755)
            copy = shutil.copy2(binary, temporary)
            output(copy, *entry[1], user=user)
        done.append(f"ENTRYPOINT and CMD as user {users[-1]}")
    else:
        left.append("runtime stage (no build/release/huygens)")
    return f"done: {'; '.join(done)}. Not done without a container engine: {'; '.join(left)}"
