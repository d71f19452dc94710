// A whole cluster in virtual time, from one plan: an API server, webhooks, controllers of which one leads, an extender,
// what kube-controller-manager does, and users. After each change of a stored object the invariants are looked at, and
// when everything has come to rest the accounts. The same plan always plays the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/controller_instance.h"
#include "tests/simulation/extender_instance.h"
#include "tests/simulation/kube_controllers.h"
#include "tests/simulation/plan.h"
#include "tests/simulation/truth.h"

namespace huygens::simulation {

// What happened, so that a test can see that something did.
struct Tally {
  uint64_t stored = 0, denied = 0, unavailable = 0, other = 0;  // requests of users
  uint64_t conflicts = 0;                                       // of writes of status by webhooks
  uint64_t restarts = 0;
  uint64_t advanced = 0, recalls = 0;  // charges that were answered out of an advance; advances that were asked back
  uint64_t settled = 0, expired = 0, superseded = 0;  // reservations
  int64_t hours = 0;                                  // milli-core-seconds that were counted
  Tally& operator+=(const Tally& other);
};

class World {
 public:
  // `tells`: keeps what happens for events(), which takes half as long again.
  explicit World(const Plan& plan, bool tells = false);

  // What did not hold; empty: everything did.
  std::string Run();
  const Tally& tally() const { return tally_; }
  // What happened to objects and instances, a line each, with the time.
  const std::vector<std::string>& events() const { return events_; }

 private:
  struct Payment {
    std::string group;
    Workload pod;
  };

  Surroundings Given();
  Stream NextStream() { return random_.Fork(++streams_); }
  void StartWebhook(size_t which);
  void CountWebhook(const WebhookInstance& webhook);
  void StartController(size_t which);
  void Execute(const Operation& operation);
  void ExecuteOnGroups(const Operation& operation);
  void ExecuteOnWorkloads(const Operation& operation);
  void ExecuteOnTransfers(const Operation& operation);
  void ExecuteFault(const Operation& operation);
  void Kill(const Operation& operation);
  void Lead(size_t which);
  // Asks again where nobody could judge.
  void Insist(std::function<void(Requests::Done)> ask, int tries, std::string what);
  void Heal();
  // One of those that are there; empty: none is.
  std::string Group(int which) const;
  std::string Object(std::string_view kind, int which) const;
  void Changed(std::string_view kind);
  void Fail(const std::string& why);
  void Note(const std::string& what);

  std::string CheckAtRest();
  std::string CheckInstances() const;
  std::string CheckHours();
  std::string CheckRoom();
  std::string Probe(size_t webhook, const cluster::BizGroupQuota& group, int64_t milli, bool fits);

  const Plan plan_;
  const bool tells_;
  CallFaults call_faults_;
  RequestFaults request_faults_;
  const Stream random_;
  uint64_t streams_ = 0;
  test::VirtualTime time_;
  ApiServer server_{time_};
  Truth truth_{server_};
  std::vector<std::unique_ptr<WebhookInstance>> webhooks_;
  std::vector<std::unique_ptr<ControllerInstance>> controllers_;
  size_t leader_ = 0;
  uint64_t terms_ = 0;
  int instances_ = 0;  // of webhooks, that were ever started
  std::unique_ptr<ExtenderInstance> extender_;
  Requests requests_;
  KubeControllers kube_;
  std::map<std::string, Payment> paid_;  // by UID of the pod: who paid when it was bound, and the pod as it was last
  bool moved_ = false, deleted_ = false;
  int objects_ = 0;
  Tally tally_;
  std::string failure_;
  std::vector<std::string> events_;
};

}  // namespace huygens::simulation
