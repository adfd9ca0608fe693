#include "base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace munja {
namespace {

TEST(Buffer, EverySize_IsAlignedAndWritable) {
  for (const size_t size :
       {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, (size_t{1} << 20) - 1,
        size_t{1} << 20, (size_t{3} << 20) + 5}) {
    auto buffer = Buffer::AllocateZeroed(size);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kBufferAlignment,
              0u);
    EXPECT_EQ(buffer->data()[size - 1], 0);
    buffer->data()[size - 1] = 7;
    const Buffer moved = std::move(*buffer);
    EXPECT_EQ(moved.data()[size - 1], 7);
    EXPECT_EQ(buffer->data(), nullptr);
  }
}

TEST(Buffer, ImpossibleSize_IsAnErrorWithTheSize) {
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2}) {
    const auto buffer = Buffer::Allocate(size);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.status().code(), Code::kOutOfMemory);
    EXPECT_NE(buffer.status().message().find(std::to_string(size)),
              std::string_view::npos);
  }
}

// Memory that was used before, to the last byte.
TEST(Buffer, ZeroedBuffer_HasOnlyZeroBytes) {
  for (const size_t size : {1, 63, 65, 100, 127, 4000, 70001, 1100003}) {
    {
      auto used = Buffer::Allocate(size);
      ASSERT_TRUE(used.ok());
      std::memset(used->data(), 0xff, size);
    }
    const auto zeroed = Buffer::AllocateZeroed(size);
    ASSERT_TRUE(zeroed.ok());
    EXPECT_EQ(std::count(zeroed->data(), zeroed->data() + size, 0),
              static_cast<ptrdiff_t>(size));
  }
}

}  // namespace
}  // namespace munja
