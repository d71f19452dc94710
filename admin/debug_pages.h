// The pages below /debug, each as an answer in pieces of some ten kilobytes, so that what one page takes in memory does
// not grow with the cluster. What belongs to the decision thread is looked up there, a slice for a piece: requests of
// kube-scheduler go between. A node or group that comes or goes meanwhile may or may not be listed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "admin/admin.h"
#include "net/server.h"

namespace huygens::admin {

class UsagePage;

class DebugPages {
 public:
  using Answer = std::function<void(net::Response)>;
  // Runs a task on the decision thread, unless the pages are gone by then.
  using PostToDecision = std::function<void(net::EventLoop::Task)>;
  // What is to be done for one page; called once, where `on_decision` says.
  struct Question {
    std::function<void(const Answer&)> ask;
    bool on_decision = true;
  };

  DebugPages(const AdminSources& sources, PostToDecision post) : sources_(sources), post_(std::move(post)) {}

  // `path` without a slash at its end. No `ask`: there is no such page.
  Question Find(std::string_view path, std::string_view query) const;

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
  void CollectUsage(const std::shared_ptr<UsagePage>& page, const Answer& answer) const;
  void Begin(Slice slice, const Answer& answer) const;
  void Continue(const std::shared_ptr<Page>& page, std::string piece,
                const std::function<void(std::string)>& done) const;

  const AdminSources& sources_;
  const PostToDecision post_;
};

}  // namespace huygens::admin
