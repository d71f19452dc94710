// The nodes a filter or prioritize request names, in either of its two forms: NodeNames (nodeCacheCapable: true) or
// whole Node objects.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "extender/extender_answer.h"
#include "extender/extender_args.h"

namespace huygens::extender {

class RequestedNodes {
 public:
  // Names win where both lists came; neither list is a request for no node. `args` must outlive this.
  explicit RequestedNodes(const ExtenderArgs& args);

  std::span<const std::string_view> names() const { return names_; }
  // How the names may be written back.
  NameText name_text() const { return name_text_; }
  // Set when the request came with objects: the answer returns objects, too.
  const NodeList* objects() const { return objects_; }

 private:
  std::span<const std::string_view> names_;
  std::vector<std::string_view> object_names_;
  const NodeList* objects_ = nullptr;
  NameText name_text_ = NameText::kPlain;
};

}  // namespace huygens::extender
