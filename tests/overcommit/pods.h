// Pods as JSON, and what an API server makes of a patch, for the tests of this room.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/millionths.h"
#include "overcommit/lowering.h"

namespace huygens::overcommit {

// Applies operations of RFC 6902 that add a member. Throws where the patch does not fit.
inline boost::json::value Patched(std::string_view pod, std::string_view patch) {
  boost::json::value result = boost::json::parse(boost::json::string_view(pod.data(), pod.size()));
  if (patch.empty()) return result;
  const boost::json::value operations = boost::json::parse(boost::json::string_view(patch.data(), patch.size()));
  for (const boost::json::value& operation : operations.as_array()) {
    const std::string path(operation.at("path").as_string());
    const size_t slash = path.rfind('/');
    std::string key = path.substr(slash + 1);
    for (const auto& [escaped, plain] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
      for (size_t at = 0; (at = key.find(escaped, at)) != std::string::npos;) key.replace(at, 2, plain);
    }
    boost::json::value& holder = slash == 0 ? result : result.at_pointer(path.substr(0, slash));
    holder.as_object()[key] = operation.at("value");
  }
  return result;
}

struct Lowered {
  Lowering result;
  boost::json::value pod;  // as it is created
};

inline Lowered LowerText(std::string_view pod, const PoolTerms& terms,
                         const recommend::Recommendation* recommendation = nullptr) {
  const ResourceNames names;
  const StatusOr<AdmittedPod> admitted = DecodeAdmittedPod(pod, names);
  Lowered lowered{LowerPod(*admitted, terms, recommendation), {}};
  lowered.pod = Patched(pod, lowered.result.patch);
  return lowered;
}

// A pool "shared" that lowers CPU by a factor, and applies it.
inline PoolTerms StaticTerms(std::string_view factor) {
  PoolTerms terms{.name = "shared", .policy = {}, .basis = "limit"};
  terms.policy.enabled = terms.policy.auto_apply = true;
  terms.policy.type = recommend::PoolPolicy::Type::kStatic;
  terms.policy.static_factor[0] = *ParseMillionths(factor);
  return terms;
}

inline std::string RequestIn(const boost::json::value& pod, size_t container, const char* resource,
                             const char* list = "containers") {
  return std::string(pod.at("spec").at(list).at(container).at("resources").at("requests").at(resource).as_string());
}
inline void SetRequest(boost::json::value& pod, size_t container, const char* resource, const char* amount) {
  pod.at("spec").at("containers").at(container).at("resources").at("requests").as_object()[resource] = amount;
}
inline std::string RecordIn(const boost::json::value& pod) {
  return std::string(pod.at("metadata").at("annotations").at("huygens.dev/overcommit").as_string());
}

}  // namespace huygens::overcommit
