// The histogram against recorded runs of VPA's (vertical-pod-autoscaler v1.8.1). From a step in which upstream does what
// recommend/histogram.h says we do not copy, a vector is not compared until upstream's state is known again: then it
// goes on from that.
#include <gtest/gtest.h>

#include <map>

#include "tests/recommend/vectors.h"

namespace huygens::recommend {
namespace {

HistogramOptions OptionsOf(const json::value& value) {
  const double first = Number(value.at("first")), max = Number(value.at("max"));
  const StatusOr<Buckets> buckets = value.at("kind").as_string() == "linear"
                                        ? Buckets::Linear(first, max)
                                        : Buckets::Exponential(first, Number(value.at("ratio")), max);
  EXPECT_TRUE(buckets.ok()) << buckets.status();
  HistogramOptions options{std::make_shared<const Buckets>(*buckets), std::nullopt, Number(value.at("epsilon"))};
  if (const json::value* half_life = value.as_object().if_contains("half_life_ns")) {
    options.half_life = Duration(half_life->as_int64());
  }
  EXPECT_TRUE(options.Check().ok());
  return options;
}

// Weight in buckets below the first and above the last that are not empty.
bool HasResidue(const Histogram& histogram) {
  const auto [first, last] = histogram.Range();
  for (size_t bucket = 0; bucket < histogram.weights().size(); ++bucket) {
    if ((bucket < first || bucket > last) && histogram.weights()[bucket] > 0) return true;
  }
  return false;
}

std::string Difference(const Histogram& histogram, const json::value& expected, const json::value& shares) {
  json::object weights = expected.at("weights").as_object();
  for (size_t bucket = 0; bucket < histogram.weights().size(); ++bucket) {
    const json::value* weight = weights.if_contains(std::to_string(bucket));
    if (!IsNear(histogram.weights()[bucket], weight ? Number(*weight) : 0)) {
      return Concat("weight of bucket ", std::to_string(bucket), ": ", std::to_string(histogram.weights()[bucket]));
    }
  }
  if (!IsNear(histogram.total(), Number(expected.at("total")))) {
    return Concat("total ", std::to_string(histogram.total()), ", not ", json::serialize(expected.at("total")));
  }
  if (histogram.empty() != expected.at("empty").as_bool()) return "whether it is empty";
  const json::value* reference = expected.as_object().if_contains("ref_ns");  // not there where nothing decays
  if (reference && histogram.reference() != TimeOrNothing(*reference)) return "reference time";
  const std::pair<size_t, size_t> range(expected.at("min_bucket").to_number<size_t>(),
                                        expected.at("max_bucket").to_number<size_t>());
  if (histogram.Range() != range) return "range";
  const json::array& percentiles = expected.at("percentile").as_array();
  const json::value* fragile = expected.as_object().if_contains("fragile");
  for (size_t i = 0; i < percentiles.size(); ++i) {
    bool hangs_on_last_bits = false;
    for (const json::value& each : fragile ? fragile->as_array() : json::array()) {
      hangs_on_last_bits = hangs_on_last_bits || Number(each) == Number(shares.at(i));
    }
    const double value = histogram.Percentile(Number(shares.at(i)));
    if (value != Number(percentiles[i]) && !hangs_on_last_bits) {
      return Concat("percentile ", json::serialize(shares.at(i)), ": ", std::to_string(value));
    }
  }
  return "";
}

// Plays one vector.
class Play {
 public:
  explicit Play(const json::object& vector)
      : vector_(vector), options_(OptionsOf(vector.at("options"))), histogram_(options_) {
    for (const json::value& op : vector.at("ops").as_array()) {
      Step(op.as_object());
      if (!difference.empty()) return;
      ++step;
    }
  }

  size_t step = 0, compared = 0, passed_over = 0;
  std::vector<std::string> departures;
  std::string difference;  // of the step in which the play ended

 private:
  void Step(const json::object& op) {
    const std::string what = Text(op.at("op"));
    if (what == "check") {
      if (!in_step_) Resume(op.at("expect"));
      (in_step_ ? compared : passed_over) += 1;
      if (in_step_) difference = Difference(histogram_, op.at("expect"), vector_.at("percentiles"));
    } else if (what == "save") {
      (in_step_ ? compared : passed_over) += 1;
      if (in_step_) difference = recommend::Difference(histogram_.Save(), op.at("expect"));
    } else if (what == "add" || what == "subtract") {
      AddOrSubtract(op, what == "add");
    } else if (what == "merge") {
      Merge(op);
    } else {
      Load(op, what == "load");
    }
  }

  void Depart(const std::string& why) {
    if (in_step_) departures.push_back(why);
    in_step_ = false;
  }

  // Goes on from upstream's state, if its total is that of its buckets.
  void Resume(const json::value& state) {
    const json::value* reference = state.as_object().if_contains("ref_ns");
    const std::optional<Time> since = reference ? TimeOrNothing(*reference) : std::nullopt;
    Histogram copy = *Histogram::Load(options_, {since, 0, {}});
    for (const auto& [key, weight] : state.at("weights").as_object()) {
      const auto bucket = static_cast<size_t>(std::atoll(std::string(key).c_str()));
      const double middle = (options_.buckets->Start(bucket) + options_.buckets->End(bucket)) / 2;
      ASSERT_TRUE(copy.Add(middle, Number(weight), since.value_or(Time())).ok());
    }
    if (!IsNear(copy.total(), Number(state.at("total")))) return;
    histogram_ = std::move(copy);
    in_step_ = true;
  }

  void AddOrSubtract(const json::object& op, bool add) {
    const double value = Number(op.at("value")), weight = Number(op.at("weight"));
    const Histogram before = histogram_;
    const Status status = add ? histogram_.Add(value, weight, TimeOf(op.at("t_ns")))
                              : histogram_.Subtract(value, weight, TimeOf(op.at("t_ns")));
    if (!status.ok()) difference = std::string(Message(status));
    Moved(before);
    if (add) return;
    Histogram moved = before, sum = before;
    ASSERT_TRUE(moved.Add(value, 0, TimeOf(op.at("t_ns"))).ok() && sum.Add(value, weight, TimeOf(op.at("t_ns"))).ok());
    const size_t bucket = options_.buckets->Find(value);
    const double taken = sum.weights()[bucket] - moved.weights()[bucket];
    const double left = moved.weights()[bucket] - taken;
    if (left < -1e-9 * taken) Depart("more is subtracted than was added");
    const double total = histogram_.total();
    if (total > 0 && total < options_.epsilon) Depart("a total below epsilon is taken for 0");
    if (total < 1e-6 * taken) Depart("the rest is lost in the rounding of the total");
    if (left > 1e-9 * taken && left < options_.epsilon) Depart("a bucket is emptied whose rest counts in the total");
  }

  void Merge(const json::object& op) {
    Histogram other(options_);
    for (const json::value& sample : op.at("other").as_array()) {
      const Status status =
          other.Add(Number(sample.at("value")), Number(sample.at("weight")), TimeOf(sample.at("t_ns")));
      if (!status.ok()) difference = std::string(Message(status));
    }
    const Histogram before = histogram_;
    if (!histogram_.Merge(other).ok()) difference = "merge fails";
    Moved(before);
    Histogram aligned = *Histogram::Load(options_, {histogram_.reference(), 0, {}});
    if (!aligned.Merge(other).ok()) difference = "merge fails";
    if (HasResidue(aligned)) Depart("weight below epsilon is lost in a merge");
  }

  void Load(const json::object& op, bool into_present) {
    const HistogramCheckpoint checkpoint = CheckpointOf(op.at("checkpoint"));
    const StatusOr<Histogram> loaded = Histogram::Load(options_, checkpoint);
    const json::value* error = op.if_contains("error");
    if (loaded.ok() != !(error && error->is_bool() && error->as_bool())) difference = "error of a load";
    if (!loaded.ok()) return;
    if (!into_present) {
      histogram_ = *loaded;
      in_step_ = true;
      return;
    }
    const Histogram before = histogram_;
    if (!histogram_.Merge(*loaded).ok()) difference = "merge fails";
    if (options_.half_life && before.reference() && checkpoint.reference != before.reference()) {
      Depart("the reference time is overwritten by a load");
    }
  }

  void Moved(const Histogram& before) {
    if (histogram_.reference() != before.reference() && HasResidue(before)) {
      Depart("weight below epsilon is not taken along with the reference time");
    }
  }

  const json::object& vector_;
  const HistogramOptions options_;
  Histogram histogram_;
  bool in_step_ = true;
};

TEST(HistogramConformance, IsThatOfVpaUpToWhatIsNotCopied) {
  const std::vector<json::object> vectors = ReadVectors("vpa_histogram.jsonl.gz", "histogram");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  size_t compared = 0, passed_over = 0;
  std::map<std::string, size_t> departures;
  for (const json::object& vector : vectors) {
    const Play play(vector);
    EXPECT_EQ(play.difference, "") << "vector " << vector.at("id") << ", step " << play.step;
    compared += play.compared;
    passed_over += play.passed_over;
    for (const std::string& why : play.departures) ++departures[why];
  }
  EXPECT_GT(compared, 2 * passed_over);
  std::cout << compared << " states compared, " << passed_over << " passed over\n";
  for (const auto& [why, count] : departures) std::cout << "  " << count << ": " << why << "\n";
}

TEST(HistogramConformance, BucketsAreThoseOfVpaToTheLastBit) {
  const std::vector<json::object> vectors = ReadVectors("vpa_histogram.jsonl.gz", "buckets");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const std::shared_ptr<const Buckets> buckets = OptionsOf(vector.at("options")).buckets;
    const json::array& starts = vector.at("starts").as_array();
    ASSERT_EQ(buckets->count(), starts.size());
    for (size_t bucket = 0; bucket < starts.size(); ++bucket) EXPECT_EQ(buckets->Start(bucket), Number(starts[bucket]));
    for (const json::value& find : vector.at("find").as_array()) {
      if (find.as_object().contains("fragile")) continue;
      EXPECT_EQ(buckets->Find(Number(find.at("value"))), find.at("bucket").to_number<size_t>()) << find;
    }
  }
}

}  // namespace
}  // namespace huygens::recommend
