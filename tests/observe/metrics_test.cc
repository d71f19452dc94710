#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "observe/controller_metrics.h"
#include "observe/move_metrics.h"
#include "observe/rule_metrics.h"

namespace huygens::observe {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

Metrics::Options SomeOptions() {
  return {.version = "1.2.3",
          .commit = "1a2b3c4",
          .reject_reasons = {"zones_too_small", "no_topology", "no_topology"},
          .checks = {"topology", "usage"},
          .usage_resources = {"cpu", "memory"}};
}

// Value of a series as it is written in the text; NaN if there is none.
double Value(const Metrics& metrics, const std::string& series) {
  std::istringstream in(metrics.Render());
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return NAN;
}

TEST(Metrics, ARequestCountsByVerbAndOutcome) {
  Metrics metrics(SomeOptions());
  metrics.Request("filter", "ok", 5000, 300, microseconds(40));
  metrics.Request("filter", "ok", 5000, 300, microseconds(60));
  metrics.Request("bind", "error", 100, 20, seconds(3));
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_count{outcome="ok",verb="filter"})"), 2);
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_bucket{outcome="ok",verb="filter",le="5e-05"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_count{outcome="error",verb="bind"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_request_bytes_sum{direction="in",verb="filter"})"), 10'000);
  EXPECT_EQ(Value(metrics, R"(huygens_request_bytes_sum{direction="out",verb="filter"})"), 600);
}

TEST(Metrics, SeriesBeginAtZero) {
  Metrics metrics(SomeOptions());
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_count{outcome="malformed",verb="preempt"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_nodes_rejected_total{reason="no_topology"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_events_total{kind="pods",type="gone"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_bind_api_duration_seconds_count{outcome="bound"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_build_info{commit="1a2b3c4",version="1.2.3"})"), 1);
}

TEST(Metrics, WhatIsOnlyReportedIsCountedApart) {
  Metrics metrics(SomeOptions());
  EXPECT_EQ(Value(metrics, R"(huygens_pods_would_be_rejected_total{check="topology"})"), 0);
  metrics.NodeWouldBeRejected("no_topology", 40);
  metrics.PodWouldBeRejected("usage");
  EXPECT_EQ(Value(metrics, R"(huygens_nodes_would_be_rejected_total{reason="no_topology"})"), 40);
  EXPECT_EQ(Value(metrics, R"(huygens_nodes_rejected_total{reason="no_topology"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_pods_would_be_rejected_total{check="usage"})"), 1);
}

TEST(Metrics, WhatIsGivenAwayTwiceIsShownByKind) {
  Metrics metrics(SomeOptions());
  EXPECT_EQ(Value(metrics, R"(huygens_overcommitted{what="groups"})"), 0);
  metrics.SetOvercommitted("zones", 5);
  EXPECT_EQ(Value(metrics, R"(huygens_overcommitted{what="zones"})"), 5);
}

TEST(Metrics, UnknownLabelValuesCountAsOther) {
  Metrics metrics(SomeOptions());
  metrics.Request("../../etc/passwd", "strange", 1, 1, microseconds(1));
  metrics.NodeRejected("from outside", 7);
  metrics.WatchEvent(cluster::Kind::kPod, "unheard of");
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_count{outcome="other",verb="other"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_nodes_rejected_total{reason="other"})"), 7);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_events_total{kind="pods",type="other"})"), 1);
  for (const char* text : {"passwd", "strange", "outside", "unheard"})
    EXPECT_THAT(metrics.Render(), Not(HasSubstr(text)));
}

TEST(Metrics, GaugesShowTheLastValue) {
  Metrics metrics(SomeOptions());
  metrics.SetReservations(cluster::ReservationState::kReserved, 3);
  metrics.SetReservations(cluster::ReservationState::kAssumed, 5);
  metrics.SetReservations(cluster::ReservationState::kReserved, 1);
  metrics.SetNodes("managed", "stale", 12);
  metrics.SetUsageAge("cpu", 30);
  metrics.SetUsageStale(0.25, true);
  metrics.SetHotNodes("cpu", "peak", 3);
  metrics.SetPods(40);
  metrics.SetReady(true);
  metrics.SetLeaseHeld(true);
  metrics.SetLeaseHeld(false);
  metrics.SetWatchSynced(cluster::Kind::kNode, true);
  metrics.SetCertificateExpiry(Time(seconds(1'800'000'000)));
  EXPECT_EQ(Value(metrics, R"(huygens_reservations{state="reserved"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_reservations{state="assumed"})"), 5);
  EXPECT_EQ(Value(metrics, R"(huygens_nodes{topology="managed",usage="stale"})"), 12);
  EXPECT_EQ(Value(metrics, R"(huygens_nodes{topology="managed",usage="fresh"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_usage_age_seconds{resource="cpu"})"), 30);
  EXPECT_EQ(Value(metrics, "huygens_usage_stale_share"), 0.25);
  EXPECT_EQ(Value(metrics, "huygens_usage_check_steps_aside"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_usage_hot_nodes{resource="cpu",when="peak"})"), 3);
  EXPECT_EQ(Value(metrics, R"(huygens_usage_hot_nodes{resource="cpu",when="now"})"), 0);
  EXPECT_EQ(Value(metrics, "huygens_pods"), 40);
  EXPECT_EQ(Value(metrics, "huygens_ready"), 1);
  EXPECT_EQ(Value(metrics, "huygens_bind_lease_held"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_synced{kind="nodes"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_synced{kind="pods"})"), 0);
  EXPECT_EQ(Value(metrics, "huygens_tls_certificate_expiry_timestamp_seconds"), 1'800'000'000);
}

TEST(Metrics, FiguresOfBusinessGroupsComeAndGo) {
  Metrics metrics(SomeOptions());
  EXPECT_EQ(Value(metrics, R"(huygens_quota_groups{state="frozen"})"), 0);
  EXPECT_THAT(metrics.Render(), Not(HasSubstr("huygens_quota_hard{")));
  metrics.SetQuotaGroups("frozen", 2);
  metrics.SetQuotas({{"team", "limits.cpu", 10, 2.5}, {"team", "cash/limits.cpu", 100, {}}});
  EXPECT_EQ(Value(metrics, R"(huygens_quota_groups{state="frozen"})"), 2);
  EXPECT_EQ(Value(metrics, R"(huygens_quota_hard{group="team",key="limits.cpu"})"), 10);
  EXPECT_EQ(Value(metrics, R"(huygens_quota_used{group="team",key="limits.cpu"})"), 2.5);
  EXPECT_EQ(Value(metrics, R"(huygens_quota_hard{group="team",key="cash/limits.cpu"})"), 100);
  EXPECT_TRUE(std::isnan(Value(metrics, R"(huygens_quota_used{group="team",key="cash/limits.cpu"})")));
  metrics.SetQuotas({{"other", "limits.cpu", 4, 4}});
  EXPECT_THAT(metrics.Render(), Not(HasSubstr("group=\"team\"")));
  EXPECT_EQ(Value(metrics, R"(huygens_quota_used{group="other",key="limits.cpu"})"), 4);
  metrics.SetQuotas({{"team", "limits.cpu", 12, 3}});
  EXPECT_EQ(Value(metrics, R"(huygens_quota_hard{group="team",key="limits.cpu"})"), 12) << "back again";
}

TEST(Metrics, DriftShowsTheLastPassAndRepairsAddUp) {
  Metrics metrics(SomeOptions());
  metrics.ReservationDrift(2);
  EXPECT_EQ(Value(metrics, "huygens_reservation_drift"), 2);
  metrics.ReservationDrift(0);
  EXPECT_EQ(Value(metrics, "huygens_reservation_drift"), 0);
  EXPECT_EQ(Value(metrics, "huygens_reservation_repairs_total"), 2);
}

TEST(Metrics, CountsKeptElsewhereAreCopied) {
  Metrics metrics(SomeOptions());
  metrics.SetTotals(
      {.pod_events_sent = 3, .log_lines_dropped = 1, .decision_log_written = 10, .decision_log_dropped = 2});
  metrics.SetTotals({.pod_events_sent = 4,
                     .pod_events_failed = 5,
                     .log_lines_dropped = 1,
                     .decision_log_written = 20,
                     .decision_log_dropped = 2});
  EXPECT_EQ(Value(metrics, R"(huygens_pod_events_total{result="sent"})"), 4);
  metrics.SetGroupCharges(
      {.written = 2, .conflicts = 1, .failed = 3, .charged = 7, .expired = 4, .advanced = 6, .recalls = 5});
  EXPECT_EQ(Value(metrics, R"(huygens_group_status_writes_total{result="written"})"), 2);
  EXPECT_EQ(Value(metrics, R"(huygens_group_status_writes_total{result="conflict"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_group_status_writes_total{result="failed"})"), 3);
  EXPECT_EQ(Value(metrics, "huygens_group_charges_total"), 7);
  EXPECT_EQ(Value(metrics, "huygens_group_charges_expired_total"), 4);
  EXPECT_EQ(Value(metrics, "huygens_group_charges_advanced_total"), 6);
  EXPECT_EQ(Value(metrics, "huygens_group_advances_recalled_total"), 5);
  EXPECT_EQ(Value(metrics, R"(huygens_pod_events_total{result="suppressed"})"), 0);
  EXPECT_EQ(Value(metrics, R"(huygens_pod_events_total{result="failed"})"), 5);
  EXPECT_EQ(Value(metrics, "huygens_log_lines_dropped_total"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_decision_log_records_total{result="written"})"), 20);
  EXPECT_EQ(Value(metrics, R"(huygens_decision_log_records_total{result="dropped"})"), 2);
}

TEST(Metrics, EventsOfTheWatchCountByKind) {
  Metrics metrics(SomeOptions());
  metrics.WatchEvent(cluster::Kind::kPod, "set", 5);
  metrics.WatchEvent(cluster::Kind::kNode, "set");
  metrics.WatchLag(cluster::Kind::kPod, microseconds(400));
  metrics.WatchLag(cluster::Kind::kPod, -seconds(5));  // the clock was set back
  metrics.ReservationOverdue();
  metrics.BindApi("bound", seconds(1));
  EXPECT_EQ(Value(metrics, R"(huygens_watch_events_total{kind="pods",type="set"})"), 5);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_events_total{kind="nodes",type="set"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_watch_lag_seconds_count{kind="pods"})"), 2);
  EXPECT_GT(Value(metrics, R"(huygens_watch_lag_seconds_sum{kind="pods"})"), 0);
  EXPECT_EQ(Value(metrics, "huygens_reservations_overdue_total"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_bind_api_duration_seconds_sum{outcome="bound"})"), 1);
}

TEST(Metrics, TheProcessShowsItself) {
  Metrics metrics(SomeOptions());
  EXPECT_GT(Value(metrics, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(Value(metrics, "process_open_fds"), 2);
  EXPECT_GT(Value(metrics, "process_start_time_seconds"), 1.6e9);
}

TEST(Metrics, SeriesKeepTheirOrder) {
  auto names = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> names;
    for (std::string line; std::getline(in, line);) names.push_back(line.substr(0, line.rfind(' ')));
    return names;
  };
  Metrics metrics(SomeOptions());
  std::vector<std::string> once = names(metrics.Render());
  EXPECT_EQ(once, names(metrics.Render()));
  EXPECT_EQ(once, names(Metrics(SomeOptions()).Render()));
  // Where a family has one series per label, they come in alphabetical order.
  std::vector<std::string> nodes;
  for (const std::string& name : once) {
    if (name.starts_with("huygens_nodes{")) nodes.push_back(name);
  }
  EXPECT_EQ(nodes.size(), (std::size(kNodeTopologies) + 1) * (std::size(kNodeUsages) + 1));
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end())) << testing::PrintToString(nodes);
}

TEST(Metrics, AnyThreadMayCountWhileAnotherRenders) {
  Metrics metrics(SomeOptions());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        metrics.Request("filter", "ok", 1, 1, microseconds(1));
        metrics.NodeRejected("no_topology");
      }
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_THAT(metrics.Render(), HasSubstr("huygens_ready"));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Value(metrics, R"(huygens_nodes_rejected_total{reason="no_topology"})"), 1500);
  EXPECT_EQ(Value(metrics, R"(huygens_request_duration_seconds_count{outcome="ok",verb="filter"})"), 1500);
}

TEST(Metrics, FactsOfZonesAreShownOnceThereAreAny) {
  Metrics metrics(SomeOptions());
  EXPECT_THAT(metrics.Render(), Not(HasSubstr("huygens_real_capacity")));
  RealCapacityCounts counts{.written = 3, .removed = 1, .unknown_nodes = 2};
  counts.queries["busy"] = {.good = 5, .bad = 1, .answered = Time(std::chrono::seconds(1'795'000'000))};
  counts.zones["offline_capacity"][1] = 7;
  metrics.controller().SetRealCapacity(counts);
  counts.written = 4;
  metrics.controller().SetRealCapacity(counts);
  EXPECT_EQ(Value(metrics, R"(huygens_real_capacity_writes_total{result="ok"})"), 4);
  EXPECT_EQ(Value(metrics, R"(huygens_real_capacity_zones{attribute="offline_capacity",state="current"})"), 7);
  EXPECT_EQ(Value(metrics, R"(huygens_real_capacity_answers_total{query="busy",result="bad"})"), 1);
  EXPECT_EQ(Value(metrics, R"(huygens_real_capacity_answered_timestamp_seconds{query="busy"})"), 1'795'000'000);
  EXPECT_EQ(Value(metrics, R"(huygens_real_capacity_unknown{what="node"})"), 2);
}

TEST(Metrics, BudgetsThatAreNotFilledAnyMoreAreNotShown) {
  Metrics metrics(SomeOptions());
  metrics.controller().SetFilled(std::vector<FilledBudget>{{"a", "limits.cpu", 1}, {"b", "pods", 0.9}});
  metrics.controller().SetFilled(std::vector<FilledBudget>{{"b", "pods", 0.95}});
  EXPECT_EQ(Value(metrics, R"(huygens_quota_filled{group="b",key="pods"})"), 0.95);
  EXPECT_THAT(metrics.Render(), Not(HasSubstr(R"(group="a")")));
}

// name -> "type labels", of what is shown and of what is documented.
using Listing = std::map<std::string, std::string>;

Listing Shown() {
  Listing types;
  std::map<std::string, std::set<std::string>> labels;
  Metrics metrics(SomeOptions());
  // Those that begin without series.
  metrics.SetQuotas(std::vector<QuotaFigures>{{"team", "limits.cpu", 1, 1}});
  metrics.controller().SetFilled(std::vector<FilledBudget>{{"team", "limits.cpu", 1}});
  metrics.controller().SetRealCapacity({.queries = {{"busy", {}}}, .zones = {{"offline_capacity", {}}}});
  metrics.controller().SetRecommendations({.pools = {{.pool = "shared", .resource = "cpu"}}});
  metrics.controller().SetResizes({});
  metrics.moves().Set({.moves = {{{"ceiling", "succeeded"}, 1}},
                       .landings = {{"target", 1}},
                       .evictions = {{"201", 1}},
                       .stages = {{"bound", {1, 1.0}}},
                       .limits = {{"cluster", 1}}});
  metrics.rules().SetRules({"spread"}, 0);
  metrics.rules().Judged("spread", "applied", 1);
  std::istringstream in(metrics.Render());
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# TYPE ")) {
      std::istringstream words(line.substr(7));
      std::string name, type;
      words >> name >> type;
      types[name] = type;
    } else if (!line.starts_with("#")) {
      std::string name = line.substr(0, line.find_first_of("{ "));
      for (const char* suffix : {"_bucket", "_sum", "_count"}) {
        if (name.ends_with(suffix) && !types.contains(name)) name.resize(name.size() - std::string(suffix).size());
      }
      size_t open = line.find('{');
      if (open == line.npos) continue;
      for (size_t at = open; line[at] != '}';) {
        size_t equals = line.find("=\"", at);
        labels[name].insert(line.substr(at + 1, equals - at - 1));
        at = line.find('"', equals + 2) + 1;
      }
    }
  }
  for (auto& [name, type] : types) {
    for (const std::string& label : labels[name]) {
      if (label != "le") type += " " + label;
    }
  }
  return types;
}

Listing Documented() {
  Listing listing;
  std::ifstream in(HUYGENS_SOURCE_DIR "/docs/metrics.md");
  EXPECT_TRUE(in) << "docs/metrics.md is missing";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line);
    std::string blank, name, type, labels;
    std::getline(cells, blank, '|');
    std::getline(cells, name, '|');
    std::getline(cells, type, '|');
    std::getline(cells, labels, '|');
    auto words = [](std::string text) {
      for (char& c : text) c = (c >= 'a' && c <= 'z') || c == '_' ? c : ' ';
      std::istringstream in(text);
      std::string out;
      for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + word;
      return out;
    };
    std::string& entry = listing[words(name)] = words(type);
    if (std::string text = words(labels); !text.empty()) entry += " " + text;
  }
  return listing;
}

TEST(Metrics, AllAreDocumentedAndNothingElseIs) { EXPECT_THAT(Documented(), testing::ContainerEq(Shown())); }

TEST(Metrics, NamesFollowPrometheusConventions) {
  for (const auto& [name, type] : Shown()) {
    EXPECT_TRUE(name.starts_with("huygens_") || name.starts_with("process_")) << name;
    EXPECT_EQ(name.ends_with("_total"), type.starts_with("counter")) << name;
  }
}

}  // namespace
}  // namespace huygens::observe
