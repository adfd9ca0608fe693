#include "import/ncnn/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;

template <class T>
void Put(std::vector<uint8_t>* bytes, T value) {
  const size_t at = bytes->size();
  bytes->resize(at + sizeof value);
  std::memcpy(bytes->data() + at, &value, sizeof value);
}

TEST(WeightReader, EveryStorage_IsRead) {
  std::vector<uint8_t> bytes;
  Put(&bytes, uint32_t{0});  // Tag: float32.
  Put(&bytes, 1.5f);
  Put(&bytes, uint32_t{0x01306B47});  // Tag: float16, padded to 4 bytes.
  Put(&bytes, uint16_t{0x3c00});      // 1
  Put(&bytes, uint16_t{0xc000});      // -2
  Put(&bytes, uint16_t{0x3800});      // 0.5
  Put(&bytes, uint16_t{0});           // Padding.
  Put(&bytes, -7.0f);                 // No tag.
  WeightReader reader(bytes);
  EXPECT_THAT(reader.Tagged(1).value(), ElementsAre(1.5f));
  EXPECT_THAT(reader.Tagged(3).value(), ElementsAre(1.0f, -2.0f, 0.5f));
  EXPECT_THAT(reader.Untagged(1).value(), ElementsAre(-7.0f));
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(WeightReader, Int8_IsReadOnRequest) {
  std::vector<uint8_t> bytes;
  Put(&bytes, uint32_t{0x000D4B38});
  for (const int8_t v : {-127, 5, 127}) Put(&bytes, v);
  Put(&bytes, int8_t{0});  // Padding.
  Put(&bytes, 2.5f);
  WeightReader reader(bytes);
  bool is_int8 = false;
  EXPECT_THAT(reader.Tagged(3, &is_int8).value(), ElementsAre(-127, 5, 127));
  EXPECT_TRUE(is_int8);
  EXPECT_THAT(reader.Untagged(1).value(), ElementsAre(2.5f));
}

TEST(WeightReader, UnknownStorage_IsRefused) {
  for (const uint32_t tag : {0x000D4B38u, 12345u}) {
    std::vector<uint8_t> bytes;
    Put(&bytes, tag);
    bytes.resize(4096);
    WeightReader reader(bytes);
    EXPECT_EQ(reader.Tagged(8).status().code(), Code::kUnsupported);
  }
}

TEST(WeightReader, TruncatedFile_IsNotAllocated) {
  std::vector<uint8_t> bytes(8, 0);
  WeightReader reader(bytes);
  EXPECT_EQ(reader.Untagged(size_t{1} << 62).status().code(), Code::kMalformed);
  EXPECT_EQ(reader.Tagged(size_t{1} << 40).status().code(), Code::kMalformed);
  EXPECT_EQ(WeightReader({}).Tagged(0).status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::importer::ncnn
