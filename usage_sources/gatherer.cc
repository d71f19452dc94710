#include "usage_sources/gatherer.h"

#include <cmath>

namespace huygens::usage_sources {
namespace {

constexpr double kMost = 1e18;  // base units; more is no measurement either

// Sums of binary fractions end in noise: 0.30000000000000004 cores are 300 milli-cores, not 301.
double RoundedUp(double amount) {
  const double nearest = std::round(amount);
  return std::abs(amount - nearest) <= amount * 1e-12 ? nearest : std::ceil(amount);
}

}  // namespace

Gatherer::Gatherer(SlotMaxima& out, const PlacedPods& known, const Span& span, int64_t scale)
    : out_(out), known_(known), span_(span), scale_(static_cast<double>(scale)) {}

PrometheusVisitor Gatherer::Visitor(SubjectKind kind, bool by_slot) {
  return {.on_series =
              [this, kind](const PrometheusLabels& labels) {
                const std::string subject = SubjectOf(kind, labels, known_);
                if (subject.empty()) {
                  ++left_out_;
                  return false;
                }
                subject_ = out_.Subject(kind, subject);
                return true;
              },
          .on_sample = [this, kind, by_slot](Time time, double value) { Take(kind, time, value, by_slot); }};
}

void Gatherer::Take(SubjectKind kind, Time time, double value, bool by_slot) {
  const int64_t slot = usage::SlotAt(time, span_.slot);
  const bool in_span = time <= span_.latest && slot >= span_.first_slot && slot <= span_.last_slot;
  const Time measured = by_slot ? Time(span_.slot * slot) : time;
  if (in_span && kind == SubjectKind::kNode && std::isnan(value)) {
    return out_.RaiseWithoutAmount(subject_, slot, measured);
  }
  const double amount = RoundedUp(value * scale_);
  // Written so that NaN fails.
  if (!(value >= 0 && amount <= kMost) || !in_span) {
    ++left_out_;
    return;
  }
  out_.Raise(subject_, slot, static_cast<int64_t>(amount), measured);
}

}  // namespace huygens::usage_sources
