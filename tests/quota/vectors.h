// Reads gzip-compressed JSON Lines of recorded answers (HUYGENS_SHARED_DATA), and the objects in them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "quota/amounts.h"
#include "tests/placement/vectors.h"
#include "tests/wire/known_pod.h"

namespace huygens::quota {

namespace json = boost::json;

inline Amounts ToAmounts(const json::value& list) {
  Amounts amounts;
  for (const auto& [key, text] : list.as_object()) {
    Set(amounts, std::string(key),
        *Quantity::Parse(text.is_string() ? std::string(text.as_string()) : json::serialize(text)));
  }
  return amounts;
}

inline std::string ToText(const Amounts& amounts) {
  std::string text;
  for (const auto& [key, amount] : amounts) text += Concat(text.empty() ? "" : " ", key, "=", amount.Text());
  return text;
}

inline bool HasTag(const json::object& vector, std::string_view tag) {
  for (const json::value& one : vector.at("tags").as_array()) {
    if (one.as_string() == boost::core::string_view(tag.data(), tag.size())) return true;
  }
  return false;
}

inline cluster::Pod ToPod(const json::value& pod, ResourceNames& names) {
  auto decoded = test::DecodeKnownPod(pod, names);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : cluster::Pod();
}

inline std::string OptionalText(const json::value& value) {
  return value.is_null() ? std::string() : std::string(value.as_string());
}

}  // namespace huygens::quota
