#include "machine/system_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/strip.h"
#include "base/read_file.h"

namespace huygens::machine {

namespace {

constexpr size_t kQuoted = 80;  // bytes of a content that a message shows

// All of `text` in decimal.
std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Packers of recorded machines take files of /sys to be longer than they are, and fill them up with zeros.
std::string_view WithoutFilling(std::string_view text) {
  constexpr std::string_view kFilling("\0 \t\r\n", 5);
  const size_t last = text.find_last_not_of(kFilling);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

// What `parse` makes of the text, if there is one; its errors name the file and the text. An empty text is an empty set
// of ids, and tells nothing of anything else.
template <typename Value, typename Parse>
StatusOr<std::optional<Value>> Parsed(const SystemFiles& files, std::string_view path, const Parse& parse) {
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> text, files.Text(path));
  if (!text) return std::optional<Value>();
  if (text->empty() && !std::is_same_v<Value, Ids>) return std::optional<Value>();
  StatusOr<Value> value = parse(*text);
  if (!value.ok()) return files.Unusable(path, *text, Message(value.status()));
  return std::optional<Value>(*std::move(value));
}

StatusOr<int64_t> FindMemTotal(std::string_view text) {
  constexpr std::string_view kKey = "MemTotal:";
  const size_t at = text.find(kKey);
  if (at != std::string_view::npos) {
    std::string_view rest = text.substr(at + kKey.size());
    rest = ToStd(absl::StripAsciiWhitespace(ToAbsl(rest.substr(0, rest.find('\n')))));
    if (rest.ends_with(" kB")) {
      const std::optional<int64_t> kb = ParseNumber(rest.substr(0, rest.size() - 3));
      if (kb && *kb >= 0) return *kb;
    }
  }
  return Invalid("without a line such as \"MemTotal: 32404120 kB\"");
}

}  // namespace

std::string SystemFiles::Path(std::string_view path) const {
  return Concat(root_, root_.ends_with('/') ? "" : "/", path);
}

Status SystemFiles::Unusable(std::string_view path, std::string_view text, std::string_view why) const {
  const std::string shown = absl::CEscape(ToAbsl(text.substr(0, kQuoted)));
  return Invalid(Concat(Path(path), " is ", why, ": it holds \"", shown, text.size() > kQuoted ? "\"..." : "\""));
}

StatusOr<std::optional<std::string>> SystemFiles::Text(std::string_view path) const {
  HUYGENS_ASSIGN_OR_RETURN(std::optional<std::string> text, Trimmed(path));
  if (text) text->resize(WithoutFilling(*text).size());
  return text;
}

StatusOr<std::optional<std::string>> SystemFiles::Trimmed(std::string_view path) const {
  StatusOr<std::string> text = ReadFile(Path(path), "file");
  if (absl::IsNotFound(text.status())) return std::optional<std::string>();
  if (!text.ok()) return text.status();
  absl::StripAsciiWhitespace(&*text);
  return std::optional<std::string>(*std::move(text));
}

StatusOr<std::optional<int64_t>> SystemFiles::Number(std::string_view path) const {
  return Parsed<int64_t>(*this, path, [](std::string_view text) -> StatusOr<int64_t> {
    if (const std::optional<int64_t> number = ParseNumber(text)) return *number;
    return Invalid("not a number");
  });
}

StatusOr<std::optional<Ids>> SystemFiles::List(std::string_view path) const {
  return Parsed<Ids>(*this, path, ParseIdList);
}

StatusOr<std::optional<Ids>> SystemFiles::Mask(std::string_view path) const {
  return Parsed<Ids>(*this, path, ParseIdMask);
}

StatusOr<std::optional<int64_t>> SystemFiles::MemTotal(std::string_view path) const {
  return Parsed<int64_t>(*this, path, FindMemTotal);
}

StatusOr<std::vector<std::string>> SystemFiles::Names(std::string_view folder) const {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator at(Path(folder), error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return absl::ErrnoToStatus(error.value(), ToAbsl(Concat("cannot read folder ", Path(folder))));
  }
  std::ranges::sort(names);
  return names;
}

StatusOr<Ids> SystemFiles::Numbered(std::string_view folder, std::string_view prefix) const {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(folder));
  Ids ids;
  for (std::string_view name : names) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty() || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) continue;
    const std::optional<int64_t> id = ParseNumber(digits);
    // "cpu007" is not a name of the kernel's, and would be a second name of CPU 7.
    if (!id || *id > kMostId || std::to_string(*id) != digits) {
      return Invalid(Concat(Path(folder), " holds ", CutText(name, kQuoted), ", and no kernel numbers so"));
    }
    ids.push_back(static_cast<int>(*id));
  }
  std::ranges::sort(ids);
  return ids;
}

bool SystemFiles::IsFolder(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::is_directory(Path(path), ignored);
}

}  // namespace huygens::machine
