#include "recommendation_api/recommendation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "recommendation_api/amounts.h"

namespace huygens::recommendation_api {

namespace {

constexpr std::array<std::string_view, 3> kDimensions = {"namespace", "workload", "pod"};
constexpr size_t kLongestName = 200;  // of an object; a checkpoint and whoever adds to it have room

struct StoredTarget {
  std::string group, kind, name;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("group", self.group);
    fields.IfSet("kind", self.kind);
    fields.IfSet("name", self.name);
  }
};

struct StoredSpec {
  std::string template_name, dimension;
  StoredTarget target;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("template", self.template_name);
    fields.Always("dimension", self.dimension);
    fields.Always("target", self.target);
  }
};

struct StoredRecommendation {
  std::string api_version{kApiVersion}, kind{kRecommendationKind};
  Metadata metadata;
  StoredSpec spec;
  RecommendationStatus status;

  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("metadata", self.metadata);
    fields.Always("spec", self.spec);
    fields.Always("status", self.status);
  }
};

Status Judge(const std::optional<Used>& used, std::string_view resource) {
  if (!used) return absl::OkStatus();
  for (const double each : {used->model, used->p50, used->p95, used->most}) {
    if (!std::isfinite(each) || each < 0) return Invalid(Concat("status.", resource, ": a number that is no amount"));
  }
  if (used->first.has_value() != used->last.has_value() || (used->samples > 0) != used->first.has_value()) {
    return Invalid(Concat("status.", resource, ": samples, firstSample and lastSample do not agree"));
  }
  // So that no difference of two overflows.
  constexpr Time kLatest{std::chrono::sys_days(std::chrono::year(2200) / 1 / 1)};
  if (used->first && (*used->first < Time() || *used->last < *used->first || *used->last > kLatest)) {
    return Invalid(Concat("status.", resource, ": firstSample and lastSample are in no order of this century"));
  }
  return absl::OkStatus();
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string HashText(std::string_view text) {
  uint64_t hash = StableHash(text);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 10; ++i, hash >>= 4) out += kDigits[hash & 15];
  return out;
}

}  // namespace

std::string_view Name(Dimension dimension) { return kDimensions[static_cast<size_t>(dimension)]; }

std::optional<Dimension> DimensionOf(std::string_view name) {
  const auto* const at = std::ranges::find(kDimensions, name);
  if (at == kDimensions.end()) return std::nullopt;
  return static_cast<Dimension>(at - kDimensions.begin());
}

std::string Target::Key() const {
  switch (dimension) {
    case Dimension::kNamespace:
      return Concat(namespace_name, "/namespace");
    case Dimension::kWorkload:
      return Concat(namespace_name, "/workload/", group, "/", kind, "/", name);
    case Dimension::kPod:
      return Concat(namespace_name, "/pod/", name);
  }
  return "";
}

std::string Target::ObjectName() const {
  if (dimension == Dimension::kNamespace) return "namespace";
  if (dimension == Dimension::kPod) {
    const std::string text = Concat("pod-", name);
    return text.size() <= kLongestName ? text : Concat(text.substr(0, kLongestName - 11), "-", HashText(name));
  }
  const bool own = group.empty() || group == "apps" || group == "batch";
  const std::string text = Concat(Lower(kind), own ? "" : ".", own ? "" : group, "-", name);
  return text.size() <= kLongestName ? text : Concat(text.substr(0, kLongestName - 11), "-", HashText(text));
}

std::string Target::Text() const {
  if (dimension == Dimension::kNamespace) return Concat("namespace ", namespace_name);
  return Concat(dimension == Dimension::kPod ? std::string_view("pod") : std::string_view(kind), " ", namespace_name,
                "/", name);
}

StatusOr<Recommendation> DecodeRecommendation(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(StoredRecommendation stored, DecodeJson<StoredRecommendation>(json));
  if (stored.metadata.name.empty()) return Invalid("metadata.name is missing");
  const std::optional<Dimension> dimension = DimensionOf(stored.spec.dimension);
  if (!dimension) return Invalid(Concat("spec.dimension: there is no ", CutText(stored.spec.dimension, 32)));
  HUYGENS_RETURN_IF_ERROR(Judge(stored.status.cpu, "cpu"));
  HUYGENS_RETURN_IF_ERROR(Judge(stored.status.memory, "memory"));
  Recommendation recommendation{std::move(stored.metadata), std::move(stored.spec.template_name),
                                Target{"", *dimension, std::move(stored.spec.target.group),
                                       std::move(stored.spec.target.kind), std::move(stored.spec.target.name)},
                                std::move(stored.status)};
  recommendation.target.namespace_name = recommendation.metadata.namespace_name;
  return recommendation;
}

std::string EncodeRecommendation(const Recommendation& recommendation) {
  StoredRecommendation stored;
  stored.metadata = recommendation.metadata;
  const Target& target = recommendation.target;
  stored.spec = {
      recommendation.template_name, std::string(Name(target.dimension)), {target.group, target.kind, target.name}};
  stored.status = recommendation.status;
  return EncodeJson(stored);
}

recommend::Recommendation ModelOf(const RecommendationStatus& status, Time now) {
  recommend::Recommendation model;
  if (!status.cpu || !status.memory || !status.cpu->last || !status.memory->last) return model;
  model.ready = true;
  model.history = std::min(*status.cpu->last - *status.cpu->first, *status.memory->last - *status.memory->first);
  model.age = now - std::min(*status.cpu->last, *status.memory->last);
  model.model = {status.cpu->model, status.memory->model};
  model.memory_guard = ParseAmount(recommend::Resource::kMemory, status.memory_guard).value_or(0);
  return model;
}

}  // namespace huygens::recommendation_api
