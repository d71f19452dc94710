#include "cli/table.h"

#include <algorithm>

namespace huygens::cli {

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(std::min(cells.size(), columns_));
  for (std::string& cell : cells) {
    if (cell.empty()) cell = "-";
  }
  rows_.push_back(std::move(cells));
}

std::string Table::Text() const {
  std::vector<size_t> widths(columns_, 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace huygens::cli
