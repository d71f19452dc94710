// What a pod's containers should request: as written, lowered by a known factor, or by what its workload really uses.
// The two never multiply, limits are never touched, nothing is ever raised.
//
// What was done is recorded on the pod (Recorded). A pod that comes again, as a copy of one that was lowered, is judged
// by what it asked for at first: where a request is what was applied then, the original is the recorded one; any other
// value was written by the user since, and is a new original. So any number of redeploys gives the same answer, and a
// raised request counts at once. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "recommend/correction.h"
#include "recommend/profile.h"

namespace huygens::recommend {

// By Resource.
template <typename T>
using PerResource = std::array<T, kResources>;

struct PoolPolicy {
  enum class Type : uint8_t {
    kStatic,
    kDynamic,
    kBoth
  };  // kBoth: the recommendation where it is effective, else static

  bool enabled = false;
  Type type = Type::kBoth;
  PerResource<std::optional<int64_t>> static_factor;  // millionths; nothing: not lowered by a factor
  PerResource<int64_t> expansion = {kWeekly.expansion, kWeekly.expansion};  // on the model's value, millionths
  bool memory = false;                                                      // false: memory stays as written
  bool auto_apply = false;        // false: what would be done can be asked for, nothing is done
  bool lower_guaranteed = false;  // Guaranteed pods become Burstable when they are lowered: false leaves them alone
  Duration min_history = std::chrono::hours(24);
  Duration stale_after = std::chrono::hours(1);
  PerResource<Rounding> rounding = {kCpuRounding, kMemoryRounding};
};
// Whether pods of the pool are lowered where the policy does not say: "test" and "shared" are, others are not.
bool EnabledByDefault(std::string_view pool);

struct Recorded {
  int64_t original = 0;
  int64_t applied = 0;
  friend bool operator==(const Recorded&, const Recorded&) = default;
};

struct ContainerRequests {
  PerResource<std::optional<int64_t>> requests;
  PerResource<std::optional<Recorded>> recorded;
};

struct PodRequests {
  std::vector<ContainerRequests> containers;
  bool guaranteed = false;
  bool opted_out = false;
  bool pinned = false;  // its CPUs or zones are chosen by whole requests: it always stays as written
};

struct Recommendation {
  bool ready = false;
  Duration history{};           // from the first sample to the last
  Duration age{};               // of the last sample
  PerResource<double> model{};  // cores and bytes of a pod
  int64_t memory_guard = 0;     // bytes that a pod is not lowered below (recommend/memory_guard.h)
};

// Ready, with enough history, and not stale.
bool IsEffective(const Recommendation& recommendation, const PoolPolicy& policy);

enum class Source : uint8_t { kNone, kStatic, kDynamic };

struct Decision {
  enum class Reason : uint8_t {
    kApplied,
    kNoRecommendation,
    kRecommendationNotEffective,
    kPoolDisabled,
    kOptedOut,
    kQueryOnly,
    kGuaranteedKept,
  };

  std::vector<ContainerRequests> containers;  // as they should be, with what to record of those that a source decided
  PerResource<Source> source{};
  Reason reason = Reason::kApplied;  // of the two about recommendations: a static factor may have been applied
};

std::string_view Name(Source source);            // "static"
std::string_view Name(Decision::Reason reason);  // "NoRecommendation"

// `recommendation` is null where there is none for the pod.
Decision Decide(const PodRequests& pod, const PoolPolicy& policy, const Recommendation* recommendation);
// The same as if the pool applied: what a query answers where nothing is done.
Decision WouldDecide(const PodRequests& pod, PoolPolicy policy, const Recommendation* recommendation);

}  // namespace huygens::recommend
