#include "replay/replay.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string_view>

#include "replay/anti_affinity.h"
#include "usage/workload.h"

namespace huygens::replay {

namespace {

using Amounts = std::array<std::vector<int64_t>, kTraceResources.size()>;  // by resource and point

constexpr Duration kPoint = std::chrono::minutes(15);
// A multiple of kPoints, so that point 0 is slot 0 of the window; some time in 2026.
constexpr int64_t kFirstSlot = int64_t{20'170} * static_cast<int64_t>(kPoints);
constexpr Time kEnd{(kFirstSlot + static_cast<int64_t>(kPoints)) * kPoint};

// Milli-cores and bytes; disk and the counts as they are.
double BaseUnit(size_t resource) {
  return resource == kTraceCpu ? 1000 : resource == kTraceMemory ? double{1 << 30} : 1;
}
int64_t InBaseUnits(double amount, size_t resource) {
  return static_cast<int64_t>(std::ceil(amount * BaseUnit(resource) - 1e-6));
}

size_t TroughOf(const Trace& trace) {
  std::vector<double> cpu(kPoints);
  for (uint32_t app : trace.instances) {
    for (size_t point = 0; point < kPoints; ++point) cpu[point] += trace.apps[app].use[kTraceCpu][point];
  }
  return static_cast<size_t>(std::min_element(cpu.begin(), cpu.end()) - cpu.begin());
}

std::vector<double> Known(const std::vector<double>& use, const ReplayOptions& options, size_t trough) {
  const double peak = *std::max_element(use.begin(), use.end());
  switch (options.knowledge) {
    case Knowledge::kCurves:
      return use;
    case Knowledge::kAtTrough:
      return std::vector<double>(kPoints, use[trough]);
    case Knowledge::kMean:
      return std::vector<double>(kPoints, std::accumulate(use.begin(), use.end(), 0.0) / double{kPoints});
    case Knowledge::kRequested:
      return std::vector<double>(kPoints, peak > 0 ? std::exp2(std::ceil(std::log2(peak))) / options.oversold : 0);
  }
  return use;
}

Amounts KnownOf(const App& app, const ReplayOptions& options, size_t trough) {
  Amounts amounts;
  for (size_t r = 0; r < amounts.size(); ++r) {
    std::vector<double> use = app.use[r];
    if (r == kTraceCpu || r == kTraceMemory) use = Known(use, options, trough);
    for (double amount : use) amounts[r].push_back(InBaseUnits(amount, r));
  }
  return amounts;
}

class Replayer {
 public:
  Replayer(const Trace& trace, const ReplayOptions& options)
      : trace_(trace),
        options_(options),
        affinity_(trace),
        asked_(RequestsOf(trace, options.requests)),
        given_(trace.machines.size()) {}

  StatusOr<Assignment> Run() {
    HUYGENS_RETURN_IF_ERROR(Build());
    AddMachines();
    TellHistory();
    std::vector<uint32_t> arrivals(trace_.instances.size());
    std::iota(arrivals.begin(), arrivals.end(), 0);
    // std::shuffle is not the same everywhere.
    std::mt19937_64 dice(options_.seed);
    for (size_t i = arrivals.size(); i > 1; --i) std::swap(arrivals[i - 1], arrivals[dice() % i]);

    first_open_.resize(trace_.apps.size());
    Assignment assignment(trace_.instances.size());
    for (uint32_t instance : arrivals) {
      const uint32_t app = trace_.instances[instance];
      const auto pod = PodOf(instance);
      const std::optional<uint32_t> place = options_.terms.empty() ? FirstFit(*pod, app) : Best(*pod, app);
      if (!place) continue;
      const uint32_t machine = order_[*place];
      HUYGENS_ASSIGN_OR_RETURN(auto reservation, placement_->Reserve(pod, trace_.machines[machine].name, kEnd));
      if (!reservation.Accepted()) return absl::InternalError("a machine that passed the filter was refused at bind");
      assignment[instance] = machine;
      if (options_.anti_affinity) affinity_.Place(app, machine);
      for (size_t r = 0; r < kTraceResources.size(); ++r) given_[machine][r] += asked_[app][r];
    }
    return assignment;
  }

 private:
  Status Build() {
    placement::Options options;
    if (options_.usage_check) options.checks = {"usage"};
    options.terms = options_.terms;
    options.narrow_to = 1;
    options.usage.estimator = options_.estimator;
    options.usage.slot = kPoint;
    options.usage.slots = kPoints;
    for (size_t r = 0; r < kTraceResources.size(); ++r) {
      HUYGENS_ASSIGN_OR_RETURN(const ResourceId id, names_.Intern(kTraceResources[r]));
      options.usage.resources.push_back({.name = kTraceResources[r],
                                         .resource = id,
                                         .ceiling = r == kTraceCpu ? options_.cpu_ceiling : usage::kMillion});
    }
    resources_ = options.usage.resources;
    HUYGENS_ASSIGN_OR_RETURN(placement_, placement::Placement::Create(std::move(options)));
    return absl::OkStatus();
  }

  void AddMachines() {
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListBegin{kind});
    for (const Machine& machine : trace_.machines) {
      ResourceVector allocatable;
      for (size_t r = 0; r < resources_.size(); ++r) {
        allocatable.Set(resources_[r].resource, InBaseUnits(machine.capacity[r], r));
      }
      placement_->Apply(cluster::NodeSet{{.name = machine.name, .uid = machine.name, .allocatable = allocatable}});
    }
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListEnd{kind});

    order_.resize(trace_.machines.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return trace_.machines[a].capacity[kTraceCpu] > trace_.machines[b].capacity[kTraceCpu];
    });
    order_.resize(std::min(order_.size(), options_.machines));
    nodes_.reserve(order_.size());
    for (uint32_t machine : order_) nodes_.push_back(*placement_->state().FindNode(trace_.machines[machine].name));
  }

  // As a source that fills in a week: slot by slot, in pieces.
  void TellHistory() {
    const size_t trough = TroughOf(trace_);
    std::vector<Amounts> known;
    known.reserve(trace_.apps.size());
    for (const App& app : trace_.apps) known.push_back(KnownOf(app, options_, trough));
    for (size_t r = 0; r < resources_.size(); ++r) {
      for (size_t point = 0; point < kPoints; ++point) {
        usage::Readings readings{.resource = r, .slot = kFirstSlot + static_cast<int64_t>(point), .measured = kEnd};
        for (size_t app = 0; app < known.size(); ++app) {
          readings.workloads.push_back({WorkloadOf(app), known[app][r][point]});
          if (readings.workloads.size() < usage::kReadingsPerBatch && app + 1 < known.size()) continue;
          placement_->ApplyUsage(readings, kEnd);
          readings.workloads.clear();
        }
      }
    }
    placement_->SettleUsage();
  }

  std::string WorkloadOf(size_t app) const {
    return usage::WorkloadOf("trace", "", "Application", trace_.apps[app].name, "");
  }

  std::shared_ptr<const cluster::Pod> PodOf(uint32_t instance) const {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = pod->uid = Concat("instance-", std::to_string(instance));
    pod->namespace_name = "trace";
    pod->owner_kind = "Application";
    pod->owner_name = trace_.apps[trace_.instances[instance]].name;
    return pod;
  }

  // Places in order_ that may have room: nobody leaves, so a machine that was too full for an application once stays
  // so.
  std::vector<uint32_t> Allowed(uint32_t app) const {
    std::vector<bool> forbidden(trace_.machines.size());
    if (options_.anti_affinity) {
      for (uint32_t machine : affinity_.ForbiddenFor(app)) forbidden[machine] = true;
    }
    std::vector<uint32_t> places;
    for (uint32_t place = first_open_[app]; place < order_.size(); ++place) {
      if (!forbidden[order_[place]] && HasRoom(order_[place], app)) places.push_back(place);
    }
    return places;
  }

  // As kube-scheduler judges, by requests alone.
  bool HasRoom(uint32_t machine, uint32_t app) const {
    constexpr double kRounding = 1e-9;
    for (size_t r = 0; r < kTraceResources.size(); ++r) {
      if (given_[machine][r] + asked_[app][r] > trace_.machines[machine].capacity[r] + kRounding) return false;
    }
    return true;
  }

  std::optional<uint32_t> FirstFit(const cluster::Pod& pod, uint32_t app) {
    constexpr size_t kAtOnce = 64;
    const std::vector<uint32_t> places = Allowed(app);
    std::vector<cluster::NodeIndex> nodes;
    for (size_t begin = 0; begin < places.size(); begin += kAtOnce) {
      nodes.clear();
      for (size_t i = begin; i < std::min(begin + kAtOnce, places.size()); ++i) nodes.push_back(nodes_[places[i]]);
      const std::optional<cluster::NodeIndex> first = placement_->FirstFit(pod, nodes, kEnd);
      if (!first) continue;
      const auto at = static_cast<size_t>(std::find(nodes.begin(), nodes.end(), *first) - nodes.begin());
      return first_open_[app] = places[begin + at];
    }
    first_open_[app] = static_cast<uint32_t>(order_.size());
    return std::nullopt;
  }

  std::optional<uint32_t> Best(const cluster::Pod& pod, uint32_t app) {
    const std::vector<uint32_t> places = Allowed(app);
    const auto there = std::lower_bound(places.begin(), places.end(), options_.grow ? in_cluster_ : order_.size());
    std::vector<std::string_view> names;
    for (auto place = places.begin(); place != there; ++place) names.push_back(trace_.machines[order_[*place]].name);
    const placement::FilterAnswer answer = placement_->Filter(pod, names, kEnd);
    if (!answer.feasible.empty()) return places[answer.feasible.front()];
    for (auto place = there; place != places.end(); ++place) {
      if (!placement_->FirstFit(pod, {&nodes_[*place], 1}, kEnd)) continue;
      in_cluster_ = *place + 1;
      return *place;
    }
    return std::nullopt;
  }

  const Trace& trace_;
  const ReplayOptions& options_;
  AntiAffinity affinity_;
  std::vector<Asked> asked_;  // by application
  std::vector<Asked> given_;  // by machine: what its instances ask for
  ResourceNames names_;
  std::vector<usage::ResourceOptions> resources_;
  std::unique_ptr<placement::Placement> placement_;
  std::vector<uint32_t> order_;            // machines, as they are offered
  std::vector<cluster::NodeIndex> nodes_;  // of these
  std::vector<uint32_t> first_open_;       // by application: the first place in order_ that may have room
  size_t in_cluster_ = 0;                  // of order_, so many have been added, where the cluster grows
};

}  // namespace

StatusOr<Assignment> Replay(const Trace& trace, const ReplayOptions& options) { return Replayer(trace, options).Run(); }

}  // namespace huygens::replay
