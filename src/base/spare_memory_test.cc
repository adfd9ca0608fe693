#include "base/spare_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/mapping.h"

namespace munja {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr bool kIsMapped = kMappedBytes <= 4 * kMiB;

Buffer Take(SpareMemory& memory, size_t bytes) {
  Result<Buffer> buffer = memory.Allocate(bytes);
  EXPECT_TRUE(buffer.ok());
  EXPECT_GE(buffer->size(), bytes);
  std::memset(buffer->data(), 7, bytes);
  return std::move(buffer).value();
}

TEST(SpareMemory, WhatComesBackIsGivenOutAgain) {
  SpareMemory memory;
  Buffer first = Take(memory, 4 * kMiB);
  const uint8_t* const data = first.data();
  memory.GiveBack(std::move(first));
  const Buffer second = Take(memory, 3 * kMiB);
  EXPECT_EQ(second.data() == data, kIsMapped);
  // It is lent once.
  EXPECT_NE(Take(memory, 3 * kMiB).data(), second.data());
}

TEST(SpareMemory, WhatDoesNotFitIsNotGivenOut) {
  SpareMemory memory;
  memory.GiveBack(Take(memory, 4 * kMiB));
  EXPECT_EQ(Take(memory, 5 * kMiB).size(), 5 * kMiB);
  memory.GiveBack(Take(memory, 8 * kMiB));
  EXPECT_EQ(Take(memory, 3 * kMiB).size(), 3 * kMiB);
}

TEST(SpareMemory, TheLargerOneIsKeptUpToALimit) {
  SpareMemory memory;
  Buffer large = Take(memory, 6 * kMiB), small = Take(memory, 4 * kMiB);
  memory.GiveBack(std::move(large));
  memory.GiveBack(std::move(small));
  EXPECT_EQ(Take(memory, 4 * kMiB).size(), kIsMapped ? 6 * kMiB : 4 * kMiB);
  memory.GiveBack(Take(memory, SpareMemory::kMostBytes + 1));
  EXPECT_EQ(Take(memory, SpareMemory::kMostBytes).size(),
            SpareMemory::kMostBytes);
}

TEST(SpareMemory, ThreadsDoNotShareABlock) {
  SpareMemory memory;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 50; ++i) {
        Result<Buffer> buffer = memory.Allocate(2 * kMiB);
        ASSERT_TRUE(buffer.ok());
        uint8_t* const bytes = buffer->data();
        for (size_t at = 0; at < 2 * kMiB; at += 4096)
          bytes[at] = static_cast<uint8_t>(t);
        for (size_t at = 0; at < 2 * kMiB; at += 4096) ASSERT_EQ(bytes[at], t);
        memory.GiveBack(std::move(buffer).value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace munja
