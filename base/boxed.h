// An optional value kept on the heap: where it is absent, as nearly always, it takes the room of a pointer. Copies copy
// the value.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace huygens {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;
  // So that a list in braces is a value, as with std::optional.
  template <typename U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Boxed>)
  Boxed& operator=(U&& value) {
    return *this = Boxed(T(std::forward<U>(value)));
  }

  template <typename... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.value_ && b.value_ ? *a.value_ == *b.value_ : !a.value_ && !b.value_;
  }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace huygens
