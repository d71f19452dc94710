#include "rule_keeping/policy_calls.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/object_call.h"

namespace huygens::rule_keeping {

namespace {

using rule_policies::kOursLabel;
using rules::Tree;

constexpr std::string_view kApi = "/apis/admissionregistration.k8s.io/v1/";
constexpr std::string_view kPolicies = "mutatingadmissionpolicies", kBindings = "mutatingadmissionpolicybindings";

std::string_view NameOf(const Tree& object) {
  const Tree* metadata = object.Find("metadata");
  return metadata != nullptr ? metadata->TextOf("name") : std::string_view();
}

// Each in its place: what the API server fills in besides, such as an empty selector, is passed over.
bool Has(const Tree& stored, const Tree& wanted) {
  if (wanted.kind() == Tree::Kind::kObject && stored.kind() == Tree::Kind::kObject) {
    return std::ranges::all_of(wanted.members(), [&](const Tree::Member& member) {
      const Tree* is = stored.Find(member.first);
      if (is == nullptr) return member.second.IsNull();
      return Has(*is, member.second);
    });
  }
  if (wanted.kind() == Tree::Kind::kList && stored.kind() == Tree::Kind::kList) {
    return std::ranges::equal(stored.elements(), wanted.elements(), Has);
  }
  return stored == wanted;
}

StatusOr<std::vector<Tree>> ListOurs(net::Client& client, std::string_view plural, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(
      const net::HttpReply reply,
      kube::CallForObject(client, "GET",
                          Concat(kApi, plural, "?labelSelector=", net::PercentEncoded(kOursLabel), "%3Dtrue"), "",
                          timeout));
  HUYGENS_ASSIGN_OR_RETURN(Tree list, Tree::Parse(reply.body));
  Tree* items = list.Find("items");
  return items != nullptr ? std::move(items->elements()) : std::vector<Tree>();
}

class Keeper {
 public:
  Keeper(net::Client& client, Duration timeout, PolicyRound& round)
      : client_(client), timeout_(timeout), round_(round) {}

  void Put(std::string_view plural, const std::vector<Tree>& stored, const Tree& wanted) {
    const std::string name(NameOf(wanted));
    const auto is = std::ranges::find(stored, name, NameOf);
    if (is != stored.end() && IsInStep(*is, wanted)) return;
    const std::string path = Concat(kApi, plural);
    Status status;
    if (is == stored.end()) {
      status = kube::CallForObject(client_, "POST", path, wanted.Json(), timeout_).status();
      if (absl::IsAborted(status)) {
        status = Refused(Concat("there is one of this name that huygens did not make, which is left alone"));
      }
    } else {
      Tree written = wanted;
      // Only the one that was looked at.
      const Tree* version = is->Find("metadata")->Find("resourceVersion");
      if (version != nullptr) written.Find("metadata")->Set("resourceVersion", *version);
      status = kube::CallForObject(client_, "PUT", Concat(path, "/", name), written.Json(), timeout_).status();
    }
    Note(is == stored.end() ? "created" : "written", name, plural, status);
  }

  void DeleteOthers(std::string_view plural, const std::vector<Tree>& stored,
                    const std::vector<rule_policies::Policy>& wanted) {
    for (const Tree& object : stored) {
      const std::string name(NameOf(object));
      if (std::ranges::find(wanted, name, &rule_policies::Policy::name) != wanted.end()) continue;
      const Status status =
          kube::CallForObject(client_, "DELETE", Concat(kApi, plural, "/", name), "", timeout_).status();
      if (!absl::IsNotFound(status)) Note("deleted", name, plural, status);
    }
  }

 private:
  void Note(std::string_view what, const std::string& name, std::string_view plural, const Status& status) {
    if (status.ok()) {
      round_.written.push_back(Concat(what, " ", plural, "/", name));
    } else {
      round_.faults[name] = Concat(plural, "/", name, ": ", Message(status));
    }
  }

  net::Client& client_;
  const Duration timeout_;
  PolicyRound& round_;
};

}  // namespace

bool IsInStep(const Tree& stored, const Tree& wanted) {
  constexpr std::string_view kLabels[] = {"metadata", "labels"};
  const Tree* labels = rules::FindAt(stored, kLabels);
  const Tree* spec = stored.Find("spec");
  const Tree* should = wanted.Find("spec");
  return labels != nullptr && labels->TextOf(kOursLabel) == "true" && spec != nullptr && should != nullptr &&
         Has(*spec, *should);
}

PolicyRound KeepPolicies(net::Client& client, const std::vector<rule_policies::Policy>& wanted, Duration timeout) {
  PolicyRound round;
  const StatusOr<std::vector<Tree>> policies = ListOurs(client, kPolicies, timeout);
  const StatusOr<std::vector<Tree>> bindings =
      policies.ok() ? ListOurs(client, kBindings, timeout) : StatusOr<std::vector<Tree>>(policies.status());
  if (!bindings.ok()) {
    round.unserved = absl::IsNotFound(bindings.status());
    round.status = round.unserved ? Refused(
                                        "the API server has no MutatingAdmissionPolicy of "
                                        "admissionregistration.k8s.io/v1, as Kubernetes has from 1.36 on")
                                  : bindings.status();
    return round;
  }
  Keeper keeper(client, timeout, round);
  for (const rule_policies::Policy& each : wanted) {
    keeper.Put(kPolicies, *policies, each.policy);
    if (!round.faults.contains(each.name)) keeper.Put(kBindings, *bindings, each.binding);
  }
  keeper.DeleteOthers(kBindings, *bindings, wanted);
  keeper.DeleteOthers(kPolicies, *policies, wanted);
  return round;
}

}  // namespace huygens::rule_keeping
