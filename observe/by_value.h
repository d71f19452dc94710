// The instruments of labels whose values are known beforehand, so that a label from outside never makes a series. For
// the files of observe/ only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huygens::observe {

// The instruments of one label's closed list of values, and one for whatever is not on it.
template <typename Instrument>
class ByValue {
 public:
  template <typename Values, typename Make>
  ByValue(const Values& values, Make make) {
    for (std::string_view value : values) {
      if (Find(value) == nullptr) entries_.push_back({std::string(value), &make(std::string(value))});
    }
    other_ = &make("other");
  }
  Instrument& operator[](std::string_view value) const {
    Instrument* found = Find(value);
    return found == nullptr ? *other_ : *found;
  }

 private:
  struct Entry {
    std::string value;
    Instrument* instrument;
  };
  Instrument* Find(std::string_view value) const {
    for (const Entry& entry : entries_) {
      if (entry.value == value) return entry.instrument;
    }
    return nullptr;
  }

  std::vector<Entry> entries_;
  Instrument* other_ = nullptr;
};

// The same for two labels.
template <typename Instrument>
class ByTwoValues {
 public:
  template <typename Values, typename MoreValues, typename Make>
  ByTwoValues(const Values& values, const MoreValues& more, Make make)
      : outer_(values, [&](const std::string& value) -> ByValue<Instrument>& {
          auto inner = [&](std::string other) -> Instrument& { return make(value, std::move(other)); };
          return *inner_.emplace_back(std::make_unique<ByValue<Instrument>>(more, inner));
        }) {}
  Instrument& At(std::string_view value, std::string_view other) const { return outer_[value][other]; }

 private:
  std::vector<std::unique_ptr<ByValue<Instrument>>> inner_;
  ByValue<ByValue<Instrument>> outer_;
};

}  // namespace huygens::observe
