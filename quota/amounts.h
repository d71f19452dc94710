// Sums and differences of amounts by key, as ResourceQuota does them on ResourceLists (k8s.io/apiserver/pkg/quota/v1):
// an absent key is 0, a 0 that was given stays. Exact at any size. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"

namespace huygens::quota {

using Amounts = cluster::QuotaAmounts;

// Null if the key is absent.
const Quantity* Find(const Amounts& amounts, std::string_view key);
Quantity Get(const Amounts& amounts, std::string_view key);
void Set(Amounts& amounts, std::string_view key, const Quantity& amount);

// Keys of either side remain.
void Add(Amounts& to, const Amounts& what);
void Subtract(Amounts& from, const Amounts& what);
// By how much each key grew; 0 where it did not, and where only `before` has it.
Amounts Increase(const Amounts& after, const Amounts& before);
void Max(Amounts& of, const Amounts& other);
Amounts Times(const Amounts& amounts, int64_t count);
// Only the keys that `keys` has.
Amounts Masked(const Amounts& amounts, const Amounts& keys);
void RemoveZeros(Amounts& amounts);

// The keys of `limits` that `amounts` lacks.
std::vector<std::string> LackingKeys(const Amounts& amounts, const Amounts& limits);
std::vector<std::string> NegativeKeys(const Amounts& amounts);
// The keys of both in which `amounts` is above `limits`.
std::vector<std::string> ExceededKeys(const Amounts& amounts, const Amounts& limits);

}  // namespace huygens::quota
