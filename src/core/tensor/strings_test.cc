#include "tensor/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja {
namespace {

TEST(Strings, WrittenStrings_AreReadBack) {
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

TEST(Strings, DamagedBytes_AreRefused) {
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

// All offsets of two strings that could be: those that begin behind the
// offsets, do not fall and do not pass the end are right, no other ones.
TEST(Strings, Offsets_RiseInsideOfTheData) {
  const std::vector<std::string_view> strings = {"ab", "c"};
  std::vector<uint8_t> bytes(StringBytes(strings));
  WriteStrings(strings, bytes.data());
  const int first = 16, end = static_cast<int>(bytes.size());
  for (int a = 0; a <= end + 1; ++a) {
    for (int b = 0; b <= end + 1; ++b) {
      for (int c = 0; c <= end + 1; ++c) {
        bytes[4] = static_cast<uint8_t>(a);
        bytes[8] = static_cast<uint8_t>(b);
        bytes[12] = static_cast<uint8_t>(c);
        const bool is_right = first <= a && a <= b && b <= c && c <= end;
        ASSERT_EQ(CheckStrings(bytes, 2).ok(), is_right)
            << a << ", " << b << ", " << c;
      }
    }
  }
}

}  // namespace
}  // namespace munja
