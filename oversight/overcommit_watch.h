// What is given away more than once, whatever the cause: two instances that bound at the same time, a budget or a real
// capacity that was lowered, pods whose labels changed or that were resized in place, a zone that shrank or went. The
// metric, an item of /readyz?verbose, a log line when there is more of it, or none any more, and an Event on each pod
// that was resized beyond its zones. Decision thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/core_context.h"
#include "observe/readiness.h"

namespace huygens::oversight {

class OvercommitWatch {
 public:
  explicit OvercommitWatch(admin::CoreContext& context) : context_(context) {}

  // Looks every ten seconds: a few hundred microseconds for 5000 nodes. The others tell what was found then, since
  // whoever reaches the port can ask for metrics as often as he likes.
  void EverySecond();
  void RefreshMetrics() const;
  // Nothing where all is well.
  std::optional<observe::Readiness::Item> Describe() const;

 private:
  struct Found {
    size_t zones = 0;
    size_t nodes = 0;  // above a usage ceiling at the peak of their week, by fresh figures
    size_t groups = 0;
    std::vector<std::string> examples;                          // names, of each a few
    std::vector<std::shared_ptr<const cluster::Pod>> outgrown;  // resized in place, and hold such zones
    // What the enforced checks should have kept from happening.
    size_t unexpected = 0;
  };

  Found Look() const;
  std::string What(const Found& found) const;  // "1 zone and 2 groups"
  void LookAtNode(cluster::NodeIndex node, Time now, Found& found) const;
  void LookAtGroups(Found& found) const;
  void TellOutgrown() const;
  bool Enforces(placement::Need need) const { return context_.placement.Enforces(need); }

  admin::CoreContext& context_;
  int seconds_left_ = 1;
  Found found_;
  size_t told_ = 0;  // as last logged
};

}  // namespace huygens::oversight
