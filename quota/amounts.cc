#include "quota/amounts.h"

#include <algorithm>
#include <utility>

namespace huygens::quota {
namespace {

template <typename List>
auto Position(List& amounts, std::string_view key) {
  return std::lower_bound(amounts.begin(), amounts.end(), key,
                          [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
}

// Walks both lists in the order of their keys: `visit(key, left, right)`, null where a side lacks the key.
template <typename Visit>
void Walk(const Amounts& left, const Amounts& right, Visit&& visit) {
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    int order = a == left.end() ? 1 : b == right.end() ? -1 : a->first.compare(b->first);
    visit(order <= 0 ? a->first : b->first, order <= 0 ? &a->second : nullptr, order >= 0 ? &b->second : nullptr);
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
}

}  // namespace

const Quantity* Find(const Amounts& amounts, std::string_view key) {
  auto at = Position(amounts, key);
  return at != amounts.end() && at->first == key ? &at->second : nullptr;
}

Quantity Get(const Amounts& amounts, std::string_view key) {
  const Quantity* found = Find(amounts, key);
  return found ? *found : Quantity();
}

void Set(Amounts& amounts, std::string_view key, const Quantity& amount) {
  auto at = Position(amounts, key);
  if (at != amounts.end() && at->first == key) {
    at->second = amount;
  } else {
    amounts.emplace(at, key, amount);
  }
}

void Add(Amounts& to, const Amounts& what) {
  for (const auto& [key, amount] : what) {
    auto at = Position(to, key);
    if (at != to.end() && at->first == key) {
      at->second.Add(amount);
    } else {
      to.emplace(at, key, amount);
    }
  }
}

void Subtract(Amounts& from, const Amounts& what) {
  for (const auto& [key, amount] : what) {
    auto at = Position(from, key);
    if (at == from.end() || at->first != key) at = from.emplace(at, key, Quantity());
    at->second.Sub(amount);
  }
}

Amounts Increase(const Amounts& after, const Amounts& before) {
  Amounts increase = after;
  Subtract(increase, before);
  for (auto& [key, amount] : increase) {
    if (amount.Sign() < 0 || !Find(after, key)) amount = Quantity();
  }
  return increase;
}

void Max(Amounts& of, const Amounts& other) {
  for (const auto& [key, amount] : other) {
    const Quantity* mine = Find(of, key);
    if (!mine || *mine < amount) Set(of, key, amount);
  }
}

Amounts Times(const Amounts& amounts, int64_t count) {
  Amounts sum;
  for (const auto& [key, amount] : amounts) {
    Quantity power = amount;  // amount * 2^bit
    Quantity total;
    for (int64_t left = count; left > 0; left >>= 1) {
      if (left & 1) total.Add(power);
      Quantity twice = power;
      power.Add(twice);
    }
    sum.emplace_back(key, std::move(total));
  }
  return sum;
}

Amounts Masked(const Amounts& amounts, const Amounts& keys) {
  Amounts masked;
  Walk(amounts, keys, [&](const std::string& key, const Quantity* amount, const Quantity* wanted) {
    if (amount && wanted) masked.emplace_back(key, *amount);
  });
  return masked;
}

void RemoveZeros(Amounts& amounts) {
  std::erase_if(amounts, [](const auto& entry) { return entry.second.IsZero(); });
}

std::vector<std::string> LackingKeys(const Amounts& amounts, const Amounts& limits) {
  std::vector<std::string> lacking;
  Walk(amounts, limits, [&](const std::string& key, const Quantity* amount, const Quantity* limit) {
    if (limit && !amount) lacking.push_back(key);
  });
  return lacking;
}

std::vector<std::string> NegativeKeys(const Amounts& amounts) {
  std::vector<std::string> negative;
  for (const auto& [key, amount] : amounts) {
    if (amount.Sign() < 0) negative.push_back(key);
  }
  return negative;
}

std::vector<std::string> ExceededKeys(const Amounts& amounts, const Amounts& limits) {
  std::vector<std::string> exceeded;
  Walk(amounts, limits, [&](const std::string& key, const Quantity* amount, const Quantity* limit) {
    if (amount && limit && *amount > *limit) exceeded.push_back(key);
  });
  return exceeded;
}

}  // namespace huygens::quota
