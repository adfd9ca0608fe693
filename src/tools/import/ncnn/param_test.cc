#include "import/ncnn/param.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseParam, LayersBlobsAndParameters_AreRead) {
  const auto file = ParseParam(
      "7767517\n2 3\n"
      "Input  in  0 1 x\r\n"
      "Slice  s   1 2 x a b  -23300=2,1,-233 1=0 2=1.5e-1\n");
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->layers.size(), 2u);
  const Layer& slice = file->layers[1];
  EXPECT_EQ(slice.type, "Slice");
  EXPECT_EQ(slice.line, 4);
  EXPECT_THAT(slice.inputs, ElementsAre("x"));
  EXPECT_THAT(slice.outputs, ElementsAre("a", "b"));
  EXPECT_THAT(slice.Ints(0).value(), ElementsAre(1, -233));
  EXPECT_EQ(slice.Int(1, 7).value(), 0);
  EXPECT_EQ(slice.Int(5, 7).value(), 7);
  EXPECT_DOUBLE_EQ(slice.Float(2, 0).value(), 0.15);
}

TEST(ParseParam, WrongParameterTypes_AreRefused) {
  const auto file =
      ParseParam("7767517\n1 1\nInput in 0 1 x -23300=1,4 1=1.5 2=3e9\n");
  ASSERT_TRUE(file.ok());
  const Layer& layer = file->layers[0];
  EXPECT_FALSE(layer.Int(0, 0).ok());  // An array.
  EXPECT_FALSE(layer.Ints(1).ok());    // No array.
  EXPECT_FALSE(layer.Int(1, 0).ok());  // A fraction.
  EXPECT_FALSE(layer.Int(2, 0).ok());  // Beyond 32 bits.
}

TEST(ParseParam, WrongLine_IsNamed) {
  for (const std::string line :
       {"Relu", "Relu r 1", "Relu r 1 1 x", "Relu r 1 1 x y 0", "R r -1 1 x",
        "R r 0 1 x 0=", "R r 0 1 x 0=1,2", "R r 0 1 x -23300=3,1",
        "R r 0 1 x 99=1", "R r 0 1 x -24000=1,1",
        "R r 2000000000 2000000000 x"}) {
    const auto file = ParseParam("7767517\n1 1\n" + line + "\n");
    ASSERT_FALSE(file.ok()) << line;
    EXPECT_EQ(file.status().code(), Code::kMalformed);
    EXPECT_THAT(std::string(file.status().message()), HasSubstr("line 3"));
  }
}

TEST(ParseParam, OtherFiles_AreRefused) {
  EXPECT_FALSE(ParseParam("").ok());
  EXPECT_FALSE(ParseParam("hello\n").ok());
  EXPECT_FALSE(ParseParam("7767517\n").ok());
  EXPECT_FALSE(ParseParam("7767517\n0 0\n").ok());
  EXPECT_FALSE(ParseParam("7767517\n3 1\nInput in 0 1 x\n").ok());
}

}  // namespace
}  // namespace munja::importer::ncnn
