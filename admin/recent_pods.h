// The pods that filter and prioritize were last asked about. kube-scheduler sends the whole pod with both calls, mostly
// the same bytes, and bind then names it only by UID: the watch may not have shown it yet, or (manifest backend) never
// will. Decision thread only.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"
#include "wire/unknown_annotations.h"

namespace huygens::admin {

class RecentPods {
 public:
  using Defaults = void (*)(cluster::Pod&);
  // `set_defaults`, if given, does to each pod what an API server would have done.
  RecentPods(ResourceNames& resources, size_t capacity, Defaults set_defaults = nullptr)
      : resources_(resources), capacity_(capacity), set_defaults_(set_defaults) {}

  // Decodes a pod and remembers it. The bytes of the call before are not decoded again.
  StatusOr<std::shared_ptr<const cluster::Pod>> Decode(std::string_view json);
  // Null if the UID was not seen among the last `capacity` pods.
  std::shared_ptr<const cluster::Pod> Find(std::string_view uid) const;
  // The one of this name that came last; looks through all, for questions of people.
  std::shared_ptr<const cluster::Pod> Find(std::string_view namespace_name, std::string_view name) const;
  // What of its annotations counts as absent since nobody understands it; empty for a pod that is not remembered.
  std::span<const wire::UnknownAnnotation> Unknown(std::string_view uid) const;

 private:
  struct Remembered {
    std::shared_ptr<const cluster::Pod> pod;
    std::vector<wire::UnknownAnnotation> unknown;
  };

  ResourceNames& resources_;
  size_t capacity_;
  Defaults set_defaults_;
  std::string last_json_;
  std::shared_ptr<const cluster::Pod> last_;
  TextMap<Remembered> pods_;       // by UID
  std::deque<std::string> order_;  // UIDs, oldest first
};

}  // namespace huygens::admin
