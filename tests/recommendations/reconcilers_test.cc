// The reconcilers against the fake API server: call by call, on a clock that the test sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <thread>

#include "recommend/buckets.h"
#include "recommendations/recommendation_reconciler.h"
#include "recommendations/scan_reconciler.h"
#include "recommendations/template_reconciler.h"
#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"
#include "tests/recommendations/objects.h"

namespace huygens::recommendations {
namespace {

using recommendation_api::Recommendation;
using reconcile::Reconciled;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr char kKey[] = "shop/workload/apps/Deployment/cart";
constexpr char kName[] = "deployment-cart";
constexpr char kDeployment[] =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"cart"},"spec":{}})";
constexpr char kTemplate[] =
    R"({"apiVersion":"huygens.dev/v1alpha1","kind":"RecommendationTemplate","metadata":{"name":"all"},"spec":{}})";

class SetClock final : public Clock {
 public:
  Time Now() const override { return now; }
  Time now = kNoon;
};

// Keeps what would be worked on.
class Keys final : public reconcile::WorkKeys {
 public:
  void Add(std::string_view key) override { keys.emplace(key); }
  void AddAfter(std::string_view key, Duration) override { keys.emplace(key); }
  TextSet keys;
};

settings::OvercommitConfiguration EnforcedPool() {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kEnforce;
  configuration.pools = {{.name = "shared", .type = settings::PoolType::kDynamic, .auto_apply = true}};
  return configuration;
}

// One instance of the controller, as far as recommendations go.
class Instance {
 public:
  Instance(fake::ApiServer& api, SetClock& clock, std::shared_ptr<UseSource> source = MakeMetricsApiUse())
      : api_(api), clock_(clock), calls_(loop_, api.Options(), 2), source_(std::move(source)) {
    recommendations.Start(keys);
    EXPECT_TRUE(calls_.Begin([] { return Duration(hours(1)); }).ok());
    Look();
  }
  ~Instance() { calls_.End(); }

  // As the watches would tell.
  void Look() {
    auto object = recommendation_api::DecodeRecommendationTemplate(api_.Get(fake::kRecommendationTemplates, "", "all"));
    if (object.ok()) targets.SetTemplate(*object);
    const Recommendation stored = Stored();
    if (!stored.metadata.uid.empty()) targets.SetStored(stored);
  }
  void Put(const PodText& text) {
    auto pod = DecodeMeasuredPod(PodJson(text), names_);
    ASSERT_TRUE(pod.ok()) << pod.status();
    targets.SetPod(*std::move(pod));
  }
  Reconciled Do(reconcile::Reconciler& reconciler, const std::string& key) {
    std::optional<Reconciled> result;
    reconciler.Reconcile(key, [&](const Reconciled& ended) { result = ended; });
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (!result && std::chrono::steady_clock::now() < end) {
      if (loop_.Poll() == 0) std::this_thread::yield();
    }
    return result.value_or(Reconciled{.status = Internal("it did not end")});
  }
  Reconciled Settle() { return Do(recommendations, kKey); }
  // A scan, with what pods use then.
  Reconciled Scan(std::string_view cpu, std::string_view memory = "200Mi", std::string_view pod = PodText().name) {
    api_.Put(MetricsJson(pod, clock_.now, cpu, memory));
    return Do(scan, "scan");
  }
  Recommendation Stored() const {
    return recommendation_api::DecodeRecommendation(api_.Get(fake::kRecommendations, "shop", kName))
        .value_or(Recommendation());
  }

 private:
  fake::ApiServer& api_;
  SetClock& clock_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  const ResourceNames names_;
  reconcile::LeaderCalls calls_;
  std::shared_ptr<UseSource> source_;

 public:
  Duration monotonic{};
  Keys keys;
  Targets targets{settings::OvercommitPools(EnforcedPool()), [this](const std::string& key) { keys.Add(key); }};
  RecommendationReconciler recommendations{{.targets = targets,
                                            .calls = calls_,
                                            .clock = clock_,
                                            .log = captured_.log,
                                            .monotonic = [this] { return monotonic; },
                                            .source = source_,
                                            .not_ready = [] { return std::string(); }}};
  ScanReconciler scan{{.targets = targets,
                       .calls = calls_,
                       .loop = loop_,
                       .clock = clock_,
                       .log = captured_.log,
                       .monotonic = [this] { return monotonic; },
                       .source = source_,
                       .not_ready = [] { return std::string(); }}};
  TemplateReconciler templates{
      {.targets = targets, .calls = calls_, .clock = clock_, .not_ready = [] { return std::string(); }}};
};

class ReconcilersTest : public testing::Test {
 protected:
  ReconcilersTest() {
    api_.Put(kTemplate);
    api_.Put(kDeployment);
    instance_.emplace(api_, clock_);
    instance_->Put({.created = "2026-02-01T00:00:00Z"});
    EXPECT_TRUE(instance_->Settle().status.ok());
  }
  // Another one, that knows what is stored: as after a kill -9.
  void Restart() {
    instance_.reset();
    instance_.emplace(api_, clock_);
    instance_->Put({.created = "2026-02-01T00:00:00Z"});
  }
  void Advance(Duration by) {
    clock_.now += by;
    instance_->monotonic += by;
  }
  int Writes() const {
    return api_.Seen("PUT", "/recommendations/") + api_.Seen("PUT", "/recommendationcheckpoints/") +
           api_.Seen("POST", "/recommendation");
  }
  size_t BucketOf(double model) const { return recommend::Buckets::Cpu().Find(model * 0.999); }

  fake::ApiServer api_;
  SetClock clock_;
  std::optional<Instance> instance_;
};

TEST_F(ReconcilersTest, ATemplateAndAPodBecomeARecommendation) {
  EXPECT_EQ(instance_->Stored().target.Key(), kKey);
  EXPECT_EQ(instance_->Stored().template_name, "all");
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const Recommendation stored = instance_->Stored();
  ASSERT_TRUE(stored.status.cpu);
  EXPECT_EQ(stored.status.cpu->samples, 1);
  EXPECT_EQ(stored.status.pod_cpu.original, "4");
  EXPECT_EQ(recommendation_api::FindCondition(stored.status.conditions, "Ready")->status, "True");
  EXPECT_EQ(api_.Count(fake::kRecommendationCheckpoints), 1u);
  const std::string checkpoint = api_.Get(fake::kRecommendationCheckpoints, "shop", kName);
  EXPECT_THAT(checkpoint, HasSubstr(stored.metadata.uid));  // its owner
  EXPECT_LT(checkpoint.size(), 8'000u);
}

TEST_F(ReconcilersTest, TenScansOfTheSameSampleChangeAndWriteNothing) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const std::string before = api_.Get(fake::kRecommendations, "shop", kName);
  const int writes = Writes();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(instance_->Do(instance_->scan, "scan").status.ok());
    ASSERT_TRUE(instance_->Settle().status.ok());
  }
  EXPECT_EQ(api_.Get(fake::kRecommendations, "shop", kName), before);
  EXPECT_EQ(Writes(), writes);
  EXPECT_EQ(instance_->scan.counts().scans, 11u);
}

TEST_F(ReconcilersTest, AValueThatStaysIsWrittenOnceInAnInterval) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const int writes = Writes();
  for (int i = 0; i < 30; ++i) {
    Advance(minutes(1));
    ASSERT_TRUE(instance_->Scan("1").status.ok());
    ASSERT_TRUE(instance_->Settle().status.ok());
  }
  EXPECT_EQ(Writes() - writes, 6);  // three checkpoints and three statuses in thirty minutes
  EXPECT_GE(instance_->Stored().status.cpu->samples, 20);
}

// Whoever goes on begins with what is published, and at most one bucket beside it.
TEST_F(ReconcilersTest, AKillBetweenScanAndCheckpointMovesARecommendationByOneBucketAtMost) {
  const char* const used[] = {"1", "1", "900m", "1", "3500m", "1", "1", "200m", "1", "3"};
  for (int kill = 0; kill < 10; ++kill) {
    Advance(minutes(1));
    ASSERT_TRUE(instance_->Scan(used[kill]).status.ok());
    if (kill % 2 == 0) {  // killed before anything is written of this scan
      const std::optional<recommendation_api::Used> published = instance_->Stored().status.cpu;
      Restart();
      ASSERT_TRUE(instance_->Settle().status.ok());
      if (!published) continue;
      const double now = instance_->targets.Find(kKey)->Model()[0];
      EXPECT_LE(std::abs(static_cast<int>(BucketOf(now)) - static_cast<int>(BucketOf(published->model))), 1) << kill;
    }
    ASSERT_TRUE(instance_->Settle().status.ok());
  }
}

TEST_F(ReconcilersTest, AKillBetweenCheckpointAndStatusIsMendedByTheNextLook) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  for (int i = 0; i < 5; ++i) {
    Advance(minutes(1));
    ASSERT_TRUE(instance_->Scan("3").status.ok());
  }
  instance_->monotonic += minutes(10);  // due
  api_.Inject({.method = "PUT", .path = "/status", .times = 1, .code = 500});
  EXPECT_FALSE(instance_->Settle().status.ok());
  const double model = instance_->targets.Find(kKey)->Model()[0];
  EXPECT_NE(instance_->Stored().status.cpu->model, model);
  Restart();
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_LE(
      std::abs(static_cast<int>(BucketOf(instance_->Stored().status.cpu->model)) - static_cast<int>(BucketOf(model))),
      1);
}

TEST_F(ReconcilersTest, AValueThatMovesIsWrittenAtOnceOnlyWherePodsMayGetIt) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const int young = Writes();
  Advance(minutes(1));
  ASSERT_TRUE(instance_->Scan("3").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(Writes(), young);
  Advance(hours(25));
  ASSERT_TRUE(instance_->Scan("3").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const Recommendation before = instance_->Stored();
  EXPECT_EQ(recommendation_api::FindCondition(before.status.conditions, "Effective")->status, "True");
  const int grown = Writes();
  Advance(minutes(1));
  for (int i = 0; i < 5; ++i) {
    Advance(seconds(10));
    ASSERT_TRUE(instance_->Scan("7").status.ok());
  }
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(Writes(), grown + 2);
  EXPECT_GT(instance_->Stored().status.cpu->model, before.status.cpu->model);
}

TEST_F(ReconcilersTest, AnotherInstanceGoesOnWithWhatIsStored) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(instance_->Scan("1").status.ok());
    ASSERT_TRUE(instance_->Settle().status.ok());
    Advance(minutes(1));
  }
  const std::optional<recommendation_api::Used> before = instance_->Stored().status.cpu;
  Restart();
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->recommendations.counts().restored, 1u);
  EXPECT_EQ(instance_->Stored().status.cpu->model, before->model);
  EXPECT_EQ(instance_->Stored().status.cpu->first, before->first);
  // The last sample is told again, and does not count again.
  const int64_t samples = instance_->targets.Find(kKey)->history.cpu().samples();
  ASSERT_TRUE(instance_->Do(instance_->scan, "scan").status.ok());
  EXPECT_LE(instance_->targets.Find(kKey)->history.cpu().samples(), samples + 1);
}

TEST_F(ReconcilersTest, ADamagedCheckpointBeginsHistoryAnewAndIsReplaced) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  api_.Put(Concat(
      R"({"apiVersion":"huygens.dev/v1alpha1","kind":"RecommendationCheckpoint","metadata":{"namespace":"shop","name":")",
      kName, R"("},"target":")", kKey, R"(","history":{"version":99}})"));
  Restart();
  ASSERT_TRUE(instance_->Settle().status.ok());
  Advance(minutes(1));
  ASSERT_TRUE(instance_->Scan("2").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_THAT(api_.Get(fake::kRecommendationCheckpoints, "shop", kName), HasSubstr(R"("version":1)"));
  EXPECT_EQ(instance_->Stored().status.cpu->samples, 1);
}

TEST_F(ReconcilersTest, AGapOfTheMetricsLowersNothing) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const double model = instance_->Stored().status.cpu->model;
  api_.Inject({.path = "metrics.k8s.io", .times = -1, .code = 503});
  Advance(minutes(30));
  const Reconciled failed = instance_->Do(instance_->scan, "scan");
  EXPECT_THAT(std::string(Message(failed.status)), HasSubstr("metrics.k8s.io"));
  EXPECT_THAT(instance_->scan.trouble(), HasSubstr("503"));
  api_.ClearFaults();
  api_.Delete(fake::kPodMetrics, "shop", PodText().name);
  ASSERT_TRUE(instance_->Do(instance_->scan, "scan").status.ok());  // an empty list
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->Stored().status.cpu->model, model);
}

TEST_F(ReconcilersTest, NothingIsGivenUpWhileTheApiServerDoesNotSaySo) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const std::string before = api_.Get(fake::kRecommendations, "shop", kName);
  instance_->targets.RemovePod("uid-" + PodText().name);  // an empty LIST
  for (const int code : {500, 503, 403, 429}) {
    api_.Inject({.method = "GET", .path = "/deployments/", .times = 1, .code = code});
    EXPECT_FALSE(instance_->Settle().status.ok()) << code;
  }
  // The kind is not served any more: a page of another sort.
  api_.Inject({.method = "GET", .path = "/deployments/", .times = 1, .code = 404, .body = "404 page not found\n"});
  EXPECT_FALSE(instance_->Settle().status.ok());
  // It is there, of no replicas.
  Advance(hours(1000));
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_FALSE(instance_->Stored().status.gone_since);
  EXPECT_EQ(instance_->Stored().status.pod_cpu.recommended,
            recommendation_api::DecodeRecommendation(before)->status.pod_cpu.recommended);
}

TEST_F(ReconcilersTest, AWorkloadThatIsGoneForSureIsKeptForADayAndComesBack) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  instance_->targets.RemovePod("uid-" + PodText().name);
  api_.Delete(fake::kDeployments, "shop", "cart");
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->Stored().status.gone_since, kNoon);
  EXPECT_TRUE(instance_->Stored().status.cpu);  // all that was known stays
  EXPECT_EQ(recommendation_api::FindCondition(instance_->Stored().status.conditions, "Ready")->reason, "WorkloadGone");
  Advance(hours(23));
  ASSERT_TRUE(instance_->Settle().status.ok());
  api_.Put(kDeployment);
  instance_->Put({.created = "2026-03-03T11:00:00Z"});
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_FALSE(instance_->Stored().status.gone_since);
  EXPECT_EQ(instance_->Stored().status.cpu->samples, 1);
}

TEST_F(ReconcilersTest, AndIsDeletedWithItsCheckpointAfterThat) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  api_.Delete(fake::kDeployments, "shop", "cart");
  Restart();  // what is gone since when outlives an instance
  instance_->targets.RemovePod("uid-" + PodText().name);
  ASSERT_TRUE(instance_->Settle().status.ok());
  ASSERT_EQ(instance_->Stored().status.gone_since, kNoon);
  Advance(hours(24));
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(api_.Count(fake::kRecommendations), 0u);
  EXPECT_EQ(api_.Count(fake::kRecommendationCheckpoints), 0u);
  EXPECT_EQ(instance_->targets.Find(kKey), nullptr);
}

TEST_F(ReconcilersTest, ATemplateThatIsGoneTakesItsRecommendationsWithItAndOneInDefectDoesNot) {
  api_.Put(
      R"({"apiVersion":"huygens.dev/v1alpha1","kind":"RecommendationTemplate","metadata":{"name":"all"},"spec":{"dimension":"x"}})");
  instance_->Look();
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_FALSE(instance_->Stored().status.gone_since);
  api_.Delete(fake::kRecommendationTemplates, "", "all");
  instance_->targets.ForEachTemplate([&](const auto& each) { EXPECT_NE(each.defect, ""); });
  instance_->targets.RemoveTemplate(instance_->targets.FindTemplate("all")->metadata.uid);
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(recommendation_api::FindCondition(instance_->Stored().status.conditions, "Ready")->reason, "TemplateGone");
}

TEST_F(ReconcilersTest, OneThatSomebodyDeletesIsMadeAnewWithItsHistory) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  const std::string uid = instance_->Stored().metadata.uid;
  api_.Delete(fake::kRecommendations, "shop", kName);
  instance_->targets.RemoveStored(uid);
  EXPECT_TRUE(instance_->keys.keys.contains(kKey));
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_NE(instance_->Stored().metadata.uid, uid);
  EXPECT_EQ(instance_->Stored().status.cpu->samples, 1);
}

TEST_F(ReconcilersTest, ARaisedRequestIsFollowedAtOnce) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  instance_->Put({.name = "cart-77-a", .hash = "77", .cpu = "6", .created = "2026-03-02T00:00:00Z"});
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->Stored().status.pod_cpu.original, "6");
}

TEST_F(ReconcilersTest, TheStatusOfATemplateSaysWhatCameOfIt) {
  ASSERT_TRUE(instance_->Scan("1").status.ok());
  ASSERT_TRUE(instance_->Settle().status.ok());
  instance_->Look();
  ASSERT_TRUE(instance_->Do(instance_->templates, "all").status.ok());
  const auto object =
      recommendation_api::DecodeRecommendationTemplate(api_.Get(fake::kRecommendationTemplates, "", "all"));
  EXPECT_EQ(object->status.targets, 1);
  EXPECT_EQ(object->status.ready, 1);
  const int writes = api_.Seen("PUT", "recommendationtemplates");
  ASSERT_TRUE(instance_->Do(instance_->templates, "all").status.ok());
  EXPECT_EQ(api_.Seen("PUT", "recommendationtemplates"), writes);
}

// Remembers a week of one pod, one sample a minute.
class PastUse final : public UseSource {
 public:
  std::string name() const override { return "past"; }
  StatusOr<PodUses> Read(net::Client&, const std::string&, Time, Duration) override { return PodUses{}; }
  bool has_past() const override { return true; }
  Status ReadPast(const recommendation_api::Target&, Time first, Time last, Duration step,
                  const VisitPast& visit) override {
    if (++asked <= failures) return Unavailable("it is starting");
    for (Time time = first; time <= last; time += step) visit("cart-1", time, recommend::Resource::kCpu, 1000);
    for (Time time = first; time <= last; time += step) visit("cart-1", time, recommend::Resource::kMemory, 100 << 20);
    return absl::OkStatus();
  }
  int failures = 0, asked = 0;
};

TEST_F(ReconcilersTest, HistoryIsFilledFromPrometheusWhereThereIsNoCheckpoint) {
  instance_.reset();
  const auto past = std::make_shared<PastUse>();
  past->failures = 2;
  instance_.emplace(api_, clock_, past);
  instance_->Put({.created = "2026-02-01T00:00:00Z"});
  EXPECT_FALSE(instance_->Settle().status.ok());
  EXPECT_FALSE(instance_->Settle().status.ok());
  EXPECT_FALSE(instance_->targets.Find(kKey)->measuring);
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->recommendations.counts().backfilled, 1u);
  EXPECT_EQ(instance_->Stored().status.cpu->samples, 7 * 24 * 60 + 1);
  EXPECT_EQ(recommendation_api::FindCondition(instance_->Stored().status.conditions, "Effective")->status, "True");
  // And then it is a checkpoint like any other.
  instance_.reset();
  instance_.emplace(api_, clock_, past);
  instance_->Put({.created = "2026-02-01T00:00:00Z"});
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_EQ(instance_->recommendations.counts().backfilled, 0u);
  EXPECT_EQ(past->asked, 3);
}

TEST_F(ReconcilersTest, APrometheusThatNeverAnswersDoesNotKeepMeasuringBack) {
  instance_.reset();
  const auto past = std::make_shared<PastUse>();
  past->failures = 1000;
  instance_.emplace(api_, clock_, past);
  instance_->Put({.created = "2026-02-01T00:00:00Z"});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(instance_->Settle().status.ok()) << i;
  ASSERT_TRUE(instance_->Settle().status.ok());
  EXPECT_TRUE(instance_->targets.Find(kKey)->measuring);
}

TEST(PastQueries, NamePodsAsTheirControllersDo) {
  const auto names = [](std::string_view kind, std::string_view name) {
    return PodNames({"shop", recommendation_api::Dimension::kWorkload, "apps", std::string(kind), std::string(name)});
  };
  EXPECT_EQ(names("StatefulSet", "db.a"), "db[.]a-[0-9]+");
  EXPECT_THAT(names("Deployment", "cart"), HasSubstr("cart-["));
  const recommendation_api::Target target{"shop", recommendation_api::Dimension::kWorkload, "apps", "StatefulSet",
                                          "db"};
  EXPECT_EQ(
      PastMemoryQuery(target, {}),
      R"(sum by (pod) (max by (pod, container) (container_memory_working_set_bytes{namespace="shop",container!="",container!="POD",pod=~"db-[0-9]+"})))");
  EXPECT_THAT(CpuQuery("shop", {{R"(cluster="a")"}, {}}), HasSubstr(R"(cluster="a"}[5m])"));
}

}  // namespace
}  // namespace huygens::recommendations
