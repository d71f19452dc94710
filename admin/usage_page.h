// /debug/usage?by=RESOURCE&limit=N&RESOURCE=SIZE...: the nodes that will be used most at their weekly peak, and how
// many more pods of a size they would take (admin_api/usage_document.h). Parse on any thread, the rest on the decision
// thread unless it says otherwise, in steps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "placement/placement.h"

namespace huygens::admin {

class UsagePage {
 public:
  static StatusOr<UsagePage> Parse(std::string_view query, const placement::Options& options,
                                   const ResourceNames& resources);

  // Looks at the next nodes; false once it has looked at all.
  bool Step(const placement::Placement& placement, const ResourceNames& resources, Time now);
  // What comes before the rows, once all were looked at.
  std::string Begin(const placement::Placement& placement, Time now);
  // The next rows, about `bytes` of them, and what comes behind the last one; then nothing. Any thread, after Begin.
  std::string NextRows(size_t bytes);

 private:
  struct Row {
    std::string name;
    double share = 0;
    int64_t fits = 0;
    std::string json;
  };

  void Add(const placement::Placement& placement, cluster::NodeIndex node, const ResourceNames& resources, Time now);

  size_t by_ = 0;
  size_t limit_ = 20;
  std::optional<cluster::Pod> size_;
  cluster::NodeIndex next_ = 0;
  std::vector<Row> rows_;
  size_t next_row_ = 0;
  bool ended_ = false;
};

}  // namespace huygens::admin
