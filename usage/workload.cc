#include "usage/workload.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace huygens::usage {
namespace {

// What Kubernetes makes random suffixes and hashes of (k8s.io/apimachinery/pkg/util/rand).
constexpr std::string_view kSafeLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::string_view kDigits = "0123456789";
constexpr size_t kRandomSuffix = 5;
constexpr size_t kShortestHash = 6;  // of 32 bits, in decimal, letter by letter: six and more of them nearly always
constexpr size_t kLongestHash = 10;
constexpr size_t kMinuteDigits = 8;

bool MadeOf(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

struct Parts {
  std::string_view stem;
  std::string_view suffix;  // behind the last '-'
};
std::optional<Parts> Split(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  return Parts{name.substr(0, dash), name.substr(dash + 1)};
}

// NAME of NAME-HASH.
std::optional<std::string_view> DeploymentOf(std::string_view replica_set) {
  const auto parts = Split(replica_set);
  if (!parts || parts->suffix.size() < kShortestHash || parts->suffix.size() > kLongestHash) return std::nullopt;
  return MadeOf(parts->suffix, kSafeLetters) ? std::optional(parts->stem) : std::nullopt;
}

// NAME of NAME-MINUTES.
std::optional<std::string_view> CronJobOf(std::string_view job) {
  const auto parts = Split(job);
  if (!parts || parts->suffix.size() < kMinuteDigits) return std::nullopt;
  return MadeOf(parts->suffix, kDigits) ? std::optional(parts->stem) : std::nullopt;
}

std::string Key(std::string_view namespace_name, std::string_view kind, std::string_view name) {
  return Concat(namespace_name, "/", kind, "/", name);
}

std::string DaemonSetKey(std::string_view namespace_name, std::string_view name, std::string_view node) {
  return Concat(Key(namespace_name, "DaemonSet", name), node.empty() ? "" : " on ", node);
}

}  // namespace

std::string WorkloadOf(std::string_view namespace_name, std::string_view pod_name, std::string_view owner_kind,
                       std::string_view owner_name, std::string_view node) {
  if (owner_kind.empty() || owner_kind == "Node") return Key(namespace_name, "Pod", pod_name);
  if (owner_kind == "StatefulSet") return Key(namespace_name, owner_kind, pod_name);
  if (owner_kind == "DaemonSet") return DaemonSetKey(namespace_name, owner_name, node);
  if (owner_kind == "ReplicaSet") {
    if (const auto name = DeploymentOf(owner_name)) return Key(namespace_name, "Deployment", *name);
  }
  if (owner_kind == "Job") {
    if (const auto name = CronJobOf(owner_name)) return Key(namespace_name, "CronJob", *name);
  }
  return Key(namespace_name, owner_kind, owner_name);
}

std::string WorkloadOf(const cluster::Pod& pod, std::string_view node) {
  return WorkloadOf(pod.namespace_name, pod.name, pod.owner_kind, pod.owner_name,
                    pod.Bound() ? std::string_view(pod.node_name) : node);
}

std::string GuessWorkload(std::string_view namespace_name, std::string_view pod_name, std::string_view node) {
  const auto parts = Split(pod_name);
  if (!parts) return Key(namespace_name, "Pod", pod_name);
  if (parts->suffix.size() == kRandomSuffix && MadeOf(parts->suffix, kSafeLetters)) {
    if (const auto name = DeploymentOf(parts->stem)) return Key(namespace_name, "Deployment", *name);
    if (const auto name = CronJobOf(parts->stem)) return Key(namespace_name, "CronJob", *name);
    // "db-22456" is an ordinal rather than five random letters that all happen to be digits.
    if (!MadeOf(parts->suffix, kDigits)) return DaemonSetKey(namespace_name, parts->stem, node);
  }
  if (!parts->suffix.empty() && MadeOf(parts->suffix, kDigits)) return Key(namespace_name, "StatefulSet", pod_name);
  return Key(namespace_name, "Pod", pod_name);
}

}  // namespace huygens::usage
