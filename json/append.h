// Appends JSON text without building a tree: a reply for 5000 nodes costs a tenth of what a DOM and its serializer take
// (docs/performance.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace huygens {

// Appends `text` as a JSON string with its quotes: `"`, `\` and control characters are escaped, all else is passed
// through as UTF-8.
void AppendJsonString(std::string& out, std::string_view text);
// "key": and "key":"text", with a comma before it unless it is the first field of an object; `key` needs no escaping.
void AppendJsonKey(std::string& out, std::string_view key);
void AppendJsonField(std::string& out, std::string_view key, std::string_view text);
void AppendJsonInt(std::string& out, int64_t value);
// Shortest text that reads back to the same value; NaN and infinity become null.
void AppendJsonDouble(std::string& out, double value);

}  // namespace huygens
