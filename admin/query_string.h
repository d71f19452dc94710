// The query of a URL: "pod=default%2Fweb-0&limit=5".
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huygens::admin {

// The decoded value of the first `key` in `query`; nothing if it is not there.
std::optional<std::string> QueryValue(std::string_view query, std::string_view key);
// All keys and values, decoded, in order.
std::vector<std::pair<std::string, std::string>> QueryPairs(std::string_view query);
// The first key in `query` that is none of `known`; "" if there is none.
std::string UnknownKey(std::string_view query, std::initializer_list<std::string_view> known);

}  // namespace huygens::admin
