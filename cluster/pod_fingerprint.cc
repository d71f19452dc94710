#include "cluster/pod_fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace huygens::cluster {

namespace {

constexpr std::string_view kVersion = "pfp0v001";
constexpr size_t kDigits = 16;

}  // namespace

static_assert(std::endian::native == std::endian::little, "the hashes are hashed as they lie in memory");

std::optional<uint64_t> ParsePodFingerprint(std::string_view text) {
  if (!text.starts_with(kVersion) || text.size() != kVersion.size() + kDigits) return std::nullopt;
  uint64_t fingerprint = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data() + kVersion.size(), end, fingerprint, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return fingerprint;
}

std::string PodFingerprintText(uint64_t fingerprint) {
  std::string text(kVersion);
  for (size_t digit = kDigits; digit-- > 0;) text += "0123456789abcdef"[fingerprint >> (4 * digit) & 15];
  return text;
}

uint64_t PodNameHash(std::string_view namespace_name, std::string_view name) {
  return XXH64(name.data(), name.size(), XXH64(namespace_name.data(), namespace_name.size(), 0));
}

void HashedPods::Add(uint64_t pod_hash) {
  hashes_.insert(std::lower_bound(hashes_.begin(), hashes_.end(), pod_hash), pod_hash);
}

void HashedPods::Remove(uint64_t pod_hash) {
  auto found = std::lower_bound(hashes_.begin(), hashes_.end(), pod_hash);
  if (found != hashes_.end() && *found == pod_hash) hashes_.erase(found);
}

uint64_t HashedPods::Fingerprint() const { return XXH64(hashes_.data(), hashes_.size() * sizeof(uint64_t), 0); }

}  // namespace huygens::cluster
