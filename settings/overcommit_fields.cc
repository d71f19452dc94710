// The fields of the section `overcommit`, as settings/fields.cc has those of the others.
#include <chrono>

#include "base/duration_text.h"
#include "base/label_selector.h"
#include "base/quantity.h"
#include "base/text.h"
#include "settings/walk.h"

namespace huygens::settings {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr std::string_view kModes[] = {"off", "report", "enforce"};
constexpr std::string_view kPoolTypes[] = {"off", "static", "dynamic", "both"};
constexpr std::string_view kKeepOrLower[] = {"keep", "lower"};
constexpr std::string_view kBases[] = {"native", "original", "limit"};
constexpr std::string_view kProfiles[] = {"weekly", "daily"};
constexpr int64_t kGibi = int64_t{1} << 30;

// Not printed while it is as it begins, as most fields of most pools are.
Scalar Quiet(bool as_it_begins, Scalar scalar) {
  if (as_it_begins) scalar.text.clear();
  return scalar;
}

Scalar OptionalSpan(std::optional<Duration>& value, Duration least, Duration most) {
  Duration shown = value.value_or(least);
  Scalar scalar = Span(shown, least, most);
  if (!value) scalar.text.clear();
  scalar.set = [&value, least, most](std::string_view text, bool quoted) {
    Duration read{};
    std::string fault = Span(read, least, most).set(text, quoted);
    if (fault.empty()) value = read;
    return fault;
  };
  return scalar;
}

Scalar MilliCpu(int64_t& value, int64_t least, int64_t most) {
  const auto text_of = [](int64_t milli) { return Quantity::FromMilli(milli).Canonical(); };
  std::string range = Concat(text_of(least), " to ", text_of(most));
  return {.kind = Concat("CPUs, ", range),
          .text = text_of(value),
          .set = [&value, least, most, range](std::string_view text, bool) -> std::string {
            const StatusOr<Quantity> quantity = Quantity::Parse(text);
            if (!quantity.ok() || !(*quantity == Quantity::FromMilli(quantity->MilliValue()))) {
              return Concat("not an amount of CPU (want text such as 50m or 0.5): ", CutText(text, 64));
            }
            if (quantity->MilliValue() < least || quantity->MilliValue() > most) {
              return Concat("must be from ", range, ", not ", text);
            }
            value = quantity->MilliValue();
            return "";
          }};
}

std::string SelectorText(std::string_view text) {
  const StatusOr<LabelSelector> selector = LabelSelector::Parse(text);
  if (!selector.ok()) return std::string(Message(selector.status()));
  return selector->requirements.empty() ? "must not be empty: it would be every pod" : "";
}

}  // namespace

void Describe(Walk& walk, OvercommitConfiguration& c) {
  walk.Value("mode", Choice(kModes, c.mode),
             "off; report: recommendations are made, no pod is changed; enforce: pools with autoApply are");
  walk.Value("poolLabel", Text(c.pool_label, "label", QualifiedName), "of a pod, names its pool");
  walk.Value("cluster", Text(c.cluster, "name", AnyText), "this cluster, for the factors of pools");
  walk.Value("room", Text(c.room, "name", AnyText), "of pods without roomLabel");
  walk.Value("environment", Text(c.environment, "name", AnyText), "of pods without environmentLabel");
  walk.Value("roomLabel", Text(c.room_label, "label", QualifiedName), "of a pod, names the room it is for");
  walk.Value("environmentLabel", Text(c.environment_label, "label", QualifiedName), "of a pod, names its environment");
  walk.List("pools", c.pools, "Of several that a pod is in the first counts.");
  walk.Value("interval", Span(c.interval, seconds(1), hours(1)), "between scans of what pods use");
  walk.Value("checkpointInterval", Span(c.checkpoint_interval, seconds(1), days(1)),
             "between checkpoints of a target whose recommendation stays; at once where it moves");
  walk.Value("backfill", Span(c.backfill, seconds(0), days(28)),
             "history that Prometheus is asked for where there is no checkpoint; 0s = none");
  walk.Value("keepFor", Span(c.keep_for, seconds(0), days(28)),
             "a recommendation whose workload is gone for sure: in case it comes back");
  walk.Value("resizesPerMinute", Integer(c.resizes_per_minute, 1, 6'000),
             "most running pods that are lowered in a minute, of pools with inPlace");
}

void Describe(Walk& walk, PoolConfiguration& c) {
  const PoolConfiguration begins;
  walk.Value("name", Text(c.name, "name", NotEmpty), "the value of poolLabel, unless there is a selector");
  walk.Value("selector", Quiet(c.selector.empty(), Text(c.selector, "selector", SelectorText)),
             "of labels of pods, as kubectl's --selector: \"app in (a,b),!canary\"");
  walk.Texts("namespaces", c.namespaces, "names of namespaces", ObjectName, "that it is about; [] = all");
  walk.Value(
      "type", Choice(kPoolTypes, c.type),
      "off; static: by a factor; dynamic: by what is used; both: by what is used where that is known well enough, "
      "else by the factor. They never multiply");
  walk.Value("autoApply", Flag(c.auto_apply),
             "false: values can be asked for, no pod is changed, not even by a factor");
  walk.Value(
      "inPlace", Quiet(c.in_place == begins.in_place, Flag(c.in_place)),
      "pods that run already are lowered, too, without a restart, by `huygens controller`: Burstable ones alone");
  walk.Value("memory", Flag(c.memory), "memory, too");
  walk.Value("guaranteed", Choice(kKeepOrLower, c.guaranteed),
             "Guaranteed pods: are left alone; or lowered, and with that Burstable");
  walk.Value("wholeCPUs", Quiet(c.whole_cpus == begins.whole_cpus, Choice(kKeepOrLower, c.whole_cpus)),
             "Guaranteed pods with containers of whole CPUs, where guaranteed is lower: lower only where no node has a "
             "static CPU manager, for those pods lose their exclusive CPUs");
  walk.Value("hpaBasis", Choice(kBases, c.hpa_basis),
             "what autoscalers' targets are a share of: requests as they are, as they were written, or limits");
  walk.List("factors", c.factors, "static factors by place, the first that fits");
  walk.Value("profile", Quiet(c.profile == begins.profile, Choice(kProfiles, c.profile)),
             "weekly: 72h, P96, x 1.1; daily: 24h, P95, x 1.2; memory P99");
  walk.Value("halfLife", OptionalSpan(c.half_life, minutes(1), days(365)), "a sample counts half after that");
  walk.Value("cpuPercentile", Share(c.cpu_percentile, 1), "absent: as the profile has it");
  walk.Value("memoryPercentile", Share(c.memory_percentile, 1), "likewise");
  walk.Value("factor", Share(c.expansion, 10), "on what the model says; absent: as the profile has it");
  walk.Value("cpuStep", Quiet(c.cpu_step == begins.cpu_step, MilliCpu(c.cpu_step, 1, 64'000)),
             "requests are rounded up to multiples of it");
  walk.Value("cpuFloor", Quiet(c.cpu_floor == begins.cpu_floor, MilliCpu(c.cpu_floor, 1, 64'000)),
             "of a container; what asks for less stays as it is");
  walk.Value("memoryStep", Quiet(c.memory_step == begins.memory_step, Bytes(c.memory_step, 1, kGibi)), "likewise");
  walk.Value("memoryFloor", Quiet(c.memory_floor == begins.memory_floor, Bytes(c.memory_floor, 1, 64 * kGibi)),
             "likewise");
  walk.Value("minHistory", Quiet(c.min_history == begins.min_history, Span(c.min_history, seconds(0), days(28))),
             "before a recommendation is effective");
  walk.Value("staleAfter", Quiet(c.stale_after == begins.stale_after, Span(c.stale_after, minutes(1), days(7))),
             "the last sample is older: not effective any more");
  walk.Value("memoryGuard", Quiet(c.memory_guard, Flag(c.memory_guard)),
             "no lower than 1.05 of the highest use of seven days, nor than what an OOM kill asks for");
}

void Describe(Walk& walk, StaticFactor& c) {
  walk.Value("cluster", Quiet(c.cluster.empty(), Text(c.cluster, "name", AnyText)), "absent: any");
  walk.Value("room", Quiet(c.room.empty(), Text(c.room, "name", AnyText)), "absent: any");
  walk.Value("environment", Quiet(c.environment.empty(), Text(c.environment, "name", AnyText)), "absent: any");
  walk.Value("cpu", Share(c.cpu, 1), "absent: CPU is not lowered by a factor");
  walk.Value("memory", Share(c.memory, 1), "absent: memory is not; it takes memory: true of the pool, too");
}

}  // namespace huygens::settings
