#include "settings/commented_yaml.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "settings/walk.h"

namespace huygens::settings {

namespace {

constexpr size_t kCommentColumn = 48;
constexpr size_t kWidth = 120;

class Printer final : public Walk {
 public:
  std::string out;

  void Value(std::string_view name, Scalar scalar, std::string_view comment) override {
    if (item_) {
      if (first_item_ && !around_ && !before_section_)
        fields_ += Concat(fields_.empty() ? "" : "; ", name, ": ", comment);
      if (!scalar.text.empty()) *item_ += Concat(item_->empty() ? "" : ", ", name, ": ", scalar.text);
      return;
    }
    if (example_ > 0 && scalar.text.empty()) return;
    Line(Concat(first_of_example_ ? "- " : "", name, ": ", scalar.text), example_ == 1 ? std::string_view() : comment);
    if (std::exchange(first_of_example_, false)) indent_ += "  ";
  }

  void Texts(std::string_view name, std::vector<std::string>& values, std::string_view, Rule,
             std::string_view comment) override {
    std::string text;
    for (const std::string& value : values) text += Concat(text.empty() ? "" : ", ", YamlText(value));
    if (item_) {
      if (first_item_) fields_ += Concat("; ", name, ": ", comment);
      if (!values.empty()) *item_ += Concat(", ", name, ": [", text, "]");
      return;
    }
    Line(Concat(name, ": [", text, "]"), comment);
  }

 protected:
  bool Enter(std::string_view name, std::string_view comment) override {
    if (item_) {  // a section within an item is written in its line
      before_section_ = Concat(*std::exchange(item_, std::string()), ", ", name, ": {");
      return true;
    }
    if (example_ > 0) ++example_;
    if (indent_.empty()) out += '\n';
    Open(name, comment, indent_);
    return true;
  }
  Presence EnterOptional(std::string_view name, bool present, std::string_view comment) override {
    Open(name, comment, present ? indent_ : Concat(indent_, "# "));
    return Presence::kShown;
  }
  std::optional<size_t> EnterList(std::string_view name, size_t size, std::string_view comment) override {
    if (item_) {  // a list within an item is written in its line
      if (first_item_) fields_ += Concat("; ", name, ": ", comment);
      if (size == 0) return std::nullopt;
      around_ = Concat(*std::exchange(item_, std::nullopt), ", ", name, ": [");
      return size;
    }
    if (size == 0) {
      if (example_ == 0) Line(Concat(name, ": []"), comment);
      return std::nullopt;
    }
    Open(name, comment, indent_);
    fields_.clear();
    first_item_ = true;
    return size;
  }
  bool EnterItem(size_t, std::string_view) override {
    item_.emplace();
    return true;
  }
  // In lines of its own, commented out.
  bool EnterExample() override {
    PrintItems();
    outer_.push_back(indent_);
    indent_ += "# ";
    first_of_example_ = true;
    example_ = 1;
    return true;
  }
  void Leave() override {
    if (before_section_) {
      item_ = Concat(*std::exchange(before_section_, std::nullopt), *item_, "}");
      return;
    }
    if (around_) {
      if (item_) {
        *around_ += Concat(around_->ends_with('[') ? "{" : ", {", *std::exchange(item_, std::nullopt), "}");
      } else {
        item_ = Concat(*std::exchange(around_, std::nullopt), "]");
      }
      return;
    }
    if (item_) {
      items_.push_back(*std::exchange(item_, std::nullopt));
      first_item_ = false;
      return;
    }
    PrintItems();
    if (example_ > 0) --example_;
    indent_ = std::move(outer_.back());
    outer_.pop_back();
  }
  bool FreshItems() const override { return false; }

 private:
  void Open(std::string_view name, std::string_view comment, std::string indent) {
    Line(Concat(indent.substr(indent_.size()), name, ":"), comment);
    outer_.push_back(std::exchange(indent_, std::move(indent)));
    indent_ += "  ";
  }

  void PrintItems() {
    if (!items_.empty()) Remark(fields_);
    for (const std::string& item : items_) Line(Concat("- {", item, "}"), "");
    items_.clear();
  }

  void Line(const std::string& text, std::string_view comment) {
    std::string line = Concat(indent_, text);
    if (!comment.empty()) {
      size_t column = std::max(kCommentColumn, line.size() + 1);
      if (column + 2 + comment.size() > kWidth) {
        Remark(comment);
      } else {
        line.resize(column, ' ');
        line += Concat("# ", comment);
      }
    }
    out += Concat(line, "\n");
  }

  // A comment on lines of its own.
  void Remark(std::string_view comment) {
    size_t width = kWidth - indent_.size() - 2;
    while (!comment.empty()) {
      size_t cut = comment.size();
      if (cut > width) {
        cut = comment.rfind(' ', width);
        if (cut == comment.npos) cut = comment.size();
      }
      out += Concat(indent_, "# ", comment.substr(0, cut), "\n");
      comment.remove_prefix(std::min(comment.size(), cut + 1));
    }
  }

  std::string indent_;
  std::vector<std::string> outer_;             // indents of the sections around
  std::optional<std::string> item_;            // fields of the list item under way
  std::optional<std::string> around_;          // within a list in an item: that item so far
  std::optional<std::string> before_section_;  // within a section in an item: likewise
  int example_ = 0;                            // 1 within an example, more within its sections
  bool first_of_example_ = false;
  std::vector<std::string> items_;
  std::string fields_;  // what an item's fields mean
  bool first_item_ = false;
};

}  // namespace

std::string CommentedYaml(absl::FunctionRef<void(Walk&)> describe) {
  Printer printer;
  describe(printer);
  return std::move(printer.out);
}

}  // namespace huygens::settings
