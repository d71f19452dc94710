"""What a release consists of, made from the last commit with the program at hand. With the image: `make image-test`, which builds one."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from chart import HELM
from rendered import project_version
from testbed import ROOT, Skip, huygens_binary


# Presets whose program says no commit: each would otherwise link everything anew.
WITHOUT_COMMIT = ("dev", "asan", "tsan", "coverage")


def output(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{' '.join(map(str, command))}: {(result.stdout + result.stderr)[-1500:]}"
    return result.stdout


def release():
    """The archives of a release are complete, work, and are the same twice; a version that is not the tag's is refused."""
    if not (ROOT / ".git").exists():
        raise Skip("no git: a release is made of a commit")
    version = project_version()
    with tempfile.TemporaryDirectory(prefix="huygens-e2e-release-") as temporary:
        directory = pathlib.Path(temporary)
        check_refusals(directory / "full")
        made = [directory / each for each in ("first", "second")]
        for each in made:
            output(ROOT / "tools" / "release", "--program", huygens_binary(), "--to", each, "--no-image")
        sums = [(each / "SHA256SUMS").read_text() for each in made]
        assert sums[0] == sums[1], f"two releases of one commit differ: {sums}"
        files = checked_files(made[0])
        expected = [f"huygens-{version}.tgz", "kubectl-huygens"]
        archive, = [file for file in files if re.fullmatch(rf"huygens-{re.escape(version)}-linux-\w+\.tar\.gz", file)]
        expected += [archive] + ([f"huygens-{version}.spdx.json"] if shutil.which("dpkg-query") else [])
        assert files == sorted(expected), files

        check_archive(made[0] / archive, directory, version)
        if HELM.exists():
            check_chart(made[0] / f"huygens-{version}.tgz", directory / f"huygens-{version}")
        check_tags(directory / "clone")
        return ", ".join(f"{path.name} {path.stat().st_size // 1024} KiB" for path in sorted(made[0].iterdir()))


def checked_files(directory):
    """The names in SHA256SUMS, which are those of all files beside it and right."""
    output("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=directory)
    files = sorted(line.split()[1] for line in (directory / "SHA256SUMS").read_text().splitlines())
    assert sorted([*files, "SHA256SUMS"]) == sorted(path.name for path in directory.iterdir()), files
    return files


def check_with_image(directory, digest, environment):
    """A release where buildah is installed has the image, which is the one of this digest, and the list of packages from inside it."""
    version = project_version()
    output(ROOT / "tools" / "release", "--program", huygens_binary(), "--to", directory, "--base-from-packages", env=environment)
    files = checked_files(directory)
    assert {f"huygens-{version}.tar", f"huygens-{version}.spdx.json", f"huygens-{version}.tgz", "kubectl-huygens"} <= set(files) and len(files) == 5, files
    index = json.loads(output("tar", "-xOf", directory / f"huygens-{version}.tar", "index.json"))
    assert [each["digest"] for each in index["manifests"]] == [digest], f"the image of the release is {index}, built was {digest}"
    packages = json.loads((directory / f"huygens-{version}.spdx.json").read_text())["packages"]
    assert len(packages) > 10, packages


def check_refusals(full):
    """A directory with something in it is left alone."""
    full.mkdir()
    (full / "mine").write_text("x")
    for options, said in ((["--to", full], "is not empty"), (["--to"], "--to needs a value"), (["--to", "--no-image"], "--to needs a value"),
                          (["--program"], "--program needs a value")):
        result = subprocess.run([ROOT / "tools" / "release", *options], capture_output=True, text=True)
        assert result.returncode != 0 and said in result.stderr, f"{options}: {result}"
    assert [path.name for path in full.iterdir()] == ["mine"]


def check_archive(archive, directory, version):
    output("tar", "-xzf", archive, "-C", directory)
    root = directory / f"huygens-{version}"
    said = output(root / "huygens", "version")
    commit = "" if huygens_binary().parent.name in WITHOUT_COMMIT else r"[0-9a-f]{7,}"
    assert re.match(rf"huygens {re.escape(version)} \(commit {commit}", said), f"the program of the archive says {said!r}"
    said = output(root / "huygens-agent", "version")
    assert said.startswith(f"huygens-agent {version}"), f"the agent of the archive says {said!r}"
    output(root / "huygens", "config", "check", "config/samples/extender.yaml", cwd=root)
    assert "Usage: kubectl huygens" in output(root / "cli" / "kubectl-huygens", "--help")
    broken = [path for path in root.rglob("*") if not path.exists()]
    assert not broken, f"links that lead nowhere: {broken}"
    for name in ("docs/upgrading.md", "config/default/kustomization.yaml", "config/tls/make_certificates", "LICENSE", "SECURITY.md", "CHANGELOG.md"):
        assert (root / name).exists(), name


def check_chart(package, unpacked):
    """The packed chart needs nothing outside of itself, and renders what the one in the archive does."""
    listed = output("tar", "-tvzf", package).splitlines()
    assert listed and all(line[0] in "-d" and line.split()[5].startswith("huygens/") for line in listed), listed
    output(HELM, "lint", "--strict", package)
    texts = [output(HELM, "template", "huygens", chart, "-n", "kube-system", "--include-crds") for chart in (package, unpacked / "config/helm/huygens")]
    assert texts[0] == texts[1], "the packed chart renders something else"


def check_tags(clone):
    """A tag binds: the version everywhere, and notes for whoever upgrades."""
    output("git", "clone", "--quiet", "--shared", ROOT, clone)

    def git(*arguments):
        output("git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.com", *arguments, cwd=clone)

    def check():
        return subprocess.run([clone / "tools" / "version", "--check"], capture_output=True, text=True)

    assert check().returncode == 0, check().stdout
    output(clone / "tools" / "version", "9.8.7")
    assert check().returncode == 0 and output(clone / "tools" / "version") == "9.8.7\n", check().stdout
    left = subprocess.run(["git", "grep", "-nE", rf"(huygens[:-]|newTag: ){re.escape(project_version())}", "--", "config", "docs", "README.md"],
                          cwd=clone, capture_output=True, text=True).stdout
    assert not left, f"tools/version leaves the old version in {left[:500]}"
    chart = clone / "config" / "helm" / "huygens" / "Chart.yaml"
    chart.write_text(chart.read_text().replace("appVersion: 9.8.7", "appVersion: 9.8.6"))
    assert check().returncode == 1 and "9.8.6" in check().stdout, check().stdout
    output(clone / "tools" / "version", "9.8.7")
    git("commit", "--quiet", "-a", "-m", "9.8.7")
    git("tag", "v9.8.7")
    assert check().returncode == 1 and "CHANGELOG.md: no section 9.8.7" in check().stdout, check().stdout
    for name, mark in (("CHANGELOG.md", "## [Unreleased]\n"), ("docs/upgrading.md", "### Unreleased\n")):
        page = clone / name
        assert mark in page.read_text(), f"{name} has no section for what comes next"
        page.write_text(page.read_text().replace(mark, mark + "\n" + mark[:mark.index(" ")] + " 9.8.7\n"))
    assert check().returncode == 0, check().stdout
    git("tag", "--delete", "v9.8.7")
    git("tag", "v9.8.8")
    assert check().returncode == 1 and "tag v9.8.8" in check().stdout, check().stdout
