#include "placement/node_lookup.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

// Whatever was asked before, and however the nodes changed since: the answer is that of the State.
RC_GTEST_PROP(NodeLookup, FindsWhatTheStateFinds, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  auto pick = [&](size_t below) { return static_cast<size_t>(random() % below); };
  cluster::State state;
  NodeLookup lookup;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("node-" + std::to_string(i));
  std::vector<std::string_view> asked(names.begin(), names.end());
  for (int round = 0; round < 60; ++round) {
    switch (pick(6)) {
      case 0:
        state.Apply(cluster::NodeSet{test::MakeNode(names[pick(names.size())])});
        break;
      case 1:
        state.Apply(cluster::NodeGone{names[pick(names.size())]});
        break;
      case 2:
        for (const std::string& name : names) state.Apply(cluster::NodeSet{test::MakeNode(name)});
        break;
      case 3:
        std::shuffle(asked.begin(), asked.end(), random);
        break;
      case 4:
        asked.resize(1 + pick(asked.size()));
        break;
      default:  // a name missing, or twice
        for (size_t i = pick(5); i > 0; --i)
          asked.insert(asked.begin() + static_cast<std::ptrdiff_t>(pick(asked.size())), names[pick(names.size())]);
        if (pick(3) == 0) asked.assign(names.begin(), names.end());
    }
    std::vector<cluster::NodeIndex> nodes, expected_nodes;
    std::vector<uint32_t> positions, expected_positions;
    for (size_t i = 0; i < asked.size(); ++i) {
      if (auto node = state.FindNode(asked[i])) {
        expected_nodes.push_back(*node);
        expected_positions.push_back(static_cast<uint32_t>(i));
      }
    }
    lookup.Resolve(state, asked, nodes, positions);
    RC_ASSERT(nodes == expected_nodes);
    RC_ASSERT(positions == expected_positions);
  }
}

}  // namespace
}  // namespace huygens::placement
