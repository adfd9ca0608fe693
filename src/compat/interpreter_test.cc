#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compat/testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace munja::compat::testing;  // NOLINT

class InterpreterTest : public ::testing::Test {
 protected:
  // Null when it was refused.
  TfLiteInterpreter* Create(std::vector<uint8_t> bytes) {
    bytes_ = std::move(bytes);
    model_ = Load(bytes_, &reports_);
    interpreter_.reset(TfLiteInterpreterCreate(model_.get(), options_.get()));
    return interpreter_.get();
  }
  TfLiteTensor* Input(int i = 0) {
    return TfLiteInterpreterGetInputTensor(interpreter_.get(), i);
  }
  const TfLiteTensor* Output(int i = 0) {
    return TfLiteInterpreterGetOutputTensor(interpreter_.get(), i);
  }

  Reports reports_;
  Options options_ = MakeOptions(&reports_);
  std::vector<uint8_t> bytes_;
  Model model_;
  Interpreter interpreter_;
};

TEST_F(InterpreterTest, Runs) {
  TfLiteInterpreter* i = Create(DoubleModel({2, 2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  // What the interpreter needs is its own.
  model_.reset();
  options_.reset();
  EXPECT_EQ(TfLiteInterpreterGetInputTensorCount(i), 1);
  EXPECT_EQ(TfLiteInterpreterGetOutputTensorCount(i), 1);
  EXPECT_EQ(TfLiteInterpreterInputTensorIndices(i)[0], 0);
  EXPECT_EQ(TfLiteInterpreterOutputTensorIndices(i)[0], 1);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  EXPECT_EQ(TfLiteTensorType(Input()), kTfLiteFloat32);
  EXPECT_EQ(TfLiteTensorNumDims(Input()), 2);
  EXPECT_EQ(TfLiteTensorDim(Input(), 1), 2);
  EXPECT_EQ(TfLiteTensorByteSize(Input()), 16u);
  EXPECT_STREQ(TfLiteTensorName(Input()), "t0");
  void* const data = TfLiteTensorData(Input());
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  for (const float scale : {1.0f, 10.0f}) {
    ASSERT_TRUE(Fill(Input(), {1 * scale, 2 * scale, 3 * scale, 4 * scale}));
    ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
    EXPECT_THAT(Floats(Output()),
                ElementsAre(2 * scale, 4 * scale, 6 * scale, 8 * scale));
    EXPECT_EQ(TfLiteTensorData(Input()), data);
  }
  // Allocating again when nothing changed changes nothing.
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  EXPECT_EQ(TfLiteTensorData(Input()), data);
  EXPECT_EQ(reports_.text, "");
}

TEST_F(InterpreterTest, WrongOrderIsAnError) {
  TfLiteInterpreter* i = Create(DoubleModel({2}));
  ASSERT_NE(i, nullptr);
  EXPECT_EQ(TfLiteTensorData(Input()), nullptr);
  EXPECT_FALSE(Fill(Input(), {1, 2}));
  EXPECT_EQ(TfLiteInterpreterInvoke(i), kTfLiteError);
  EXPECT_THAT(reports_.text, HasSubstr("not ready"));
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  const int dims[] = {3};
  ASSERT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, dims, 1), kTfLiteOk);
  EXPECT_EQ(TfLiteInterpreterInvoke(i), kTfLiteError);
}

TEST_F(InterpreterTest, ShapesOtherThanTheModelStates) {
  TfLiteInterpreter* i = Create(DoubleModel({1}));
  ASSERT_NE(i, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  for (const std::vector<int>& dims :
       std::vector<std::vector<int>>{{3}, {2, 1}, {1}, {3}}) {
    ASSERT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, dims.data(),
                                                 static_cast<int>(dims.size())),
              kTfLiteOk);
    ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
    const size_t count = TfLiteTensorByteSize(Input()) / 4;
    ASSERT_TRUE(Fill(Input(), std::vector<float>(count, 1.5f)));
    ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
    EXPECT_EQ(Floats(Output()), std::vector<float>(count, 3.0f));
    EXPECT_EQ(TfLiteTensorNumDims(Output()), static_cast<int>(dims.size()));
  }
  const int negative[] = {-1};
  EXPECT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, negative, 1),
            kTfLiteError);
  EXPECT_EQ(TfLiteInterpreterResizeInputTensor(i, 1, negative, 1),
            kTfLiteError);
  EXPECT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, nullptr, 1), kTfLiteError);
}

TEST_F(InterpreterTest, SizesThatTheModelLeavesOpen) {
  TfLiteInterpreter* i = Create(DoubleModel({kDynamic, 2}));
  ASSERT_NE(i, nullptr);
  // One until somebody says otherwise.
  EXPECT_EQ(TfLiteTensorDim(Input(), 0), 1);
  EXPECT_EQ(Input()->dims_signature->data[0], -1);
  const int dims[] = {2, 2};
  ASSERT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, dims, 2), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_TRUE(Fill(Input(), {1, 2, 3, 4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(Floats(Output()), ElementsAre(2, 4, 6, 8));
}

TEST_F(InterpreterTest, NothingIsNoCrash) {
  EXPECT_EQ(TfLiteInterpreterCreate(nullptr, options_.get()), nullptr);
  EXPECT_EQ(TfLiteModelCreateFromFile("/no/such/file"), nullptr);
  EXPECT_EQ(TfLiteModelCreateFromFile(nullptr), nullptr);
  EXPECT_EQ(TfLiteModelCreate(nullptr, 7), nullptr);
  EXPECT_EQ(TfLiteInterpreterAllocateTensors(nullptr), kTfLiteError);
  EXPECT_EQ(TfLiteInterpreterInvoke(nullptr), kTfLiteError);
  EXPECT_EQ(TfLiteInterpreterGetInputTensor(nullptr, 0), nullptr);
  EXPECT_EQ(TfLiteInterpreterGetSignatureRunner(nullptr, nullptr), nullptr);
  EXPECT_EQ(TfLiteTensorNumDims(nullptr), -1);
  TfLiteInterpreterOptionsDelete(nullptr);
  TfLiteInterpreterDelete(nullptr);
  TfLiteModelDelete(nullptr);
  TfLiteSignatureRunnerDelete(nullptr);
  ASSERT_NE(Create(DoubleModel({1})), nullptr);
  EXPECT_EQ(Input(1), nullptr);
  EXPECT_EQ(Input(-1), nullptr);
  EXPECT_EQ(Output(1), nullptr);
  EXPECT_EQ(TfLiteInterpreterGetTensor(interpreter_.get(), 99), nullptr);
  EXPECT_EQ(TfLiteInterpreterGetInputTensorIndex(interpreter_.get(), 1), -1);
}

TEST_F(InterpreterTest, BytesThatAreNoModel) {
  const std::vector<uint8_t> bytes(64, 7);
  EXPECT_EQ(Load(bytes, &reports_), nullptr);
  EXPECT_NE(reports_.text, "");
}

TEST_F(InterpreterTest, MissingOperators) {
  // A custom one is told when tensors are allocated.
  TfLiteInterpreter* i = Create(CustomModel("Sin", {1}));
  ASSERT_NE(i, nullptr) << reports_.text;
  EXPECT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteUnresolvedOps);
  EXPECT_THAT(reports_.text,
              HasSubstr("Encountered unresolved custom op: Sin."));
  EXPECT_EQ(TfLiteInterpreterInvoke(i), kTfLiteError);
  // Selected operators only: none.
  Model model = Load(bytes_ = DoubleModel({1}));
  EXPECT_EQ(TfLiteInterpreterCreateWithSelectedOps(model.get(), options_.get()),
            nullptr);
  EXPECT_THAT(reports_.text, HasSubstr("missing operators: ADD"));
}

TEST_F(InterpreterTest, OptionsThatCannotBe) {
  TfLiteInterpreterOptionsSetNumThreads(options_.get(), -2);
  EXPECT_EQ(Create(DoubleModel({1})), nullptr);
  TfLiteInterpreterOptionsSetNumThreads(options_.get(), 0);
  EXPECT_NE(Create(DoubleModel({1})), nullptr);
  TfLiteInterpreterOptionsSetNumThreads(options_.get(), 2);
  EXPECT_NE(Create(DoubleModel({1})), nullptr);
  Options copy(TfLiteInterpreterOptionsCopy(options_.get()));
  TfLiteInterpreterOptionsSetUseNNAPI(copy.get(), true);
  EXPECT_EQ(TfLiteInterpreterCreate(model_.get(), copy.get()), nullptr);
}

TEST_F(InterpreterTest, MemoryOfTheApplication) {
  TfLiteInterpreter* i = Create(DoubleModel({2}));
  ASSERT_NE(i, nullptr);
  alignas(64) float in[16] = {}, out[16] = {};
  const TfLiteCustomAllocation unaligned = {in + 1, 8};
  EXPECT_EQ(TfLiteInterpreterSetCustomAllocationForTensor(i, 0, &unaligned, 0),
            kTfLiteError);
  const TfLiteCustomAllocation small = {in, 4};
  EXPECT_EQ(TfLiteInterpreterSetCustomAllocationForTensor(i, 0, &small, 0),
            kTfLiteOk);
  EXPECT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteError);
  const TfLiteCustomAllocation input = {in, sizeof(in)};
  const TfLiteCustomAllocation output = {out, sizeof(out)};
  ASSERT_EQ(TfLiteInterpreterSetCustomAllocationForTensor(i, 0, &input, 0),
            kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterSetCustomAllocationForTensor(i, 1, &output, 0),
            kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  in[0] = 3;
  in[1] = 4;
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[1], 8);
}

TEST_F(InterpreterTest, ShapesThatOnlyTheRunFindsOut) {
  GraphBuilder builder;
  const auto x = builder.Input({4});
  const auto zero = builder.Value({1});
  builder.sub().values[zero].constant = graph::MakeConstant({0, 0, 0, 0});
  const auto is_more = builder.Value({4}, ElementType::kBool);
  const auto where = builder.Value({kDynamic, 1}, ElementType::kInt64);
  builder.Node("GREATER", {x, zero}, {is_more});
  builder.Node("WHERE", {is_more}, {where});
  builder.Output(where);
  TfLiteInterpreter* i = Create(builder.Write());
  if (i == nullptr && reports_.text.find("missing") != std::string::npos)
    GTEST_SKIP() << "no WHERE here";
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  EXPECT_EQ(Output()->allocation_type, kTfLiteDynamic);
  EXPECT_EQ(TfLiteTensorData(Output()), nullptr);
  ASSERT_TRUE(Fill(Input(), {1, -1, 2, 3}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_EQ(TfLiteTensorDim(Output(), 0), 3);
  EXPECT_EQ(static_cast<const int64_t*>(TfLiteTensorData(Output()))[2], 3);
  ASSERT_TRUE(Fill(Input(), {-1, -1, -1, -1}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_EQ(TfLiteTensorDim(Output(), 0), 0);
  EXPECT_EQ(TfLiteTensorByteSize(Output()), 0u);
}

TEST_F(InterpreterTest, CancelNeedsToBeEnabled) {
  ASSERT_NE(Create(DoubleModel({1})), nullptr);
  EXPECT_EQ(TfLiteInterpreterCancel(interpreter_.get()), kTfLiteError);
  ASSERT_EQ(TfLiteInterpreterOptionsEnableCancellation(options_.get(), true),
            kTfLiteOk);
  ASSERT_NE(Create(DoubleModel({1})), nullptr);
  // Between runs there is nothing to cancel.
  EXPECT_EQ(TfLiteInterpreterCancel(interpreter_.get()), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter_.get()), kTfLiteOk);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter_.get()), kTfLiteOk);
}

TEST_F(InterpreterTest, Constants) {
  GraphBuilder builder;
  const auto x = builder.Input({1});
  const auto c = builder.Value({1});
  builder.sub().values[c].constant = graph::MakeConstant({0, 0, 0, 0x40});
  const auto y = builder.Value({1});
  builder.Node("ADD", {x, c}, {y});
  builder.Output(y);
  TfLiteInterpreter* i = Create(builder.Write());
  ASSERT_NE(i, nullptr) << reports_.text;
  TfLiteTensor* constant = TfLiteInterpreterGetTensor(i, c);
  EXPECT_EQ(constant->allocation_type, kTfLiteMmapRo);
  EXPECT_THAT(Floats(constant), ElementsAre(2.0f));
  EXPECT_FALSE(Fill(constant, {1.0f}));
}

}  // namespace
}  // namespace munja::compat
