#include "admin/debug_pages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "admin/debug_json.h"
#include "admin/pod_page.h"
#include "admin/pod_quota_page.h"
#include "admin/query_string.h"
#include "admin/quota_json.h"
#include "admin/quota_page.h"
#include "admin/usage_page.h"
#include "admin_api/decision_document.h"
#include "base/percent_encoding.h"
#include "json/append.h"
#include "json/document.h"

namespace huygens::admin {

namespace {

using admin_api::NotHeardOf;

constexpr size_t kNodesPerSlice = 50;  // of /debug/nodes: some hundred microseconds of the decision thread
constexpr size_t kDefaultDecisions = 20;
constexpr size_t kPiece = 64 << 10;

constexpr std::string_view kEndpoints =
    "/debug/decisions       the last decisions; ?pod=NAMESPACE/NAME or ?uid=UID, &limit=N\n"
    "/debug/nodes           every node: mode, allocatable, requested\n"
    "/debug/nodes/NAME      one node: its zones and the pods that hold them, its use over a week\n"
    "/debug/pods/NAMESPACE/NAME   one pod: what each node would say of it now, with figures; why it has no zones\n"
    "/debug/usage           the nodes used most; ?by=RESOURCE&limit=N, and &cpu=2&memory=4Gi: how many such pods fit\n"
    "/debug/reschedule      which pods should move, which do, and what holds the rest back\n"
    "/debug/quotas          budgets of business groups and what is used of them; ?group=NAME: that one and those "
    "below; &package=cpu=4,memory=16Gi: how many more such pods fit\n"
    "/debug/quotas/pods/NAMESPACE/NAME   what one pod costs its group, and whether it fits\n";

net::Response Json(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body)};
}

net::Response Unknown(std::string_view what) {
  std::string body = "{\"error\":";
  AppendJsonString(body, what);
  return {.status = 404, .content_type = "application/json", .body = body + "}\n"};
}

DebugPages::Question Wrong(std::string why) {
  return {.ask =
              [why = std::move(why)](const DebugPages::Answer& answer) {
                answer({.status = 400, .content_type = "text/plain; charset=utf-8", .body = Concat(why, "\n")});
              },
          .on_decision = false};
}

// NAMESPACE/NAME of a path; parts may be empty.
std::pair<std::string, std::string> PodOf(std::string_view path) {
  const size_t slash = std::min(path.find('/'), path.size());
  return {PercentDecoded(path.substr(0, slash)), PercentDecoded(path.substr(std::min(slash + 1, path.size())))};
}

// The decisions that match, newest first; those that make room for new ones while a slow reader reads are left out.
class DecisionPieces {
 public:
  DecisionPieces(const observe::DecisionRing& ring, std::string pod, std::string uid, size_t limit)
      : ring_(ring), pod_(std::move(pod)), uid_(std::move(uid)), left_(limit) {}

  // Empty: there is no more.
  std::string Next() {
    std::string piece;
    if (ended_) return piece;
    if (first_) piece = EncodeJsonUpToItems(admin_api::DecisionListDocument());
    while (piece.size() < kPiece) {
      const auto found = left_ == 0 ? std::nullopt : ring_.Before({pod_, uid_}, before_);
      if (!found) {
        ended_ = true;
        return piece += "]}\n";
      }
      if (!std::exchange(first_, false)) piece += ',';
      found->record->AppendJson(piece);
      before_ = found->number;
      --left_;
    }
    return piece;
  }

 private:
  const observe::DecisionRing& ring_;
  const std::string pod_, uid_;
  size_t left_;
  uint64_t before_ = observe::DecisionRing::kNewest;
  bool first_ = true;
  bool ended_ = false;
};

}  // namespace

std::string_view DebugPages::Endpoints() const { return kEndpoints; }

void DebugPages::PostToDecision(net::EventLoop::Task task) const {
  sources_.decision.Post([alive = std::weak_ptr<bool>(alive_), task = std::move(task)]() mutable {
    if (!alive.expired()) task();
  });
}

DebugPages::Question DebugPages::Find(std::string_view path, std::string_view query) const {
  constexpr std::string_view kNode = "/debug/nodes/", kQuotaPod = "/debug/quotas/pods/", kPod = "/debug/pods/";
  if (path == "/debug/decisions") return Decisions(query);
  if (path == "/debug/nodes") return Nodes();
  if (path.starts_with(kNode)) return Node(PercentDecoded(path.substr(kNode.size())));
  if (path == "/debug/usage") return Usage(query);
  if (path == "/debug/reschedule" && sources_.reschedule)
    return {.ask = [this](const Answer& answer) { answer(Json(sources_.reschedule() + "\n")); }};
  if (path == "/debug/quotas") return Quotas(query);
  if (path.starts_with(kQuotaPod)) return PodQuota(path.substr(kQuotaPod.size()));
  if (path.starts_with(kPod)) return Pod(path.substr(kPod.size()));
  return {};
}

DebugPages::Question DebugPages::Decisions(std::string_view query) const {
  if (std::string key = UnknownKey(query, {"pod", "uid", "limit"}); !key.empty()) {
    return Wrong(Concat("no parameter is called ", key, "; there are pod, uid and limit"));
  }
  size_t limit = kDefaultDecisions;
  if (auto text = QueryValue(query, "limit")) {
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (error != std::errc() || end != text->data() + text->size() || limit == 0) {
      return Wrong(Concat("limit must be a number from 1, not \"", *text, "\""));
    }
  }
  auto pieces = std::make_shared<DecisionPieces>(sources_.decisions, QueryValue(query, "pod").value_or(""),
                                                 QueryValue(query, "uid").value_or(""), limit);
  return {.ask =
              [pieces](const Answer& answer) {
                net::Response response = Json(pieces->Next());
                response.more = [pieces](const net::NextPiece& next) { next(pieces->Next()); };
                answer(std::move(response));
              },
          .on_decision = false};
}

// Indexes hold still enough for slices.
DebugPages::Question DebugPages::Nodes() const {
  return {.ask = [this](const Answer& answer) {
    Begin(
        [this, next = cluster::NodeIndex{0}, first = true](std::string& out) mutable {
          const cluster::State& state = sources_.placement.state();
          if (next == 0) out = EncodeJsonUpToItems(admin_api::NodeListDocument());
          const size_t end = std::min<size_t>(state.NodeSlots(), next + kNodesPerSlice);
          for (; next < end; ++next) {
            if (state.NodeName(next).empty()) continue;
            if (!std::exchange(first, false)) out += ',';
            AppendJson(out, SummarizeNode(sources_.placement, next, sources_.resources));
          }
          const bool more = next < state.NodeSlots();
          if (!more) out += "]}\n";
          return more;
        },
        answer);
  }};
}

DebugPages::Question DebugPages::Node(std::string name) const {
  return {.ask = [this, name = std::move(name)](const Answer& answer) {
    std::vector<std::string> ignored;
    if (sources_.node_faults) ignored = sources_.node_faults(name);
    auto node = DescribeNode(sources_.placement, name, sources_.clock.Now(), sources_.resources, std::move(ignored));
    if (node) node->not_heard_of = NotHeard();
    if (node) return answer(Json(EncodeJson(*node) + "\n"));
    answer(Unknown(Concat("no Node called ", name, " is known; /debug/nodes lists all")));
  }};
}

DebugPages::Question DebugPages::Usage(std::string_view query) const {
  auto parsed = UsagePage::Parse(query, sources_.placement.options(), sources_.resources);
  if (!parsed.ok()) return Wrong(std::string(Message(parsed.status())));
  auto page = std::make_shared<UsagePage>(*std::move(parsed));
  return {.ask = [this, page](const Answer& answer) { CollectUsage(page, answer); }};
}

// Which nodes are used most is known when all were looked at; their rows are then sent piece by piece.
void DebugPages::CollectUsage(const std::shared_ptr<UsagePage>& page, const Answer& answer) const {
  const Time now = sources_.clock.Now();
  if (page->Step(sources_.placement, sources_.resources, now)) {
    return PostToDecision([this, page, answer] { CollectUsage(page, answer); });
  }
  net::Response response = Json(page->Begin(sources_.placement, now));
  response.more = [page](const net::NextPiece& next) { next(page->NextRows(kPiece)); };
  answer(std::move(response));
}

DebugPages::Question DebugPages::Quotas(std::string_view query) const {
  if (std::string key = UnknownKey(query, {"group", "package"}); !key.empty()) {
    return Wrong(Concat("no parameter is called ", key, "; there are group and package"));
  }
  auto parsed = QuotaPackages::Parse(query, sources_.placement.options().quota.keys, sources_.resources);
  if (!parsed.ok()) return Wrong(std::string(Message(parsed.status())));
  auto packages = std::make_shared<QuotaPackages>(*std::move(parsed));
  return {.ask = [this, packages, group = QueryValue(query, "group").value_or("")](const Answer& answer) {
    const quota::Account* account = sources_.placement.quota();
    if (account && !group.empty() && !account->tree().groups().contains(group)) {
      return answer(Unknown(Concat("no group called ", group, " is known; /debug/quotas lists all")));
    }
    CountPackages(packages, group, answer);
  }};
}

void DebugPages::CountPackages(const std::shared_ptr<QuotaPackages>& packages, const std::string& group,
                               const Answer& answer) const {
  if (packages->Step(sources_.placement, sources_.clock.Now())) {
    return PostToDecision([this, packages, group, answer] { CountPackages(packages, group, answer); });
  }
  const quota::Account* account = sources_.placement.quota();
  Begin([account, page = QuotaPage(EnforcementOf(sources_.placement), group, packages)](
            std::string& out) mutable { return page.Step(account ? &account->tree() : nullptr, out); },
        answer);
}

std::shared_ptr<const cluster::Pod> DebugPages::FindPod(const std::string& space, const std::string& name) const {
  auto pod = sources_.placement.state().FindPod(space, name);
  return pod ? pod : sources_.pods.Find(space, name);
}

std::vector<NotHeardOf> DebugPages::NotHeard() const {
  return sources_.not_heard_of ? sources_.not_heard_of() : std::vector<NotHeardOf>();
}

// `path`: NAMESPACE/NAME
DebugPages::Question DebugPages::PodQuota(std::string_view path) const {
  auto [space, name] = PodOf(path);
  if (space.empty() || name.empty()) return Wrong("a pod is asked for as /debug/quotas/pods/NAMESPACE/NAME");
  return {.ask = [this, space = std::move(space), name = std::move(name)](const Answer& answer) {
    const auto pod = FindPod(space, name);
    if (!pod) return answer(Unknown(Concat("no pod called ", space, "/", name, " is known")));
    Begin([this, page = PodQuotaPage(pod, NotHeard())](
              std::string& out) mutable { return page.Step(sources_.placement, out); },
          answer);
  }};
}

// `path`: NAMESPACE/NAME
DebugPages::Question DebugPages::Pod(std::string_view path) const {
  auto [space, name] = PodOf(path);
  if (space.empty() || name.empty()) return Wrong("a pod is asked for as /debug/pods/NAMESPACE/NAME");
  return {.ask = [this, space = std::move(space), name = std::move(name)](const Answer& answer) {
    auto pod = FindPod(space, name);
    if (!pod) return answer(Unknown(Concat("no pod called ", space, "/", name, " is known")));
    Begin(
        [this, page = PodPage(std::move(pod), NotHeard())](std::string& out) mutable {
          return page.Step(sources_.placement, sources_.pods, sources_.resources, sources_.clock.Now(), out);
        },
        answer);
  }};
}

void DebugPages::Begin(Slice slice, const Answer& answer) const {
  auto page = std::make_shared<Page>(Page{std::move(slice)});
  Continue(page, "", [this, page, answer](std::string piece) {
    net::Response response = Json(std::move(piece));
    response.more = [this, page](net::NextPiece next) {
      if (page->ended) return next("");
      PostToDecision([this, page, next = std::move(next)] { Continue(page, "", next); });
    };
    answer(std::move(response));
  });
}

// Decision thread. An empty piece would be the end, so slices of nothing are passed over.
void DebugPages::Continue(const std::shared_ptr<Page>& page, std::string piece,
                          const std::function<void(std::string)>& done) const {
  page->ended = !page->slice(piece);
  if (!piece.empty() || page->ended) return done(std::move(piece));
  PostToDecision([this, page, done] { Continue(page, "", done); });
}

}  // namespace huygens::admin
