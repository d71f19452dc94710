#include "tests/fake/store.h"

#include <functional>
#include <stdexcept>

#include "base/text.h"
#include "tests/fake/api_server.h"

namespace huygens::fake {
namespace {

namespace json = boost::json;

std::string Text(const json::object& object, std::initializer_list<const char*> path) {
  const json::object* at = &object;
  size_t left = path.size();
  for (const char* const key : path) {
    const json::value* const value = at->if_contains(key);
    if (value == nullptr) return "";
    if (--left == 0) return value->is_string() ? std::string(value->as_string()) : "";
    if (!value->is_object()) return "";
    at = &value->as_object();
  }
  return "";
}

json::object& Child(json::object& object, const char* key) {
  json::value& value = object[key];
  if (!value.is_object()) value.emplace_object();
  return value.as_object();
}

std::string Key(const std::string& namespace_name, const std::string& name) {
  return Concat(namespace_name, "/", name);
}

std::string KeyOf(const json::object& object) {
  return Key(Text(object, {"metadata", "namespace"}), Text(object, {"metadata", "name"}));
}

std::string CollectionOf(const json::object& object) {
  const std::string version = Text(object, {"apiVersion"});
  std::string plural = Text(object, {"kind"});
  for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plural == "podmetrics") plural = "pod";
  if (plural.ends_with("ss")) plural += 'e';
  plural = plural.ends_with('y') ? plural.substr(0, plural.size() - 1) + "ies" : plural + "s";
  return Concat(version.find('/') == std::string::npos ? "/api/" : "/apis/", version, "/", plural);
}

std::string Line(std::string_view type, const json::object& object) {
  return Concat(R"({"type":")", type, R"(","object":)", std::string(json::serialize(object)), "}\n");
}

Reply JsonReply(int code, const json::object& object) { return {code, json::serialize(object)}; }

}  // namespace

Reply StatusReply(int code, std::string_view reason, std::string_view message) {
  json::object status{{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::object()}};
  status["status"] = code < 300 ? "Success" : "Failure";
  status["message"] = json::string_view(message.data(), message.size());
  status["reason"] = json::string_view(reason.data(), reason.size());
  status["code"] = code;
  return JsonReply(code, status);
}

Target ParseTarget(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    parts.emplace_back(part);
    path.remove_prefix(part.size());
  }
  Target target;
  size_t at = !parts.empty() && parts[0] == "api" ? 2 : 3;
  if (parts.size() <= at) return target;
  std::string prefix;
  for (size_t i = 0; i < at; ++i) prefix += Concat("/", parts[i]);
  if (parts[at] == "namespaces" && parts.size() > at + 2) {
    target.namespace_name = parts[at + 1];
    at += 2;
  }
  target.collection = Concat(prefix, "/", parts[at]);
  if (parts.size() > at + 1) target.name = parts[at + 1];
  if (parts.size() > at + 2) target.part = parts[at + 2];
  return target;
}

Store::Store() {
  for (const char* const name : {kPods,
                                 kNodes,
                                 kEvents,
                                 kLeases,
                                 kCrane,
                                 kCommunity,
                                 kBizGroupQuotas,
                                 kResourceClaims,
                                 kDeviceClasses,
                                 kResourceClaimsBeta,
                                 kReplicationControllers,
                                 kDeployments,
                                 kReplicaSets,
                                 kStatefulSets,
                                 kJobs,
                                 kRollouts,
                                 kSecrets,
                                 kConfigMaps,
                                 kValidatingWebhooks,
                                 kQuotaTransfers,
                                 kRecommendationTemplates,
                                 kRecommendations,
                                 kSchedulingRules,
                                 kPodMigrations,
                                 kNamespaces,
                                 kPriorityClasses,
                                 kRecommendationCheckpoints,
                                 kPodMetrics})
    collections_[name];
  for (const char* const name : {kResourceClaimsBeta, kRollouts}) collections_[name].installed = false;
}

Collection* Store::Find(const std::string& collection) {
  const auto found = collections_.find(collection);
  return found == collections_.end() || !found->second.installed ? nullptr : &found->second;
}

const json::object& Store::Record(Collection& collection, const std::string& key, json::object object) {
  const bool known = collection.objects.contains(key);
  json::object& metadata = Child(object, "metadata");
  metadata["resourceVersion"] = std::to_string(++version_);
  if (!metadata.contains("uid")) metadata["uid"] = Concat("uid-", std::to_string(next_uid_++));
  collection.history.push_back({version_, Line(known ? "MODIFIED" : "ADDED", object)});
  return collection.objects[key] = std::move(object);
}

std::string Store::Put(const std::string& text) {
  json::object object = json::parse(text).as_object();
  Collection* const collection = Find(CollectionOf(object));
  if (collection == nullptr) throw std::invalid_argument("the fake API server has no collection for " + text);
  const std::string key = KeyOf(object);
  const auto known = collection->objects.find(key);
  if (known != collection->objects.end() && Text(object, {"metadata", "uid"}).empty()) {
    Child(object, "metadata")["uid"] = Text(known->second, {"metadata", "uid"});
  }
  return Text(Record(*collection, key, std::move(object)), {"metadata", "uid"});
}

void Store::Delete(const std::string& name, const std::string& key) {
  Collection* const collection = Find(name);
  if (collection == nullptr) return;
  const auto found = collection->objects.find(key);
  if (found == collection->objects.end()) return;
  Child(found->second, "metadata")["resourceVersion"] = std::to_string(++version_);
  collection->history.push_back({version_, Line("DELETED", found->second)});
  collection->objects.erase(found);
}

void Store::Install(const std::string& name, bool installed) {
  Collection& collection = collections_[name];
  while (!installed && !collection.objects.empty()) {
    const std::string key = collection.objects.begin()->first;
    Delete(name, key);
  }
  collection.installed = installed;
}

std::string Store::BookmarkLine() const {
  return Concat(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")", std::to_string(version_), R"("}}})",
                "\n");
}

Reply Store::List(const HttpRequest& request, const Target& target, const Collection& collection) {
  const std::string token = request.Query("continue");
  const std::string limit_text = request.Query("limit");
  const size_t limit = limit_text.empty() ? SIZE_MAX : std::stoul(limit_text);
  uint64_t version = version_;
  std::string after;
  if (!token.empty()) {
    const size_t colon = token.find(':');
    version = std::stoull(token.substr(0, colon));
    after = token.substr(colon + 1);
    if (version < compacted_) return StatusReply(410, "Expired", "The provided continue parameter is too old");
  }
  json::array items;
  std::string next;
  for (auto at = collection.objects.upper_bound(after); at != collection.objects.end(); ++at) {
    if (items.size() == limit) {
      next = Concat(std::to_string(version), ":", std::prev(at)->first);
      break;
    }
    if (!target.namespace_name.empty() && !at->first.starts_with(Concat(target.namespace_name, "/"))) continue;
    json::object item = at->second;
    item.erase("kind");  // as in a typed list
    item.erase("apiVersion");
    items.push_back(std::move(item));
  }
  json::object list{{"kind", "List"}, {"apiVersion", "v1"}};
  list["metadata"] = json::object{{"resourceVersion", std::to_string(version)}};
  if (!next.empty()) Child(list, "metadata")["continue"] = next;
  list["items"] = std::move(items);
  return JsonReply(200, list);
}

// BindingREST.assignPod of kube-apiserver 1.36: every objection is 409, an unknown node is none.
Reply Store::Bind(json::object& pod, const json::object& binding, Collection& pods, const std::string& key) {
  const std::string name = Text(pod, {"metadata", "name"});
  const auto conflict = [&](std::string_view why) {
    return StatusReply(409, "Conflict", Concat("Operation cannot be fulfilled on pods/binding \"", name, "\": ", why));
  };
  const std::string uid = Text(binding, {"metadata", "uid"});
  if (!uid.empty() && uid != Text(pod, {"metadata", "uid"})) {
    return conflict(Concat("Precondition failed: UID in precondition: ", uid,
                           ", UID in object meta: ", Text(pod, {"metadata", "uid"})));
  }
  if (!Text(pod, {"metadata", "deletionTimestamp"}).empty())
    return conflict(Concat("pod ", name, " is being deleted, cannot be assigned to a host"));
  const std::string node = Text(pod, {"spec", "nodeName"});
  if (!node.empty()) return conflict(Concat("pod ", name, " is already assigned to node \"", node, "\""));
  if (Child(pod, "spec").contains("schedulingGates"))
    return conflict(Concat("pod ", name, " has non-empty .spec.schedulingGates"));
  json::object bound = pod;
  Child(bound, "spec")["nodeName"] = Text(binding, {"target", "name"});
  if (const json::value* metadata = binding.if_contains("metadata")) {
    for (const char* const map : {"annotations", "labels"}) {
      const json::value* const entries = metadata->as_object().if_contains(map);
      if (entries == nullptr || !entries->is_object()) continue;
      for (const auto& entry : entries->as_object()) Child(Child(bound, "metadata"), map)[entry.key()] = entry.value();
    }
  }
  Record(pods, key, std::move(bound));
  return StatusReply(201, "", "");
}

// Without budgets, which faults stand in for: the pod terminates, and goes when somebody deletes it.
Reply Store::Evict(json::object& pod, const HttpRequest& request, Collection& pods, const std::string& key) {
  const json::object eviction = json::parse(request.body).as_object();
  const std::string uid = Text(eviction, {"deleteOptions", "preconditions", "uid"});
  if (!uid.empty() && uid != Text(pod, {"metadata", "uid"}))
    return StatusReply(409, "Conflict", "Precondition failed: UID in precondition and in object meta differ");
  if (request.Query("dryRun") != "All") {
    json::object leaving = pod;
    Child(leaving, "metadata")["deletionTimestamp"] = "2026-03-02T10:00:00Z";
    Record(pods, key, std::move(leaving));
  }
  return StatusReply(201, "", "");
}

Reply Store::Create(const std::string& body, const Target& target, Collection& collection) {
  json::object object = json::parse(body).as_object();
  const std::string name = Text(object, {"metadata", "name"});
  if (!target.namespace_name.empty()) Child(object, "metadata")["namespace"] = target.namespace_name;
  const std::string key = Key(target.namespace_name, name);
  if (collection.objects.contains(key))
    return StatusReply(409, "AlreadyExists", Concat("\"", name, "\" already exists"));
  return JsonReply(201, Record(collection, key, std::move(object)));
}

// `status_alone`: of the subresource, which takes nothing else and insists on the UID.
Reply Store::Update(const HttpRequest& request, const std::string& key, bool status_alone, Collection& collection) {
  const auto found = collection.objects.find(key);
  if (found == collection.objects.end()) return StatusReply(404, "NotFound", Concat("\"", key, "\" not found"));
  json::object object = json::parse(request.body).as_object();
  const std::string version = Text(object, {"metadata", "resourceVersion"});
  if (!version.empty() && version != Text(found->second, {"metadata", "resourceVersion"})) {
    return StatusReply(409, "Conflict",
                       "the object has been modified; please apply your changes to the latest version and try again");
  }
  const std::string uid = Text(found->second, {"metadata", "uid"});
  if (status_alone) {
    if (Text(object, {"metadata", "uid"}) != uid) {
      return StatusReply(409, "Conflict", "Precondition failed: UID in precondition and in object meta differ");
    }
    json::object whole = found->second;
    whole["status"] = object["status"];
    for (const std::string& each : collection.unknown_in_status) Child(whole, "status").erase(each);
    object = std::move(whole);
  }
  Child(object, "metadata")["uid"] = uid;
  if (request.Query("dryRun") == "All") return JsonReply(200, object);
  return JsonReply(200, Record(collection, key, std::move(object)));
}

// Lists whose elements a strategic merge patch merges by their names.
bool IsMergedByName(std::string_view list) {
  return list == "webhooks" || list == "containers" || list == "initContainers";
}

// A JSON merge patch, and a UID and a resource version in it as preconditions. Some lists are merged by names, as a
// strategic merge patch has it. What is being deleted goes with its last finalizer.
Reply Store::Patch(const std::string& body, const std::string& name, const std::string& key, Collection& collection) {
  json::object& known = collection.objects.at(key);
  const json::object patch = json::parse(body).as_object();
  const std::string uid = Text(patch, {"metadata", "uid"});
  if (!uid.empty() && uid != Text(known, {"metadata", "uid"})) {
    return StatusReply(409, "Conflict", "Precondition failed: UID in precondition and in object meta differ");
  }
  const std::string version = Text(patch, {"metadata", "resourceVersion"});
  if (!version.empty() && version != Text(known, {"metadata", "resourceVersion"})) {
    return StatusReply(409, "Conflict", "the object has been modified");
  }
  json::object object = known;
  const std::function<void(json::object&, const json::object&)> merge = [&](json::object& into,
                                                                            const json::object& from) {
    for (const auto& entry : from) {
      if (entry.value().is_object()) {
        merge(Child(into, std::string(entry.key()).c_str()), entry.value().as_object());
      } else if (IsMergedByName(entry.key()) && into.contains(entry.key())) {
        for (const json::value& each : entry.value().as_array()) {
          for (json::value& mine : into[entry.key()].as_array()) {
            if (mine.at("name") == each.at("name")) merge(mine.as_object(), each.as_object());
          }
        }
      } else if (entry.value().is_null()) {
        into.erase(entry.key());
      } else {
        into[entry.key()] = entry.value();
      }
    }
  };
  merge(object, patch);
  const json::object& metadata = Child(object, "metadata");
  const json::value* const finalizers = metadata.if_contains("finalizers");
  if (metadata.contains("deletionTimestamp") && finalizers != nullptr && finalizers->as_array().empty()) {
    const Reply last = JsonReply(200, object);
    Delete(name, key);
    return last;
  }
  return JsonReply(200, Record(collection, key, std::move(object)));
}

// `body`: DeleteOptions, whose precondition of a UID is kept.
Reply Store::DeleteIf(const std::string& body, const std::string& name, const std::string& key) {
  const json::object options = body.empty() ? json::object() : json::parse(body).as_object();
  const std::string uid = Text(options, {"preconditions", "uid"});
  if (!uid.empty() && uid != Text(Find(name)->objects.at(key), {"metadata", "uid"})) {
    return StatusReply(409, "Conflict", "Precondition failed: UID in precondition and in object meta differ");
  }
  Delete(name, key);
  return StatusReply(200, "", "");
}

Reply Store::Handle(const HttpRequest& request, const Target& target) {
  Collection* const collection = Find(target.collection);
  if (collection == nullptr) return {404, "404 page not found\n"};
  const std::string key = Key(target.namespace_name, target.name);
  if (request.method == "GET" && target.name.empty()) return List(request, target, *collection);
  if (request.method == "POST" && target.name.empty()) return Create(request.body, target, *collection);
  if (request.method == "PUT") return Update(request, key, target.part == "status", *collection);
  const auto found = collection->objects.find(key);
  // A server-side apply makes what is not there; else it is merged as far as a merge patch does, lists as a whole.
  if (found == collection->objects.end() && request.method == "PATCH" && request.Query("force") == "true")
    return Create(request.body, target, *collection);
  if (found == collection->objects.end())
    return StatusReply(404, "NotFound", Concat("pods \"", target.name, "\" not found"));
  // Metadata may be patched through `status`, as the API server lets it, and what a pod asks for through `resize`.
  if (request.method == "PATCH" && (target.part.empty() || target.part == "status" || target.part == "resize"))
    return Patch(request.body, target.collection, key, *collection);
  if (request.method == "GET" && target.part.empty()) return JsonReply(200, found->second);
  if (request.method == "DELETE" && target.part.empty()) return DeleteIf(request.body, target.collection, key);
  if (request.method == "POST" && target.part == "binding") {
    return Bind(found->second, json::parse(request.body).as_object(), *collection, key);
  }
  if (request.method == "POST" && target.part == "eviction") return Evict(found->second, request, *collection, key);
  return StatusReply(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

}  // namespace huygens::fake
