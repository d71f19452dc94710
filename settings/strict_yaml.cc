#include "settings/strict_yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/nearest_name.h"
#include "base/text.h"
#include "kube/tab_hint.h"

namespace huygens::settings {

namespace {

constexpr size_t kMaxFaults = 50;

struct Place {
  int line = 0;  // from 1
  int column = 0;
  auto operator<=>(const Place&) const = default;
};

Place PlaceOf(const YAML::Mark& mark) { return mark.is_null() ? Place{1, 1} : Place{mark.line + 1, mark.column + 1}; }

std::string ToText(std::string_view file, Place place) {
  return Concat(file, ":", std::to_string(place.line), ":", std::to_string(place.column), ": ");
}

class Faults {
 public:
  void Add(Place place, std::string path, std::string_view message) {
    entries_.push_back({place, entries_.size(), std::move(path), std::string(message)});
  }
  bool empty() const { return entries_.empty(); }
  // Whether something is wrong with the field itself or with what it is part of.
  bool Concerns(std::string_view path) const {
    return std::any_of(entries_.begin(), entries_.end(), [path](const Fault& fault) {
      return path.starts_with(fault.path) &&
             (path.size() == fault.path.size() || path[fault.path.size()] == '.' || path[fault.path.size()] == '[');
    });
  }

  Status ToStatus(std::string_view file) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Fault& a, const Fault& b) { return std::tie(a.place, a.found) < std::tie(b.place, b.found); });
    std::string text;
    for (size_t i = 0; i < entries_.size() && i < kMaxFaults; ++i) {
      const Fault& fault = entries_[i];
      text += Concat(i == 0 ? "" : "\n", ToText(file, fault.place), fault.path, fault.path.empty() ? "" : ": ",
                     fault.message);
    }
    if (entries_.size() > kMaxFaults) text += Concat("\nand ", std::to_string(entries_.size() - kMaxFaults), " more");
    return Invalid(text);
  }

 private:
  struct Fault {
    Place place;
    size_t found = 0;  // as the how-manieth
    std::string path;
    std::string message;
  };
  std::vector<Fault> entries_;
};

// Fills the fields from the file. yaml-cpp's own conversions are not used: they read YAML 1.1 booleans and octal
// numbers; its look-up by key is not used either: it passes over unknown keys and takes the first of two equal ones.
class Reader final : public Walk {
 public:
  Reader(Faults& faults, std::vector<FieldEntry> (*all_fields)()) : faults_(faults), all_fields_(all_fields) {}

  bool Open(const YAML::Node& root) { return OpenFields("", root, {1, 1}); }
  void Close() { Leave(); }

  // The place of a field, or of the nearest thing around it that the file has.
  Place Find(std::string_view path) const {
    for (std::string_view at = path; !at.empty();
         at = at.substr(0, at.find_last_of(".[") == at.npos ? 0 : at.find_last_of(".["))) {
      if (auto found = places_.find(at); found != places_.end()) return found->second;
    }
    return {1, 1};
  }
  bool Has(std::string_view path) const { return places_.contains(path); }
  std::vector<std::string> Sections() const {
    std::vector<std::string> names;
    for (const Entry& each : levels_.front().entries) names.push_back(each.key);
    return names;
  }

  void Value(std::string_view name, Scalar scalar, std::string_view) override {
    const Entry* entry = Look(name);
    if (entry == nullptr) return;
    std::string path = Path(name);
    std::optional<std::string> text = ScalarText(entry->value, path, entry->place);
    if (!text) return;
    std::string fault = scalar.set(*text, IsQuoted(entry->value));
    if (!fault.empty()) faults_.Add(entry->place, path, fault);
  }

  void Texts(std::string_view name, std::vector<std::string>& values, std::string_view, Rule rule,
             std::string_view) override {
    const Entry* entry = Look(name);
    if (entry == nullptr) return;
    std::string path = Path(name);
    if (!entry->value.IsSequence()) return faults_.Add(entry->place, path, "must be a list, such as [a, b]");
    values.clear();
    for (const YAML::Node& item : entry->value) {
      std::string item_path = Concat(path, "[", std::to_string(values.size()), "]");
      Place place = PlaceOf(item.Mark());
      places_[item_path] = place;
      std::optional<std::string> text = ScalarText(item, item_path, place);
      std::string fault = text ? rule(*text) : "";
      if (!fault.empty()) faults_.Add(place, item_path, fault);
      values.push_back(std::move(text).value_or(""));
    }
  }

 protected:
  bool Enter(std::string_view name, std::string_view) override {
    const Entry* entry = Look(name);
    return entry != nullptr && OpenFields(Path(name), entry->value, entry->place);
  }
  Presence EnterOptional(std::string_view name, bool, std::string_view) override {
    return Enter(name, "") ? Presence::kPresent : Presence::kAbsent;
  }
  std::optional<size_t> EnterList(std::string_view name, size_t, std::string_view) override {
    const Entry* entry = Look(name);
    if (entry == nullptr) return std::nullopt;
    if (!entry->value.IsSequence()) {
      faults_.Add(entry->place, Path(name), "must be a list");
      return std::nullopt;
    }
    Level level;
    level.path = Path(name);
    for (const YAML::Node& item : entry->value) level.entries.push_back({"", item, PlaceOf(item.Mark())});
    level.is_list = true;
    levels_.push_back(std::move(level));
    return levels_.back().entries.size();
  }
  bool EnterItem(size_t position, std::string_view short_form) override {
    Entry entry = levels_.back().entries[position];
    std::string path = Concat(levels_.back().path, "[", std::to_string(position), "]");
    places_[path] = entry.place;
    if (short_form.empty() || entry.value.IsMap()) return OpenFields(path, entry.value, entry.place);
    if (!entry.value.IsScalar()) {
      faults_.Add(entry.place, path, Concat("must be a single value, or fields such as {", short_form, ": ...}"));
      return false;
    }
    Level level;
    level.path = std::move(path);
    level.entries.push_back({std::string(short_form), entry.value, entry.place});
    levels_.push_back(std::move(level));
    return true;
  }
  bool EnterExample() override { return false; }
  void Without(std::string_view name, std::string_view why) override {
    Level& level = levels_.back();
    const auto found = std::ranges::find(level.entries, name, &Entry::key);
    if (found == level.entries.end()) return;
    level.known.push_back(name);
    if (!why.empty()) faults_.Add(found->place, Path(name), why);
  }
  void Leave() override {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.is_list) return;
    for (const Entry& entry : level.entries) {
      if (std::find(level.known.begin(), level.known.end(), entry.key) != level.known.end()) continue;
      faults_.Add(entry.place, Join(level.path, entry.key), Concat("no such field", Hint(entry.key, level)));
    }
  }
  bool FreshItems() const override { return true; }

 private:
  struct Entry {
    std::string key;
    YAML::Node value;
    Place place;  // of the key
  };
  struct Level {
    std::string path;
    std::vector<Entry> entries;
    std::vector<std::string_view> known;  // names asked for
    bool is_list = false;
  };

  static std::string Join(std::string_view path, std::string_view name) {
    return Concat(path, path.empty() ? "" : ".", name);
  }
  std::string Path(std::string_view name) const { return Join(levels_.back().path, name); }

  static bool IsQuoted(const YAML::Node& node) { return node.Tag() != "?" && node.Tag() != ""; }

  bool OpenFields(std::string path, const YAML::Node& node, Place place) {
    Level level;
    level.path = std::move(path);
    if (node.IsMap()) {
      for (const auto& field : node) {
        const YAML::Node& key = field.first;
        Place at = PlaceOf(key.Mark());
        if (!key.IsScalar()) {
          faults_.Add(at, level.path, "the name of a field must be a plain word");
          continue;
        }
        auto twin = std::find_if(level.entries.begin(), level.entries.end(),
                                 [&](const Entry& e) { return e.key == key.Scalar(); });
        if (twin != level.entries.end()) {
          faults_.Add(at, Join(level.path, key.Scalar()),
                      Concat("is given twice, first in line ", std::to_string(twin->place.line)));
          continue;
        }
        places_[Join(level.path, key.Scalar())] = at;
        level.entries.push_back({key.Scalar(), field.second, at});
      }
    } else if (!node.IsNull()) {
      faults_.Add(place, level.path, "must be a section with fields of its own");
      return false;
    }
    levels_.push_back(std::move(level));
    return true;
  }

  const Entry* Look(std::string_view name) {
    Level& level = levels_.back();
    level.known.push_back(name);
    auto found =
        std::find_if(level.entries.begin(), level.entries.end(), [name](const Entry& e) { return e.key == name; });
    return found == level.entries.end() ? nullptr : &*found;
  }

  std::optional<std::string> ScalarText(const YAML::Node& node, const std::string& path, Place place) {
    if (node.IsScalar()) return node.Scalar();
    faults_.Add(place, path,
                node.IsNull() ? "has no value; leave the field out for its default" : "must be a single value");
    return std::nullopt;
  }

  // The nearest name here, or the place where a field of this very name belongs.
  std::string Hint(std::string_view written, const Level& level) const {
    std::string_view nearest = NearestName(written, level.known);
    if (!nearest.empty()) return Concat("; did you mean ", nearest, "?");
    for (const FieldEntry& field : all_fields_()) {
      if (field.path.size() > written.size() && field.path.ends_with(written) &&
          field.path[field.path.size() - written.size() - 1] == '.') {
        return Concat("; did you mean ", field.path, "?");
      }
    }
    return Concat("; there are ", JoinNames(level.known, ", "));
  }

  Faults& faults_;
  std::vector<FieldEntry> (*const all_fields_)();
  std::vector<Level> levels_;
  std::map<std::string, Place, std::less<>> places_;
};

StatusOr<std::vector<std::string>> Read(const std::vector<YAML::Node>& documents, std::string_view file,
                                        const StrictFile& what) {
  if (documents.size() > 1)
    return Invalid(Concat(ToText(file, PlaceOf(documents[1].Mark())), "more than one document in the file"));
  std::vector<std::string> sections;
  Faults faults;
  Reader reader(faults, what.all_fields);
  if (reader.Open(documents.empty() ? YAML::Node() : documents.front())) {
    what.describe(reader);
    sections = reader.Sections();
    reader.Close();
    if (!reader.Has("apiVersion"))
      faults.Add({1, 1}, "apiVersion", Concat("is missing; this version reads ", kApiVersion));
    if (!reader.Has("kind")) faults.Add({1, 1}, "kind", Concat("is missing; it is ", what.kind));
    what.check([&](std::string_view path, const std::string& message) {
      if (!faults.Concerns(path)) faults.Add(reader.Find(path), std::string(path), message);
    });
  }
  if (!faults.empty()) return faults.ToStatus(file);
  return sections;
}

}  // namespace

StatusOr<std::vector<std::string>> ReadStrictly(std::string_view yaml, std::string_view file, const StrictFile& what) {
  try {
    return Read(YAML::LoadAll(std::string(yaml)), file, what);
  } catch (const YAML::Exception& error) {
    const Place place = PlaceOf(error.mark);
    return Invalid(Concat(ToText(file, place), "not YAML: ", error.msg, kube::TabHint(yaml, place.line)));
  } catch (const std::exception& error) {
    return Invalid(Concat(file, ": not YAML: ", error.what()));
  }
}

}  // namespace huygens::settings
