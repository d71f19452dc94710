#include "webhook/group_commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/webhook/simulated_cluster.h"

namespace huygens::webhook {
namespace {

using std::chrono::seconds;

std::string Used(const cluster::BizGroupQuota& group) { return quota::Get(group.used, "limits.cpu").Canonical(); }

class GroupCommitTest : public testing::Test {
 protected:
  void Start(std::string_view cores, Faults faults = {}, uint64_t seed = 1, int webhooks = 1) {
    server_ = std::make_unique<SimulatedApiServer>(time_, seed, cores, faults);
    for (int i = 0; i < webhooks; ++i) webhooks_.push_back(std::make_unique<SimulatedWebhook>(*server_, time_));
  }
  void Create(const std::string& name, int cores = 1, size_t webhook = 0) {
    webhooks_[webhook]->Ask(name, 0, cores, [this](const Judgement& judgement) {
      ++answers_;
      yes_ += judgement.allowed ? 1 : 0;
      if (!judgement.allowed) last_no_ = Said(judgement);
    });
  }

  VirtualTime time_;
  std::unique_ptr<SimulatedApiServer> server_;
  std::vector<std::unique_ptr<SimulatedWebhook>> webhooks_;
  int answers_ = 0;
  int yes_ = 0;
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

TEST_F(GroupCommitTest, SaysWhyNothingCouldBeWritten) {
  Start("2", {.lost_request = 1});
  Create("web");
  time_.Run(seconds(60));
  EXPECT_EQ(answers_, 1);
  EXPECT_EQ(last_no_, "503 quota bizrq/team: the charge could not be written in time: no answer");
  EXPECT_EQ(webhooks_[0]->ledger().tree().Find("team")->used, quota::Amounts());  // what waited holds nothing any more
}

TEST_F(GroupCommitTest, RefusesWhereTheGroupWentMeanwhile) {
  Start("2");
  Create("web");
  Create("other");
  const_cast<Ledger&>(webhooks_[0]->ledger()).Remove("team");
  time_.Run(std::chrono::microseconds(1));
  EXPECT_EQ(answers_, 0);  // the write of the first is on its way
  time_.Run(seconds(1));
  EXPECT_EQ(answers_, 2);
}

// Whatever fails and whenever, no more is stored than fits, and nothing that was stored lacks its charge.
class Everything {
 public:
  explicit Everything(uint64_t seed)
      : server_(time_, seed, "20", {.lost_request = 0.1, .lost_answer = 0.1, .failed_store = 0.3}) {
    for (int i = 0; i < 2; ++i) webhooks_.push_back(std::make_unique<SimulatedWebhook>(server_, time_));
    for (int i = 0; i < 60; ++i) time_.After(server_.Lag() * server_.Draw(400), [this] { Act(); });
  }

  void Run() { time_.Run(std::chrono::minutes(5)); }

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
    webhooks_[static_cast<size_t>(server_.Draw(2))]->Ask(name, before, after, [=, this](const Judgement& judgement) {
      ++answered_;
      if (!judgement.allowed || server_.Chance(server_.faults().failed_store)) return;
      time_.After(server_.Lag(), [=, this] {
        const auto now = server_.stored.find(uid);
        if ((now == server_.stored.end() ? 0 : now->second) != before) return;  // a conflict at the API server
        server_.stored[uid] = after;
        Check();
      });
    });
  }

  void Check() {
    const int64_t sum = std::accumulate(server_.stored.begin(), server_.stored.end(), int64_t{0},
                                        [](int64_t total, const auto& each) { return total + each.second; });
    if (sum > 20) fault_ = Concat("stored ", std::to_string(sum));
    Quantity stored = *Quantity::Parse(std::to_string(sum));
    if (stored > quota::Get(server_.group().used, "limits.cpu")) {
      fault_ = Concat("stored ", std::to_string(sum), ", charged ", Used(server_.group()));
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
