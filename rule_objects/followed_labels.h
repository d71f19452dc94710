// Names and labels of one kind of objects, as the watch of an API server tells of them: of namespaces, which rules select
// by label, and of PriorityClasses, which they name. On the loop's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/label_selector.h"
#include "base/resource.h"
#include "base/status.h"
#include "base/text.h"
#include "informer/followed_objects.h"
#include "net/client.h"
#include "rule_objects/name_and_labels.h"

namespace huygens::rule_objects {

inline constexpr std::string_view kNamespacesPath = "/api/v1/namespaces";
inline constexpr std::string_view kPriorityClassesPath = "/apis/scheduling.k8s.io/v1/priorityclasses";

class FollowedLabels final : public informer::FollowedObjects {
 public:
  // `name`: "namespaces". What is referred to must outlive this.
  FollowedLabels(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                 observe::Metrics& metrics)
      : FollowedObjects(std::move(name), names, loop, log, metrics) {}
  ~FollowedLabels() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server, std::string_view path);

  // Null: there is no such object. Until the next event.
  const Labels* Find(std::string_view name) const;
  // Called after each change.
  void OnChange(std::function<void()> call) { on_change_ = std::move(call); }

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override;

  TextMap<NameAndLabels> by_name_;
  TextMap<std::string> names_;  // by UID: who was deleted may have a successor of his name already
  std::function<void()> on_change_;
};

}  // namespace huygens::rule_objects
