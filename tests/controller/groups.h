// Groups, workloads and reservations from short texts. Amounts are those of tests/quota/groups.h.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "controller/observed.h"
#include "tests/base/clock.h"
#include "tests/quota/groups.h"

namespace huygens::controller {

using quota::Amounts;
using quota::MakeGroup;
using quota::Of;
using quota::Pairs;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kNow;

// A Deployment ns/NAME of UID `uid`.
inline ObservedObject Observed(std::string uid, std::string name, Pairs usage) {
  return {std::move(uid), "Deployment.apps", "ns", std::move(name), Of(usage)};
}
inline ObservedObject Child(std::string uid, std::string name, Pairs usage) {
  return {std::move(uid), std::string(cluster::kGroupKind), "", std::move(name), Of(usage)};
}
inline cluster::QuotaReservation Reserved(std::string uid, std::string name, Pairs amounts,
                                          Time until = kNow + seconds(90)) {
  return {std::move(uid), "Deployment.apps", "ns", std::move(name), Of(amounts), until};
}
inline cluster::QuotaReservation ReservedChild(std::string uid, std::string name, Pairs amounts,
                                               Time until = kNow + seconds(90)) {
  return {std::move(uid), std::string(cluster::kGroupKind), "", std::move(name), Of(amounts), until};
}

}  // namespace huygens::controller
