// What of each Node object is ignored since nobody understands it: an annotation that cannot be read, a label or a
// ceiling that names what there is not. For /debug/nodes/NAME, and told once on the Node itself. Bounded. Decision
// thread only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "cluster/objects.h"
#include "kube/event_recorder.h"

namespace huygens::admin {

class NodeFaults {
 public:
  // Says it on the Node; returns at once.
  using Warn = std::function<void(const cluster::Node& node, const kube::PodWarning& warning)>;
  void OnNews(Warn warn) { warn_ = std::move(warn); }

  // An annotation could not be read. Nobody says when it can be again, so the text names the time. `known`: the Node;
  // null: it will be Seen.
  void Unreadable(std::string_view name, std::string_view fault, Time now, const cluster::Node* known);
  // What else of the node is ignored now; empty: nothing.
  void Seen(const cluster::Node& node, std::string_view unknown_settings);
  void Gone(std::string_view name) { faults_.erase(name); }

  std::vector<std::string> Of(std::string_view name) const;

 private:
  struct Fault {
    std::string settings;
    std::string unreadable;
    Time seen{};
    bool told = true;  // of what is unreadable
  };
  void Tell(const cluster::Node& node, std::string_view text) const;

  Warn warn_;
  TextMap<Fault> faults_;
};

}  // namespace huygens::admin
