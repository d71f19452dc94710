#include "overcommit/record.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/resource.h"
#include "json/document.h"

namespace huygens::overcommit {
namespace {

using recommend::Source;

constexpr ResourceId kResourceOf[] = {kCpu, kMemory};

// As the annotation has it.
struct StoredAmount {
  std::string original, applied, limit, source, before;
  static void Describe(auto& self, auto& fields) {
    fields.Always("original", self.original);
    fields.Always("applied", self.applied);
    fields.IfSet("limit", self.limit);
    fields.Always("source", self.source);
    fields.IfSet("before", self.before);
  }
};

struct StoredAmounts {
  std::optional<StoredAmount> cpu, memory;
  static void Describe(auto& self, auto& fields) {
    fields.IfSet("cpu", self.cpu);
    fields.IfSet("memory", self.memory);
  }
};

struct StoredRecord {
  std::string pool, basis;
  std::vector<std::pair<std::string, StoredAmounts>> containers;
  std::optional<StoredAmounts> pod;
  static void Describe(auto& self, auto& fields) {
    fields.IfSet("pool", self.pool);
    fields.IfSet("basis", self.basis);
    fields.IfSet("containers", self.containers);
    fields.IfSet("pod", self.pod);
  }
};

Source SourceOf(std::string_view name) {
  for (const Source source : {Source::kStatic, Source::kDynamic}) {
    if (name == recommend::Name(source)) return source;
  }
  return Source::kNone;
}

StatusOr<int64_t> AmountOf(const std::string& text, ResourceId resource) {
  HUYGENS_ASSIGN_OR_RETURN(const Quantity quantity, Quantity::Parse(text));
  return BaseUnits(resource, quantity);
}

std::string TextOf(int64_t amount, ResourceId resource) { return ToQuantity(resource, amount).Canonical(); }

StatusOr<std::optional<RecordedAmount>> ReadAmount(const std::optional<StoredAmount>& text, ResourceId resource) {
  if (!text) return std::nullopt;
  RecordedAmount amount;
  amount.source = SourceOf(text->source);
  HUYGENS_ASSIGN_OR_RETURN(amount.original, AmountOf(text->original, resource));
  HUYGENS_ASSIGN_OR_RETURN(amount.applied, AmountOf(text->applied, resource));
  if (!text->limit.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(amount.limit, AmountOf(text->limit, resource));
  }
  if (!text->before.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(amount.before, AmountOf(text->before, resource));
  }
  if (amount.applied < 0 || amount.applied > amount.original) return std::nullopt;
  if (amount.before && (*amount.before < amount.applied || *amount.before > amount.original)) amount.before.reset();
  return amount;
}

StatusOr<RecordedAmounts> ReadAmounts(const StoredAmounts& texts) {
  RecordedAmounts amounts;
  HUYGENS_ASSIGN_OR_RETURN(amounts[0], ReadAmount(texts.cpu, kCpu));
  HUYGENS_ASSIGN_OR_RETURN(amounts[1], ReadAmount(texts.memory, kMemory));
  return amounts;
}

std::optional<StoredAmount> WrittenAmount(const std::optional<RecordedAmount>& amount, ResourceId resource) {
  if (!amount) return std::nullopt;
  return StoredAmount{.original = TextOf(amount->original, resource),
                      .applied = TextOf(amount->applied, resource),
                      .limit = amount->limit ? TextOf(*amount->limit, resource) : std::string(),
                      .source = std::string(recommend::Name(amount->source)),
                      .before = amount->before ? TextOf(*amount->before, resource) : std::string()};
}

bool IsEmpty(const RecordedAmounts& amounts) { return !amounts[0] && !amounts[1]; }

StoredAmounts WrittenAmounts(const RecordedAmounts& amounts) {
  return {.cpu = WrittenAmount(amounts[0], kResourceOf[0]), .memory = WrittenAmount(amounts[1], kResourceOf[1])};
}

}  // namespace

StatusOr<Record> ParseRecord(std::string_view text) {
  HUYGENS_ASSIGN_OR_RETURN(StoredRecord texts, DecodeJson<StoredRecord>(text));
  Record record{.pool = std::move(texts.pool), .basis = std::move(texts.basis), .containers = {}, .pod = {}};
  for (auto& [name, each] : texts.containers) {
    HUYGENS_ASSIGN_OR_RETURN(const RecordedAmounts amounts, ReadAmounts(each));
    if (!IsEmpty(amounts)) record.containers.emplace_back(std::move(name), amounts);
  }
  if (texts.pod) {
    HUYGENS_ASSIGN_OR_RETURN(record.pod, ReadAmounts(*texts.pod));
  }
  return record;
}

std::string RecordText(const Record& record) {
  StoredRecord texts{.pool = record.pool, .basis = record.basis, .containers = {}, .pod = {}};
  for (const auto& [name, amounts] : record.containers) texts.containers.emplace_back(name, WrittenAmounts(amounts));
  if (!IsEmpty(record.pod)) texts.pod = WrittenAmounts(record.pod);
  return EncodeJson(texts);
}

const RecordedAmounts* FindContainer(const Record& record, std::string_view name) {
  const auto at =
      std::ranges::find(record.containers, name, [](const auto& each) { return std::string_view(each.first); });
  return at == record.containers.end() ? nullptr : &at->second;
}

std::optional<recommend::Recorded> StillRecorded(const std::optional<RecordedAmount>& recorded,
                                                 const std::optional<int64_t>& request,
                                                 const std::optional<int64_t>& limit) {
  if (!recorded || !request || (*request != recorded->applied && *request != recorded->before)) return std::nullopt;
  const int64_t original = limit ? std::min(recorded->original, *limit) : recorded->original;
  if (original < *request) return std::nullopt;
  return recommend::Recorded{original, *request};
}

}  // namespace huygens::overcommit
