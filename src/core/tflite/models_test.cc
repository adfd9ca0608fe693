// Real models: a round trip, and truncation everywhere. Skipped
// where the folder with them is missing.
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tflite/option_table.h"
#include "tflite/read.h"
#include "tflite/testing.h"
#include "tflite/write.h"

namespace munja::tflite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kShared = fs::path(MUNJA_SOURCE_DIR) / ".." / "shared";

// Models that are refused, by file name, and a part of the reason.
struct Refusal {
  Code code;
  const char* part;
};
const std::map<std::string, Refusal> kRefused = {
    {"0_subgraphs.bin", {Code::kMalformed, "no subgraph"}},
    {"test_model_broken.bin", {Code::kMalformed, ""}},
    // One tensor is both the input and the output of an operator.
    {"add_shared_tensors.bin", {Code::kMalformed, "node 0 (ADD): output 0"}},
    // An input of its operator has no data and nothing computes it.
    {"segment_sum_invalid_buffer.bin",
     {Code::kMalformed, "read before anything writes it"}},
    // Its quantized dimension is beyond the rank.
    {"person_detect.tflite", {Code::kMalformed, "quantized dimension 3"}},
};
// Models that are read, with parts that cannot be written back.
const std::set<std::string> kNotInterpreted = {"blockwise_quantized.tflite"};

std::vector<fs::path> Models() {
  std::vector<fs::path> paths;
  for (const char* folder :
       {"models/tflite", "models/tflite_small", "conformance/tflite"}) {
    if (!fs::exists(kShared / folder)) continue;
    for (const auto& entry :
         fs::recursive_directory_iterator(kShared / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".tflite" || extension == ".bin")
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ModelsTest, EachModel_IsReadBackOrRefusedForItsReason) {
  const auto paths = Models();
  if (paths.empty()) GTEST_SKIP() << "no models at " << kShared;
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path);
    auto graph = ReadFile(path);
    if (const auto it = kRefused.find(path.filename()); it != kRefused.end()) {
      ASSERT_FALSE(graph.ok());
      EXPECT_EQ(graph.status().code(), it->second.code);
      EXPECT_THAT(std::string(graph.status().message()),
                  HasSubstr(it->second.part));
      continue;
    }
    if (!graph.ok() && graph.status().code() == Code::kUnsupported &&
        !CanPack()) {
      EXPECT_THAT(std::string(graph.status().message()), HasSubstr("libzip"));
      continue;
    }
    if (!graph.ok()) {
      ADD_FAILURE() << graph.status().message();
      continue;
    }
    auto bytes = Write(**graph);
    if (kNotInterpreted.contains(path.filename())) {
      ASSERT_FALSE(bytes.ok());
      EXPECT_EQ(bytes.status().code(), Code::kUnsupported);
      continue;
    }
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    auto back = Read(*bytes, nullptr);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(Difference(**graph, **back), "");
  }
}

// index.json was made by another reader.
TEST(ModelsTest, Models_AgreeWithTheirIndex) {
  const fs::path folder = kShared / "conformance" / "tflite";
  if (!fs::exists(folder / "index.json")) GTEST_SKIP() << "no " << folder;
  std::ifstream in(folder / "index.json");
  const auto index = nlohmann::json::parse(in);
  size_t compared = 0;
  for (const auto& model : index.at("models")) {
    const fs::path path = folder / model.at("file").get<std::string>();
    if (kRefused.contains(path.filename()) || !fs::exists(path)) continue;
    SCOPED_TRACE(path);
    auto graph = ReadFile(path);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    const graph::Graph& g = **graph;
    EXPECT_EQ(g.subgraphs.size(), model.at("subgraphs").get<size_t>());
    std::map<std::string, int> ops;
    for (const graph::Subgraph& subgraph : g.subgraphs)
      for (const graph::Node& node : subgraph.nodes)
        ++ops[node.is_custom ? "CUSTOM:" + node.op : node.op];
    std::map<std::string, int> main_ops;
    for (const graph::Node& node : g.main().nodes)
      ++main_ops[node.is_custom ? "CUSTOM:" + node.op : node.op];
    const auto expected =
        model.at("operators").get<std::map<std::string, int>>();
    EXPECT_TRUE(ops == expected || main_ops == expected)
        << model.at("operators");
    const auto tensors = [&](const char* key,
                             const std::vector<graph::ValueId>& ids) {
      if (!model.contains(key)) return;
      ASSERT_EQ(model.at(key).size(), ids.size());
      for (size_t i = 0; i < ids.size(); ++i) {
        const graph::Value& value =
            g.main().values[static_cast<size_t>(ids[i])];
        const auto& row = model.at(key)[i];
        EXPECT_EQ(row[0].is_null() ? "" : row[0].get<std::string>(),
                  value.name);
        const std::string type = ElementTypeName(value.type);
        std::string upper;
        for (const char c : type) upper += static_cast<char>(std::toupper(c));
        EXPECT_EQ(row[1].get<std::string>(), upper);
        const auto dims = row[2].get<std::vector<int32_t>>();
        ASSERT_EQ(static_cast<int>(dims.size()), value.shape.rank());
        for (int d = 0; d < value.shape.rank(); ++d)
          if (value.shape[d] != kDynamic) {
            EXPECT_EQ(dims[static_cast<size_t>(d)], value.shape[d]);
          }
      }
    };
    tensors("inputs", g.main().inputs);
    tensors("outputs", g.main().outputs);
    if (model.contains("signatures")) {
      std::vector<std::string> keys;
      for (const graph::Signature& signature : g.signatures)
        keys.push_back(signature.key);
      EXPECT_EQ(keys, model.at("signatures").get<std::vector<std::string>>());
    }
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

// Results of a broken download or disk. A cut may only fall into bytes that
// nothing needs, so reading may succeed; it must not read beyond the end.
TEST(ModelsTest, TruncatedModels_AreRefusedOrReadWhole) {
  const auto paths = Models();
  if (paths.empty()) GTEST_SKIP() << "no models at " << kShared;
  for (const fs::path& path : paths) {
    if (fs::file_size(path) > 400000) continue;
    SCOPED_TRACE(path);
    auto bytes = munja::ReadFile(path);
    ASSERT_TRUE(bytes.ok());
    for (size_t part = 0; part < 64; ++part) {
      const size_t size = bytes->size() * part / 64;
      auto graph = Read(std::span(*bytes).first(size), nullptr);
      if (graph.ok()) {
        EXPECT_TRUE(graph::Verify(**graph).ok());
      }
    }
  }
}

}  // namespace
}  // namespace munja::tflite
