#include "device_plugins/device_files.h"

#include <glob.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "device_plugins/run_commands.h"
#include "machine/system_files.h"

namespace huygens::device_plugins {
namespace {

constexpr Duration kWithoutCommand = std::chrono::minutes(5);

std::string Below(const std::string& root, std::string_view path) {
  return Concat(root.ends_with('/') ? std::string_view(root).substr(0, root.size() - 1) : root, path);
}

bool HasWildcard(std::string_view path) { return path.find_first_of("*?[") != path.npos; }

// Full paths below the root, in no particular order.
std::vector<std::string> Matches(const std::string& root, std::string_view pattern) {
  // A root of any name is to be taken as it is.
  std::string whole;
  for (const char c : Below(root, "")) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) whole += '\\';
    whole += c;
  }
  whole += pattern;
  glob_t found = {};
  std::vector<std::string> paths;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): it is where it asks for nobody's home
  if (glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

// The zone of the hardware behind a node: of the nearest of its parents in sysfs that knows one.
std::optional<int> ZoneOfNode(const std::string& root, const struct stat& node) {
  namespace fs = std::filesystem;
  const std::string link =
      Below(root, Concat("/sys/dev/", S_ISBLK(node.st_mode) ? "block/" : "char/", std::to_string(major(node.st_rdev)),
                         ":", std::to_string(minor(node.st_rdev))));
  std::error_code error;
  const fs::path top = fs::canonical(Below(root, "/sys"), error);
  if (error) return std::nullopt;
  for (fs::path at = fs::canonical(link, error); !error && at != top && at.has_relative_path(); at = at.parent_path()) {
    const fs::path below = at.lexically_relative(top);
    if (below.empty() || *below.begin() == "..") return std::nullopt;
    const auto zone = machine::SystemFiles(root).Number(Concat("sys/", below.string(), "/numa_node"));
    if (zone.ok() && *zone && **zone >= 0 && **zone <= machine::kMostId) return static_cast<int>(**zone);
  }
  return std::nullopt;
}

class DeviceFiles final : public DeviceSource {
 public:
  DeviceFiles(DeviceFileOptions options, std::function<Duration()> now)
      : options_(std::move(options)), now_(std::move(now)) {}

  StatusOr<std::vector<Device>> Look() override {
    std::map<std::string, std::string> paths;  // by id
    std::vector<Device> there;
    for (const std::string& pattern : options_.paths) {
      for (const std::string& found : Matches(options_.root, pattern)) {
        struct stat node = {};
        if (stat(found.c_str(), &node) != 0 || !(S_ISCHR(node.st_mode) || S_ISBLK(node.st_mode))) continue;
        const std::string path = found.substr(Below(options_.root, "").size());
        const std::string id = DeviceId(path.starts_with("/dev/") ? path.substr(5) : path);
        if (!paths.emplace(id, path).second) continue;
        there.push_back({.id = id, .healthy = true, .zone = ZoneOfNode(options_.system_root, node)});
      }
    }
    if (!options_.health.empty()) Judge(paths, there);
    {
      const std::lock_guard lock(mutex_);
      paths_ = std::move(paths);
    }
    return known_.WithLost(std::move(there), now_());
  }

  Duration interval() const override { return options_.health.empty() ? kWithoutCommand : options_.health_interval; }

  // Where devices come and go, and the folders that such folders would come into.
  std::set<std::string> folders() const override {
    std::set<std::string> folders;
    for (std::string_view pattern : options_.paths) {
      while (pattern.rfind('/') != 0) {
        pattern = pattern.substr(0, pattern.rfind('/'));
        const std::vector<std::string> found = Matches(options_.root, pattern);
        folders.insert(found.begin(), found.end());
        if (!found.empty() && !HasWildcard(pattern)) break;
      }
    }
    return folders;
  }

  StatusOr<Given> Give(std::span<const std::string> ids) override {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsOf(ids));
    Given given;
    std::string all;
    for (const std::string& path : paths) {
      given.nodes.push_back({path, options_.permissions});
      all += Concat(all.empty() ? "" : ",", path);
    }
    for (const std::string& path : options_.also) given.nodes.push_back({path, options_.permissions});
    for (const std::string& path : options_.mounts) given.mounts.push_back({path, path, true});
    given.environment[VariableName("DEVICES_", options_.resource)] = all;
    return given;
  }

  bool prepares() const override { return !options_.prepare.empty(); }
  Status Prepare(std::span<const std::string> ids) override {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsOf(ids));
    std::vector<std::string> command = options_.prepare;
    for (const std::string& path : paths) command.push_back(Below(options_.root, path));
    return Annotate(RunCommands(std::span(&command, 1), options_.prepare_limit, cancelled_).front(),
                    Concat(command.front(), " for ", ids.empty() ? "" : ids.front()));
  }
  void Cancel() override { cancelled_ = true; }

 private:
  struct Judged {
    Status status;
    Duration at = {};
  };

  StatusOr<std::vector<std::string>> PathsOf(std::span<const std::string> ids) const {
    std::vector<std::string> paths;
    const std::lock_guard lock(mutex_);
    for (const std::string& id : ids) {
      const auto found = paths_.find(id);
      if (found == paths_.end()) return NotFound(Concat("the device ", id, " is no longer there"));
      paths.push_back(found->second);
    }
    return paths;
  }

  // Those whose time has come, and those that are new, all at once.
  void Judge(const std::map<std::string, std::string>& paths, std::vector<Device>& there) {
    const Duration now = now_();
    std::erase_if(judged_, [&](const auto& each) { return !paths.contains(each.first); });
    std::vector<std::string> due;
    std::vector<std::vector<std::string>> commands;
    for (const auto& [id, path] : paths) {
      const auto found = judged_.find(id);
      if (found != judged_.end() && now - found->second.at < options_.health_interval) continue;
      due.push_back(id);
      commands.push_back(options_.health);
      commands.back().push_back(Below(options_.root, path));
    }
    const std::vector<Status> results = RunCommands(commands, options_.health_limit, cancelled_);
    for (size_t i = 0; i < due.size(); ++i) judged_[due[i]] = {results[i], now};
    for (Device& each : there) {
      const Status& status = judged_[each.id].status;
      each.healthy = status.ok();
      each.why = Message(status);
    }
  }

  const DeviceFileOptions options_;
  const std::function<Duration()> now_;
  KnownDevices known_;
  std::map<std::string, Judged> judged_;  // by id
  std::atomic<bool> cancelled_ = false;
  mutable std::mutex mutex_;  // guards paths_
  std::map<std::string, std::string> paths_;
};

}  // namespace

std::string FaultOfPattern(std::string_view pattern) {
  if (!pattern.starts_with('/')) return "must be a path that begins with /";
  if (pattern.ends_with('/')) return "must be the path of devices, not of a folder";
  if (pattern.find("/../") != pattern.npos || pattern.ends_with("/..")) return "must not have .. in it";
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (static_cast<unsigned char>(pattern[at]) < ' ') return "must not have control characters in it";
    if (pattern[at] == '\\') {
      if (++at == pattern.size()) return "ends with a \\ that escapes nothing";
      continue;
    }
    if (pattern[at] != '[') continue;
    size_t first = at + 1;
    if (first < pattern.size() && (pattern[first] == '!' || pattern[first] == '^')) ++first;
    const size_t close = first < pattern.size() ? pattern.find(']', first + 1) : pattern.npos;
    if (close == pattern.npos || pattern.substr(at, close - at).find('/') != pattern.npos)
      return "has a [ without its ]";
    at = close;
  }
  return "";
}

std::unique_ptr<DeviceSource> MakeDeviceFiles(DeviceFileOptions options, std::function<Duration()> now) {
  return std::make_unique<DeviceFiles>(std::move(options), std::move(now));
}

}  // namespace huygens::device_plugins
