#include "extender/backend.h"

namespace huygens::extender {

std::string_view Name(BindResult result) {
  switch (result) {
    case BindResult::kBound:
      return "bound";
    case BindResult::kRefused:
      return "refused";
    case BindResult::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace huygens::extender
