#include "admin/usage_page.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "admin/query_string.h"
#include "admin/usage_json.h"
#include "admin_api/amounts.h"
#include "base/quantity.h"
#include "base/resource_alias.h"
#include "json/document.h"
#include "placement/pod_headroom.h"

namespace huygens::admin {

namespace {

using admin_api::UsageTopDocument;

constexpr size_t kNodesPerStep = 20;

StatusOr<size_t> ParseLimit(std::string_view text) {
  size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit == 0) {
    return Invalid(Concat("limit must be a number from 1, not \"", text, "\""));
  }
  return limit;
}

StatusOr<size_t> FindUsed(const usage::Options& options, std::string_view name) {
  std::string names;
  for (size_t r = 0; r < options.resources.size(); ++r) {
    if (options.resources[r].name == name) return r;
    names += Concat(names.empty() ? "" : ", ", options.resources[r].name);
  }
  return Invalid(Concat("by must be one of usage.resources (", names, "), not \"", name, "\""));
}

Status AddSize(std::string_view name, std::string_view text, const ResourceNames& resources, ResourceVector& size) {
  const auto resource = resources.Find(ResourceOf(name));
  if (!resource) {
    return Invalid(Concat("no parameter or resource is called ", name,
                          "; parameters: by, limit, and sizes by resource, such as cpu=2"));
  }
  const auto quantity = Quantity::Parse(text);
  if (!quantity.ok() || quantity->Sign() <= 0) {
    return Invalid(Concat(name, " must be a quantity above 0 such as 2 or 4Gi, not \"", text, "\""));
  }
  size.Set(*resource, BaseUnits(*resource, *quantity));
  return absl::OkStatus();
}

}  // namespace

StatusOr<UsagePage> UsagePage::Parse(std::string_view query, const placement::Options& options,
                                     const ResourceNames& resources) {
  if (options.usage.resources.empty()) return Invalid(WhyNoUsage(options));
  UsagePage page;
  ResourceVector size;
  for (const auto& [key, value] : QueryPairs(query)) {
    if (key == "by") {
      HUYGENS_ASSIGN_OR_RETURN(page.by_, FindUsed(options.usage, value));
    } else if (key == "limit") {
      HUYGENS_ASSIGN_OR_RETURN(page.limit_, ParseLimit(value));
    } else {
      HUYGENS_RETURN_IF_ERROR(AddSize(key, value, resources, size));
    }
  }
  if (!size.empty()) page.size_ = placement::PodOfSize(size);
  return page;
}

bool UsagePage::Step(const placement::Placement& placement, const ResourceNames& resources, Time now) {
  const size_t end = std::min(placement.state().NodeSlots(), next_ + kNodesPerStep);
  for (; next_ < end; ++next_) {
    if (placement.state().GetNode(next_) != nullptr) Add(placement, next_, resources, now);
  }
  return next_ < placement.state().NodeSlots();
}

void UsagePage::Add(const placement::Placement& placement, cluster::NodeIndex node, const ResourceNames& resources,
                    Time now) {
  const cluster::State& state = placement.state();
  const usage::Options& options = placement.usage().options();
  UsageTopDocument::Node said{.name = std::string(state.NodeName(node))};
  Row row{.name = said.name};
  if (size_) said.fits = row.fits = placement::PodHeadroom(placement, node, *size_, now);
  const ResourceVector requested = state.RequestedOn(node);
  ResourceVector unrequested;
  for (ResourceId resource : {kCpu, kMemory}) {
    if (!state.GetNode(node)->allocatable.Has(resource)) continue;
    unrequested.Set(resource, state.GetNode(node)->allocatable.Get(resource) - requested.Get(resource));
  }
  said.unrequested = admin_api::AmountsOf(unrequested, resources);
  for (size_t r = 0; r < options.resources.size(); ++r) {
    const usage::NodeUse use = placement.usage().Use(node, r, now);
    if (r == by_ && use.capacity > 0) row.share = static_cast<double>(use.peak) / static_cast<double>(use.capacity);
    said.usage.emplace_back(options.resources[r].name, UseOf(use, options.resources[r].resource, now));
  }
  row.json = EncodeJson(said);
  rows_.push_back(std::move(row));
}

std::string UsagePage::Begin(const placement::Placement& placement, Time now) {
  using policy::CheckMode;
  const CheckMode mode = placement.ModeOf(&policy::Needs::ceilings);
  const usage::Account& usage = placement.usage();
  std::sort(rows_.begin(), rows_.end(),
            [](const Row& a, const Row& b) { return a.share != b.share ? a.share > b.share : a.name < b.name; });
  UsageTopDocument said{.by = usage.options().resources[by_].name,
                        .check = mode == CheckMode::kOff                                    ? "off"
                                 : usage.SteppingAside(now).any()                           ? "stepsAside"
                                 : mode == CheckMode::kReport || usage.ShortHistory().any() ? "reportsOnly"
                                                                                            : "on",
                        .stale_share = static_cast<double>(usage.StaleShare(now)) / usage::kMillion,
                        .nodes = static_cast<int64_t>(rows_.size())};
  if (size_) {
    said.fits = 0;
    for (const Row& row : rows_) *said.fits += row.fits;
  }
  return EncodeJsonUpToItems(said);
}

std::string UsagePage::NextRows(size_t bytes) {
  std::string out;
  const size_t end = std::min(limit_, rows_.size());
  for (; next_row_ < end && out.size() < bytes; ++next_row_) {
    if (next_row_ > 0) out += ',';
    out += std::exchange(rows_[next_row_].json, {});
  }
  if (next_row_ >= end && !std::exchange(ended_, true)) out += "]}\n";
  return out;
}

}  // namespace huygens::admin
