// What must stand in the status of a group before a yes is said.
#pragma once

#include <string>

#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"

namespace huygens::advances {

// `increase` is what the reservation adds to what is
// used; nothing, where an earlier review of the object has charged as much.
struct Charge {
  std::string group;
  cluster::QuotaReservation reservation;  // without its time
  quota::Amounts increase;
  bool of_child = false;    // a group below this one, not a workload
  bool created = false;     // the object is a new one
  bool name_taken = false;  // another object has the name still, so that this one cannot be stored now
  quota::Amounts usage;     // all that the object takes, also of keys that the group does not limit; of workloads
  friend bool operator==(const Charge&, const Charge&) = default;
};

}  // namespace huygens::advances
