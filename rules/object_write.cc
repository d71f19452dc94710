#include "rules/object_write.h"

#include <algorithm>

#include "base/text.h"
#include "rules/names.h"
#include "rules/rule.h"

namespace huygens::rules {

namespace {

const Tree kNothing;

const Tree& MetadataOf(const Tree& object) {
  const Tree* metadata = object.Find("metadata");
  return metadata != nullptr ? *metadata : kNothing;
}

std::string_view LabelOf(const Tree& object, std::string_view key) {
  const Tree* labels = MetadataOf(object).Find("labels");
  return labels != nullptr ? labels->TextOf(key) : std::string_view();
}

std::string_view NameOf(const Tree& object) {
  const std::string_view name = MetadataOf(object).TextOf("name");
  return name.empty() ? MetadataOf(object).TextOf("generateName") : name;
}

// What made the ReplicaSet `name`, which ends in the hash that the pod has as a label; empty: nobody that is known.
std::string_view MakerOf(std::string_view name, std::string_view hash) {
  if (hash.empty() || name.size() < hash.size() + 2 || !name.ends_with(hash)) return {};
  name.remove_suffix(hash.size());
  if (!name.ends_with('-')) return {};
  name.remove_suffix(1);
  return name;
}

}  // namespace

const Tree* FindAt(const Tree& object, std::span<const std::string_view> path) {
  const Tree* at = &object;
  for (const std::string_view key : path) {
    at = at->Find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

StatusOr<Subject> Subject::Read(const ObjectWrite& write, const Surroundings& surroundings) {
  Subject subject;
  subject.operation_ = write.operation;
  subject.kind_ = FindKind(write.group, write.kind);
  subject.namespace_name_ = write.namespace_name;
  if (subject.kind_ == nullptr) {
    subject.untouched_ = Concat("rules are not for the kind ", write.kind);
    return subject;
  }
  subject.JudgeReach(write.subresource);
  subject.JudgeNamespace(surroundings);
  if (!subject.untouched_.empty()) return subject;
  HUYGENS_ASSIGN_OR_RETURN(subject.object_, Tree::Parse(write.object));
  if (subject.object_.kind() != Tree::Kind::kObject) return Invalid("the object is no JSON object");
  if (write.operation == Operation::kUpdate && !write.old_object.empty()) {
    // What cannot be read of it is as if it were not there: it only has what the new object may have lost.
    if (StatusOr<Tree> old = Tree::Parse(write.old_object); old.ok()) subject.old_ = *std::move(old);
  }
  if (subject.namespace_name_.empty() && subject.kind_->shape != Shape::kNode) {
    subject.namespace_name_ = MetadataOf(subject.object_).TextOf("namespace");
    subject.JudgeNamespace(surroundings);
  }
  subject.JudgeObject();
  return subject;
}

void Subject::JudgeReach(std::string_view subresource) {
  const bool status = kind_->shape == Shape::kNode && subresource == "status";
  if (operation_ == Operation::kOther) {
    untouched_ = "rules are for objects that are created or updated";
  } else if (!subresource.empty() && !status) {
    untouched_ = Concat("rules are not for ", kind_->kind, "/", subresource);
  } else if (status) {
    reach_.allocatable = operation_ == Operation::kUpdate;
  } else if (kind_->shape == Shape::kNode) {
    // The status that comes with an update of a node is passed over by the API server; with a creation it is kept.
    reach_ = {.metadata = true, .pod_spec = false, .taints = true, .allocatable = operation_ == Operation::kCreate};
  } else {
    const bool whole = operation_ == Operation::kCreate || kind_->shape == Shape::kController;
    reach_ = {.metadata = true, .pod_spec = whole};
  }
}

void Subject::JudgeNamespace(const Surroundings& surroundings) {
  const bool own = std::ranges::find(surroundings.own_namespaces, namespace_name_) != surroundings.own_namespaces.end();
  if (kind_->shape == Shape::kNode || namespace_name_.empty() || !(own || IsSystemNamespace(namespace_name_))) return;
  untouched_ = Concat("rules are not for the namespace ", namespace_name_);
}

void Subject::JudgeObject() {
  const Tree& metadata = MetadataOf(object_);
  const Tree* annotations = metadata.Find("annotations");
  if (metadata.Find("deletionTimestamp") != nullptr) {
    untouched_ = "the object is being deleted";
  } else if (kind_->shape == Shape::kController && owner() != nullptr) {
    // Its controller compares the template with its own, and would make another one, without end.
    untouched_ = Concat("the object is made by ", owner()->TextOf("kind"), " ", owner()->TextOf("name"));
  } else if (annotations != nullptr && annotations->Find("kubernetes.io/config.mirror") != nullptr) {
    untouched_ = "the pod is the mirror of a static pod";
  } else if (kind_->shape == Shape::kController && operation_ == Operation::kUpdate && !TemplateChanges()) {
    untouched_ = "the template of its pods does not change: a rule would roll out pods that nobody asked for";
  }
  const Tree* spec = object_.Find("spec");
  if (kind_->shape == Shape::kPod && spec != nullptr && !spec->TextOf("nodeName").empty()) {
    reach_.pod_spec = false;  // it is placed, and kubelet would refuse it for an affinity that its node does not meet
  }
}

bool Subject::TemplateChanges() const {
  if (!kind_->template_changes) return false;
  const Tree* is = FindAt(object_, kind_->template_path);
  const Tree* was = FindAt(old_, kind_->template_path);
  return is != nullptr && (was == nullptr || *is != *was);
}

const Tree* Subject::OwnerOf(const Tree& object) {
  const Tree* owners = MetadataOf(object).Find("ownerReferences");
  if (owners == nullptr) return nullptr;
  for (const Tree& owner : owners->elements()) {
    const Tree* controller = owner.Find("controller");
    if (controller != nullptr && controller->text() == "true") return &owner;
  }
  return nullptr;
}

std::string Subject::WorkloadKey() const {
  const Tree* owner = kind_->shape == Shape::kPod ? OwnerOf(object_) : nullptr;
  if (owner == nullptr) return Concat(namespace_name_, "/", kind_->kind, "/", NameOf(object_));
  const std::string_view kind = owner->TextOf("kind"), name = owner->TextOf("name");
  if (kind == "ReplicaSet") {
    for (const auto& [label, maker_kind] :
         {std::pair<std::string_view, std::string_view>("pod-template-hash", "Deployment"),
          {"rollouts-pod-template-hash", "Rollout"}}) {
      const std::string_view maker = MakerOf(name, LabelOf(object_, label));
      if (!maker.empty()) return Concat(namespace_name_, "/", maker_kind, "/", maker);
    }
  }
  // Of an owner without a name there is still the UID.
  return Concat(namespace_name_, "/", kind, "/", name.empty() ? owner->TextOf("uid") : name);
}

std::string Subject::PodKey() const {
  const std::string_view name = MetadataOf(object_).TextOf("name");
  if (name.empty() || kind_->shape != Shape::kPod) return WorkloadKey();
  return Concat(namespace_name_, "/Pod/", name);
}

}  // namespace huygens::rules
