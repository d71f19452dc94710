// Builds groups, pods and amounts from short texts.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "quota/check.h"
#include "quota/keys.h"
#include "quota/pod_usage.h"
#include "quota/tree.h"
#include "tests/cluster/build.h"

namespace huygens::quota {

using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

inline Amounts Of(Pairs pairs) {
  Amounts amounts;
  for (const auto& [key, text] : pairs) Set(amounts, key, *Quantity::Parse(text));
  return amounts;
}

inline cluster::BizGroupQuota MakeGroup(std::string name, std::string parent, Pairs hard) {
  cluster::BizGroupQuota group;
  group.name = std::move(name);
  group.parent = std::move(parent);
  group.hard = Of(hard);
  return group;
}

inline Verdict CheckAgainst(const Amounts& hard, const Amounts& used, const Amounts& increase) {
  return CheckIncrease(hard, [&](std::string_view key) { return Find(used, key); }, increase);
}

// One container with requests = limits.
inline cluster::Pod MakePod(int64_t milli_cpu, int64_t memory = 0) {
  ResourceVector amounts{{kCpu, milli_cpu}};
  if (memory > 0) amounts.Set(kMemory, memory);
  cluster::Pod pod = *test::NamedPod("p", amounts);
  pod.containers[0].name = "app";
  return pod;
}

inline cluster::QuotaLabels Labels(std::string group, std::string cpu = "", std::string gpu = "",
                                   std::string memory = "") {
  return {std::move(group), std::move(cpu), std::move(gpu), std::move(memory)};
}

using PodPointer = std::shared_ptr<const cluster::Pod>;

inline PodPointer Labelled(std::string uid, cluster::Pod pod, cluster::QuotaLabels labels) {
  pod.uid = pod.name = std::move(uid);
  pod.quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
  return std::make_shared<const cluster::Pod>(std::move(pod));
}
inline PodPointer Bound(const PodPointer& pod, std::string node) {
  auto bound = std::make_shared<cluster::Pod>(*pod);
  bound->node_name = std::move(node);
  return bound;
}
inline PodPointer Relabelled(const PodPointer& pod, cluster::QuotaLabels labels) {
  return Labelled(pod->uid, *pod, std::move(labels));
}

inline Amounts UsageOf(const cluster::Pod& pod, const cluster::QuotaLabels& labels = {}) {
  static const ResourceNames names;
  return PodUsage(pod, labels, names, {});
}

// `count` pods of `cores` cores each, of a model or none.
inline Amounts Cores(int64_t cores, std::string model = "") {
  return UsageOf(MakePod(cores * 1000), Labels("", std::move(model)));
}

inline std::string Used(const Tree& tree, std::string_view group, std::string_view key) {
  return Get(tree.groups().find(group)->second.used, key).Canonical();
}

// Whether `increase` fits into the group.
inline Verdict Check(const Tree& tree, std::string_view name, const Amounts& increase) {
  const Group* group = tree.Find(name);
  if (Verdict standing = tree.Standing(group); !standing.fits()) return standing;
  return group->Check(group->object->hard, increase);
}

inline std::string Why(const Tree& tree, std::string_view group, const Amounts& increase) {
  return Text(Check(tree, group, increase), group);
}

}  // namespace huygens::quota
