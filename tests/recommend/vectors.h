// Reads vectors (tests/placement/vectors.h) with their numbers to the last bit, and fields of upstream's histograms.
#pragma once

#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "recommend/histogram.h"
#include "tests/placement/vectors.h"

namespace huygens::recommend {

namespace json = boost::json;

// Boost.JSON 1.81 reads numbers with a fraction not to the last bit: makes strings of them, which Number() reads.
inline std::string WithFractionsAsTexts(const std::string& line) {
  std::string out;
  bool in_text = false;
  for (size_t at = 0; at < line.size();) {
    const size_t number = in_text ? 0 : line.find_first_not_of("+-.0123456789eE", at) - at;
    const std::string token = line.substr(at, number);
    if (!token.empty() && token.find_first_of("0123456789") == 0 + (token[0] == '-')) {
      const bool whole = token.find_first_of(".eE") == std::string::npos;
      out += whole ? token : '"' + token + '"';
      at += number;
      continue;
    }
    if (line[at] == '"' && (at == 0 || line[at - 1] != '\\')) in_text = !in_text;
    out += line[at++];
  }
  return out;
}

// Empty if the file is absent or broken.
inline std::vector<json::object> ReadVectors(const std::string& name) {
  std::vector<json::object> vectors;
  for (const std::string& line : test::ReadVectorLines(name)) {
    vectors.push_back(json::parse(WithFractionsAsTexts(line)).as_object());
  }
  return vectors;
}

inline std::vector<json::object> ReadVectors(const std::string& name, std::string_view kind) {
  std::vector<json::object> vectors = ReadVectors(name);
  std::erase_if(vectors, [&](const json::object& vector) {
    return std::string_view(vector.at("kind").as_string().data(), vector.at("kind").as_string().size()) != kind;
  });
  return vectors;
}

inline double Number(const json::value& value) {
  if (!value.is_string()) return value.to_number<double>();
  double number = 0;
  std::from_chars(value.as_string().begin(), value.as_string().end(), number);
  return number;
}

inline std::string Text(const json::value& value) { return std::string(value.as_string()); }

inline Time TimeOf(const json::value& nanoseconds) { return Time(Duration(nanoseconds.as_int64())); }

inline std::optional<Time> TimeOrNothing(const json::value& nanoseconds) {
  if (nanoseconds.is_null()) return std::nullopt;
  return TimeOf(nanoseconds);
}

inline HistogramCheckpoint CheckpointOf(const json::value& value) {
  HistogramCheckpoint checkpoint;
  checkpoint.reference = TimeOrNothing(value.at("ref_ns"));
  checkpoint.total = Number(value.at("total_weight"));
  for (const auto& [bucket, weight] : value.at("bucket_weights").as_object()) {
    checkpoint.weights.emplace_back(std::atoll(std::string(bucket).c_str()), weight.to_number<int64_t>());
  }
  return checkpoint;
}

inline bool IsNear(double value, double expected) {
  return std::abs(value - expected) <= 1e-9 * std::max(std::abs(value), std::abs(expected));
}

// What differs between a stored checkpoint and upstream's, beyond 1 of a weight; nothing if it is the same.
inline std::string Difference(const HistogramCheckpoint& got, const json::value& expected) {
  if (got.reference != TimeOrNothing(expected.at("ref_ns"))) return "the reference time differs";
  if (!IsNear(got.total, Number(expected.at("total_weight")))) {
    return Concat("the total is ", std::to_string(got.total), ", not ", json::serialize(expected.at("total_weight")));
  }
  json::object weights = expected.at("bucket_weights").as_object();
  for (const auto& [bucket, weight] : got.weights) {
    const std::string key = std::to_string(bucket);
    const json::value* other = weights.if_contains(key);
    const int64_t expect = other ? other->to_number<int64_t>() : 0;
    if (std::abs(weight - expect) > 1) return Concat("bucket ", key, " has ", std::to_string(weight));
    weights.erase(key);
  }
  for (const auto& [bucket, weight] : weights) {
    if (weight.to_number<int64_t>() > 1) return Concat("bucket ", std::string(bucket), " is missing");
  }
  return "";
}

}  // namespace huygens::recommend
