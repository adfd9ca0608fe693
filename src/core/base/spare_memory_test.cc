#include "base/spare_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/mapping.h"

namespace munja {
namespace {

constexpr size_t kSpareMiB = size_t{1} << 20;
constexpr bool kIsMapped = kMappedBytes <= 4 * kSpareMiB;

Buffer Take(SpareMemory& memory, size_t bytes) {
  Result<Buffer> buffer = memory.Allocate(bytes);
  EXPECT_TRUE(buffer.ok());
  EXPECT_GE(buffer->size(), bytes);
  std::memset(buffer->data(), 7, bytes);
  return std::move(buffer).value();
}

TEST(SpareMemory, ReturnedBlock_IsReused) {
  SpareMemory memory;
  Buffer first = Take(memory, 4 * kSpareMiB);
  const uint8_t* const data = first.data();
  memory.GiveBack(std::move(first));
  const Buffer second = Take(memory, 3 * kSpareMiB);
  EXPECT_EQ(second.data() == data, kIsMapped);
  // It is lent once.
  EXPECT_NE(Take(memory, 3 * kSpareMiB).data(), second.data());
}

TEST(SpareMemory, TooSmallBlock_IsNotReused) {
  SpareMemory memory;
  memory.GiveBack(Take(memory, 4 * kSpareMiB));
  EXPECT_EQ(Take(memory, 5 * kSpareMiB).size(), 5 * kSpareMiB);
  memory.GiveBack(Take(memory, 8 * kSpareMiB));
  EXPECT_EQ(Take(memory, 3 * kSpareMiB).size(), 3 * kSpareMiB);
}

TEST(SpareMemory, LargerBlock_IsKeptUpToALimit) {
  SpareMemory memory;
  Buffer large = Take(memory, 6 * kSpareMiB),
         small = Take(memory, 4 * kSpareMiB);
  memory.GiveBack(std::move(large));
  memory.GiveBack(std::move(small));
  EXPECT_EQ(Take(memory, 4 * kSpareMiB).size(),
            kIsMapped ? 6 * kSpareMiB : 4 * kSpareMiB);
  memory.GiveBack(Take(memory, SpareMemory::kMostBytes + 1));
  EXPECT_EQ(Take(memory, SpareMemory::kMostBytes).size(),
            SpareMemory::kMostBytes);
}

TEST(SpareMemory, Threads_DoNotShareABlock) {
  SpareMemory memory;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 50; ++i) {
        Result<Buffer> buffer = memory.Allocate(2 * kSpareMiB);
        ASSERT_TRUE(buffer.ok());
        uint8_t* const bytes = buffer->data();
        for (size_t at = 0; at < 2 * kSpareMiB; at += 4096)
          bytes[at] = static_cast<uint8_t>(t);
        for (size_t at = 0; at < 2 * kSpareMiB; at += 4096)
          ASSERT_EQ(bytes[at], t);
        memory.GiveBack(std::move(buffer).value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace munja
