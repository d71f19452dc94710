// Requests that fit (docs/overcommit.md): which pools of pods are lowered, by what, and what their autoscalers go by. One
// section of the configuration for all who have a part in it: `huygens controller` measures and recommends, `huygens
// webhook` applies. Plain values with the defaults; settings/overcommit_pools.h says what they mean for a pod.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace huygens::settings {

// kReport: recommendations are made and said what would become of pods, and no pod is changed.
enum class OvercommitMode : uint8_t { kOff, kReport, kEnforce };
// kBoth: the recommendation where it is effective, else the factor.
enum class PoolType : uint8_t { kOff, kStatic, kDynamic, kBoth };
enum class GuaranteedPods : uint8_t { kKeep, kLower };
// What an autoscaler's target is a share of: the requests that pods have, those that they were written with, or limits.
enum class HpaBasis : uint8_t { kNative, kOriginal, kLimit };
enum class ModelProfile : uint8_t { kWeekly, kDaily };  // recommend::kWeekly, kDaily

// What a request is multiplied by where no recommendation decides; what is not named is any.
struct StaticFactor {
  std::string cluster, room, environment;
  std::optional<int64_t> cpu, memory;  // millionths; absent: not lowered
};

struct PoolConfiguration {
  std::string name;
  std::string selector;                 // of pods, as kubectl's --selector; empty: poolLabel=name
  std::vector<std::string> namespaces;  // empty: all
  PoolType type = PoolType::kOff;
  bool auto_apply = false;  // false: values can be asked for, nothing is changed
  bool in_place = false;    // running Burstable pods are lowered, too, without a restart
  bool memory = false;
  GuaranteedPods guaranteed = GuaranteedPods::kKeep;
  // Of these, those with a container of whole CPUs, which are exclusive where nodes have a static CPU manager.
  GuaranteedPods whole_cpus = GuaranteedPods::kKeep;
  HpaBasis hpa_basis = HpaBasis::kOriginal;
  std::vector<StaticFactor> factors;  // the first that fits

  ModelProfile profile = ModelProfile::kWeekly;
  std::optional<Duration> half_life;                         // these four: absent, as the profile has them
  std::optional<int64_t> cpu_percentile, memory_percentile;  // millionths
  std::optional<int64_t> expansion;                          // on the model's value, millionths
  int64_t cpu_step = 1;                                      // milli-CPU; for each container, as the floors
  int64_t cpu_floor = 10;
  int64_t memory_step = 1 << 20;  // bytes
  int64_t memory_floor = 16 << 20;
  Duration min_history = std::chrono::hours(24);
  Duration stale_after = std::chrono::hours(1);
  bool memory_guard = true;  // never below the highest use of seven days
};

struct OvercommitConfiguration {
  OvercommitMode mode = OvercommitMode::kOff;
  std::string pool_label = "huygens.dev/pool";
  // Where pods are, for the factors; a pod's own label goes before.
  std::string cluster, room, environment;
  std::string room_label = "huygens.dev/room";
  std::string environment_label = "huygens.dev/environment";
  std::vector<PoolConfiguration> pools = {{.name = "test", .type = PoolType::kBoth},
                                          {.name = "shared", .type = PoolType::kBoth},
                                          {.name = "exclusive"},
                                          {.name = "colocated"}};
  Duration interval = std::chrono::minutes(1);              // between scans
  Duration checkpoint_interval = std::chrono::minutes(10);  // of a target that changes little
  Duration backfill = std::chrono::hours(7 * 24);           // history asked of Prometheus where there is none; 0: none
  Duration keep_for = std::chrono::hours(24);               // a recommendation whose workload is gone for sure
  int64_t resizes_per_minute = 60;                          // of running pods, where a pool lowers them in place
};

}  // namespace huygens::settings
