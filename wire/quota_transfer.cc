#include "wire/quota_transfer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"
#include "wire/object_meta.h"
#include "wire/quota_amounts.h"

namespace huygens::wire {
namespace {

using cluster::QuotaTransfer;

constexpr std::array<std::string_view, 8> kPhases = {"Pending", "Moving",    "Moved",    "Lent",
                                                     "Overdue", "Returning", "Returned", "Refused"};

Status ReadNames(JsonReader& in, std::vector<std::string>& out) {
  return ReadList(in, out, [&](std::string& each) { return in.Read(each); });
}

Status ReadTransferMetadata(JsonReader& in, QuotaTransfer& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(out.name);
    if (key.Is("uid")) return in.Read(out.uid);
    if (key.Is("resourceVersion")) return in.Read(out.resource_version);
    if (key.Is("deletionTimestamp")) out.deleting = in.Next() != JsonType::kNull;
    if (!key.Is("finalizers")) return absl::OkStatus();
    HUYGENS_RETURN_IF_ERROR(ReadNames(in, out.other_finalizers));
    out.finalizer = std::erase(out.other_finalizers, cluster::kTransferFinalizer) > 0;
    return absl::OkStatus();
  });
}

// A phase that nobody knows was written by a later huygens, and then the transfer is not for this one.
Status ReadPhase(JsonReader& in, QuotaTransfer::Phase& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  if (text.empty()) return absl::OkStatus();
  const auto* const found = std::find(kPhases.begin(), kPhases.end(), text);
  if (found == kPhases.end()) return Invalid(Concat("status.phase: there is no ", text));
  out = static_cast<QuotaTransfer::Phase>(found - kPhases.begin());
  return absl::OkStatus();
}

Status ReadTransfer(JsonReader& in, QuotaTransfer& out) {
  return in.Members([&](const JsonKey& part) {
    if (part.Is("metadata")) return ReadTransferMetadata(in, out);
    if (part.Is("spec")) {
      return in.Fields(
          "from", out.from, "to", out.to, "amounts", [&] { return ReadAmounts(in, out.amounts); }, "until",
          [&] { return ReadTime(in, out.until); });
    }
    if (!part.Is("status")) return absl::OkStatus();
    return in.Fields(
        "phase", [&] { return ReadPhase(in, out.phase); }, "message", out.message, "common", out.common, "shrinking",
        [&] { return ReadNames(in, out.shrinking); }, "growing", [&] { return ReadNames(in, out.growing); });
  });
}

void AppendNames(std::string& out, std::string_view field, const std::vector<std::string>& names) {
  AppendJsonKey(out, field);
  out += '[';
  for (const std::string& each : names) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, each);
  }
  out += ']';
}

void AppendGuards(std::string& out, const QuotaTransfer& transfer) {
  AppendJsonField(out, "uid", transfer.uid);
  AppendJsonField(out, "resourceVersion", transfer.resource_version);
}

constexpr std::string_view kHead = R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"QuotaTransfer","metadata":{)";

}  // namespace

std::string_view PhaseText(QuotaTransfer::Phase phase) { return kPhases[static_cast<size_t>(phase)]; }

StatusOr<QuotaTransfer> DecodeQuotaTransfer(std::string_view json) {
  auto transfer = DecodeObject<QuotaTransfer>(json, ReadTransfer);
  if (!transfer.ok()) {
    auto meta = DecodeObjectMeta(json);
    if (!meta.ok() || meta->name.empty()) return transfer.status();
    QuotaTransfer defective;
    defective.name = std::move(meta->name);
    defective.defect = Message(transfer.status());
    return defective;
  }
  if (transfer->name.empty()) return Invalid("metadata.name is missing");
  return transfer;
}

std::string EncodeQuotaTransfer(const QuotaTransfer& transfer) {
  std::string out(kHead);
  if (transfer.name.empty()) AppendJsonField(out, "generateName", Concat(transfer.from, "-", transfer.to, "-"));
  if (!transfer.name.empty()) AppendJsonField(out, "name", transfer.name);
  out += R"(},"spec":{)";
  AppendJsonField(out, "from", transfer.from);
  AppendJsonField(out, "to", transfer.to);
  AppendAmounts(out, "amounts", transfer.amounts);
  if (transfer.until) AppendJsonField(out, "until", FormatRfc3339(*transfer.until));
  out += "}}";
  return out;
}

std::string EncodeTransferStatus(const QuotaTransfer& transfer) {
  std::string out(kHead);
  AppendJsonField(out, "name", transfer.name);
  AppendGuards(out, transfer);
  out += R"(},"status":{)";
  AppendJsonField(out, "phase", PhaseText(transfer.phase));
  if (!transfer.message.empty()) AppendJsonField(out, "message", transfer.message);
  if (!transfer.common.empty()) {
    AppendJsonField(out, "common", transfer.common);
    AppendNames(out, "shrinking", transfer.shrinking);
    AppendNames(out, "growing", transfer.growing);
  }
  out += "}}";
  return out;
}

std::string EncodeTransferFinalizers(const QuotaTransfer& transfer) {
  std::string out = R"({"metadata":{)";
  AppendGuards(out, transfer);
  std::vector<std::string> finalizers = transfer.other_finalizers;
  if (transfer.finalizer) finalizers.emplace_back(cluster::kTransferFinalizer);
  AppendNames(out, "finalizers", finalizers);
  out += "}}";
  return out;
}

}  // namespace huygens::wire
