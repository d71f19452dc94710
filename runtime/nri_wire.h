// NRI's wire: two connections on one unix stream, in frames, and ttRPC messages in each of them. Bytes in, messages
// out; no socket here. Not thread-safe.
//
// A frame: u32 connection, u32 length, both big endian, then so many bytes of that connection. A message may be spread
// over frames, and a frame hold several. A message: u32 length, u32 stream, u8 type, u8 flags, then its content.
// Sources: github.com/containerd/nri pkg/net/multiplex/mux.go, github.com/containerd/ttrpc channel.go, PROTOCOL.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::runtime {

enum class NriConnection : uint32_t { kPlugin = 1, kRuntime = 2 };  // who serves on it

struct TtrpcMessage {
  static constexpr uint8_t kRequest = 1, kResponse = 2;
  uint32_t stream = 0;
  uint8_t type = 0;
  uint8_t flags = 0;
  std::string content;
};

inline constexpr size_t kMostTtrpcBytes = 4 << 20;

class NriReader {
 public:
  // Called for each whole message, in order. An error of it ends the reading.
  using Take = std::function<Status(NriConnection, TtrpcMessage)>;
  explicit NriReader(Take take) : take_(std::move(take)) {}

  // The next bytes of the stream, in pieces of any size. After an error the stream cannot be read any further: close
  // it. What is kept is at most one unfinished message of each connection. Other connections are passed over.
  Status Feed(std::string_view bytes);

 private:
  Status FeedConnection(size_t index, std::string_view bytes);

  Take take_;
  std::string header_;       // of the frame, as far as it has come
  uint32_t connection_ = 0;  // of the frame that is being read
  uint32_t left_ = 0;        // bytes of that frame
  std::array<std::string, 2> unfinished_;
};

// The bytes of a message. Frames have 4096 bytes at most: the other side reads a frame at once, into a buffer that may
// be no larger.
std::string NriFrames(NriConnection connection, const TtrpcMessage& message);

}  // namespace huygens::runtime
