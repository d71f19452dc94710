// VPA's own model against recorded runs of it (vertical-pod-autoscaler v1.8.1).
#include <gtest/gtest.h>

#include <map>

#include "tests/recommend/vectors.h"
#include "tests/recommend/vpa_model.h"

namespace huygens::recommend {
namespace {

std::string Difference(const VpaAggregate& aggregate, const json::value& expected) {
  const std::string cpu = Difference(aggregate.cpu.Save(), expected.at("cpu"));
  if (!cpu.empty()) return Concat("cpu: ", cpu);
  const std::string memory = Difference(aggregate.memory.Save(), expected.at("memory"));
  if (!memory.empty()) return Concat("memory: ", memory);
  const bool same = aggregate.samples == expected.at("samples").as_int64() &&
                    aggregate.first == TimeOrNothing(expected.at("first_ns")) &&
                    aggregate.last == TimeOrNothing(expected.at("last_ns"));
  return same ? "" : "samples";
}

Status MoveReference(Histogram& histogram, std::optional<Time> to) {
  return histogram.Merge(*Histogram::Load(histogram.options(), {to, 0, {}}));
}

class Recommender {
 public:
  explicit Recommender(Time created) : created_(created) {}

  void Step(const json::object& op) {
    const std::string what = Text(op.at("op"));
    if (what == "merged_view") {
      VpaAggregate merged(created_);
      for (const json::value& name : op.at("containers").as_array()) {
        VpaAggregate& aggregate = Aggregate(Text(name));
        ASSERT_TRUE(merged.Merge(aggregate).ok());
        // Upstream's merge moves the reference time of what is merged in.
        ASSERT_TRUE(MoveReference(aggregate.cpu, merged.cpu.reference()).ok());
        ASSERT_TRUE(MoveReference(aggregate.memory, merged.memory.reference()).ok());
      }
      EXPECT_EQ(Difference(merged, op.at("checkpoint")), "");
      return;
    }
    const std::string name = Text(op.at("container"));
    VpaAggregate& aggregate = Aggregate(name);
    if (what == "restart") {
      EXPECT_EQ(Difference(aggregate, op.at("checkpoint")), "");
      aggregate.cpu = *Histogram::Load(aggregate.cpu.options(), CheckpointOf(op.at("checkpoint").at("cpu")));
      aggregate.memory = *Histogram::Load(aggregate.memory.options(), CheckpointOf(op.at("checkpoint").at("memory")));
      std::erase_if(containers_, [&](const auto& each) { return each.first.second == name; });
      return;
    }
    VpaContainer& container = containers_[{op.at("pod").as_int64(), name}];
    const Time time = TimeOf(op.at("t_ns"));
    if (what == "cpu") {
      EXPECT_EQ(container.AddCpu(aggregate, op.at("milli").as_int64(), time), op.at("accepted").as_bool());
      return;
    }
    EXPECT_EQ(what == "memory" ? container.AddMemory(aggregate, op.at("bytes").as_int64(), time)
                               : container.AddOom(aggregate, op.at("requested").as_int64(), time),
              op.at("accepted").as_bool());
    EXPECT_EQ(container.peak(), op.at("peak").as_int64());
    EXPECT_EQ(container.oom_peak(), op.at("oom_peak").as_int64());
    EXPECT_EQ(container.window_end(), TimeOrNothing(op.at("window_end_ns")));
    EXPECT_EQ(container.last_memory(), TimeOrNothing(op.at("last_ns")));
  }

  VpaAggregate& Aggregate(const std::string& name) { return aggregates_.try_emplace(name, created_).first->second; }

 private:
  Time created_;
  std::map<std::string, VpaAggregate> aggregates_;
  std::map<std::pair<int64_t, std::string>, VpaContainer> containers_;
};

void ExpectEstimate(const VpaEstimate& estimate, const json::value& expected, const char* what) {
  EXPECT_EQ(estimate.cpu_milli, expected.at("cpu_m").as_int64()) << what;
  EXPECT_EQ(estimate.memory, expected.at("memory").as_int64()) << what;
}

TEST(VpaModelConformance, AggregatesAndEstimates) {
  const std::vector<json::object> vectors = ReadVectors("vpa_histogram.jsonl.gz", "aggregate");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    SCOPED_TRACE(json::serialize(vector.at("id")));
    Recommender recommender(TimeOf(vector.at("created_ns")));
    for (const json::value& op : vector.at("ops").as_array()) recommender.Step(op.as_object());
    const Time now = TimeOf(vector.at("now_ns"));
    const json::object& expected = vector.at("expect").as_object();
    for (const auto& [name, state] : expected) {
      const VpaAggregate& aggregate = recommender.Aggregate(std::string(name));
      EXPECT_EQ(Difference(aggregate, state.at("checkpoint")), "");
      const VpaEstimates estimates = EstimateAsVpa(aggregate, expected.size());
      ExpectEstimate(estimates.target, state.at("target"), "target");
      ExpectEstimate(estimates.lower, state.at("lower"), "lower");
      ExpectEstimate(estimates.upper, state.at("upper"), "upper");
      for (const int days : {7, 8, 9}) {
        EXPECT_EQ(aggregate.IsExpired(now + days * std::chrono::hours(24)),
                  state.at("expired_at").at(Concat("plus_", std::to_string(days), "d")).as_bool());
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(VpaModelConformance, RoundUpToScale) {
  const std::vector<json::object> vectors = ReadVectors("vpa_histogram.jsonl.gz", "round_up");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const StatusOr<int64_t> rounded = RoundUpToScale(vector.at("amount").as_int64(), vector.at("scale").as_int64());
    EXPECT_EQ(rounded.ok(), !vector.at("error").as_bool());
    if (rounded.ok()) {
      EXPECT_EQ(*rounded, vector.at("expect").as_int64());
    }
  }
}

}  // namespace
}  // namespace huygens::recommend
