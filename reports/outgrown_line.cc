#include "reports/outgrown_line.h"

#include "admin_api/sentences.h"
#include "base/text.h"

namespace huygens::reports {

std::string OutgrownLine(const admin_api::PodDocument& pod) {
  if (!pod.outgrown) return "";
  return Concat("! it was resized in place and no longer fits its zones: it ", admin_api::OutgrownText(*pod.outgrown),
                ". What it lacks is shared with others there: shrink it, or delete it so that it is placed anew; "
                "`huygens explain node/",
                pod.node, "` shows who holds the zones.\n");
}

}  // namespace huygens::reports
