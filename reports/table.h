// Text in columns for people, as kubectl prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huygens::reports {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : columns_(head.size()) { AddRow(std::move(head)); }

  // An empty cell is shown as "-"; missing ones at the end are left out.
  void AddRow(std::vector<std::string> cells);
  size_t size() const { return rows_.size() - 1; }
  // Columns as wide as their widest cell, two spaces between them, none at the end of a line.
  std::string Text() const;

 private:
  size_t columns_;
  std::vector<std::vector<std::string>> rows_;  // the first is the head
};

}  // namespace huygens::reports
