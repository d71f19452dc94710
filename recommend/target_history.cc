#include "recommend/target_history.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "json/document.h"

namespace huygens::recommend {

namespace {

constexpr int64_t kVersion = 1;
constexpr int64_t kMostDays = 100'000;  // since 1970

struct StoredModel {
  double first_bucket = 0, ratio = 0, max = 0, half_life_seconds = 0;
  std::optional<Time> reference;
  double total = 0;
  std::vector<std::pair<std::string, int64_t>> weights;
  std::optional<Time> first, last;
  int64_t samples = 0;

  static void Describe(auto& self, auto& fields) {
    fields.Always("firstBucket", self.first_bucket);
    fields.Always("ratio", self.ratio);
    fields.Always("max", self.max);
    fields.Always("halfLifeSeconds", self.half_life_seconds);
    fields.IfSet("referenceTime", self.reference);
    fields.Always("totalWeight", self.total);
    fields.Always("weights", self.weights);
    fields.IfSet("firstSample", self.first);
    fields.IfSet("lastSample", self.last);
    fields.Always("samples", self.samples);
  }
};

struct StoredDay {
  int64_t day = 0, peak = 0, oom = 0;

  static void Describe(auto& self, auto& fields) {
    fields.Always("day", self.day);
    fields.Always("peak", self.peak);
    fields.IfSet("oom", self.oom);
  }
};

struct Stored {
  int64_t version = 0;
  StoredModel cpu, memory;
  std::vector<StoredDay> memory_days;

  static void Describe(auto& self, auto& fields) {
    fields.Always("version", self.version);
    fields.Always("cpu", self.cpu);
    fields.Always("memory", self.memory);
    fields.Always("memoryDays", self.memory_days);
  }
};

double SecondsOf(const HistogramOptions& options) {
  return std::chrono::duration<double>(options.half_life.value_or(Duration())).count();
}

StoredModel StoredOf(const UsageModel& model) {
  const Buckets& buckets = *model.options().histogram.buckets;
  const HistogramCheckpoint checkpoint = model.histogram().Save();
  StoredModel stored{buckets.first(), buckets.ratio(), buckets.max(), SecondsOf(model.options().histogram)};
  stored.reference = checkpoint.reference;
  stored.total = checkpoint.total;
  for (const auto& [bucket, weight] : checkpoint.weights) stored.weights.emplace_back(std::to_string(bucket), weight);
  stored.first = model.first();
  stored.last = model.last();
  stored.samples = model.samples();
  return stored;
}

Status Restore(UsageModel& model, const StoredModel& stored) {
  const HistogramOptions& options = model.options().histogram;
  if (stored.first_bucket != options.buckets->first() || stored.ratio != options.buckets->ratio() ||
      stored.max != options.buckets->max() || stored.half_life_seconds != SecondsOf(options)) {
    return Refused("checkpoint: it is of other buckets or another half-life than are configured");
  }
  HistogramCheckpoint checkpoint{stored.reference, stored.total, {}};
  for (const auto& [key, weight] : stored.weights) {
    int64_t bucket = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), bucket);
    if (error != std::errc() || end != key.data() + key.size()) {
      return Invalid(Concat("checkpoint: \"", CutText(key, 32), "\" is no bucket"));
    }
    checkpoint.weights.emplace_back(bucket, weight);
  }
  if (stored.samples < 0 || stored.first.has_value() != (stored.samples > 0) ||
      stored.last.has_value() != (stored.samples > 0)) {
    return Invalid("checkpoint: samples, firstSample and lastSample do not agree");
  }
  HUYGENS_ASSIGN_OR_RETURN(Histogram histogram, Histogram::Load(options, checkpoint));
  if (options.half_life && !histogram.reference() && histogram.total() > 0) {
    return Invalid("checkpoint: there are weights without a reference time");
  }
  return model.Restore(std::move(histogram), stored.first, stored.last, stored.samples);
}

}  // namespace

bool TargetHistory::Add(const PodReading& cpu, const PodReading& memory) {
  const bool cpu_counts = cpu_.Add(cpu);
  const bool memory_counts = memory_.Add(memory);
  if (memory_counts) {
    int64_t sum = 0;
    for (const std::optional<int64_t>& each : memory.containers) sum += *each;
    guard_.AddUse(sum, memory.time);
  }
  return cpu_counts || memory_counts;
}

Recommendation TargetHistory::Recommend(Time now, bool memory_guard) const {
  Recommendation recommendation;
  if (!cpu_.last() || !memory_.last()) return recommendation;
  recommendation.ready = true;
  recommendation.history = std::min(*cpu_.last() - *cpu_.first(), *memory_.last() - *memory_.first());
  recommendation.age = now - std::min(*cpu_.last(), *memory_.last());
  recommendation.model = {cpu_.Value(), memory_.Value()};
  if (memory_guard) recommendation.memory_guard = guard_.Least(now);
  return recommendation;
}

double TargetHistory::Confidence() const { return ConfidenceOf(cpu_.first(), cpu_.last(), cpu_.samples()); }

std::string TargetHistory::Save() const {
  Stored stored{kVersion, StoredOf(cpu_), StoredOf(memory_), {}};
  for (const MemoryGuard::Day& day : guard_.days()) {
    if (day.number > 0) stored.memory_days.push_back({day.number, day.peak, day.oom});
  }
  return EncodeJson(stored);
}

Status TargetHistory::Load(std::string_view checkpoint) {
  StatusOr<Stored> stored = DecodeJson<Stored>(checkpoint);
  if (!stored.ok()) return Annotate(stored.status(), "checkpoint");
  if (stored->version != kVersion) {
    return Refused(Concat("checkpoint: it is of version ", std::to_string(stored->version), ", this program reads ",
                          std::to_string(kVersion)));
  }
  UsageModel cpu(cpu_.options()), memory(memory_.options());
  HUYGENS_RETURN_IF_ERROR(Annotate(Restore(cpu, stored->cpu), "cpu"));
  HUYGENS_RETURN_IF_ERROR(Annotate(Restore(memory, stored->memory), "memory"));
  std::array<MemoryGuard::Day, MemoryGuard::kDays> days{};
  for (const StoredDay& day : stored->memory_days) {
    const bool possible = day.day > 0 && day.day < kMostDays && day.peak >= 0 && day.peak <= MemoryGuard::kMostBytes &&
                          day.oom >= 0 && day.oom <= 2 * MemoryGuard::kMostBytes;
    if (!possible) return Invalid("checkpoint: memoryDays has an impossible number");
    days[static_cast<size_t>(day.day) % days.size()] = {day.day, day.peak, day.oom};
  }
  cpu_ = std::move(cpu);
  memory_ = std::move(memory);
  guard_.Restore(days);
  return absl::OkStatus();
}

void TargetHistory::ForgetPods(Time before) {
  cpu_.ForgetPods(before);
  memory_.ForgetPods(before);
}

}  // namespace huygens::recommend
