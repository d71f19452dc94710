#include "wire/unknown_annotations.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/nearest_name.h"
#include "base/text.h"
#include "json/reader.h"
#include "wire/pod_annotations.h"

namespace huygens::wire {

namespace {

using Keys = std::span<const std::string_view>;

constexpr size_t kQuotedBytes = 40;
constexpr size_t kMostKeys = 8;  // that are told of one pod: whoever writes it may write thousands
constexpr std::string_view kWords[] = {"true, false", "none, exclusive, numa, immovable", "spread, pack, isolate"};
constexpr std::string_view kAnnotations[] = {"huygens.dev/kubelet-placement",       "huygens.dev/placement",
                                             "huygens.dev/placement-observed",      "huygens.dev/smt",
                                             "topology.crane.io/cpu-policy",        "topology.crane.io/topology-result",
                                             "topology.crane.io/topology-awareness"};
constexpr std::string_view kLabels[] = {"biz.group.resource.quota", "biz.group.resource.quota/cpu-type",
                                        "biz.group.resource.quota/gpu-type", "biz.group.resource.quota/memory-type"};
// How all of these begin, as keys of JSON. A slash may be escaped there; nobody who writes Kubernetes objects does that.
constexpr std::string_view kBeginnings[] = {"\"huygens.dev/", "\"topology.crane.io/", "\"biz.group."};
// How those end that are likely to be written after a wrong beginning.
constexpr std::string_view kEndings[] = {"/topology-awareness\"", "/cpu-policy\"", "/smt\""};

bool Has(Keys keys, std::string_view key) { return std::ranges::find(keys, key) != keys.end(); }

// By position in kChosenAnnotations.
bool Unset(size_t annotation, const cluster::Pod& pod) {
  if (annotation == 0) return !pod.topology_awareness;
  return annotation == 1 ? pod.cpu_policy == cluster::CpuPolicy::kUnset : pod.smt == cluster::Smt::kUnset;
}

// Whether the pod shows that the key was read where it stands; not so for what is misspelt, misplaced or of no value.
bool Understood(std::string_view key, const cluster::Pod& pod) {
  for (size_t i = 0; i < kChosenAnnotations.size(); ++i) {
    if (key == kChosenAnnotations[i]) return !Unset(i, pod);
  }
  if (!Has(kLabels, key)) return Has(kAnnotations, key);
  if (pod.quota == nullptr) return false;
  cluster::QuotaLabels without = *pod.quota;
  TakeQuotaLabel(key, "", without);
  return without != *pod.quota;
}

// Several times as fast as string_view::find, which stops at each first letter.
size_t Find(std::string_view json, std::string_view word) {
  const void* const found = memmem(json.data(), json.size(), word.data(), word.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - json.data());
}

bool MayHoldUnknown(std::string_view json, const cluster::Pod& pod) {
  for (std::string_view beginning : kBeginnings) {
    std::string_view rest = json;
    for (size_t at = Find(rest, beginning); at != std::string_view::npos; at = Find(rest, beginning)) {
      rest.remove_prefix(at + 1);
      if (!Understood(rest.substr(0, rest.find('"')), pod)) return true;
    }
  }
  for (std::string_view ending : kEndings) {
    size_t begun = 0;
    for (size_t at = Find(json, ending); at != std::string_view::npos; at = Find(json.substr(begun), ending)) {
      const std::string_view upto = json.substr(0, begun + at);
      if (!std::ranges::any_of(
              kBeginnings, [&](std::string_view each) { return upto.ends_with(each.substr(0, each.size() - 1)); })) {
        return true;
      }
      begun += at + ending.size();
    }
  }
  return false;
}

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

// The key with the right name after a domain that is another of `keys`, nearly one of these or a part of one.
std::string OfRightDomain(std::string_view key, Keys keys) {
  const std::string_view domain = Domain(key);
  if (domain.empty()) return "";
  const bool ours = std::ranges::any_of(keys, [&](std::string_view each) { return Domain(each) == domain; });
  for (std::string_view each : keys) {
    const std::string_view right = Domain(each);
    if (right.empty() || each.substr(right.size()) != key.substr(domain.size())) continue;
    const bool part = right.ends_with(Concat(".", domain)) || domain.ends_with(Concat(".", right));
    if (ours || part || !NearestName(domain, std::span(&right, 1)).empty()) return std::string(each);
  }
  return "";
}

struct Found {
  std::vector<UnknownAnnotation> keys;
  std::array<std::string, kChosenAnnotations.size()> values;
};

Status Look(JsonReader& in, const cluster::Pod& pod, Found& found) {
  // A key that a rule asks for is read.
  const auto look = [&](std::string_view what, std::string_view key, const std::string* read, Keys here, Keys elsewhere,
                        std::string_view there) {
    if (read != nullptr || found.keys.size() == kMostKeys) return;
    std::string fault = KeyFault(what, key, here, elsewhere, there);
    if (!fault.empty()) found.keys.push_back({"other", std::move(fault)});
  };
  const auto label = [&](const JsonKey& key) {
    look("label", key.text, LabelOf(pod, key.text), kLabels, kAnnotations, "annotations");
    return absl::OkStatus();
  };
  const auto annotation = [&](const JsonKey& key) {
    look("annotation", key.text, AnnotationOf(pod, key.text), kAnnotations, kLabels, "labels");
    const auto* const chosen = std::ranges::find(kChosenAnnotations, key.text);
    if (chosen == kChosenAnnotations.end()) return absl::OkStatus();
    return in.Read(found.values[static_cast<size_t>(chosen - kChosenAnnotations.begin())]);
  };
  return in.Fields("metadata", [&] {
    return in.Fields(
        "labels", [&] { return in.Members(label); }, "annotations", [&] { return in.Members(annotation); });
  });
}

}  // namespace

std::string KeyFault(std::string_view what, std::string_view key, Keys here, Keys elsewhere, std::string_view there) {
  if (Has(here, key)) return "";
  if (Has(elsewhere, key)) return Concat(what, " ", key, ": nobody reads it there; it belongs among the ", there);
  std::string nearest = Nearest(key, here);
  if (nearest.empty()) nearest = OfRightDomain(key, here);
  return nearest.empty() ? "" : Concat(what, " ", key, ": nobody reads it; did you mean ", nearest, "?");
}

std::vector<UnknownAnnotation> UnknownAnnotations(std::string_view json, const cluster::Pod& pod) {
  if (!MayHoldUnknown(json, pod)) return {};
  auto in = JsonReader::Open(json);
  Found found;
  if (!in.ok() || !Look(*in, pod, found).ok()) return {};  // the pod was decoded from it before
  for (size_t i = 0; i < found.values.size(); ++i) {
    const std::string_view key = kChosenAnnotations[i];
    if (!Unset(i, pod) || found.values[i].empty()) continue;
    found.keys.push_back({key, Concat("annotation ", key, ": there is no \"", CutText(found.values[i], kQuotedBytes),
                                      "\", so it counts as absent; there are ", kWords[i])});
  }
  return std::move(found.keys);
}

void KeepUnknownAnnotations(std::string_view json, cluster::Pod& pod) {
  if (pod.Bound() || pod.Terminal()) return;
  for (UnknownAnnotation& each : UnknownAnnotations(json, pod)) {
    if (!pod.waiting) pod.waiting.emplace();
    pod.waiting->not_understood.push_back(std::move(each.text));
  }
}

}  // namespace huygens::wire
