"""docs/operations.md, "Switch on safely", pasted block by block into one shell on a real node (one_node.py), with the block of "Install" where
step 4 sends its reader, and step 5 again where step 6 does. `make build` finds the program built."""
import re

import oracle
from api import wait_until
from budgets import GROUP
from first_hour import Reader, check_replicas
from install import PODS, SET_IMAGES, SMALL_REQUESTS, Installation, main, on_a_node
from one_node import OneNode
from rendered import project_version
from shell_page import blocks_of
from testbed import GROUPS_PATH, ROOT

PAGE = "docs/operations.md"
BUDGET = "switch-on"
SECONDS = 400  # a block
REPORTED = "check quota only reports"


def switch_on():
    """docs/operations.md, "Switch on safely", pasted on a real node: nothing is refused until a check is enforced, and nothing once it is back."""
    return on_a_node("switch_on", __file__, [project_version()])


def blocks():
    """The blocks of the section, the one of "Install" in its place: {what is in the block: block}, in their order."""
    page = blocks_of(ROOT / PAGE)
    steps = [block for block in page if block.section == "Switch on safely"]
    install, = [block for block in page if block.section.startswith("A second kube-scheduler") and "make_certificates" in block.text]
    steps.insert(3, install._replace(text=re.sub(SET_IMAGES, ":", install.text)))
    named = {}
    for mark in ("make build", "apply -k config/crd", "huygens preflight", "make_certificates", "port-forward", "report/mode: enforce/", "enforce/mode: report/"):
        assert steps and mark in steps[0].text, f"{PAGE}: no block with {mark!r} where it was, but {steps[:1]}"
        named[mark] = steps.pop(0)
    assert not steps, f"{PAGE}: blocks that nobody pastes: {steps}"
    return named


def inside(directory, cgroup):
    with OneNode("switch_on", cgroup) as bed:
        bed.import_image(directory / f"huygens-{project_version()}.tar")
        site = Installation(bed)
        named = blocks()
        look, enforce, back = named.pop("port-forward"), named.pop("report/mode: enforce/"), named.pop("enforce/mode: report/")
        with Reader(bed) as reader:
            checkout = bed.directory / "checkout"
            (checkout / "Makefile").write_text("build:\n")
            with open(checkout / "config" / "default" / "kustomization.yaml", "a") as kustomization:
                kustomization.write(SMALL_REQUESTS)
            for block in named.values():
                reader.paste(block, SECONDS, {"huygens preflight": 1})  # nothing measures use here: warnings
            check_replicas(site)

            bed.client.post(GROUPS_PATH, {"apiVersion": "quota.huygens.dev/v1alpha1", "kind": "BizGroupResourceQuota", "metadata": {"name": BUDGET},
                                          "spec": {"hard": {"pods": "1"}}})
            site.run_pod("one", labels={GROUP: BUDGET})
            site.run_pod("two", labels={GROUP: BUDGET})  # beyond the budget
            reported = pasted_look(site, reader, look)
            assert re.search(f"{REPORTED}.*1 pod", reported), reported

            reader.paste(enforce, SECONDS)
            wait_until(site.leader, "no replica leads after the switch", 60)
            site.create_pod("three", labels={GROUP: BUDGET})
            wait_until(lambda: "quota" in refusal(site, "three"), lambda: f"not refused: {site.client.get(f'{PODS}/three')['status']}", 60)
            enforced = pasted_look(site, reader, look)
            assert REPORTED not in enforced and "check topology only reports" in enforced, enforced
            assert all(site.client.get(f"{PODS}/{name}")["status"]["phase"] == "Running" for name in ("one", "two")), "a pod that ran was stopped"

            reader.paste(back, SECONDS)
            wait_until(lambda: oracle.bound(site.client.get(f"{PODS}/three")), lambda: f"still refused: {refusal(site, 'three')}", 60)
            check_replicas(site)
            site.check_logs("huygens-scheduler-")
        return f"{len(named) + 3} blocks; {reported.strip().splitlines()[0][:200]}"


def pasted_look(site, reader, block):
    """What step 5 prints, once somebody leads: right after a roll the Lease may still be a pod's that is gone."""
    wait_until(site.leader, "no replica leads", 60)
    return reader.paste(block, SECONDS)


def refusal(site, name):
    conditions = site.client.get(f"{PODS}/{name}")["status"].get("conditions", [])
    return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"), "")


if __name__ == "__main__":
    main(inside)
