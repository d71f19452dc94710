// A text that many objects have in common: a namespace, the name of a node or of an owner. Equal ones are kept once,
// as long as anybody has them; each is the size of a pointer. To make one takes a look into a table that all threads
// share; to copy or compare is cheap. As safe between threads as a std::string.
//
// Boost.Flyweight would do the same: to make one of 5000 names takes it 440 ns instead of 150, mostly for the
// std::string that it wants first, and a text that only one has, as the UID of a pod, 143 bytes instead of 75.
#pragma once

#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace huygens {

class InternedString {
 public:
  InternedString() = default;
  InternedString(std::string_view text) : kept_(text.empty() ? nullptr : Keep(text)) {}
  InternedString(const std::string& text) : InternedString(std::string_view(text)) {}
  InternedString(const char* text) : InternedString(std::string_view(text)) {}
  InternedString(const InternedString& other) : kept_(other.kept_) {
    if (kept_) kept_->users.fetch_add(1, std::memory_order_relaxed);
  }
  InternedString(InternedString&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
  InternedString& operator=(InternedString other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~InternedString() {
    if (kept_) Drop(kept_);
  }

  operator std::string_view() const { return kept_ ? kept_->text() : std::string_view(); }
  operator std::string() const { return std::string(std::string_view(*this)); }
  bool empty() const { return kept_ == nullptr; }
  void clear() { *this = InternedString(); }

  friend bool operator==(const InternedString& a, const InternedString& b) { return a.kept_ == b.kept_; }
  template <std::convertible_to<std::string_view> Other>
    requires(!std::same_as<Other, InternedString>)
  friend bool operator==(const InternedString& a, const Other& b) {
    return std::string_view(a) == std::string_view(b);
  }
  template <std::convertible_to<std::string_view> Other>
  friend auto operator<=>(const InternedString& a, const Other& b) {
    return std::string_view(a) <=> std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const InternedString& text) {
    return out << std::string_view(text);
  }

  // How many different ones there are.
  static size_t Count();

 private:
  // Followed by the text itself.
  struct Kept {
    std::atomic<uint32_t> users;
    uint32_t size;
    std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), size}; }
  };
  struct Table;

  static Table& TheTable();
  static Kept* Keep(std::string_view text);
  static void Drop(Kept* kept);

  Kept* kept_ = nullptr;
};

}  // namespace huygens
