#include "wire/quota_reservations.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/percent_encoding.h"
#include "base/text.h"
#include "json/append.h"
#include "wire/quota_amounts.h"

namespace huygens::wire {
namespace {

using cluster::QuotaReservation;

constexpr std::string_view kAsAbove = "=";
// Besides spaces, control characters, what is not ASCII and '%' itself.
constexpr std::string_view kSigns = "=";
constexpr std::string_view kSignsOfName = "=/";
constexpr std::string_view kSignsOfAmounts = "=,";

void AppendEscaped(std::string& out, std::string_view text, std::string_view signs = kSigns) {
  for (const char each : text) {
    if (each > ' ' && each < 0x7F && each != '%' && signs.find(each) == std::string_view::npos) {
      out += each;
    } else {
      AppendPercentEncoded(out, each);
    }
  }
}

// Cuts off `rest` what comes before the first `sign`, or all of it.
std::string_view Cut(std::string_view& rest, char sign) {
  const size_t end = std::min(rest.find(sign), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

std::string AmountsOfLine(const cluster::QuotaAmounts& amounts) {
  std::string text;
  for (const auto& [key, amount] : amounts) {
    if (!text.empty()) text += ',';
    AppendEscaped(text, key, kSignsOfAmounts);
    text += '=';
    text += amount.Canonical();
  }
  return text;
}

// `above`: null for the first line.
void AppendLine(std::string& out, const QuotaReservation& reservation, const QuotaReservation* above) {
  const auto same = [&](auto field) { return above != nullptr && reservation.*field == above->*field; };
  same(&QuotaReservation::kind) ? void(out += kAsAbove) : AppendEscaped(out, reservation.kind);
  out += ' ';
  if (!reservation.namespace_name.empty()) {
    if (same(&QuotaReservation::namespace_name)) {
      out += kAsAbove;
    } else {
      AppendEscaped(out, reservation.namespace_name, kSignsOfName);
    }
    out += '/';
  }
  AppendEscaped(out, reservation.name, kSignsOfName);
  out += ' ';
  out += same(&QuotaReservation::amounts) ? kAsAbove : AmountsOfLine(reservation.amounts);
  out += ' ';
  out += same(&QuotaReservation::until) ? kAsAbove : FormatRfc3339(reservation.until);
  out += ' ';
  AppendEscaped(out, reservation.uid);
  out += '\n';
}

Status ReadAmountsOfLine(std::string_view text, cluster::QuotaAmounts& out) {
  while (!text.empty()) {
    std::string_view amount = Cut(text, ',');
    const std::string key = PercentDecoded(Cut(amount, '='));
    StatusOr<Quantity> read = Quantity::Parse(amount);
    if (!read.ok()) return Annotate(read.status(), key);
    SetAmount(key, *std::move(read), out);
  }
  return absl::OkStatus();
}

// `out` is the reservation of the line above, and becomes that of this one.
Status ReadLine(std::string_view line, QuotaReservation& out) {
  const std::vector<absl::string_view> fields = absl::StrSplit(ToAbsl(line), ' ');
  if (fields.size() != 5) return Invalid("expected kind, name, amounts, time and UID");
  std::string_view name = ToStd(fields[1]);
  const std::string_view kind = ToStd(fields[0]), amounts = ToStd(fields[2]), until = ToStd(fields[3]);
  if (kind != kAsAbove) out.kind = PercentDecoded(kind);
  if (name.find('/') == std::string_view::npos) {
    out.namespace_name.clear();
  } else if (const std::string_view space = Cut(name, '/'); space != kAsAbove) {
    out.namespace_name = PercentDecoded(space);
  }
  out.name = PercentDecoded(name);
  if (amounts != kAsAbove) {
    out.amounts.clear();
    HUYGENS_RETURN_IF_ERROR(ReadAmountsOfLine(amounts, out.amounts));
  }
  if (until != kAsAbove) {
    HUYGENS_ASSIGN_OR_RETURN(out.until, ParseRfc3339(until));
  }
  out.uid = PercentDecoded(ToStd(fields[4]));
  return absl::OkStatus();
}

Status ReadText(JsonReader& in, std::vector<QuotaReservation>& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  QuotaReservation each;
  for (std::string_view rest = text; !rest.empty(); out.push_back(each)) {
    const std::string line = Concat("line ", std::to_string(out.size() + 1));
    HUYGENS_RETURN_IF_ERROR(Annotate(ReadLine(Cut(rest, '\n'), each), line));
  }
  return absl::OkStatus();
}

Status ReadObject(JsonReader& in, QuotaReservation& out) {
  std::optional<Time> until;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "uid", out.uid, "kind", out.kind, "namespace", out.namespace_name, "name", out.name, "amounts",
      [&] { return ReadAmounts(in, out.amounts); }, "until", [&] { return ReadTime(in, until); }));
  out.until = until.value_or(Time());
  return absl::OkStatus();
}

void AppendObject(std::string& out, const QuotaReservation& reservation) {
  out += '{';
  AppendJsonField(out, "uid", reservation.uid);
  AppendJsonField(out, "kind", reservation.kind);
  if (!reservation.namespace_name.empty()) AppendJsonField(out, "namespace", reservation.namespace_name);
  AppendJsonField(out, "name", reservation.name);
  AppendAmounts(out, "amounts", reservation.amounts);
  AppendJsonField(out, "until", FormatRfc3339(reservation.until));
  out += '}';
}

}  // namespace

Status ReadReservations(JsonReader& in, cluster::BizGroupQuota& out) {
  out.reservations.clear();
  out.reservations_as_text = in.Next() == JsonType::kString;
  if (out.reservations_as_text) return ReadText(in, out.reservations);
  return ReadList(in, out.reservations, [&](QuotaReservation& each) { return ReadObject(in, each); });
}

void AppendReservations(std::string& out, const cluster::BizGroupQuota& group) {
  if (group.reservations_as_text) {
    std::string text;
    const QuotaReservation* above = nullptr;
    for (const QuotaReservation& each : group.reservations) AppendLine(text, each, std::exchange(above, &each));
    return AppendJsonField(out, "reservations", text);
  }
  AppendJsonKey(out, "reservations");
  out += '[';
  for (const QuotaReservation& each : group.reservations) {
    if (out.back() != '[') out += ',';
    AppendObject(out, each);
  }
  out += ']';
}

}  // namespace huygens::wire
