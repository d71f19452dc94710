"""huygens webhook with webhook.advance: creations answered before they are written, by two instances beside a controller, one of which is killed."""
import collections
import concurrent.futures
import threading
import time

from admission import DEPLOYMENTS
from api import wait_until
from controller import Controller
from testbed import CONFIG, GROUPS_PATH
from webhook_bed import WebhookBed
from webhook_denials import deployment
from webhook_load import CLIENTS, Caller, stored
from webhook_repeats import make_counted_group

ADVANCE = 90 + 10  # seconds: what an instance that is gone kept is over, and the controller has counted


def advanced(bed):
    return sum(each.metric("huygens_group_charges_advanced_total") or 0 for each in bed.webhooks if each.process.running())


def settled(bed, group, cpus, seconds):
    """All that was reserved or kept ahead is seen or over, and what is used is what is there."""
    wait_until(lambda: not bed.status(group).get("reservations") and bed.used(group) == str(cpus),
               lambda: f"{group} should use {cpus}, and nothing be reserved: {bed.status(group)}", seconds)


class Watched:
    """Looks at the group all the time: what is used must never be more than its budget. Use it in a `with` statement."""

    def __init__(self, bed, group, budget):
        self._bed, self._group, self._budget, self._over, self._stop = bed, group, budget, [], threading.Event()
        self.seen_ahead = False  # of an advance

    def __enter__(self):
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self):
        client = self._bed.client_as("admin-token")
        while not self._stop.wait(0.02):
            status = client.get(f"{GROUPS_PATH}/{self._group}").get("status", {})
            if int(status["used"]["limits.cpu"]) > self._budget:
                self._over.append(status["used"])
            self.seen_ahead |= "Advance.quota.huygens.dev" in status.get("reservations", "")

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        assert not self._over, f"{self._group} has {self._budget}, and used {self._over[:3]}"


def exactly_what_fits(bed):
    """200 creations by 16 clients for a budget of 100: an advance is made of what is left, and given back for the last ones."""
    make_counted_group(bed, "crowd", **{"limits.cpu": "100"})
    callers = [Caller(bed) for _ in range(CLIENTS)]

    def create(index):
        return callers[index % CLIENTS].patiently("POST", DEPLOYMENTS, deployment(f"crowd-{index}", "crowd"))

    before = advanced(bed)
    with Watched(bed, "crowd", 100), concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(create, range(200)))
    last = collections.Counter(code for code, _, _ in answers)
    codes = collections.Counter(code for _, _, all_codes in answers for code in all_codes)
    assert last == {200: 100, 403: 100}, f"{dict(last)}; on the way {dict(codes)}"
    assert not codes.keys() & {400, 409, 500}, dict(codes)
    assert len(stored(bed, "crowd-")) == 100
    settled(bed, "crowd", 100, 30)
    return f"of 200 creations 100 admitted, {advanced(bed) - before:.0f} of them out of advances, asked again {codes[503]} times"


def kill_one(bed):
    """One instance dies under 300 creations. What it let in is counted, what it kept is lost until it expires, and then nobody's."""
    make_counted_group(bed, "storm", **{"limits.cpu": "400"})
    callers, done = [Caller(bed) for _ in range(CLIENTS)], []

    def create(index):
        answer = callers[index % CLIENTS].patiently("POST", DEPLOYMENTS, deployment(f"storm-{index}", "storm"))
        done.append(index)
        return answer

    with Watched(bed, "storm", 400) as watched, concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = [pool.submit(create, index) for index in range(300)]
        wait_until(lambda: len(done) > 100, "the creations stand still", 60, interval=0.005)
        bed.webhooks[0].process.kill()
        killed = time.monotonic()
        answers = [answer.result() for answer in answers]
        codes = collections.Counter(code for _, _, all_codes in answers for code in all_codes)
        # An answer that was lost with the webhook is asked for again; what it was for may be there.
        assert {code for code, _, _ in answers} <= {200, 409}, dict(codes)
        there = len(stored(bed, "storm-"))
        assert there == 300, there
        used = int(bed.used("storm"))
        assert used >= there, (used, there)
        settled(bed, "storm", there, ADVANCE)
    assert watched.seen_ahead, "no advance was ever seen"
    lost = used - there
    bed.webhooks[0].process.start()
    bed.webhooks[0].wait_ready()
    return f"a killed webhook cost {codes[500]} answers 500; right after it {used} of 400 used by {there} objects, {lost} of them kept ahead, {time.monotonic() - killed:.0f} s later {there}"


def smaller_budget(bed):
    """Whoever makes a budget smaller waits until nothing is kept of it ahead of need."""
    make_counted_group(bed, "cut", **{"limits.cpu": "1000"})
    callers, stop = [Caller(bed) for _ in range(CLIENTS)], threading.Event()

    def create(client):
        codes, number = collections.Counter(), 0
        while not stop.is_set():
            number += 1
            codes[callers[client].call("POST", DEPLOYMENTS, deployment(f"cut-{client}-{number}", "cut"))[0]] += 1
        return codes

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        counted = [pool.submit(create, client) for client in range(CLIENTS)]
        wait_until(lambda: "Advance.quota.huygens.dev" in bed.status("cut").get("reservations", ""), "no advance is made", 30, interval=0.02)
        # Once it is stored, nothing is let in that the smaller budget has no room for.
        cut = int(bed.used("cut")) + 40
        patched = Caller(bed).patiently("PATCH", f"{GROUPS_PATH}/cut", {"spec": {"hard": {"limits.cpu": str(cut)}}}, "application/merge-patch+json")
        assert patched[0] == 200, patched
        at_once = int(bed.used("cut"))
        time.sleep(1)
        stop.set()
        counted = [each.result() for each in counted]
    codes = sum(counted, collections.Counter())
    assert codes.keys() <= {200, 403, 503}, dict(codes)
    there = len(stored(bed, "cut-"))
    assert there <= max(cut, at_once), f"{there} there, {cut} in the budget, {at_once} used when it was made so small"
    settled(bed, "cut", there, 30)
    return f"a budget cut to {cut} under load: {there} there"


def webhook_advance():
    """Room kept ahead of need: exactly what fits, a webhook killed, a budget made smaller."""
    with WebhookBed("webhook_advance", advance=True) as bed:
        bed.install_webhook()
        bed.kubectl("apply", "-f", CONFIG / "controller" / "rbac.yaml")
        controller = Controller(bed, "controller")
        bed.extenders.append(controller)
        controller.wait_ready()
        wait_until(controller.leads, "nobody leads", 60)
        return f"{exactly_what_fits(bed)}; {smaller_budget(bed)}; {kill_one(bed)}"
