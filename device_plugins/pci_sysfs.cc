#include "device_plugins/pci_sysfs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.h"
#include "machine/system_files.h"

namespace huygens::device_plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFunctions = "sys/bus/pci/devices";

// The last part of where a link leads to; empty where there is none.
std::string LinkName(const std::string& path) {
  std::error_code error;
  return fs::read_symlink(path, error).filename().string();
}

// "0x8086" as "8086".
std::optional<std::string> Hexadecimal(const machine::SystemFiles& files, const std::string& path) {
  const auto text = files.Trimmed(path);
  if (!text.ok() || !*text || !(*text)->starts_with("0x")) return std::nullopt;
  return (*text)->substr(2);
}

bool IsAddress(std::string_view name) {  // a child: a bridge has the functions behind it below itself
  return name.size() >= 12 && name[name.size() - 2] == '.' && std::ranges::count(name, ':') == 2;
}

// DEVNAME of uevents below `folder`: drm/card0 has "dri/card0", nvme/nvme0/nvme0n1 "nvme0n1".
void AddNodes(const fs::path& folder, int depth, std::set<std::string>& nodes) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (at->is_symlink(ignored) || !at->is_directory(ignored) || IsAddress(name)) continue;
    const auto uevent = machine::SystemFiles(at->path().string()).Trimmed("uevent");
    if (uevent.ok() && *uevent) {
      const size_t key = Concat("\n", **uevent).find("\nDEVNAME=");
      if (key != std::string::npos) {
        const std::string_view value = std::string_view(**uevent).substr(key + 8);
        nodes.insert(Concat("/dev/", value.substr(0, value.find('\n'))));
      }
    }
    if (depth > 1) AddNodes(at->path(), depth - 1, nodes);
  }
}

std::optional<PciFunction> Read(const machine::SystemFiles& files, const std::string& address) {
  const std::string folder = Concat(kFunctions, "/", address);
  const auto vendor = Hexadecimal(files, Concat(folder, "/vendor"));
  const auto device = Hexadecimal(files, Concat(folder, "/device"));
  const auto pci_class = Hexadecimal(files, Concat(folder, "/class"));
  if (!vendor || !device || !pci_class) return std::nullopt;
  PciFunction function;
  function.address = address;
  function.vendor = *vendor;
  function.device = *device;
  function.pci_class = *pci_class;
  function.driver = LinkName(files.Path(Concat(folder, "/driver")));
  function.parent = LinkName(files.Path(Concat(folder, "/physfn")));
  function.has_virtual = !LinkName(files.Path(Concat(folder, "/virtfn0"))).empty();
  function.iommu_group = LinkName(files.Path(Concat(folder, "/iommu_group")));
  const auto zone = files.Number(Concat(folder, "/numa_node"));
  if (zone.ok() && *zone && **zone >= 0 && **zone <= machine::kMostId) function.zone = static_cast<int>(**zone);
  return function;
}

}  // namespace

StatusOr<std::vector<PciFunction>> ReadPciFunctions(const std::string& root) {
  const machine::SystemFiles files(root);
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> addresses, files.Names(kFunctions));
  std::vector<PciFunction> functions;
  for (const std::string& address : addresses) {
    if (auto function = Read(files, address)) functions.push_back(*std::move(function));
  }
  std::ranges::sort(functions, {}, &PciFunction::address);
  return functions;
}

std::vector<std::string> InterfacesOf(const std::string& root, std::string_view address) {
  const auto names = machine::SystemFiles(root).Names(Concat(kFunctions, "/", address, "/net"));
  return names.ok() ? *names : std::vector<std::string>();
}

std::vector<std::string> NodesOf(const std::string& root, std::string_view address) {
  const machine::SystemFiles files(root);
  std::set<std::string> nodes;
  AddNodes(files.Path(Concat(kFunctions, "/", address)), 3, nodes);
  const auto nvidia = files.Trimmed(Concat("proc/driver/nvidia/gpus/", address, "/information"));
  if (nvidia.ok() && *nvidia) {
    constexpr std::string_view kMinor = "Device Minor:";
    if (const size_t at = (*nvidia)->find(kMinor); at != std::string::npos) {
      std::string_view number = std::string_view(**nvidia).substr(at + kMinor.size());
      number.remove_prefix(std::min(number.find_first_not_of(" \t"), number.size()));
      number = number.substr(0, number.find_first_not_of("0123456789"));
      if (!number.empty()) nodes.insert(Concat("/dev/nvidia", number));
    }
  }
  return {nodes.begin(), nodes.end()};
}

}  // namespace huygens::device_plugins
