// A kind of objects as an API server serves it: where it is listed, and how its objects are read. Made once, then only
// read; its functions are called on the threads of reflectors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "cluster/watch_event.h"
#include "kube/decoded_object.h"
#include "net/client.h"

namespace huygens::kube {

struct Resource {
  cluster::Kind kind = cluster::Kind::kWorkload;
  std::vector<std::string> paths;  // of the list, "/apis/apps/v1/deployments"; the newest version first
  bool optional = false;           // a cluster may well be without: 404 is an empty list
  std::string why_absent;          // of an optional one, for the operator
  // Of a kind that huygens can do without where nobody allows to list it; null: it cannot.
  std::function<std::string(const net::HttpReply&)> why_forbidden;
  std::function<DecodedObject(std::string_view json, uint64_t resource_version)> present;
  std::function<DecodedObject(std::string_view json)> deleted;
};

// One of cluster::kKinds. `names` must outlive it.
Resource ResourceOf(cluster::Kind kind, ResourceNames& names);

}  // namespace huygens::kube
