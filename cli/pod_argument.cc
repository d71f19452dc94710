#include "cli/pod_argument.h"

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, namespace, "", "namespace of the pod; default where POD names none");
ABSL_FLAG(std::string, n, "", "the same as --namespace");

namespace huygens::cli {

StatusOr<PodArgument> ReadPodArgument(std::string_view given) {
  constexpr std::string_view kKind = "pod/";  // a namespace called so is named by -n
  if (given.starts_with(kKind)) given.remove_prefix(kKind.size());
  if (given.empty() || given.ends_with('/')) return Invalid("the name of the pod is empty; give POD or NAMESPACE/POD");
  if (const size_t slash = given.find('/'); slash != std::string_view::npos) {
    return PodArgument{std::string(given.substr(0, slash)), std::string(given.substr(slash + 1)), true};
  }
  std::string space = absl::GetFlag(FLAGS_n);
  const std::string same = absl::GetFlag(FLAGS_namespace);
  if (!space.empty() && !same.empty() && space != same) {
    return Invalid(Concat("-n ", space, " and --namespace ", same, " are two namespaces; give one"));
  }
  if (space.empty()) space = same;
  if (space.empty()) return PodArgument{.name = std::string(given)};
  return PodArgument{std::move(space), std::string(given), true};
}

}  // namespace huygens::cli
