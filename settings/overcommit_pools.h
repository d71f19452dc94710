// What the configuration of overcommit means for a pod: which pool it is in, and what that does to it. A plain value,
// made once of a configuration that was checked; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "recommend/decision.h"
#include "recommend/profile.h"
#include "settings/overcommit.h"

namespace huygens::settings {

class OvercommitPools {
 public:
  explicit OvercommitPools(OvercommitConfiguration configuration);

  const OvercommitConfiguration& configuration() const { return configuration_; }
  bool off() const { return configuration_.mode == OvercommitMode::kOff; }
  // The first whose selector and namespaces fit; null: none, and then nothing is done to the pod.
  const PoolConfiguration* Of(std::string_view namespace_name, LabelLookup labels) const;
  const PoolConfiguration* Of(std::string_view namespace_name, const Labels& labels) const;

  // How a pod of the pool is lowered, with the factor of where it is. It applies only while the mode is kEnforce.
  // `pool` is null: a policy that does nothing.
  recommend::PoolPolicy PolicyOf(const PoolConfiguration* pool, LabelLookup labels) const;
  recommend::PoolPolicy PolicyOf(const PoolConfiguration* pool, const Labels& labels) const;

 private:
  OvercommitConfiguration configuration_;
  std::vector<LabelSelector> selectors_;  // of the pools
};

// As overcommit::Record::basis has it: "", "original", "limit".
std::string_view BasisName(HpaBasis basis);
// How far back the model of a pool looks, and which share it wants covered; null: as a pool that says nothing.
recommend::Profile ProfileOf(const PoolConfiguration* pool);

}  // namespace huygens::settings
