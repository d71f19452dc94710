#include "tests/simulation/webhook_instance.h"

#include <utility>

namespace huygens::simulation {

using cluster::BizGroupQuota;

workloads::WorkloadObject Decoded(const Workload& workload, const ResourceNames& names) {
  return *workloads::DecodeWorkload(ApiGroupOf(workload.kind), workload.kind, Json(workload), names);
}

WebhookInstance::WebhookInstance(const Surroundings& given, Stream random, Duration clock_offset,
                                 const advances::AdvanceOptions& advance, Written written)
    : given_(given),
      clock_(given.time, clock_offset),
      written_(std::move(written)),
      line_(given.time, random.Fork(1), given.faults),
      commit_(ledger_, *this,
              {.clock = clock_,
               .monotonic = [&time = given.time] { return time.Monotonic(); },
               .after = [this](Duration delay, auto task) { line_.After(delay, std::move(task)); },
               .random = [stream = random.Fork(2)]() mutable { return stream.Uniform(); }},
              {.advance = advance}),
      service_(*this, rules_, &commit_, "",
               {.log = given.log,
                .metrics = given.metrics,
                .monotonic = [&time = given.time] { return time.Monotonic(); },
                .after = [this](Duration delay, auto task) { line_.After(delay, std::move(task)); }}),
      groups_(
          given.server, given.time, kGroups, random.Fork(3), given.lag,
          [this](const Change& change) {
            if (change.gone) return ledger_.Remove(change.group->name);
            ledger_.Set(*change.group);
          },
          [this](const auto& there) { ledger_.KeepOnly(there); }),
      deployments_(given.server, given.time, kDeployments, random.Fork(4), given.lag,
                   [this](const Change& change) { WorkloadTold(change); }),
      replica_sets_(given.server, given.time, kReplicaSets, random.Fork(5), given.lag,
                    [this](const Change& change) { WorkloadTold(change); }),
      jobs_(given.server, given.time, kJobs, random.Fork(6), given.lag,
            [this](const Change& change) { WorkloadTold(change); }) {}

void WebhookInstance::WorkloadTold(const Change& change) {
  if (change.gone) return index_.Remove(change.workload->uid);
  index_.Set(Decoded(*change.workload, names_));
}

void WebhookInstance::Ask(std::string review, Duration patience, std::function<void(std::string)> answer) {
  service_.Ask(std::move(review), patience,
               [answer = std::move(answer)](StatusOr<std::string> said) { answer(std::move(said).value_or("")); });
}

webhook::Facts WebhookInstance::facts() const {
  return {.tree = ledger_.tree(),
          .workloads = index_,
          .classes = classes_,
          .names = names_,
          .reserved = [this](std::string_view group, std::string_view uid) { return ledger_.Reserved(group, uid); },
          .by_status = true};
}

std::string WebhookInstance::NotReady() const {
  return groups_.listed() && deployments_.listed() && replica_sets_.listed() && jobs_.listed()
             ? ""
             : "waiting for the first lists";
}

void WebhookInstance::Write(const BizGroupQuota& group, Duration timeout, Done done) {
  line_.Call<BizGroupQuota>(
      timeout,
      [&server = given_.server, group, written = written_]() -> StatusOr<BizGroupQuota> {
        HUYGENS_ASSIGN_OR_RETURN(const BizGroupQuota before, server.ReadGroup(group.name));
        if (before.uid == group.uid && before.resource_version == group.resource_version) written(before, group);
        return server.WriteStatus(group);
      },
      std::move(done));
}

void WebhookInstance::Read(const std::string& name, Duration timeout, Done done) {
  line_.Call<BizGroupQuota>(
      timeout, [&server = given_.server, name] { return server.ReadGroup(name); }, std::move(done));
}

}  // namespace huygens::simulation
