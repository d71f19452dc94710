#include "device_plugins/device_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "device_plugins/device_looks.h"
#include "device_plugins/run_commands.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::device_plugins {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> Texts(const std::vector<Device>& devices) {
  std::vector<std::string> texts;
  for (const Device& each : devices) {
    texts.push_back(Concat(each.id, each.healthy ? " good " : " bad ", each.zone ? std::to_string(*each.zone) : "-"));
  }
  return texts;
}

// A tree with dev/ and sys/. Its nodes are links to those of this machine, as udev makes them by names of its own:
// /dev/null is 1:3, /dev/zero 1:5, /dev/full 1:7.
class DeviceFilesTest : public testing::Test {
 protected:
  DeviceFilesTest() {
    for (const char* folder : {"dev/bus", "sys/dev/char"}) std::filesystem::create_directories(root_.File(folder));
    options_.resource = "example.com/fpga";
    options_.root = root_.path();
    options_.system_root = root_.path();
    options_.paths = {"/dev/fpga*"};
  }
  void Node(const std::string& name, const char* leads_to = "/dev/null") const {
    std::filesystem::create_symlink(leads_to, root_.File(name));
  }
  void Remove(const std::string& name) const { std::filesystem::remove(root_.File(name)); }
  // The device with that number is behind `slot` in zone `zone`.
  void Slot(const std::string& number, const std::string& slot, const std::string& zone) const {
    static_cast<void>(root_.Write(Concat("sys/devices/", slot, "/numa_node"), zone));
    std::filesystem::create_directories(root_.File(Concat("sys/devices/", slot, "/class/x")));
    std::filesystem::create_directory_symlink(Concat("../../devices/", slot, "/class/x"),
                                              root_.File(Concat("sys/dev/char/", number)));
  }
  DeviceSource& Source() {
    if (source_ == nullptr) source_ = MakeDeviceFiles(options_, [this] { return now_; });
    return *source_;
  }
  std::vector<std::string> Look() { return Texts(*Source().Look()); }

  const fake::TemporaryDirectory root_;
  DeviceFileOptions options_;
  Duration now_ = seconds(1);
  std::unique_ptr<DeviceSource> source_;
};

TEST_F(DeviceFilesTest, FindsNodesAndTheirZones) {
  Node("dev/fpga10");
  Node("dev/fpga2", "/dev/zero");
  Node("dev/fpga3", "/dev/full");
  Node("dev/other");
  static_cast<void>(root_.Write("dev/fpga.conf", "no node"));
  Slot("1:3", "pci0000:00/0000:00:01.0", "1\n");
  Slot("1:5", "pci0000:40/0000:40:01.0", "-1\n");
  EXPECT_THAT(Look(), ElementsAre("fpga2 good -", "fpga3 good -", "fpga10 good 1"));
}

TEST_F(DeviceFilesTest, GoesUpToTheParentThatKnowsItsZone) {
  Node("dev/fpga0");
  Slot("1:3", "pci0000:00/0000:00:01.0/usb1/1-1", "-1");
  static_cast<void>(root_.Write("sys/devices/pci0000:00/0000:00:01.0/numa_node", "3"));
  EXPECT_THAT(Look(), ElementsAre("fpga0 good 3"));
}

TEST_F(DeviceFilesTest, KeepsALostDeviceForAnHourAndTakesItBack) {
  Node("dev/fpga0");
  Node("dev/fpga1");
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -", "fpga1 good -"));
  Remove("dev/fpga1");
  now_ += minutes(1);
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -", "fpga1 bad -"));
  EXPECT_EQ(Source().Give(std::vector<std::string>{"fpga1"}).status().message(), "the device fpga1 is no longer there");
  Node("dev/fpga1");
  now_ += minutes(59);
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -", "fpga1 good -"));
  Remove("dev/fpga1");
  now_ += minutes(61);
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -"));
}

TEST_F(DeviceFilesTest, GivesNodesMountsAndPathsInTheEnvironment) {
  options_.also = {"/dev/fpgactl"};
  options_.mounts = {"/usr/lib/fpga"};
  options_.permissions = "rwm";
  Node("dev/fpga0");
  Node("dev/fpga1");
  Look();
  const Given given = *Source().Give(std::vector<std::string>{"fpga1", "fpga0"});
  EXPECT_THAT(given.nodes, ElementsAre(DeviceNode{"/dev/fpga1", "rwm"}, DeviceNode{"/dev/fpga0", "rwm"},
                                       DeviceNode{"/dev/fpgactl", "rwm"}));
  ASSERT_EQ(given.mounts.size(), 1U);
  EXPECT_EQ(given.mounts[0].host_path, "/usr/lib/fpga");
  EXPECT_EQ(given.mounts[0].container_path, "/usr/lib/fpga");
  EXPECT_TRUE(given.mounts[0].read_only);
  EXPECT_THAT(given.environment, ElementsAre(std::pair("DEVICES_EXAMPLE_COM_FPGA", "/dev/fpga1,/dev/fpga0")));
  EXPECT_FALSE(Source().prepares());
}

TEST_F(DeviceFilesTest, ShortensIdsThatKubeletWouldNotTake) {
  const std::string name(100, 'x');
  options_.paths = {"/dev/x*"};
  Node("dev/" + name);
  Node("dev/" + name + "y");
  const std::vector<Device> devices = *Source().Look();
  ASSERT_EQ(devices.size(), 2U);
  for (const Device& each : devices) EXPECT_EQ(each.id.size(), 63U);
  EXPECT_NE(devices[0].id, devices[1].id);
  EXPECT_THAT(Source().Give(std::vector<std::string>{devices[0].id})->nodes[0].path, StartsWith("/dev/xxx"));
}

TEST_F(DeviceFilesTest, WatchesFoldersOfDevicesAndThoseThatSuchWouldComeInto) {
  options_.paths = {"/dev/fpga*", "/dev/bus/*/node", "/dev/no/such/x"};
  std::filesystem::create_directories(root_.File("dev/bus/1"));
  EXPECT_THAT(Source().folders(), ElementsAre(root_.File("dev"), root_.File("dev/bus"), root_.File("dev/bus/1")));
}

TEST_F(DeviceFilesTest, TakesARootWithWildcardsInItsNameAsItIs) {
  std::filesystem::create_directories(root_.File("a[b]*/dev"));
  std::filesystem::create_symlink("/dev/null", root_.File("a[b]*/dev/fpga0"));
  options_.root = root_.File("a[b]*/");
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -"));
}

TEST_F(DeviceFilesTest, AsksACommandWhetherADeviceIsHealthy) {
  Node("dev/fpga0");
  Node("dev/fpga1");
  static_cast<void>(root_.Write("sick", "fpga1"));
  options_.health = {
      "/bin/sh", "-c",
      Concat("test -e \"$0\" && echo of $(basename $0); ! grep -q \"$(basename $0)\" ", root_.path(), "/sick")};
  const std::vector<Device> devices = *Source().Look();
  EXPECT_THAT(Texts(devices), ElementsAre("fpga0 good -", "fpga1 bad -"));
  EXPECT_EQ(devices[1].why, "exit code 1: of fpga1");
  static_cast<void>(root_.Write("sick", "fpga0"));
  now_ += seconds(29);
  EXPECT_THAT(Look(), ElementsAre("fpga0 good -", "fpga1 bad -")) << "not before its time";
  now_ += seconds(1);
  EXPECT_THAT(Look(), ElementsAre("fpga0 bad -", "fpga1 good -"));
}

TEST_F(DeviceFilesTest, RunsACommandBeforeAContainerStarts) {
  options_.prepare = {"/bin/sh", "-c", "test $(basename $0)/$(basename \"$1\") = fpga0/fpga1 || { echo no; exit 3; }"};
  Node("dev/fpga0");
  Node("dev/fpga1");
  Look();
  EXPECT_TRUE(Source().prepares());
  EXPECT_TRUE(Source().Prepare(std::vector<std::string>{"fpga0", "fpga1"}).ok());
  EXPECT_EQ(Source().Prepare(std::vector<std::string>{"fpga1"}).message(), "/bin/sh for fpga1: exit code 3: no");
  Source().Cancel();
  EXPECT_THAT(std::string(Source().Prepare(std::vector<std::string>{"fpga0"}).message()), HasSubstr("the agent ends"));
}

TEST(RunCommands, KillsWhatTakesTooLongWithAllItStarted) {
  const fake::TemporaryDirectory folder;
  // The child holds the fifo open for as long as it lives.
  const std::string fifo = folder.File("alive");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::vector<std::vector<std::string>> commands = {
      {"/bin/sh", "-c", Concat("sleep 1000 <> ", fifo, " & sleep 1000")},
      {"true"},
      {"/no/such/program"},
      {"/bin/sh", "-c", "kill -9 $$"},
      {"/bin/sh", "-c", "exec >&- 2>&-; sleep 0.1"}};
  const std::atomic<bool> cancel = false;
  const std::vector<Status> ended = RunCommands(commands, seconds(2), cancel);
  ASSERT_EQ(ended.size(), 5U);
  EXPECT_EQ(ended[0].message(), "took longer than 2s");
  EXPECT_TRUE(ended[1].ok());
  EXPECT_THAT(std::string(ended[2].message()), HasSubstr("/no/such/program: cannot be started: No such file"));
  EXPECT_EQ(ended[3].message(), "ended by signal 9");
  EXPECT_TRUE(ended[4].ok());
  // Nobody reads at the other end any more once the child is dead.
  int writer = -1;
  for (int i = 0; i < 1000 && (writer = open(fifo.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; ++i) {
    close(writer);
    std::this_thread::yield();
    if (i == 999) FAIL() << "a process of the group lives on";
  }
}

TEST(RunCommands, KeepsTheBeginningOfALongOutput) {
  const std::vector<std::vector<std::string>> commands = {{"/bin/sh", "-c", "yes abc | head -c 300000; exit 1"}};
  const std::atomic<bool> cancel = false;
  const Status ended = RunCommands(commands, seconds(30), cancel).front();
  EXPECT_THAT(std::string(ended.message()), StartsWith("exit code 1: abc abc abc"));
  EXPECT_LT(ended.message().size(), 230U);
}

TEST(RunCommands, StopsWhenItIsCancelled) {
  const std::vector<std::vector<std::string>> commands(100, {"sleep", "1000"});
  const std::atomic<bool> cancel = true;
  for (const Status& each : RunCommands(commands, minutes(5), cancel)) EXPECT_TRUE(absl::IsCancelled(each));
}

TEST(FaultOfPattern, SaysWhatIsWrong) {
  for (const char* good : {"/dev/ttyUSB*", "/dev/fpga[0-3]", "/dev/x[]]", "/dev/x[!a]", "/dev/a\\[b"}) {
    EXPECT_EQ(FaultOfPattern(good), "") << good;
  }
  for (const char* bad : {"", "dev/x", "/dev/", "/dev/../x", "/dev/..", "/dev/[a", "/dev/[a/b]", "/dev/x\\", "/d\n",
                          "/[", "/[!", "/[]"}) {
    EXPECT_NE(FaultOfPattern(bad), "") << bad;
  }
}

// What DeviceLooks tells, to be waited for.
class Told {
 public:
  DeviceLooks::Results Listen() {
    return {.seen = [this](size_t, const std::vector<Device>& devices) { Set(Texts(devices)); },
            .failed = [this](size_t, const std::string& why) { Set({why}); }};
  }
  bool Wait(const std::vector<std::string>& texts) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(30), [&] { return told_ == texts; });
  }

 private:
  void Set(std::vector<std::string> texts) {
    const std::lock_guard lock(mutex_);
    told_ = std::move(texts);
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> told_ = {"nothing yet"};
};

TEST_F(DeviceFilesTest, IsLookedAtAsSoonAsANodeComesOrGoes) {
  options_.paths = {"/dev/deep/er/fpga*"};
  Told told;
  const auto looks = *DeviceLooks::Start({&Source()}, told.Listen());
  ASSERT_TRUE(told.Wait({}));
  std::filesystem::create_directories(root_.File("dev/deep/er"));
  Node("dev/deep/er/fpga0");
  ASSERT_TRUE(told.Wait({"deep/er/fpga0 good -"}));
  now_ += seconds(1);
  Remove("dev/deep/er/fpga0");
  ASSERT_TRUE(told.Wait({"deep/er/fpga0 bad -"}));
  now_ += seconds(1);
  std::filesystem::remove_all(root_.File("dev/deep"));
  std::filesystem::create_directories(root_.File("dev/deep/er"));
  Node("dev/deep/er/fpga0");
  ASSERT_TRUE(told.Wait({"deep/er/fpga0 good -"}));
}

}  // namespace
}  // namespace huygens::device_plugins
