// A Recommendation, huygens.dev/v1alpha1 (config/crd/recommendations.yaml): what the pods of one target should request, by
// what they use, and why that is or is not done to them. `huygens controller` writes it, `huygens webhook` and people read
// it. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "recommend/decision.h"
#include "recommendation_api/object.h"

namespace huygens::recommendation_api {

inline constexpr std::string_view kRecommendationKind = "Recommendation";
inline constexpr std::string_view kRecommendations = "recommendations";  // as in paths
inline constexpr std::string_view kRecommendationsPath = "/apis/huygens.dev/v1alpha1/recommendations";

// Whose pods share one history: all of a namespace, all that one workload made, or those of one name.
enum class Dimension : uint8_t { kNamespace, kWorkload, kPod };
std::string_view Name(Dimension dimension);  // "workload"
std::optional<Dimension> DimensionOf(std::string_view name);

// Of kWorkload the outermost controller, "apps", "Deployment", "cart"; of kPod the pod's name; of kNamespace all empty.
struct Target {
  std::string namespace_name;
  Dimension dimension = Dimension::kWorkload;
  std::string group, kind, name;

  // "shop/workload/apps/Deployment/cart", one for each target.
  std::string Key() const;
  // What its object is called: "deployment-cart", "rollout.argoproj.io-cart", "pod-cart-0", "namespace"; a name that would
  // be too long ends with a hash.
  std::string ObjectName() const;
  // "Deployment shop/cart", "pod shop/cart-0", "namespace shop".
  std::string Text() const;
  friend bool operator==(const Target&, const Target&) = default;
};

// Amounts of one resource as quantities; empty: there is none.
struct Amounts {
  std::string original;     // as it was written
  std::string requested;    // as it is now
  std::string fixed;        // by the pool's static factor
  std::string recommended;  // by what is used: corrected, rounded, no lower than the floor, never above original
  std::string limit;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("original", self.original);
    fields.IfSet("requested", self.requested);
    fields.IfSet("static", self.fixed);
    fields.IfSet("recommended", self.recommended);
    fields.IfSet("limit", self.limit);
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

struct ContainerAmounts {
  std::string name;
  Amounts cpu, memory;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("cpu", self.cpu);
    fields.Always("memory", self.memory);
  }
  friend bool operator==(const ContainerAmounts&, const ContainerAmounts&) = default;
};

// What a pod of the target used, and what the model makes of it: cores or bytes, not corrected.
struct Used {
  double model = 0, p50 = 0, p95 = 0, most = 0;
  int64_t samples = 0;
  std::optional<Time> first, last;

  static void Describe(auto& self, auto& fields) {
    fields.Always("model", self.model);
    fields.Always("p50", self.p50);
    fields.Always("p95", self.p95);
    fields.Always("max", self.most);
    fields.Always("samples", self.samples);
    fields.IfSet("firstSample", self.first);
    fields.IfSet("lastSample", self.last);
  }
  friend bool operator==(const Used&, const Used&) = default;
};

// Types of conditions.
inline constexpr std::string_view kReady = "Ready";          // there are samples
inline constexpr std::string_view kEffective = "Effective";  // enough of them, and young enough: may be applied
inline constexpr std::string_view kApplied = "Applied";      // new pods get it

struct RecommendationStatus {
  std::string pool;                          // of its pods; empty: none
  int64_t pods = 0;                          // that run
  std::optional<Used> cpu, memory;           // nothing: no sample yet
  std::string memory_guard;                  // pods are not lowered below; empty: no guard
  double confidence = 0;                     // days of history, as VPA counts them
  Amounts pod_cpu, pod_memory;               // of a pod, the sum of its containers
  std::vector<ContainerAmounts> containers;  // of the pod that was created last
  std::vector<Condition> conditions;
  std::optional<Time> gone_since;  // its workload, or who selects it; nothing: it is there

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("pool", self.pool);
    fields.Always("pods", self.pods);
    fields.IfSet("cpu", self.cpu);
    fields.IfSet("memory", self.memory);
    fields.IfSet("memoryGuard", self.memory_guard);
    fields.Always("confidence", self.confidence);
    fields.Always("podCPU", self.pod_cpu);
    fields.Always("podMemory", self.pod_memory);
    fields.IfSet("containers", self.containers);
    fields.IfSet("conditions", self.conditions);
    fields.IfSet("goneSince", self.gone_since);
  }
  friend bool operator==(const RecommendationStatus&, const RecommendationStatus&) = default;
};

struct Recommendation {
  Metadata metadata;
  std::string template_name;  // the RecommendationTemplate that it is made by
  Target target;
  RecommendationStatus status;
  friend bool operator==(const Recommendation&, const Recommendation&) = default;
};

// Fails on what is no such object, saying where: a dimension that there is not, a number that is none.
StatusOr<Recommendation> DecodeRecommendation(std::string_view json);
// All of it, as POST and PUT .../status take it.
std::string EncodeRecommendation(const Recommendation& recommendation);

// What recommend::Decide goes by. Not ready where there are no samples of both resources.
recommend::Recommendation ModelOf(const RecommendationStatus& status, Time now);

}  // namespace huygens::recommendation_api
