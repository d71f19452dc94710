#include "controller/config_map_hours.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "kube/object_call.h"

namespace huygens::controller {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(5);
constexpr int kCallsOfOneKeep = 2;
constexpr size_t kMostGroups = 2000;  // some 300 bytes each, of a megabyte that an object may have

// The value of one key.
struct Entry {
  std::vector<std::pair<std::string, std::string>> exact_hours;
  Time until{};

  static void Describe(auto& self, auto& fields) {
    fields.Always("exactHours", self.exact_hours);
    fields.Always("until", self.until);
  }
};

// v1 ConfigMap. As a merge patch a key without a value goes.
struct ConfigMap {
  struct Metadata {
    std::string name, resource_version;

    static void Describe(auto& self, auto& fields) {
      fields.IfSet("name", self.name);
      fields.IfSet("resourceVersion", self.resource_version);
    }
  };
  Metadata metadata;
  std::vector<std::pair<std::string, std::optional<std::string>>> data;

  static void Describe(auto& self, auto& fields) {
    fields.Always("metadata", self.metadata);
    fields.Always("data", self.data);
  }
};

std::string Encode(const LeftHours& left) {
  return EncodeJson(Entry{{left.exact_hours.begin(), left.exact_hours.end()}, left.until});
}

StatusOr<LeftHours> Decode(const std::string& group, std::string_view json) {
  const auto entry = DecodeJson<Entry>(json);
  if (!entry.ok()) return Annotate(entry.status(), Concat("ConfigMap ", kHoursConfigMap, ": ", group));
  return LeftHours{{entry->exact_hours.begin(), entry->exact_hours.end()}, entry->until};
}

StatusOr<ConfigMap> ReadMap(net::Client& client, const std::string& path, Duration timeout) {
  return kube::CallForObject([](std::string_view json) { return DecodeJson<ConfigMap>(json); }, client, "GET",
                             Concat(path, "/", kHoursConfigMap), "", timeout);
}

// The groups of all but the newest, so that one more has room. What cannot be read is old.
std::vector<std::string> Oldest(const ConfigMap& map) {
  std::vector<std::pair<Time, std::string>> known;
  for (const auto& [group, json] : map.data) {
    const auto left = Decode(group, json.value_or(""));
    known.emplace_back(left.ok() ? left->until : Time(), group);
  }
  std::vector<std::string> oldest;
  if (known.size() < kMostGroups) return oldest;
  std::sort(known.begin(), known.end());
  for (size_t i = 0; i + kMostGroups <= known.size(); ++i) oldest.push_back(known[i].second);
  return oldest;
}

Status KeepIn(net::Client& client, const std::string& path, Duration timeout, const std::string& group,
              const LeftHours& left) {
  const auto known = ReadMap(client, path, timeout);
  ConfigMap next;
  if (absl::IsNotFound(known.status())) {
    next.metadata.name = kHoursConfigMap;
    next.data.emplace_back(group, Encode(left));
    return kube::CallForObject(client, "POST", path, EncodeJson(next), timeout).status();
  }
  if (!known.ok()) return known.status();
  next.metadata.resource_version = known->metadata.resource_version;
  for (std::string& each : Oldest(*known)) next.data.emplace_back(std::move(each), std::nullopt);
  std::erase_if(next.data, [&](const auto& each) { return each.first == group; });
  next.data.emplace_back(group, Encode(left));
  return kube::CallForObject(client, "PATCH", Concat(path, "/", kHoursConfigMap), EncodeJson(next), timeout,
                             kube::PatchHeaders("merge"))
      .status();
}

StatusOr<std::optional<LeftHours>> FindIn(net::Client& client, const std::string& path, Duration timeout,
                                          const std::string& group) {
  const auto known = ReadMap(client, path, timeout);
  if (absl::IsNotFound(known.status())) return std::optional<LeftHours>();
  if (!known.ok()) return known.status();
  const auto found =
      std::find_if(known->data.begin(), known->data.end(), [&](const auto& each) { return each.first == group; });
  if (found == known->data.end()) return std::optional<LeftHours>();
  HUYGENS_ASSIGN_OR_RETURN(LeftHours left, Decode(group, found->second.value_or("")));
  return std::optional(std::move(left));
}

std::string PathIn(const std::string& namespace_name) {
  return Concat("/api/v1/namespaces/", namespace_name, "/configmaps");
}

}  // namespace

void ConfigMapHours::Keep(const std::string& group, const LeftHours& left, Kept done) {
  calls_.Post([path = PathIn(namespace_name_), group, left, done = std::move(done)](
                  net::Client& client, Duration longest) -> kube::CallPool::Then {
    const Duration timeout = std::min<Duration>(kTimeout, longest / kCallsOfOneKeep);
    return [done, status = KeepIn(client, path, timeout, group, left)] { done(status); };
  });
}

void ConfigMapHours::Find(const std::string& group, Found done) {
  calls_.Post([path = PathIn(namespace_name_), group, done = std::move(done)](
                  net::Client& client, Duration longest) -> kube::CallPool::Then {
    return [done, found = FindIn(client, path, std::min(kTimeout, longest), group)] { done(found); };
  });
}

}  // namespace huygens::controller
