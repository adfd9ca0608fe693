// The PP-OCR networks, where they are next to the checkout: every format gives
// the same result, by the reference path and by the runtime.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/passes/half_storage.h"
#include "shared_models.h"

namespace munja::conversion {
namespace {

using importer::Dims;
using importer::ImportedModel;
using importer::Tensor;

class PaddleOcr : public SharedModels {};

// Float32 sums in a different order over some eighty layers. The stripes of the
// image are unlike text, so that single outputs are close to a threshold and
// rounding shows.
constexpr double kSameWeights = 1e-3;
// The same training result stored as float16 (ncnn) and as float32: single
// outputs close to a threshold may flip, so the mean is compared.
constexpr double kHalfWeightsMean = 5e-3;

TEST_F(PaddleOcr, Detector_AgreesAcrossFormatsAndSizes) {
  const ImportedModel ncnn = Load("ppocrv6_tiny/ncnn/det.ncnn.param");
  const ImportedModel other =
      Load("ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.from_ncnn.onnx");
  const ImportedModel official =
      Load("ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx");
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{96, 160},
                                      std::pair<int64_t, int64_t>{128, 64}}) {
    const Tensor x = Picture(height, width);
    const std::vector<Tensor> expected = Reference(ncnn, x);
    ASSERT_EQ(expected.size(), 1u);
    EXPECT_EQ(expected[0].shape, (Dims{1, height, width, 1}));
    EXPECT_LE(LargestDifference(Reference(other, x), expected), kSameWeights);
    EXPECT_LE(MeanDifference(Reference(official, x)[0], expected[0]),
              kHalfWeightsMean);
    EXPECT_LE(LargestDifference(Run(ncnn.graph, x), expected), kSameWeights);
    EXPECT_LE(LargestDifference(Run(other.graph, x), expected), kSameWeights);
    EXPECT_LE(LargestDifference(Run(official.graph, x), Reference(official, x)),
              kSameWeights);
  }
}

TEST_F(PaddleOcr, Recognizer_AgreesAcrossFormatsAndWidths) {
  const ImportedModel ncnn = Load("ppocrv6_tiny/ncnn/rec.ncnn.param");
  const ImportedModel other =
      Load("ppocrv6_tiny/onnx/PP-OCRv6_tiny_rec.from_ncnn.onnx");
  const ImportedModel official =
      Load("ppocrv6_tiny/onnx/PP-OCRv6_tiny_rec_fp16.onnx");
  for (const int64_t width : {96, 200}) {
    const Tensor x = Picture(48, width);
    const std::vector<Tensor> expected = Reference(ncnn, x);
    ASSERT_EQ(expected.size(), 1u);
    EXPECT_EQ(expected[0].shape, (Dims{1, width / 8, 6906}));
    EXPECT_LE(LargestDifference(Reference(other, x), expected), kSameWeights);
    EXPECT_LE(MeanDifference(Reference(official, x)[0], expected[0]),
              kHalfWeightsMean);
    EXPECT_LE(LargestDifference(Run(ncnn.graph, x), expected), kSameWeights);
    EXPECT_LE(LargestDifference(Run(other.graph, x), expected), kSameWeights);
    EXPECT_LE(LargestDifference(Run(official.graph, x), Reference(official, x)),
              kSameWeights);
  }
}

TEST_F(PaddleOcr, Fp16Storage_HalvesTheFile) {
  ImportedModel model = Load("ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx");
  const Tensor x = Picture(96, 160);
  const std::vector<Tensor> before = Run(model.graph, x);
  EXPECT_GT(graph::StoreAsHalf(&model.graph), 50);
  ASSERT_TRUE(graph::Verify(model.graph).ok());
  EXPECT_LE(MeanDifference(Run(model.graph, x)[0], before[0]),
            kHalfWeightsMean);
}

TEST_F(PaddleOcr, OtherNetworks_MatchTheReference) {
  struct Case {
    const char* file;
    int64_t height, width;
  };
  for (const Case& c :
       {Case{"cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192},
        Case{"cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer_fp16.onnx", 48, 192},
        Case{"cls_v2/ncnn/ch_ppocr_mobile_v2.0_cls_infer.param", 48, 192},
        Case{"textline_ori/onnx/PP-LCNet_x0_25_textline_ori_0.25M.onnx", 80,
             160},
        Case{"ppocrv3_det/onnx/ch_PP-OCRv3_det_infer.onnx", 64, 96},
        Case{"ppocrv5_mobile/ncnn/PP_OCRv5_mobile_det.ncnn.param", 64, 96},
        Case{"ppocrv2/ncnn/pdocrv2.0_det-op.param", 64, 96},
        Case{"ppocrv2/ncnn/cls-sim-op.param", 48, 192}}) {
    SCOPED_TRACE(c.file);
    const ImportedModel model = Load(c.file);
    const Tensor x = Picture(c.height, c.width);
    EXPECT_LE(LargestDifference(Run(model.graph, x), Reference(model, x)),
              kSameWeights);
  }
}

TEST_F(PaddleOcr, Classifier_AgreesAcrossFormats) {
  const Tensor x = Picture(48, 192);
  const auto onnx =
      Reference(Load("cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer.onnx"), x);
  const auto ncnn =
      Reference(Load("cls_v2/ncnn/ch_ppocr_mobile_v2.0_cls_infer.param"), x);
  EXPECT_LE(LargestDifference(onnx, ncnn), kSameWeights);
}

TEST_F(PaddleOcr, RecurrentRecognizers_MatchTheReference) {
  struct Case {
    const char* file;
    int64_t classes;
  };
  for (const Case& c :
       {Case{"rec_crnn_v2/onnx/en_number_mobile_v2.0_rec_infer.onnx", 97},
        Case{"ppocrv2/ncnn/pdocrv2.0_rec-op.param", 6625}}) {
    SCOPED_TRACE(c.file);
    const ImportedModel model = Load(c.file);
    for (const int64_t width : {96, 136}) {
      const Tensor x = Picture(32, width);
      const std::vector<Tensor> expected = Reference(model, x);
      ASSERT_EQ(expected.size(), 1u);
      EXPECT_EQ(expected[0].shape, (Dims{1, width / 4, c.classes}));
      EXPECT_LE(LargestDifference(Run(model.graph, x), expected), kSameWeights);
    }
  }
}

TEST_F(PaddleOcr, GpuSafe_MatchesTheReference) {
  // Their resizes are of nearest samples, which stay exact.
  for (const char* file : {"ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx",
                           "ppocrv3_det/onnx/ch_PP-OCRv3_det_infer.onnx"}) {
    SCOPED_TRACE(file);
    importer::ImportOptions options;
    options.gpu_safe = true;
    const ImportedModel model = Load(file, options);
    EXPECT_EQ(CountNodes(model.graph, "TRANSPOSE_CONV"), 0);
    EXPECT_EQ(CountNodes(model.graph, "RELU_0_TO_1"), 0);
    const Tensor x = Picture(64, 96);
    EXPECT_LE(LargestDifference(Run(model.graph, x), Reference(model, x)),
              kSameWeights);
  }
}

TEST_F(PaddleOcr, EveryTensor_MatchesItsValue) {
  const ImportedModel model = Load("cls_v2/paddle");
  const Tensor x = Picture(32, 100);
  graph::Graph exposed = model.graph;
  exposed.signatures.clear();
  graph::Subgraph& main = exposed.main();
  std::vector<std::string> names;
  main.outputs.clear();
  for (const graph::Node& node : main.nodes) {
    main.outputs.push_back(node.outputs[0]);
    names.push_back(main.values[node.outputs[0]].name);
  }
  const std::vector<Tensor> got = Run(exposed, x);
  ASSERT_EQ(got.size(), names.size());
  int compared = 0;
  const auto status = importer::VisitReference(
      model, std::span<const Tensor>(&x, 1),
      [&](const importer::TensorMapping& c, const Tensor& expected) {
        for (size_t i = 0; i < names.size(); ++i) {
          if (names[i] != c.tensor) continue;
          ++compared;
          EXPECT_LE(LargestDifference(std::span<const Tensor>(&got[i], 1),
                                      std::span<const Tensor>(&expected, 1)),
                    1e-4)
              << c.tensor;
        }
      });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GT(compared, 60);
}

}  // namespace
}  // namespace munja::conversion
