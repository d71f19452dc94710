#include "device_plugins/counted_resources.h"

#include <algorithm>
#include <map>

#include "base/quantity.h"
#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::device_plugins {
namespace {

// A name within a JSON pointer (RFC 6901).
std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

class Patch {
 public:
  // `value` is JSON; empty: none.
  void Add(std::string_view operation, std::string_view path, std::string_view value) {
    text_ += operations_++ == 0 ? "[{" : ",{";
    AppendJsonField(text_, "op", operation);
    AppendJsonField(text_, "path", path);
    if (!value.empty()) {
      AppendJsonKey(text_, "value");
      text_ += value;
    }
    text_ += '}';
  }
  static std::string Text(std::string_view text) {
    std::string json;
    AppendJsonString(json, text);
    return json;
  }
  int operations() const { return operations_; }
  std::string Finish() && { return text_ + "]"; }

 private:
  std::string text_;
  int operations_ = 0;
};

bool IsCount(std::string_view text, int64_t count) {
  const StatusOr<Quantity> quantity = Quantity::Parse(text);
  return quantity.ok() && *quantity == Quantity::FromInt(count);
}

std::set<std::string> Names(std::string_view list) {
  std::set<std::string> names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    if (!name.empty()) names.emplace(name);
    list.remove_prefix(std::min(name.size() + 1, list.size()));
  }
  return names;
}

}  // namespace

StatusOr<NodeCapacity> DecodeNodeCapacity(std::string_view json) {
  return DecodeObject<NodeCapacity>(json, [](JsonReader& in, NodeCapacity& node) {
    const auto annotations = [&] {
      node.has_annotations = in.Next() == JsonType::kObject;
      return in.Members([&](const JsonKey& key) -> Status {
        if (key.text != kCountedAnnotation) return absl::OkStatus();
        return in.Read(node.counted.emplace());
      });
    };
    const auto metadata = [&] { return in.Fields("uid", node.uid, "annotations", annotations); };
    const auto capacity = [&]() -> Status {
      if (in.Next() == JsonType::kObject) node.capacity.emplace();
      return in.Members([&](const JsonKey& key) {
        const std::string name(key.text);
        return in.Read(node.capacity->emplace_back(name, "").second);
      });
    };
    const auto status = [&] { return in.Fields("capacity", capacity); };
    return in.Fields("metadata", metadata, "status", status);
  });
}

std::string CountedPatch(const NodeCapacity& node, std::span<const CountedResource> wanted,
                         const std::set<std::string>& served) {
  if (!node.capacity) return "";
  const std::map<std::string, std::string> has(node.capacity->begin(), node.capacity->end());
  std::set<std::string> ours;
  Patch changes;
  changes.Add("test", "/metadata/uid", Patch::Text(node.uid));
  for (const CountedResource& each : wanted) {
    if (served.contains(each.name)) continue;
    ours.insert(each.name);
    const auto now = has.find(each.name);
    if (now != has.end() && IsCount(now->second, each.count)) continue;
    changes.Add("add", Concat("/status/capacity/", Escaped(each.name)), Patch::Text(std::to_string(each.count)));
  }
  for (const std::string& name : Names(node.counted.value_or(""))) {
    if (ours.contains(name) || served.contains(name) || !has.contains(name)) continue;
    changes.Add("remove", Concat("/status/capacity/", Escaped(name)), "");
  }
  std::string list;
  for (const std::string& name : ours) list += Concat(list.empty() ? "" : ",", name);
  if (list != node.counted.value_or("")) {
    const std::string path = Concat("/metadata/annotations/", Escaped(kCountedAnnotation));
    if (list.empty()) {
      changes.Add("remove", path, "");
    } else if (!node.has_annotations) {
      std::string value = "{";
      AppendJsonField(value, kCountedAnnotation, list);
      changes.Add("add", "/metadata/annotations", value + "}");
    } else {
      changes.Add("add", path, Patch::Text(list));
    }
  }
  return changes.operations() == 1 ? "" : std::move(changes).Finish();
}

StatusOr<std::set<std::string>> ServedByPlugins(std::string_view checkpoint) {
  using NamesOf = std::set<std::string>;
  return DecodeObject<NamesOf>(checkpoint, [](JsonReader& in, NamesOf& names) {
    const auto registered = [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        names.emplace(key.text);
        return absl::OkStatus();
      });
    };
    const auto data = [&] { return in.Fields("RegisteredDevices", registered); };
    return in.Fields("Data", data);
  });
}

}  // namespace huygens::device_plugins
