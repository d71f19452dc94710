// How an object that is there already stands to the rules as they are now: what it lacks, what of that can be changed
// where it is, and what only a new pod would have. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "rules/inject.h"

namespace huygens::rules {

// What a pod does not have and cannot be given any more.
struct Lack {
  const SchedulingRule* rule = nullptr;
  std::string field;   // as FieldChange has it: "nodeAffinity/required"
  std::string wanted;  // as people read it
};

struct Standing {
  std::string untouched;                       // why no rule is for it; then all else is empty
  std::vector<const SchedulingRule*> matched;  // in force or reporting, in the order of the rules
  std::vector<const SchedulingRule*> carried;  // those in force of which it lacks nothing
  std::string patch;             // RFC 6902, of the object itself: what can be changed in place, its record included
  std::string status_patch;      // of its status, for nodes
  std::vector<Lack> lacks;       // of rules in force
  std::vector<Lack> would_lack;  // of rules that report: what they would change in place or want of a new pod
  std::vector<FieldConflict> conflicts;
};

struct LiveObject {
  std::string_view kind;  // "Pod" or "Node"; of others nothing can be changed without making pods anew
  std::string_view json;
};

// An error is about an object that cannot be read. Pointers go into `rules`.
StatusOr<Standing> JudgeStanding(const LiveObject& object, const RuleSet& rules, const Surroundings& surroundings);

// Whether a namespace with these labels leaves rules out: then nothing in it is to be judged.
bool LeavesRulesOut(const Labels& namespace_labels);

// The object as if it were made now: a new pod has no node and no state.
Tree AsNew(const Tree& live);

// A pod that is to move, and why: what whoever plans moves is given.
struct Violation {
  std::string namespace_name, pod, uid, node;
  struct Reason {
    std::string rule, field, wanted;
  };
  std::vector<Reason> reasons;  // at least one
};
// What a node with these labels does not meet of what its pod lacks; empty: the pod may stay, until it is made anew for
// some other reason.
std::vector<Violation::Reason> Misplacement(std::span<const Lack> lacks, const Labels& node_labels);

// Whether a node with these labels meets a requirement of a node selector term; one that cannot be read is not met.
bool MeetsRequirement(const Labels& labels, const Tree& requirement);

}  // namespace huygens::rules
