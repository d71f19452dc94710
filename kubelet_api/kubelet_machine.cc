#include "kubelet_api/kubelet_machine.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace huygens::kubelet_api {

namespace {

using machine::SystemFiles;

constexpr std::string_view kCpus = "sys/devices/system/cpu";
constexpr std::string_view kNodes = "sys/devices/system/node";
constexpr int64_t kBytesOfKb = 1024;
constexpr int64_t kMostOfUint16 = 65535;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Go's strconv.Atoi and ParseUint: nothing but the number; Atoi also takes a sign.
std::optional<int64_t> Atoi(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && IsDigit(text[1])) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}
std::optional<int64_t> ParseUint(std::string_view text) {
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  return Atoi(text);
}

// The digits that `text` begins with, as a number.
std::optional<int64_t> LeadingNumber(std::string_view text) {
  return ParseUint(text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, IsDigit) - text.begin())));
}

// The first match of the regular expression "MemTotal:\\s*([0-9]+) kB".
std::optional<int64_t> MemTotal(std::string_view text) {
  constexpr std::string_view kKey = "MemTotal:", kUnit = " kB";
  for (size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    const std::string_view rest = ToStd(absl::StripLeadingAsciiWhitespace(ToAbsl(text.substr(at + kKey.size()))));
    const auto digits = static_cast<size_t>(std::ranges::find_if_not(rest, IsDigit) - rest.begin());
    if (digits > 0 && rest.substr(digits).starts_with(kUnit)) return LeadingNumber(rest);
  }
  return std::nullopt;
}

struct NumberedPath {
  int64_t id = 0;
  std::string path;
};

// filepath.Glob(folder/PREFIX*[0-9]), with the number behind PREFIX of each.
StatusOr<std::vector<NumberedPath>> Glob(const SystemFiles& files, std::string_view folder, std::string_view prefix) {
  std::vector<NumberedPath> paths;
  StatusOr<std::vector<std::string>> names = files.Names(folder);
  if (!names.ok()) return paths;  // as Glob takes what it cannot read
  for (const std::string& name : *names) {
    if (name.size() == prefix.size() || !name.starts_with(prefix) || !IsDigit(name.back())) continue;
    const std::optional<int64_t> id = LeadingNumber(std::string_view(name).substr(prefix.size()));
    const std::string path = Concat(folder, "/", name);
    if (!id) return Invalid(Concat(files.Path(path), ": kubelet expects a number behind ", prefix));
    paths.push_back({*id, path});
  }
  return paths;
}

// A file with a number of any sign; unset if it is not there.
StatusOr<std::optional<int64_t>> ReadNumber(const SystemFiles& files, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> text, files.Trimmed(path));
  if (!text) return std::optional<int64_t>();
  const std::optional<int64_t> number = Atoi(*text);
  if (!number) return files.Unusable(path, *text, "not a number for kubelet");
  return number;
}

// Whether the list of CPUs online has `cpu`, as far as kubelet reads it: up to the first match. What it cannot read is
// offline to it.
bool ListHas(std::string_view list, int64_t cpu) {
  if (list.empty()) return false;
  for (const absl::string_view piece : absl::StrSplit(ToAbsl(list), ',')) {
    const std::string_view range = ToStd(piece);
    const size_t dash = range.find('-');
    const std::optional<int64_t> first = ParseUint(range.substr(0, dash));
    const std::optional<int64_t> last = dash == std::string_view::npos ? first : ParseUint(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last > kMostOfUint16) return false;
    if (cpu >= *first && cpu <= *last) return true;
  }
  return false;
}

class Reader {
 public:
  Reader(const SystemFiles& files, KubeletBuild build) : files_(files), build_(build) {}

  StatusOr<KubeletMachine> Read() {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<NumberedPath> nodes, Glob(files_, kNodes, "node"));
    if (nodes.empty()) return ReadPackages();
    KubeletMachine machine;
    for (const NumberedPath& each : nodes) {
      HUYGENS_ASSIGN_OR_RETURN(KubeletNode node, ReadNode(each));
      for (const KubeletCore& core : node.cores.value_or(std::vector<KubeletCore>())) {
        machine.logical_cpus += static_cast<int64_t>(core.cpus.size());
      }
      machine.nodes.push_back(std::move(node));
    }
    return machine;
  }

 private:
  StatusOr<KubeletNode> ReadNode(const NumberedPath& at) {
    KubeletNode node{.id = at.id};
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<NumberedPath> cpus, Glob(files_, at.path, "cpu"));
    if (!cpus.empty()) {
      HUYGENS_ASSIGN_OR_RETURN(node.cores, ReadCores(cpus));
    }
    const std::string meminfo = Concat(at.path, "/meminfo"), distance = Concat(at.path, "/distance");
    if (const std::optional<std::string> text = Readable(meminfo)) {
      const std::optional<int64_t> kb = MemTotal(*text);
      if (!kb) return files_.Unusable(meminfo, *text, "without a MemTotal that kubelet understands");
      node.memory_bytes = *kb * kBytesOfKb;
    }
    HUYGENS_ASSIGN_OR_RETURN(node.huge_pages, ReadHugePages(Concat(at.path, "/hugepages")));
    const std::optional<std::string> row = Readable(distance);
    if (!row) return node;
    node.distances.emplace();
    for (const absl::string_view word : absl::StrSplit(ToAbsl(*row), ' ')) {
      const std::optional<int64_t> number = ParseUint(ToStd(word));
      if (!number) return files_.Unusable(distance, *row, "not a row of distances for kubelet");
      node.distances->push_back(*number);
    }
    return node;
  }

  // Kubelet goes on without the memory and the distances of a node that it cannot read.
  std::optional<std::string> Readable(const std::string& path) {
    StatusOr<std::optional<std::string>> text = files_.Trimmed(path);
    return text.ok() ? *std::move(text) : std::nullopt;
  }

  StatusOr<KubeletMachine> ReadPackages() {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<NumberedPath> cpus, Glob(files_, kCpus, "cpu"));
    if (cpus.empty()) return NotFound(Concat(files_.Path(kCpus), ": kubelet finds no CPU there"));
    std::map<int64_t, std::vector<NumberedPath>> packages;
    for (const NumberedPath& cpu : cpus) {
      HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> package,
                               ReadNumber(files_, Concat(cpu.path, "/topology/physical_package_id")));
      if (package) packages[*package].push_back(cpu);
    }
    KubeletMachine machine{.logical_cpus = static_cast<int64_t>(cpus.size())};
    for (const auto& [package, own] : packages) {
      KubeletNode node{.id = package};
      HUYGENS_ASSIGN_OR_RETURN(node.cores, ReadCores(own));
      machine.nodes.push_back(std::move(node));
    }
    return machine;
  }

  StatusOr<std::vector<KubeletCore>> ReadCores(const std::vector<NumberedPath>& cpus) {
    std::vector<KubeletCore> cores;
    for (const NumberedPath& cpu : cpus) {
      if (!IsOnline(cpu.id)) continue;
      const std::string topology = Concat(cpu.path, "/topology/");
      HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> id, ReadNumber(files_, Concat(topology, "core_id")));
      if (!id) continue;
      HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> package,
                               ReadNumber(files_, Concat(topology, "physical_package_id")));
      if (!package) continue;
      KubeletCore core{.id = *id, .package = *package};
      if (build_ == KubeletBuild::kS390x) {
        HUYGENS_ASSIGN_OR_RETURN(std::optional<std::string> book, files_.Trimmed(Concat(topology, "book_id")));
        HUYGENS_ASSIGN_OR_RETURN(std::optional<std::string> drawer, files_.Trimmed(Concat(topology, "drawer_id")));
        if (!book || !drawer) continue;
        core.book = *std::move(book);
        core.drawer = *std::move(drawer);
      }
      const auto known = std::ranges::find_if(cores, [&](const KubeletCore& other) {
        return other.id == core.id && other.package == core.package && other.book == core.book &&
               other.drawer == core.drawer;
      });
      if (known != cores.end()) {
        known->cpus.push_back(cpu.id);
      } else {
        core.cpus.push_back(cpu.id);
        cores.push_back(std::move(core));
      }
    }
    return cores;
  }

  // Without the list all CPUs are online; with one that cannot be read none is.
  bool IsOnline(int64_t cpu) {
    if (!online_) online_ = files_.Trimmed(Concat(kCpus, "/online"));
    if (!online_->ok()) return false;
    const std::optional<std::string>& list = **online_;
    return !list || ListHas(*list, cpu);
  }

  StatusOr<std::vector<KubeletHugePages>> ReadHugePages(const std::string& folder) {
    std::vector<KubeletHugePages> all;
    StatusOr<std::vector<std::string>> names = files_.Names(folder);
    if (!names.ok()) return all;
    for (const std::string& name : *names) {
      const std::vector<std::string> parts = absl::StrSplit(name, '-');
      const std::string size = parts.size() < 2 ? "" : parts[1].substr(0, parts[1].find("kB"));
      const std::optional<int64_t> page_kb = ParseUint(size);
      const std::string path = Concat(folder, "/", name, "/nr_hugepages");
      if (!page_kb) return Invalid(Concat(files_.Path(folder), " holds ", name, ", which kubelet does not understand"));
      HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> text, files_.Trimmed(path));
      if (!text) return NotFound(Concat(files_.Path(path), " is not there, and kubelet wants it"));
      const std::optional<int64_t> count = LeadingNumber(*text);
      if (!count) return files_.Unusable(path, *text, "not a number for kubelet");
      all.push_back({*page_kb, *count});
    }
    return all;
  }

  const SystemFiles& files_;
  const KubeletBuild build_;
  std::optional<StatusOr<std::optional<std::string>>> online_;  // cpu/online, once read
};

}  // namespace

KubeletBuild OwnKubeletBuild() {
#ifdef __s390x__
  return KubeletBuild::kS390x;
#else
  return KubeletBuild::kOther;
#endif
}

StatusOr<KubeletMachine> ReadKubeletMachine(const machine::SystemFiles& files, KubeletBuild build) {
  return Reader(files, build).Read();
}

}  // namespace huygens::kubelet_api
