// An object on its way into a cluster, as far as rules look at it. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/label_selector.h"
#include "base/status.h"
#include "base/time.h"
#include "rules/kinds.h"
#include "rules/tree.h"

namespace huygens::rules {

enum class Operation : uint8_t { kCreate, kUpdate, kOther };

// What an admission review says; views must live as long as this.
struct ObjectWrite {
  Operation operation = Operation::kCreate;
  std::string_view group, kind, subresource;
  std::string_view namespace_name;      // of the request: the object itself may not say it yet
  std::string_view object, old_object;  // JSON; of a creation there is no old one
};

struct Surroundings {
  Time now;
  // Null: not known; then no rule with a namespaceSelector is for the object.
  const Labels* namespace_labels = nullptr;
  // Besides those of the system: where huygens itself runs.
  std::span<const std::string> own_namespaces;
};

// What this write can still change.
struct Reach {
  bool metadata = false;  // labels and annotations
  bool pod_spec = false;  // all else of pods
  bool taints = false;
  bool allocatable = false;
};

// The object read, and where in it a rule finds what it changes.
class Subject {
 public:
  // An object that no rule is for has a reason in untouched(); one that cannot be read is an error that names the field.
  static StatusOr<Subject> Read(const ObjectWrite& write, const Surroundings& surroundings);

  const std::string& untouched() const { return untouched_; }
  const KnownKind& kind() const { return *kind_; }
  const Reach& reach() const { return reach_; }
  Operation operation() const { return operation_; }
  std::string_view namespace_name() const { return namespace_name_; }
  const Tree& object() const { return object_; }
  // Null where there is none.
  const Tree* old_object() const { return old_.IsNull() ? nullptr : &old_; }

  // Of the controller that owns it; null: none does.
  const Tree* owner() const { return OwnerOf(object_); }
  // "shop/Deployment/cart": whose the object is, known before it has a name or a UID, and the same for all pods of a
  // workload whichever ReplicaSet makes them.
  std::string WorkloadKey() const;
  // The pod's own, where it has a name already; else as above.
  std::string PodKey() const;

 private:
  static const Tree* OwnerOf(const Tree& object);
  void JudgeReach(std::string_view subresource);
  void JudgeNamespace(const Surroundings& surroundings);
  void JudgeObject();
  bool TemplateChanges() const;

  const KnownKind* kind_ = nullptr;
  Operation operation_ = Operation::kCreate;
  Reach reach_;
  std::string untouched_, namespace_name_;
  Tree object_, old_;
};

// The member at the end of `path`; null where one of them is not there.
const Tree* FindAt(const Tree& object, std::span<const std::string_view> path);

}  // namespace huygens::rules
