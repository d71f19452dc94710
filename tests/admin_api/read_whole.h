// Whoever reads a page as its document reads all of it: written again it is the same.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "json/document.h"

namespace huygens {

template <typename Document>
void ExpectReadWhole(std::string_view page) {
  while (page.ends_with('\n')) page.remove_suffix(1);
  const auto document = DecodeJson<Document>(page);
  ASSERT_TRUE(document.ok()) << document.status() << " of " << page;
  EXPECT_EQ(EncodeJson(*document), page);
}

}  // namespace huygens
