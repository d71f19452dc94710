// A directory of YAML and JSON files that stands in for an API server: Nodes, Pods, NodeResourceTopologies (of both
// groups), BizGroupResourceQuotas, ResourceClaims, ResourceClaimTemplates and DeviceClasses, also inside a List,
// several documents to a file, sub-directories included. Read once; decoded by the same decoders; delivered as the
// LISTs of an API server would be. Binds change the copy in memory and, with `write_back`, are kept as a core/v1
// Binding per pod in the sub-directory "bindings", which the next load applies (the files of the user stay as they
// are).
//
// Errors name file and line, all at once. An object that cannot be read stops the load: a typo must not silently remove
// a node. So does a BizGroupResourceQuota that its definition refuses (wire/biz_group_schema.h). An annotation of a
// Node that cannot be read is reported and ignored, as everywhere. `kind: UsageHistory` (wire/usage_history.h) is read,
// too. Other kinds are reported and passed over. An object without a UID gets one made from its kind, namespace and
// name. Blocking; one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/text.h"
#include "base/time.h"
#include "cluster/watch_event.h"
#include "kube/binder.h"
#include "kube/pod_place.h"
#include "kube/watch_event_sink.h"
#include "wire/usage_history.h"

namespace huygens::kube {

struct ManifestObject;

class ManifestDirectory {
 public:
  // `set_defaults` fills in what the API server fills in when it stores a pod.
  using SetDefaults = void (*)(cluster::Pod&);
  ManifestDirectory(std::string directory, bool write_back, ResourceNames& names, SetDefaults set_defaults);
  ~ManifestDirectory();

  // Reads everything, once. `notices` receives one line per thing that was passed over, the error one per fault.
  Status Load(std::vector<std::string>& notices);
  // Delivers each kind as one LIST.
  void Deliver(WatchEventSink& sink) const;
  const std::vector<wire::UsageHistory>& usage_histories() const { return usage_histories_; }

  // What the API server would do with this Binding, with the same verdicts. `unlisted` is the pod as filter saw it, for
  // one that the directory does not hold; may be null. When bound, `news` gets the event to apply. A Binding that
  // cannot be written (disk full) refuses the bind and changes nothing.
  BindOutcome Bind(const BindRequest& request, const std::shared_ptr<const cluster::Pod>& unlisted,
                   std::vector<cluster::WatchEvent>& news);
  // What became of a request.
  BindOutcome Settle(const BindRequest& request) const;
  // Null if there is none.
  std::shared_ptr<const cluster::Pod> FindPod(std::string_view namespace_name, std::string_view name) const;

 private:
  struct PodEntry {
    std::shared_ptr<const cluster::Pod> pod;
    PodPlace place;
  };

  Status Add(const ManifestObject& object, std::vector<std::string>& notices);
  Status AddPod(const ManifestObject& object);
  void CheckUsageNodes(std::vector<std::string>& notices) const;
  void CheckGroupParents(std::vector<std::string>& notices) const;
  Status ApplyBinding(const ManifestObject& object, std::vector<std::string>& notices);
  void Place(PodEntry& entry, const BindRequest& request);
  Status WriteBinding(const BindRequest& request) const;

  const std::string directory_;
  const bool write_back_;
  ResourceNames& names_;
  const SetDefaults set_defaults_;
  struct Ignored {
    cluster::Kind kind;
    std::string object;
    Status fault;
  };
  std::vector<Ignored> ignored_;                           // of objects that are in use
  std::vector<std::vector<cluster::WatchEvent>> objects_;  // by kind, as read; pods live in pods_
  TextMap<PodEntry> pods_;                                 // by namespace/name
  std::vector<std::string> pod_order_;                     // keys of pods_, as read
  std::vector<wire::UsageHistory> usage_histories_;        // as read
  TextMap<std::string> places_;                            // where each object was defined
};

}  // namespace huygens::kube
