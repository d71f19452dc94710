#include "rescheduling/migration.h"

namespace huygens::rescheduling {

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnderWay:
      return "under_way";
    case Outcome::kSucceeded:
      return "succeeded";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kAbandoned:
      break;
  }
  return "abandoned";
}

std::string_view Name(Landed landed) {
  switch (landed) {
    case Landed::kNowhere:
      return "nowhere";
    case Landed::kTarget:
      return "target";
    case Landed::kElsewhere:
      return "elsewhere";
    case Landed::kSource:
      break;
  }
  return "source";
}

}  // namespace huygens::rescheduling
