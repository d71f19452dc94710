#include "webhook/group_commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/webhook/simulated_cluster.h"

namespace huygens::webhook {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Used(const cluster::BizGroupQuota& group) { return quota::Get(group.used, "limits.cpu").Canonical(); }

class GroupCommitTest : public testing::Test {
 protected:
  void Start(std::string_view cores, Faults faults = {}, uint64_t seed = 1, int webhooks = 1,
             GroupCommitOptions options = {}) {
    server_ = std::make_unique<SimulatedApiServer>(time_, seed, cores, faults);
    for (int i = 0; i < webhooks; ++i) {
      webhooks_.push_back(std::make_unique<SimulatedWebhook>(*server_, time_, options));
    }
  }
  void Create(const std::string& name, int cores = 1, size_t webhook = 0) {
    Scale(name, 0, cores, seconds(10), webhook);
  }
  void Scale(const std::string& name, int before, int after, Duration patience, size_t webhook = 0) {
    webhooks_[webhook]->Ask(
        name, before, after,
        [this](const Judgement& judgement) {
          ++answers_;
          answered_at_ = time_.Monotonic();
          yes_ += judgement.allowed ? 1 : 0;
          if (!judgement.allowed) last_no_ = Said(judgement);
        },
        patience);
  }
  std::string Known() { return quota::Used(webhooks_[0]->ledger().tree(), "team", "limits.cpu"); }

  VirtualTime time_;
  std::unique_ptr<SimulatedApiServer> server_;
  std::vector<std::unique_ptr<SimulatedWebhook>> webhooks_;
  int answers_ = 0;
  int yes_ = 0;
  Duration answered_at_{};
  std::string last_no_;
};

TEST_F(GroupCommitTest, AdmitsExactlyWhatFitsWithFewWrites) {
  Start("100");
  for (int i = 0; i < 200; ++i) Create(Concat("d", std::to_string(i)));
  time_.Run(seconds(20));
  EXPECT_EQ(answers_, 200);
  EXPECT_EQ(yes_, 100);
  EXPECT_EQ(Used(server_->group()), "100");
  EXPECT_EQ(server_->group().self_used, server_->group().used);
  EXPECT_EQ(server_->group().reservations.size(), 100U);
  EXPECT_EQ(last_no_, "403 quota bizrq/team: limits.cpu used 100 of 100, requested 1");
  EXPECT_EQ(server_->writes, 2);  // the first alone, and all others
}

TEST_F(GroupCommitTest, TwoInstancesShareABudget) {
  Start("100", {}, 7, 2);
  for (int i = 0; i < 200; ++i) Create(Concat("d", std::to_string(i)), 1, static_cast<size_t>(i % 2));
  time_.Run(seconds(20));
  EXPECT_EQ(answers_, 200);
  EXPECT_EQ(yes_, 100);
  EXPECT_EQ(Used(server_->group()), "100");
  EXPECT_GT(webhooks_[0]->counts().conflicts + webhooks_[1]->counts().conflicts, 0U);
}

TEST_F(GroupCommitTest, ChargesARepeatOnce) {
  Start("3", {}, 1, 2);
  Create("web", 2);
  time_.Run(seconds(1));
  Create("web", 2, 1);  // the same UID, asked of another instance
  time_.Run(seconds(2));
  EXPECT_EQ(yes_, 2);
  EXPECT_EQ(Used(server_->group()), "2");
  Create("web", 3);
  time_.Run(seconds(3));
  EXPECT_EQ(Used(server_->group()), "3");
  ASSERT_EQ(server_->group().reservations.size(), 1U);
  EXPECT_EQ(server_->group().reservations[0].kind, "Deployment.apps");
  EXPECT_EQ(server_->group().reservations[0].until, std::chrono::ceil<seconds>(time_.Now()) + seconds(89));
}

TEST_F(GroupCommitTest, FindsAChargeWhoseAnswerGotLost) {
  Start("2", {.lost_answer = 0.5}, 3);
  for (int i = 0; i < 2; ++i) Create(Concat("d", std::to_string(i)));
  time_.Run(seconds(60));
  EXPECT_EQ(yes_, 2);
  EXPECT_EQ(Used(server_->group()), "2");
  EXPECT_GT(webhooks_[0]->counts().failures, 0U);
}

TEST_F(GroupCommitTest, AnswersTheCreationsOfABusyGroupOutOfAnAdvance) {
  Start("10000", {}, 1, 1, {.advance = {.on = true, .instance = "me", .name = "webhook"}});
  time_.Run(seconds(1));
  for (int i = 0; i < 1000; ++i) {
    time_.After(milliseconds(2 * i), [this, i] { Create(Concat("d", std::to_string(i))); });
  }
  uint64_t highest = 0;
  time_.After(milliseconds(1000), [&] { highest = webhooks_[0]->counts().advanced; });
  time_.Run(seconds(4));
  EXPECT_EQ(yes_, 1000);
  EXPECT_GT(highest, 300U);
  EXPECT_GT(webhooks_[0]->counts().advanced, 800U);
  EXPECT_LT(server_->writes, 60);
  time_.Run(seconds(6));
  EXPECT_EQ(Used(server_->group()), "1k") << "what was left of it was given back";
  EXPECT_EQ(server_->group().self_used, server_->group().used);
  EXPECT_EQ(server_->group().reservations.size(), 1000U);
}

TEST_F(GroupCommitTest, RefusesNobodyForRoomThatItKeepsItself) {
  Start("100", {}, 1, 1, {.advance = {.on = true, .instance = "me", .name = "webhook"}});
  time_.Run(seconds(1));
  for (int i = 0; i < 200; ++i) {
    time_.After(milliseconds(5 * i), [this, i] { Create(Concat("d", std::to_string(i))); });
  }
  time_.Run(seconds(10));
  EXPECT_EQ(yes_, 100);
  EXPECT_EQ(answers_, 200);
  EXPECT_GT(webhooks_[0]->counts().advanced, 20U);
  EXPECT_EQ(Used(server_->group()), "100");
}

// Loses the answer of the first write.
class ForgetfulStore final : public StatusStore {
 public:
  ForgetfulStore(SimulatedApiServer& server, VirtualTime& time) : store_(server, time), time_(time) {}
  void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) override {
    if (++writes_ > 1) return store_.Write(group, timeout, std::move(done));
    store_.Write(group, timeout, [](const auto&) {});
    time_.After(timeout, [done = std::move(done)] { done(absl::DeadlineExceededError("no answer")); });
  }
  void Read(const std::string& name, Duration timeout, Done done) override {
    store_.Read(name, timeout, std::move(done));
  }

 private:
  SimulatedStore store_;
  VirtualTime& time_;
  int writes_ = 0;
};

// The controller may be about to give up one that has stood for longer: its name was another object's.
TEST_F(GroupCommitTest, WritesAChargeOfOldAnewBeforeTheYes) {
  Start("10", {}, 1, 0);
  SimulatedWebhook webhook(time_, std::make_unique<ForgetfulStore>(*server_, time_));
  server_->OnChange([&](const cluster::BizGroupQuota& group) { webhook.ledger().Set(group); });
  time_.Run(seconds(1));
  webhook.Ask("web", 0, 2, [&](const Judgement& judgement) {
    ASSERT_TRUE(judgement.allowed) << judgement.message;
    answered_at_ = time_.Monotonic();
    EXPECT_GE(server_->group().reservations.at(0).until, time_.Now() + seconds(89));
    ++yes_;
  });
  time_.Run(seconds(10));
  EXPECT_EQ(yes_, 1);
  EXPECT_GT(answered_at_, seconds(3));
  EXPECT_EQ(server_->writes, 2);
  EXPECT_EQ(Used(server_->group()), "2");
}

TEST_F(GroupCommitTest, SaysWhyNothingCouldBeWritten) {
  Start("2", {.lost_request = 1});
  Create("web");
  time_.Run(seconds(60));
  EXPECT_EQ(answers_, 1);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: the charge could not be written in time: no answer");
  EXPECT_EQ(answered_at_, milliseconds(9800));
  EXPECT_EQ(webhooks_[0]->ledger().tree().Find("team")->used, quota::Amounts());  // what waited holds nothing any more
}

TEST_F(GroupCommitTest, RefusesWhereTheGroupWentMeanwhile) {
  Start("2");
  Create("web");
  Create("other");
  webhooks_[0]->ledger().Remove("team");
  time_.Run(std::chrono::microseconds(1));
  EXPECT_EQ(answers_, 0);  // the write of the first is on its way
  time_.Run(seconds(1));
  EXPECT_EQ(answers_, 2);
}

TEST_F(GroupCommitTest, OneThatIsNeverTakenStopsNoOthers) {
  Start("20");
  server_->never_takes = [](const cluster::BizGroupQuota& group) {
    return std::any_of(group.reservations.begin(), group.reservations.end(),
                       [](const auto& each) { return each.uid == "bad-uid"; });
  };
  for (const char* name : {"first", "a", "bad", "b", "c"}) Create(name);
  time_.Run(seconds(1));
  EXPECT_EQ(answers_, 5);
  EXPECT_EQ(yes_, 4);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: the API server does not take the charge: is invalid");
  EXPECT_EQ(Used(server_->group()), "4");
  EXPECT_EQ(Known(), "4");
  EXPECT_EQ(server_->writes, 4);
}

TEST_F(GroupCommitTest, AnswersInTimeWhileAWriteIsUnderWay) {
  Start("2");
  server_->slow = seconds(2);
  Scale("slow", 0, 1, seconds(1));
  Scale("waits", 0, 1, seconds(1));
  time_.Run(milliseconds(799));
  EXPECT_EQ(answers_, 0);
  time_.Run(milliseconds(800));
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(yes_, 0);
  EXPECT_EQ(Known(), "1") << "what is being written counts, what waited does not";
  time_.Run(seconds(5));
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(Known(), "1");
  EXPECT_EQ(server_->writes, 1);
  server_->slow = {};
  Create("fits");
  time_.Run(seconds(6));
  EXPECT_EQ(yes_, 1);
}

TEST_F(GroupCommitTest, TheNextDeadlineIsKeptWhereAnEarlierReviewWasAnswered) {
  Start("5", {.lost_request = 1});
  Scale("a", 0, 1, seconds(2));
  time_.Run(milliseconds(10));
  Scale("b", 0, 1, seconds(6));
  time_.Run(seconds(3));
  EXPECT_EQ(answered_at_, milliseconds(1800));
  time_.Run(seconds(60));
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(answered_at_, milliseconds(5810));
}

TEST_F(GroupCommitTest, WhatWasJudgedBesideAChargeThatExpiredIsChargedItself) {
  Start("20");
  server_->slow = seconds(6);
  Scale("other", 0, 1, seconds(30));
  Scale("web", 3, 5, seconds(5));
  Scale("web", 3, 5, seconds(20));  // free as long as the one before is held
  time_.Run(seconds(15));
  EXPECT_EQ(answers_, 3);
  EXPECT_EQ(yes_, 2);
  EXPECT_EQ(Used(server_->group()), "3");
}

TEST_F(GroupCommitTest, WritesNothingWhereThereIsNoRoomForAnotherReservation) {
  Start("20", {}, 1, 1, {.most_reservations = 1});
  Create("a");
  time_.Run(seconds(1));
  Create("b");
  time_.Run(seconds(2));
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: too many of its objects wait to be seen; is huygens controller up?");
  EXPECT_EQ(server_->writes, 1);
  EXPECT_EQ(Known(), "1");
}

// So many clients that each ask again a millisecond after their answer, `rounds` times. When the last was answered.
class Clients {
 public:
  Clients(VirtualTime& time, SimulatedWebhook& webhook, int clients, int rounds) : time_(time), webhook_(webhook) {
    for (int i = 0; i < clients; ++i) Ask(Concat("c", std::to_string(i)), rounds);
    time_.Run(seconds(60));
  }
  int answers = 0;
  Duration last{};

 private:
  void Ask(const std::string& client, int left) {
    if (left == 0) return;
    webhook_.Ask(Concat(client, "-", std::to_string(left)), 0, 1, [this, client, left](const Judgement& judgement) {
      EXPECT_TRUE(judgement.allowed);
      ++answers;
      last = time_.Monotonic();
      time_.After(milliseconds(1), [this, client, left] { Ask(client, left - 1); });
    });
  }

  VirtualTime& time_;
  SimulatedWebhook& webhook_;
};

TEST_F(GroupCommitTest, AWriteCarriesThoseWhoComeAgainAfterTheLastOne) {
  Start("1000");
  const Clients clients(time_, *webhooks_[0], 8, 20);
  EXPECT_EQ(clients.answers, 160);
  EXPECT_LE(server_->writes, 160 / 7 + 3) << "one is on its way back while the others are written";
}

TEST_F(GroupCommitTest, AWriteDoesNotWaitForThoseWhoStayAway) {
  Start("1000");
  Create("a");
  Create("b");
  Create("c");  // b and c together
  time_.Run(seconds(1));
  ASSERT_EQ(answers_, 3);
  ASSERT_EQ(server_->writes, 2);
  const Duration before = time_.Monotonic();
  Create("d");
  time_.Run(seconds(2));
  EXPECT_EQ(answers_, 4);
  EXPECT_LE(answered_at_ - before, milliseconds(40)) << "the way there and back, and nothing besides";
}

TEST_F(GroupCommitTest, WhoIsAloneWaitsForNobody) {
  Duration took[2];
  for (const int gathers : {0, 1}) {
    webhooks_.clear();
    VirtualTime time;
    SimulatedApiServer server(time, 5, "1000");
    SimulatedWebhook webhook(server, time, {.longest_gathering = milliseconds(gathers * 10)});
    took[gathers] = Clients(time, webhook, 1, 30).last;
  }
  EXPECT_EQ(took[0], took[1]);
}

TEST_F(GroupCommitTest, NobodyFillsTheStatusWithALongName) {
  Start("20");
  Create(std::string(129 - std::string_view("-uid").size(), 'a'));
  Create(std::string(128 - std::string_view("-uid").size(), 'b'));
  time_.Run(seconds(1));
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: the name or UID of the object is longer than API servers make");
  EXPECT_EQ(Used(server_->group()), "1");
}

TEST_F(GroupCommitTest, OnlySoManyWait) {
  Start("20", {}, 1, 1, {.most_waiting = 2});
  for (const char* name : {"first", "a", "b", "c"}) Create(name);
  EXPECT_EQ(answers_, 1);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: too many requests of this group wait to be charged");
  time_.Run(seconds(1));
  EXPECT_EQ(yes_, 3);
  EXPECT_EQ(Used(server_->group()), "3");
}

// Keeps what is to be written until the test answers.
class HeldStore final : public StatusStore {
 public:
  struct Call {
    cluster::BizGroupQuota group;
    Done done;
  };
  explicit HeldStore(std::vector<Call>& calls) : calls_(calls) {}
  void Write(const cluster::BizGroupQuota& group, Duration, Done done) override { calls_.push_back({group, done}); }
  void Read(const std::string&, Duration, Done done) override { calls_.push_back({{}, done}); }

 private:
  std::vector<Call>& calls_;
};

cluster::BizGroupQuota Team(std::string_view cores) {
  auto team = quota::MakeGroup("team", "", {{"limits.cpu", cores}});
  team.counted_hard = team.hard;
  team.used = team.self_used = quota::Of({{"limits.cpu", "0"}});
  team.resource_version = "1";
  return team;
}

TEST(GroupCommit, JudgesAgainWhereAnotherInstanceWroteBeforeItsOwnAnswerCame) {
  VirtualTime time;
  std::vector<HeldStore::Call> calls;
  SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
  webhook.ledger().Set(Team("3"));
  std::vector<std::string> said;
  for (const char* name : {"a", "b", "c"}) {
    webhook.Ask(name, 0, 1, [&said](const Judgement& judgement) { said.push_back(Said(judgement)); });
  }
  ASSERT_EQ(calls.size(), 1U);
  auto stored = calls[0].group;
  stored.resource_version = "2";
  auto by_another = stored;  // which charged a core on top
  by_another.resource_version = "3";
  by_another.used = by_another.self_used = quota::Of({{"limits.cpu", "2"}});
  webhook.ledger().Set(by_another);
  calls[0].done(stored);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].group.resource_version, "3");
  EXPECT_EQ(Used(calls[1].group), "3");
  EXPECT_THAT(said,
              testing::ElementsAre("team limits.cpu=1", "403 quota bizrq/team: limits.cpu used 3 of 3, requested 1"));
}

// A charge that was written by a call whose answer got lost is found, but holds only if it was written just now.
TEST(GroupCommit, AReservationOfOldIsWrittenAnewNotFound) {
  for (const bool in_time : {true, false}) {
    VirtualTime time;
    std::vector<HeldStore::Call> calls;
    SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
    webhook.ledger().Set(Team("9"));
    bool allowed = false;
    webhook.Ask("web", 0, 2, [&](const Judgement& judgement) { allowed = judgement.allowed; });
    ASSERT_EQ(calls.size(), 1U);
    auto found = calls[0].group;
    found.resource_version = "2";
    // One of the last second is: of an older one the controller may think already that its name is another's.
    found.reservations.front().until = time.Now() + seconds(in_time ? 90 : 89);
    calls[0].done(absl::AbortedError("the object has been modified"));
    ASSERT_EQ(calls.size(), 2U) << "read";
    calls[1].done(found);
    EXPECT_EQ(allowed, in_time);
    ASSERT_EQ(calls.size(), in_time ? 2U : 3U);
    if (in_time) continue;
    EXPECT_EQ(Used(calls[2].group), "2") << "charged once";
    EXPECT_EQ(calls[2].group.reservations.front().until, std::chrono::ceil<seconds>(time.Now()) + seconds(90));
    calls[2].done(calls[2].group);
    EXPECT_TRUE(allowed);
  }
}

TEST(GroupCommit, WhatWasAnsweredMeanwhileIsNotJudgedAgain) {
  VirtualTime time;
  std::vector<HeldStore::Call> calls;
  SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
  auto team = Team("9");
  webhook.ledger().Set(team);
  std::vector<std::string> said;
  const auto answer = [&said](const Judgement& judgement) { said.push_back(Said(judgement)); };
  webhook.Ask("web", 3, 5, answer, seconds(1));
  webhook.Ask("web", 3, 5, answer, seconds(10));  // free as long as the one before is held
  time.Run(seconds(2));
  EXPECT_THAT(said, testing::ElementsAre("503 quota bizrq/team: the charge could not be written in time"));
  ASSERT_EQ(calls.size(), 1U);
  team.resource_version = "2";
  webhook.ledger().Set(team);
  calls[0].done(absl::AbortedError("the object has been modified"));
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(Used(calls[1].group), "2");
  EXPECT_EQ(calls[1].group.reservations.size(), 1U);
  EXPECT_EQ(said.size(), 1U);
}

TEST(GroupCommit, WhatWasAnsweredMeanwhileIsNotAnsweredAgain) {
  VirtualTime time;
  std::vector<HeldStore::Call> calls;
  SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
  auto team = Team("9");
  webhook.ledger().Set(team);
  int answers = 0;
  webhook.Ask("web", 0, 5, [&answers](const Judgement&) { ++answers; }, seconds(1));
  time.Run(seconds(2));
  EXPECT_EQ(answers, 1);
  team.resource_version = "2";
  team.used = team.self_used = quota::Of({{"limits.cpu", "9"}});  // it would be refused now
  webhook.ledger().Set(team);
  calls[0].done(absl::AbortedError("the object has been modified"));
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(quota::Used(webhook.ledger().tree(), "team", "limits.cpu"), "9");
}

// Whether the controller reads a text is for the controller to say.
TEST(GroupCommit, LeavesReservationsInTheFormThatTheyHave) {
  for (const bool text : {false, true}) {
    VirtualTime time;
    SimulatedApiServer server(time, 1, "2");
    cluster::BizGroupQuota known = server.group();
    known.reservations_as_text = text;
    ASSERT_TRUE(server.Swap(known).ok());
    SimulatedWebhook webhook(server, time);
    time.Run(seconds(1));
    webhook.Ask("web", 0, 1, [](const Judgement& judgement) { EXPECT_TRUE(judgement.allowed); });
    time.Run(seconds(2));
    ASSERT_EQ(server.group().reservations.size(), 1U);
    EXPECT_EQ(server.group().reservations_as_text, text);
  }
}

TEST(GroupCommit, DoesNotSayThatAKeyWasCountedWhichTheBudgetLost) {
  VirtualTime time;
  std::vector<HeldStore::Call> calls;
  SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
  auto team = Team("10");
  team.counted_hard = quota::Of({{"limits.cpu", "8"}, {"limits.memory", "1Gi"}});
  webhook.ledger().Set(team);
  webhook.Ask("a", 0, 1, [](const Judgement&) {});
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].group.counted_hard, quota::Of({{"limits.cpu", "8"}}));
}

TEST(GroupCommit, AKeyThatWasNotReckonedWithIsNotCounted) {
  VirtualTime time;
  std::vector<HeldStore::Call> calls;
  SimulatedWebhook webhook(time, std::make_unique<HeldStore>(calls));
  auto team = Team("10");
  team.counted_hard.clear();
  webhook.ledger().Set(team);
  std::string said;
  webhook.Ask("a", 0, 1, [&said](const Judgement& judgement) { said = Said(judgement); });
  EXPECT_THAT(said, testing::StartsWith("503 quota bizrq/team: what is used of limits.cpu has not been counted yet"));
  EXPECT_EQ(calls.size(), 0U);
}

// Whatever fails and whenever, no more is stored than fits, and nothing that was stored lacks its charge.
class Everything {
 public:
  explicit Everything(uint64_t seed)
      : server_(time_, seed, "20", {.lost_request = 0.1, .lost_answer = 0.1, .slow_write = 0.1, .failed_store = 0.3}) {
    for (int i = 0; i < 2; ++i) webhooks_.push_back(std::make_unique<SimulatedWebhook>(server_, time_));
    for (int i = 0; i < 60; ++i) time_.After(server_.Lag() * server_.Draw(400), [this] { Act(); });
  }

  void Run() {
    time_.Run(std::chrono::minutes(5));
    for (const auto& webhook : webhooks_) {
      const std::string known = quota::Used(webhook->ledger().tree(), "team", "limits.cpu");
      if (known != Used(server_.group())) fault_ = Concat("known to be used ", known, " of ", Used(server_.group()));
    }
  }

  SimulatedApiServer& server() { return server_; }
  int asked() const { return asked_; }
  int answered() const { return answered_; }
  const std::string& fault() const { return fault_; }

 private:
  void Act() {
    const std::string name = Concat("d", std::to_string(server_.Draw(15)));
    const std::string uid = Concat(name, "-uid");
    const auto found = server_.stored.find(uid);
    const int before = found == server_.stored.end() ? 0 : found->second;
    const int after = 1 + server_.Draw(6);
    ++asked_;
    const Duration patience = seconds(server_.Draw(2) == 0 ? 10 : 2), last = time_.Monotonic() + patience;
    const auto answer = [=, this](const Judgement& judgement) {
      ++answered_;
      if (time_.Monotonic() > last) fault_ = "a late answer";
      if (!judgement.allowed || server_.Chance(server_.faults().failed_store)) return;
      time_.After(server_.Lag(), [=, this] {
        const auto now = server_.stored.find(uid);
        if ((now == server_.stored.end() ? 0 : now->second) != before) return;  // a conflict at the API server
        server_.stored[uid] = after;
        Check();
      });
    };
    webhooks_[static_cast<size_t>(server_.Draw(2))]->Ask(name, before, after, answer, patience);
  }

  void Check() {
    const int64_t sum = std::accumulate(server_.stored.begin(), server_.stored.end(), int64_t{0},
                                        [](int64_t total, const auto& each) { return total + each.second; });
    if (sum > 20) fault_ = Concat("stored ", std::to_string(sum));
    Quantity stored = *Quantity::Parse(std::to_string(sum));
    if (stored > quota::Get(server_.group().used, "limits.cpu")) {
      fault_ = Concat("stored ", std::to_string(sum), ", charged ", Used(server_.group()));
    }
    Quantity reserved;  // which nobody takes back here
    for (const auto& each : server_.group().reservations) reserved.Add(quota::Get(each.amounts, "limits.cpu"));
    if (reserved != quota::Get(server_.group().used, "limits.cpu")) {
      fault_ = Concat("reserved ", reserved.Canonical(), ", charged ", Used(server_.group()));
    }
  }

  VirtualTime time_;
  SimulatedApiServer server_;
  std::vector<std::unique_ptr<SimulatedWebhook>> webhooks_;
  int asked_ = 0;
  int answered_ = 0;
  std::string fault_;
};

TEST(GroupCommitPropertyTest, NeverStoresMoreThanFitsNorAnythingUncharged) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Everything everything(seed);
    everything.Run();
    ASSERT_EQ(everything.fault(), "") << "seed " << seed;
    ASSERT_EQ(everything.answered(), everything.asked()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace huygens::webhook
