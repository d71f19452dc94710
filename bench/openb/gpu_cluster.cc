#include "bench/openb/gpu_cluster.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "replay/gzip_file.h"

namespace huygens::openb {
namespace {

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t comma; (comma = line.find(',')) != std::string_view::npos; line.remove_prefix(comma + 1)) {
    cells.push_back(line.substr(0, comma));
  }
  cells.push_back(line);
  return cells;
}

int64_t Number(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Calls `read` with the cells of each line but the first; false: the line makes no sense.
template <typename Read>
Status ReadLines(const std::string& path, size_t cells, Read read) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, replay::ReadGzip(path));
  size_t number = 1;
  for (size_t from = text.find('\n') + 1; from < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::vector<std::string_view> found = Split(std::string_view(text).substr(from, end - from));
    if (found.size() < cells || !read(found)) {
      return Invalid(Concat(path, ": line ", std::to_string(number + 1), " is not one of this trace"));
    }
    from = end + 1;
  }
  return absl::OkStatus();
}

bool TakesModel(const Pod& pod, std::string_view model) {
  if (pod.models.empty()) return true;
  return Concat("|", pod.models, "|").find(Concat("|", model, "|")) != std::string::npos;
}

}  // namespace

int64_t Node::FreeGpu() const { return std::accumulate(free_gpu.begin(), free_gpu.end(), int64_t{0}); }

StatusOr<std::vector<Node>> ReadNodes(const std::string& path) {
  std::vector<Node> nodes;
  HUYGENS_RETURN_IF_ERROR(ReadLines(path, 5, [&](const std::vector<std::string_view>& cells) {
    Node node{.name = std::string(cells[0]), .model = std::string(cells[4])};
    node.cpu = node.free_cpu = Number(cells[1]);
    node.memory = node.free_memory = Number(cells[2]);
    node.gpus = static_cast<size_t>(Number(cells[3]));
    if (node.cpu < 0 || node.memory < 0 || node.gpus > kMostGpus) return false;
    std::fill_n(node.free_gpu.begin(), node.gpus, kWholeGpu);
    nodes.push_back(std::move(node));
    return true;
  }));
  return nodes;
}

StatusOr<std::vector<Pod>> ReadPods(const std::string& path) {
  std::vector<Pod> pods;
  HUYGENS_RETURN_IF_ERROR(ReadLines(path, 5, [&](const std::vector<std::string_view>& cells) {
    Pod pod{.cpu = Number(cells[1]), .memory = Number(cells[2]), .gpus = static_cast<size_t>(Number(cells[3]))};
    pod.share = pod.gpus == 0 ? 0 : Number(cells[4]);
    if (cells.size() > 5) pod.models = std::string(cells[5]);
    if (pod.cpu < 0 || pod.memory < 0 || pod.gpus > kMostGpus || pod.share < 0 || pod.share > kWholeGpu) return false;
    pods.push_back(std::move(pod));
    return true;
  }));
  return pods;
}

bool Fits(const Node& node, const Pod& pod) {
  if (node.free_cpu < pod.cpu || node.free_memory < pod.memory) return false;
  if (pod.gpus == 0) return true;
  const auto enough =
      std::count_if(node.free_gpu.begin(), node.free_gpu.begin() + static_cast<std::ptrdiff_t>(node.gpus),
                    [&](int64_t free) { return free >= pod.share; });
  return static_cast<size_t>(enough) >= pod.gpus && TakesModel(pod, node.model);
}

void Take(Node& node, const Pod& pod, std::optional<size_t> gpu) {
  node.free_cpu -= pod.cpu;
  node.free_memory -= pod.memory;
  if (gpu) {
    node.free_gpu[*gpu] -= pod.share;
    return;
  }
  for (size_t left = pod.gpus; left > 0; --left) {
    int64_t* least = nullptr;
    for (size_t i = 0; i < node.gpus; ++i) {
      int64_t& free = node.free_gpu[i];
      if (free >= pod.share && (least == nullptr || free < *least)) least = &free;
    }
    *least -= pod.share;
  }
}

std::vector<Kind> KindsOf(const std::vector<Pod>& pods, size_t most) {
  std::map<std::tuple<int64_t, size_t, int64_t>, double> counts;
  for (const Pod& pod : pods) ++counts[{pod.cpu, pod.gpus, pod.share}];
  std::vector<Kind> kinds;
  kinds.reserve(counts.size());
  for (const auto& [asked, count] : counts) {
    kinds.push_back({{.cpu = std::get<0>(asked), .gpus = std::get<1>(asked), .share = std::get<2>(asked)}, count});
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.share > b.share; });
  kinds.resize(std::min(kinds.size(), most));
  double sum = 0;
  for (const Kind& kind : kinds) sum += kind.share;
  for (Kind& kind : kinds) kind.share /= sum;
  return kinds;
}

double Fragmentation(const Node& node, const std::vector<Kind>& kinds) {
  const auto free = static_cast<double>(node.FreeGpu());
  if (free == 0) return 0;
  double fragmentation = 0;
  for (const Kind& kind : kinds) {
    if (kind.pod.gpus == 0 || !Fits(node, kind.pod)) {
      fragmentation += kind.share * free;
      continue;
    }
    double unusable = 0;
    for (const int64_t each : node.free_gpu) unusable += each < kind.pod.share ? static_cast<double>(each) : 0;
    fragmentation += kind.share * unusable;
  }
  return fragmentation;
}

}  // namespace huygens::openb
