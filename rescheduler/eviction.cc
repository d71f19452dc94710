#include "rescheduler/eviction.h"

#include "json/append.h"
#include "json/reader.h"
#include "kube/api_call.h"

namespace huygens::rescheduler {

using moves::Answer;

namespace {

// "The disruption budget NAME needs 2 healthy pods and has 2 currently", or "... NAME is still being processed ...".
std::string BudgetOf(std::string_view body) {
  constexpr std::string_view kBefore = "The disruption budget ";
  const size_t at = body.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = body.substr(at + kBefore.size(), 253);
  return std::string(rest.substr(0, rest.find_first_of(" \"\\")));
}

}  // namespace

EvictionAnswer Judge(const StatusOr<net::HttpReply>& reply) {
  EvictionAnswer said;
  if (!reply.ok()) {
    // Nothing was sent, or nobody knows: the victim tells either way.
    said.text = std::string(Message(reply.status()));
    return said;
  }
  said.code = reply->code;
  said.wait = reply->retry_after;
  if (kube::Succeeded(*reply)) {
    said.answer = Answer::kEvicted;
    return said;
  }
  said.text = kube::ExplainReply(*reply);
  switch (reply->code) {
    case 404:
    case 409:
      said.answer = Answer::kGone;
      break;
    case 429: {
      // The server's own limits on clients answer 429 as well, without naming a budget: those are no word on the pod.
      const bool of_budget = reply->body.find("DisruptionBudget") != std::string::npos;
      if (of_budget) said.answer = reply->retry_after ? Answer::kNotYet : Answer::kBudget;
      said.budget = BudgetOf(reply->body);
      break;
    }
    case 500:
      if (reply->body.find("more than one PodDisruptionBudget") != std::string::npos)
        said.answer = Answer::kSeveralBudgets;
      break;
    case 400:
    case 401:
    case 403:
    case 405:
    case 422:
      said.answer = Answer::kRefused;
      break;
    default:
      break;
  }
  return said;
}

EvictionAnswer Evict(net::Client& client, std::string_view namespace_name, std::string_view name, std::string_view uid,
                     DryRun dry_run, Duration timeout) {
  std::string body = R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":)";
  AppendJsonString(body, name);
  body += ",\"namespace\":";
  AppendJsonString(body, namespace_name);
  body += R"(},"deleteOptions":{"preconditions":{"uid":)";
  AppendJsonString(body, uid);
  body += "}}}";
  const std::string path = Concat("/api/v1/namespaces/", namespace_name, "/pods/", name, "/eviction",
                                  dry_run == DryRun::kYes ? "?dryRun=All" : "");
  return Judge(client.Call("POST", path, body, kube::JsonHeaders(), timeout));
}

std::optional<bool> StandsStill(net::Client& client, std::string_view namespace_name, std::string_view name,
                                std::string_view uid, Duration timeout) {
  const auto reply = client.Call("GET", Concat("/api/v1/namespaces/", namespace_name, "/pods/", name), "",
                                 kube::JsonHeaders(), timeout);
  if (!reply.ok()) return std::nullopt;
  if (reply->code == 404) return false;
  if (!kube::Succeeded(*reply)) return std::nullopt;
  struct Found {
    std::string uid;
    bool deleting = false;
  };
  const auto found = DecodeObject<Found>(reply->body, [](JsonReader& in, Found& out) {
    return in.Fields("metadata", [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        if (key.Is("uid")) return in.Read(out.uid);
        if (key.Is("deletionTimestamp")) out.deleting = in.Next() != JsonType::kNull;
        return absl::OkStatus();
      });
    });
  });
  if (!found.ok()) return std::nullopt;
  return found->uid == uid && !found->deleting;
}

}  // namespace huygens::rescheduler
