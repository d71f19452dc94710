#include "admin/query_string.h"

#include <algorithm>
#include <utility>

#include "base/percent_encoding.h"

namespace huygens::admin {

namespace {

// Takes the first "name=value" away from `query`.
std::pair<std::string_view, std::string_view> TakePair(std::string_view& query) {
  const size_t end = std::min(query.find('&'), query.size());
  const std::string_view pair = query.substr(0, end);
  query.remove_prefix(std::min(end + 1, query.size()));
  const size_t equals = std::min(pair.find('='), pair.size());
  return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

}  // namespace

std::optional<std::string> QueryValue(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const auto [name, value] = TakePair(query);
    if (name == key) return PercentDecoded(value);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> QueryPairs(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const auto [name, value] = TakePair(query);
    pairs.emplace_back(PercentDecoded(name), PercentDecoded(value));
  }
  return pairs;
}

std::string UnknownKey(std::string_view query, std::initializer_list<std::string_view> known) {
  while (!query.empty()) {
    const std::string_view name = TakePair(query).first;
    if (std::find(known.begin(), known.end(), name) == known.end()) return PercentDecoded(name);
  }
  return "";
}

}  // namespace huygens::admin
