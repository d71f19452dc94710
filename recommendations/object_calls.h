// What the API server is asked about recommendations and what they rest on. Blocking; one thread per client. Errors are
// those of kube/object_call.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "recommendation_api/checkpoint.h"
#include "recommendation_api/recommendation.h"
#include "recommendation_api/recommendation_template.h"

namespace huygens::recommendations {

// Creates it without a status, or finds the one that is there already.
StatusOr<recommendation_api::Recommendation> CreateRecommendation(
    net::Client& client, const recommendation_api::Recommendation& recommendation, Duration timeout);
// Each with the object's UID and resource version as guards; the answer is the object as it is stored then.
StatusOr<recommendation_api::Recommendation> WriteRecommendationStatus(
    net::Client& client, const recommendation_api::Recommendation& recommendation, Duration timeout);
StatusOr<recommendation_api::Recommendation> WriteTemplateName(net::Client& client,
                                                               const recommendation_api::Recommendation& recommendation,
                                                               Duration timeout);
// Since when it is to be given up, and the conditions; nothing else of the status changes.
StatusOr<recommendation_api::Recommendation> WriteGone(net::Client& client,
                                                       const recommendation_api::Recommendation& recommendation,
                                                       Duration timeout);
// With its checkpoint. One that is gone already is well.
Status DeleteRecommendation(net::Client& client, const recommendation_api::Recommendation& recommendation,
                            Duration timeout);

StatusOr<recommendation_api::Checkpoint> ReadCheckpoint(net::Client& client, const std::string& namespace_name,
                                                        const std::string& name, Duration timeout);
// Creates it where it has no resource version; says the new one.
StatusOr<std::string> WriteCheckpoint(net::Client& client, const recommendation_api::Checkpoint& checkpoint,
                                      Duration timeout);

StatusOr<recommendation_api::RecommendationTemplate> WriteTemplateStatus(
    net::Client& client, const recommendation_api::RecommendationTemplate& object, Duration timeout);

// Whether the workload, pod or namespace of a target is there. False only where the API server says so of this very
// object: an error, an answer of another kind, or a kind that huygens does not know is none. Nothing: the kind is not
// known, and then it counts as there.
StatusOr<std::optional<bool>> TargetExists(net::Client& client, const recommendation_api::Target& target,
                                           Duration timeout);
// Nothing: there is none, as the API server says of this very object.
StatusOr<std::optional<recommendation_api::RecommendationTemplate>> FindTemplate(net::Client& client,
                                                                                 const std::string& name,
                                                                                 Duration timeout);

// Where the object is; empty: the kind is not known.
std::string PathOf(const recommendation_api::Target& target);

}  // namespace huygens::recommendations
