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


def writes(webhook):
    return webhook.metric("huygens_group_status_writes_total", 'result="written"') or 0


def every_pair(bed):
    """A3: one and two API servers, one and two webhooks. Returns the port of the second API server."""
    said = {}

    def admit(servers, webhooks, *ports):
        said[servers, webhooks] = exactly_what_fits(bed, f"{servers}-{webhooks}", ports)

    first, second = bed.webhooks
    admit(1, 2, None)
    second.stop()
    bed.webhooks, bed.balancer.ports = [first], [first.port]
    admit(1, 1, None)
    port = bed.start_another_api_server()
    admit(2, 1, None, port)
    bed.api_servers = Balancer([port, bed.client.port])  # as the Service of API servers
    bed.webhooks.append(bed.start_webhook("webhook-2", bed.api_servers.port))
    bed.webhooks[1].wait_ready()
    bed.balancer.ports = [bed.webhooks[1].port, first.port]
    before = [writes(each) for each in bed.webhooks]
    admit(2, 2, None, port)
    assert all(writes(each) > count for each, count in zip(bed.webhooks, before)), "one of the webhooks was asked nothing that costs"
    return port, "; ".join(f"{servers} API servers, {webhooks} webhooks: {what}" for (servers, webhooks), what in said.items())


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
