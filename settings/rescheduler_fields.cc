// The fields of the section `rescheduler`, as settings/fields.cc has those of the others.
#include <chrono>

#include "base/text.h"
#include "settings/walk.h"

namespace huygens::settings {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr std::string_view kModes[] = {"off", "report", "move"};

}  // namespace

void Describe(Walk& walk, MovesInFlight& c) {
  walk.Value("cluster", Integer(c.cluster, 0, 10'000), "moves at once; 0: none");
  walk.Value("source", Integer(c.source, 0, 1000), "from one node");
  walk.Value("target", Integer(c.target, 0, 1000), "to one node");
  walk.Value("namespace", Integer(c.namespaces, 0, 10'000), "in one namespace");
  walk.Value("group", Integer(c.group, 0, 10'000), "of one business group");
}

void Describe(Walk& walk, MovesPerHour& c) {
  walk.Value("cluster", Integer(c.cluster, 0, 100'000), "moves in any hour; 0: none");
  walk.Value("node", Integer(c.node, 0, 10'000), "from or to one node");
  walk.Value("group", Integer(c.group, 0, 100'000), "of one business group");
}

void Describe(Walk& walk, ReschedulerConfiguration& c) {
  walk.Value("mode", Choice(kModes, c.mode),
             "off; report: it is told what would be moved, and nobody is evicted; move: pods are evicted");
  walk.Value("namespace", Text(c.namespace_name, "name", ObjectName), "of the Lease and the daily reports");
  walk.Value("lease", Text(c.lease, "name", ObjectName), "the Lease that lets only one instance move pods");
  walk.Value("leaseDuration", Span(c.lease_duration, seconds(1), hours(1)), "the same for all instances");
  walk.Value("planInterval", Span(c.plan_interval, seconds(1), hours(24)), "between looks for pods that stand wrong");
  walk.Value("moveInterval", Span(c.move_interval, milliseconds(100), hours(1)),
             "between looks at what of the plan may begin; one that ends is followed by a look, too");
  walk.Value("settle", Span(c.settle, seconds(10), hours(1)),
             "from the end of the grace period until the replacement is bound, and from there until it is Ready");
  walk.Section("inFlight", c.in_flight, "At once.");
  walk.Section("perHour", c.per_hour, "In any hour, wherever it begins.");
  walk.Value("workloadShare", Share(c.workload_share),
             "of a workload's replicas, at once of more than ten, and in any hour; one at least");
  walk.Value("podCoolDown", Span(c.pod_cool_down, seconds(0), hours(1000)), "between moves of one pod");
  walk.Value("nodeCoolDown", Span(c.node_cool_down, seconds(0), hours(1000)),
             "of a node, after a move from or to it succeeded");
  walk.Value("minimumAge", Span(c.minimum_age, seconds(0), hours(1000)), "younger pods stay");
  walk.Value("minimumHistory", Span(c.minimum_history, seconds(0), hours(1000)),
             "pods of which less was measured stay");
  walk.Value("allowSingletons", Flag(c.allow_singletons), "whether the only replica of a workload may be moved");
  walk.Value("allowJobs", Flag(c.allow_jobs),
             "whether pods of Jobs may be; an eviction counts as a failure of the Job");
  walk.Texts("freezes", c.freezes, "DAYS FROM-UNTIL [ZONE]", NotEmpty,
             "when nothing begins but emergencies: [\"Mon-Fri 09:00-21:00 Asia/Shanghai\"]");
}

}  // namespace huygens::settings
