// An API server inside the test process: LIST, WATCH, GET, create, update, merge patch of the kinds that huygens uses,
// the binding subresource with the semantics measured on kube-apiserver 1.36, and faults on demand. Plain HTTP on a
// free loopback port; a thread per connection.
//
// All functions may be called from any thread. Waiting functions give up after 30 s and say so by returning false.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "net/client.h"
#include "tests/fake/connection.h"

namespace huygens::fake {

inline constexpr char kPods[] = "/api/v1/pods";
inline constexpr char kNodes[] = "/api/v1/nodes";
inline constexpr char kEvents[] = "/api/v1/events";
inline constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/leases";
inline constexpr char kCrane[] = "/apis/topology.crane.io/v1alpha1/noderesourcetopologies";
inline constexpr char kCommunity[] = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";
inline constexpr char kResourceClaims[] = "/apis/resource.k8s.io/v1/resourceclaims";
inline constexpr char kDeviceClasses[] = "/apis/resource.k8s.io/v1/deviceclasses";
inline constexpr char kResourceClaimsBeta[] = "/apis/resource.k8s.io/v1beta1/resourceclaims";  // not installed at first
inline constexpr char kReplicationControllers[] = "/api/v1/replicationcontrollers";
inline constexpr char kDeployments[] = "/apis/apps/v1/deployments";
inline constexpr char kReplicaSets[] = "/apis/apps/v1/replicasets";
inline constexpr char kStatefulSets[] = "/apis/apps/v1/statefulsets";
inline constexpr char kJobs[] = "/apis/batch/v1/jobs";
inline constexpr char kRollouts[] = "/apis/argoproj.io/v1alpha1/rollouts";  // not installed at first
inline constexpr char kSecrets[] = "/api/v1/secrets";
inline constexpr char kConfigMaps[] = "/api/v1/configmaps";
inline constexpr char kValidatingWebhooks[] = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
inline constexpr char kQuotaTransfers[] = "/apis/quota.huygens.dev/v1alpha1/quotatransfers";
inline constexpr char kRecommendationTemplates[] = "/apis/huygens.dev/v1alpha1/recommendationtemplates";
inline constexpr char kRecommendations[] = "/apis/huygens.dev/v1alpha1/recommendations";
inline constexpr char kRecommendationCheckpoints[] = "/apis/huygens.dev/v1alpha1/recommendationcheckpoints";
inline constexpr char kSchedulingRules[] = "/apis/huygens.dev/v1alpha1/schedulingrules";
inline constexpr char kPodMigrations[] = "/apis/huygens.dev/v1alpha1/podmigrations";
inline constexpr char kNamespaces[] = "/api/v1/namespaces";
inline constexpr char kPriorityClasses[] = "/apis/scheduling.k8s.io/v1/priorityclasses";
inline constexpr char kPodMetrics[] = "/apis/metrics.k8s.io/v1beta1/pods";
inline constexpr char kBizGroupQuotas[] = "/apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas";

// Lets what is held go on.
class Gate {
 public:
  void Open();
  // Waits until something is held; false after 30 s.
  bool AwaitArrival();
  // Blocks until Open; false if `stopped` became true first.
  bool Pass(const std::function<bool()>& stopped);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool arrived_ = false;
};

// What happens to the next `times` requests that match. Faults are tried in the order in which they were added.
struct Fault {
  enum class What {
    kReply,      // `code`, `body`, `headers` instead of the real answer; nothing takes effect
    kHold,       // nothing happens until `gate` opens, then the request is served as usual
    kHang,       // nothing ever happens; nothing takes effect
    kCutBefore,  // the connection is cut; nothing takes effect
    kCutAfter,   // it takes effect, but the connection is cut instead of an answer
    kCutInBody,  // it takes effect, but only half of the answer arrives
    kHoldAnswer  // it takes effect at once; the answer waits for `gate`
  };
  What what = What::kReply;
  std::string method;  // empty: any
  std::string path;    // part of "path?query", or with a $ behind it the end of that; empty: any
  int times = 1;       // -1: for ever
  int code = 500;
  std::string body;  // empty: a Status object with this code
  std::string content_type = "application/json";
  std::string headers = "";  // "Retry-After: 1\r\n"
  std::shared_ptr<Gate> gate = nullptr;
};

class ApiServer {
 public:
  ApiServer();
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  net::ClientOptions Options() const;
  uint16_t port() const;

  // Objects, as JSON text with apiVersion and kind. Put creates or replaces, gives a UID where there is none, and
  // returns the UID.
  std::string Put(const std::string& json);
  void Delete(const std::string& collection, const std::string& namespace_name, const std::string& name);
  // Empty if there is none.
  std::string Get(const std::string& collection, const std::string& namespace_name, const std::string& name) const;
  size_t Count(const std::string& collection) const;
  // Node of a pod; empty while it has none.
  std::string NodeOf(const std::string& namespace_name, const std::string& pod) const;
  uint64_t version() const;
  // Custom resources are installed unless told otherwise; removing them removes their objects and ends their watches.
  void Install(const std::string& collection, bool installed);
  // The definition of the collection has no such field of status: it is dropped whenever it is written.
  void DropFromStatus(const std::string& collection, const std::string& field);

  void Inject(Fault fault);
  void ClearFaults();

  // Requests seen so far, as "METHOD path?query", in order of arrival.
  std::vector<std::string> Requests() const;
  int Seen(std::string_view method, std::string_view part) const;
  bool AwaitSeen(std::string_view method, std::string_view part, int count) const;
  std::string last_body() const;
  std::string last_authorization() const;

  // Watches. A version before the last Compact is answered with 410.
  void Compact();
  bool AwaitWatch(const std::string& collection, int opened = 1) const;  // counts all that were ever opened
  void EndWatches(const std::string& collection);                        // in order
  void CutWatches(const std::string& collection);                        // in the middle
  // From now on this collection's watches stay open and say nothing, or go on.
  void Silence(const std::string& collection, bool silent);
  void Bookmark(const std::string& collection);
  // Bytes as they are: a line of one's own, half a line, an event again.
  void SendToWatches(const std::string& collection, std::string bytes);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::fake
