// Admission reviews over HTTP: read, judged, charged and answered. Whatever can be read as a review is answered with 200
// and a review, a refusal too: an API server shows its users nothing of another answer. The loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "webhook/group_commit.h"
#include "webhook/judgement.h"
#include "webhook/known_cluster.h"
#include "webhook/path_below.h"

namespace huygens::webhook {

// The one path of all validating webhooks, below server.pathPrefix: API servers keep one set of connections per path.
inline constexpr std::string_view kPath = "validate";

class ReviewService {
 public:
  struct Environment {
    observe::Log& log;
    observe::Metrics& metrics;
    std::function<Duration()> monotonic;
    // Calls the task once after this time, on the same thread. Null: nothing will be known later that is not known now.
    std::function<void(Duration, std::function<void()>)> after = nullptr;
  };

  // `commit`: writes charges down; null: nothing is, and each review is judged as if it were the only one. Everything
  // referred to must outlive it.
  ReviewService(const KnownCluster& cluster, const Rules& rules, GroupCommit* commit, std::string_view path_prefix,
                Environment environment);

  void Handle(const net::Request& request, const net::Respond& respond);
  // Of one review, for an API server that waits for so long. The answer is as text; an error where `body` is no review.
  void Ask(std::string body, Duration patience, std::function<void(StatusOr<std::string>)> answer);

 private:
  struct Review;  // under way

  Judgement JudgeNow(const AdmissionRequest& request) const;
  void Settle(const std::shared_ptr<Review>& review, const Judgement& judgement);
  void LookForGroup(const std::shared_ptr<Review>& review, const Judgement& refusal);
  // The group of which something is kept ahead of need that this review has to wait for (advances/advance.h); empty: none.
  std::string HeldAhead(const Review& review, const Judgement& judgement) const;
  void AwaitAdvances(const std::shared_ptr<Review>& review, const std::string& group);
  void Charged(const std::shared_ptr<Review>& review, const Judgement& judgement);
  void Answer(const Review& review, const Judgement& judgement) const;

  const KnownCluster& cluster_;
  const Rules& rules_;
  GroupCommit* const commit_;
  const std::string path_;
  const Environment environment_;
};

// How long an API server waits for the answer, by the query of its call ("timeout=10s"); without one its default.
Duration PatienceOf(std::string_view query);

}  // namespace huygens::webhook
