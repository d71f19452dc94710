// Where the API server lists the kinds that huygens reads, and what it means if it does not. Pure but for
// ReadResourceVersion; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "cluster/watch_event.h"
#include "net/client.h"

namespace huygens::kube {

// "/api/v1/pods", "/apis/topology.crane.io/v1alpha1/noderesourcetopologies". Of a kind that is read in several versions
// the newest first.
std::span<const std::string_view> ListPaths(cluster::Kind kind);
inline std::string_view ListPath(cluster::Kind kind) { return ListPaths(kind).front(); }

// Whether a cluster may well be without: custom resources, whose definition may not be installed, and what dynamic
// resource allocation brings.
bool IsOptional(cluster::Kind kind);
// Whether it is of dynamic resource allocation. An install of an earlier huygens does not allow to read these; then
// only pods of groups with budgets of devices suffer.
bool IsOfDevices(cluster::Kind kind);

// Why a LIST in all versions was answered with 404.
std::string_view WhyAbsent(cluster::Kind kind);
// Of a kind of IsOfDevices: what the API server said, and the rule that is missing.
std::string WhyForbidden(cluster::Kind kind, const net::HttpReply& reply);

// The resource version at which the API server stands for `kind` now, by a LIST of at most one object. Whoever has seen
// that version knows every change made before this call. Errors are those of CallForObject. Blocking; any thread that
// owns the client.
StatusOr<uint64_t> ReadResourceVersion(net::Client& client, cluster::Kind kind, Duration timeout);
// The same of a kind that is listed at the first of `paths` that the API server serves; 0: it serves none of them.
StatusOr<uint64_t> ReadResourceVersion(net::Client& client, std::span<const std::string> paths, Duration timeout);

}  // namespace huygens::kube
