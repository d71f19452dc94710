#include "device_plugins/pci_functions.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "base/text.h"
#include "device_plugins/known_devices.h"
#include "device_plugins/pci_sysfs.h"

namespace huygens::device_plugins {
namespace {

template <typename Fits>
bool OneFits(const std::vector<std::string>& list, Fits&& fits) {
  return list.empty() || std::ranges::any_of(list, fits);
}

bool EqualsAnyCase(std::string_view a, std::string_view b) { return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b)); }

class PciFunctions final : public DeviceSource {
 public:
  PciFunctions(PciOptions options, std::function<Duration()> now)
      : options_(std::move(options)), now_(std::move(now)) {}

  StatusOr<std::vector<Device>> Look() override {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<PciFunction> functions, Picked());
    std::map<std::string, std::string> groups;  // the first of each
    std::vector<Device> there;
    for (const PciFunction& each : functions) {
      Device& device = there.emplace_back();
      device.id = each.address;
      device.zone = each.zone;
      if (options_.gives == PciGives::kVfio) device.why = FaultOfVfio(each, groups);
      device.healthy = device.why.empty();
    }
    return known_.WithLost(std::move(there), now_());
  }

  Duration interval() const override { return options_.interval; }

  StatusOr<Given> Give(std::span<const std::string> ids) override {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<PciFunction> functions, Picked());
    Given given;
    std::string all;
    std::set<std::string> nodes;
    for (const std::string& id : ids) {
      const auto function = std::ranges::find(functions, id, &PciFunction::address);
      if (function == functions.end()) {
        return NotFound(
            Concat("the PCI function ", id, " is no longer there, or no longer one of ", options_.resource));
      }
      HUYGENS_RETURN_IF_ERROR(AddNodes(*function, nodes));
      all += Concat(all.empty() ? "" : ",", id);
    }
    nodes.insert(options_.also.begin(), options_.also.end());
    for (const std::string& node : nodes) given.nodes.push_back({node, "rw"});
    for (const std::string& path : options_.mounts) given.mounts.push_back({path, path, true});
    given.environment[VariableName("PCIDEVICE_", options_.resource)] = all;
    return given;
  }

 private:
  StatusOr<std::vector<PciFunction>> Picked() const {
    HUYGENS_ASSIGN_OR_RETURN(std::vector<PciFunction> functions, ReadPciFunctions(options_.root));
    std::erase_if(functions, [this](const PciFunction& each) { return !Fits(each); });
    return functions;
  }

  bool Fits(const PciFunction& f) const {
    const auto is = [](std::string_view text) {
      return [text](std::string_view each) { return EqualsAnyCase(each, text); };
    };
    if (options_.kind == PciKind::kVirtual ? f.parent.empty()
                                           : options_.kind == PciKind::kPhysical && !f.parent.empty())
      return false;
    if (options_.kind == PciKind::kAny && f.has_virtual) return false;
    return OneFits(options_.vendors, is(f.vendor)) && OneFits(options_.devices, is(f.device)) &&
           OneFits(options_.classes,
                   [&](std::string_view each) {
                     return EqualsAnyCase(each, std::string_view(f.pci_class).substr(0, each.size()));
                   }) &&
           OneFits(options_.drivers, [&](std::string_view each) { return each == f.driver; }) &&
           OneFits(options_.addresses,
                   [&](const std::string& each) { return fnmatch(each.c_str(), f.address.c_str(), 0) == 0; }) &&
           OneFits(options_.parents, [&](const std::string& each) { return IsParent(each, f); });
  }

  bool IsParent(const std::string& name, const PciFunction& function) const {
    if (function.parent.empty() || name == function.parent) return !function.parent.empty();
    const std::vector<std::string> interfaces = InterfacesOf(options_.root, function.parent);
    return std::ranges::find(interfaces, name) != interfaces.end();
  }

  std::string FaultOfVfio(const PciFunction& function, std::map<std::string, std::string>& groups) const {
    if (function.driver != "vfio-pci") {
      return Concat("bound to ", function.driver.empty() ? "no driver" : function.driver, ", not to vfio-pci");
    }
    if (function.iommu_group.empty()) return "it has no IOMMU group: the IOMMU is off";
    const auto [first, alone] = groups.emplace(function.iommu_group, function.address);
    if (alone) return "";
    return Concat("shares IOMMU group ", function.iommu_group, " with ", first->second);
  }

  Status AddNodes(const PciFunction& function, std::set<std::string>& nodes) const {
    if (options_.gives == PciGives::kVfio) {
      std::map<std::string, std::string> none;
      if (const std::string fault = FaultOfVfio(function, none); !fault.empty()) {
        return Refused(Concat("the PCI function ", function.address, ": ", fault));
      }
      nodes.insert("/dev/vfio/vfio");
      nodes.insert(Concat("/dev/vfio/", function.iommu_group));
    } else if (options_.gives == PciGives::kNodes) {
      const std::vector<std::string> found = NodesOf(options_.root, function.address);
      if (found.empty()) {
        return Refused(Concat("the PCI function ", function.address, " has no node in /dev: ",
                              function.driver.empty() ? "no driver is bound to it"
                                                      : Concat("its driver ", function.driver, " made none")));
      }
      nodes.insert(found.begin(), found.end());
    }
    return absl::OkStatus();
  }

  const PciOptions options_;
  const std::function<Duration()> now_;
  KnownDevices known_;
};

}  // namespace

std::unique_ptr<DeviceSource> MakePciFunctions(PciOptions options, std::function<Duration()> now) {
  return std::make_unique<PciFunctions>(std::move(options), std::move(now));
}

}  // namespace huygens::device_plugins
