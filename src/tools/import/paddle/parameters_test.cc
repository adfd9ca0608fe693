#include "import/paddle/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/paddle/testing.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint8_t> Joined(const std::vector<std::vector<uint8_t>>& parts) {
  std::vector<uint8_t> all;
  for (const auto& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string Message(const std::vector<uint8_t>& bytes,
                    std::vector<Variable> parameters) {
  const auto tensors = ReadParameters(bytes, std::move(parameters));
  EXPECT_FALSE(tensors.ok());
  return tensors.ok() ? "" : std::string(tensors.status().message());
}

TEST(PaddleParameters, Order_IsByName) {
  const auto bytes =
      Joined({StoredTensor({2}, {1, 2}), StoredTensor({1, 3}, {3, 4, 5})});
  const auto tensors = ReadParameters(bytes, {{"w_1", {1, 3}}, {"W_2", {2}}});
  ASSERT_TRUE(tensors.ok()) << tensors.status().message();
  EXPECT_THAT(tensors->at("W_2").floats, ElementsAre(1, 2));
  EXPECT_THAT(tensors->at("w_1").floats, ElementsAre(3, 4, 5));
  EXPECT_EQ(tensors->at("w_1").shape, (Dims{1, 3}));
}

TEST(PaddleParameters, SequenceLengths_AreSkipped) {
  std::vector<uint8_t> bytes = StoredTensor({1}, {7});
  const std::vector<uint8_t> level = {8, 0, 0, 0, 0, 0, 0, 0,
                                      1, 2, 3, 4, 5, 6, 7, 8};
  bytes[4] = 1;  // One level, 8 bytes long.
  bytes.insert(bytes.begin() + 12, level.begin(), level.end());
  const auto tensors = ReadParameters(bytes, {{"a", {1}}});
  ASSERT_TRUE(tensors.ok()) << tensors.status().message();
  EXPECT_THAT(tensors->at("a").floats, ElementsAre(7));
}

TEST(PaddleParameters, TruncatedFile_NamesTheTensor) {
  const auto bytes =
      Joined({StoredTensor({2}, {1, 2}), StoredTensor({2}, {3, 4})});
  const std::vector<Variable> parameters = {{"a", {2}}, {"b", {2}}};
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto tensors =
        ReadParameters(std::span<const uint8_t>(bytes).first(size), parameters);
    ASSERT_FALSE(tensors.ok()) << size;
    EXPECT_EQ(tensors.status().code(), Code::kMalformed);
    EXPECT_THAT(
        std::string(tensors.status().message()),
        HasSubstr(size < bytes.size() / 2 ? "parameter 'a'" : "parameter 'b'"));
  }
}

TEST(PaddleParameters, OtherProgramsFile_IsRefused) {
  const auto bytes = StoredTensor({2}, {1, 2});
  EXPECT_THAT(Message(bytes, {{"a", {3}}}),
              HasSubstr("'a': shape [2], the program says [3]"));
  EXPECT_THAT(Message(bytes, {{"a", {2}, RawType::kInt64}}),
              HasSubstr("element type 5"));
  EXPECT_THAT(Message(bytes, {}), HasSubstr("bytes follow"));
  EXPECT_THAT(Message(Joined({bytes, bytes}), {{"a", {2}}, {"a", {2}}}),
              HasSubstr("occurs twice"));
}

TEST(PaddleParameters, HugeSizes_AreRefused) {
  std::vector<uint8_t> bytes = StoredTensor({2}, {1, 2});
  bytes[0] = 1;
  EXPECT_THAT(Message(bytes, {{"a", {2}}}), HasSubstr("version is 1"));
  bytes[0] = 0;
  for (size_t i = 4; i < 12; ++i) bytes[i] = 0xff;  // Levels.
  EXPECT_THAT(Message(bytes, {{"a", {2}}}), HasSubstr("'a'"));
  bytes = StoredTensor({2}, {1, 2});
  for (size_t i = 16; i < 20; ++i) bytes[i] = 0xff;  // Size of the description.
  EXPECT_THAT(Message(bytes, {{"a", {2}}}), HasSubstr("-1 bytes"));
  const int64_t huge = int64_t{1} << 40;
  EXPECT_THAT(Message(StoredTensor({huge, huge}, {}), {{"a", {huge, huge}}}),
              HasSubstr("'a'"));
}

}  // namespace
}  // namespace munja::importer::paddle
