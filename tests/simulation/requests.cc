#include "tests/simulation/requests.h"

#include <utility>

#include "base/text.h"

namespace huygens::simulation {
namespace {

using cluster::BizGroupQuota;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPatience = seconds(10);
constexpr Duration kLongest = seconds(60);
constexpr int kMostTries = 5;

std::string_view OrNull(std::string_view object) { return object.empty() ? "null" : object; }

// Whether an object that `is_it` was there at some moment since the log was so long.
template <typename Is>
bool WasThere(const std::vector<Change>& log, size_t since, const Is& is_it) {
  bool there = false;
  for (size_t i = 0; i < log.size(); ++i) {
    if (!is_it(log[i])) continue;
    there = !log[i].gone;
    if (there && i >= since) return true;
    if (i >= since) return true;  // it went since
  }
  return there;
}

std::string GroupReview(std::string_view uid, std::string_view operation, const BizGroupQuota* before,
                        const BizGroupQuota* after, std::string_view user = "jane") {
  const BizGroupQuota& any = after != nullptr ? *after : *before;
  return Review(uid, "quota.huygens.dev", kGroups, "quota.huygens.dev", "bizgroupresourcequotas", "", any.name,
                operation, after == nullptr ? "" : Json(*after), before == nullptr ? "" : Json(*before), false, user);
}

}  // namespace

std::string_view Name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"stored",         "denied",    "unavailable", "conflict",
                                         "already exists", "not found", "lost"};
  return kNames[static_cast<size_t>(outcome)];
}

std::string Review(std::string_view uid, std::string_view kind_group, std::string_view kind,
                   std::string_view resource_group, std::string_view resource, std::string_view subresource,
                   std::string_view name, std::string_view operation, std::string_view object, std::string_view before,
                   bool dry_run, std::string_view user) {
  return Concat(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":")", uid,
                R"(","kind":{"group":")", kind_group, R"(","version":"v1","kind":")", kind,
                R"("},"resource":{"group":")", resource_group, R"(","version":"v1","resource":")", resource,
                R"("},"subResource":")", subresource, R"(","name":")", name, R"(","namespace":"ns","operation":")",
                operation, R"(","userInfo":{"username":")", user, R"("},"dryRun":)", dry_run ? "true" : "false",
                R"(,"object":)", OrNull(object), R"(,"oldObject":)", OrNull(before), "}}");
}

std::string ReviewOf(std::string_view uid, const Workload* before, const Workload& after, bool dry_run) {
  const std::string_view api = ApiGroupOf(after.kind);
  return Review(uid, api, after.kind, api, ResourceOf(after.kind), "", after.name,
                before == nullptr ? "CREATE" : "UPDATE", Json(after), before == nullptr ? "" : Json(*before), dry_run);
}

void Requests::Begin(Request request) {
  request.began = time_.Monotonic();
  const auto shared = std::make_shared<Request>(std::move(request));
  time_.After(shared->random.Between(microseconds(100), milliseconds(3)), [this, shared] { Try(shared); });
}

void Requests::Try(const Shared& request) {
  ++request->tries;
  std::string review = request->review();
  if (review.empty()) return request->done(Outcome::kNotFound, "");
  const int webhook = request->random.Below(webhooks_);
  const auto is_over = std::make_shared<bool>(false);
  const auto end = [is_over, request](Outcome outcome) {
    if (!std::exchange(*is_over, true)) request->done(outcome, "");
  };
  time_.After(request->random.Between(microseconds(100), milliseconds(5)), [this, request, webhook, is_over, end,
                                                                            review = std::move(review)] {
    const bool listens = ask_(webhook, review, [this, request, is_over](const std::string& answer) {
      time_.After(request->random.Between(microseconds(100), milliseconds(5)), [this, request, is_over, answer] {
        if (!std::exchange(*is_over, true)) Judged(request, answer);
      });
    });
    if (!listens) end(Outcome::kUnavailable);
  });
  time_.After(kPatience, [end] { end(Outcome::kUnavailable); });
}

void Requests::Judged(const Shared& request, const std::string& answer) {
  if (answer.find(R"("allowed":true)") == std::string::npos) {
    const bool denied = answer.find(R"("code":403)") != std::string::npos;
    return request->done(denied ? Outcome::kDenied : Outcome::kUnavailable, answer);
  }
  if (request->random.Chance(faults_.lost_after_yes)) return request->done(Outcome::kLost, answer);
  const bool slow = request->random.Chance(faults_.slow_store);
  const Duration lasts = request->random.Between(microseconds(100), slow ? request->slowest : milliseconds(10));
  const auto name_was_taken = lasts > seconds(1) && request->watch_name ? request->watch_name() : nullptr;
  time_.After(lasts, [this, request, answer, name_was_taken] {
    if (name_was_taken && name_was_taken()) return request->done(Outcome::kLost, answer);
    Store(request, answer);
  });
}

void Requests::Store(const Shared& request, const std::string& answer) {
  if (time_.Monotonic() - request->began > kLongest) return request->done(Outcome::kLost, answer);
  const Status stored = request->store();
  if (stored.ok()) return request->done(Outcome::kStored, answer);
  if (absl::IsAlreadyExists(stored)) return request->done(Outcome::kExists, answer);
  if (absl::IsNotFound(stored)) return request->done(Outcome::kNotFound, answer);
  if (!request->repeats || request->tries >= kMostTries) return request->done(Outcome::kConflict, answer);
  Try(request);
}

void Requests::Create(Workload workload, Stream random, Done done) {
  workload.uid = server_.NewUid(workload.name);
  Begin({.review = [this, workload] { return ReviewOf(std::to_string(++reviews_), nullptr, workload); },
         .store = [this, workload] { return server_.Create(workload); },
         .watch_name = [this, kind = workload.kind, name = workload.name]() -> std::function<bool()> {
           return [this, kind, name, since = server_.Log(kind).size()] {
             return WasThere(server_.Log(kind), since, [&](const Change& each) { return each.workload->name == name; });
           };
         },
         .random = random,
         .done = std::move(done)});
}

void Requests::Update(std::string_view kind, const std::string& name, Way way, std::function<void(Workload&)> change,
                      Stream random, Done done) {
  const auto changed = std::make_shared<Workload>();
  Begin({.review =
             [this, kind = std::string(kind), name, changed, change = std::move(change)] {
               const Workload* before = server_.Find(kind, name);
               if (before == nullptr || before->deleting) return std::string();
               *changed = *before;
               change(*changed);
               return ReviewOf(std::to_string(++reviews_), before, *changed);
             },
         .store = [this, changed] { return server_.Update(*changed); },
         .repeats = way == Way::kPatch,
         .random = random,
         .done = std::move(done)});
}

void Requests::Scale(std::string_view kind, const std::string& name, Way way, int64_t replicas, Stream random,
                     Done done) {
  const auto changed = std::make_shared<Workload>();
  Begin({.review =
             [this, kind = std::string(kind), name, changed, replicas] {
               const Workload* before = server_.Find(kind, name);
               if (before == nullptr || before->deleting) return std::string();
               *changed = *before;
               changed->replicas = replicas;
               return Review(std::to_string(++reviews_), "autoscaling", "Scale", "apps", ResourceOf(kind), "scale",
                             name, "UPDATE", ScaleJson(*before, replicas), ScaleJson(*before, before->replicas));
             },
         .store = [this, changed] { return server_.Update(*changed); },
         .repeats = way == Way::kPatch,
         .random = random,
         .done = std::move(done)});
}

void Requests::CreateGroup(BizGroupQuota group, Stream random, Done done) {
  group.uid = server_.NewUid(group.name);
  Begin({.review = [this, group] { return GroupReview(std::to_string(++reviews_), "CREATE", nullptr, &group); },
         .store = [this, group] { return server_.CreateGroup(group); },
         .watch_name = [this, name = group.name]() -> std::function<bool()> {
           return [this, name, since = server_.Log(kGroups).size()] {
             return WasThere(server_.Log(kGroups), since, [&](const Change& each) { return each.key() == name; });
           };
         },
         .random = random,
         .done = std::move(done)});
}

void Requests::ChangeGroup(const std::string& name, Way way, std::function<void(Plain&)> change, Stream random,
                           Done done) {
  const auto changed = std::make_shared<BizGroupQuota>();
  Begin({.review =
             [this, name, changed, change = std::move(change)] {
               const auto before = server_.ReadGroup(name);
               if (!before.ok()) return std::string();
               *changed = *before;
               Plain hard = PlainOf(before->hard);
               change(hard);
               changed->hard = AmountsOf(hard);
               return GroupReview(std::to_string(++reviews_), "UPDATE", &*before, &*changed);
             },
         .store = [this, changed] { return server_.SetHard(changed->name, changed->hard, changed->resource_version); },
         .repeats = way == Way::kPatch,
         .random = random,
         .done = std::move(done)});
}

void Requests::DeleteGroup(const std::string& name, Stream random, Done done) {
  const auto uid = std::make_shared<std::string>();
  Begin({.review =
             [this, name, uid] {
               const auto before = server_.ReadGroup(name);
               if (!before.ok()) return std::string();
               *uid = before->uid;
               return GroupReview(std::to_string(++reviews_), "DELETE", &*before, nullptr);
             },
         .store = [this, name, uid] { return server_.DeleteGroup(name, *uid); },
         .random = random,
         .done = std::move(done)});
}

void Requests::SetBudget(const BizGroupQuota& changed, Duration until, Stream random, Done done) {
  Begin({.review =
             [this, changed] {
               const auto before = server_.ReadGroup(changed.name);
               if (!before.ok() || before->resource_version != changed.resource_version) return std::string();
               return GroupReview(std::to_string(++reviews_), "UPDATE", &*before, &changed, kControllerUser);
             },
         .store =
             [this, changed, until] {
               if (time_.Monotonic() > until) return absl::CancelledError("its client has gone");
               return server_.SetBudget(changed);
             },
         .random = random,
         .done = std::move(done)});
}

}  // namespace huygens::simulation
