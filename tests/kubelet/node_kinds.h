// The kinds of nodes that there are, for tests of what asks them.
#pragma once

#include <memory>
#include <utility>

#include "kubelet/account.h"
#include "kubelet/settings.h"
#include "topology/node_kinds.h"
#include "topology/zone_account.h"

namespace huygens::kubelet::test {

struct NodeKinds {
  explicit NodeKinds(topology::Options zone_options = {}, const Options& defaults = Defaults())
      : kubelet(all.Add(std::make_unique<Account>(defaults))),
        zones(all.Add(std::make_unique<topology::ZoneAccount>(std::move(zone_options)))) {}

  topology::NodeKinds all;
  Account& kubelet;
  topology::ZoneAccount& zones;
};

}  // namespace huygens::kubelet::test
