#include "quota/node_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/nearest_name.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

std::string LabelOf(const cluster::Node& node, std::string_view key) {
  auto at = std::lower_bound(node.labels.begin(), node.labels.end(), key,
                             [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  return at != node.labels.end() && at->first == key ? at->second : std::string();
}

// In the order of Models.
std::array<std::string_view, 3> WantedOf(const cluster::QuotaLabels& labels) {
  return {labels.cpu_model, labels.gpu_model, labels.memory_model};
}

// "A4 on 3 nodes, missing on 1 node"
std::string Listed(const std::map<std::string_view, size_t>& nodes_by_model) {
  constexpr size_t kMost = 5;
  std::string text;
  size_t shown = 0;
  for (const auto& [model, nodes] : nodes_by_model) {
    if (++shown > kMost) return Concat(text, " and ", std::to_string(nodes_by_model.size() - kMost), " more");
    text += Concat(text.empty() ? "" : ", ", model.empty() ? "missing" : model, " on ", std::to_string(nodes),
                   nodes == 1 ? " node" : " nodes");
  }
  return text;
}

// Models in the order of NodeModels::Models: those named, and the node's where they say more.
cluster::QuotaLabels ChargedTo(const cluster::QuotaLabels& labels, const std::array<std::string, 3>& node) {
  const auto pick = [](const std::string& named, const std::string& has) {
    return named.empty() || IsGeneralTo(named, has) ? has : named;
  };
  return {"", pick(labels.cpu_model, node[0]), pick(labels.gpu_model, node[1]), pick(labels.memory_model, node[2])};
}

// As a whole, or the general name of several; empty if none is near.
std::string_view NearestModel(std::string_view wanted, const std::map<std::string_view, size_t>& models) {
  std::set<std::string_view> names;
  for (const auto& [model, nodes] : models) {
    names.insert(model);
    names.insert(model.substr(0, model.find('.')));
  }
  names.erase("");
  const std::vector<std::string_view> all(names.begin(), names.end());
  return NearestName(wanted, all);
}

// "cpu model A4, memory model DDR5"
std::string Named(const std::array<std::string, 3>& models) {
  constexpr std::array<std::string_view, 3> kKinds = {"cpu", "gpu", "memory"};
  std::string text;
  for (size_t kind = 0; kind < models.size(); ++kind) {
    if (!models[kind].empty()) text += Concat(text.empty() ? "" : ", ", kKinds[kind], " model ", models[kind]);
  }
  return text;
}

}  // namespace

NodeModels::Models NodeModels::ModelsOf(const cluster::Node* object) const {
  if (!object) return {};
  return {LabelOf(*object, keys_.cpu), LabelOf(*object, keys_.gpu), LabelOf(*object, keys_.memory)};
}

bool NodeModels::Differs(cluster::NodeIndex node, const cluster::Node* object) const {
  const uint32_t number = node < numbers_.size() ? numbers_[node] : 0;
  return combinations_[number].models != ModelsOf(object);
}

void NodeModels::Set(cluster::NodeIndex node, const cluster::Node* object) {
  if (numbers_.size() <= node) {
    combinations_.front().nodes += node + 1 - numbers_.size();
    numbers_.resize(node + 1);
  }
  const Models models = ModelsOf(object);
  uint32_t& number = numbers_[node];
  if (combinations_[number].models == models) return;
  --combinations_[number].nodes;
  number = NumberOf(models);
  ++combinations_[number].nodes;
}

uint32_t NodeModels::NumberOf(const Models& models) {
  auto at = std::find_if(combinations_.begin(), combinations_.end(),
                         [&](const Combination& each) { return each.nodes > 0 && each.models == models; });
  if (at == combinations_.end()) {
    at = std::find_if(combinations_.begin(), combinations_.end(),
                      [](const Combination& each) { return each.nodes == 0; });
    if (at == combinations_.end()) at = combinations_.emplace(at);
    at->models = models;
  }
  return static_cast<uint32_t>(at - combinations_.begin());
}

cluster::QuotaLabels NodeModels::Charged(const cluster::QuotaLabels& labels, cluster::NodeIndex node) const {
  return ChargedTo(labels, combinations_[node < numbers_.size() ? numbers_[node] : 0].models);
}

void NodeModels::ForOthersCharged(
    const cluster::QuotaLabels& labels,
    absl::FunctionRef<void(size_t number, const cluster::QuotaLabels& models)> take) const {
  const WantedModels wanted = Wanted(labels);
  for (size_t number = 1; number < combinations_.size(); ++number) {
    if (combinations_[number].nodes == 0 || (wanted.Any() && !wanted.accepted_[number])) continue;
    const cluster::QuotaLabels models = ChargedTo(labels, combinations_[number].models);
    if (WantedOf(models) != WantedOf(labels)) take(number, models);
  }
}

std::vector<cluster::QuotaLabels> NodeModels::OthersCharged(const cluster::QuotaLabels& labels) const {
  std::vector<cluster::QuotaLabels> others;
  ForOthersCharged(labels, [&](size_t, const cluster::QuotaLabels& models) { others.push_back(models); });
  return others;
}

VerdictsByModel NodeModels::Judge(const cluster::QuotaLabels& labels,
                                  absl::FunctionRef<Verdict(const cluster::QuotaLabels& models)> verdict_on) const {
  VerdictsByModel result;
  ForOthersCharged(labels, [&](size_t number, const cluster::QuotaLabels& models) {
    Verdict verdict = verdict_on(models);
    if (verdict.fits()) return;
    result.at_.resize(combinations_.size());
    result.verdicts_.push_back(std::move(verdict));
    result.at_[number] = static_cast<uint32_t>(result.verdicts_.size());
  });
  if (result.Any()) result.numbers_ = numbers_;
  return result;
}

std::vector<uint32_t> VerdictsByModel::Refused() const {
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < at_.size(); ++number) {
    if (at_[number] != 0) numbers.push_back(number);
  }
  return numbers;
}

std::string NodeModels::Text(const VerdictsByModel& verdicts, std::string_view group,
                             std::span<const cluster::NodeIndex> nodes) const {
  constexpr size_t kMost = 3;
  struct Refusal {
    std::string why;
    size_t nodes = 0;
    Models models;  // that all of these nodes are of
  };
  std::vector<size_t> counts(combinations_.size());  // of these nodes
  for (const cluster::NodeIndex node : nodes) counts[numbers_[node]] += verdicts.On(node) != nullptr ? 1 : 0;
  std::vector<Refusal> refusals;
  for (size_t number = 0; number < counts.size(); ++number) {
    if (counts[number] == 0) continue;
    const Models& models = combinations_[number].models;
    std::string why = quota::Text(verdicts.verdicts_[verdicts.at_[number] - 1], group);
    auto same = std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& each) { return each.why == why; });
    if (same == refusals.end()) same = refusals.insert(same, {std::move(why), 0, models});
    same->nodes += counts[number];
    for (size_t kind = 0; kind < models.size(); ++kind) {
      if (same->models[kind] != models[kind]) same->models[kind].clear();
    }
  }
  std::string text;
  for (size_t i = 0; i < refusals.size(); ++i) {
    if (i == kMost) return Concat(text, "; and more");
    const std::string models = Named(refusals[i].models);
    text += Concat(i == 0 ? "" : "; ", refusals[i].why, " (", std::to_string(refusals[i].nodes),
                   refusals[i].nodes == 1 ? " node" : " nodes", models.empty() ? "" : " of ", models, ")");
  }
  return text;
}

WantedModels NodeModels::Wanted(const cluster::QuotaLabels& labels) const {
  const auto wanted = WantedOf(labels);
  WantedModels result;
  if (std::all_of(wanted.begin(), wanted.end(), [](std::string_view model) { return model.empty(); })) return result;
  result.numbers_ = numbers_;
  for (const Combination& each : combinations_) {
    result.accepted_.push_back(std::equal(
        wanted.begin(), wanted.end(), each.models.begin(),
        [](std::string_view model, std::string_view has) { return model.empty() || IsGeneralTo(model, has); }));
  }
  return result;
}

std::string NodeModels::Explain(const cluster::QuotaLabels& labels, std::span<const cluster::NodeIndex> nodes) const {
  constexpr std::array<std::string_view, 3> kPodLabels = {"/cpu-type", "/gpu-type", "/memory-type"};
  const std::array<std::string_view, 3> node_labels = {keys_.cpu, keys_.gpu, keys_.memory};
  const auto wanted = WantedOf(labels);
  std::vector<size_t> counts(combinations_.size());  // of these nodes
  for (cluster::NodeIndex node : nodes) ++counts[numbers_[node]];
  std::string text;
  for (size_t kind = 0; kind < wanted.size(); ++kind) {
    if (wanted[kind].empty()) continue;
    std::map<std::string_view, size_t> others;
    bool there = false;
    for (size_t number = 0; number < counts.size(); ++number) {
      const std::string& has = combinations_[number].models[kind];
      if (counts[number] == 0) continue;
      if (IsGeneralTo(wanted[kind], has)) {
        there = true;
      } else {
        others[has] += counts[number];
      }
    }
    if (others.empty()) continue;
    text += Concat(text.empty() ? "" : "; ", "the pod's label ", cluster::kQuotaGroupLabel, kPodLabels[kind], " wants ",
                   wanted[kind], ", the label ", node_labels[kind], " is ", Listed(others));
    const std::string_view nearest = there ? std::string_view() : NearestModel(wanted[kind], others);
    if (!nearest.empty()) text += Concat("; did you mean ", nearest, "?");
  }
  return text;
}

}  // namespace huygens::quota
