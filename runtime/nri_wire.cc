#include "runtime/nri_wire.h"

#include <algorithm>
#include <string>
#include <utility>

namespace huygens::runtime {

namespace {

constexpr size_t kFrameHeader = 8, kMessageHeader = 10, kMostFrame = 4096;

uint32_t ReadUint32(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

void AppendUint32(uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

Status TooLong(std::string_view what, size_t length) {
  return Invalid(Concat("NRI: ", what, " of ", std::to_string(length), " bytes, more than the ",
                        std::to_string(kMostTtrpcBytes),
                        " that the protocol allows: the other side does not speak NRI"));
}

}  // namespace

Status NriReader::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (left_ == 0) {
      const size_t part = std::min(kFrameHeader - header_.size(), bytes.size());
      header_.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (header_.size() < kFrameHeader) break;
      connection_ = ReadUint32(header_);
      left_ = ReadUint32(std::string_view(header_).substr(4));
      header_.clear();
      if (left_ > kMostTtrpcBytes + kMessageHeader) return TooLong("a frame", left_);
      continue;
    }
    const size_t part = std::min<size_t>(left_, bytes.size());
    if (connection_ == 1 || connection_ == 2)
      HUYGENS_RETURN_IF_ERROR(FeedConnection(connection_ - 1, bytes.substr(0, part)));
    bytes.remove_prefix(part);
    left_ -= static_cast<uint32_t>(part);
  }
  return absl::OkStatus();
}

Status NriReader::FeedConnection(size_t index, std::string_view bytes) {
  std::string& unfinished = unfinished_[index];
  unfinished.append(bytes);
  std::string_view rest = unfinished;
  while (rest.size() >= kMessageHeader) {
    const size_t length = ReadUint32(rest);
    if (length > kMostTtrpcBytes) return TooLong("a message", length);
    if (rest.size() < kMessageHeader + length) break;
    TtrpcMessage message{.stream = ReadUint32(rest.substr(4)),
                         .type = static_cast<uint8_t>(rest[8]),
                         .flags = static_cast<uint8_t>(rest[9]),
                         .content = std::string(rest.substr(kMessageHeader, length))};
    rest.remove_prefix(kMessageHeader + length);
    HUYGENS_RETURN_IF_ERROR(take_(static_cast<NriConnection>(index + 1), std::move(message)));
  }
  // Long messages are rare: what one of them took is given back.
  if (rest.empty() && unfinished.capacity() > (size_t{64} << 10)) {
    unfinished = std::string();
  } else {
    unfinished.erase(0, unfinished.size() - rest.size());
  }
  return absl::OkStatus();
}

std::string NriFrames(NriConnection connection, const TtrpcMessage& message) {
  std::string bytes;
  AppendUint32(static_cast<uint32_t>(message.content.size()), bytes);
  AppendUint32(message.stream, bytes);
  bytes.push_back(static_cast<char>(message.type));
  bytes.push_back(static_cast<char>(message.flags));
  bytes.append(message.content);

  std::string frames;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view part = rest.substr(0, kMostFrame);
    AppendUint32(static_cast<uint32_t>(connection), frames);
    AppendUint32(static_cast<uint32_t>(part.size()), frames);
    frames.append(part);
    rest.remove_prefix(part.size());
  }
  return frames;
}

}  // namespace huygens::runtime
