// Where reflectors (and the manifest directory) deliver what they read. Called on the reflectors' threads, one per kind
// (the manifest directory: on its caller's): implementations pass it on to the thread that owns the state. Deliver may wait while much of what was delivered before is not
// worked off; the reflector then reads no further. Nothing is called after Reflector::Stop has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "cluster/watch_event.h"

namespace huygens::kube {

// Events of one kind in the order in which they are to be applied. A LIST comes as several batches: ListBegin opens the
// first, ListEnd closes the last. A LIST that fails half-way is begun anew, without a ListEnd in between.
struct WatchEventBatch {
  cluster::Kind kind = cluster::Kind::kNode;
  std::vector<cluster::WatchEvent> events;  // empty: only the resource version moved (a bookmark)
  // All changes of this kind up to here are contained once this batch is applied. 0 = says nothing (inside a LIST).
  // Numeric comparison is sound between versions of one kind since Kubernetes 1.35 (KEP-5504) and was true of every
  // release with etcd before.
  uint64_t resource_version = 0;
  // When the last byte of it had arrived, by a clock that nobody sets.
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();
  size_t bytes = 0;  // as it was read, in JSON; 0 where nothing was read for it
};

enum class WatchState : uint8_t {
  kListing,    // reading the whole kind
  kSynced,     // list delivered, watch open or about to open
  kBroken,     // cut or refused; tries again by itself, what was delivered stays
  kAbsent,     // the kind is not served, as without its CRD: an empty list was delivered; looked for again now and then
  kForbidden,  // ResourceClaims and DeviceClasses, 403: what was delivered stays; tries again by itself
};
std::string_view Name(WatchState state);  // "listing", ...

struct WatchReport {
  cluster::Kind kind = cluster::Kind::kNode;
  WatchState state = WatchState::kListing;
  std::string why;  // kBroken, kAbsent, kForbidden: one line for the operator; holds no secret
};

class WatchEventSink {
 public:
  virtual ~WatchEventSink() = default;
  virtual void Deliver(WatchEventBatch batch) = 0;
  // Told on each change of state, and when the reason of kBroken changes.
  virtual void Report(WatchReport report) = 0;
  // One object could not be read. A topology object is delivered with its defect; a Node counts as gone, a pod stays as
  // it was. With `in_use` only a part of it, which is ignored. Told once for as long as the fault stays the same, and
  // once more with no fault when it is mended or gone.
  virtual void ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) = 0;
};

}  // namespace huygens::kube
