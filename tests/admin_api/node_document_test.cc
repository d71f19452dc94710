#include "admin_api/node_document.h"

#include <gtest/gtest.h>

#include "admin_api/pod_document.h"
#include "json/document.h"

namespace huygens::admin_api {
namespace {

template <typename Document>
void ExpectSame(const Document& document, std::string_view json) {
  EXPECT_EQ(EncodeJson(document), json);
  EXPECT_EQ(DecodeJson<Document>(json).value(), document);
}

TEST(UsageTopDocument, ReadsBackAsItWasWritten) {
  ExpectSame(UsageTopDocument{.by = "cpu",
                              .check = "on",
                              .stale_share = 0.25,
                              .nodes = 2,
                              .fits = 0,
                              .top = {{.name = "n1",
                                       .fits = 0,
                                       .unrequested = {{"cpu", "4"}, {"memory", "12Gi"}},
                                       .usage = {{"cpu",
                                                  {.state = "fresh",
                                                   .age_seconds = 0,
                                                   .capacity = "32",
                                                   .ceiling = "25600m",
                                                   .now = "0",
                                                   .peak = "26",
                                                   .measured_peak = "25",
                                                   .now_share = 0.0,
                                                   .peak_share = 0.812,
                                                   .headroom = "-400m"}},
                                                 {"memory", {.state = "absent", .peak = "0"}}}}}},
             R"({"by":"cpu","check":"on","staleShare":0.25,"nodes":2,"fits":0,"top":[{"name":"n1","fits":0,)"
             R"("unrequested":{"cpu":"4","memory":"12Gi"},"usage":{"cpu":{"state":"fresh","ageSeconds":0,)"
             R"("capacity":"32","ceiling":"25600m","now":"0","peak":"26","measuredPeak":"25","nowShare":0,)"
             R"("peakShare":0.812,"headroom":"-400m"},"memory":{"state":"absent","peak":"0"}}}]})");
}

TEST(NodeListDocument, ReadsBackAsItWasWritten) {
  NodeListDocument::Node node;
  node.name = "n1";
  node.known = true;
  node.mode = "managed";
  node.allocatable = {{"cpu", "15500m"}};
  node.requested = {{"cpu", "1"}, {"pods", "1"}};
  node.pods = 1;
  ExpectSame(NodeListDocument{{node, {}}},
             R"({"nodes":[{"name":"n1","known":true,"mode":"managed","allocatable":{"cpu":"15500m"},)"
             R"("requested":{"cpu":"1","pods":"1"},"pods":1},)"
             R"({"name":"","known":false,"mode":"","allocatable":{},"requested":{},"pods":0}]})");
}

TEST(NodeDocument, ReadsBackAsItWasWritten) {
  NodeDocument node;
  node.name = "n1";
  node.mode = "kubelet";
  node.single_numa = node.lost_topology = true;
  node.loss_left_seconds = 0;
  node.loss_grace_seconds = 600;
  node.defect = "65 zones";
  node.notices = {"label x: no"};
  node.kubelet = {{"cpuManagerPolicy", "static", "object"}};
  node.zones = {{.name = "node0",
                 .zone = 0,
                 .absent = true,
                 .stale = true,
                 .offline_cpu = "7",
                 .allocatable = {{"cpu", "8"}},
                 .effective = Amounts{},
                 .used = Amounts{{"cpu", "4"}},
                 .free = {{"cpu", "3"}},
                 .cores = 4,
                 .whole_cores = 0},
                {.name = "node1", .zone = 1, .available = Amounts{{"cpu", "1"}}}};
  node.pods = {{.pod = "default/a",
                .uid = "u",
                .reservation = "held",
                .counted = "published",
                .zones = {{"node0", 0, {{"cpu", "4"}}}},
                .requests = {{"cpu", "4"}}},
               {.pod = "default/b"}};
  node.no_usage = "nobody looks";
  WeekOfUse::Resource cpu;
  cpu.resource = "cpu";
  cpu.state = "stale";
  cpu.peak = "2";
  cpu.sum_of_peaks = "3";
  cpu.peak_of_sum = "2";
  cpu.peak_slot = "Wed 23:00";
  cpu.system = "100m";
  cpu.reserved = "1";
  cpu.estimates = "6";
  cpu.pods = {{"shop/web-1", "shop/Deployment/web", "3", true}, {.pod = "shop/new", .workload = "w", .peak = "0"}};
  cpu.curve = {0, -1, int64_t{1} << 40};
  node.usage = WeekOfUse{.slot_seconds = 900, .resources = {cpu}};
  ExpectSame(
      node,
      R"({"name":"n1","known":false,"mode":"kubelet","allocatable":{},"requested":{},"singleNuma":true,)"
      R"("lostTopology":true,"lossLeftSeconds":0,"lossGraceSeconds":600,"defect":"65 zones",)"
      R"("notices":["label x: no"],"kubelet":[{"name":"cpuManagerPolicy","value":"static","from":"object"}],)"
      R"("zones":[{"name":"node0","zone":0,"absent":true,"stale":true,"offlineCpu":"7","allocatable":{"cpu":"8"},)"
      R"("effective":{},"used":{"cpu":"4"},"free":{"cpu":"3"},"cores":4,"wholeCores":0},)"
      R"({"name":"node1","zone":1,"allocatable":{},"available":{"cpu":"1"},"free":{}}],)"
      R"("pods":[{"pod":"default/a","uid":"u","reservation":"held","counted":"published","requests":{"cpu":"4"},"zones":[)"
      R"({"name":"node0","zone":0,"amount":{"cpu":"4"}}]},{"pod":"default/b","uid":"","zones":[]}],)"
      R"("usage":{"slotSeconds":900,"resources":[{"resource":"cpu","state":"stale","peak":"2","sumOfPeaks":"3",)"
      R"("peakOfSum":"2","peakSlot":"Wed 23:00","system":"100m","reserved":"1","estimates":"6","pods":[)"
      R"({"pod":"shop/web-1","workload":"shop/Deployment/web","peak":"3","measured":true},)"
      R"({"pod":"shop/new","workload":"w","peak":"0","measured":false}],"curve":[0,-1,1099511627776]}]},)"
      R"("noUsage":"nobody looks"})");
}

TEST(PodDocument, ReadsBackAsItWasWritten) {
  ExpectSame(
      PodDocument{.pod = "default/p",
                  .uid = "u",
                  .node = "n1",
                  .reservation = "reserved",
                  .since = "2026-11-21T12:00:00Z",
                  .no_zones = "container app requests no cpu",
                  .node_selector = "disk=ssd",
                  .gang = "g",
                  .gang_needs = {{"cpu", "8"}},
                  .not_understood = {"annotation a: there is no \"b\""},
                  .outgrown = PodDocument::Outgrown{.bound = {{"cpu", "2"}},
                                                    .asks = {{"cpu", "3"}},
                                                    .zones = {{.name = "node0", .used = {{"cpu", "5"}}}}},
                  .nodes = {{.name = "n2",
                             .reason = "too small",
                             .cause = "zones_too_small",
                             .why = "needs 9 cpu",
                             .figures = PodDocument::Figures{.needs = {{"cpu", "9"}},
                                                             .one_zone = true,
                                                             .container = "app",
                                                             .zone = "node0",
                                                             .free = {{"cpu", "8"}},
                                                             .of = {{"cpu", "8"}},
                                                             .stale_zones = {{"node1", "3", "6"}},
                                                             .core_threads = 2},
                             .loss_left_seconds = 0,
                             .loss_grace_seconds = 600,
                             .never_fits = true,
                             .asks = {{"cpu", "9"}},
                             .unrequested = {{"cpu", "1800m"}},
                             .no_pod_fits = true,
                             .ceiling = PodDocument::Ceiling{.resource = "cpu", .needs = "2", .fits = "0"},
                             .insists = "smt",
                             .gives_no_cores = true,
                             .ignored = "attribute x: no"},
                            {.name = "n3", .reason = "no NRT", .cause = "no_topology"}}},
      R"({"pod":"default/p","uid":"u","node":"n1","reservation":"reserved","since":"2026-11-21T12:00:00Z",)"
      R"("noZones":"container app requests no cpu","nodeSelector":"disk=ssd","gang":"g","gangNeeds":{"cpu":"8"},)"
      R"("notUnderstood":["annotation a: there is no \"b\""],"outgrown":{"bound":{"cpu":"2"},"asks":{"cpu":"3"},)"
      R"("zones":[{"name":"node0","effective":{},"used":{"cpu":"5"}}]},"nodes":[{"name":"n2","reason":"too small",)"
      R"("cause":"zones_too_small","why":"needs 9 cpu","figures":{"needs":{"cpu":"9"},"oneZone":true,)"
      R"("container":"app","zone":"node0","free":{"cpu":"8"},"of":{"cpu":"8"},)"
      R"("staleZones":[{"zone":"node1","last":"3","must":"6"}],"coreThreads":2},)"
      R"("lossLeftSeconds":0,"lossGraceSeconds":600,"neverFits":true,"asks":{"cpu":"9"},)"
      R"("unrequested":{"cpu":"1800m"},"noPodFits":true,"ceiling":{"resource":"cpu","needs":"2","fits":"0"},"insists":"smt",)"
      R"("givesNoCores":true,"ignored":"attribute x: no"},{"name":"n3","reason":"no NRT","cause":"no_topology"}]})");
}

}  // namespace
}  // namespace huygens::admin_api
