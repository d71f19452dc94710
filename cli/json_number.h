// A number with a fraction out of the JSON that huygens' own admin pages give; 0 stays where the value is null.
#pragma once

#include "wire/json_reader.h"

namespace huygens::cli {

Status ReadNumber(wire::JsonReader& in, double& out);

}  // namespace huygens::cli
