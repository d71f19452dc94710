// The node names of a decision, packed. Calls in a row mostly name the same nodes: such decisions share one copy, which
// is what lets the last thousand of them stay in memory on a cluster of thousands of nodes. Immutable; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace huygens::observe {

class NodeNames {
 public:
  // `last` itself if it holds the same names (found by one comparison of memory where they stand in a request's body),
  // else a new one. `last` may be null. Names beyond 65535 bytes are cut.
  static std::shared_ptr<const NodeNames> Of(std::span<const std::string_view> names,
                                             std::shared_ptr<const NodeNames> last);

  size_t size() const { return lengths_.size(); }
  size_t bytes() const;
  // All names, in order; views into this object.
  std::vector<std::string_view> List() const;

 private:
  std::string text_;  // the names back to back, or with `gap_` bytes between two of them
  std::vector<uint16_t> lengths_;
  size_t gap_ = 0;
};

}  // namespace huygens::observe
