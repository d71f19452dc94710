#include "cli/nothing_to_explain.h"

#include <algorithm>

#include "base/nearest_name.h"
#include "base/text.h"

namespace huygens::cli {

std::string NotReadyText(std::string_view readyz) {
  std::string text = "huygens is not ready and refuses every call:";
  while (!readyz.empty()) {
    const size_t end = std::min(readyz.find('\n'), readyz.size());
    if (readyz.starts_with("[-]")) text += Concat("\n- ", readyz.substr(3, end - 3));
    readyz.remove_prefix(std::min(end + 1, readyz.size()));
  }
  return text;
}

std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node) {
  const std::string node = is_node ? Concat("; there is a Node called ", pod.substr(pod.find('/') + 1),
                                            ": huygens explain node/", pod.substr(pod.find('/') + 1))
                                   : std::string();
  return Concat("no decision on pod ", pod, " is remembered by the huygens at ", url, node,
                is_node ? ".\nElse that means one of these:\n" : ".\nThat means one of these:\n",
                "- the name or namespace is another (give -n NAMESPACE, or NAMESPACE/NAME, or the UID);\n"
                "- kube-scheduler has not asked yet: `kubectl describe pod` shows whether spec.schedulerName names a "
                "scheduler with huygens as\n"
                "  extender, and whether another plugin of it refused all nodes before;\n"
                "- the decision is older than the last 1000, or than the start of this huygens;\n"
                "- another instance of huygens decided: each remembers its own.");
}

std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = NearestName(node, views);
  return Concat("no Node called ", node, " is known to the huygens at ", url,
                nearest.empty() ? std::string() : Concat("; did you mean node/", nearest, "?"), "\nIt knows ",
                std::to_string(names.size()), names.size() == 1 ? " node" : " nodes",
                "; `kubectl get nodes` and /debug/nodes list them.");
}

}  // namespace huygens::cli
