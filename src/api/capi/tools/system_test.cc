#include "munja/system.h"
#include "capi/tools/testing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

namespace munja::capi {
namespace {

// Programs that watch their machine ask again and again.
TEST(System, Description_LeavesNoFilesOpen) {
  const auto describe = [] {
    char* json = nullptr;
    EXPECT_EQ(munja_system_describe(nullptr, &json), MUNJA_OK)
        << munja_last_error();
    EXPECT_NE(TakeText(json), "");
  };
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         {});
  };
  describe();  // Libraries that are loaded then stay.
  const auto before = open_files();
  for (int i = 0; i < 3; ++i) describe();
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace munja::capi
