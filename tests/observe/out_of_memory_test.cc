#include "observe/out_of_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <thread>

namespace huygens::observe {
namespace {

TEST(OutOfMemoryDeathTest, WritesALineAndEndsTheProcess) {
  EXPECT_EXIT(
      {
        EndWhenOutOfMemory(LogFormat::kText);
        std::get_new_handler()();
      },
      testing::ExitedWithCode(3), "time=20.*Z level=error msg=\"out of memory\" exitCode=3");
  EXPECT_EXIT(
      {
        EndWhenOutOfMemory(LogFormat::kJson);
        std::get_new_handler()();
      },
      testing::ExitedWithCode(3), "\"level\":\"error\",\"msg\":\"out of memory\",\"exitCode\":3");
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HUYGENS_OTHER_NEW  // a sanitizer's, which ends the process in its own way
#endif
#endif
#ifndef HUYGENS_OTHER_NEW
TEST(OutOfMemoryDeathTest, NobodySeesAnExceptionOnWhateverThread) {
  EXPECT_EXIT(
      {
        EndWhenOutOfMemory(LogFormat::kText);
        std::thread([] {
          try {
            // Not by a new-expression: the compiler may leave that out.
            ::operator delete(::operator new(PTRDIFF_MAX / 2));
          } catch (const std::bad_alloc&) {
            std::_Exit(0);
          }
        }).join();
      },
      testing::ExitedWithCode(3), "out of memory");
}
#endif

}  // namespace
}  // namespace huygens::observe
