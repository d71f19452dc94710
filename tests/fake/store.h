// What the fake API server holds: objects by collection, their history, and what each call does to them. Not
// thread-safe: the server locks.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fake/connection.h"

namespace huygens::fake {

struct Reply {
  int code = 200;
  std::string body;
};
Reply StatusReply(int code, std::string_view reason, std::string_view message);

// A path taken apart: "/api/v1/namespaces/x/pods/a/binding" is collection "/api/v1/pods", namespace "x", name "a", part
// "binding".
struct Target {
  std::string collection, namespace_name, name, part;
};
Target ParseTarget(std::string_view path);

struct HistoryEntry {
  uint64_t version = 0;
  std::string line;  // of a watch
};

struct Collection {
  bool installed = true;
  std::map<std::string, boost::json::object> objects;  // by "namespace/name"
  std::vector<HistoryEntry> history;
  std::vector<std::string> unknown_in_status;  // fields that the definition does not have: dropped when they come
};

class Store {
 public:
  Store();

  // Everything but WATCH.
  Reply Handle(const HttpRequest& request, const Target& target);

  std::string Put(const std::string& json);
  void Delete(const std::string& collection, const std::string& key);
  void Install(const std::string& collection, bool installed);
  void Compact() { compacted_ = version_; }

  Collection* Find(const std::string& collection);
  uint64_t version() const { return version_; }
  uint64_t compacted() const { return compacted_; }
  std::string BookmarkLine() const;

 private:
  Reply List(const HttpRequest& request, const Target& target, const Collection& collection);
  Reply Bind(boost::json::object& pod, const boost::json::object& binding, Collection& pods, const std::string& key);
  Reply Evict(boost::json::object& pod, const HttpRequest& request, Collection& pods, const std::string& key);
  Reply Create(const std::string& body, const Target& target, Collection& collection);
  Reply Update(const HttpRequest& request, const std::string& key, bool status_alone, Collection& collection);
  Reply DeleteIf(const std::string& body, const std::string& name, const std::string& key);
  Reply Patch(const std::string& body, const std::string& name, const std::string& key, Collection& collection);
  const boost::json::object& Record(Collection& collection, const std::string& key, boost::json::object object);

  std::map<std::string, Collection> collections_;
  uint64_t version_ = 1000;
  uint64_t compacted_ = 0;
  uint64_t next_uid_ = 1;
};

}  // namespace huygens::fake
