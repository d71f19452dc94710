"""Many clients at once, while webhooks are killed, restarted, and given other certificates. What a client is told is counted by code."""
import collections
import concurrent.futures
import json
import statistics
import threading
import time

from admission import DEPLOYMENTS
from api import ApiError, wait_until
from quota_workload import reserved
from webhook_denials import deployment

CLIENTS = 16
MERGE = "application/merge-patch+json"


class Caller:
    """Calls once, as a client without any patience would, and tells the code."""

    def __init__(self, bed, token="admin-token", port=None):
        self._client = bed.client_as(token, port)
        self._client.patience = 0

    def call(self, method, path, body=None, content_type="application/json"):
        """(code, message, seconds)"""
        start = time.monotonic()
        try:
            self._client.call(method, path, body, content_type)
            return 200, "", time.monotonic() - start
        except ApiError as error:
            # A 429 of an API server that is full is plain text.
            message = json.loads(error.body).get("message", "") if error.body.startswith("{") else error.body
            return error.code, message, time.monotonic() - start

    def patiently(self, method, path, body=None, content_type="application/json"):
        """The last code, and those before it: asks again after 503 and 429, which say so, and after 500, which tells of a webhook that is gone."""
        codes, until = [], time.monotonic() + 60
        while True:
            code, message, _ = self.call(method, path, body, content_type)
            codes.append(code)
            if code not in (429, 500, 503) or time.monotonic() > until:
                return code, message, codes
            time.sleep(0.2)


def reservations(bed, group):
    return set(reserved(bed.status(group)))


def stored(bed, prefix):
    return {each["metadata"]["uid"] for each in bed.client.get(DEPLOYMENTS)["items"] if each["metadata"]["name"].startswith(prefix)}


def exactly_what_fits(bed, group="crowd", ports=(None,)):
    """A3: 200 creations at the same moment for a budget of 100. `ports`: of the API servers, asked in turns."""
    bed.make_group(group, **{"limits.cpu": "100"})
    callers, together = [Caller(bed, port=port) for port in ports], threading.Barrier(200)

    def create(index):
        together.wait()
        return callers[index % len(callers)].patiently("POST", DEPLOYMENTS, deployment(f"{group}-{index}", group))

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(create, range(200)))
    took = time.monotonic() - start
    codes = collections.Counter(code for _, _, all_codes in answers for code in all_codes)
    last = collections.Counter(code for code, _, _ in answers)
    assert last == {200: 100, 403: 100}, f"{dict(last)}; on the way {dict(codes)}"
    assert not codes.keys() & {400, 409, 500} and (len(ports) == 1 or codes.keys() == {200, 403}), dict(codes)
    assert stored(bed, f"{group}-") == reservations(bed, group) and bed.used(group) == "100", bed.status(group)["used"]
    again = f", asked again {codes[429] + codes[503]} times" if codes[429] + codes[503] else ""
    return f"of 200 creations at once 100 admitted in {took:.1f} s{again}"


def kill_one(bed):
    """A8: one webhook dies without a word in the middle of 300 creations for a budget of 200."""
    bed.make_group("storm", **{"limits.cpu": "200"})
    caller, done = Caller(bed), []

    def create(index):
        answer = caller.patiently("POST", DEPLOYMENTS, deployment(f"storm-{index}", "storm"))
        done.append(index)
        return answer

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = [pool.submit(create, index) for index in range(300)]
        wait_until(lambda: len(done) > 50, "the creations stand still", 60, interval=0.005)
        bed.webhooks[0].process.kill()
        wait_until(lambda: len(done) > 150, "one webhook is not enough", 120, interval=0.01)
        bed.webhooks[0].process.start()
        answers = [answer.result() for answer in answers]
    bed.webhooks[0].wait_ready()
    codes = collections.Counter(code for _, _, all_codes in answers for code in all_codes)
    admitted = sum(code == 200 for code, _, _ in answers)
    held, there = reservations(bed, "storm"), stored(bed, "storm-")
    assert {code for code, _, _ in answers} <= {200, 403}, dict(codes)
    assert there <= held and len(there) == admitted, f"{len(there - held)} came in uncharged; {admitted} admitted, {len(there)} there"
    assert bed.used("storm") == str(len(held)) == "200", (bed.used("storm"), len(held))
    # What was charged and then lost with the webhook stays charged until a controller takes it out.
    assert len(held - there) <= codes[500], f"{len(held - there)} charges without an object, {codes[500]} answers were lost"
    return f"a killed webhook cost {codes[500]} of 300 creations an answer 500, and let nothing in uncharged"


class Growth:
    """Clients that make workloads grow all the time, each its own, one step a write. Use it in a `with` statement."""

    def __init__(self, bed, name):
        self._bed, self._name = bed, name
        self.failures, self.seconds, self._stop = [], [], threading.Event()

    def __enter__(self):
        self._bed.make_group(self._name, **{"limits.cpu": "1000000"})
        for index in range(CLIENTS):
            self._bed.client.post(DEPLOYMENTS, deployment(f"{self._name}-{index}", self._name))
        self._caller = Caller(self._bed)
        self._threads = [threading.Thread(target=self._grow, args=(index,)) for index in range(CLIENTS)]
        for thread in self._threads:
            thread.start()
        return self

    def _grow(self, index):
        replicas = 1
        while not self._stop.is_set():
            replicas += 1
            code, message, seconds = self._caller.call("PATCH", f"{DEPLOYMENTS}/{self._name}-{index}/scale", {"spec": {"replicas": replicas}}, MERGE)
            self.seconds.append(seconds)
            if code != 200:
                self.failures.append((code, message))

    def more(self, count=100):
        """Waits until so many more were answered."""
        goal = len(self.seconds) + count
        wait_until(lambda: len(self.seconds) >= goal, "the writes stand still", 60, interval=0.01)

    def __exit__(self, kind, _value, _trace):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def check(self, what):
        assert not self.failures, f"{what}: {len(self.failures)} of {len(self.seconds)} writes failed, such as {self.failures[0]}"
        return f"{what}: none of {len(self.seconds)} writes failed, median {1000 * statistics.median(self.seconds):.0f} ms, longest {1000 * max(self.seconds):.0f} ms"


def restart_each(bed):
    """A8: one after the other, as a rollout would; the other answers."""
    with Growth(bed, "rolled") as load:
        load.more()
        for webhook in bed.webhooks:
            webhook.stop()
            load.more(20)
            webhook.process.start()
            webhook.wait_ready()
            load.more()
    return load.check("both restarted under load")


def rotate(bed):
    """A8: another certificate of the same authority, and another authority, told before it signs."""
    certificates, old = bed.certificates_of_webhook, bed.certificates_of_webhook.authority
    new = certificates.make_authority("second")

    def swap(authority):
        before = [webhook.process.log().count("reloaded, valid until") for webhook in bed.webhooks]
        certificates.issue(authority)
        wait_until(lambda: all(webhook.process.log().count("reloaded, valid until") > count for webhook, count in zip(bed.webhooks, before)),
                   "a webhook does not read its new certificate", 30)

    def connect_anew(name):
        """More clients at once than the API server has connections: on those that it keeps no certificate is looked at again."""
        with Growth(bed, name) as more:
            more.more()
        more.check(name)

    with Growth(bed, "rotated") as load:
        load.more()
        swap(old)
        connect_anew("renewed")
        bed.tell(old, new)
        load.more()
        swap(new)
        connect_anew("signed-anew")
        bed.tell(new)
        load.more()
    certificates.authority = new
    return load.check("certificate and authority replaced under load")
