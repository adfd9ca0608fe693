#include "tensor/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja {
namespace {

TEST(Strings, WhatWasWrittenIsRead) {
  const std::vector<std::string_view> strings = {"ab", "", "문자"};
  std::vector<uint8_t> bytes(StringBytes(strings));
  WriteStrings(strings, bytes.data());
  // The layout of the .tflite format: count, offsets, characters.
  EXPECT_EQ(bytes.size(), 4u * 5 + 2 + 6);
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[4], 20);
  ASSERT_TRUE(CheckStrings(bytes, 3).ok());
  TensorView view{ElementType::kString, Shape({3}), bytes.data(), bytes.size(),
                  nullptr};
  for (size_t i = 0; i < strings.size(); ++i)
    EXPECT_EQ(StringAt(view, i), strings[i]);
}

TEST(Strings, DamagedBytesAreRefused) {
  const std::vector<std::string_view> strings = {"ab", "c"};
  std::vector<uint8_t> bytes(StringBytes(strings));
  WriteStrings(strings, bytes.data());
  EXPECT_FALSE(CheckStrings(bytes, 3).ok());
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(CheckStrings({bytes.data(), size}, 2).ok()) << size;
  bytes[8] = 0xff;  // The second string's offset.
  EXPECT_FALSE(CheckStrings(bytes, 2).ok());
  EXPECT_TRUE(CheckStrings({}, 0).ok());
}

}  // namespace
}  // namespace munja
