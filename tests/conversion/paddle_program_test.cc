// Paddle's own files: compared with the ONNX files of the same networks, and
// every graph of the new format with synthetic parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/file.h"
#include "import/paddle/pir_reader.h"
#include "shared_models.h"

namespace munja::conversion {
namespace {

using importer::Dims;
using importer::ImportedModel;
using importer::Tensor;

class PaddleProgram : public SharedModels {};

TEST_F(PaddleProgram, Programs_AgreeWithOnnx) {
  struct Case {
    const char *folder, *onnx;
    int64_t height, width;
  };
  for (const Case& c :
       {Case{"cls_v2/paddle", "cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer.onnx",
             48, 192},
        Case{"ppocrv3_det/paddle",
             "ppocrv3_det/onnx/ch_PP-OCRv3_det_infer.onnx", 96, 160}}) {
    SCOPED_TRACE(c.folder);
    // The classifier's program was written for another size than it is used at.
    importer::ImportOptions options;
    options.input_shapes["x"] = {1, -1, -1, 3};
    const ImportedModel paddle = Load(c.folder, options);
    EXPECT_EQ(paddle.format, importer::Format::kPaddle);
    const Tensor x = Picture(c.height, c.width);
    const std::vector<Tensor> expected = Reference(Load(c.onnx), x);
    EXPECT_LE(LargestDifference(Reference(paddle, x), expected), 1e-4);
    EXPECT_LE(LargestDifference(Run(paddle.graph, x), expected), 1e-4);
  }
}

TEST_F(PaddleProgram, Program_AtItsOwnSize) {
  // A pooling window is taller than what is left of 32 rows.
  const ImportedModel model = Load("cls_v2/paddle");
  const Tensor x = Picture(32, 100);
  EXPECT_LE(LargestDifference(Run(model.graph, x), Reference(model, x)), 1e-5);
}

TEST_F(PaddleProgram, Program_OfTheNewFormat) {
  const ImportedModel model = Load("textline_ori/paddle_pir");
  const Tensor x = Picture(80, 160);
  const std::vector<Tensor> expected = Reference(model, x);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0].shape, (Dims{1, 2}));
  EXPECT_LE(LargestDifference(Run(model.graph, x), expected), 1e-5);
}

// A .pdiparams file for the program: weights as large as their sums are long,
// and one number near 1 for each channel.
std::vector<uint8_t> MadeUpParameters(
    std::vector<importer::paddle::Variable> parameters) {
  std::sort(parameters.begin(), parameters.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<uint8_t> bytes;
  const auto append = [&](const void* data, size_t size) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  double phase = 0;
  for (const auto& v : parameters) {
    // Element type float32, then the sizes as base-128 numbers.
    std::vector<uint8_t> description = {0x08, 5};
    int64_t count = 1;
    for (int64_t d : v.shape) {
      count *= d;
      description.push_back(0x10);
      for (; d >= 128; d >>= 7)
        description.push_back(static_cast<uint8_t>(d & 127) | 128);
      description.push_back(static_cast<uint8_t>(d));
    }
    Tensor values = Wave({count}, phase += 0.7);
    const bool vector = v.shape.size() < 2;
    const double fan =
        vector ? 1
               : static_cast<double>(count) / static_cast<double>(v.shape[0]);
    for (float& f : values.floats)
      f = static_cast<float>(vector ? 1 + 0.3 * f : f / std::sqrt(fan));
    const uint32_t head[4] = {0, 0, 0, 0};
    const int32_t size = static_cast<int32_t>(description.size());
    append(head, sizeof head);
    append(&size, sizeof size);
    append(description.data(), description.size());
    append(values.floats.data(), values.floats.size() * sizeof(float));
  }
  return bytes;
}

TEST_F(PaddleProgram, Graphs_WithSyntheticParameters) {
  struct Case {
    const char* folder;
    int64_t height, width;
  };
  for (const Case& c : {Case{"PP-OCRv5_mobile_det_infer", 64, 96},
                        Case{"PP-OCRv5_mobile_rec_infer", 48, 96}}) {
    SCOPED_TRACE(c.folder);
    const auto text =
        ReadFile(Models() + "ppocrv5_mobile/paddle_pir_GRAPH_ONLY/" + c.folder +
                 "/inference.json");
    ASSERT_TRUE(text.ok()) << text.status().message();
    const auto program = importer::paddle::ReadPir(
        {reinterpret_cast<const char*>(text->data()), text->size()});
    ASSERT_TRUE(program.ok()) << program.status().message();
    const auto model = importer::ImportPaddle(
        *text, MadeUpParameters(program->parameters), {});
    ASSERT_TRUE(model.ok()) << model.status().message();
    const Tensor x = Picture(c.height, c.width);
    const std::vector<Tensor> expected = Reference(*model, x);
    double largest = 0;
    for (const float v : expected.at(0).floats)
      largest = std::max(largest, std::abs(static_cast<double>(v)));
    EXPECT_GT(largest, 0);
    EXPECT_LE(LargestDifference(Run(model->graph, x), expected),
              1e-3 * largest);
  }
}

}  // namespace
}  // namespace munja::conversion
