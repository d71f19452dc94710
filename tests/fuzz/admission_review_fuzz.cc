// Any bytes as an AdmissionReview: it is refused with a message, or judged against a tree of groups, and the answer is
// JSON. A yes only changes groups that are there, and a no has a code that no client takes for a conflict.
#include "json/reader.h"
#include "quota/device_classes.h"
#include "tests/fuzz/require.h"
#include "webhook/judgement.h"

namespace huygens {
namespace {

using fuzz::Require;

quota::Tree MakeTree() {
  quota::Tree tree;
  cluster::BizGroupQuota org, team;
  org.name = "org";
  org.hard = {{"limits.cpu", Quantity::FromInt(100)}};
  team.name = "team";
  team.parent = "org";
  team.hard = {{"limits.cpu", Quantity::FromInt(10)}, {"pods", Quantity::FromInt(10)}};
  tree.Set(org);
  tree.Set(team);
  return tree;
}

void CheckReview(std::string_view json) {
  const auto request = webhook::DecodeAdmissionReview(json);
  if (!request.ok()) {
    Require(!Message(request.status()).empty(), "an error has a message");
    return;
  }
  Require(!request->uid.empty(), "a request has a UID");
  static const quota::Tree tree = MakeTree();
  static const workloads::WorkloadIndex workloads;
  static const quota::DeviceClasses classes;
  static const ResourceNames names;
  const webhook::Judgement judgement = webhook::Judge(*request, {tree, workloads, classes, names});
  Require(judgement.allowed || judgement.changes.empty(), "a refusal changes nothing");
  Require(judgement.allowed || judgement.code == webhook::kForbidden || judgement.code == webhook::kServiceUnavailable,
          "a refusal is 403 or 503");
  Require(judgement.allowed || !judgement.message.empty(), "a refusal has a message");
  for (const webhook::GroupChange& change : judgement.changes) {
    Require(tree.Find(change.group) != nullptr && !change.amounts.empty(), "a change is of a group that is there");
  }
  const std::string answer = webhook::EncodeAdmissionAnswer(webhook::ToAnswer(*request, judgement));
  Require(JsonReader::Check(answer).ok(), "an answer is JSON");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  huygens::CheckReview({reinterpret_cast<const char*>(data), size});
  return 0;
}
