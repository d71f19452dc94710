#include "wire/unknown_annotations.h"

#include <algorithm>
#include <cstring>

#include "wire/json_reader.h"
#include "wire/pod_annotations.h"
#include "wire/text_cut.h"

namespace huygens::wire {

namespace {

constexpr size_t kQuotedBytes = 40;
constexpr std::string_view kWords[] = {"true, false", "none, exclusive, numa, immovable", "spread, pack, isolate"};

// By position in kChosenAnnotations.
bool Unset(size_t annotation, const cluster::Pod& pod) {
  if (annotation == 0) return !pod.topology_awareness;
  return annotation == 1 ? pod.cpu_policy == cluster::CpuPolicy::kUnset : pod.smt == cluster::Smt::kUnset;
}

// Several times as fast as string_view::find, which stops at each first letter.
bool Mentions(std::string_view json, std::string_view word) {
  return memmem(json.data(), json.size(), word.data(), word.size()) != nullptr;
}

}  // namespace

std::vector<UnknownAnnotation> UnknownAnnotations(std::string_view json, const cluster::Pod& pod) {
  std::vector<UnknownAnnotation> unknown;
  bool look = false;
  for (size_t i = 0; i < kChosenAnnotations.size(); ++i) {
    // A slash may be escaped in JSON; nobody who writes Kubernetes objects does that.
    look = look || (Unset(i, pod) && Mentions(json, kChosenAnnotations[i]));
  }
  if (!look) return unknown;
  auto in = JsonReader::Open(json);
  if (!in.ok()) return unknown;
  std::array<std::string, kChosenAnnotations.size()> values;
  const Status read = in->Members([&](const JsonKey& part) -> Status {
    if (!part.Is("metadata")) return absl::OkStatus();
    return in->Members([&](const JsonKey& field) -> Status {
      if (!field.Is("annotations")) return absl::OkStatus();
      return in->Members([&](const JsonKey& key) {
        const auto* const found = std::ranges::find(kChosenAnnotations, key.text);
        if (found == kChosenAnnotations.end()) return absl::OkStatus();
        return in->Read(values[static_cast<size_t>(found - kChosenAnnotations.begin())]);
      });
    });
  });
  if (!read.ok()) return unknown;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!Unset(i, pod) || values[i].empty()) continue;
    unknown.push_back({kChosenAnnotations[i],
                       Concat("annotation ", kChosenAnnotations[i], ": there is no \"",
                              CutText(values[i], kQuotedBytes), "\", so it counts as absent; there are ", kWords[i])});
  }
  return unknown;
}

}  // namespace huygens::wire
