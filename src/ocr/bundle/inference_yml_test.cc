#include "bundle/inference_yml.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"

namespace munja::bundle {
namespace {

TEST(InferenceYml, PaddleDetector_IsRead) {
  const char* text = R"(Global:
  model_name: some_det
Hpi:
  trt: &id001
    x: [[1, 3, 32, 32]]
  again: *id001
PreProcess:
  transform_ops:
  - DecodeImage:
      img_mode: RGB
  - DetLabelEncode: null
  - DetResizeForTest:
      limit_side_len: 736
      limit_type: min
  - NormalizeImage:
      mean: [0.1, 0.2, 0.3]
      order: hwc
      scale: 1./255.
      std: [0.4, 0.5, 0.6]
PostProcess:
  name: DBPostProcess
  thresh: 0.25
  box_thresh: 0.55
  max_candidates: 500
  unclip_ratio: 1.7
)";
  ocr::Config config;
  const ocr::RecognizerConfig before = config.recognizer;
  std::vector<std::string> dictionary = {"kept"};
  ASSERT_TRUE(ReadInferenceYml(text, &config, &dictionary).ok());
  const ocr::DetectorConfig& d = config.detector;
  EXPECT_EQ(d.limit_type, ocr::LimitType::kMin);
  EXPECT_EQ(d.limit_side, 736);
  EXPECT_EQ(d.threshold, 0.25f);
  EXPECT_EQ(d.box_threshold, 0.55f);
  EXPECT_EQ(d.max_candidates, 500);
  EXPECT_EQ(d.unclip_ratio, 1.7f);
  EXPECT_EQ(d.normalization.order, ocr::ChannelOrder::kRgb);
  EXPECT_EQ(d.normalization.mean[1], 0.2f);
  EXPECT_EQ(d.normalization.deviation[2], 0.6f);
  EXPECT_EQ(config.recognizer.height, before.height);
  EXPECT_EQ(dictionary.size(), 1u);
}

TEST(InferenceYml, Recognizer_BringsItsDictionary) {
  const char* text = R"(PreProcess:
  transform_ops:
  - RecResizeImg:
      image_shape: [3, 32, 320]
PostProcess:
  name: CTCLabelDecode
  character_dict:
  - "　"
  - '!'
  - ''''
  - a
)";
  ocr::Config config;
  std::vector<std::string> dictionary;
  ASSERT_TRUE(ReadInferenceYml(text, &config, &dictionary).ok());
  EXPECT_EQ(config.recognizer.height, 32);
  EXPECT_EQ(dictionary, (std::vector<std::string>{"　", "!", "'", "a"}));
}

TEST(InferenceYml, UnsupportedSettings_AreNamed) {
  const struct {
    const char *text, *says;
  } cases[] = {
      {"", "empty"},
      {"a: [1", "line"},
      {"a: b", "PostProcess"},
      {"PostProcess: {name: SomethingElse}", "none of"},
      {"PostProcess: {name: DBPostProcess, thresh: high}", "thresh"},
      {"PostProcess: {name: DBPostProcess, thresh: 7}", "threshold"},
      {"PreProcess: {transform_ops: [{NormalizeImage: {scale: 1}}]}\n"
       "PostProcess: {name: DBPostProcess}",
       "1/255"},
  };
  for (const auto& c : cases) {
    ocr::Config config;
    std::vector<std::string> dictionary;
    const Status status = ReadInferenceYml(c.text, &config, &dictionary);
    ASSERT_FALSE(status.ok()) << c.text;
    EXPECT_NE(status.message().find(c.says), std::string::npos)
        << status.message();
  }
  ocr::Config config;
  std::vector<std::string> dictionary;
  EXPECT_FALSE(
      ReadInferenceYml(std::string(100000, '['), &config, &dictionary).ok());
}

// The files that come with three published models.
TEST(InferenceYml, PublishedFiles_AreRead) {
  const std::string models = MUNJA_SOURCE_DIR "/../shared/models/";
  if (!IsDirectory(models)) GTEST_SKIP() << "no published models here";
  ocr::Config config;
  std::vector<std::string> dictionary;
  for (const char* path :
       {"ppocrv5_mobile/paddle_pir_GRAPH_ONLY/PP-OCRv5_mobile_det_infer",
        "ppocrv5_mobile/paddle_pir_GRAPH_ONLY/PP-OCRv5_mobile_rec_infer",
        "textline_ori/paddle_pir"}) {
    const auto bytes = ReadFile(models + path + "/inference.yml");
    ASSERT_TRUE(bytes.ok());
    const Status status = ReadInferenceYml(
        std::string(bytes->begin(), bytes->end()), &config, &dictionary);
    EXPECT_TRUE(status.ok()) << path << ": " << status.message();
  }
  EXPECT_EQ(config.detector.threshold, 0.3f);
  EXPECT_EQ(config.detector.limit_side, 960);
  EXPECT_EQ(config.recognizer.height, 48);
  EXPECT_EQ(config.classifier.width, 160);
  EXPECT_EQ(config.classifier.height, 80);
  // 18,383 characters: the count of the dictionary published beside it.
  EXPECT_EQ(dictionary.size(), 18383u);
}

}  // namespace
}  // namespace munja::bundle
