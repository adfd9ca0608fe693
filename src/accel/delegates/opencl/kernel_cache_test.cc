#include "delegates/opencl/kernel_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace munja::delegates::opencl {
namespace {

namespace fs = std::filesystem;

constexpr auto kOwners = fs::perms::owner_all;

TEST(KernelCacheTest, NewFolder_IsMadePrivate) {
  const std::string theirs = ::testing::TempDir() + "/theirs";
  fs::create_directory(theirs);
  const fs::perms before = kOwners | fs::perms::group_read |
                           fs::perms::group_exec | fs::perms::others_read |
                           fs::perms::others_exec;
  fs::permissions(theirs, before);
  const std::vector<uint8_t> kernels = {1, 2, 3};
  for (const std::string& folder : {theirs, theirs + "/new"}) {
    const KernelCache cache(folder);
    cache.Save("a device", kernels);
    const auto loaded = cache.Load("a device");
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(*loaded, kernels);
    EXPECT_FALSE(cache.Load("another device").ok());
  }
  EXPECT_EQ(fs::status(theirs).permissions(), before);
  EXPECT_EQ(fs::status(theirs + "/new").permissions(), kOwners);
}

}  // namespace
}  // namespace munja::delegates::opencl
