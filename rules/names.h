// Names and words as an API server takes them: empty where good, else what is wrong. What is not refused here would be
// refused there, in the request of whoever writes the object. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace huygens::rules {

// "example.com/key" of labels, annotations and taints.
std::string QualifiedNameFault(std::string_view name);
// "my-scheduler.example": a DNS subdomain.
std::string SubdomainFault(std::string_view name);
std::string NamespaceFault(std::string_view name);
std::string WordFault(std::string_view word, std::initializer_list<std::string_view> words);

// kube-system and its like, which no rule is for.
bool IsSystemNamespace(std::string_view name);

}  // namespace huygens::rules
