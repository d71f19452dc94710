#include "agent/device_configuration.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/text.h"
#include "settings/scalar.h"
#include "settings/walk.h"

namespace huygens::agent {
namespace {

using settings::Choice;
using settings::Integer;
using settings::Span;
using settings::Text;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPciKinds[] = {"any", "physical", "virtual"};
constexpr std::string_view kPciGives[] = {"variable", "nodes", "vfio"};

std::string FolderOrNothing(std::string_view text) {
  return text.empty() || text.starts_with('/') ? "" : "must be a path that begins with /";
}
std::string PathText(std::string_view text) {
  return text.starts_with('/') && text.find(',') == text.npos ? ""
                                                              : "must be a path that begins with /, without commas";
}
std::string Permissions(std::string_view text) {
  const bool good = !text.empty() && text.size() <= 3 && text.find_first_not_of("rwm") == text.npos &&
                    std::ranges::all_of(text, [&](char c) { return std::ranges::count(text, c) == 1; });
  return good ? "" : "must be some of r, w and m";
}
std::string HexadecimalDigits(std::string_view text, size_t least, size_t most) {
  const bool good =
      text.size() >= least && text.size() <= most && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
  return good ? "" : "must be hexadecimal digits as lspci -n shows them, in quotes, without 0x";
}
std::string PciNumber(std::string_view text) { return HexadecimalDigits(text, 4, 4); }
std::string PciClass(std::string_view text) { return HexadecimalDigits(text, 2, 6); }
std::string PciAddressPattern(std::string_view text) {
  const bool good = !text.empty() && text.find_first_not_of("0123456789abcdef:.*?[]!-") == text.npos &&
                    std::ranges::count(text, '[') == std::ranges::count(text, ']');
  return good ? "" : "must be an address or a pattern of them, such as \"0000:3b:*\", in small letters";
}

}  // namespace

std::string FaultOfExtendedResource(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos || !settings::QualifiedName(name).empty())
    return "must be a name within a domain, such as example.com/fpga";
  const std::string_view domain = name.substr(0, slash);
  if (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io")) return "must not be in the domain kubernetes.io";
  if (name.starts_with("requests.")) return "must not begin with requests., which quotas use";
  // Kubelet wants "requests." to fit in front of it.
  return domain.size() + 9 > 253 ? "is too long: its domain may have 244 bytes" : "";
}

void Describe(settings::Walk& walk, DeviceFilesConfiguration& c) {
  walk.Value("resource", Text(c.resource, "name", FaultOfExtendedResource), "as pods ask for it: example.com/fpga");
  walk.Texts("paths", c.paths, "patterns", device_plugins::FaultOfPattern,
             "of device nodes: \"/dev/fpga*\"; a node is a device");
  walk.Value("permissions", Text(c.permissions, "letters", Permissions), "in the container: r, w, m (mknod)");
  walk.Texts("also", c.also, "paths", PathText, "nodes that each container with such a device gets, too");
  walk.Texts("mounts", c.mounts, "paths", PathText, "folders and files of the host likewise, read-only");
  walk.Texts("healthCommand", c.health, "words", settings::NotEmpty,
             "program and arguments; the device's path is added, exit code 0 is good; [] = good while it is there");
  walk.Value("healthInterval", Span(c.health_interval, seconds(1), hours(24)), "between two runs of it");
  walk.Value("healthLimit", Span(c.health_limit, milliseconds(10), seconds(60)),
             "it is killed after that: not healthy");
  walk.Texts("prepareCommand", c.prepare, "words", settings::NotEmpty,
             "likewise, with all devices of a container, each time before it starts; fails: it does not start");
  walk.Value("prepareLimit", Span(c.prepare_limit, milliseconds(10), seconds(25)), "kubelet waits 30 s");
}

void Describe(settings::Walk& walk, PciConfiguration& c) {
  walk.Value("resource", Text(c.resource, "name", FaultOfExtendedResource), "as pods ask for it: example.com/nic-vf");
  walk.Texts("vendors", c.vendors, "numbers", PciNumber, "\"8086\"; of each list one has to fit, [] = any");
  walk.Texts("devices", c.devices, "numbers", PciNumber, "\"1889\"");
  walk.Texts("classes", c.classes, "numbers", PciClass, "\"03\" or \"0302\": what a class begins with");
  walk.Texts("drivers", c.drivers, "names", settings::NotEmpty, "that is bound to it: vfio-pci, nvidia");
  walk.Texts("addresses", c.addresses, "patterns", PciAddressPattern, "\"0000:3b:*\"");
  walk.Texts("physicalFunctions", c.parents, "names", settings::NotEmpty,
             "whose virtual functions: addresses or network interfaces, 0000:3b:00.0, ens1f0");
  walk.Value("functions", Choice(kPciKinds, c.kind),
             "any = but no physical one whose virtual ones are switched on; physical; virtual");
  walk.Value("give", Choice(kPciGives, c.gives),
             "nodes = what its driver made in /dev; vfio = /dev/vfio/GROUP; variable = the addresses alone");
  walk.Texts("also", c.also, "paths", PathText, "nodes that each container with such a device gets, too");
  walk.Texts("mounts", c.mounts, "paths", PathText, "folders and files of the host likewise, read-only");
  walk.Value("interval", Span(c.interval, seconds(1), hours(24)), "between looks at /sys");
}

void Describe(settings::Walk& walk, CountedConfiguration& c) {
  walk.Value("resource", Text(c.name, "name", FaultOfExtendedResource), "as pods ask for it: example.com/licence");
  walk.Value("count", Integer(c.count, 0, 1'000'000'000), "how many of it this node has");
}

void Describe(settings::Walk& walk, DevicesConfiguration& c) {
  walk.Value("pluginDirectory", Text(c.plugin_directory, "folder", FolderOrNothing),
             "\"\" = device-plugins in kubelet.directory");
  walk.Value("hostRoot", Text(c.host_root, "folder", FolderOrNothing),
             "the folder that holds dev/ of the host, such as /host; \"\" = root");
  walk.List("files", c.files, "Device plug-ins for nodes of /dev.", "", {DeviceFilesConfiguration()});
  walk.List("pci", c.pci, "Device plug-ins for PCI functions: virtual functions, GPUs.", "", {PciConfiguration()});
  walk.List("counted", c.counted, "Extended resources without devices, written into the node's capacity.", "",
            {CountedConfiguration()});
}

void CheckDevices(const DevicesConfiguration& c, const settings::ReportFault& report) {
  std::map<std::string, std::string> first;  // by name
  const auto check = [&](const std::string& name, const std::string& path) {
    if (name.empty()) return report(Concat(path, ".resource"), "is missing");
    const auto [found, fresh] = first.emplace(name, path);
    if (!fresh) report(Concat(path, ".resource"), Concat("is also that of ", found->second, "; a name is served once"));
  };
  const auto path_of = [](std::string_view list, size_t i) {
    return Concat("devices.", list, "[", std::to_string(i), "]");
  };
  for (size_t i = 0; i < c.files.size(); ++i) {
    check(c.files[i].resource, path_of("files", i));
    if (c.files[i].paths.empty()) report(Concat(path_of("files", i), ".paths"), "is missing, or empty");
  }
  for (size_t i = 0; i < c.pci.size(); ++i) {
    const PciConfiguration& each = c.pci[i];
    check(each.resource, path_of("pci", i));
    if (each.vendors.empty() && each.devices.empty() && each.classes.empty() && each.drivers.empty() &&
        each.addresses.empty() && each.parents.empty()) {
      report(path_of("pci", i),
             "would be every PCI function of the node; name vendors, devices, classes, drivers, addresses or "
             "physicalFunctions");
    }
    if (!each.parents.empty() && each.kind == device_plugins::PciKind::kPhysical)
      report(Concat(path_of("pci", i), ".functions"), "must not be physical where physicalFunctions are named");
  }
  for (size_t i = 0; i < c.counted.size(); ++i) check(c.counted[i].name, path_of("counted", i));
}

}  // namespace huygens::agent
