#include "settings/overcommit_pools.h"

#include <algorithm>
#include <utility>

namespace huygens::settings {

namespace {

constexpr double kMillion = 1'000'000;

LabelSelector SelectorOf(const PoolConfiguration& pool, const std::string& pool_label) {
  if (pool.selector.empty()) {
    return {{{.key = pool_label, .operation = LabelRequirement::Operation::kIn, .values = {pool.name}}}};
  }
  // One that cannot be read matches nothing: a wrong selector must not mean everybody.
  return LabelSelector::Parse(pool.selector)
      .value_or(LabelSelector{{{.key = pool_label, .operation = LabelRequirement::Operation::kIn, .values = {}}}});
}

std::optional<std::string_view> Find(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return std::nullopt;
}

bool Fits(std::string_view wanted, std::string_view is) { return wanted.empty() || wanted == is; }

}  // namespace

OvercommitPools::OvercommitPools(OvercommitConfiguration configuration) : configuration_(std::move(configuration)) {
  for (const PoolConfiguration& pool : configuration_.pools) {
    selectors_.push_back(SelectorOf(pool, configuration_.pool_label));
  }
}

const PoolConfiguration* OvercommitPools::Of(std::string_view namespace_name, LabelLookup labels) const {
  for (size_t i = 0; i < selectors_.size(); ++i) {
    const PoolConfiguration& pool = configuration_.pools[i];
    const bool here =
        pool.namespaces.empty() || std::ranges::find(pool.namespaces, namespace_name) != pool.namespaces.end();
    if (here && selectors_[i].Matches(labels)) return &pool;
  }
  return nullptr;
}

const PoolConfiguration* OvercommitPools::Of(std::string_view namespace_name, const Labels& labels) const {
  return Of(namespace_name, [&](std::string_view key) { return Find(labels, key); });
}

recommend::PoolPolicy OvercommitPools::PolicyOf(const PoolConfiguration* pool, LabelLookup labels) const {
  recommend::PoolPolicy policy;
  if (pool == nullptr) return policy;
  const OvercommitConfiguration& c = configuration_;
  policy.enabled = pool->type != PoolType::kOff && c.mode != OvercommitMode::kOff;
  using Type = recommend::PoolPolicy::Type;
  policy.type = pool->type == PoolType::kStatic    ? Type::kStatic
                : pool->type == PoolType::kDynamic ? Type::kDynamic
                                                   : Type::kBoth;
  const std::string_view room = labels(c.room_label).value_or(c.room);
  const std::string_view environment = labels(c.environment_label).value_or(c.environment);
  for (const StaticFactor& each : pool->factors) {
    if (!Fits(each.cluster, c.cluster) || !Fits(each.room, room) || !Fits(each.environment, environment)) continue;
    policy.static_factor = {each.cpu, each.memory};
    break;
  }
  const int64_t expansion = ProfileOf(pool).expansion;
  policy.expansion = {expansion, expansion};
  policy.memory = pool->memory;
  policy.auto_apply = pool->auto_apply && c.mode == OvercommitMode::kEnforce;
  policy.lower_guaranteed = pool->guaranteed == GuaranteedPods::kLower;
  policy.min_history = pool->min_history;
  policy.stale_after = pool->stale_after;
  policy.rounding = {recommend::Rounding{.step = pool->cpu_step, .floor = pool->cpu_floor},
                     recommend::Rounding{.step = pool->memory_step, .floor = pool->memory_floor}};
  return policy;
}

recommend::PoolPolicy OvercommitPools::PolicyOf(const PoolConfiguration* pool, const Labels& labels) const {
  return PolicyOf(pool, [&](std::string_view key) { return Find(labels, key); });
}

std::string_view BasisName(HpaBasis basis) {
  constexpr std::string_view kNames[] = {"", "original", "limit"};
  return kNames[static_cast<size_t>(basis)];
}

recommend::Profile ProfileOf(const PoolConfiguration* pool) {
  if (pool == nullptr) return recommend::kWeekly;
  recommend::Profile profile = pool->profile == ModelProfile::kDaily ? recommend::kDaily : recommend::kWeekly;
  if (pool->half_life) profile.half_life = *pool->half_life;
  if (pool->cpu_percentile) profile.cpu_percentile = static_cast<double>(*pool->cpu_percentile) / kMillion;
  if (pool->memory_percentile) profile.memory_percentile = static_cast<double>(*pool->memory_percentile) / kMillion;
  if (pool->expansion) profile.expansion = *pool->expansion;
  return profile;
}

}  // namespace huygens::settings
