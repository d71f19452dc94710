#include "wire/metrics_api.h"

#include <algorithm>
#include <vector>

#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

// The resources that every one of `parts` tells.
ResourceVector Sum(const std::vector<ResourceVector>& parts) {
  ResourceVector sum;
  if (parts.empty()) return sum;
  for (const auto& [resource, amount] : parts.front()) {
    const bool everywhere = std::all_of(parts.begin(), parts.end(), [id = resource](const ResourceVector& part) {
      return part.Has(id) && part.Get(id) >= 0;
    });
    if (!everywhere) continue;
    for (const ResourceVector& part : parts) sum.Add(resource, part.Get(resource));
  }
  return sum;
}

}  // namespace

StatusOr<ResourceMetrics> DecodeResourceMetrics(std::string_view json, const ResourceNames& names) {
  std::vector<ResourceVector> parts;
  const auto read_usage = [&](JsonReader& in, ResourceVector& out) { return ReadKnownResources(in, names, out); };
  auto metrics = DecodeObject<ResourceMetrics>(json, [&](JsonReader& in, ResourceMetrics& out) {
    std::string timestamp;
    const auto metadata = [&] { return in.Fields("namespace", out.namespace_name, "name", out.name); };
    const auto container = [&](size_t) {
      ResourceVector& usage = parts.emplace_back();
      return in.Fields("usage", [&] { return read_usage(in, usage); });
    };
    HUYGENS_RETURN_IF_ERROR(in.Fields(
        "metadata", metadata, "timestamp", timestamp, "usage", [&] { return read_usage(in, parts.emplace_back()); },
        "containers", [&] { return in.Elements(container); }));
    if (auto time = ParseRfc3339(timestamp); time.ok()) out.timestamp = *time;
    return absl::OkStatus();
  });
  if (!metrics.ok()) return metrics;
  if (metrics->name.empty()) return Invalid("metadata.name is missing");
  metrics->usage = Sum(parts);
  return metrics;
}

}  // namespace huygens::wire
