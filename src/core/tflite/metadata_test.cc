#include "tflite/metadata.h"

#include "gtest/gtest.h"

namespace munja::tflite {
namespace {

ModelInfo Sample() {
  ModelInfo info;
  info.name = "recognizer";
  info.description = "reads one line";
  info.version = "1.2";
  info.author = "an author";
  info.license = "Apache-2.0";
  info.inputs = {{"image", "RGB", {0.5f, 0.25f, 0.125f}, {1, 2, 3}, {}}};
  info.outputs = {
      {"text", "", {}, {}, {{"keys.txt", "words", FileRole::kVocabulary}}}};
  info.files = {{"README", "", FileRole::kDescriptions}};
  return info;
}

TEST(MetadataTest, WrittenMetadata_IsReadBack) {
  auto back = ReadModelInfo(WriteModelInfo(Sample()));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, Sample());
}

TEST(MetadataTest, Buffer_FollowsTheConvention) {
  const auto bytes = WriteModelInfo(Sample());
  EXPECT_EQ(std::string(bytes.begin() + 4, bytes.begin() + 8), "M001");
}

TEST(MetadataTest, DamagedBytes_AreRefusedOrReadWhole) {
  const auto bytes = WriteModelInfo(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto info = ReadModelInfo(std::span(bytes).first(size));
    if (size < 8) {
      ASSERT_FALSE(info.ok());
      EXPECT_EQ(info.status().code(), Code::kMalformed);
    }
  }
  EXPECT_FALSE(ReadModelInfo(std::span(bytes).first(bytes.size() / 2)).ok());
}

TEST(MetadataTest, PackedFiles_AreVocabulariesOfTheFirstOutput) {
  graph::Graph graph;
  graph::Subgraph& main = graph.subgraphs.emplace_back();
  graph::Value value;
  value.name = "image";
  main.inputs = {main.AddValue(value)};
  value.name = "text";
  main.outputs = {main.AddValue(value)};
  graph.associated_files["keys.txt"] = {'a'};
  const ModelInfo info = DefaultModelInfo(graph);
  ASSERT_EQ(info.inputs.size(), 1u);
  EXPECT_EQ(info.inputs[0].name, "image");
  ASSERT_EQ(info.outputs.size(), 1u);
  ASSERT_EQ(info.outputs[0].files.size(), 1u);
  EXPECT_EQ(info.outputs[0].files[0].name, "keys.txt");
  EXPECT_EQ(info.outputs[0].files[0].role, FileRole::kVocabulary);
}

}  // namespace
}  // namespace munja::tflite
