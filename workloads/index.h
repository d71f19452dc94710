// All workloads of the kinds that are charged, of a group or not, as the watches last told of them: a Scale names its
// workload by UID, an autoscaler by name, and has neither labels nor a template. Owned by one thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/text.h"
#include "workloads/object.h"

namespace huygens::workloads {

class WorkloadIndex {
 public:
  void Set(WorkloadObject workload);
  void Remove(std::string_view uid);

  // Those that name the group, in the order of their UIDs.
  void ForEachOf(std::string_view group, absl::FunctionRef<void(const WorkloadObject&)> visit) const;
  void ForEach(absl::FunctionRef<void(const WorkloadObject&)> visit) const;
  size_t size() const { return by_uid_.size(); }
  // Null if there is none.
  const WorkloadObject* ByUid(std::string_view uid) const;
  const WorkloadObject* ByName(std::string_view group, std::string_view kind, std::string_view namespace_name,
                               std::string_view name) const;

 private:
  TextMap<WorkloadObject> by_uid_;
  TextMap<std::string> uids_;                                           // by group, kind, namespace and name
  std::map<std::string, std::set<std::string>, std::less<>> of_group_;  // UIDs by the group that they name
};

}  // namespace huygens::workloads
