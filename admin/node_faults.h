// What of each Node object is ignored since nobody understands it: an annotation that cannot be read, a label or a
// ceiling that names what there is not. For /debug/nodes/NAME, and told once on the Node itself. Bounded. Decision
// thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cluster/objects.h"
#include "kube/event_recorder.h"

namespace huygens::admin {

class NodeFaults {
 public:
  // Says it on the Node; returns at once.
  using Warn = std::function<void(const cluster::Node& node, const kube::PodWarning& warning)>;
  void OnNews(Warn warn) { warn_ = std::move(warn); }

  // What can be ignored of a node, each told by itself: settings that its labels name and ceilings of nothing, what
  // cannot be read of its annotations, and what cannot of its topology object. The last is all of that object, which
  // is only told: whoever asks is told the defect itself.
  enum Part : uint8_t { kSettings, kAnnotations, kTopology, kDefect };

  // What of the part is ignored now; empty: nothing any more. `known`: the Node; null: it will be Seen.
  void Set(std::string_view name, Part part, std::string fault, const cluster::Node* known);
  // The Node is there, with these settings of its own.
  void Seen(const cluster::Node& node, std::string unknown_settings);
  // Whoever reads its objects says of these themselves that they are gone.
  void Gone(std::string_view name) { Set(name, kSettings, "", nullptr); }

  std::vector<std::string> Of(std::string_view name) const;

 private:
  struct Fault {
    std::string text;
    bool told = false;
  };
  using Faults = std::array<Fault, kDefect + 1>;
  void Tell(const cluster::Node& node, Faults& faults) const;

  Warn warn_;
  TextMap<Faults> faults_;
};

}  // namespace huygens::admin
