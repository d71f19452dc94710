#include "real_capacity/formula.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/nearest_name.h"

namespace huygens::real_capacity {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Status At(size_t place, std::string_view what) {
  return Invalid(Concat("character ", std::to_string(place), ": ", what));
}

}  // namespace

// By recursive descent: sums of products of values.
class Formula::Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  StatusOr<Formula> Parse() {
    if (text_.size() > kLongest) return Invalid(Concat("is longer than ", std::to_string(kLongest), " characters"));
    formula_.steps_.clear();
    HUYGENS_RETURN_IF_ERROR(Sum());
    if (Next() != '\0') return Unexpected("an operator or the end");
    std::ranges::sort(formula_.names_);
    formula_.names_.erase(std::unique(formula_.names_.begin(), formula_.names_.end()), formula_.names_.end());
    return std::move(formula_);
  }

 private:
  size_t Place() const { return at_ + 1; }
  // The next character that is no space; 0: the end.
  char Next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  Status Unexpected(std::string_view wanted) {
    const std::string_view found = CutText(text_.substr(at_), 1);
    return At(Place(), Next() == '\0' ? Concat("expected ", wanted, ", and it ends here")
                                      : Concat("expected ", wanted, ", not \"", found.empty() ? "?" : found, "\""));
  }
  Status Expect(char c) {
    if (Next() != c) return Unexpected(std::string_view(&c, 1));
    ++at_;
    return absl::OkStatus();
  }
  void Add(Operation operation, size_t place, double number = 0, size_t count = 0) {
    formula_.steps_.push_back({.operation = operation, .place = place, .number = number, .count = count});
  }

  Status Sum() {
    HUYGENS_RETURN_IF_ERROR(Product());
    while (Next() == '+' || Next() == '-') {
      const size_t place = Place();
      const Operation operation = text_[at_++] == '+' ? Operation::kAdd : Operation::kSubtract;
      HUYGENS_RETURN_IF_ERROR(Product());
      Add(operation, place);
    }
    return absl::OkStatus();
  }

  Status Product() {
    HUYGENS_RETURN_IF_ERROR(Value());
    while (Next() == '*' || Next() == '/') {
      const size_t place = Place();
      const Operation operation = text_[at_++] == '*' ? Operation::kMultiply : Operation::kDivide;
      HUYGENS_RETURN_IF_ERROR(Value());
      Add(operation, place);
    }
    return absl::OkStatus();
  }

  Status Value() {
    if (++depth_ > kDeepest) {
      return At(Place(), Concat("more than ", std::to_string(kDeepest), " parentheses or signs within each other"));
    }
    const Status status = ValueWithin();
    --depth_;
    return status;
  }

  Status ValueWithin() {
    const char next = Next();
    const size_t place = Place();
    if (next == '-') {
      ++at_;
      HUYGENS_RETURN_IF_ERROR(Value());
      Add(Operation::kNegate, place);
      return absl::OkStatus();
    }
    if (next == '(') {
      ++at_;
      HUYGENS_RETURN_IF_ERROR(Sum());
      return Expect(')');
    }
    if (IsDigit(next) || next == '.') return Number(place);
    if (BeginsName(next)) return NameOrCall(place);
    return Unexpected("a number, a name or (");
  }

  Status Number(size_t place) {
    double number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return At(place, "is no number, or none that can be held");
    at_ += static_cast<size_t>(end - begin);
    if (at_ < text_.size() && (BeginsName(text_[at_]) || text_[at_] == '.'))
      return Unexpected("an operator after a number");
    Add(Operation::kNumber, place, number);
    return absl::OkStatus();
  }

  Status NameOrCall(size_t place) {
    size_t end = at_;
    while (end < text_.size() && (BeginsName(text_[end]) || IsDigit(text_[end]))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (name == "min") return Call(Operation::kLeast, place);
    if (name == "max") return Call(Operation::kGreatest, place);
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) return At(place, UnknownName(name));
    const auto position = static_cast<size_t>(found - names_.begin());
    formula_.names_.push_back(position);
    Add(Operation::kName, place, 0, position);
    return absl::OkStatus();
  }

  Status Call(Operation operation, size_t place) {
    HUYGENS_RETURN_IF_ERROR(Expect('('));
    size_t count = 0;
    do {
      HUYGENS_RETURN_IF_ERROR(Sum());
      ++count;
    } while (Next() == ',' && ++at_ > 0);
    HUYGENS_RETURN_IF_ERROR(Expect(')'));
    Add(operation, place, 0, count);
    return absl::OkStatus();
  }

  std::string UnknownName(std::string_view name) const {
    std::vector<std::string_view> known(names_.begin(), names_.end());
    known.insert(known.end(), {"min", "max"});
    const std::string_view nearest = NearestName(name, known);
    return Concat(
        "there is no name ", CutText(name, 40), "; ",
        nearest.empty() ? Concat("there are ", JoinNames(known, ", ")) : Concat("did you mean ", nearest, "?"));
  }

  const std::string_view text_;
  const std::span<const std::string> names_;
  size_t at_ = 0;
  int depth_ = 0;
  Formula formula_;
};

StatusOr<Formula> Formula::Parse(std::string_view text, std::span<const std::string> names) {
  return Parser(text, names).Parse();
}

StatusOr<double> Formula::Evaluate(std::span<const double> values) const {
  std::vector<double> stack;
  const auto take = [&stack] {
    const double last = stack.back();
    stack.pop_back();
    return last;
  };
  for (const Step& step : steps_) {
    double result = 0;
    switch (step.operation) {
      case Operation::kNumber:
        result = step.number;
        break;
      case Operation::kName:
        result = values[step.count];
        break;
      case Operation::kNegate:
        result = -take();
        break;
      case Operation::kLeast:
      case Operation::kGreatest:
        result = take();
        for (size_t i = 1; i < step.count; ++i) {
          const double other = take();
          result = step.operation == Operation::kLeast ? std::min(result, other) : std::max(result, other);
        }
        break;
      default: {
        const double right = take(), left = take();
        if (step.operation == Operation::kDivide && right == 0) return At(step.place, "divides by zero");
        result = step.operation == Operation::kAdd        ? left + right
                 : step.operation == Operation::kSubtract ? left - right
                 : step.operation == Operation::kMultiply ? left * right
                                                          : left / right;
      }
    }
    if (!std::isfinite(result)) return At(step.place, "gives what is no number");
    stack.push_back(result);
  }
  return stack.back();
}

bool Formula::IsName(std::string_view text) {
  return !text.empty() && BeginsName(text.front()) && text != "min" && text != "max" &&
         std::ranges::all_of(text, [](char c) { return BeginsName(c) || IsDigit(c); });
}

}  // namespace huygens::real_capacity
