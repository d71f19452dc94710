#include "webhook/review_service.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "webhook/proven.h"
#include "webhook/verdicts.h"
#include "wire/admission_review.h"

namespace huygens::webhook {
namespace {

constexpr int64_t kMostSeconds = 30;  // that an API server allows for a webhook
constexpr std::string_view kTimeout = "timeout=";

std::string PathBelow(std::string_view prefix) { return Concat(prefix, prefix.ends_with('/') ? "" : "/", kPath); }

net::Response Text(int status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(text, "\n")};
}

std::string_view OutcomeOf(const Judgement& judgement) {
  if (judgement.allowed) return "allowed";
  return judgement.code == wire::kForbidden ? "denied" : "unavailable";
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
  net::Respond respond;
  std::string body;
  wire::AdmissionRequest request;
  Duration began{};
};

ReviewService::ReviewService(const KnownCluster& cluster, const Rules& rules, GroupCommit* commit,
                             std::string_view path_prefix, Environment environment)
    : cluster_(cluster),
      rules_(rules),
      commit_(commit),
      path_(PathBelow(path_prefix)),
      environment_(std::move(environment)) {}

// As long as the cluster is not known, what surely takes nothing passes, and all else has to come again.
Judgement ReviewService::JudgeNow(const wire::AdmissionRequest& request) const {
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
  auto review = std::make_shared<Review>(
      Review{.respond = respond, .body = std::string(request.body), .request = {}, .began = environment_.monotonic()});
  StatusOr<wire::AdmissionRequest> read = wire::DecodeAdmissionReview(review->body);
  if (!read.ok()) return respond(Text(400, Message(read.status())));
  review->request = *std::move(read);
  Judgement judgement = JudgeNow(review->request);
  const bool writes = commit_ != nullptr && judgement.allowed && judgement.charge && !review->request.dry_run;
  if (!writes) return Answer(*review, judgement);
  commit_->Submit({.charge = *judgement.charge,
                   .deadline = review->began + PatienceOf(request.query),
                   .judge = [this, review] { return JudgeNow(review->request); },
                   .answer = [this, review](const Judgement& last) { Answer(*review, last); }},
                  judgement);
}

void ReviewService::Answer(const Review& review, const Judgement& judgement) const {
  const wire::AdmissionRequest& request = review.request;
  if (!judgement.allowed) {
    environment_.log.Debug("refused", {{"kind", request.kind},
                                       {"namespace", request.namespace_name},
                                       {"name", request.name},
                                       {"user", request.user},
                                       {"code", judgement.code},
                                       {"why", judgement.message}});
  }
  std::string body = wire::EncodeAdmissionAnswer(ToAnswer(request, judgement));
  environment_.metrics.Request(kPath, OutcomeOf(judgement), review.body.size(), body.size(),
                               environment_.monotonic() - review.began);
  review.respond({.body = std::move(body)});
}

}  // namespace huygens::webhook
