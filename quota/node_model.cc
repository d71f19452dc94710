#include "quota/node_model.h"

#include <algorithm>
#include <string_view>

#include "quota/keys.h"

namespace huygens::quota {
namespace {

bool HasModel(const cluster::Node& node, std::string_view key, std::string_view model) {
  if (model.empty()) return true;
  auto at = std::lower_bound(node.labels.begin(), node.labels.end(), key,
                             [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  return at != node.labels.end() && at->first == key && IsGeneralTo(model, at->second);
}

}  // namespace

bool HasModels(const cluster::Node& node, const cluster::QuotaLabels& labels, const NodeModelLabels& keys) {
  return HasModel(node, keys.cpu, labels.cpu_model) && HasModel(node, keys.gpu, labels.gpu_model) &&
         HasModel(node, keys.memory, labels.memory_model);
}

}  // namespace huygens::quota
