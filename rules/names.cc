#include "rules/names.h"

#include <algorithm>

#include "base/label_selector.h"
#include "base/text.h"

namespace huygens::rules {

namespace {

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool IsSubdomain(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  while (true) {
    const size_t dot = name.find('.');
    if (!IsDnsLabel(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

std::string Quoted(std::string_view text) { return Concat("\"", CutText(text, 64), "\""); }

}  // namespace

std::string QualifiedNameFault(std::string_view name) {
  const size_t slash = name.find('/');
  const bool good = slash == std::string_view::npos || IsSubdomain(name.substr(0, slash));
  return good ? LabelKeyFault(name) : Concat(Quoted(name), " is no key: what is before the / must be a DNS name");
}

std::string SubdomainFault(std::string_view name) {
  return IsSubdomain(name) ? "" : Concat(Quoted(name), " is no name: lower-case letters, digits, - and . only");
}

std::string NamespaceFault(std::string_view name) {
  return IsDnsLabel(name) && name.size() <= 63 ? "" : Concat(Quoted(name), " is no name of a namespace");
}

std::string WordFault(std::string_view word, std::initializer_list<std::string_view> words) {
  if (std::ranges::find(words, word) != words.end()) return "";
  std::string text = "must be ";
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words.begin()[i];
  }
  return Concat(text, ", not ", Quoted(word));
}

bool IsSystemNamespace(std::string_view name) {
  return name == "kube-system" || name == "kube-public" || name == "kube-node-lease";
}

}  // namespace huygens::rules
