// Looks things up in findings, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "preflight/finding.h"

namespace huygens::preflight {

// The first whose `what` holds the text; one that says so if there is none.
inline Finding Find(const Findings& findings, std::string_view what) {
  std::string all;
  for (const Finding& each : findings) {
    if (each.what.find(what) != std::string::npos) return each;
    all += Concat(Name(each.severity), ": ", each.what, "\n");
  }
  ADD_FAILURE() << "no finding says \"" << what << "\"; there are\n" << all;
  return {};
}

inline bool Has(const Findings& findings, std::string_view what) {
  for (const Finding& each : findings) {
    if (each.what.find(what) != std::string::npos) return true;
  }
  return false;
}

}  // namespace huygens::preflight
