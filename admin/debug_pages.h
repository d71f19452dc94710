// The pages below /debug of a service with a decision core, each as an answer in pieces of some ten kilobytes, so that
// what one page takes in memory does not grow with the cluster. What belongs to the decision thread is looked up there,
// a slice for a piece: requests of kube-scheduler go between. A node or group that comes or goes meanwhile may or may
// not be listed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/pages.h"
#include "admin/recent_pods.h"
#include "admin_api/not_heard_of.h"
#include "base/resource.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/decision_ring.h"
#include "placement/placement.h"

namespace huygens::admin {

class QuotaPackages;
class UsagePage;

// Everything referred to must outlive the pages.
struct DebugSources {
  net::EventLoop& decision;
  placement::Placement& placement;  // asked, never changed
  const ResourceNames& resources;
  const observe::DecisionRing& decisions;
  const RecentPods& pods;
  const Clock& clock;
  // What of a Node object is ignored; called on the decision thread; may be empty.
  std::function<std::vector<std::string>(std::string_view node)> node_faults = nullptr;
  // Of which kinds nothing was heard for so long that it should be said; as above.
  std::function<std::vector<admin_api::NotHeardOf>()> not_heard_of = nullptr;
  // What is moved (admin_api/reschedule_document.h), as JSON; as above.
  std::function<std::string()> reschedule = nullptr;
};

// Ends on the decision thread: what is still to be done there then is not.
class DebugPages final : public Pages {
 public:
  explicit DebugPages(DebugSources sources) : sources_(std::move(sources)) {}

  Question Find(std::string_view path, std::string_view query) const override;
  std::string_view Endpoints() const override;

 private:
  // Appends some of the page and says whether there is more. Called on the decision thread.
  using Slice = std::function<bool(std::string&)>;
  struct Page {
    Slice slice;
    bool ended = false;
  };

  Question Decisions(std::string_view query) const;
  Question Nodes() const;
  Question Node(std::string name) const;
  Question Usage(std::string_view query) const;
  Question Quotas(std::string_view query) const;
  Question PodQuota(std::string_view path) const;
  Question Pod(std::string_view path) const;

  // Of the names in a path; null if neither the watch nor the last calls of filter know it.
  std::shared_ptr<const cluster::Pod> FindPod(const std::string& space, const std::string& name) const;
  std::vector<admin_api::NotHeardOf> NotHeard() const;
  void PostToDecision(net::EventLoop::Task task) const;
  void CountPackages(const std::shared_ptr<QuotaPackages>& packages, const std::string& group,
                     const Answer& answer) const;
  void CollectUsage(const std::shared_ptr<UsagePage>& page, const Answer& answer) const;
  void Begin(Slice slice, const Answer& answer) const;
  void Continue(const std::shared_ptr<Page>& page, std::string piece,
                const std::function<void(std::string)>& done) const;

  const DebugSources sources_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::admin
