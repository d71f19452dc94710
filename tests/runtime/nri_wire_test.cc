#include "runtime/nri_wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace huygens::runtime {
namespace {

struct Taken {
  NriConnection connection;
  TtrpcMessage message;
};

RC_GTEST_PROP(NriWire, MessagesComeOutAsTheyWentInHoweverTheyAreCut, ()) {
  const auto contents = *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
  const int large = *rc::gen::inRange(0, 20000);
  std::string bytes;
  std::vector<TtrpcMessage> sent;
  for (size_t i = 0; i < contents.size(); ++i) {
    TtrpcMessage message{
        .stream = static_cast<uint32_t>(2 * i + 1), .type = TtrpcMessage::kRequest, .flags = 3, .content = contents[i]};
    if (i == 0) message.content += std::string(static_cast<size_t>(large), 'x');
    bytes += NriFrames(i % 2 == 0 ? NriConnection::kPlugin : NriConnection::kRuntime, message);
    sent.push_back(std::move(message));
  }
  std::vector<Taken> taken;
  NriReader reader([&](NriConnection connection, TtrpcMessage message) {
    taken.push_back({connection, std::move(message)});
    return absl::OkStatus();
  });
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view part = rest.substr(0, *rc::gen::inRange<size_t>(1, 3000));
    RC_ASSERT(reader.Feed(part).ok());
    rest.remove_prefix(part.size());
  }
  RC_ASSERT(taken.size() == sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    RC_ASSERT(taken[i].connection == (i % 2 == 0 ? NriConnection::kPlugin : NriConnection::kRuntime));
    RC_ASSERT(taken[i].message.stream == sent[i].stream);
    RC_ASSERT(taken[i].message.type == sent[i].type);
    RC_ASSERT(taken[i].message.flags == sent[i].flags);
    RC_ASSERT(taken[i].message.content == sent[i].content);
  }
}

TEST(NriWire, BytesAreThoseOfTheProtocol) {
  const std::string bytes =
      NriFrames(NriConnection::kRuntime, {.stream = 1, .type = TtrpcMessage::kRequest, .content = "ab"});
  EXPECT_EQ(bytes, std::string("\0\0\0\2\0\0\0\x0c\0\0\0\2\0\0\0\1\1\0ab", 20));
}

// containerd reads a frame at once, into a buffer of 4096 bytes.
TEST(NriWire, FramesAreNotLongerThanTheOtherSidesBuffer) {
  const std::string bytes = NriFrames(NriConnection::kPlugin, {.stream = 1, .content = std::string(10000, 'x')});
  std::vector<size_t> lengths;
  for (size_t at = 0; at < bytes.size(); at += 8 + lengths.back()) {
    lengths.push_back(static_cast<unsigned char>(bytes[at + 6]) * size_t{256} +
                      static_cast<unsigned char>(bytes[at + 7]));
  }
  EXPECT_EQ(lengths, (std::vector<size_t>{4096, 4096, 10010 - 2 * 4096}));
}

TEST(NriWire, OtherConnectionsArePassedOver) {
  std::string bytes("\0\0\0\7\0\0\0\3abc", 11);
  bytes += NriFrames(NriConnection::kPlugin, {.stream = 1, .content = "after"});
  std::vector<std::string> contents;
  NriReader reader([&](NriConnection, const TtrpcMessage& message) {
    contents.push_back(message.content);
    return absl::OkStatus();
  });
  ASSERT_TRUE(reader.Feed(bytes).ok());
  EXPECT_EQ(contents, std::vector<std::string>{"after"});
}

TEST(NriWire, WhatIsLongerThanTheProtocolAllowsIsRefused) {
  const auto refused = [](std::string_view bytes) {
    NriReader reader([](NriConnection, const TtrpcMessage&) { return absl::OkStatus(); });
    return std::string(Message(reader.Feed(bytes)));
  };
  EXPECT_EQ(refused(std::string_view("\0\0\0\1\0\x40\0\x0b", 8)),
            "NRI: a frame of 4194315 bytes, more than the 4194304 that the protocol allows: the other side does not "
            "speak NRI");
  EXPECT_EQ(refused(std::string_view("\0\0\0\1\0\0\0\x0a\0\x40\0\1\0\0\0\1\1\0", 18)),
            "NRI: a message of 4194305 bytes, more than the 4194304 that the protocol allows: the other side does not "
            "speak NRI");
  EXPECT_EQ(refused("HTTP/1.1 400 Bad Request\r\n"),
            "NRI: a frame of 791752241 bytes, more than the 4194304 that the protocol allows: the other side does not "
            "speak NRI");
}

}  // namespace
}  // namespace huygens::runtime
