#include "runtime/nri_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/fake/temporary_directory.h"
#include "tests/runtime/nri_runtime_end.h"
#include "tests/runtime/recorder.h"

namespace huygens::runtime {
namespace {

using testing::ElementsAre;

// One accepted connection of a plugin.
class NriPeer {
 public:
  explicit NriPeer(int socket) : socket_(socket) {}
  ~NriPeer() { Close(); }
  NriPeer(const NriPeer&) = delete;
  NriPeer& operator=(const NriPeer&) = delete;
  void Close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  NriRuntimeEnd end;

  void Send(std::string_view bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("send");
  }
  // Reads, and says what follows, until `done`; false: the plugin has closed, or says nothing for 30 s.
  bool ReadUntil(const std::function<bool()>& done) {
    char buffer[4096];
    while (!done()) {
      pollfd ready{.fd = socket_, .events = POLLIN};
      if (::poll(&ready, 1, 30000) != 1) return false;
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      const std::string reply = end.Receive({buffer, static_cast<size_t>(got)});
      if (::send(socket_, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return false;
    }
    return true;
  }
  // Until the plugin has closed.
  bool AwaitEnd() {
    return !ReadUntil([] { return false; });
  }
  // Through the registration until it asks to be synchronized, and that.
  void Begin() {
    ASSERT_TRUE(ReadUntil([&] { return !end.answers.empty(); }));
    ASSERT_TRUE(end.Next<nri_api::ConfigureResponse>().has_value());
    Send(end.Ask("Synchronize", nri_api::SynchronizeRequest()));
    ASSERT_TRUE(ReadUntil([&] { return !end.answers.empty(); }));
    ASSERT_TRUE(end.Next<nri_api::SynchronizeResponse>().has_value());
  }

 private:
  int socket_;
};

class NriListener {
 public:
  explicit NriListener(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    ::unlink(path.c_str());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket_, 4) != 0) {
      throw std::runtime_error("cannot listen at " + path);
    }
  }
  ~NriListener() { ::close(socket_); }
  NriPeer Accept() const {
    pollfd ready{.fd = socket_, .events = POLLIN};
    if (::poll(&ready, 1, 30000) != 1) throw std::runtime_error("nobody connects");
    return NriPeer(::accept(socket_, nullptr, nullptr));
  }

 private:
  int socket_;
};

class NriPluginTest : public testing::Test {
 protected:
  std::unique_ptr<NriPlugin> Start() {
    return std::make_unique<NriPlugin>(
        NriOptions{
            .socket = path_, .first_retry = std::chrono::milliseconds(1), .last_retry = std::chrono::milliseconds(5)},
        hooks_, std::make_unique<SteadyWaiter>(), [] { return 0.5; });
  }
  fake::TemporaryDirectory directory_;
  const std::string path_ = directory_.File("nri.sock");
  RecordingHooks hooks_;
};

TEST_F(NriPluginTest, AnswersAndConnectsAgainAfterEachLoss) {
  const NriListener listener(path_);
  const auto plugin = Start();
  for (size_t round = 1; round <= 3; ++round) {
    NriPeer peer = listener.Accept();
    peer.Begin();
    ASSERT_TRUE(hooks_.recorder.Await("synchronized", round));
    hooks_.create = [](const Container&) { return CreationAnswer{.own = {.cpus = "1"}}; };
    peer.Send(peer.end.Ask("CreateContainer", About<nri_api::CreateContainerRequest>("a")));
    ASSERT_TRUE(peer.ReadUntil([&] { return !peer.end.answers.empty(); }));
    EXPECT_EQ(peer.end.Next<nri_api::CreateContainerResponse>().value().adjust().linux().resources().cpu().cpus(), "1");
    peer.Close();  // cut
    ASSERT_TRUE(hooks_.recorder.Await("lost ", round));
  }
}

TEST_F(NriPluginTest, SaysOnceWhyThereIsNoNri) {
  const auto plugin = Start();
  ASSERT_TRUE(hooks_.recorder.Await("lost "));
  const NriListener listener(path_);
  NriPeer peer = listener.Accept();
  peer.Begin();
  ASSERT_TRUE(hooks_.recorder.Await("synchronized"));
  EXPECT_THAT(
      hooks_.recorder.Notes(),
      ElementsAre(
          "lost NRI: cannot connect to " + path_ +
              ": No such file or directory; the runtime has no NRI, or it is switched off (containerd 1.7: disable = "
              "false in the "
              "section io.containerd.nri.v1.nri), or the folder of the socket is not mounted into the agent's pod",
          "connected NRI of made-up v9", "synchronized"));
}

TEST_F(NriPluginTest, GarbageEndsTheConnectionAndTheNextOneWorks) {
  const NriListener listener(path_);
  const auto plugin = Start();
  {
    NriPeer peer = listener.Accept();
    peer.Send("HTTP/1.1 400 Bad Request\r\n");
    EXPECT_TRUE(peer.AwaitEnd());
  }
  ASSERT_TRUE(hooks_.recorder.Await("lost NRI: a frame of 791752241 bytes"));
  NriPeer peer = listener.Accept();
  peer.Begin();
  EXPECT_TRUE(hooks_.recorder.Await("synchronized"));
}

// The runtime gave up meanwhile: the answer goes nowhere, and the plugin is back for the next question.
TEST_F(NriPluginTest, AnAnswerThatComesTooLateCostsOnlyTheConnection) {
  const NriListener listener(path_);
  std::mutex mutex;
  std::condition_variable changed;
  bool may_answer = false;
  hooks_.create = [&](const Container&) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return may_answer; });
    return CreationAnswer{};
  };
  const auto plugin = Start();
  {
    NriPeer peer = listener.Accept();
    peer.Begin();
    peer.Send(peer.end.Ask("CreateContainer", About<nri_api::CreateContainerRequest>("a")));
    ASSERT_TRUE(hooks_.recorder.Await("create container-a"));
  }
  {
    const std::lock_guard lock(mutex);
    may_answer = true;
    changed.notify_all();
  }
  NriPeer peer = listener.Accept();
  peer.Begin();
  EXPECT_TRUE(hooks_.recorder.Await("synchronized", 2));
  EXPECT_EQ(hooks_.recorder.Count("lost NRI: the runtime has closed the connection"), 1u);
}

TEST_F(NriPluginTest, EndsWhileItWaitsForTheRuntime) {
  const NriListener listener(path_);
  auto plugin = Start();
  NriPeer peer = listener.Accept();
  peer.Begin();
  plugin.reset();
  EXPECT_TRUE(peer.AwaitEnd());
  EXPECT_EQ(hooks_.recorder.Count("lost "), 0u);
}

}  // namespace
}  // namespace huygens::runtime
