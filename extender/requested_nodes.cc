#include "extender/requested_nodes.h"

namespace huygens::extender {

RequestedNodes::RequestedNodes(const ExtenderArgs& args) {
  if (args.node_names) {
    names_ = *args.node_names;
    if (!args.node_names_json.empty()) name_text_ = NameText::kVerbatim;
  } else if (args.nodes) {
    objects_ = &*args.nodes;
    object_names_.reserve(objects_->items.size());
    for (const RequestNode& node : objects_->items) object_names_.push_back(node.name);
    names_ = object_names_;
  }
}

}  // namespace huygens::extender
