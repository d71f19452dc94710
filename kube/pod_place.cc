#include "kube/pod_place.h"

#include <algorithm>

#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::kube {

StatusOr<PodPlace> DecodePodPlace(std::string_view json) {
  return DecodeObject<PodPlace>(json, [](JsonReader& in, PodPlace& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("spec")) return in.Fields("nodeName", out.node);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Fields("uid", out.uid, "annotations", [&] { return wire::ReadTextMap(in, out.annotations); });
    });
  });
}

BindOutcome JudgePlace(const PodPlace& place, const BindRequest& request) {
  const auto verdict = [](BindVerdict value, std::string message) {
    return BindOutcome{value, std::move(message), true};
  };
  if (place.uid != request.uid) {
    return verdict(BindVerdict::kReplaced, Concat("the pod of this name is another one now, with UID ", place.uid));
  }
  if (place.node.empty()) return verdict(BindVerdict::kUnbound, "the pod is not bound");
  if (place.node != request.node) {
    return verdict(BindVerdict::kBoundElsewhere, Concat("the pod is bound to node ", place.node, " already"));
  }
  for (const auto& annotation : request.annotations) {
    if (std::find(place.annotations.begin(), place.annotations.end(), annotation) == place.annotations.end()) {
      return verdict(BindVerdict::kBoundOtherwise,
                     Concat("the pod is on this node already, but its annotation ", annotation.first, " is not ours"));
    }
  }
  return verdict(BindVerdict::kBound, "");
}

}  // namespace huygens::kube
