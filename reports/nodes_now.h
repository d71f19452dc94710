// What huygens says of a pod's nodes now, by node, for `huygens explain`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "admin_api/pod_document.h"
#include "policy/reason.h"

namespace huygens::reports {

class NodesNow {
 public:
  // Null: nothing is known. It must outlive this.
  explicit NodesNow(const admin_api::PodDocument* pod);

  // Null: the node would take the pod, or nothing is known of it.
  const admin_api::PodDocument::Node* Find(std::string_view node) const;
  // Whether it would, now or but for the requests of others.
  bool Fits(std::string_view node) const { return fits_.contains(node); }
  // Whether it would take the pod now though it was refused there.
  bool FitsSince(std::string_view node) const { return MayDiffer() && Fits(node); }
  // Whether the answer of now may stand for that of then. Not so for a pod of a gang: its gang may have held the room.
  bool MayDiffer() const { return !of_gang_; }

 private:
  absl::flat_hash_map<std::string_view, const admin_api::PodDocument::Node*> refusing_;
  absl::flat_hash_set<std::string_view> fits_;
  bool of_gang_ = false;
};

// Whether the whole node is smaller than what the pod requests, though the reason that it gives is another, which to
// mend is in vain.
bool TooSmallAnyhow(policy::Reason reason, const admin_api::PodDocument::Node& node);

// Why the node would not take the pod, with figures where there are any: "node(s) had insufficient resource of NUMA
// node: needs 17 cpu in one zone ...".
std::string VerdictText(const admin_api::PodDocument::Node& node);

// "! k-2: attribute topologyManagerPolicy: kubelet knows no restricte, ...", a line for each node whose verdict depends on
// a setting of its kubelet that counts as absent since nobody understands it.
std::string IgnoredSettingsText(const admin_api::PodDocument& pod);

// "a, b, c, ..."
std::string FirstNames(const std::vector<std::string>& names);

}  // namespace huygens::reports
