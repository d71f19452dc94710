// Requests of kube-scheduler (k8s.io/kube-scheduler/extender/v1): filter and prioritize (ExtenderArgs), preempt, bind.
// Field names in any case, unknown fields, repeated fields, nulls and both lists at once are all accepted. Pods and
// nodes stay the bytes they came in: views into `body`, which must outlive the struct. Errors: not JSON, or a wrong
// type in a field listed here. The structs move but do not copy; names that had escapes live in `unescaped`. Safe on
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/owned_texts.h"

namespace huygens::extender {

struct RequestNode {
  std::string_view name;  // empty if the object has none
  std::string_view json;
};

// `Nodes` of a request with nodeCacheCapable: false, cut so that any choice of its items can be put back between what
// surrounded them.
struct NodeList {
  std::string_view head;  // up to and with the bracket that opens the items
  std::string_view tail;  // from the bracket that closes them
  std::vector<RequestNode> items;
};

struct ExtenderArgs {
  std::string_view pod;  // empty if absent or null
  std::optional<std::vector<std::string_view>>
      node_names;                 // nothing if absent or null; in the order of the request, repeats kept
  std::optional<NodeList> nodes;  // nothing if absent or null
  OwnedTexts unescaped;
  // NodeNames as it came, brackets included, if each name stands in it letter by letter: the JSON text of such a name
  // is its view with the quotes around it, so an answer can copy what it would otherwise have to escape. Empty if a
  // name had escapes or was null.
  std::string_view node_names_json;
};

struct Victim {
  std::string_view uid;
  std::string_view pod;  // empty if only the UID was sent
};

struct NodeVictims {
  std::string_view node;
  std::vector<Victim> pods;  // may be empty: since Kubernetes 1.38 the extender may choose them
  int64_t pdb_violations = 0;
};

struct PreemptArgs {
  std::string_view pod;
  std::vector<NodeVictims>
      nodes;  // in the order of the request; of NodeNameToMetaVictims, or if that is absent, of NodeNameToVictims
  OwnedTexts unescaped;
};

struct BindArgs {
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::string node;
};

StatusOr<ExtenderArgs> DecodeExtenderArgs(std::string_view body);
StatusOr<PreemptArgs> DecodePreemptArgs(std::string_view body);
StatusOr<BindArgs> DecodeBindArgs(std::string_view body);

}  // namespace huygens::extender
