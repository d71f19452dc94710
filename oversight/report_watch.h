// What checks in mode `report` would have refused: how many pods on how many nodes and why, for the log every ten
// minutes and for /readyz?verbose; and if the operator asked for them, Events on the pods. Decision thread only.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/core_context.h"
#include "base/text.h"
#include "observe/readiness.h"

namespace huygens::oversight {

class ReportWatch {
 public:
  // `context` must outlive it. `events`: warn the pods' owners, too.
  ReportWatch(admin::CoreContext& context, bool events);

  void Filter(const cluster::Pod& pod, const placement::FilterAnswer& answer);
  // The pod was bound to this node, which these checks would have refused.
  void Bound(const cluster::Pod& pod, std::string_view node, std::span<const placement::NodeReport> reports);
  void EverySecond();
  // One for each check that only reports, or lately did.
  std::vector<observe::Readiness::Item> Describe() const;

 private:
  struct Tally {
    Time since{};
    TextSet pods;          // UIDs of those that it would have kept off some node, as many as are remembered ...
    TextSet without_node;  // ... or off every one
    std::vector<bool> nodes;
    std::array<uint64_t, std::size(policy::kReasons)> reasons{};

    void Add(const Tally& other);
    // "limits of X (12 times), Y (once)", the most frequent first.
    std::string Why() const;
  };
  struct Checked {
    std::string name;
    Tally current, last;
  };

  Checked& Of(std::string_view check);

  admin::CoreContext& context_;
  const bool events_;
  std::vector<Checked> checks_;
  int seconds_ = 0;
  int period_;  // seconds that the current tally is kept for
};

}  // namespace huygens::oversight
