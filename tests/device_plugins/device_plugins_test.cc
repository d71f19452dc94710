#include "device_plugins/device_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

#include "base/text.h"
#include "tests/device_plugins/fake_kubelet.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::device_plugins {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class MadeSource final : public DeviceSource {
 public:
  StatusOr<std::vector<Device>> Look() override { return std::vector<Device>(); }
  Duration interval() const override { return std::chrono::hours(1); }
  StatusOr<Given> Give(std::span<const std::string> ids) override {
    if (refusal != "") return Internal(refusal);
    Given given;
    for (const std::string& id : ids) {
      given.nodes.push_back({.path = Concat("/dev/", id), .permissions = "rwm"});
      given.mounts.push_back({.container_path = "/in/" + id, .host_path = "/out/" + id, .read_only = true});
      given.environment["IDS"] += id + ",";
    }
    return given;
  }
  bool prepares() const override { return prepare; }
  Status Prepare(std::span<const std::string> ids) override {
    prepared.insert(ids.begin(), ids.end());
    return ids.front() == "a" ? absl::OkStatus() : Internal("it does not come back from its reset");
  }

  std::string refusal;
  bool prepare = false;
  std::set<std::string> prepared;
};

// What DevicePlugins says, to be waited for.
class Events {
 public:
  PluginEvents Listen() {
    return {.registered = [this](const std::string& name, Duration) { Add("registered " + name); },
            .not_registered = [this](const std::string& name, const std::string& why) { Add(name + ": " + why); },
            .lost = [this](const std::string& name) { Add("lost " + name); }};
  }
  // The next one that holds `text`; those before it are forgotten.
  bool Wait(std::string_view text) {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (!said_.empty()) {
        const std::string line = said_.front();
        said_.pop_front();
        if (line.find(text) != std::string::npos) return true;
      }
      if (changed_.wait_for(lock, std::chrono::seconds(30)) == std::cv_status::timeout) return false;
    }
  }

 private:
  void Add(std::string line) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(line));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> said_;
};

// Whether it comes true, within a time that is long for anything.
bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

std::vector<std::string> Sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

size_t EntriesOf(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

class DevicePluginsTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> resources = {"example.com/fpga"}) {
    std::vector<Plugin> plugins;
    for (const std::string& resource : resources) plugins.push_back({resource, &source_});
    PluginOptions options;
    options.folder = folder_.path();
    options.random = SystemRandom();
    options.waiting = [this](const std::string&) { return waiting_; };
    options.events = events_.Listen();
    using std::chrono::milliseconds;
    options.pace = {.folder = milliseconds(10),
                    .kubelet = milliseconds(50),
                    .silence = milliseconds(100),
                    .first_return = milliseconds(20)};
    plugins_ = *DevicePlugins::Start(plugins, std::move(options));
  }
  static std::vector<Device> Two() { return {{"a", true, 0}, {"b", true, 1}}; }

  const fake::TemporaryDirectory folder_;
  FakeKubelet kubelet_{folder_.path()};
  MadeSource source_;
  Events events_;
  std::vector<WaitingPod> waiting_;
  std::unique_ptr<DevicePlugins> plugins_;
};

TEST_F(DevicePluginsTest, RegistersOnceThereAreDevicesAndTellsThem) {
  kubelet_.Start();
  Start();
  EXPECT_FALSE(plugins_->states()[0].registered);
  plugins_->SetDevices(0, {{"a", true, 0}, {"b", false, std::nullopt}});
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", 2), ElementsAre("a Healthy 0", "b Unhealthy -"));
  ASSERT_TRUE(events_.Wait("registered example.com/fpga"));
  const PluginState state = plugins_->states()[0];
  EXPECT_TRUE(state.registered);
  EXPECT_EQ(state.registrations, 1U);
  EXPECT_EQ(state.healthy, 1);
  EXPECT_EQ(state.unhealthy, 1);
  EXPECT_TRUE(kubelet_.request("example.com/fpga").options().get_preferred_allocation_available());
}

TEST_F(DevicePluginsTest, TellsEachChange) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, Two());
  kubelet_.Wait("example.com/fpga", 2);
  for (int i = 0; i < 50; ++i) {
    plugins_->SetDevices(0, {{"a", i % 2 == 0, 0}, {"b", true, 1}, {Concat("c", std::to_string(i)), true, 1}});
  }
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", [](const auto& list) { return list.back() == "c49 Healthy 1"; }),
              ElementsAre("a Unhealthy 0", "b Healthy 1", "c49 Healthy 1"));
  plugins_->SetDevices(0, {});
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", 0), IsEmpty());
}

TEST_F(DevicePluginsTest, WaitsForTheFolderAndForKubelet) {
  std::filesystem::remove(folder_.path());
  Start();
  plugins_->SetDevices(0, Two());
  ASSERT_TRUE(events_.Wait("kubelet is not there")) << "it says so, though only after a while";
  std::filesystem::create_directory(folder_.path());
  kubelet_.Start();
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", 2), SizeIs(2));
}

TEST_F(DevicePluginsTest, ComesAgainWhenKubeletAcceptsOnlyAfterItsSocketIsThere) {
  const fake::TemporaryDirectory elsewhere;
  LeaveSocket(elsewhere.File("kubelet.sock"));
  std::filesystem::create_symlink(elsewhere.File("kubelet.sock"), folder_.File("kubelet.sock"));
  Start();
  plugins_->SetDevices(0, Two());
  ASSERT_TRUE(events_.Wait("failed to connect"));
  EXPECT_GT(plugins_->states()[0].failures, 3U);
  kubelet_.Start(elsewhere.File("kubelet.sock"));
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", 2), SizeIs(2));
}

TEST_F(DevicePluginsTest, SaysInKubeletsWordsWhyItIsRefusedAndTriesAgain) {
  kubelet_.Start();
  kubelet_.Refuse("the ResourceName \"requests.x/y\" is invalid");
  Start();
  plugins_->SetDevices(0, Two());
  ASSERT_TRUE(events_.Wait("the ResourceName \"requests.x/y\" is invalid"));
  EXPECT_THAT(plugins_->states()[0].fault, HasSubstr("is invalid"));
  EXPECT_FALSE(plugins_->states()[0].registered);
  kubelet_.Refuse("");
  EXPECT_THAT(kubelet_.Wait("example.com/fpga", 2), SizeIs(2));
  ASSERT_TRUE(events_.Wait("registered"));
  EXPECT_EQ(plugins_->states()[0].fault, "");
}

TEST_F(DevicePluginsTest, RegistersAgainAfterEachRestartAndLeaksNothing) {
  kubelet_.Start();
  Start({"example.com/fpga", "example.com/nic"});
  plugins_->SetDevices(0, Two());
  plugins_->SetDevices(1, {{"n", true, 3}});
  std::set<std::string> endpoints;
  std::vector<size_t> descriptors, threads;
  for (int i = 0; i <= 20; ++i) {
    if (i > 0) kubelet_.Restart();
    ASSERT_THAT(kubelet_.Wait("example.com/fpga", 2), SizeIs(2));
    ASSERT_THAT(kubelet_.Wait("example.com/nic", 1), ElementsAre("n Healthy 3"));
    std::string fpga, nic;
    // One that kubelet was told while its socket came into being may be told again.
    EXPECT_TRUE(Eventually([&] {
      fpga = kubelet_.request("example.com/fpga").endpoint();
      nic = kubelet_.request("example.com/nic").endpoint();
      return Sorted(SocketsIn(folder_.path())) == Sorted({"kubelet.sock", fpga, nic});
    })) << testing::PrintToString(SocketsIn(folder_.path()));
    EXPECT_TRUE(endpoints.insert(fpga).second && endpoints.insert(nic).second) << "a name is used again";
    descriptors.push_back(EntriesOf("/proc/self/fd"));
    threads.push_back(EntriesOf("/proc/self/task"));
  }
  EXPECT_GE(kubelet_.registrations(), 42);
  // A restart that leaked a server would have added its socket, its connection and its descriptors of epoll each time.
  EXPECT_LT(descriptors.back(), descriptors[1] + 20) << testing::PrintToString(descriptors);
  EXPECT_LT(threads.back(), threads[1] + 20) << testing::PrintToString(threads);
  plugins_.reset();
  EXPECT_THAT(SocketsIn(folder_.path()), UnorderedElementsAre("kubelet.sock"));
}

TEST_F(DevicePluginsTest, ServesAnewWhereItsSocketAloneIsDeleted) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, Two());
  kubelet_.Wait("example.com/fpga", 2);
  ASSERT_TRUE(events_.Wait("registered"));
  const std::string endpoint = kubelet_.request("example.com/fpga").endpoint();
  std::filesystem::remove(folder_.File(endpoint));
  ASSERT_TRUE(events_.Wait("registered"));
  EXPECT_NE(kubelet_.request("example.com/fpga").endpoint(), endpoint);
  EXPECT_EQ(kubelet_.registrations(), 2);
}

TEST_F(DevicePluginsTest, ComesBackAfterAWhileWhenKubeletGaveItUp) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, Two());
  kubelet_.Wait("example.com/fpga", 2);
  ASSERT_TRUE(events_.Wait("registered"));
  kubelet_.Drop("example.com/fpga");
  ASSERT_TRUE(events_.Wait("lost example.com/fpga"));
  EXPECT_FALSE(plugins_->states()[0].registered);
  EXPECT_THAT(plugins_->states()[0].fault, HasSubstr("another plug-in of this name"));
  ASSERT_TRUE(events_.Wait("registered"));
}

TEST_F(DevicePluginsTest, GivesWhatTheSourceGives) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, {{"a", true, 0}, {"b", false, 1}});
  kubelet_.Wait("example.com/fpga", 2);
  const auto stub = kubelet_.Dial("example.com/fpga");
  const auto allocate = [&](std::initializer_list<const char*> ids, v1beta1::AllocateResponse& response) {
    grpc::ClientContext context;
    v1beta1::AllocateRequest request;
    auto& container = *request.add_container_requests();
    for (const char* id : ids) container.add_devices_ids(id);
    return stub->Allocate(&context, request, &response);
  };
  v1beta1::AllocateResponse response;
  ASSERT_TRUE(allocate({"a"}, response).ok());
  ASSERT_EQ(response.container_responses_size(), 1);
  const auto& given = response.container_responses(0);
  EXPECT_EQ(given.devices(0).host_path(), "/dev/a");
  EXPECT_EQ(given.devices(0).container_path(), "/dev/a");
  EXPECT_EQ(given.devices(0).permissions(), "rwm");
  EXPECT_EQ(given.mounts(0).container_path(), "/in/a");
  EXPECT_EQ(given.mounts(0).host_path(), "/out/a");
  EXPECT_TRUE(given.mounts(0).read_only());
  EXPECT_EQ(given.envs().at("IDS"), "a,");
  EXPECT_EQ(allocate({"a", "nothing"}, response).error_message(), "there is no device nothing");
  EXPECT_EQ(allocate({"b"}, response).error_message(), "the device b is lost or not healthy");
  source_.refusal = "the group is taken";
  const grpc::Status refused = allocate({"a"}, response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(refused.error_message(), "the group is taken");
  EXPECT_EQ(plugins_->states()[0].allocated, 1U);
  EXPECT_EQ(plugins_->states()[0].refused, 3U);
}

TEST_F(DevicePluginsTest, PrefersTheZonesOfThePodThatIsAdmitted) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, {{"a", true, 0}, {"b", true, 0}, {"c", true, 1}, {"d", true, 1}});
  kubelet_.Wait("example.com/fpga", 4);
  const auto stub = kubelet_.Dial("example.com/fpga");
  const auto prefer = [&](int32_t size) {
    grpc::ClientContext context;
    v1beta1::PreferredAllocationRequest request;
    auto& container = *request.add_container_requests();
    for (const char* id : {"d", "c", "b", "a", "unheard"}) container.add_available_device_ids(id);
    container.set_allocation_size(size);
    v1beta1::PreferredAllocationResponse response;
    EXPECT_TRUE(stub->GetPreferredAllocation(&context, request, &response).ok());
    std::vector<std::string> ids;
    for (const auto& answer : response.container_responses()) {
      ids.insert(ids.end(), answer.device_ids().begin(), answer.device_ids().end());
    }
    return ids;
  };
  EXPECT_THAT(prefer(2), ElementsAre("a", "b"));
  EXPECT_THAT(prefer(-5), IsEmpty());
  waiting_ = {{.zones = {1}, .counts = {2}, .seen = "t"}};
  EXPECT_THAT(prefer(2), ElementsAre("c", "d"));
  EXPECT_THAT(prefer(1), ElementsAre("a")) << "no container of that pod asks for one";
}

TEST_F(DevicePluginsTest, PreparesBeforeAContainerStartsWhereTheSourceDoes) {
  source_.prepare = true;
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, Two());
  kubelet_.Wait("example.com/fpga", 2);
  EXPECT_TRUE(kubelet_.request("example.com/fpga").options().pre_start_required());
  const auto prepare = [&](const char* id) {
    grpc::ClientContext context;
    v1beta1::PreStartContainerRequest request;
    request.add_devices_ids(id);
    v1beta1::PreStartContainerResponse response;
    return kubelet_.Dial("example.com/fpga")->PreStartContainer(&context, request, &response);
  };
  EXPECT_TRUE(prepare("a").ok());
  EXPECT_EQ(prepare("b").error_message(), "it does not come back from its reset");
  EXPECT_THAT(source_.prepared, ElementsAre("a", "b"));
}

TEST_F(DevicePluginsTest, EndsWhileKubeletFollowsAndWhileItDoesNotAnswer) {
  kubelet_.Start();
  Start();
  plugins_->SetDevices(0, Two());
  kubelet_.Wait("example.com/fpga", 2);
  plugins_.reset();
  kubelet_.Stop();
  Start();
  plugins_->SetDevices(0, Two());
  plugins_.reset();
  EXPECT_THAT(SocketsIn(folder_.path()), ElementsAre("kubelet.sock"));
}

TEST_F(DevicePluginsTest, RemovesWhatAKilledProcessLeftAndNothingElse) {
  LeaveSocket(folder_.File("huygens-fpga-0123456789.sock"));
  LeaveSocket(folder_.File("nvidia-gpu.sock"));
  static_cast<void>(folder_.Write("huygens-file.sock", "no socket"));
  kubelet_.Start(folder_.File("huygens-living.sock"));
  EXPECT_EQ(RemoveStaleSockets(folder_.path()), 1U);
  EXPECT_THAT(SocketsIn(folder_.path()), UnorderedElementsAre("nvidia-gpu.sock", "huygens-living.sock"));
  EXPECT_TRUE(std::filesystem::exists(folder_.File("huygens-file.sock")));
  EXPECT_EQ(RemoveStaleSockets(folder_.File("no-such-folder")), 0U);
}

}  // namespace
}  // namespace huygens::device_plugins
