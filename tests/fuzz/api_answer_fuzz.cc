// Any bytes as what an API server answers: a list, a line of a watch, a Status, a Lease, a Node, metrics, an access
// review, a Secret, webhooks, the configuration of kubelet or kube-scheduler.
#include "certificates/secret.h"
#include "preflight/kubelet_configuration.h"
#include "preflight/scheduler_configuration.h"
#include "tests/fuzz/require.h"
#include "wire/access_review.h"
#include "wire/api_status.h"
#include "wire/lease.h"
#include "wire/list.h"
#include "wire/metrics_api.h"
#include "wire/node.h"
#include "wire/object_meta.h"
#include "wire/server_version.h"
#include "wire/watch.h"
#include "wire/webhook_configuration.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckLease(std::string_view json) {
  StatusOr<wire::Lease> lease = wire::DecodeLease(json);
  if (!lease.ok()) return;
  std::string text;
  wire::AppendLease(text, *lease);
  StatusOr<wire::Lease> again = wire::DecodeLease(text);
  Require(again.ok(), "a written lease is well-formed");
  Require(again->name == lease->name && again->namespace_name == lease->namespace_name, "a lease keeps its name");
  Require(again->holder == lease->holder && again->resource_version == lease->resource_version,
          "a lease keeps its holder");
  Require(again->duration_seconds == lease->duration_seconds && again->transitions == lease->transitions,
          "a lease keeps its numbers");
  Require(again->renewed.has_value() == lease->renewed.has_value(), "a lease keeps its time of renewal");
  if (lease->renewed) {
    Require(*again->renewed == std::chrono::floor<std::chrono::microseconds>(*lease->renewed), "to the microsecond");
  }
}

void CheckViews(std::string_view whole, std::string_view part) {
  Require(part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size(),
          "an undecoded object is a part of the text");
}

void CheckList(std::string_view json) {
  StatusOr<wire::ObjectList> list = wire::DecodeList(json);
  if (!list.ok()) return;
  ResourceNames names;
  for (const wire::ListItem& listed : list->items) {
    const std::string_view item = listed.text;
    CheckViews(json, item);
    (void)wire::DecodeNode(item, names);
    (void)wire::DecodeObjectMeta(item);
    if (auto metrics = wire::DecodeResourceMetrics(item, names); metrics.ok()) {
      for (const auto& [resource, amount] : metrics->usage) Require(amount >= 0, "no use is negative");
    }
  }
}

void CheckWatch(std::string_view line) {
  StatusOr<wire::WatchLine> event = wire::DecodeWatchLine(line);
  if (event.ok()) CheckViews(line, event->object);
}

void CheckSecret(std::string_view json) {
  StatusOr<certificates::Secret> secret = certificates::DecodeSecret(json);
  if (!secret.ok()) return;
  StatusOr<certificates::Secret> again = certificates::DecodeSecret(certificates::EncodeSecret(*secret));
  Require(again.ok() && again->data == secret->data && again->managed_by == secret->managed_by, "a Secret stays");
}

void CheckWebhooks(std::string_view json) {
  StatusOr<wire::WebhookConfiguration> webhooks = wire::DecodeWebhookConfiguration(json);
  if (!webhooks.ok()) return;
  StatusOr<wire::WebhookConfiguration> again = wire::DecodeWebhookConfiguration(wire::EncodeBundlePatch(*webhooks));
  Require(again.ok() && again->webhooks.size() == webhooks->webhooks.size(), "a patch names each webhook");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::ResourceNames names;
  huygens::CheckList(text);
  huygens::CheckWatch(text);
  huygens::CheckLease(text);
  huygens::CheckSecret(text);
  huygens::CheckWebhooks(text);
  (void)huygens::wire::DecodeApiStatus(text);
  (void)huygens::wire::DecodeAccessReview(text);
  (void)huygens::preflight::DecodeConfigz(text);
  (void)huygens::preflight::DecodeSchedulerConfiguration(text);
  (void)huygens::wire::DecodeServerVersion(text);
  (void)huygens::wire::DecodeNode(text, names);
  return 0;
}
