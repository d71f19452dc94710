#include "webhook/ca_bundles.h"

#include <utility>

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "net/verify_server.h"

namespace huygens::webhook {
namespace {

using Item = observe::Readiness::Item;
using Read = StatusOr<wire::WebhookConfiguration>;

constexpr Duration kPause = std::chrono::seconds(5);
constexpr Duration kTimeout = std::chrono::seconds(5);

Read ReadConfiguration(net::Client& client, const std::string& name) {
  if (!kube::IsObjectName(wire::ParseWebhookConfigurationReference(name).name))
    return NotFound("no object has such a name");
  return kube::CallForObject(wire::DecodeWebhookConfiguration, client, "GET", wire::WebhookConfigurationPath(name), "",
                             kTimeout);
}

// Why API servers do not believe what is served, for one of its webhooks; empty: they do.
std::string Disbelief(const wire::RegisteredWebhook& webhook, std::string_view served, Time now) {
  if (webhook.ca_bundle.empty()) {
    return Concat("webhook ", webhook.name,
                  " has no caBundle: write the authority that signed the certificate into it");
  }
  const Status believed = net::VerifyServer(served, webhook.ca_bundle, webhook.host, now);
  if (believed.ok()) return {};
  return Concat("webhook ", webhook.name, ": ", Message(believed),
                "; write the authority that signed it into caBundle, or serve a certificate for ", webhook.host,
                " of an authority that caBundle names");
}

bool IsAnswer(const Read& read) {
  return read.ok() || absl::IsNotFound(read.status()) || absl::IsPermissionDenied(read.status());
}

}  // namespace

Item JudgeCaBundles(const std::string& name, const Read& read, std::string_view served, Time now) {
  Item item{.ok = false, .warning = false, .name = Concat("caBundle of ", name), .detail = {}};
  if (absl::IsNotFound(read.status())) {
    item.ok = item.warning = true;
    item.detail =
        Concat("no such ", wire::ParseWebhookConfigurationReference(name).kind, ": no API server asks this webhook");
    return item;
  }
  if (absl::IsPermissionDenied(read.status())) {
    item.ok = item.warning = true;
    item.detail = Concat("whether API servers believe the certificate is not known: ", Message(read.status()));
    return item;
  }
  if (!read.ok()) {
    item.detail = Message(read.status());
    return item;
  }
  for (const wire::RegisteredWebhook& each : read->webhooks) {
    item.detail = Disbelief(each, served, now);
    if (!item.detail.empty()) {
      item.detail = Concat("API servers do not believe the certificate: ", item.detail);
      return item;
    }
  }
  item.ok = true;
  item.detail = "names who signed the certificate";
  return item;
}

CaBundles::CaBundles(const std::vector<std::string>& configurations, Environment environment)
    : environment_(std::move(environment)) {
  for (const std::string& name : configurations) configurations_.push_back({.name = name});
}

void CaBundles::Look() {
  if (configurations_.empty()) return;
  std::vector<std::string> names;
  names.reserve(configurations_.size());
  for (const Configuration& each : configurations_) names.push_back(each.name);
  environment_.calls.Post([this, names = std::move(names)](net::Client& client) -> kube::CallPool::Then {
    std::vector<Read> read;
    for (const std::string& name : names) read.push_back(ReadConfiguration(client, name));
    return [this, read = std::move(read)] { Take(read); };
  });
}

void CaBundles::Take(std::vector<Read> read) {
  for (size_t i = 0; i < configurations_.size(); ++i) {
    Configuration& known = configurations_[i];
    // What was seen last stands while nobody answers.
    if (IsAnswer(read[i]) || !IsAnswer(known.read)) known.read = std::move(read[i]);
  }
  Log();
  environment_.after(kPause, [this] { Look(); });
}

void CaBundles::Log() {
  const std::vector<Item> items = Describe();
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (std::exchange(configurations_[i].logged, item.detail) == item.detail) continue;
    const bool fine = item.ok && !item.warning;
    environment_.log.Write(fine ? observe::LogLevel::kInfo : observe::LogLevel::kWarn, item.name,
                           {{"is", item.detail}});
  }
}

std::vector<Item> CaBundles::Describe() const {
  std::vector<Item> items;
  const std::string_view served = environment_.served();
  if (served.empty()) return items;
  for (const Configuration& each : configurations_) {
    items.push_back(JudgeCaBundles(each.name, each.read, served, environment_.clock.Now()));
  }
  return items;
}

}  // namespace huygens::webhook
