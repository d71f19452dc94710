#include "overcommit/json_patch.h"

#include "json/append.h"

namespace huygens::overcommit {

void JsonPatch::Add(std::string_view path, std::string_view value) {
  operations_ += operations_.empty() ? '[' : ',';
  operations_ += '{';
  AppendJsonField(operations_, "op", "add");
  AppendJsonField(operations_, "path", path);
  AppendJsonKey(operations_, "value");
  operations_ += value;
  operations_ += '}';
}

std::string PathPart(std::string_view key) {
  std::string part;
  for (const char c : key) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

}  // namespace huygens::overcommit
