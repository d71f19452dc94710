#include "admin_api/sentences.h"

#include "base/duration_text.h"
#include "base/text.h"

namespace huygens::admin_api {

std::string LossText(Duration left, Duration grace) {
  return Concat("its NodeResourceTopology was deleted ", SecondsText(grace - left),
                " ago; pods that need zones wait for it, ", SecondsText(left),
                " more at most (topology.lossGrace: ", DurationText(grace), ")");
}

std::string OutgrownText(const PodDocument::Outgrown& outgrown) {
  std::string text = Concat("asks ", AmountsText(outgrown.asks), " and was bound with ", AmountsText(outgrown.bound));
  for (const PodDocument::Outgrown::Zone& zone : outgrown.zones) {
    text += Concat("; ", zone.name, " can give ", AmountsText(zone.effective), ", of which ", AmountsText(zone.used),
                   " are taken");
  }
  return text;
}

}  // namespace huygens::admin_api
