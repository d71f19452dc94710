#include "recommendations/pod_use.h"

#include <utility>

#include "base/quantity.h"
#include "json/reader.h"
#include "recommendation_api/amounts.h"

namespace huygens::recommendations {

namespace {

using recommend::Resource;

Status ReadAmount(JsonReader& in, Resource resource, std::optional<int64_t>& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  out = recommendation_api::ParseAmount(resource, text);
  return absl::OkStatus();
}

Status ReadContainer(JsonReader& in, ContainerUse& out) {
  const auto usage = [&] {
    return in.Fields(
        "cpu", [&] { return ReadAmount(in, Resource::kCpu, out.used[0]); }, "memory",
        [&] { return ReadAmount(in, Resource::kMemory, out.used[1]); });
  };
  return in.Fields("name", out.name, "usage", usage);
}

struct Item {
  PodUse use;
  std::optional<Time> time;
};

Status ReadItem(JsonReader& in, Item& out) {
  return in.Fields(
      "metadata", [&] { return in.Fields("name", out.use.name, "namespace", out.use.namespace_name); }, "timestamp",
      [&] { return ReadTime(in, out.time); }, "containers",
      [&] { return in.Elements([&](size_t) { return ReadContainer(in, out.use.containers.emplace_back()); }); });
}

}  // namespace

StatusOr<PodUses> DecodePodMetricsList(std::string_view json) {
  const auto item = [](JsonReader& in, PodUses& out) -> Status {
    // Read by itself, so that one that is wrong does not cost the others.
    const std::string_view text = in.Skip();
    StatusOr<Item> read = DecodeObject<Item>(text, ReadItem);
    if (!read.ok() || !read->time || read->use.name.empty()) {
      ++out.left_out;
      return absl::OkStatus();
    }
    read->use.time = *read->time;
    out.pods.push_back(std::move(read->use));
    return absl::OkStatus();
  };
  return DecodeObject<PodUses>(json, [&](JsonReader& in, PodUses& out) {
    return in.Fields("items", [&] { return in.Elements([&](size_t) { return item(in, out); }); });
  });
}

}  // namespace huygens::recommendations
