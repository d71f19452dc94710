#include "admin/token_access.h"

#include "kube/api_call.h"
#include "wire/access_review.h"

namespace huygens::admin {
namespace {

using What = AccessVerdict::What;

constexpr auto kTimeout = std::chrono::seconds(3);

AccessVerdict Unknown(std::string_view why) {
  return {What::kUnknown, Concat("the API server could not be asked whether you may: ", why)};
}

}  // namespace

StatusOr<std::unique_ptr<TokenAccess>> TokenAccess::Start(net::ClientOptions api_server,
                                                          std::unique_ptr<Waiter> waiter) {
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(std::move(api_server)));
  return std::unique_ptr<TokenAccess>(new TokenAccess(std::move(client), std::move(waiter)));
}

TokenAccess::TokenAccess(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter)
    : client_(std::move(client)), waiter_(std::move(waiter)), thread_([this] { Work(); }) {}

TokenAccess::~TokenAccess() { Stop(); }

void TokenAccess::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  client_->Cancel();
  waiter_->Interrupt();
  if (thread_.joinable()) thread_.join();
}

void TokenAccess::Ask(std::string token, std::string path, Done done) {
  std::optional<AccessVerdict> known;
  {
    const std::lock_guard lock(mutex_);
    const Key key(std::move(token), std::move(path));
    if (const AccessVerdict* found = Find(key)) {
      known = *found;
    } else if (stopping_) {
      known = Unknown("huygens is ending");
    } else if (questions_.size() >= kMostWaiting) {
      known = Unknown("too many wait for that; try again");
    } else {
      questions_.push_back({key, std::move(done)});
      changed_.notify_all();
      return;
    }
  }
  done(*std::move(known));
}

void TokenAccess::Work() {
  while (true) {
    Question question;
    std::optional<AccessVerdict> verdict;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !questions_.empty(); });
      if (questions_.empty()) return;
      question = std::move(questions_.front());
      questions_.pop_front();
      if (const AccessVerdict* found = Find(question.key)) verdict = *found;
      if (stopping_) verdict = Unknown("huygens is ending");
    }
    const bool asked = !verdict;
    if (asked) {
      verdict = AskApiServer(question.key);
      const std::lock_guard lock(mutex_);
      Remember(question.key, *verdict);
    }
    question.done(*std::move(verdict));
    question = {};  // what it holds goes now, not after the pause
    if (asked) waiter_->Wait(kPause);
  }
}

AccessVerdict TokenAccess::AskApiServer(const Key& key) {
  const auto post = [&](std::string_view path, const std::string& body) -> StatusOr<std::string> {
    HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, client_->Call("POST", path, body, kube::JsonHeaders(), kTimeout));
    if (!kube::Succeeded(reply)) return Unavailable(kube::ExplainReply(reply));
    return std::move(reply.body);
  };
  std::string body;
  wire::AppendTokenReview(body, key.first);
  const auto review = post("/apis/authentication.k8s.io/v1/tokenreviews", body);
  if (!review.ok()) return Unknown(Message(review.status()));
  const auto owner = wire::DecodeTokenReview(*review);
  if (!owner.ok()) return Unknown(Message(owner.status()));
  if (!owner->authenticated) {
    return {What::kNobody, Concat("the token is not valid", owner->error.empty() ? "" : ": ", owner->error)};
  }
  body.clear();
  wire::AppendPathAccessReview(body, *owner, key.second, "get");
  const auto access = post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body);
  if (!access.ok()) return Unknown(Message(access.status()));
  const auto allowed = wire::DecodeAccessReview(*access);
  if (!allowed.ok()) return Unknown(Message(allowed.status()));
  if (*allowed) return {What::kAllowed, ""};
  return {What::kForbidden,
          Concat(owner->username, " may not get ", key.second, ": no ClusterRole of theirs has this nonResourceURL")};
}

const AccessVerdict* TokenAccess::Find(const Key& key) const {
  const auto found = remembered_.find(key);
  return found == remembered_.end() || found->second.until <= waiter_->Now() ? nullptr : &found->second.verdict;
}

void TokenAccess::Remember(const Key& key, const AccessVerdict& verdict) {
  if (verdict.what == What::kUnknown) return;
  const Duration now = waiter_->Now();
  std::erase_if(remembered_, [&](const auto& each) { return each.second.until <= now; });
  if (remembered_.size() < kMostRemembered) remembered_[key] = {verdict, now + kHolds};
}

}  // namespace huygens::admin
