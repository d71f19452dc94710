// How well GPUs are filled on the public openb trace: huygens' terms, which go by use, beside first fit, best fit, the
// dot product and fragmentation gradient descent (gpu_cluster.h names the paper).
//
// As in the paper pods are drawn from the trace until they ask for 1.3 times the GPUs that there are, and none leaves.
// Whether a node has room is judged alike for all; a share goes to the GPU that has least left (fragmentation gradient
// descent chooses it, too). Huygens knows no shares of GPUs: to its terms a node's GPUs are one amount.
//
// Usage: huygens_openb_bench FOLDER      the trace's files, gzipped
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>

#include "base/text.h"
#include "bench/openb/gpu_cluster.h"
#include "placement/placement.h"

namespace huygens::openb {
namespace {

constexpr double kArriving = 1.3;  // of the GPUs
constexpr size_t kKinds = 60;
constexpr uint64_t kSeeds = 3;
constexpr Time kNow{std::chrono::hours(24) * 365 * 56};

struct Choice {
  size_t node = 0;
  std::optional<size_t> gpu;
};

// Chooses among `candidates`, which all have room; there is at least one.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual Choice Choose(const std::vector<Node>& nodes, const std::vector<size_t>& candidates, const Pod& pod) = 0;
  virtual void Placed(const Node&, const Pod&) {}
};

// The node of the lowest figure, the first of several.
class Lowest final : public Policy {
 public:
  using Figure = std::function<double(const Node&, const Pod&)>;
  explicit Lowest(Figure figure) : figure_(std::move(figure)) {}
  Choice Choose(const std::vector<Node>& nodes, const std::vector<size_t>& candidates, const Pod& pod) override {
    Choice best;
    double lowest = std::numeric_limits<double>::infinity();
    for (const size_t candidate : candidates) {
      const double figure = figure_(nodes[candidate], pod);
      if (figure >= lowest) continue;
      lowest = figure;
      best.node = candidate;
    }
    return best;
  }

 private:
  Figure figure_;
};

class FragmentationGradientDescent final : public Policy {
 public:
  explicit FragmentationGradientDescent(std::vector<Kind> kinds) : kinds_(std::move(kinds)) {}
  Choice Choose(const std::vector<Node>& nodes, const std::vector<size_t>& candidates, const Pod& pod) override {
    now_.resize(nodes.size(), -1);
    Choice best;
    double lowest = std::numeric_limits<double>::infinity();
    for (const size_t candidate : candidates) {
      const Node& node = nodes[candidate];
      if (now_[candidate] < 0) now_[candidate] = Fragmentation(node, kinds_);
      const auto look = [&](std::optional<size_t> gpu) {
        Node after = node;
        Take(after, pod, gpu);
        const double more = Fragmentation(after, kinds_) - now_[candidate];
        if (more >= lowest) return;
        lowest = more;
        best = {candidate, gpu};
      };
      if (pod.gpus != 1 || pod.share == kWholeGpu) {
        look(std::nullopt);
        continue;
      }
      for (size_t gpu = 0; gpu < node.gpus; ++gpu) {
        if (node.free_gpu[gpu] >= pod.share) look(gpu);
      }
    }
    now_[best.node] = -1;
    return best;
  }

 private:
  std::vector<Kind> kinds_;
  std::vector<double> now_;  // by node; negative: it has changed
};

// The decision core's own scores. Nobody has a history, so that requests stand for use.
class Huygens final : public Policy {
 public:
  Huygens(const std::vector<Node>& nodes, std::vector<placement::WeightedTerm> terms) {
    const ResourceId gpu = *names_.Intern("nvidia.com/gpu");
    placement::Options options;
    options.checks = {};
    options.terms = std::move(terms);
    options.max_score = 1'000'000;
    for (placement::WeightedTerm& term : options.terms) {
      term.resource_weights = ResourceVector{{kCpu, 1000}, {kMemory, 1000}};
      term.resource_weights.Set(gpu, 1000);
    }
    options.usage.resources = {{.name = "cpu", .resource = kCpu, .ceiling = usage::kMillion},
                               {.name = "memory", .resource = kMemory, .ceiling = usage::kMillion},
                               {.name = "gpu", .resource = gpu, .ceiling = usage::kMillion}};
    gpu_ = gpu;
    placement_ = *placement::Placement::Create(std::move(options));
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListBegin{kind});
    for (const Node& node : nodes) {
      placement_->Apply(cluster::NodeSet{
          {.name = node.name,
           .uid = node.name,
           .allocatable = Amounts(node.cpu, node.memory, static_cast<int64_t>(node.gpus) * kWholeGpu)}});
    }
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListEnd{kind});
  }

  Choice Choose(const std::vector<Node>& nodes, const std::vector<size_t>& candidates, const Pod& pod) override {
    std::vector<std::string_view> names;
    names.reserve(candidates.size());
    for (const size_t candidate : candidates) names.push_back(nodes[candidate].name);
    const std::vector<int64_t> scores = placement_->Prioritize(*PodOf(pod, ""), names, kNow);
    return {candidates[static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())], {}};
  }
  void Placed(const Node& node, const Pod& pod) override { placement_->Apply(cluster::PodSet{PodOf(pod, node.name)}); }

 private:
  ResourceVector Amounts(int64_t cpu, int64_t memory, int64_t gpu) const {
    ResourceVector amounts{{kCpu, cpu}, {kMemory, memory << 20}};
    amounts.Set(gpu_, gpu);
    return amounts;
  }
  std::shared_ptr<const cluster::Pod> PodOf(const Pod& pod, const std::string& node) {
    auto made = std::make_shared<cluster::Pod>();
    made->namespace_name = "trace";
    made->name = made->uid = node.empty() ? "asks" : Concat("pod-", std::to_string(count_++));
    made->node_name = node;
    const ResourceVector amounts = Amounts(pod.cpu, pod.memory, pod.Gpu());
    made->containers.push_back({.name = "main", .requests = amounts, .limits = amounts});
    return made;
  }

  ResourceNames names_;
  ResourceId gpu_{};
  std::unique_ptr<placement::Placement> placement_;
  size_t count_ = 0;
};

struct Outcome {
  double allocated = 0;      // share of all GPUs, when as much has arrived as there is
  double in_the_end = 0;     // the same, in the end
  double first_refusal = 0;  // share allocated when the first pod with GPUs found no room
  double fragmentation =
      0;  // share of all GPUs that is free and of no use to the workload, when as much has arrived as there is
};

Outcome Play(std::vector<Node> nodes, const std::vector<Pod>& pods, const std::vector<Kind>& kinds, uint64_t seed,
             Policy& policy) {
  std::mt19937_64 dice(seed);
  double all = 0, arrived = 0, given = 0;
  for (const Node& node : nodes) all += static_cast<double>(node.FreeGpu());
  Outcome outcome;
  std::vector<size_t> candidates;
  bool measured = false;
  while (arrived < kArriving * all) {
    const Pod& pod = pods[dice() % pods.size()];
    arrived += static_cast<double>(pod.Gpu());
    candidates.clear();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (Fits(nodes[i], pod)) candidates.push_back(i);
    }
    if (candidates.empty()) {
      if (pod.gpus > 0 && outcome.first_refusal == 0) outcome.first_refusal = given / all;
    } else {
      const Choice choice = policy.Choose(nodes, candidates, pod);
      Take(nodes[choice.node], pod, choice.gpu);
      policy.Placed(nodes[choice.node], pod);
      given += static_cast<double>(pod.Gpu());
    }
    if (!measured && arrived >= all) {
      measured = true;
      outcome.allocated = given / all;
      for (const Node& node : nodes) outcome.fragmentation += Fragmentation(node, kinds) / all;
    }
  }
  outcome.in_the_end = given / all;
  return outcome;
}

using MakePolicy = std::function<std::unique_ptr<Policy>()>;

void Report(const char* what, const std::vector<Node>& nodes, const std::vector<Pod>& pods,
            const std::vector<Kind>& kinds, const MakePolicy& make) {
  std::vector<Outcome> outcomes;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::unique_ptr<Policy> policy = make();
    outcomes.push_back(Play(nodes, pods, kinds, seed, *policy));
  }
  const auto show = [&](double Outcome::* figure) {
    double least = 1, most = 0, sum = 0;
    for (const Outcome& outcome : outcomes) {
      least = std::min(least, outcome.*figure);
      most = std::max(most, outcome.*figure);
      sum += outcome.*figure;
    }
    std::printf("  %5.1f (%.1f to %.1f)", 100 * sum / static_cast<double>(outcomes.size()), 100 * least, 100 * most);
  };
  std::printf("%-40s", what);
  show(&Outcome::allocated);
  show(&Outcome::in_the_end);
  show(&Outcome::first_refusal);
  show(&Outcome::fragmentation);
  std::printf("\n");
  std::fflush(stdout);
}

int Run(const std::string& folder) {
  const auto nodes = ReadNodes(folder + "/openb_node_list_gpu_node.csv.gz");
  const auto pods = ReadPods(folder + "/openb_pod_list_default.csv.gz");
  for (const Status& status : {nodes.status(), pods.status()}) {
    if (!status.ok()) return std::fprintf(stderr, "%s\n", std::string(Message(status)).c_str()), 1;
  }
  const std::vector<Kind> kinds = KindsOf(*pods, kKinds);
  double most_cpu = 0;
  for (const Node& node : *nodes) most_cpu = std::max(most_cpu, static_cast<double>(node.cpu));
  constexpr double kMostGpu = static_cast<double>(kMostGpus * kWholeGpu);
  std::printf(
      "%zu nodes, pods drawn from %zu; GPUs in %%, mean of %d draws (least to most)\n%-40s  allocated in the end  at "
      "the first refusal  fragmented\n",
      nodes->size(), pods->size(), static_cast<int>(kSeeds), "");
  const auto report = [&](const char* what, const MakePolicy& make) { Report(what, *nodes, *pods, kinds, make); };
  report("first fit", [] { return std::make_unique<Lowest>([](const Node&, const Pod&) { return 0.0; }); });
  report("best fit", [&] {
    return std::make_unique<Lowest>([=](const Node& node, const Pod& pod) {
      return static_cast<double>(node.free_cpu - pod.cpu) / most_cpu +
             static_cast<double>(node.FreeGpu() - pod.Gpu()) / kMostGpu;
    });
  });
  report("dot product", [&] {
    return std::make_unique<Lowest>([=](const Node& node, const Pod& pod) {
      return static_cast<double>(node.free_cpu) / most_cpu * static_cast<double>(pod.cpu) / most_cpu +
             static_cast<double>(node.FreeGpu()) / kMostGpu * static_cast<double>(pod.Gpu()) / kMostGpu;
    });
  });
  report("fragmentation gradient descent", [&] { return std::make_unique<FragmentationGradientDescent>(kinds); });
  report("huygens: LeastUsed",
         [&] { return std::make_unique<Huygens>(*nodes, std::vector<placement::WeightedTerm>{{"LeastUsed", 1}}); });
  report("huygens: Balanced",
         [&] { return std::make_unique<Huygens>(*nodes, std::vector<placement::WeightedTerm>{{"Balanced", 1}}); });
  report("huygens: LeastUsed 2, Balanced 1", [&] {
    return std::make_unique<Huygens>(*nodes, std::vector<placement::WeightedTerm>{{"LeastUsed", 2}, {"Balanced", 1}});
  });
  return 0;
}

}  // namespace
}  // namespace huygens::openb

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: huygens_openb_bench FOLDER      the files of the openb trace\n");
    return 2;
  }
  return huygens::openb::Run(argv[1]);
}
