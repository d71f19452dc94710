#include <gmock/gmock.h>

#include <thread>

#include "net/client.h"
#include "tests/net/peer.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using testing::Inbox;
using testing::kOk;
using testing::Peer;
using testing::To;

constexpr char kStreamHead[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

// Takes all that comes.
auto Into(std::string& text) {
  return [&text](std::string_view piece) {
    text += piece;
    return true;
  };
}

TEST(ClientStream, HandsOnStatusAndPiecesAndEndsWithTheServer) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, kStreamHead);
    Peer::Send(socket, "4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n");
  });
  std::string log;
  const Status status = To(peer.Url())
                            ->Stream("/watch", {},
                                     {.on_status =
                                          [&](const HttpReply& head) {
                                            log += std::to_string(head.code) + " " + head.content_type + ": ";
                                            return true;
                                          },
                                      .on_bytes = Into(log)},
                                     20s);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(log, "200 application/json: one\ntwo\n");
}

TEST(ClientStream, EndsWhenTheObserverWantsNoMore) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, std::string(kStreamHead) + "4\r\none\n\r\n");
    Peer::WaitForEnd(socket);
  });
  auto client = To(peer.Url());
  EXPECT_TRUE(client->Stream("/", {}, {nullptr, [](std::string_view) { return false; }}, 20s).ok());
  EXPECT_TRUE(
      client->Stream("/", {}, {[](const HttpReply&) { return false; }, [](std::string_view) { return true; }}, 20s)
          .ok());
}

TEST(ClientStream, ShowsTheHeadOfASilentStreamAtOnceAndCancelWakesIt) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, kStreamHead);
    Peer::WaitForEnd(socket);
  });
  auto client = To(peer.Url());
  Inbox<int> heads;
  auto ended = std::async(std::launch::async, [&] {
    return client->Stream("/", {},
                          {[&](const HttpReply& head) {
                             heads.Put(head.code);
                             return true;
                           },
                           [](std::string_view) { return true; }},
                          3600s);
  });
  EXPECT_EQ(heads.Take(), 200);
  const auto before = std::chrono::steady_clock::now();
  client->Cancel();
  EXPECT_EQ(ended.get().code(), absl::StatusCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(client->Call("GET", "/", "", {}, 20s).status().code(), absl::StatusCode::kCancelled);  // for good
}

TEST(ClientStream, AnObserverThatTakesItsTimeIsNotTheServersSilence) {
  Inbox<bool> taken;
  Peer peer([&](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, std::string(kStreamHead) + "4\r\none\n\r\n");
    taken.Take();
    Peer::Send(socket, "4\r\ntwo\n\r\n0\r\n\r\n");
  });
  constexpr auto kSilence = 1s;
  std::string log;
  const auto take = [&](std::string_view piece) {
    log += piece;
    if (log != "one\n") return true;
    const auto longer = std::chrono::steady_clock::now() + kSilence + 100ms;
    while (std::chrono::steady_clock::now() < longer) std::this_thread::yield();
    taken.Put(true);
    return true;
  };
  const Status status = To(peer.Url())->Stream("/", {}, {nullptr, take}, kSilence);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(log, "one\ntwo\n");
}

TEST(ClientStream, EndsAfterSilence) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, std::string(kStreamHead) + "4\r\none\n\r\n");
    Peer::WaitForEnd(socket);
  });
  std::string got;
  const Status status = To(peer.Url())->Stream("/", {}, {nullptr, Into(got)}, 30ms);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_EQ(got, "one\n");
}

TEST(ClientStream, SaysUnknownWhenItIsCutInTheMiddle) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, std::string(kStreamHead) + "40\r\nhalf");
  });
  std::string got;
  const Status status = To(peer.Url())->Stream("/", {}, {nullptr, Into(got)}, 20s);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown) << status;
  EXPECT_EQ(got, "half");
}

TEST(ClientStream, MayShareItsClientWithCalls) {
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, kOk);
    Peer::ReadRequest(socket);
    Peer::Send(socket, kOk);
    Peer::WaitForEnd(socket);
  });
  auto client = To(peer.Url());
  std::string got;
  EXPECT_TRUE(client->Stream("/", {}, {nullptr, Into(got)}, 20s).ok());
  EXPECT_EQ(got, "ok");
  EXPECT_EQ(client->Call("GET", "/", "", {}, 20s)->body, "ok");
}

}  // namespace
}  // namespace huygens::net
