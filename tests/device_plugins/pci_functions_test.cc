#include "device_plugins/pci_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "device_plugins/pci_sysfs.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::device_plugins {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// A made /sys/bus/pci/devices: a network card with two virtual functions, two GPUs of NVIDIA, an NVMe drive.
class PciFunctionsTest : public testing::Test {
 protected:
  PciFunctionsTest() {
    Function("0000:3b:00.0", "8086", "1592", "020000", "ice", "0");
    Function("0000:3b:01.0", "8086", "1889", "020000", "vfio-pci", "0");
    Function("0000:3b:01.1", "8086", "1889", "020000", "iavf", "0");
    Link("0000:3b:00.0/virtfn0", "../0000:3b:01.0");
    Link("0000:3b:00.0/virtfn1", "../0000:3b:01.1");
    Link("0000:3b:01.0/physfn", "../0000:3b:00.0");
    Link("0000:3b:01.1/physfn", "../0000:3b:00.0");
    Link("0000:3b:01.0/iommu_group", "../../../../kernel/iommu_groups/71");
    Folder("0000:3b:00.0/net/ens1f0");
    Function("0000:86:00.0", "10de", "20b5", "030200", "nvidia", "1");
    Function("0000:af:00.0", "10de", "20b5", "030200", "", "-1");
    Write("0000:86:00.0/drm/card1/uevent", "MAJOR=226\nMINOR=1\nDEVNAME=dri/card1\nDEVTYPE=drm_minor");
    Write("0000:86:00.0/drm/renderD129/uevent", "DEVNAME=dri/renderD129\n");
    static_cast<void>(root_.Write("proc/driver/nvidia/gpus/0000:86:00.0/information",
                                  "Model: \t\t NVIDIA A100\nDevice Minor: \t 4\nBlacklisted:\t No\n"));
    Function("0000:01:00.0", "144d", "a808", "010802", "nvme", "0");
    Write("0000:01:00.0/nvme/nvme0/uevent", "MAJOR=240\nDEVNAME=nvme0");
    Write("0000:01:00.0/nvme/nvme0/nvme0n1/uevent", "DEVNAME=nvme0n1");
    // A function behind it has nodes of its own, and a link leads out of it.
    Write("0000:01:00.0/0000:02:00.0/drm/card7/uevent", "DEVNAME=dri/card7");
    Link("0000:01:00.0/subsystem", "../0000:86:00.0");
  }
  void Function(const std::string& address, const char* vendor, const char* device, const char* pci_class,
                const char* driver, const char* zone) const {
    Write(address + "/vendor", Concat("0x", vendor, "\n"));
    Write(address + "/device", Concat("0x", device, "\n"));
    Write(address + "/class", Concat("0x", pci_class, "\n"));
    Write(address + "/numa_node", Concat(zone, "\n"));
    if (*driver != 0) Link(address + "/driver", Concat("../../../drivers/", driver));
  }
  static std::string Path(const std::string& name) { return "sys/bus/pci/devices/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    static_cast<void>(root_.Write(Path(name), text));
  }
  void Link(const std::string& name, const std::string& to) const {
    std::filesystem::create_symlink(to, root_.File(Path(name)));
  }
  void Folder(const std::string& name) const { std::filesystem::create_directories(root_.File(Path(name))); }
  void Remove(const std::string& name) const { std::filesystem::remove_all(root_.File(Path(name))); }

  std::unique_ptr<DeviceSource> Make(PciOptions options) {
    options.resource = "example.com/nic-vf";
    options.root = root_.path();
    return MakePciFunctions(std::move(options), [this] { return now_; });
  }
  std::vector<std::string> Look(DeviceSource& source) {
    std::vector<std::string> texts;
    const std::vector<Device> devices = *source.Look();
    for (const Device& each : devices) {
      texts.push_back(Concat(each.id, each.healthy ? " good " : " bad ", each.zone ? std::to_string(*each.zone) : "-",
                             each.why.empty() ? "" : " ", each.why));
    }
    return texts;
  }
  std::vector<std::string> Picked(PciOptions options) {
    std::vector<std::string> ids;
    const std::vector<Device> devices = *Make(std::move(options))->Look();
    for (const Device& each : devices) ids.push_back(each.id);
    return ids;
  }
  static std::vector<std::string> Nodes(const Given& given) {
    std::vector<std::string> paths;
    for (const DeviceNode& each : given.nodes) paths.push_back(each.path);
    return paths;
  }

  const fake::TemporaryDirectory root_;
  Duration now_ = std::chrono::seconds(1);
};

TEST_F(PciFunctionsTest, PicksByWhatSysfsSays) {
  EXPECT_THAT(Picked({.vendors = {"10DE"}}), ElementsAre("0000:86:00.0", "0000:af:00.0"));
  EXPECT_THAT(Picked({.vendors = {"8086"}, .devices = {"1592"}}), IsEmpty()) << "it has virtual functions";
  EXPECT_THAT(Picked({.vendors = {"8086"}, .kind = PciKind::kPhysical}), ElementsAre("0000:3b:00.0"));
  EXPECT_THAT(Picked({.vendors = {"8086"}}), ElementsAre("0000:3b:01.0", "0000:3b:01.1"));
  EXPECT_THAT(Picked({.drivers = {"iavf", "nvme"}}), ElementsAre("0000:01:00.0", "0000:3b:01.1"));
  EXPECT_THAT(Picked({.classes = {"0302", "0108"}}), ElementsAre("0000:01:00.0", "0000:86:00.0", "0000:af:00.0"));
  EXPECT_THAT(Picked({.addresses = {"0000:3b:*", "*:01:00.0"}, .kind = PciKind::kVirtual}),
              ElementsAre("0000:3b:01.0", "0000:3b:01.1"));
  EXPECT_THAT(Picked({.parents = {"ens1f0"}}), ElementsAre("0000:3b:01.0", "0000:3b:01.1"));
  EXPECT_THAT(Picked({.drivers = {"iavf"}, .parents = {"0000:3b:00.0"}}), ElementsAre("0000:3b:01.1"));
  EXPECT_THAT(Picked({.parents = {"ens1f1"}}), IsEmpty());
}

TEST_F(PciFunctionsTest, TellsZonesAndWhatIsLost) {
  const auto source = Make({.vendors = {"10de"}});
  EXPECT_THAT(Look(*source), ElementsAre("0000:86:00.0 good 1", "0000:af:00.0 good -"));
  Remove("0000:86:00.0");
  now_ += std::chrono::minutes(1);
  EXPECT_THAT(Look(*source), ElementsAre("0000:86:00.0 bad 1 it is no longer there", "0000:af:00.0 good -"));
  EXPECT_THAT(std::string(source->Give(std::vector<std::string>{"0000:86:00.0"}).status().message()),
              HasSubstr("is no longer there"));
}

TEST_F(PciFunctionsTest, GivesTheNodesOfItsDriver) {
  const auto source = Make({.classes = {"03", "01"}, .also = {"/dev/nvidiactl"}, .mounts = {"/usr/lib/nvidia"}});
  Given given = *source->Give(std::vector<std::string>{"0000:86:00.0"});
  EXPECT_THAT(Nodes(given), ElementsAre("/dev/dri/card1", "/dev/dri/renderD129", "/dev/nvidia4", "/dev/nvidiactl"));
  EXPECT_EQ(given.mounts.size(), 1U);
  EXPECT_THAT(given.environment, ElementsAre(Pair("PCIDEVICE_EXAMPLE_COM_NIC_VF", "0000:86:00.0")));
  given = *source->Give(std::vector<std::string>{"0000:86:00.0", "0000:01:00.0"});
  EXPECT_THAT(Nodes(given), ElementsAre("/dev/dri/card1", "/dev/dri/renderD129", "/dev/nvidia4", "/dev/nvidiactl",
                                        "/dev/nvme0", "/dev/nvme0n1"));
  EXPECT_THAT(given.environment, ElementsAre(Pair("PCIDEVICE_EXAMPLE_COM_NIC_VF", "0000:86:00.0,0000:01:00.0")));
  EXPECT_THAT(std::string(source->Give(std::vector<std::string>{"0000:af:00.0"}).status().message()),
              HasSubstr("has no node in /dev: no driver is bound to it"));
}

TEST_F(PciFunctionsTest, GivesVfioWhereTheFunctionIsReadyForIt) {
  const auto source = Make({.vendors = {"8086"}, .gives = PciGives::kVfio});
  EXPECT_THAT(Look(*source), ElementsAre("0000:3b:01.0 good 0", "0000:3b:01.1 bad 0 bound to iavf, not to vfio-pci"));
  EXPECT_THAT(Nodes(*source->Give(std::vector<std::string>{"0000:3b:01.0"})),
              ElementsAre("/dev/vfio/71", "/dev/vfio/vfio"));
  EXPECT_THAT(std::string(source->Give(std::vector<std::string>{"0000:3b:01.1"}).status().message()),
              HasSubstr("bound to iavf, not to vfio-pci"));
  Remove("0000:3b:01.1/driver");
  Link("0000:3b:01.1/driver", "../../../drivers/vfio-pci");
  EXPECT_THAT(Look(*source)[1], HasSubstr("no IOMMU group"));
  Link("0000:3b:01.1/iommu_group", "../../../../kernel/iommu_groups/71");
  EXPECT_THAT(Look(*source)[1], HasSubstr("shares IOMMU group 71 with 0000:3b:01.0"));
  Remove("0000:3b:01.1/iommu_group");
  Link("0000:3b:01.1/iommu_group", "../../../../kernel/iommu_groups/72");
  EXPECT_THAT(Look(*source), ElementsAre("0000:3b:01.0 good 0", "0000:3b:01.1 good 0"));
}

TEST_F(PciFunctionsTest, GivesAddressesAlone) {
  const Given given =
      *Make({.drivers = {"iavf"}, .gives = PciGives::kVariable})->Give(std::vector<std::string>{"0000:3b:01.1"});
  EXPECT_THAT(given.nodes, IsEmpty());
  EXPECT_THAT(given.environment, ElementsAre(Pair("PCIDEVICE_EXAMPLE_COM_NIC_VF", "0000:3b:01.1")));
}

TEST_F(PciFunctionsTest, PassesOverWhatCannotBeRead) {
  Write("0000:99:00.0/vendor", "rubbish");
  Write("0000:99:01.0/numa_node", "rubbish");
  Write("0000:86:00.0/numa_node", "seven");
  EXPECT_THAT(Look(*Make({.vendors = {"10de"}})), ElementsAre("0000:86:00.0 good -", "0000:af:00.0 good -"));
  const fake::TemporaryDirectory empty;
  EXPECT_THAT(*ReadPciFunctions(empty.path()), IsEmpty());
}

}  // namespace
}  // namespace huygens::device_plugins
