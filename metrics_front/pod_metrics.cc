#include "metrics_front/pod_metrics.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::metrics_front {
namespace {

Status ReadAmount(JsonReader& in, std::optional<MeasuredAmount>& out) {
  if (in.SkipNull()) return absl::OkStatus();
  const char* begin = in.position();
  Quantity quantity;
  HUYGENS_RETURN_IF_ERROR(wire::ReadQuantity(in, quantity));
  while (*begin == ' ' || *begin == '\t' || *begin == '\n' || *begin == '\r') ++begin;
  out = MeasuredAmount{quantity.MilliValue(), {begin, static_cast<size_t>(in.position() - begin)}};
  return absl::OkStatus();
}

Status ReadContainer(JsonReader& in, ContainerMetrics& out) {
  const auto usage = [&] {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.text == "cpu") return ReadAmount(in, out.usage[0]);
      return key.text == "memory" ? ReadAmount(in, out.usage[1]) : absl::OkStatus();
    });
  };
  return in.Fields("name", out.name, "usage", usage);
}

Status ReadPod(JsonReader& in, PodMetrics& out) {
  std::string timestamp, window;
  const auto metadata = [&] { return in.Fields("name", out.name, "namespace", out.namespace_name); };
  const auto containers = [&] {
    return ReadList(in, out.containers, [&](ContainerMetrics& each) { return ReadContainer(in, each); });
  };
  HUYGENS_RETURN_IF_ERROR(
      in.Fields("metadata", metadata, "timestamp", timestamp, "window", window, "containers", containers));
  HUYGENS_ASSIGN_OR_RETURN(out.timestamp, ParseRfc3339(timestamp));
  if (!window.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(out.window, ParseDuration(window));
  }
  return absl::OkStatus();
}

struct ListOfMetrics {
  std::string kind;
  std::vector<PodMetrics> items;
};

}  // namespace

StatusOr<std::vector<PodMetrics>> DecodePodMetrics(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(
      ListOfMetrics list, DecodeObject<ListOfMetrics>(json, [](JsonReader& in, ListOfMetrics& out) {
        const auto items = [&] { return ReadList(in, out.items, [&](PodMetrics& each) { return ReadPod(in, each); }); };
        return in.Fields("kind", out.kind, "items", items);
      }));
  if (list.kind != "PodMetricsList")
    return Invalid(Concat("expected a PodMetricsList, found ", CutText(list.kind, 64)));
  return std::move(list.items);
}

std::string WithAmounts(std::string_view json, std::vector<Replacement> replacements) {
  std::ranges::sort(replacements, {}, [](const Replacement& each) { return each.old.data(); });
  std::string out;
  const char* from = json.data();
  for (const Replacement& each : replacements) {
    const char* const old = each.old.data();
    out.append(from, old);
    out += Concat("\"", std::to_string(each.thousandths), "m\"");
    from = old + each.old.size();
  }
  out.append(from, json.data() + json.size());
  return out;
}

}  // namespace huygens::metrics_front
