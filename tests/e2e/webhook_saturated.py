"""An API server that has room for 20 requests at once, and 48 clients who create what must be charged through the same API server. The webhook is
not in kube-system, whose accounts Kubernetes itself gives places apart from everybody's."""
import collections
import concurrent.futures

from admission import DEPLOYMENTS
from testbed import TOKENS
from webhook_bed import WebhookBed
from webhook_denials import deployment
from webhook_load import Caller, stored

PLACES = 10
CLIENTS = 48
CREATIONS = 300
TOKENS["client-token"] = ("system:serviceaccount:default:client", "system:serviceaccounts")


def create_all(bed):
    """The answers by code, each client asking once."""
    bed.kubectl("create", "clusterrolebinding", "client", "--clusterrole=cluster-admin", "--serviceaccount=default:client")
    bed.make_group("crowd", **{"limits.cpu": str(CREATIONS)})
    caller = Caller(bed, "client-token")

    def create(index):
        return caller.call("POST", DEPLOYMENTS, deployment(f"crowd-{index}", "crowd"))

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(create, range(CREATIONS)))
    return collections.Counter(code for code, _, _ in answers), next((message for code, message, _ in answers if code != 200), "")


def webhook_saturated():
    """An API server full of creations: with the shipped FlowSchema the charges get through, and every creation with them."""
    with WebhookBed("webhook_saturated", [f"--max-requests-inflight={PLACES}", f"--max-mutating-requests-inflight={PLACES}"],
                    namespace="huygens-system") as bed:
        bed.install_webhook()
        codes, why = create_all(bed)
        assert codes == {200: CREATIONS}, f"{dict(codes)}, such as {why}"
        assert len(stored(bed, "crowd-")) == CREATIONS and bed.used("crowd") == str(CREATIONS), bed.status("crowd")["used"]
        return f"all of {CREATIONS} creations by {CLIENTS} clients passed"
