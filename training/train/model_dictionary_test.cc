#include "train/model_dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace munja::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string FreshFolder(const char* name) {
  const std::string folder = ::testing::TempDir() + "/munja_" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(ModelDictionary, PackedDictionary_ComesFirst) {
  const std::string folder = FreshFolder("packed_dictionary");
  ASSERT_TRUE(
      WriteFile(folder + "/dictionary.txt", DictionaryText({"x", "y"})).ok());
  const std::string path = folder + "/m.tflite";
  graph::Graph model;
  EXPECT_THAT(*AlphabetOfModel(model, path), ElementsAre("x", "y"));
  model.associated_files["dictionary.txt"] = DictionaryText({"a", "가"});
  EXPECT_THAT(*AlphabetOfModel(model, path), ElementsAre("a", "가"));
}

TEST(ModelDictionary, MissingFile_IsNamed) {
  const std::string folder = FreshFolder("no_dictionary");
  const auto alphabet = AlphabetOfModel(graph::Graph(), folder + "/m.tflite");
  ASSERT_FALSE(alphabet.ok());
  EXPECT_EQ(alphabet.status().code(), Code::kNotFound);
  EXPECT_THAT(alphabet.status().message(),
              HasSubstr(folder + "/dictionary.txt"));
}

}  // namespace
}  // namespace munja::train
