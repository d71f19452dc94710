"""Two API servers on one etcd, each of which asks one or two instances of huygens webhook, of which one talks to both API servers."""
import collections
import concurrent.futures
import http.client

from admission import DEPLOYMENTS, Balancer
from api import wait_until
from webhook_bed import WebhookBed
from webhook_denials import deployment
from webhook_load import Caller, exactly_what_fits, reservations, stored

CLIENTS = 16


def tried(webhook):
    """Writes of charges that it tried; of one that the other is always ahead of none succeeds."""
    return webhook.metric("huygens_group_status_writes_total") or 0


def every_pair(bed):
    """A3: one and two API servers, one and two webhooks, of which the second talks to both. Returns the port of the second API server."""
    said = []

    def admit(servers, webhooks, *ports):
        what = exactly_what_fits(bed, f"{servers}-{webhooks}", ports)
        said.append(f"{servers} API server{'s' * (servers > 1)}, {webhooks} webhook{'s' * (webhooks > 1)}: {what}")

    def stop_second():
        bed.webhooks.pop().stop()
        bed.balancer.ports = [bed.webhooks[0].port]

    def start_second():
        bed.webhooks.append(bed.start_webhook("webhook-2", bed.api_servers.port))
        bed.webhooks[1].wait_ready()
        bed.balancer.ports = [each.port for each in bed.webhooks]

    admit(1, 2, None)
    stop_second()
    port = bed.start_another_api_server()
    bed.api_servers = Balancer([port, bed.client.port])  # as the Service of API servers
    start_second()
    before = [tried(each) for each in bed.webhooks]
    admit(2, 2, None, port)
    assert all(tried(each) > count for each, count in zip(bed.webhooks, before)), "one of the webhooks was asked nothing that costs"
    stop_second()
    admit(2, 1, None, port)
    admit(1, 1, None)
    start_second()
    return port, "; ".join(said)


def kill_one(bed, port):
    """A8: one API server dies in the middle of 300 creations for a budget of 200; who has lost it goes on at the other."""
    bed.make_group("torn", **{"limits.cpu": "200"})
    callers, done, lost = [Caller(bed, port=each) for each in (None, port)], [], []

    def create(index):
        arguments = "POST", DEPLOYMENTS, deployment(f"torn-{index}", "torn")
        try:
            code, message, codes = callers[index % 2].patiently(*arguments)
        except (OSError, http.client.HTTPException):
            lost.append(index)
            code, message, codes = callers[0].patiently(*arguments)
            if code == 409 and "already exists" in message:  # it was stored, and the answer lost
                code = 200
        done.append(index)
        return code, [code, *codes[:-1]]

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = [pool.submit(create, index) for index in range(300)]
        wait_until(lambda: len(done) > 60, "the creations stand still", 60, interval=0.005)
        bed.more_api_servers[0].kill()
        answers = [answer.result() for answer in answers]
    codes = collections.Counter(code for _, all_codes in answers for code in all_codes)
    admitted = sum(code == 200 for code, _ in answers)
    assert lost and {code for code, _ in answers} == {200, 403}, f"{len(lost)} lost; {dict(codes)}"
    assert not codes.keys() & {400, 409}, dict(codes)
    held, there = reservations(bed, "torn"), stored(bed, "torn-")
    assert there <= held and len(there) == admitted, f"{len(there - held)} came in uncharged; {admitted} admitted, {len(there)} there"
    assert bed.used("torn") == str(len(held)) == "200", (bed.used("torn"), len(held))
    return f"an API server killed under 300 creations: {len(lost)} lost it, {len(held - there)} of them charged and not stored, none uncharged"


def webhook_api_servers():
    """Two API servers: of 200 creations for a budget of 100 exactly 100 pass, whoever is asked; one API server is killed."""
    with WebhookBed("webhook_api_servers") as bed:
        bed.install_webhook()
        port, said = every_pair(bed)
        return f"{said}; {kill_one(bed, port)}"
