#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "tflite_api/testing.h"

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

  std::string asked_;  // Outlives the interpreter.
  Reports reports_;
  Options options_ = MakeOptions(&reports_);
  std::vector<uint8_t> bytes_;
  Model model_;
  Interpreter interpreter_;
};

TEST_F(InterpreterTest, Model_Runs) {
  TfLiteInterpreter* i = Create(DoubleModel({2, 2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  // The interpreter keeps copies of all that it needs.
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

TEST_F(InterpreterTest, WrongOrder_IsAnError) {
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

TEST_F(InterpreterTest, OtherShapes_AreAllowed) {
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

TEST_F(InterpreterTest, DynamicSizes_AreSetByTheCaller) {
  TfLiteInterpreter* i = Create(DoubleModel({kDynamic, 2}));
  ASSERT_NE(i, nullptr);
  // The dynamic dimension is 1 until it is set.
  EXPECT_EQ(TfLiteTensorDim(Input(), 0), 1);
  EXPECT_EQ(Input()->dims_signature->data[0], -1);
  const int dims[] = {2, 2};
  ASSERT_EQ(TfLiteInterpreterResizeInputTensor(i, 0, dims, 2), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_TRUE(Fill(Input(), {1, 2, 3, 4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(Floats(Output()), ElementsAre(2, 4, 6, 8));
}

TEST_F(InterpreterTest, NullArguments_AreSafe) {
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

TEST_F(InterpreterTest, OtherBytes_AreNoModel) {
  const std::vector<uint8_t> bytes(64, 7);
  EXPECT_EQ(Load(bytes, &reports_), nullptr);
  EXPECT_NE(reports_.text, "");
}

TEST_F(InterpreterTest, MissingOperators_AreNamed) {
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

TEST_F(InterpreterTest, InvalidOptions_AreRefused) {
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

TEST_F(InterpreterTest, CustomAllocation_IsUsed) {
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

TEST_F(InterpreterTest, DataDependentShapes_AreKnownAfterTheRun) {
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

TEST_F(InterpreterTest, Cancellation_MustBeEnabled) {
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

// testdata/models/double.tflite is what this gives; tests/capi runs it.
TEST_F(InterpreterTest, TestData_IsConsistent) {
  GraphBuilder builder;
  const auto x = builder.Input({kDynamic});
  const auto y = builder.Value({kDynamic});
  builder.sub().values[x].name = "x";
  builder.sub().values[y].name = "y";
  builder.Node("ADD", {x, x}, {y});
  builder.Output(y);
  builder.graph().signatures = {
      {"serving_default", 0, {{"in", x}}, {{"out", y}}}};
  const std::string path =
      std::string(MUNJA_SOURCE_DIR) + "/testdata/models/double.tflite";
  const std::vector<uint8_t> bytes = builder.Write();
  if (std::getenv("MUNJA_WRITE_TESTDATA") != nullptr) {
    ASSERT_TRUE(WriteFile(path, bytes).ok());
  }
  const auto file = ReadFile(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file, bytes);
}

struct Custom {
  static TfLiteStatus SameShape(TfLiteContext* context, TfLiteNode* node) {
    return context->ResizeTensor(
        context, &context->tensors[node->outputs->data[0]],
        TfLiteIntArrayCopy(context->tensors[node->inputs->data[0]].dims));
  }
  static TfLiteStatus Negate(TfLiteContext* context, TfLiteNode* node) {
    const TfLiteTensor& in = context->tensors[node->inputs->data[0]];
    const TfLiteTensor& out = context->tensors[node->outputs->data[0]];
    for (size_t i = 0; i < in.bytes / 4; ++i) out.data.f[i] = -in.data.f[i];
    return kTfLiteOk;
  }
  static TfLiteRegistration Registration() {
    TfLiteRegistration r{};
    r.prepare = SameShape;
    r.invoke = Negate;
    r.version = 1;
    return r;
  }
};

TEST_F(InterpreterTest, CustomOperators_Run) {
  const TfLiteRegistration negate = Custom::Registration();
  TfLiteInterpreterOptionsAddCustomOp(options_.get(), "Negate", &negate, 1, 1);
  TfLiteInterpreter* i = Create(CustomModel("Negate", {2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {1, -2}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
  // In the place of a builtin one, of these versions.
  TfLiteInterpreterOptionsAddBuiltinOp(options_.get(), kTfLiteBuiltinAdd,
                                       &negate, 1, 1);
  i = Create(DoubleModel({2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {1, -2}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
  // Selected operators: those that were added are enough.
  interpreter_.reset(
      TfLiteInterpreterCreateWithSelectedOps(model_.get(), options_.get()));
  EXPECT_NE(interpreter_, nullptr) << reports_.text;
}

TEST_F(InterpreterTest, CustomOperator_MayBringItsOwnName) {
  TfLiteRegistration negate = Custom::Registration();
  negate.custom_name = "Negate";
  TfLiteInterpreterOptionsAddCustomOp(options_.get(), nullptr, &negate, 1, 1);
  TfLiteInterpreter* i = Create(CustomModel("Negate", {2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {1, -2}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
}

TEST_F(InterpreterTest, OperatorsFromCallbacks_AreFound) {
  static const TfLiteRegistration negate = Custom::Registration();
  TfLiteInterpreterOptionsSetOpResolver(
      options_.get(), nullptr,
      [](void* user_data, const char* name, int) -> const TfLiteRegistration* {
        *static_cast<std::string*>(user_data) += name;
        return &negate;
      },
      &asked_);
  TfLiteInterpreter* i = Create(CustomModel("Minus", {1}));
  ASSERT_NE(i, nullptr) << reports_.text;
  EXPECT_EQ(asked_, "Minus");
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {5}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(Floats(Output()), ElementsAre(-5));
  // Nothing else is there.
  EXPECT_EQ(Create(DoubleModel({1})), nullptr);
}

TEST_F(InterpreterTest, OperatorObjects_Run) {
  std::unique_ptr<TfLiteOperator, Deleter> op(
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Negate", 1, &asked_));
  EXPECT_STREQ(TfLiteOperatorGetCustomName(op.get()), "Negate");
  TfLiteOperatorSetInitWithData(op.get(),
                                [](void* user_data, TfLiteOpaqueContext*,
                                   const char* buffer, size_t length) -> void* {
                                  static_cast<std::string*>(user_data)->assign(
                                      buffer, length);
                                  return user_data;
                                });
  TfLiteOperatorSetFreeWithData(
      op.get(), [](void* user_data, TfLiteOpaqueContext*, void* data) {
        EXPECT_EQ(user_data, data);
        static_cast<std::string*>(user_data)->append(" freed");
      });
  TfLiteOperatorSetPrepare(
      op.get(), [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
        return Custom::SameShape(reinterpret_cast<TfLiteContext*>(context),
                                 reinterpret_cast<TfLiteNode*>(node));
      });
  TfLiteOperatorSetInvoke(
      op.get(), [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
        return Custom::Negate(reinterpret_cast<TfLiteContext*>(context),
                              reinterpret_cast<TfLiteNode*>(node));
      });
  TfLiteInterpreterOptionsAddOperator(options_.get(), op.get());
  TfLiteInterpreter* i = Create(CustomModel("Negate", {2}, {'a', 'b'}));
  ASSERT_NE(i, nullptr) << reports_.text;
  EXPECT_EQ(asked_, "ab");
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {1, -2}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
  interpreter_.reset();
  EXPECT_EQ(asked_, "ab freed");
}

// The model's ADD is of version 1: an operator for another version leaves it to
// the library's own.
TEST_F(InterpreterTest, OperatorObjects_MatchTheirVersionOnly) {
  for (const int version : {1, 2}) {
    options_ = MakeOptions(&reports_);
    std::unique_ptr<TfLiteOperator, Deleter> op(
        TfLiteOperatorCreate(kTfLiteBuiltinAdd, nullptr, version, nullptr));
    TfLiteOperatorSetPrepare(
        op.get(), [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
          return Custom::SameShape(reinterpret_cast<TfLiteContext*>(context),
                                   reinterpret_cast<TfLiteNode*>(node));
        });
    TfLiteOperatorSetInvoke(
        op.get(), [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
          return Custom::Negate(reinterpret_cast<TfLiteContext*>(context),
                                reinterpret_cast<TfLiteNode*>(node));
        });
    TfLiteInterpreterOptionsAddOperator(options_.get(), op.get());
    TfLiteInterpreter* i = Create(DoubleModel({2}));
    ASSERT_NE(i, nullptr) << reports_.text;
    ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
    ASSERT_TRUE(Fill(Input(), {1, -2}));
    ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
    if (version == 1) {
      EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
    } else {
      EXPECT_THAT(Floats(Output()), ElementsAre(2, -4));
    }
    interpreter_.reset();
  }
}

TEST_F(InterpreterTest, Cancel_EndsARun) {
  static TfLiteInterpreter* running = nullptr;
  static int invokes = 0;
  TfLiteRegistration cancels = Custom::Registration();
  cancels.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    ++invokes;
    TfLiteInterpreterCancel(running);
    return Custom::Negate(context, node);
  };
  TfLiteInterpreterOptionsAddCustomOp(options_.get(), "Cancels", &cancels, 1,
                                      1);
  TfLiteInterpreterOptionsEnableCancellation(options_.get(), true);
  GraphBuilder builder;
  const auto x = builder.Input({1});
  const auto y = builder.Value({1});
  const auto z = builder.Value({1});
  builder.Node("Cancels", {x}, {y}).is_custom = true;
  builder.Node("Cancels", {y}, {z}).is_custom = true;
  builder.Output(z);
  running = Create(builder.Write());
  ASSERT_NE(running, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(running), kTfLiteOk);
  for (int run = 1; run <= 2; ++run) {
    EXPECT_EQ(TfLiteInterpreterInvoke(running), kTfLiteCancelled);
    EXPECT_EQ(invokes, run);
  }
}

// Another thread in the middle of a run.
TEST_F(InterpreterTest, SecondThread_IsRefused) {
  static TfLiteInterpreter* running = nullptr;
  TfLiteRegistration meddles = Custom::Registration();
  meddles.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    std::thread([] {
      const int dims[] = {3};
      EXPECT_EQ(TfLiteInterpreterInvoke(running), kTfLiteError);
      EXPECT_EQ(TfLiteInterpreterAllocateTensors(running), kTfLiteError);
      EXPECT_EQ(TfLiteInterpreterResizeInputTensor(running, 0, dims, 1),
                kTfLiteError);
      EXPECT_EQ(TfLiteInterpreterResetVariableTensors(running), kTfLiteError);
    }).join();
    return Custom::Negate(context, node);
  };
  TfLiteInterpreterOptionsAddCustomOp(options_.get(), "Meddles", &meddles, 1,
                                      1);
  running = Create(CustomModel("Meddles", {2}));
  ASSERT_NE(running, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(running), kTfLiteOk);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(Fill(Input(), {1, -2}));
    reports_.text.clear();
    EXPECT_EQ(TfLiteInterpreterInvoke(running), kTfLiteOk);
    EXPECT_THAT(reports_.text, HasSubstr("in use by another thread"));
    EXPECT_THAT(Floats(Output()), ElementsAre(-1, 2));
  }
}

TEST_F(InterpreterTest, ExceptionOfAnOperator_IsAnError) {
  TfLiteRegistration throws = Custom::Registration();
  throws.invoke = [](TfLiteContext*, TfLiteNode*) -> TfLiteStatus { throw 5; };
  TfLiteInterpreterOptionsAddCustomOp(options_.get(), "Throws", &throws, 1, 1);
  TfLiteInterpreter* i = Create(CustomModel("Throws", {2}));
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_TRUE(Fill(Input(), {1, -2}));
  EXPECT_EQ(TfLiteInterpreterInvoke(i), kTfLiteError);
  EXPECT_THAT(reports_.text, HasSubstr("an exception of an unknown kind"));
}

TEST_F(InterpreterTest, FailingDelegates_AreReported) {
  TfLiteDelegate failing = TfLiteDelegateCreate();
  failing.Prepare = [](TfLiteContext* context, TfLiteDelegate*) {
    context->ReportError(context, "no such accelerator");
    return kTfLiteError;
  };
  TfLiteInterpreter* i = Create(DoubleModel({1}));
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  EXPECT_EQ(TfLiteInterpreterModifyGraphWithDelegate(i, nullptr),
            kTfLiteDelegateError);
  EXPECT_EQ(TfLiteInterpreterModifyGraphWithDelegate(i, &failing),
            kTfLiteDelegateError);
  EXPECT_THAT(reports_.text, HasSubstr("no such accelerator"));
  EXPECT_THAT(reports_.text, HasSubstr("Restored original execution plan"));
  // All is as it was.
  ASSERT_TRUE(Fill(Input(), {4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(Floats(Output()), ElementsAre(8));
  // Given as an option, its nodes run on the CPU, and the reason is reported.
  reports_.text.clear();
  TfLiteInterpreterOptionsAddDelegate(options_.get(), &failing);
  i = Create(DoubleModel({1}));
  ASSERT_NE(i, nullptr);
  EXPECT_THAT(reports_.text, HasSubstr("no such accelerator"));
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_TRUE(Fill(Input(), {4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(Floats(Output()), ElementsAre(8));
}

TEST_F(InterpreterTest, Delegates_TakeNodes) {
  static int kernels = 0;
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    TfLiteIntArray* plan = nullptr;
    TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
    TfLiteRegistration kernel = Custom::Registration();
    kernel.init = [](TfLiteContext*, const char*, size_t) -> void* {
      ++kernels;
      return nullptr;
    };
    kernel.custom_name = "negating delegate";
    // As sources older than the field leave it.
    kernel.registration_external = reinterpret_cast<TfLiteOperator*>(1);
    TfLiteIntArray* nodes = TfLiteIntArrayCopy(plan);
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, kernel, nodes, self);
    TfLiteIntArrayFree(nodes);
    return status;
  };
  TfLiteInterpreter* i = Create(DoubleModel({1}));
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterModifyGraphWithDelegate(i, &delegate), kTfLiteOk)
      << reports_.text;
  EXPECT_EQ(kernels, 1);
  ASSERT_TRUE(Fill(Input(), {4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-4));
  // The delegate runs an operator that nothing else provides.
  TfLiteInterpreterOptionsAddDelegate(options_.get(), &delegate);
  i = Create(CustomModel("Unheard", {1}));
  ASSERT_NE(i, nullptr) << reports_.text;
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk) << reports_.text;
  ASSERT_TRUE(Fill(Input(), {4}));
  ASSERT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk) << reports_.text;
  EXPECT_THAT(Floats(Output()), ElementsAre(-4));
}

TEST_F(InterpreterTest, FailureOfADelegateKernel_IsReported) {
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    TfLiteIntArray* plan = nullptr;
    TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
    TfLiteRegistration kernel{};
    kernel.builtin_code = kTfLiteBuiltinDelegate;
    kernel.custom_name = "failing";
    kernel.invoke = [](TfLiteContext* c, TfLiteNode*) {
      c->ReportError(c, "the chip melted");
      return kTfLiteError;
    };
    TfLiteIntArray* nodes = TfLiteIntArrayCopy(plan);
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, kernel, nodes, self);
    TfLiteIntArrayFree(nodes);
    return status;
  };
  TfLiteInterpreter* i = Create(DoubleModel({1}));
  ASSERT_EQ(TfLiteInterpreterModifyGraphWithDelegate(i, &delegate), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(i), kTfLiteOk);
  ASSERT_TRUE(Fill(Input(), {4}));
  EXPECT_EQ(TfLiteInterpreterInvoke(i), kTfLiteOk);
  EXPECT_THAT(reports_.text, HasSubstr("the chip melted"));
  EXPECT_THAT(Floats(Output()), ElementsAre(8));
}

TEST_F(InterpreterTest, Constants_AreReadOnly) {
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
