#include "rescheduler/mover.h"

#include <algorithm>
#include <utility>

#include "rescheduler/migration_calls.h"

namespace huygens::rescheduler {

using migration_api::Phase;
using migration_api::PodMigration;
using std::chrono::seconds;

namespace {

constexpr Duration kCallTimeout = seconds(5);

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void Mover::Load(std::vector<PodMigration> objects, Time now) {
  moves_.Clear();
  settled_.Clear();
  environment_.limits = rescheduling::Limits(environment_.limits.options());
  std::ranges::sort(objects, {}, [](const PodMigration& each) { return std::pair(each.created, each.name); });
  for (PodMigration& object : objects) {
    environment_.limits.Begin(MigrationOf(object));
    if (migration_api::Finished(object.status.phase)) {
      environment_.limits.End(MigrationOf(object));
      settled_.Add(std::move(object));
      continue;
    }
    UnderWay& move = moves_.Add(std::move(object));
    move.stored = true;
    (void)moves_.Settle(move, patience_, now);  // one for which there is no room any more is seen by the next look
  }
}

Status Mover::Begin(const rescheduling::Move& planned, size_t replicas, Time now) {
  const auto victim = environment_.placement.state().FindPod(planned.pod.uid);
  if (victim == nullptr || victim->deleting || moves_.Find(planned.pod.uid) != nullptr)
    return Refused("the pod is gone, or on its way already");
  PodMigration object;
  object.name = migration_api::NameFor(planned.pod.uid);
  object.namespace_name = planned.pod.namespace_name;
  object.spec = {.pod = {planned.pod.name, planned.pod.uid},
                 .owner = {planned.owner.kind, planned.owner.name, std::string(victim->owner_uid)},
                 .workload = planned.workload,
                 .template_hash = std::string(victim->template_hash),
                 .group = planned.group,
                 .source = planned.source,
                 .target = planned.target,
                 .cause = std::string(rescheduling::Name(planned.cause)),
                 .why = planned.clears,
                 .replicas = static_cast<int64_t>(replicas),
                 .grace_seconds = victim->grace_seconds};
  object.status.reason = "Reserved";
  object.status.since = now;
  object.status.attempts = 1 + settled_.AttemptsBefore(planned.pod.uid, victim->owner_uid);
  UnderWay& move = moves_.Add(std::move(object));
  if (!moves_.Settle(move, patience_, now)) {
    moves_.Remove(planned.pod.uid);
    return Refused(Concat("no room on ", planned.target));
  }
  environment_.limits.Begin(MigrationOf(move.object));
  Create(move);
  return absl::OkStatus();
}

void Mover::Look(Time now) {
  // Who does not lead holds the same room, and reads what the leader makes of the moves.
  if (!environment_.calls.leads())
    return moves_.ForEach([&](UnderWay& move) { (void)moves_.Settle(move, patience_, now); });
  std::vector<std::string> uids;
  moves_.ForEach([&](const UnderWay& move) { uids.push_back(move.object.spec.pod.uid); });
  for (const std::string& uid : uids) {
    UnderWay& move = *moves_.Find(uid);
    const bool before = migration_api::Finished(move.object.status.phase);
    LookAt(move, now);
    if (!migration_api::Finished(move.object.status.phase)) continue;
    if (!before) Settle(move);
    if (move.writing || move.calling || (move.dirty && move.stored)) continue;
    if (move.stored) settled_.Add(move.object);
    moves_.Remove(uid);
  }
}

void Mover::LookAt(UnderWay& move, Time now) {
  if (move.object.status.phase == Phase::kEvicted && !move.object.status.replacement) {
    // It may have been bound while nobody wrote down which pod it is.
    moves_.Adopt(move, environment_.workloads.PodsOf(move.object.spec.owner.uid));
  }
  const moves::Seen seen = moves_.Look(move);
  if (seen.replacement) {
    const auto pod = environment_.placement.state().FindPod(seen.replacement->uid);
    move.watched = move.watched || pod != nullptr;
    if (seen.replacement->leaving && move.object.status.phase == Phase::kEvicted) moves_.Unclaim(move);
  }
  if (moves::Advance(move.object, seen, patience_, now)) move.dirty = true;
  const bool room = moves_.Settle(move, patience_, now);
  if (!room && move.object.status.phase == Phase::kReserved && !move.calling) {
    moves::End(move.object, Phase::kAbandoned, "NoRoom", "the target has no room any more", patience_, now);
    move.dirty = true;
  }
  if (move.writing || move.calling) return;
  const bool finished = migration_api::Finished(move.object.status.phase);
  if (!move.stored) return finished ? (void)0 : Create(move);
  if (move.dirty) return Write(move);
  if (move.object.status.phase == Phase::kReserved) return Evict(move, DryRun::kYes);
  if (move.object.status.phase != Phase::kEvicting) return;
  return move.asks_victim ? AskVictim(move) : Evict(move, DryRun::kNo);
}

void Mover::Create(UnderWay& move) {
  if (!environment_.calls.leads() || move.writing) return;
  move.writing = true;
  environment_.calls.Post([this, object = move.object](net::Client& client, Duration longest) {
    auto made = CreateMigration(client, object, std::min(longest, kCallTimeout));
    return [this, uid = object.spec.pod.uid, made = std::move(made)] {
      UnderWay* move = moves_.Find(uid);
      if (move == nullptr) return;
      move->writing = false;
      if (!made.ok()) {
        Trouble("a PodMigration cannot be written, so the pod is not moved", made.status());
        // It was never there, or nobody knows: without it nobody is evicted.
        const Time now = environment_.clock.Now();
        moves::End(move->object, Phase::kAbandoned, "NotWritten", std::string(Message(made.status())), patience_, now);
        Settle(*move);
        moves_.Remove(uid);
        return;
      }
      trouble_.clear();
      move->stored = true;
      move->object.uid = made->uid;
      move->object.resource_version = made->resource_version;
      move->object.created = made->created;
      move->dirty = move->object.status.attempts > 1;  // a POST writes no status
      Look(environment_.clock.Now());
    };
  });
}

void Mover::Write(UnderWay& move) {
  move.writing = true;
  environment_.calls.Post([this, object = move.object](net::Client& client, Duration longest) {
    const Status written = WriteStatus(client, object, std::min(longest, kCallTimeout));
    return [this, object, written] {
      UnderWay* move = moves_.Find(object.spec.pod.uid);
      if (move == nullptr) return;
      move->writing = false;
      if (absl::IsNotFound(written)) {
        // Somebody deleted it: a move that evicted nobody is called off so, any other is written down again.
        if (object.status.phase <= Phase::kEvicting) {
          moves::End(move->object, Phase::kAbandoned, "ObjectDeleted", "somebody deleted its object", patience_,
                     environment_.clock.Now());
          Settle(*move);
        }
        move->stored = false;
        move->dirty = false;
      } else if (!written.ok()) {
        return Trouble("the status of a PodMigration is not written", written);
      } else {
        trouble_.clear();
        if (move->object.status == object.status) move->dirty = false;
      }
      Look(environment_.clock.Now());
    };
  });
}

void Mover::Evict(UnderWay& move, DryRun dry_run) {
  move.calling = true;
  environment_.calls.Post([this, object = move.object, dry_run](net::Client& client, Duration longest) {
    const auto& pod = object.spec.pod;
    const Duration timeout = std::min(longest, kCallTimeout);
    // Before each eviction, too: since the last dry run the pod may have become another one of its name.
    EvictionAnswer said = rescheduler::Evict(client, object.namespace_name, pod.name, pod.uid, DryRun::kYes, timeout);
    const bool evicts = dry_run == DryRun::kNo && said.answer == moves::Answer::kEvicted;
    if (evicts) said = rescheduler::Evict(client, object.namespace_name, pod.name, pod.uid, DryRun::kNo, timeout);
    return [this, uid = pod.uid, said, evicts] {
      if (evicts) Count(said);
      UnderWay* move = moves_.Find(uid);
      if (move == nullptr) return;
      move->calling = false;
      if (!said.budget.empty()) ++counts_.budgets[Concat("429 ", move->object.namespace_name, "/", said.budget)];
      const Time now = environment_.clock.Now();
      if (said.answer == moves::Answer::kUnknown) {
        move->asks_victim = evicts;
        environment_.log.Warn("an eviction was not answered as it should be",
                              {{"pod", move->object.namespace_name + "/" + move->object.spec.pod.name},
                               {"code", said.code},
                               {"why", said.text}});
        return;  // the next look asks the victim, or again
      }
      if (moves::Take(move->object, said.answer, said.text, said.wait, patience_, now)) {
        move->dirty = true;
        if (migration_api::Finished(move->object.status.phase)) Settle(*move);
        if (move->object.status.phase == Phase::kEvicted) {
          Tell(*move, "Moving",
               Concat("evicted, to move from ", move->object.spec.source, " to ", move->object.spec.target, ": ",
                      move->object.spec.why),
               false);
        }
      }
      Look(now);
    };
  });
}

void Mover::AskVictim(UnderWay& move) {
  move.calling = true;
  environment_.calls.Post([this, object = move.object](net::Client& client, Duration longest) {
    const auto& pod = object.spec.pod;
    const auto stands = StandsStill(client, object.namespace_name, pod.name, pod.uid, std::min(longest, kCallTimeout));
    return [this, uid = pod.uid, stands] {
      UnderWay* move = moves_.Find(uid);
      if (move == nullptr) return;
      move->calling = false;
      if (!stands) return;  // asked again by the next look
      move->asks_victim = false;
      if (*stands) return;  // it was not evicted: the next look does it
      if (moves::Take(move->object, moves::Answer::kEvicted, "", std::nullopt, patience_, environment_.clock.Now()))
        move->dirty = true;
    };
  });
}

void Mover::Nominate(UnderWay& move, const cluster::Pod& pod) {
  move.nomination = Nomination::kUnderWay;
  environment_.steering.Post([this, uid = move.object.spec.pod.uid, target = move.object.spec.target, name = pod.name,
                              namespace_name = std::string(pod.namespace_name),
                              pod_uid = std::string(pod.uid)](net::Client& client) {
    const Status written = NominateNode(client, namespace_name, name, pod_uid, target, kCallTimeout);
    return [this, uid, written] {
      UnderWay* move = moves_.Find(uid);
      if (move == nullptr) return;
      move->nomination = written.ok() ? Nomination::kWritten : Nomination::kFailed;
      if (!written.ok()) Trouble("a replacement cannot be nominated to its node", written);
    };
  });
}

void Mover::StopLeading() {
  moves_.ForEach([](UnderWay& move) { move.writing = move.calling = false; });
}

void Mover::Settle(UnderWay& move) {
  const migration_api::PodMigration& object = move.object;
  const rescheduling::Migration migration = MigrationOf(object);
  environment_.limits.End(migration);
  ++ended_;
  ++counts_.moves[{object.spec.cause, std::string(Name(migration.outcome))}];
  if (migration.landed != rescheduling::Landed::kNowhere)
    ++counts_.landings[std::string(rescheduling::Name(migration.landed))];
  const auto observe = [this](std::string_view stage, std::optional<Time> from, std::optional<Time> to) {
    if (!from || !to || *to < *from) return;
    auto& [count, sum] = counts_.stage_seconds[std::string(stage)];
    ++count;
    sum += Seconds(*to - *from);
  };
  observe("bound", object.status.evicted_at, object.status.bound_at);
  if (object.status.phase == Phase::kSucceeded) observe("ready", object.status.bound_at, object.status.finished_at);
  environment_.log.Info("move ended", {{"pod", object.namespace_name + "/" + object.spec.pod.name},
                                       {"phase", migration_api::Name(object.status.phase)},
                                       {"reason", object.status.reason},
                                       {"message", object.status.message},
                                       {"source", object.spec.source},
                                       {"target", object.spec.target}});
  if (object.status.phase == Phase::kFailed)
    Tell(move, "MoveFailed", Concat(object.status.reason, ": ", object.status.message), true);
  if (object.status.phase == Phase::kSucceeded) Tell(move, "Moved", object.status.message, false);
}

void Mover::Tell(const UnderWay& move, std::string_view reason, std::string message, bool warning) {
  const PodMigration& object = move.object;
  if (!environment_.events.Allow(object.spec.pod.uid, {.reason = reason, .message = message, .repeat_key = message}))
    return;
  environment_.calls.Post([this, object, reason = std::string(reason), message = std::move(message), warning](
                              net::Client& client, Duration) {
    const auto& owner = object.spec.owner;
    const std::string_view group = owner.kind == "Job" ? "batch/v1" : "apps/v1";
    (void)environment_.events.Send(client,
                                   {"v1", "Pod", object.namespace_name, object.spec.pod.name, object.spec.pod.uid},
                                   reason, message, warning);
    if (!owner.uid.empty()) {
      const std::string text = Concat("pod ", object.spec.pod.name, ": ", message);
      (void)environment_.events.Send(client, {group, owner.kind, object.namespace_name, owner.name, owner.uid}, reason,
                                     text, warning);
    }
    return [] {};
  });
}

void Mover::Count(const EvictionAnswer& said) {
  ++counts_.evictions[said.code == 0 ? std::string("none") : std::to_string(said.code)];
}

void Mover::Trouble(std::string_view what, const Status& status) {
  trouble_ = Concat(what, ": ", Message(status));
  if (const auto left_out = warnings_.Allow(environment_.clock.Now()))
    environment_.log.Warn(std::string(what), {{"why", Message(status)}, {"leftOut", *left_out}});
}

}  // namespace huygens::rescheduler
