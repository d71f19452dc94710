// Against a PodResources service in this process.
#include "pod_resources/client.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pod_resources/pod_resources.grpc.pb.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::pod_resources {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(10);

class FakeKubelet final : private v1::PodResourcesLister::Service {
 public:
  explicit FakeKubelet(const std::string& socket) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix://" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeKubelet() override { server_->Shutdown(std::chrono::system_clock::now()); }

  void AddDevice(const std::string& resource, const std::string& id, const std::vector<int>& zones) {
    v1::ContainerDevices& devices = *allocatable.add_devices();
    devices.set_resource_name(resource);
    devices.add_device_ids(id);
    for (const int zone : zones) devices.mutable_topology()->add_nodes()->set_id(zone);
  }
  void Give(const std::string& resource, const std::string& id) {
    v1::ContainerDevices& devices = *list.add_pod_resources()->add_containers()->add_devices();
    devices.set_resource_name(resource);
    devices.add_device_ids(id);
  }

  v1::AllocatableResourcesResponse allocatable;
  v1::ListPodResourcesResponse list;
  grpc::Status answer = grpc::Status::OK;

 private:
  grpc::Status GetAllocatableResources(grpc::ServerContext*, const v1::AllocatableResourcesRequest*,
                                       v1::AllocatableResourcesResponse* reply) override {
    *reply = allocatable;
    return answer;
  }
  grpc::Status List(grpc::ServerContext*, const v1::ListPodResourcesRequest*,
                    v1::ListPodResourcesResponse* reply) override {
    *reply = list;
    return grpc::Status::OK;
  }

  std::unique_ptr<grpc::Server> server_;
};

class PodResources : public testing::Test {
 protected:
  fake::TemporaryDirectory directory_;
  const std::string socket_ = std::string(directory_.path()) + "/kubelet.sock";
};

TEST_F(PodResources, CountsDevicesInEachZoneThatTheirPlugInNames) {
  FakeKubelet kubelet(socket_);
  kubelet.AddDevice("example.com/fpga", "a", {0});
  kubelet.AddDevice("example.com/fpga", "b", {0});
  kubelet.AddDevice("example.com/fpga", "c", {1});
  kubelet.AddDevice("example.com/nic", "d", {0, 1});
  kubelet.AddDevice("example.com/nic", "e", {});  // nowhere in particular
  kubelet.Give("example.com/fpga", "b");
  kubelet.Give("example.com/nic", "c");  // an id of another resource
  Client client(socket_);
  const auto devices = client.Read(kTimeout);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_TRUE(*devices);
  const ZoneDevices expected = {{0, {{"example.com/fpga", {2, 1}}, {"example.com/nic", {1, 1}}}},
                                {1, {{"example.com/fpga", {1, 1}}, {"example.com/nic", {1, 1}}}}};
  EXPECT_EQ(**devices, expected);
}

TEST_F(PodResources, WhereThereIsNoSocketNothingIsSaid) {
  Client client(socket_);
  const auto devices = client.Read(kTimeout);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_FALSE(*devices);
}

TEST_F(PodResources, AKubeletThatDoesNotAnswerThatSaysNothingAndOthersFaultsAreErrors) {
  FakeKubelet kubelet(socket_);
  Client client(socket_);
  kubelet.answer = {grpc::StatusCode::UNKNOWN, "API GetAllocatableResources disabled"};
  auto devices = client.Read(kTimeout);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_FALSE(*devices);
  kubelet.answer = {grpc::StatusCode::INTERNAL, "no manager"};
  devices = client.Read(kTimeout);
  ASSERT_FALSE(devices.ok());
  EXPECT_NE(devices.status().message().find("no manager"), std::string::npos) << devices.status();
}

TEST_F(PodResources, AKubeletThatStartedAnewIsAskedAgain) {
  Client client(socket_);
  for (int i = 1; i <= 3; ++i) {
    FakeKubelet kubelet(socket_);
    for (int device = 0; device < i; ++device) kubelet.AddDevice("example.com/fpga", std::to_string(device), {0});
    auto devices = client.Read(kTimeout);
    if (!devices.ok()) devices = client.Read(kTimeout);  // that the old one is gone is seen by a call that fails
    ASSERT_TRUE(devices.ok()) << devices.status();
    EXPECT_EQ((**devices)[0]["example.com/fpga"].allocatable, i);
  }
}

TEST_F(PodResources, AfterCancelNothingIsAskedAnyMore) {
  FakeKubelet kubelet(socket_);
  Client client(socket_);
  client.Cancel();
  EXPECT_FALSE(client.Read(kTimeout).ok());
}

}  // namespace
}  // namespace huygens::pod_resources
