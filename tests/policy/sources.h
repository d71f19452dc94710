// All that a rule may be made of, for tests of rules and of their entries: one place to change when there is more.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/registry.h"
#include "tests/kubelet/node_kinds.h"

namespace huygens::policy::test {

class RecordingWaker final : public Waker {
 public:
  void Gained(cluster::NodeIndex node) override { gained.push_back(node); }
  std::vector<cluster::NodeIndex> gained;
};

struct SourcesOfAll {
  explicit SourcesOfAll(usage::Options options = {}) : usage(std::move(options)) {}

  // As the core hands them to a rule with these needs.
  Sources For(const Needs& needs, const RuleOptions* options = nullptr) {
    return {.nodes = kinds.all,
            .kubelet = kinds.kubelet,
            .usage = needs.usage ? &usage : nullptr,
            .quota = needs.quota ? &quota : nullptr,
            .waker = needs.waker ? &waker : nullptr,
            .options = options};
  }

  kubelet::test::NodeKinds kinds;
  usage::Account usage;
  ResourceNames names;
  quota::Account quota{names, {}};
  RecordingWaker waker;
};

// A registered check, made as the core makes it, with the defaults of its options.
struct MadeCheck {
  MadeCheck(std::string_view name, SourcesOfAll& sources) : entry(*FindCheck(name)) {
    if (entry.options) options = entry.options();
    check = entry.make(sources.For(entry.needs, options.get()));
  }
  const CheckEntry& entry;
  std::unique_ptr<RuleOptions> options;
  std::unique_ptr<Check> check;
};

}  // namespace huygens::policy::test
