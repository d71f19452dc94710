#include "cli/pod_keys.h"

#include <algorithm>
#include <span>

#include "base/nearest_name.h"
#include "base/text.h"
#include "wire/json_reader.h"
#include "wire/unknown_annotations.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;
using Keys = std::span<const std::string_view>;

constexpr std::string_view kAnnotations[] = {
    "huygens.dev/placement",        "huygens.dev/placement-observed",    "huygens.dev/smt",
    "topology.crane.io/cpu-policy", "topology.crane.io/topology-result", "topology.crane.io/topology-awareness"};
constexpr std::string_view kLabels[] = {"biz.group.resource.quota", "biz.group.resource.quota/cpu-type",
                                        "biz.group.resource.quota/gpu-type", "biz.group.resource.quota/memory-type"};

bool Has(Keys keys, std::string_view key) { return std::ranges::find(keys, key) != keys.end(); }

// "huygens.dev/" of huygens.dev/smt; empty where there is none.
std::string_view Domain(std::string_view key) { return key.substr(0, key.find('/') + 1); }

// Of the same domain, since keys with others have other owners.
std::string Nearest(std::string_view key, Keys keys) {
  const std::string_view domain = Domain(key);
  std::vector<std::string_view> names;
  for (std::string_view each : keys) {
    if (Domain(each) == domain) names.push_back(each.substr(domain.size()));
  }
  const std::string_view nearest = NearestName(key.substr(domain.size()), names);
  return nearest.empty() ? std::string() : Concat(domain, nearest);
}

// Empty for a key that is right, or another's.
std::string Fault(std::string_view what, std::string_view key, Keys here, Keys elsewhere, std::string_view there) {
  if (Has(here, key)) return "";
  if (Has(elsewhere, key)) return Concat(what, " ", key, ": nobody reads it there; it belongs among the ", there);
  const std::string nearest = Nearest(key, here);
  return nearest.empty() ? "" : Concat(what, " ", key, ": nobody reads it; did you mean ", nearest, "?");
}

Status Collect(JsonReader& in, std::vector<std::string>& faults) {
  const auto look = [&](std::string_view what, Keys here, Keys elsewhere, std::string_view there) {
    return in.Members([&, what, there](const JsonKey& key) {
      if (std::string fault = Fault(what, key.text, here, elsewhere, there); !fault.empty()) {
        faults.push_back(std::move(fault));
      }
      return absl::OkStatus();
    });
  };
  return in.Members([&](const JsonKey& part) {
    if (!part.Is("metadata")) return absl::OkStatus();
    return in.Members([&](const JsonKey& field) {
      if (field.Is("labels")) return look("label", kLabels, kAnnotations, "annotations");
      return field.Is("annotations") ? look("annotation", kAnnotations, kLabels, "labels") : absl::OkStatus();
    });
  });
}

}  // namespace

std::vector<std::string> NotUnderstood(std::string_view json, const cluster::Pod& pod) {
  std::vector<std::string> faults;
  if (auto in = JsonReader::Open(json); in.ok()) Collect(*in, faults).IgnoreError();  // it was decoded before
  for (wire::UnknownAnnotation& each : wire::UnknownAnnotations(json, pod)) faults.push_back(std::move(each.text));
  return faults;
}

}  // namespace huygens::cli
