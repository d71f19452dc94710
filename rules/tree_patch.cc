#include <algorithm>

#include "base/text.h"
#include "json/append.h"
#include "rules/tree.h"

namespace huygens::rules {

namespace {

class PatchWriter {
 public:
  void Operation(std::string_view operation, std::string_view path, const Tree* value) {
    text_ += text_.empty() ? '[' : ',';
    text_ += '{';
    AppendJsonField(text_, "op", operation);
    AppendJsonField(text_, "path", path);
    if (value != nullptr) {
      AppendJsonKey(text_, "value");
      value->AppendTo(text_);
    }
    text_ += '}';
  }
  std::string Text() && { return text_.empty() ? std::move(text_) : std::move(text_) + "]"; }

 private:
  std::string text_;
};

void Differences(const Tree& before, const Tree& after, const std::string& path, PatchWriter& patch);

void DifferencesOfObjects(const Tree& before, const Tree& after, const std::string& path, PatchWriter& patch) {
  for (const auto& [key, value] : before.members()) {
    if (after.Find(key) == nullptr && !value.IsNull()) {
      patch.Operation("remove", Concat(path, "/", PointerPart(key)), nullptr);
    }
  }
  for (const auto& [key, value] : after.members()) {
    if (value.IsNull()) continue;
    const Tree* old = before.Find(key);
    if (old == nullptr) {
      patch.Operation("add", Concat(path, "/", PointerPart(key)), &value);
    } else {
      Differences(*old, value, Concat(path, "/", PointerPart(key)), patch);
    }
  }
}

// What is in the middle of a list and goes has those behind it written anew: rare, and as right.
void DifferencesOfLists(const Tree& before, const Tree& after, const std::string& path, PatchWriter& patch) {
  const size_t was = before.elements().size(), is = after.elements().size();
  for (size_t i = was; i > is; --i) patch.Operation("remove", Concat(path, "/", std::to_string(i - 1)), nullptr);
  for (size_t i = 0; i < std::min(was, is); ++i) {
    Differences(before.elements()[i], after.elements()[i], Concat(path, "/", std::to_string(i)), patch);
  }
  for (size_t i = was; i < is; ++i) patch.Operation("add", Concat(path, "/-"), &after.elements()[i]);
}

void Differences(const Tree& before, const Tree& after, const std::string& path, PatchWriter& patch) {
  if (before == after) return;
  if (before.kind() == Tree::Kind::kObject && after.kind() == Tree::Kind::kObject) {
    DifferencesOfObjects(before, after, path, patch);
  } else if (before.kind() == Tree::Kind::kList && after.kind() == Tree::Kind::kList) {
    DifferencesOfLists(before, after, path, patch);
  } else {
    patch.Operation("replace", path, &after);
  }
}

}  // namespace

std::string PointerPart(std::string_view key) {
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

std::string JsonPatchBetween(const Tree& before, const Tree& after) {
  PatchWriter patch;
  Differences(before, after, "", patch);
  return std::move(patch).Text();
}

}  // namespace huygens::rules
