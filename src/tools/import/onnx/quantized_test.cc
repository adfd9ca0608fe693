// Quantization and dequantization. Expected values are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "import/onnx/run_converted.h"

namespace munja::importer::onnx {
namespace {

using ::testing::ElementsAre;

// A constant of one integer of a byte: 2 is uint8, 3 int8.
void Byte(File& file, const std::string& name, int type, int value) {
  munja::onnx::TensorProto& t = *file.graph().add_initializer();
  t.set_name(name);
  t.set_data_type(type);
  t.add_int32_data(value);
}

// x -> QuantizeLinear -> DequantizeLinear -> y
File Pair(int type, int zero) {
  File file({1, 6});
  file.Floats("scale", {}, {0.5f});
  Byte(file, "zero", type, zero);
  file.Node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  file.Node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
  return file;
}

std::vector<std::string> Operators(const File& file) {
  const auto model = file.Import();
  EXPECT_TRUE(model.ok()) << model.status().message();
  std::vector<std::string> names;
  if (!model.ok()) return names;
  for (const graph::Node& node : model->graph.main().nodes)
    names.push_back(node.op);
  return names;
}

TEST(OnnxQuantized, QuantizeDequantizePair_IsKept) {
  const std::vector<float> x = {-10, -1.6f, 0.2f, 0.8f, 1, 500};
  struct Case {
    int type, zero;
    float low, high;
  };
  for (const Case& c : {Case{2, 3, -1.5f, 126}, Case{3, -100, -14, 113.5f}}) {
    SCOPED_TRACE(c.type);
    const File file = Pair(c.type, c.zero);
    const auto expected =
        ElementsAre(std::max(-10.0f, c.low), -1.5f, 0, 1, 1, c.high);
    EXPECT_THAT(Operators(file), ElementsAre("QUANTIZE", "DEQUANTIZE"));
    EXPECT_THAT(Evaluate(file, {1, 6}, x), expected);
    EXPECT_THAT(RunTflite(file, {1, 6}, x), expected);
  }
}

// Half a step goes to the even integer.
TEST(OnnxQuantized, Ties_GoToEven) {
  EXPECT_THAT(
      Evaluate(Pair(2, 100), {1, 6}, {0.25f, 0.75f, 1.25f, -0.25f, 0, 0}),
      ElementsAre(0, 1, 1, 0, 0, 0));
}

TEST(OnnxQuantized, OtherIntegers_AreComputedUnchanged) {
  File file({1, 6});
  file.Floats("scale", {}, {0.5f});
  file.Floats("other", {}, {0.25f});
  Byte(file, "zero", 2, 3);
  file.Node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  file.Node("DequantizeLinear", {"q", "other", "zero"}, {"y"});
  EXPECT_THAT(RunTflite(file, {1, 6}, {-10, -1.6f, 0.2f, 0.8f, 1, 500}),
              ElementsAre(-0.75f, -0.75f, 0, 0.5f, 0.5f, 63));
}

}  // namespace
}  // namespace munja::importer::onnx
