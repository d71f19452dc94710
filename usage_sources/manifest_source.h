// Use as manifests state it (wire/usage_history.h): the whole window at first, then the slot that is open, so that a
// weekly pattern goes on for ever, as if it were measured each time. For trying things out and for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "usage/options.h"
#include "usage_sources/slot_maxima.h"
#include "usage_sources/source.h"
#include "wire/usage_history.h"

namespace huygens::usage_sources {

class ManifestSource final : public Source {
 public:
  ManifestSource(std::span<const wire::UsageHistory> histories, usage::Options usage);

  std::string name() const override { return "manifests"; }
  StatusOr<Progress> Refresh(Time now, const Deliver& deliver) override;
  void Cancel() override {}

 private:
  // Adds what `series` says of the slots from `first` to the one of `now`.
  void Raise(SlotMaxima& out, const wire::UsageSeries& series, ResourceId resource, int64_t first, Time now) const;

  const usage::Options usage_;
  std::vector<std::vector<wire::UsageSeries>> series_;  // by position in usage_.resources
  std::vector<std::string> notices_;
  std::optional<int64_t> delivered_;  // up to this slot
};

}  // namespace huygens::usage_sources
