// What must be read from the reviews that kube-apiserver 1.36.3 really sent: which of them concern budgets, and what
// the workload in them asks for before and after.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "quota/pod_usage.h"
#include "tests/quota/vectors.h"
#include "webhook/subject.h"
#include "wire/biz_group_quota.h"
#include "workloads/charge.h"
#include "workloads/reference.h"

namespace huygens::webhook {
namespace {

namespace json = boost::json;
using quota::Amounts;

std::string Texts(Amounts amounts) {
  std::erase_if(amounts, [](const auto& each) {
    return !each.first.starts_with("requests.") && !each.first.starts_with("limits.");
  });
  quota::RemoveZeros(amounts);
  std::string text;
  for (const auto& [key, amount] : amounts) text += Concat(" ", key, "=", std::to_string(amount.MilliValue()), "m");
  return text;
}

std::string_view Name(Subject subject) {
  switch (subject) {
    case Subject::kNothing:
      return "ignore";
    case Subject::kGroup:
      return "group";
    case Subject::kWorkload:
      return "workload";
    case Subject::kDeferred:
      return "defer";
    case Subject::kRelease:
      return "release";
    case Subject::kScale:
      return "scale";
    case Subject::kAutoscaler:
      return "hpa";
  }
  return {};
}

std::string Number(const json::value& value) { return value.is_null() ? "-" : json::serialize(value); }

std::string TextOf(const json::object& from, std::string_view field) {
  const json::value* value = from.if_contains(field);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

// One side of a workload, as `expect` has it.
std::string Expected(const json::value& side) {
  if (side.is_null()) return "none";
  const json::object& of = side.as_object();
  const json::object& models = of.at("models").as_object();
  std::string text = Concat(TextOf(of, "group"), "|", TextOf(models, "cpu"), "|", TextOf(models, "gpu"), "|",
                            TextOf(models, "memory"), "|", TextOf(of, "uid"), "|", TextOf(of, "controller"), "|",
                            of.contains("terminating") ? "terminating" : "", "|pods ", Number(of.at("pods")));
  for (const char* amounts : {"perPod", "total"}) {
    const json::value& each = of.at(amounts);
    text += Concat("|", amounts, each.is_null() ? " -" : Texts(quota::ToAmounts(each)));
  }
  return text;
}

// The same as this program reads it. Models are not looked at: `expect` names the keys without one.
std::string Found(const AdmissionRequest& request, std::string_view object, const ResourceNames& names) {
  if (object.empty()) return "none";
  auto read = workloads::DecodeWorkload(request.kind_group, request.kind, object, names);
  if (!read.ok()) return std::string(Message(read.status()));
  const cluster::QuotaLabels labels = std::exchange(read->labels, {});
  std::string text = Concat(labels.group, "|", labels.cpu_model, "|", labels.gpu_model, "|", labels.memory_model, "|",
                            read->uid, "|", read->owner_kind, "|", read->deleting ? "terminating" : "");
  if (!quota::ChargesForItsPods(request.kind_group, request.kind)) return text + "|pods -|perPod -|total -";
  const auto counts = quota::ChargedPods(read->counted);
  const int64_t pods = std::accumulate(counts->begin(), counts->end(), int64_t{0});
  text += Concat("|pods ", std::to_string(pods), "|perPod");
  if (read->counted.roles.empty() && !read->templates.empty()) {
    text += Texts(quota::PodUsage(read->templates[0], {}, names, {}));
  } else {
    text += " -";
  }
  text += "|total";
  const quota::DeviceClasses classes;
  if (read->templates.empty()) return text + " -";
  return text + Texts(workloads::UsageOf(*read, {names, classes}).value());
}

std::string ExpectedGroup(const json::value& side) {
  if (side.is_null()) return "none";
  const json::object& of = side.as_object();
  return Concat(TextOf(of, "name"), " of ", TextOf(of, "parent"), ": ", quota::ToText(quota::ToAmounts(of.at("hard"))));
}

std::string FoundGroup(std::string_view object) {
  if (object.empty()) return "none";
  const auto group = wire::DecodeBizGroupQuota(object);
  if (!group.ok()) return std::string(Message(group.status()));
  return Concat(group->name, " of ", group->parent, ": ", quota::ToText(group->hard));
}

std::string ExpectedTexts(const json::object& expect) {
  const std::string what = TextOf(expect, "what");
  std::string text = Concat(what, " ", TextOf(expect, "operation"), expect.at("dryRun").as_bool() ? " dry run" : "");
  const auto sides = [&](auto&& side) { return Concat("\n", side(expect.at("new")), "\n", side(expect.at("old"))); };
  if (what == "workload" || what == "release" || what == "defer") return text + sides(Expected);
  if (what == "group") return text + sides(ExpectedGroup);
  if (what == "scale") {
    return text + Concat("\n", TextOf(expect, "uid"), " ", Number(expect.at("replicas")), " ",
                         Number(expect.at("oldReplicas")));
  }
  if (what != "hpa") return text;
  text += Concat("\n", Number(expect.at("maxReplicas")), " ", Number(expect.at("oldMaxReplicas")));
  if (!expect.at("target").is_object()) return text;
  const json::object& target = expect.at("target").as_object();
  return text + Concat(" ", workloads::GroupOfVersion(TextOf(target, "apiVersion")), "/", TextOf(target, "kind"), "/",
                       TextOf(target, "name"));
}

std::string FoundTexts(const AdmissionRequest& request, const ResourceNames& names) {
  static constexpr std::string_view kOperations[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
  const Subject subject = SubjectOf(request);
  std::string text = Concat(Name(subject), " ", kOperations[static_cast<size_t>(request.operation)],
                            request.dry_run ? " dry run" : "");
  const std::string_view now = request.object, was = request.old_object;
  switch (subject) {
    case Subject::kNothing:
      return text;
    case Subject::kGroup:
      return text + Concat("\n", FoundGroup(now), "\n", FoundGroup(was));
    case Subject::kScale: {
      const auto scale = DecodeScale(now), before = DecodeScale(was);
      if (!scale.ok() || !before.ok()) return text + "\nnot read";
      return text +
             Concat("\n", scale->uid, " ", std::to_string(scale->replicas), " ", std::to_string(before->replicas));
    }
    case Subject::kAutoscaler: {
      const auto most = [](std::string_view json) {
        return json.empty() ? std::string("-") : std::to_string(DecodeAutoscaler(json).value().max_replicas);
      };
      text += Concat("\n", most(now), " ", most(was));
      const Autoscaler target = DecodeAutoscaler(now.empty() ? was : now).value();
      return text + Concat(" ", target.target_group, "/", target.target_kind, "/", target.target_name);
    }
    case Subject::kWorkload:
    case Subject::kDeferred:
    case Subject::kRelease:
      break;
  }
  return text + Concat("\n", Found(request, now, names), "\n", Found(request, was, names));
}

// `expect` counts the parallelism of a Job without completions to its end. The Job controller starts no pod any more
// after the first success (conformance/workload_pods.jsonl.gz), and only what runs is charged.
bool IsWorkQueueWithASuccess(const AdmissionRequest& request, const ResourceNames& names) {
  const std::string_view object = request.object.empty() ? request.old_object : request.object;
  if (request.kind != "Job" || object.empty()) return false;
  const auto job = workloads::DecodeWorkload(request.kind_group, request.kind, object, names);
  return job.ok() && !job->counted.completions && job->counted.succeeded > 0;
}

class RecordedReviews : public testing::TestWithParam<const char*> {};

TEST_P(RecordedReviews, AreReadAsTheyShouldBe) {
  const std::string file = Concat("../admission/", GetParam());
  const auto cases = test::ReadVectors(file);
  if (cases.empty()) GTEST_SKIP() << "no recordings in " << test::VectorPath(file);
  const ResourceNames names;
  std::map<std::string, std::pair<size_t, size_t>> right;  // and all, by what they are about
  size_t left_out = 0;
  for (const json::object& each : cases) {
    if (!each.contains("reviews")) continue;
    for (const json::value& review : each.at("reviews").as_array()) {
      const std::string text = json::serialize(review.at("review"));
      const auto request = DecodeAdmissionReview(text);
      ASSERT_TRUE(request.ok()) << TextOf(each, "case") << ": " << request.status();
      const json::value* expect = review.as_object().if_contains("expect");
      if (!expect) continue;
      if (SubjectOf(*request) != Subject::kNothing && IsWorkQueueWithASuccess(*request, names)) {
        ++left_out;
        continue;
      }
      const std::string wanted = ExpectedTexts(expect->as_object()), found = FoundTexts(*request, names);
      auto& [good, all] = right[TextOf(expect->as_object(), "what")];
      ++all;
      if (wanted == found) ++good;
      EXPECT_EQ(found, wanted) << TextOf(each, "case");
    }
  }
  for (const auto& [what, counts] : right) std::printf("%s: %zu of %zu\n", what.c_str(), counts.first, counts.second);
  if (left_out > 0) std::printf("left out: %zu Jobs without completions that have a success\n", left_out);
  EXPECT_GE(right.size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(All, RecordedReviews, testing::Values("requests.jsonl.gz", "controllers.jsonl.gz"));

}  // namespace
}  // namespace huygens::webhook
