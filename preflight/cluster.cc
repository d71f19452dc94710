#include "preflight/cluster.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "base/text.h"
#include "base/waiter.h"
#include "kube/manifests.h"
#include "kube/reflector.h"
#include "quota/pod_usage.h"
#include "settings/placement_options.h"

namespace huygens::preflight {

namespace {

using cluster::Kind;
using kube::WatchState;

// Keeps what the reflectors deliver until the first LIST of each kind is done, or has failed for long enough.
class Collector final : public kube::WatchEventSink {
 public:
  void Deliver(kube::WatchEventBatch batch) override {
    const std::lock_guard lock(mutex_);
    auto& events = events_[static_cast<size_t>(batch.kind)];
    std::ranges::move(batch.events, std::back_inserter(events));
  }
  void Report(kube::WatchReport report) override {
    const std::lock_guard lock(mutex_);
    KindRead& kind = kinds_[static_cast<size_t>(report.kind)];
    // What was read stays read, whatever becomes of the watch.
    if (kind.state == WatchState::kSynced) return;
    kind.state = report.state;
    kind.why = std::move(report.why);
    changed_.notify_all();
  }
  void ObjectFault(Kind kind, std::string_view object, const Status& fault, bool in_use) override {
    if (in_use || fault.ok()) return;  // judged from the object itself
    const std::lock_guard lock(mutex_);
    unreadable_.push_back(Concat(Name(kind), " ", object, ": ", Message(fault)));
  }

  void Ask(Kind kind) { kinds_[static_cast<size_t>(kind)].asked = true; }
  void Await(const ReadOptions& options) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + options.list;
    changed_.wait_until(lock, end, [this] { return None(WatchState::kListing); });
    // A LIST that failed is tried again after a moment.
    changed_.wait_until(lock, std::min(end, std::chrono::steady_clock::now() + options.broken),
                        [this] { return None(WatchState::kListing) && None(WatchState::kBroken); });
  }
  void HandTo(Cluster& cluster) {
    cluster.kinds = kinds_;
    cluster.unreadable = std::move(unreadable_);
    std::set<std::string> pods;  // the UIDs of all that were there at any time
    for (auto& events : events_) {
      for (const cluster::WatchEvent& event : events) {
        if (const auto* set = std::get_if<cluster::PodSet>(&event)) pods.emplace(set->pod->uid);
        cluster.placement->Apply(event);
      }
      events.clear();
    }
    for (const std::string& uid : pods) {
      if (const auto pod = cluster.placement->state().FindPod(uid)) Count(pod, cluster);
    }
  }

 private:
  bool None(WatchState state) const {
    return std::ranges::none_of(kinds_, [&](const KindRead& kind) { return kind.asked && kind.state == state; });
  }
  static void Count(const std::shared_ptr<const cluster::Pod>& pod, Cluster& cluster) {
    if (pod->Terminal()) return;
    ++cluster.pods;
    if (!quota::Account::Counts(*pod)) return;
    GroupUse& use = cluster.groups[cluster::QuotaLabelsOf(*pod)->group];
    ++use.pods;
    if (!pod->Bound()) use.pending = pod;
  }

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::array<KindRead, cluster::kKindCount> kinds_;
  std::array<std::vector<cluster::WatchEvent>, cluster::kKindCount> events_;
  std::vector<std::string> unreadable_;
};

Status ReadApiServer(const net::ClientOptions& api_server, const ReadOptions& options, Cluster& cluster,
                     Collector& collector) {
  std::vector<std::unique_ptr<kube::Reflector>> reflectors;
  for (const Kind kind : cluster::kKinds) {
    if (!cluster.placement->Follows(kind)) continue;
    collector.Ask(kind);
    reflectors.push_back(std::make_unique<kube::Reflector>(kube::ResourceOf(kind, cluster.resources), api_server,
                                                           collector, std::make_unique<SteadyWaiter>(),
                                                           SystemRandom()));
  }
  for (const auto& reflector : reflectors) HUYGENS_RETURN_IF_ERROR(reflector->Start());
  collector.Await(options);
  for (const auto& reflector : reflectors) reflector->Stop();
  return absl::OkStatus();
}

Status ReadManifests(const std::string& directory, Cluster& cluster, Collector& collector) {
  for (const Kind kind : cluster::kKinds) {
    if (cluster.placement->Follows(kind)) collector.Ask(kind);
  }
  kube::ManifestDirectory manifests(directory, false, cluster.resources, quota::DefaultPod);
  HUYGENS_RETURN_IF_ERROR(manifests.Load(cluster.notices));
  manifests.Deliver(collector);
  for (const Kind kind : cluster::kKinds) collector.Report({.kind = kind, .state = WatchState::kSynced, .why = ""});
  return absl::OkStatus();
}

constexpr AddTo AddToCluster{Group::kCluster}, AddToQuota{Group::kQuota};

}  // namespace

bool Cluster::Knows(Kind kind) const {
  return Of(kind).state == WatchState::kSynced || Of(kind).state == WatchState::kAbsent;
}

bool Cluster::HasBudgetOfDevices() const {
  const quota::Account* account = placement->quota();
  return account && std::ranges::any_of(account->tree().groups(), [&](const auto& each) {
           return each.second.object && account->MindsDevices(each.second.object->hard);
         });
}

std::string Cluster::Unreachable() const {
  std::string why;
  for (const KindRead& kind : kinds) {
    if (!kind.asked) continue;
    if (kind.state == WatchState::kSynced || kind.state == WatchState::kAbsent) return "";
    if (kind.why.find("HTTP ") != std::string::npos) return "";
    if (why.empty()) why = kind.why;
  }
  return why.empty() ? "No answer came in time." : why;
}

StatusOr<std::unique_ptr<Cluster>> ReadCluster(const settings::Configuration& configuration,
                                               const net::ClientOptions* api_server, ReadOptions options) {
  auto cluster = std::make_unique<Cluster>();
  HUYGENS_ASSIGN_OR_RETURN(placement::Options placement, settings::PlacementOptions(configuration, cluster->resources));
  HUYGENS_ASSIGN_OR_RETURN(cluster->placement, placement::Placement::Create(std::move(placement)));
  Collector collector;
  if (api_server) {
    HUYGENS_RETURN_IF_ERROR(ReadApiServer(*api_server, options, *cluster, collector));
  } else {
    HUYGENS_RETURN_IF_ERROR(
        Annotate(ReadManifests(configuration.cluster.manifests->directory, *cluster, collector), "cluster.manifests"));
  }
  collector.HandTo(*cluster);
  const auto why = [&](Kind kind) {
    return cluster->Of(kind).state == WatchState::kForbidden ? cluster->Of(kind).why : std::string();
  };
  cluster->placement->SetUnreadable(why(Kind::kResourceClaim), why(Kind::kDeviceClass));
  return cluster;
}

Findings JudgeCluster(const Cluster& cluster, const settings::Configuration& configuration) {
  Findings findings;
  size_t read = 0, broken = 0;
  for (const Kind kind : cluster::kKinds) {
    const KindRead& of = cluster.Of(kind);
    if (!of.asked) continue;
    switch (of.state) {
      case WatchState::kSynced:
        ++read;
        break;
      case WatchState::kAbsent:
        if (kind == Kind::kBizGroupQuota) {
          AddToCluster(findings, Severity::kWarning, "there is no kind bizgroupresourcequotas.quota.huygens.dev",
                       "Pods with the label biz.group.resource.quota are refused, for no group exists.",
                       "kubectl apply -k config/crd\n"
                       "or leave quota out of filter.checks");
        } else {
          AddToCluster(findings, Severity::kOk, Concat("there is no kind ", Name(kind)), "It counts as empty.");
        }
        break;
      case WatchState::kForbidden:  // a permission that is asked about by itself
        break;
      case WatchState::kListing:
      case WatchState::kBroken:
        ++broken;
        AddToCluster(findings, Severity::kError, Concat("cannot list ", Name(kind)),
                     of.why.empty() ? "No answer came in time. huygens is not ready before the first list."
                                    : Concat(of.why, ". huygens is not ready before the first list."),
                     of.why.find("403") == std::string::npos ? "" : "kubectl apply -k config/rbac");
        break;
    }
  }
  if (cluster.Of(Kind::kCraneTopology).state == WatchState::kAbsent &&
      cluster.Of(Kind::kCommunityTopology).state == WatchState::kAbsent) {
    AddToCluster(findings, configuration.topology.nodes_without_topology_pass ? Severity::kWarning : Severity::kError,
                 "neither kind of NodeResourceTopology is installed",
                 "huygens knows no zones: pods that ask for them pass unchecked.",
                 "crane's: kubectl apply -k config/crd\n"
                 "the community's comes with its exporter, such as node-feature-discovery's topology updater");
  }
  if (broken == 0) {
    AddToCluster(findings, Severity::kOk,
                 Concat("read ", Counted(cluster.placement->state().NodeCount(), "node"), " and ",
                        Counted(cluster.pods, "unfinished pod"), ", ", Counted(read, "kind"), " of objects"));
  }
  if (!cluster.unreadable.empty()) {
    AddToCluster(findings, Severity::kWarning, Concat(Counted(cluster.unreadable.size(), "object"), " cannot be read"),
                 SomeOf(cluster.unreadable), "mend the objects; kubectl get KIND NAME -o yaml shows them");
  }
  for (const std::string& notice : cluster.notices) AddToCluster(findings, Severity::kWarning, notice);
  return findings;
}

Findings JudgeGroups(const Cluster& cluster) {
  Findings findings;
  const quota::Account* account = cluster.placement->quota();
  if (!account) return findings;
  // A list that failed, or did not end, says nothing about which groups there are and who names them.
  if (!cluster.Knows(Kind::kBizGroupQuota) || !cluster.Knows(Kind::kPod)) return findings;
  size_t pods = 0;
  for (const auto& [name, use] : cluster.groups) {
    pods += use.pods;
    const quota::Verdict standing = account->tree().Standing(name);
    if (!standing.fits()) {
      AddToQuota(findings, use.pending ? Severity::kError : Severity::kWarning,
                 Concat(Counted(use.pods, "pod"), " of group ", name, ": ", quota::Text(standing, name)),
                 use.pending ? Concat("They are refused; one that waits: ", use.pending->Key())
                             : "New pods of it are refused.",
                 standing.outcome == quota::Outcome::kNoGroup
                     ? Concat("create the group, or mend the label ", cluster::kQuotaGroupLabel, " of the pods:\n",
                              "kubectl get pods -A -l ", cluster::kQuotaGroupLabel, "=", name)
                     : Concat("kubectl get bizrq ", name, " -o yaml"));
      continue;
    }
    if (!use.pending) continue;
    const quota::Verdict verdict = cluster.placement->CheckQuota(*use.pending);
    if (verdict.fits()) continue;
    AddToQuota(findings, Severity::kWarning, Concat("pod ", use.pending->Key(), " waits: ", quota::Text(verdict, name)),
               "Its group refuses it, whatever the node.",
               Concat("huygens quota explain ", use.pending->Key(), "   # once it runs"));
  }
  if (findings.empty()) {
    AddToQuota(findings, Severity::kOk,
               pods == 0 ? "no pod names a business group"
                         : Concat(Counted(pods, "pod"), " of ", Counted(cluster.groups.size(), "business group"),
                                  ", all of which exist"));
  }
  return findings;
}

}  // namespace huygens::preflight
