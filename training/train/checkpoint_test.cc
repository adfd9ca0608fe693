#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/file.h"

namespace munja::train {
namespace {

Checkpoint Sample() {
  Checkpoint c;
  c.kind = "recognizer";
  c.recipe = "{\"name\": \"x\"}\n";
  c.recipe_path = "recipes/x.json";
  c.alphabet = {"a", "가", "\""};
  c.progress = {{"training", {{"step", 12}, {"seconds", 3.25}}}};
  c.tensors["weights/a"] = {{2, 3}, {1, 2, 3, 4, 5, -6.5f}};
  c.tensors["weights/scalar"] = {{}, {7}};
  c.tensors["weights/none"] = {{0, 4}, {}};
  return c;
}

class CheckpointTest : public testing::Test {
 protected:
  const std::string path_ = testing::TempDir() + "checkpoint_test.ckpt";
};

TEST_F(CheckpointTest, Everything_ComesBack) {
  const Checkpoint c = Sample();
  ASSERT_TRUE(WriteCheckpoint(path_, c).ok());
  auto read = ReadCheckpoint(path_);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->kind, c.kind);
  EXPECT_EQ(read->recipe, c.recipe);
  EXPECT_EQ(read->recipe_path, c.recipe_path);
  EXPECT_EQ(read->alphabet, c.alphabet);
  EXPECT_EQ(read->progress, c.progress);
  ASSERT_EQ(read->tensors.size(), c.tensors.size());
  for (const auto& [name, tensor] : c.tensors) {
    EXPECT_EQ(read->tensors[name].shape, tensor.shape) << name;
    EXPECT_EQ(read->tensors[name].values, tensor.values) << name;
  }
}

TEST_F(CheckpointTest, TruncatedFile_IsRefused) {
  ASSERT_TRUE(WriteCheckpoint(path_, Sample()).ok());
  auto bytes = ReadFile(path_);
  ASSERT_TRUE(bytes.ok());
  for (size_t length = 0; length < bytes->size(); ++length) {
    ASSERT_TRUE(WriteFile(path_, {bytes->data(), length}).ok());
    auto read = ReadCheckpoint(path_);
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.status().code(), Code::kMalformed);
    EXPECT_TRUE(read.status().message().starts_with(path_ + ": "))
        << read.status().message();
  }
}

TEST_F(CheckpointTest, EveryChangedByte_IsFound) {
  ASSERT_TRUE(WriteCheckpoint(path_, Sample()).ok());
  auto bytes = ReadFile(path_);
  ASSERT_TRUE(bytes.ok());
  for (size_t i = 0; i < bytes->size(); ++i) {
    std::vector<uint8_t> changed = *bytes;
    changed[i] ^= 0x10;
    ASSERT_TRUE(WriteFile(path_, changed).ok());
    EXPECT_FALSE(ReadCheckpoint(path_).ok()) << i;
  }
}

TEST_F(CheckpointTest, OtherFilesAndMissingOnes_AreNamed) {
  ASSERT_TRUE(
      WriteFile(path_, std::string_view("{\"not\": \"one\"} ........")).ok());
  EXPECT_EQ(ReadCheckpoint(path_).status().message(),
            path_ + ": this is not a checkpoint of munja-train");
  EXPECT_EQ(ReadCheckpoint(path_ + ".none").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace munja::train
