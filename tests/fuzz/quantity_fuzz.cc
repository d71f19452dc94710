// Any bytes as a quantity, a time and a duration: what is accepted prints text that reads back to the same value.
#include "base/quantity.h"
#include "base/time.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckQuantity(std::string_view text) {
  StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) {
    Require(!Message(quantity.status()).empty(), "an error has a message");
    return;
  }
  Require(quantity->Compare(*quantity) == 0, "a quantity equals itself");
  Require((quantity->Sign() > 0) == (quantity->Value() > 0), "Value() keeps the sign");
  Require((quantity->Sign() < 0) == (quantity->MilliValue() < 0), "MilliValue() keeps the sign");

  Quantity doubled = *quantity;
  doubled.Add(*quantity);
  Require(doubled.Compare(*quantity) == quantity->Sign(), "twice as much lies further from zero");
  doubled.Sub(*quantity);
  Require(doubled == *quantity, "Sub undoes Add");

  // Past this, decimal SI has no suffix left, and the exponent form leaves the bounds of Parse().
  const bool exponent = quantity->format() == Quantity::Format::kDecimalExponent;
  const Quantity limit = *Quantity::Parse(exponent ? "1e60" : "1e21");
  Quantity negative_limit = limit;
  negative_limit.Negate();
  if (*quantity >= limit || *quantity <= negative_limit) return;
  const std::string canonical = quantity->Canonical();
  StatusOr<Quantity> again = Quantity::Parse(canonical);
  Require(again.ok() && *again == *quantity, "Canonical() reads back to the same value");
  // A binary quantity that 1024 does not divide prints no suffix, as upstream, and so reads back as a
  // decimal: 1.953125Ki prints 2000, which prints 2k.
  if (again->format() == quantity->format()) Require(again->Canonical() == canonical, "Canonical() is canonical");
  again = Quantity::Parse(quantity->Text());
  Require(again.ok() && *again == *quantity, "Text() reads back to the same value");
}

void CheckTime(std::string_view text) {
  StatusOr<Time> time = ParseRfc3339(text);
  if (!time.ok()) return;
  StatusOr<Time> again = ParseRfc3339(FormatRfc3339Micro(*time));
  Require(again.ok() && *again == std::chrono::floor<std::chrono::microseconds>(*time), "a time reads back");
}

void CheckDuration(std::string_view text) {
  StatusOr<Duration> duration = ParseDuration(text);
  if (!duration.ok()) return;
  StatusOr<Duration> again = ParseDuration(std::to_string(duration->count()) + "ns");
  Require(again.ok() && *again == *duration, "a duration reads back");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckQuantity(text);
  huygens::CheckTime(text);
  huygens::CheckDuration(text);
  return 0;
}
