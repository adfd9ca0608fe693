// Each field of the options of pruning changes something that a caller sees.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "capi/tools/testing.h"
#include "munja/tools/prune.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Rows = std::map<std::string, std::function<void()>>;

class PruningOptions : public testing::Test {
 protected:
  void SetUp() override {
    std::string ppm = "P6 160 160 255\n";
    for (int i = 0; i < 160 * 160; ++i)
      ppm += i / 160 % 40 < 20 && i % 160 % 8 < 3 ? std::string(3, '\x10')
                                                  : std::string(3, '\xf0');
    ASSERT_TRUE(WriteFile(picture_, ppm).ok());
    const auto line = [&](const char* outline) {
      return R"({"image": ")" + picture_ +
             R"(", "lines": [{"text": "a", "poly": )" + outline + "}]}\n";
    };
    ASSERT_TRUE(
        WriteFile(labels_, line("[[10,10],[70,10],[70,60],[10,60]]") +
                               line("[[80,80],[150,80],[150,150],[80,150]]"))
            .ok());
  }
  void TearDown() override {
    fs::remove(output_);
    fs::remove(labels_);
    fs::remove(picture_);
  }

  // The report, and the bytes written.
  std::pair<Json, std::string> Prune() {
    fs::remove(output_);
    char* report = nullptr;
    status_ = munja_prune(model_.c_str(), &o_, output_.c_str(), &report);
    EXPECT_EQ(fs::exists(output_), status_ == MUNJA_OK);
    if (status_ != MUNJA_OK) return {};
    const auto bytes = ReadFile(output_, 1 << 26);
    return {Json::parse(TakeText(report)),
            bytes.ok() ? std::string(bytes->begin(), bytes->end()) : ""};
  }

  const std::string model_ = std::string(kDefaultBundle) + "/detector.tflite";
  const std::string labels_ = testing::TempDir() + "/prune_labels_" +
                              std::to_string(getpid()) + ".jsonl";
  const std::string picture_ = testing::TempDir() + "/prune_picture_" +
                               std::to_string(getpid()) + ".ppm";
  const std::string output_ =
      testing::TempDir() + "/pruned_" + std::to_string(getpid()) + ".tflite";
  munja_prune_options o_ = {};
  munja_status status_ = MUNJA_OK;
};

TEST_F(PruningOptions, EachField_ChangesSomething) {
  munja_prune_options plain = {};
  plain.struct_size = sizeof plain;
  plain.sparsity = "0.5";
  munja_prune_options clusters = plain;
  clusters.criterion = MUNJA_PRUNE_CLUSTERS;
  clusters.calibrate = labels_.c_str();
  o_ = plain;
  const auto usual = Prune();
  ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
  o_ = clusters;
  const auto clustered = Prune();
  ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
  const Rows rows = {
      {"sparsity",
       [&] {
         const int64_t before = usual.first["parameters_before"];
         EXPECT_LT(usual.first["parameters"].get<int64_t>(), before * 3 / 10);
         o_.sparsity = "0";
         EXPECT_EQ(Prune().first["parameters"], before);
         o_.sparsity = "100%";
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         EXPECT_NE(std::string(munja_last_error()).find("layer '"),
                   std::string::npos);
         o_.sparsity = nullptr;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"round_to",
       [&] {
         o_.round_to = 8;
         const Json report = Prune().first;
         for (const Json& layer : report["layers"]) {
           const size_t kept = layer["kept"].size();
           EXPECT_TRUE(kept % 8 == 0 || kept == layer["filters"]) << layer;
         }
         o_.round_to = -1;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"budget",
       [&] {
         o_.calibrate = labels_.c_str();
         o_.budget = 0.7;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         o_.sparsity = nullptr;
         const auto report = Prune().first;
         ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
         const double left = report["parameters"].get<double>() /
                             report["parameters_before"].get<double>();
         EXPECT_LT(left, 0.75);
         EXPECT_GT(left, 0.5);
         o_.budget = 1.5;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         o_.budget = 0.7;
         o_.calibrate = nullptr;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"profile",
       [&] {
         o_.calibrate = labels_.c_str();
         o_.sparsity = nullptr;
         o_.budget = 0.7;
         const auto by_weights = Prune();
         // One layer costs it all.
         const std::string profile = output_ + ".json";
         ASSERT_TRUE(
             WriteFile(profile, R"({"nodes": [{"name": "stage1_1", "ms": 2}]})")
                 .ok());
         o_.profile = profile.c_str();
         EXPECT_NE(Prune().second, by_weights.second);
         EXPECT_EQ(status_, MUNJA_OK) << munja_last_error();
         ASSERT_TRUE(WriteFile(profile, "{}").ok());
         Prune();
         EXPECT_EQ(status_, MUNJA_MALFORMED);
         fs::remove(profile);
       }},
      {"criterion",
       [&] {
         EXPECT_TRUE(clustered.second != usual.second);
         EXPECT_EQ(clustered.first["parameters"], usual.first["parameters"]);
         o_.criterion = MUNJA_PRUNE_L1;
         EXPECT_TRUE(Prune().second == usual.second);
         o_.criterion = MUNJA_PRUNE_GEOMETRIC_MEDIAN;
         EXPECT_TRUE(Prune().second != usual.second);
         o_.criterion = static_cast<munja_prune_criterion>(99);
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"clusters",
       [&] {
         o_ = clusters;
         o_.clusters = MUNJA_CLUSTERS_RATIO;
         EXPECT_TRUE(Prune().second == clustered.second);
         o_.clusters = MUNJA_CLUSTERS_KEPT;
         EXPECT_TRUE(Prune().second != clustered.second);
         o_.clusters = static_cast<munja_prune_clusters>(99);
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"calibrate",
       [&] {
         o_.criterion = MUNJA_PRUNE_CLUSTERS;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         o_.calibrate = "/absent.jsonl";
         Prune();
         EXPECT_EQ(status_, MUNJA_NOT_FOUND);
       }},
      {"max_images",
       [&] {
         o_ = clusters;
         o_.max_images = 1;
         EXPECT_TRUE(Prune().second == clustered.second);
         o_.max_images = 2;
         EXPECT_TRUE(Prune().second != clustered.second);
         o_.max_images = -1;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"model",
       [&] {
         o_ = clusters;
         o_.model = kDefaultBundle;
         EXPECT_TRUE(Prune().second == clustered.second);
         o_.model = "absent";
         Prune();
         EXPECT_EQ(status_, MUNJA_NOT_FOUND);
       }},
      {"seed",
       [&] {
         o_.criterion = MUNJA_PRUNE_RANDOM;
         const auto first = Prune();
         EXPECT_TRUE(Prune().second == first.second);
         o_.seed = 7;
         EXPECT_TRUE(Prune().second != first.second);
       }},
      {"threads",
       [&] {
         o_ = clusters;
         o_.threads = 2;
         EXPECT_EQ(Prune().first["layers"], clustered.first["layers"]);
         o_.threads = -1;
         Prune();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o_.control = control.get();
         Prune();
         EXPECT_EQ(status_, MUNJA_CANCELLED);
       }},
  };
  CheckAll("tools/prune.h", "munja_prune_options", rows, [&] { o_ = plain; });
}

TEST_F(PruningOptions, ModelItself_IsNotOverwritten) {
  o_.struct_size = sizeof o_;
  o_.sparsity = "0.5";
  EXPECT_EQ(munja_prune(model_.c_str(), &o_, model_.c_str(), nullptr),
            MUNJA_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace munja::capi
