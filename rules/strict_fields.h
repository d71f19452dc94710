// Reading of objects that people write: a field that is not known is an error, with the one that was probably meant.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "base/nearest_name.h"
#include "base/status.h"
#include "json/reader.h"

namespace huygens::rules {

inline Status ReadStrictField(JsonReader&, const JsonKey&, std::span<const std::string_view> names,
                              std::string_view written) {
  const std::string_view nearest = NearestName(written, names);
  if (!nearest.empty()) return Invalid(Concat("there is no such field; did you mean ", nearest, "?"));
  return Invalid(Concat("there is no such field, only ", JoinNames(names, ", ")));
}

template <typename Target, typename... Others>
Status ReadStrictField(JsonReader& in, const JsonKey& key, std::span<const std::string_view> names,
                       std::string_view written, std::string_view name, Target& target, Others&... others) {
  if (key.text != name) return ReadStrictField(in, key, names, written, others...);
  if constexpr (std::is_invocable_v<Target&>) {
    return target();
  } else {
    return in.Read(target);
  }
}

template <typename T>
constexpr bool kIsFieldName =
    std::is_convertible_v<T, std::string_view> && !std::is_same_v<std::decay_t<T>, std::string>;

// As JsonReader::Fields, but in exact letters and without any other field.
template <typename... NamesAndTargets>
Status StrictFields(JsonReader& in, NamesAndTargets&&... fields) {
  std::array<std::string_view, sizeof...(fields) / 2> names;
  size_t count = 0;
  const auto note = [&](const auto& field) {
    if constexpr (kIsFieldName<decltype(field)>) {
      if (count < names.size()) names[count++] = field;
    }
  };
  (note(fields), ...);
  return in.Members([&](const JsonKey& key) -> Status {
    const std::string written(key.text);
    return ReadStrictField(in, key, names, written, fields...);
  });
}

}  // namespace huygens::rules
