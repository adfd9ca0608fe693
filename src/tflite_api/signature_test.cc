#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "tflite_api/testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using namespace munja::compat::testing;  // NOLINT

std::string TestData(const std::string& name) {
  return std::string(MUNJA_SOURCE_DIR) +
         "/../shared/conformance/tflite/litert_testdata/" + name;
}

Signature Runner(const Interpreter& i, const char* key) {
  return Signature(TfLiteInterpreterGetSignatureRunner(i.get(), key));
}

TEST(Signature, ModelWithoutSignatures_HasAPlaceholder) {
  const auto bytes = DoubleModel({2});
  Interpreter i(TfLiteInterpreterCreate(Load(bytes).get(), nullptr));
  ASSERT_NE(i, nullptr);
  EXPECT_EQ(TfLiteInterpreterGetSignatureCount(i.get()), 0);
  EXPECT_EQ(TfLiteInterpreterGetSignatureKey(i.get(), 0), nullptr);
  EXPECT_EQ(Runner(i, "serving_default"), nullptr);
  for (const char* key :
       {static_cast<const char*>(nullptr), "<placeholder signature>"}) {
    const Signature runner = Runner(i, key);
    ASSERT_NE(runner, nullptr);
    ASSERT_EQ(TfLiteSignatureRunnerGetInputCount(runner.get()), 1u);
    EXPECT_STREQ(TfLiteSignatureRunnerGetInputName(runner.get(), 0), "t0");
    EXPECT_STREQ(TfLiteSignatureRunnerGetOutputName(runner.get(), 0), "t1");
    EXPECT_EQ(TfLiteSignatureRunnerGetOutputName(runner.get(), 1), nullptr);
    ASSERT_EQ(TfLiteSignatureRunnerAllocateTensors(runner.get()), kTfLiteOk);
    ASSERT_TRUE(
        Fill(TfLiteSignatureRunnerGetInputTensor(runner.get(), "t0"), {1, 2}));
    ASSERT_EQ(TfLiteSignatureRunnerInvoke(runner.get()), kTfLiteOk);
    EXPECT_THAT(
        Floats(TfLiteSignatureRunnerGetOutputTensor(runner.get(), "t1")),
        ElementsAre(2, 4));
    EXPECT_EQ(TfLiteSignatureRunnerGetInputTensor(runner.get(), "t9"), nullptr);
    // The main subgraph's tensors are the interpreter's.
    EXPECT_EQ(TfLiteSignatureRunnerGetInputTensor(runner.get(), "t0"),
              TfLiteInterpreterGetInputTensor(i.get(), 0));
  }
}

TEST(Signature, Resizing_IsStrict) {
  Reports reports;
  const Options options = MakeOptions(&reports);
  const auto fixed = DoubleModel({2});
  Interpreter i(TfLiteInterpreterCreate(Load(fixed).get(), options.get()));
  Signature runner = Runner(i, nullptr);
  const int dims[] = {3, 2};
  EXPECT_EQ(TfLiteSignatureRunnerResizeInputTensor(runner.get(), "t0", dims, 1),
            kTfLiteError);
  EXPECT_EQ(TfLiteSignatureRunnerResizeInputTensor(runner.get(), "t9", dims, 1),
            kTfLiteError);
  runner.reset();
  const auto open = DoubleModel({kDynamic, 2});
  i.reset(TfLiteInterpreterCreate(Load(open).get(), options.get()));
  runner = Runner(i, nullptr);
  EXPECT_EQ(TfLiteSignatureRunnerResizeInputTensor(runner.get(), "t0", dims, 2),
            kTfLiteOk)
      << reports.text;
  EXPECT_EQ(TfLiteSignatureRunnerResizeInputTensor(runner.get(), "t0", dims, 1),
            kTfLiteError);
}

TEST(Signature, Signatures_HaveTheirSubgraphs) {
  const std::string path = TestData("multi_signatures.bin");
  if (!IsRegularFile(path)) GTEST_SKIP() << path << " is not there";
  const Model model(TfLiteModelCreateFromFile(path.c_str()));
  Interpreter i(TfLiteInterpreterCreate(model.get(), nullptr));
  ASSERT_NE(i, nullptr);
  ASSERT_EQ(TfLiteInterpreterGetSignatureCount(i.get()), 2);
  const Signature add = Runner(i, "add"), sub = Runner(i, "sub");
  ASSERT_NE(add, nullptr);
  ASSERT_NE(sub, nullptr);
  const int two[] = {2}, three[] = {3};
  ASSERT_EQ(TfLiteSignatureRunnerResizeInputTensor(add.get(), "x", two, 1),
            kTfLiteOk);
  ASSERT_EQ(TfLiteSignatureRunnerResizeInputTensor(sub.get(), "x", three, 1),
            kTfLiteOk);
  ASSERT_EQ(TfLiteSignatureRunnerAllocateTensors(add.get()), kTfLiteOk);
  ASSERT_EQ(TfLiteSignatureRunnerAllocateTensors(sub.get()), kTfLiteOk);
  ASSERT_TRUE(
      Fill(TfLiteSignatureRunnerGetInputTensor(add.get(), "x"), {2, 4}));
  ASSERT_TRUE(
      Fill(TfLiteSignatureRunnerGetInputTensor(sub.get(), "x"), {2, 4, 6}));
  ASSERT_EQ(TfLiteSignatureRunnerInvoke(add.get()), kTfLiteOk);
  ASSERT_EQ(TfLiteSignatureRunnerInvoke(sub.get()), kTfLiteOk);
  EXPECT_THAT(
      Floats(TfLiteSignatureRunnerGetOutputTensor(add.get(), "output_0")),
      ElementsAre(4, 6));
  EXPECT_THAT(
      Floats(TfLiteSignatureRunnerGetOutputTensor(sub.get(), "output_0")),
      ElementsAre(-1, 1, 3));
}

TEST(Signature, UnknownNames_AreRefused) {
  const std::string path = TestData("no_signatures_no_tensor_names.bin");
  if (!IsRegularFile(path)) GTEST_SKIP() << path << " is not there";
  const Model model(TfLiteModelCreateFromFile(path.c_str()));
  Interpreter i(TfLiteInterpreterCreate(model.get(), nullptr));
  ASSERT_NE(i, nullptr);
  const Signature runner = Runner(i, nullptr);
  ASSERT_NE(runner, nullptr);
  EXPECT_STREQ(TfLiteSignatureRunnerGetInputName(runner.get(), 0), "input0");
  EXPECT_STREQ(TfLiteSignatureRunnerGetInputName(runner.get(), 1), "input1");
  EXPECT_STREQ(TfLiteSignatureRunnerGetOutputName(runner.get(), 0), "output0");
}

TEST(Signature, AddModel_Runs) {
  const std::string path = TestData("add.bin");
  if (!IsRegularFile(path)) GTEST_SKIP() << path << " is not there";
  const Model model(TfLiteModelCreateFromFile(path.c_str()));
  Interpreter i(TfLiteInterpreterCreate(model.get(), nullptr));
  ASSERT_NE(i, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i.get()), kTfLiteOk);
  const int dims[] = {2};
  ASSERT_EQ(TfLiteInterpreterResizeInputTensor(i.get(), 0, dims, 1), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i.get()), kTfLiteOk);
  ASSERT_TRUE(Fill(TfLiteInterpreterGetInputTensor(i.get(), 0), {1, 3}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i.get()), kTfLiteOk);
  EXPECT_THAT(Floats(TfLiteInterpreterGetOutputTensor(i.get(), 0)),
              ElementsAre(3, 9));
}

}  // namespace
}  // namespace munja::compat
