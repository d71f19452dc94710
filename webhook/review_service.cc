#include "webhook/review_service.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "kube/api_call.h"
#include "webhook/admission_review.h"
#include "webhook/proven.h"
#include "webhook/subject.h"
#include "webhook/verdicts.h"

namespace huygens::webhook {
namespace {

constexpr int64_t kMostSeconds = 30;  // that an API server allows for a webhook
constexpr std::string_view kTimeout = "timeout=";
// A watch is behind by milliseconds, and a client that is told to come again does so a second later.
constexpr Duration kWaitForWatch = std::chrono::seconds(1);
constexpr Duration kPause = std::chrono::milliseconds(20);
// Until all instances that are up have given back what they keep of a group: a write and a watch, twice.
constexpr Duration kWaitForAdvances = std::chrono::seconds(5);
constexpr Duration kPauseForAdvances = std::chrono::milliseconds(50);

net::Response Text(int status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(text, "\n")};
}

std::string_view OutcomeOf(const Judgement& judgement) {
  if (judgement.allowed) return "allowed";
  return judgement.code == kForbidden ? "denied" : "unavailable";
}

}  // namespace

Duration PatienceOf(std::string_view query) {
  int64_t seconds = 10;
  if (const size_t at = query.find(kTimeout); at != std::string_view::npos) {
    const std::string_view text = query.substr(at + kTimeout.size());
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 1, kMostSeconds));
}

// Keeps the body that the review looks into.
struct ReviewService::Review {
  std::function<void(StatusOr<std::string>)> answer;
  std::string body;
  AdmissionRequest request;
  Duration began{}, deadline{};
  size_t lookups = 0;  // of groups that no watch has told of
};

ReviewService::ReviewService(const KnownCluster& cluster, const Rules& rules, GroupCommit* commit,
                             std::string_view path_prefix, Environment environment)
    : cluster_(cluster),
      rules_(rules),
      commit_(commit),
      path_(PathBelow(path_prefix, kPath)),
      environment_(std::move(environment)) {}

// As long as the cluster is not known, what surely takes nothing passes, and all else has to come again.
Judgement ReviewService::JudgeNow(const AdmissionRequest& request) const {
  const Facts facts = cluster_.facts();
  const std::string missing = cluster_.NotReady();
  if (missing.empty()) return Judge(request, facts, rules_);
  return TakesNothing(request, facts.names, rules_) ? Judgement() : NotYet(missing);
}

void ReviewService::Handle(const net::Request& request, const net::Respond& respond) {
  if (request.path != path_) {
    return respond(Text(404, Concat("nothing at ", request.path, "; reviews go to POST ", path_)));
  }
  if (request.method != "POST") return respond(Text(405, Concat(path_, " takes POST, not ", request.method)));
  Ask(std::string(request.body), PatienceOf(request.query), [respond](StatusOr<std::string> answer) {
    if (!answer.ok()) return respond(Text(400, Message(answer.status())));
    respond({.body = *std::move(answer)});
  });
}

void ReviewService::Ask(std::string body, Duration patience, std::function<void(StatusOr<std::string>)> answer) {
  const Duration began = environment_.monotonic();
  auto review = std::make_shared<Review>(Review{.answer = std::move(answer),
                                                .body = std::move(body),
                                                .request = {},
                                                .began = began,
                                                .deadline = began + patience});
  StatusOr<AdmissionRequest> read = DecodeAdmissionReview(review->body);
  if (!read.ok()) return review->answer(read.status());
  review->request = *std::move(read);
  Settle(review, JudgeNow(review->request));
}

void ReviewService::Settle(const std::shared_ptr<Review>& review, const Judgement& judgement) {
  // What no group can be called needs no question.
  if (commit_ != nullptr && review->lookups < quota::kMaxDepth && kube::IsObjectName(judgement.unknown_group)) {
    return LookForGroup(review, judgement);
  }
  if (const std::string group = HeldAhead(*review, judgement); !group.empty()) return AwaitAdvances(review, group);
  const Duration now = environment_.monotonic();
  if (judgement.soon && environment_.after &&
      now < std::min(review->began + kWaitForWatch, review->deadline - kPause)) {
    return environment_.after(kPause, [this, review] { Settle(review, JudgeNow(review->request)); });
  }
  const bool writes = commit_ != nullptr && judgement.allowed && judgement.charge && !review->request.dry_run;
  if (!writes) return Answer(*review, judgement);
  commit_->Submit({.charge = *judgement.charge,
                   .deadline = review->deadline,
                   .judge = [this, review] { return JudgeNow(review->request); },
                   .answer = [this, review](const Judgement& last) { Charged(review, last); }},
                  judgement);
}

// What was refused when it was judged again has the same reasons to wait as before. Not at once: the group is busy.
void ReviewService::Charged(const std::shared_ptr<Review>& review, const Judgement& judgement) {
  if (judgement.allowed || !environment_.after || HeldAhead(*review, judgement).empty()) {
    return Answer(*review, judgement);
  }
  environment_.after(kPause, [this, review] { Settle(review, JudgeNow(review->request)); });
}

std::string ReviewService::HeldAhead(const Review& review, const Judgement& judgement) const {
  const AdmissionRequest& request = review.request;
  if (commit_ == nullptr || !environment_.after) return {};
  if (!judgement.allowed) {
    const bool held = !judgement.short_of.empty() && commit_->MayBeHeld(judgement.short_of, judgement.lacking);
    return held ? judgement.short_of : std::string();
  }
  // Whoever makes a budget smaller, or ends it, must be sure that nothing is let in by it afterwards.
  const bool ends = SubjectOf(request) == Subject::kGroup && !request.dry_run && commit_->AnyAdvance(request.name) &&
                    TakesRoomAway(request);
  return ends ? request.name : std::string();
}

void ReviewService::AwaitAdvances(const std::shared_ptr<Review>& review, const std::string& group) {
  const Duration last = std::min(review->began + kWaitForAdvances, review->deadline - 2 * kPauseForAdvances);
  if (environment_.monotonic() >= last) {
    return Answer(*review,
                  NotYet(Concat("quota bizrq/", group, ": an instance of huygens webhook keeps some of it ahead",
                                " of need (webhook.advance) and has not given that back yet")));
  }
  if (!review->request.dry_run) commit_->Recall(group);
  environment_.after(kPauseForAdvances, [this, review] { Settle(review, JudgeNow(review->request)); });
}

// Who creates groups and what belongs to them with one command is faster than a watch.
void ReviewService::LookForGroup(const std::shared_ptr<Review>& review, const Judgement& refusal) {
  ++review->lookups;
  commit_->LookUp(refusal.unknown_group, review->deadline, [this, review, refusal](const Status& found) {
    if (absl::IsNotFound(found)) return Answer(*review, refusal);
    if (found.ok()) return Settle(review, JudgeNow(review->request));
    Answer(*review, NotYet(Concat("bizrq/", refusal.unknown_group, " is not known here yet: ", Message(found))));
  });
}

void ReviewService::Answer(const Review& review, const Judgement& judgement) const {
  const AdmissionRequest& request = review.request;
  if (!judgement.allowed) {
    environment_.log.Debug("refused", {{"kind", request.kind},
                                       {"namespace", request.namespace_name},
                                       {"name", request.name},
                                       {"user", request.user},
                                       {"code", judgement.code},
                                       {"why", judgement.message}});
  }
  std::string body = EncodeAdmissionAnswer(ToAnswer(request, judgement));
  environment_.metrics.Request(kPath, OutcomeOf(judgement), review.body.size(), body.size(),
                               environment_.monotonic() - review.began);
  review.answer(std::move(body));
}

}  // namespace huygens::webhook
