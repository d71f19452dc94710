// A text that many objects have in common: a namespace, the name of a node or of an owner. Equal ones are kept once,
// as long as anybody has them; each is the size of a pointer. To make one takes a look into a table that all threads
// share; to copy or compare is cheap. As safe between threads as a std::string.
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

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text) : kept_(text.empty() ? nullptr : Keep(text)) {}
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
  SharedText(const char* text) : SharedText(std::string_view(text)) {}
  SharedText(const SharedText& other) : kept_(other.kept_) {
    if (kept_) kept_->users.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~SharedText() {
    if (kept_) Drop(kept_);
  }

  operator std::string_view() const { return kept_ ? kept_->text() : std::string_view(); }
  operator std::string() const { return std::string(std::string_view(*this)); }
  bool empty() const { return kept_ == nullptr; }
  void clear() { *this = SharedText(); }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.kept_ == b.kept_; }
  template <std::convertible_to<std::string_view> Other>
    requires(!std::same_as<Other, SharedText>)
  friend bool operator==(const SharedText& a, const Other& b) {
    return std::string_view(a) == std::string_view(b);
  }
  template <std::convertible_to<std::string_view> Other>
  friend auto operator<=>(const SharedText& a, const Other& b) {
    return std::string_view(a) <=> std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << std::string_view(text); }

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
