"""docs/admission.md and docs/rules.md, "Ten minutes on your machine", pasted into one shell beside an API server as `make demo` starts it, and the
review of docs/quota.md, which needs none."""
import shutil

from binaries import BINARIES, ROOT
from shell_page import Terminal, blocks_of
from testbed import CONFIG, ControlPlane, free_port, huygens_binary

DOCS = ROOT / "docs"


def paste(name, page, more=()):
    """"Ten minutes on your machine" of a page, and further blocks; the number of blocks."""
    with ControlPlane(name) as bed:
        bed.install()
        checkout, programs = bed.directory / "checkout", bed.directory / "bin"
        checkout.mkdir()
        shutil.copytree(CONFIG, checkout / "config")
        programs.mkdir()
        (programs / "huygens").symlink_to(huygens_binary())
        (programs / "kubectl").symlink_to(BINARIES / "kubectl")
        ports = {port: str(free_port()) for port in ("8443", "8891", "8888", "8889")}
        blocks = [block for block in blocks_of(page) if block.section == "Ten minutes on your machine" and block.language == "sh"]
        assert len(blocks) >= 6, f"{page.name} has {len(blocks)} blocks of commands there: does this test still read it?"
        blocks += more
        with Terminal(checkout, bed.directory / "guide", {"HOME": str(bed.directory)}, [programs]) as terminal:
            for block in blocks:
                text = block.text.replace("KUBECONFIG=FILE", f"KUBECONFIG={bed.kubeconfig('admin-token')}")
                for shipped, free in ports.items():
                    text = text.replace(shipped, free)
                terminal.paste(block._replace(text=text), 120)
        return f"{len(blocks)} blocks of commands"


def webhook_guide():
    """The commands of docs/admission.md for one's own machine: a tree of groups, and a real refusal."""
    review, = [block for block in blocks_of(DOCS / "quota.md") if block.section == "The webhook" and block.language == "sh"]
    assert review.shown, review
    return paste("webhook_guide", DOCS / "admission.md", [review])


def rules_guide():
    """The commands of docs/rules.md for one's own machine: a rule that reports, is rolled out by share, refused where it would do harm, and taken back."""
    return paste("rules_guide", DOCS / "rules.md")
