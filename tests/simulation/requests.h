// What clients ask of the API server, from the review of each request to its object: which webhook is asked, how long
// everything takes, and what fails after the yes. As measured of kube-apiserver: an unconditional change that meets
// another one is judged again, one with a resource version is refused; what a webhook does not answer in ten seconds is
// refused; no request lasts longer than a minute.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tests/simulation/network.h"

namespace huygens::simulation {

enum class Outcome : uint8_t { kStored, kDenied, kUnavailable, kConflict, kExists, kNotFound, kLost };
std::string_view Name(Outcome outcome);

struct RequestFaults {
  double lost_after_yes = 0;  // another webhook refuses, or the API server dies
  double slow_store = 0;      // stored up to 45 s after our yes
};

class Requests {
 public:
  using Done = std::function<void(Outcome, const std::string& said)>;
  // Hands a review to a webhook; false: none listens there.
  using Ask = std::function<bool(int webhook, std::string review, std::function<void(std::string)> answer)>;

  Requests(test::VirtualTime& time, ApiServer& server, int webhooks, const RequestFaults& faults, Ask ask)
      : time_(time), server_(server), webhooks_(webhooks), faults_(faults), ask_(std::move(ask)) {}

  enum class Way : uint8_t { kPatch, kPut };

  // What is being deleted nobody changes: it makes no further pods, so nothing of it that grows is charged.

  void Create(Workload workload, Stream random, Done done);
  void Update(std::string_view kind, const std::string& name, Way way, std::function<void(Workload&)> change,
              Stream random, Done done);
  // By the subresource `scale`.
  void Scale(std::string_view kind, const std::string& name, Way way, int64_t replicas, Stream random, Done done);
  void CreateGroup(cluster::BizGroupQuota group, Stream random, Done done);
  void ChangeGroup(const std::string& name, Way way, std::function<void(Plain& hard)> change, Stream random, Done done);
  void DeleteGroup(const std::string& name, Stream random, Done done);
  // By huygens controller: the budget and the marks of transfers of a group as it was read. kube-apiserver drops a request,
  // and its reviews, when its client closes the connection: nothing is stored after `until`.
  void SetBudget(const cluster::BizGroupQuota& changed, Duration until, Stream random, Done done);

 private:
  struct Request {
    // The review of what is there now; empty: it is not there.
    std::function<std::string()> review;
    std::function<Status()> store;
    // Between our yes and the object.
    Duration slowest = std::chrono::seconds(45);
    // Of creations: whether the name was another object's since the yes. Those that come late then are lost: a reservation
    // is given up when its name has been another's for two seconds (docs/quota.md).
    std::function<std::function<bool()>()> watch_name;
    bool repeats = false;
    Stream random;
    Done done;
    Duration began{};
    int tries = 0;
  };
  using Shared = std::shared_ptr<Request>;

  void Begin(Request request);
  void Try(const Shared& request);
  void Judged(const Shared& request, const std::string& answer);
  void Store(const Shared& request, const std::string& answer);

  test::VirtualTime& time_;
  ApiServer& server_;
  const int webhooks_;
  const RequestFaults& faults_;
  const Ask ask_;
  uint64_t reviews_ = 0;
};

inline constexpr char kControllerUser[] = "system:serviceaccount:kube-system:huygens-controller";

// An AdmissionReview; `object` or `before` empty: null.
std::string Review(std::string_view uid, std::string_view kind_group, std::string_view kind,
                   std::string_view resource_group, std::string_view resource, std::string_view subresource,
                   std::string_view name, std::string_view operation, std::string_view object, std::string_view before,
                   bool dry_run = false, std::string_view user = "jane");
std::string ReviewOf(std::string_view uid, const Workload* before, const Workload& after, bool dry_run = false);

}  // namespace huygens::simulation
