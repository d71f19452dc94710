// Any bytes as a pod on its way into a cluster, as one that runs there, and as the annotation of one whose requests were
// lowered. Whatever can be read gives a patch that is JSON, lowers and never raises.
#include "json/reader.h"
#include "overcommit/lowering.h"
#include "resizing/resize_plan.h"
#include "resizing/running_pod.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using fuzz::Require;

overcommit::PoolTerms Terms() {
  overcommit::PoolTerms terms{.name = "pool", .policy = {}, .basis = "limit", .keep_whole_cpus = false};
  terms.policy.enabled = terms.policy.auto_apply = terms.policy.memory = terms.policy.lower_guaranteed = true;
  terms.policy.static_factor = {300'000, 500'000};
  return terms;
}

void CheckLowering(std::string_view text) {
  const ResourceNames names;
  const StatusOr<overcommit::AdmittedPod> pod = overcommit::DecodeAdmittedPod(text, names);
  if (!pod.ok()) return Require(!Message(pod.status()).empty(), "an error has a message");
  (void)overcommit::WorkloadOf(*pod);
  const recommend::Recommendation model{
      .ready = true, .history = std::chrono::hours(48), .age = {}, .model = {1.5, 1e9}, .memory_guard = 1 << 20};
  for (const recommend::Recommendation* each : {static_cast<const recommend::Recommendation*>(nullptr), &model}) {
    const overcommit::Lowering lowering = overcommit::LowerPod(*pod, Terms(), each);
    Require(lowering.patch.empty() || JsonReader::Open(lowering.patch).ok(), "a patch is JSON");
    if (!lowering.record) continue;
    for (const auto& [name, amounts] : lowering.record->containers) {
      for (const auto& amount : amounts) {
        Require(!amount || amount->applied <= amount->original, "nothing is raised above its original");
      }
    }
    const StatusOr<overcommit::Record> again = overcommit::ParseRecord(overcommit::RecordText(*lowering.record));
    Require(again.ok(), "a record reads back");
  }
}

void CheckResize(std::string_view text) {
  const ResourceNames names;
  const StatusOr<resizing::RunningPod> pod = resizing::DecodeRunningPod(text, names);
  if (!pod.ok()) return Require(!Message(pod.status()).empty(), "an error has a message");
  const resizing::ResizePlan plan = resizing::PlanResize(*pod, Terms(), nullptr);
  if (plan.verdict != resizing::Verdict::kLower) return;
  Require(JsonReader::Open(resizing::AnnotationPatch(*pod, plan.record)).ok(), "the patch of the annotation is JSON");
  Require(JsonReader::Open(resizing::ResizePatch("u", "1", plan.requests)).ok(), "the patch of the requests is JSON");
  for (const auto& [name, amounts] : plan.record.containers) {
    for (const auto& amount : amounts) {
      Require(!amount || !amount->before || amount->applied < *amount->before, "nothing is raised in place");
    }
  }
}

void CheckRecord(std::string_view text) {
  const StatusOr<overcommit::Record> record = overcommit::ParseRecord(text);
  if (!record.ok()) return;
  const std::string written = overcommit::RecordText(*record);
  const StatusOr<overcommit::Record> again = overcommit::ParseRecord(written);
  Require(again.ok() && overcommit::RecordText(*again) == written, "a record that was read is written alike");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckLowering(text);
  huygens::CheckResize(text);
  huygens::CheckRecord(text);
  return 0;
}
