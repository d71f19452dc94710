// A HorizontalPodAutoscaler (autoscaling/v2), as far as it asks what pods use. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::metrics_front {

// On an autoscaler: "limit", "original" or "native", in place of what its pods say.
inline constexpr std::string_view kBasisAnnotation = "huygens.dev/hpa-basis";

struct ResourceMetric {
  std::string resource;                // "cpu"
  std::string container;               // of type ContainerResource; empty: all of a pod
  std::optional<int64_t> utilization;  // target, percent; nothing: a target of another type
};

struct Autoscaler {
  std::string namespace_name, name, uid;
  std::string basis;  // of the annotation; empty: there is none
  std::string target_version, target_kind, target_name;
  std::vector<ResourceMetric> metrics;
  std::optional<double> tolerance_up, tolerance_down;
};

StatusOr<Autoscaler> DecodeAutoscaler(std::string_view json);

// The subresource `scale` of the target, "/apis/apps/v1/namespaces/shop/deployments/web/scale". Of kinds that huygens does
// not know the plural is the kind in small letters with an s, or es behind s, x and ch.
std::string ScalePath(const Autoscaler& autoscaler);

// autoscaling/v1 Scale.
struct Scale {
  int64_t replicas = 0;  // that are asked for
  std::string selector;  // of its pods
};
StatusOr<Scale> DecodeScale(std::string_view json);

}  // namespace huygens::metrics_front
