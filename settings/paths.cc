#include "settings/paths.h"

#include <algorithm>

#include "base/text.h"
#include "settings/walk.h"

namespace huygens::settings {

namespace {

class Collector final : public Walk {
 public:
  std::vector<FieldEntry> entries;

  void Value(std::string_view name, Scalar scalar, std::string_view comment) override {
    Add(name, scalar.kind, scalar.text, comment);
  }

  void Texts(std::string_view name, std::vector<std::string>& values, std::string_view kind, Rule,
             std::string_view comment) override {
    std::string text;
    for (const std::string& value : values) text += Concat(text.empty() ? "" : ", ", YamlText(value));
    Add(name, Concat("list of ", kind), Concat("[", text, "]"), comment);
  }

 protected:
  bool Enter(std::string_view name, std::string_view comment) override {
    Add(name, "section", "", comment);
    prefixes_.push_back(Concat(prefixes_.back(), name, "."));
    return true;
  }
  Presence EnterOptional(std::string_view name, bool present, std::string_view comment) override {
    Enter(name, comment);
    entries.back().default_value = present ? "present" : "absent";
    return Presence::kShown;
  }
  std::optional<size_t> EnterList(std::string_view name, size_t size, std::string_view comment) override {
    Enter(name, comment);
    entries.back().kind = "list";
    entries.back().default_value = Concat(std::to_string(size), " items");
    prefixes_.back() = Concat(entries.back().path, "[].");
    return 1;
  }
  bool EnterItem(size_t, std::string_view) override {
    prefixes_.push_back(prefixes_.back());
    return true;
  }
  bool EnterExample() override { return EnterItem(0, ""); }
  void Leave() override { prefixes_.pop_back(); }
  bool FreshItems() const override { return true; }

 private:
  void Add(std::string_view name, std::string kind, std::string text, std::string_view comment) {
    FieldEntry entry{Concat(prefixes_.back(), name), std::move(kind), std::move(text), std::string(comment)};
    // An example has the fields of any item, and some of its own.
    const bool said = std::ranges::any_of(entries, [&](const FieldEntry& other) {
      return other.path == entry.path && other.kind == entry.kind && other.comment == entry.comment;
    });
    if (!said) entries.push_back(std::move(entry));
  }

  std::vector<std::string> prefixes_ = {""};
};

}  // namespace

std::vector<FieldEntry> FieldsOf(absl::FunctionRef<void(Walk&)> describe) {
  Collector collector;
  describe(collector);
  return std::move(collector.entries);
}

}  // namespace huygens::settings
