#include "bundle/testing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/manifest.h"
#include "bundle/sha256.h"
#include "graph/graph.h"
#include "tflite/write.h"

namespace munja::bundle {
namespace {

// The mean of an image along one axis, as a .tflite file.
std::string MeanModel(int32_t axis, bool keep_dims) {
  graph::Graph graph;
  graph::Subgraph& sub = graph.subgraphs.emplace_back();
  graph::Value input, axes, output;
  input.name = "picture";
  input.shape = Shape{1, kDynamic, kDynamic, 3};
  axes.name = "axis";
  axes.type = ElementType::kInt32;
  axes.shape = Shape{1};
  axes.constant = graph::MakeConstant({static_cast<uint8_t>(axis), 0, 0, 0});
  output.name = "mean";
  output.shape =
      keep_dims ? Shape{1, kDynamic, kDynamic, 1} : Shape{1, kDynamic, 3};
  graph::Node node;
  node.op = "MEAN";
  node.attributes.Set("keep_dims", keep_dims);
  node.inputs = {sub.AddValue(input), sub.AddValue(axes)};
  node.outputs = {sub.AddValue(output)};
  sub.inputs = {node.inputs[0]};
  sub.outputs = node.outputs;
  sub.nodes.push_back(std::move(node));
  const auto bytes = tflite::Write(graph);
  EXPECT_TRUE(bytes.ok());
  return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
}

FileEntry Entry(const std::string& name, const std::string& text) {
  const auto digest = Sha256(
      std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  EXPECT_TRUE(digest.ok());
  return {name, text.size(), *digest};
}

}  // namespace

TinyBundle::TinyBundle() {
  files["det.tflite"] = MeanModel(3, /*keep_dims=*/true);
  files["rec.tflite"] = MeanModel(1, /*keep_dims=*/false);
  files["keys.txt"] = "x\n";
  Manifest manifest;
  manifest.name = "tiny";
  manifest.detector = Entry("det.tflite", files["det.tflite"]);
  manifest.recognizer = Entry("rec.tflite", files["rec.tflite"]);
  manifest.dictionary = Entry("keys.txt", files["keys.txt"]);
  files["bundle.json"] = ToJson(manifest);
}

void TinyBundle::AddIntegerNetworks() {
  auto manifest = ParseManifest(files["bundle.json"]);
  ASSERT_TRUE(manifest.ok());
  files["det8.tflite"] = files["det.tflite"];
  files["rec8.tflite"] = files["rec.tflite"];
  manifest->integer =
      IntegerNetworks{Entry("det8.tflite", files["det8.tflite"]),
                      Entry("rec8.tflite", files["rec8.tflite"]), std::nullopt};
  files["bundle.json"] = ToJson(*manifest);
}

std::shared_ptr<const Files> TinyBundle::InMemory() {
  aligned_.clear();
  std::vector<NamedBytes> list;
  for (const auto& [name, text] : files) {
    Result<Buffer> copy = Buffer::Allocate(text.size());
    EXPECT_TRUE(copy.ok());
    if (!text.empty()) std::memcpy(copy->data(), text.data(), text.size());
    list.emplace_back(name, std::span(copy->data(), text.size()));
    aligned_[name] = std::move(*copy);
  }
  return MemoryFiles("memory", std::move(list));
}

void TinyBundle::WriteTo(const std::string& folder) const {
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files)
    ASSERT_TRUE(WriteFile(folder + "/" + name, text).ok());
}

std::string TestFolder() {
  const testing::TestInfo& test =
      *testing::UnitTest::GetInstance()->current_test_info();
  const std::string folder = testing::TempDir() + "/munja_" +
                             test.test_suite_name() + "_" + test.name();
  std::filesystem::remove_all(folder);
  return folder;
}

}  // namespace munja::bundle
