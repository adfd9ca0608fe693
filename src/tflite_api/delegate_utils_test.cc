// Headers besides the C API that sources for TensorFlow Lite include: helpers
// of delegates, opaque delegates as classes, tables and scales, arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/lite/delegates/utils.h"
#include "tensorflow/lite/delegates/utils/simple_opaque_delegate.h"
#include "tensorflow/lite/kernels/internal/common.h"
#include "tensorflow/lite/kernels/internal/reference/integer_ops/lut.h"
#include "tensorflow/lite/kernels/internal/tensor.h"
#include "tensorflow/lite/kernels/padding.h"
#include "tensorflow/lite/logger.h"
#include "tensorflow/lite/tools/command_line_flags.h"
#include "tensorflow/lite/type_to_tflitetype.h"
#include "tflite/kernels/internal/quantization_util.h"
#include "tflite_api/delegate_adapter.h"
#include "tflite_api/external_testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ModelBuilder;
using testing::RunOn;

runtime::SessionOptions With(TfLiteDelegate* delegate) {
  runtime::SessionOptions options;
  auto wrapped = WrapDelegate(delegate, "helped");
  EXPECT_TRUE(wrapped.ok());
  options.delegates.push_back(std::move(*wrapped));
  return options;
}

// --- GraphPartitionHelper ---

// The nodes that Prepare of a delegate saw.
struct Seen {
  std::vector<int> groups, nodes;
  std::set<std::string> refused;
  int total = 0, supported = 0;
};

TEST(GraphPartitionHelperTest, SupportedNodes_AreGrouped) {
  // NEG NEG | ABS | NEG: two groups.
  ModelBuilder model;
  graph::ValueId v = model.Input({2});
  for (const char* op : {"NEG", "NEG", "ABS", "NEG"}) {
    const graph::ValueId next = model.Tensor({2});
    model.Builtin(op, {v}, {next});
    v = next;
  }
  model.Output(v);
  static Seen seen;
  seen = Seen();
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate*) {
    ::tflite::delegates::GraphPartitionHelper helper(
        context, [](TfLiteContext*, TfLiteNode*, TfLiteRegistration* r,
                    std::string* why) {
          if (r->builtin_code == kTfLiteBuiltinNeg) return true;
          *why = "no such unit";
          return false;
        });
    TF_LITE_ENSURE_STATUS(helper.Partition(&seen.refused));
    for (const TfLiteDelegateParams* group :
         helper.GetFirstNLargestPartitions())
      seen.groups.push_back(group->nodes_to_replace->size);
    seen.nodes = helper.GetNodesOfFirstNLargestPartitions(1);
    seen.total = helper.num_total_nodes();
    seen.supported = helper.num_supported_nodes();
    EXPECT_EQ(helper.num_partitions(), 2);
    EXPECT_EQ(helper.GetNodesOfFirstNLargestPartitions(9, 2).size(), 2u);
    return kTfLiteOk;
  };
  auto session = runtime::CreateSession(model.Take(), With(&delegate));
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(seen.groups, ElementsAre(2, 1));
  EXPECT_THAT(seen.nodes, ElementsAre(0, 1));
  EXPECT_THAT(seen.refused, ElementsAre("ABS: no such unit"));
  EXPECT_EQ(seen.total, 4);
  EXPECT_EQ(seen.supported, 3);
}

// x * c + {1, 2}, the sum with a constant of float16 behind a DEQUANTIZE.
TEST(GraphPartitionHelperTest, Float16Constants_AreFoldedBeforeADelegateLooks) {
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  // 1.0 and 2.0 in IEEE 754 binary16, little endian.
  const graph::ValueId half = model.Tensor({2}, ElementType::kFloat16);
  model.sub().values[half].constant =
      graph::MakeConstant({0x00, 0x3c, 0x00, 0x40});
  const graph::ValueId c = model.Tensor({2});
  const graph::ValueId y = model.Tensor({2});
  model.Builtin("DEQUANTIZE", {half}, {c});
  model.Builtin("ADD", {x, c}, {y});
  model.Output(y);
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    ::tflite::delegates::FP16GraphPartitionHelper helper(
        context, [](TfLiteContext* k, TfLiteNode* node, TfLiteRegistration* r,
                    std::string*) {
          return r->builtin_code == kTfLiteBuiltinAdd &&
                 ::tflite::IsConstantTensor(&k->tensors[node->inputs->data[1]]);
        });
    TF_LITE_ENSURE_STATUS(helper.Partition(nullptr));
    TfLiteIntArray* nodes = ::tflite::ConvertVectorToTfLiteIntArray(
        helper.GetNodesOfFirstNLargestPartitions());
    TfLiteRegistration kernel{};
    kernel.custom_name = "halves";
    kernel.builtin_code = kTfLiteBuiltinDelegate;
    kernel.invoke = [](TfLiteContext* k, TfLiteNode* node) {
      float* out = k->tensors[node->outputs->data[0]].data.f;
      out[0] = out[1] = 100;
      for (int i = 0; i < node->inputs->size; ++i) {
        const TfLiteTensor& t = k->tensors[node->inputs->data[i]];
        TF_LITE_ENSURE_TYPES_EQ(k, t.type, kTfLiteFloat32);
        for (int e = 0; e < 2; ++e) out[e] += t.data.f[e];
      }
      return kTfLiteOk;
    };
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, kernel, nodes, self);
    TfLiteIntArrayFree(nodes);
    return status;
  };
  auto session = runtime::CreateSession(model.Take(), With(&delegate));
  ASSERT_TRUE(session.ok());
  const auto result = RunOn(**session, {10, 20}, {2});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.values, ElementsAre(111, 122));
}

// The tensor that a delegate gave a node instead of its constant, and the one
// that its kernel, which sums all of them, was then handed.
struct OtherConstant {
  int replacement = -1;
  std::vector<int> inputs;
};

TEST(GraphPartitionHelperTest, ChangedInputs_AreThoseOfTheKernel) {
  ModelBuilder model;
  const graph::ValueId x = model.Input({1});
  const graph::ValueId one =
      model.Constant(Shape({1}), std::vector<float>{1.0f});
  const graph::ValueId seven =
      model.Constant(Shape({1}), std::vector<float>{7.0f});
  const graph::ValueId a = model.Tensor({1});
  const graph::ValueId b = model.Tensor({1});
  model.Builtin("ADD", {x, one}, {a});
  model.Builtin("MAXIMUM", {a, seven}, {b});
  model.Output(b);
  static OtherConstant other;
  other = {static_cast<int>(seven), {}};
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* r = nullptr;
    TF_LITE_ENSURE_STATUS(
        context->GetNodeAndRegistration(context, 0, &node, &r));
    node->inputs->data[1] = other.replacement;
    TfLiteRegistration kernel{};
    kernel.custom_name = "other";
    kernel.builtin_code = kTfLiteBuiltinDelegate;
    kernel.init = [](TfLiteContext*, const char* buffer, size_t) -> void* {
      const auto* params =
          reinterpret_cast<const TfLiteDelegateParams*>(buffer);
      const TfLiteIntArray* list = params->input_tensors;
      other.inputs.assign(list->data, list->data + list->size);
      return nullptr;
    };
    kernel.invoke = [](TfLiteContext* k, TfLiteNode* n) {
      float& sum = k->tensors[n->outputs->data[0]].data.f[0];
      sum = 0;
      for (const int t : other.inputs) sum += k->tensors[t].data.f[0];
      return kTfLiteOk;
    };
    TfLiteIntArray* nodes = ::tflite::ConvertVectorToTfLiteIntArray({0});
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, kernel, nodes, self);
    TfLiteIntArrayFree(nodes);
    return status;
  };
  auto session = runtime::CreateSession(model.Take(), With(&delegate));
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(RunOn(**session, {10}, {1}).values, ElementsAre(17));
  EXPECT_THAT(other.inputs,
              ElementsAre(static_cast<int>(x), static_cast<int>(seven)));
}

// A delegate may turn the inputs of a node around.
TEST(GraphPartitionHelperTest, Inputs_ArriveInTheDelegatesOrder) {
  ModelBuilder model;
  const graph::ValueId x = model.Input({1});
  const graph::ValueId three =
      model.Constant(Shape({1}), std::vector<float>{3.0f});
  const graph::ValueId y = model.Tensor({1});
  model.Builtin("SUB", {x, three}, {y});
  model.Output(y);
  TfLiteDelegate delegate = TfLiteDelegateCreate();
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* r = nullptr;
    TF_LITE_ENSURE_STATUS(
        context->GetNodeAndRegistration(context, 0, &node, &r));
    std::swap(node->inputs->data[0], node->inputs->data[1]);
    TfLiteRegistration kernel{};
    kernel.custom_name = "swapped";
    kernel.builtin_code = kTfLiteBuiltinDelegate;
    kernel.init = [](TfLiteContext* c, const char* buffer, size_t) -> void* {
      const auto* params =
          reinterpret_cast<const TfLiteDelegateParams*>(buffer);
      TfLiteNode* inner = nullptr;
      TfLiteRegistration* registration = nullptr;
      c->GetNodeAndRegistration(c, params->nodes_to_replace->data[0], &inner,
                                &registration);
      return new std::pair<int, int>(inner->inputs->data[0],
                                     inner->inputs->data[1]);
    };
    kernel.free = [](TfLiteContext*, void* data) {
      delete static_cast<std::pair<int, int>*>(data);
    };
    kernel.invoke = [](TfLiteContext* c, TfLiteNode* n) {
      const auto& [a, b] = *static_cast<std::pair<int, int>*>(n->user_data);
      c->tensors[n->outputs->data[0]].data.f[0] =
          c->tensors[a].data.f[0] - c->tensors[b].data.f[0];
      return kTfLiteOk;
    };
    TfLiteIntArray* nodes = ::tflite::ConvertVectorToTfLiteIntArray({0});
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, kernel, nodes, self);
    TfLiteIntArrayFree(nodes);
    return status;
  };
  auto session = runtime::CreateSession(model.Take(), With(&delegate));
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(RunOn(**session, {10}, {1}).values, ElementsAre(-7));
}

// --- SimpleOpaqueDelegate ---

class OpaqueNegKernel : public ::tflite::SimpleOpaqueDelegateKernelInterface {
 public:
  TfLiteStatus Init(TfLiteOpaqueContext*,
                    const TfLiteOpaqueDelegateParams* params) override {
    return params->nodes_to_replace->size == 1 ? kTfLiteOk : kTfLiteError;
  }
  TfLiteStatus Prepare(TfLiteOpaqueContext*, TfLiteOpaqueNode*) override {
    return kTfLiteOk;
  }
  TfLiteStatus Eval(TfLiteOpaqueContext* context,
                    TfLiteOpaqueNode* node) override {
    const auto* in = TfLiteOpaqueNodeGetInput(context, node, 0);
    auto* out = TfLiteOpaqueNodeGetOutput(context, node, 0);
    const auto* x = static_cast<const float*>(TfLiteOpaqueTensorData(in));
    auto* y = static_cast<float*>(TfLiteOpaqueTensorData(out));
    for (size_t i = 0; i < TfLiteOpaqueTensorByteSize(in) / sizeof(float); ++i)
      y[i] = 100 - x[i];
    return kTfLiteOk;
  }
};

class OpaqueNegDelegate : public ::tflite::SimpleOpaqueDelegateInterface {
 public:
  bool IsNodeSupportedByDelegate(const TfLiteOperator* op,
                                 const TfLiteOpaqueNode*,
                                 TfLiteOpaqueContext*) const override {
    return TfLiteOperatorGetBuiltInCode(op) == kTfLiteBuiltinNeg;
  }
  TfLiteStatus Initialize(TfLiteOpaqueContext*) override { return kTfLiteOk; }
  const char* Name() const override { return "OpaqueNeg"; }
  std::unique_ptr<::tflite::SimpleOpaqueDelegateKernelInterface>
  CreateDelegateKernelInterface() override {
    return std::make_unique<OpaqueNegKernel>();
  }
};

TEST(SimpleOpaqueDelegateTest, Delegate_TakesSupportedNodes) {
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId a = model.Tensor({2});
  const graph::ValueId b = model.Tensor({2});
  model.Builtin("NEG", {x}, {a});
  model.Builtin("ABS", {a}, {b});
  model.Output(b);
  auto delegate = ::tflite::TfLiteOpaqueDelegateFactory::Create(
      std::make_unique<OpaqueNegDelegate>());
  ASSERT_NE(delegate, nullptr);
  auto session = runtime::CreateSession(model.Take(), With(delegate.get()));
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(RunOn(**session, {1, 150}, {2}).values, ElementsAre(99, 50));
}

// --- Tables and scales ---

// Each entry is the function of the number that the index stands for, to half
// of a step of the output.
TEST(LookupTableTest, EightBitEntries_AreTheFunction) {
  const float in_scale = 0.05f, out_scale = 1.0f / 128;
  int8_t lut[::tflite::LUTSize<int8_t>()];
  ::tflite::LUTPopulate<int8_t>(
      in_scale, 3, out_scale, -5, [](float x) { return std::tanh(x); }, lut);
  for (int q = -128; q <= 127; ++q) {
    const auto input = static_cast<int8_t>(q);
    int8_t output = 0;
    ::tflite::reference_integer_ops::LookupTable(&input, 1, lut, &output);
    const float exact = std::tanh(in_scale * static_cast<float>(q - 3));
    const float steps = std::clamp(exact / out_scale - 5, -128.f, 127.f);
    EXPECT_NEAR(output, steps, 0.51f) << q;
  }
}

// Between its 512 steps the table of 16 bits interpolates: of a smooth function
// the error is some units of 32768.
TEST(LookupTableTest, SixteenBits_AreInterpolated) {
  const float in_scale = 4.0f / 32768, out_scale = 1.0f / 32768;
  std::vector<int16_t> lut(::tflite::LUTSize<int16_t>());
  ::tflite::LUTPopulate<int16_t>(
      in_scale, 0, out_scale, 0, [](float x) { return std::tanh(x); },
      lut.data());
  for (int q = -32768; q <= 32767; q += 37) {
    const float exact = std::tanh(in_scale * static_cast<float>(q)) / out_scale;
    EXPECT_NEAR(::tflite::LUTLookup(static_cast<int16_t>(q), lut.data()), exact,
                4)
        << q;
  }
}

TEST(QuantizationUtilTest, Ranges_BecomeScalesAndZeroPoints) {
  const auto params = ::tflite::ChooseQuantizationParams<uint8_t>(-1.0, 1.55);
  EXPECT_NEAR(params.scale, 0.01, 1e-12);
  EXPECT_EQ(params.zero_point, 100);
  const auto narrow = ::tflite::ChooseQuantizationParams<int8_t>(-1, 1, true);
  EXPECT_NEAR(narrow.scale, 2.0 / 254, 1e-12);
  EXPECT_EQ(narrow.zero_point, 0);
  EXPECT_EQ(::tflite::ChooseQuantizationParams<int8_t>(0, 0).scale, 0.0);
}

TEST(QuantizationUtilTest, SoftmaxScales_AreFixedPoint) {
  int32_t multiplier = 0;
  int shift = 0;
  // beta * scale * 2^(31 - 5) = 2^26 / 8 = 2^23 = 0.5 * 2^24.
  ::tflite::PreprocessSoftmaxScaling(1.0, 0.125, 5, &multiplier, &shift);
  EXPECT_EQ(multiplier, 1 << 30);
  EXPECT_EQ(shift, 24);
  // (2^5 - 1) * 2^(31 - 5) / 2^24.
  EXPECT_EQ(::tflite::CalculateInputRadius(5, 24), 31 * 4);
  int log2 = 0;
  EXPECT_TRUE(::tflite::CheckedLog2(0.25f, &log2));
  EXPECT_EQ(log2, -2);
  EXPECT_FALSE(::tflite::CheckedLog2(0.3f, &log2));
}

TEST(KernelTypesTest, Indices_CountUpAndReduce) {
  const int dims[] = {2, 3};
  int index[] = {0, 0};
  const int axis[] = {0};
  std::vector<size_t> offsets;
  do {
    offsets.push_back(::tflite::ReducedOutputOffset(2, dims, index, 1, axis));
  } while (::tflite::NextIndex(2, dims, index));
  EXPECT_THAT(offsets, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(KernelTypesTest, Tensors_HaveTheirTypes) {
  EXPECT_EQ(::tflite::typeToTfLiteType<int8_t>(), kTfLiteInt8);
  EXPECT_EQ(::tflite::typeToTfLiteType<const float>(), kTfLiteFloat32);
  EXPECT_EQ(::tflite::typeToTfLiteType<std::string>(), kTfLiteString);
  EXPECT_EQ(::tflite::typeToTfLiteType<ModelBuilder>(), kTfLiteNoType);
  static_assert(
      std::is_same_v<::tflite::TfLiteTypeToType<kTfLiteInt64>::Type, int64_t>);
}

TEST(CheckedIntTest, Overflow_IsRemembered) {
  ::tflite::CheckedInt<size_t> bytes = 3;
  bytes *= size_t{5};
  EXPECT_EQ(bytes.Value(), 15u);
  EXPECT_EQ(bytes.Status(), kTfLiteOk);
  EXPECT_TRUE(::tflite::CheckedInt<size_t>(-1).Overflow());
  const ::tflite::CheckedInt<int> big = 1 << 30;
  EXPECT_TRUE((big * 2).Overflow());
  EXPECT_EQ((big * 2 / 4).Status(), kTfLiteError);
  EXPECT_TRUE((::tflite::CheckedInt<int>(1) / 0).Overflow());
  EXPECT_TRUE((::tflite::CheckedInt<int>(std::numeric_limits<int>::min()) / -1)
                  .Overflow());
  EXPECT_TRUE(::tflite::CheckedInt<int>(int64_t{1} << 40).Overflow());
  auto dims = ::tflite::BuildTfLiteArray({1 << 30, 1 << 30, 1 << 30});
  size_t count = 0;
  EXPECT_EQ(::tflite::CheckedNumElements(dims.get(), count), kTfLiteError);
}

// "Same" keeps the size over the stride; of an odd sum the far side gets more.
TEST(PaddingTest, ThreeDimensions_ArePadded) {
  int height = 0, width = 0, depth = 0;
  const auto padding = ::tflite::ComputePadding3DValues(
      2, 1, 1, 1, 1, 1, 5, 4, 3, 4, 3, 1, kTfLitePaddingSame, &height, &width,
      &depth);
  EXPECT_EQ(height, 3);
  EXPECT_EQ(width, 4);
  EXPECT_EQ(depth, 3);
  EXPECT_EQ(padding.height, 1);  // (3 - 1) * 2 + 4 - 5 = 3.
  EXPECT_EQ(padding.height_offset, 1);
  EXPECT_EQ(padding.width, 1);
  EXPECT_EQ(padding.depth, 0);
}

// --- Strings ---

TfLiteTensor StringTensor(std::vector<int> dims) {
  TfLiteTensor tensor{};
  tensor.type = kTfLiteString;
  tensor.allocation_type = kTfLiteDynamic;
  tensor.dims = ::tflite::ConvertVectorToTfLiteIntArray(dims);
  return tensor;
}

TEST(DynamicBufferTest, MissingShape_KeepsTheCurrentOne) {
  TfLiteTensor tensor = StringTensor({2, 1});
  ::tflite::DynamicBuffer buffer;
  buffer.AddString("a", 1);
  buffer.AddString("bc", 2);
  buffer.WriteToTensor(&tensor, nullptr);
  ASSERT_EQ(tensor.dims->size, 2);
  EXPECT_EQ(tensor.dims->data[0], 2);
  EXPECT_EQ(tensor.dims->data[1], 1);
  // Picked out of order.
  TfLiteTensor picked = StringTensor({3});
  {
    ::tflite::SequentialTensorWriter<std::string> writer(&tensor, &picked);
    writer.Write(1);
    writer.WriteN(0, 2);
  }
  ASSERT_EQ(::tflite::GetStringCount(&picked), 3);
  EXPECT_EQ(::tflite::GetString(&picked, 0).len, 2u);
  EXPECT_EQ(std::string(::tflite::GetString(&picked, 2).str, 2), "bc");
  TfLiteTensorFree(&tensor);
  TfLiteTensorFree(&picked);
}

// --- Programs ---

TEST(FlagsTest, KnownArguments_AreReadAndTheRestLeft) {
  int32_t threads = 1;
  float ratio = 0;
  bool verbose = false;
  std::string model, input;
  std::vector<::tflite::Flag> flags = {
      ::tflite::Flag::CreateFlag("threads", &threads, "how many"),
      ::tflite::Flag::CreateFlag("ratio", &ratio, "of both"),
      ::tflite::Flag::CreateFlag("verbose", &verbose, "says more"),
      ::tflite::Flag::CreateFlag("model", &model, "a file",
                                 ::tflite::Flag::kRequired),
      ::tflite::Flag::CreateFlag("input", &input, "a file",
                                 ::tflite::Flag::kPositional)};
  const char* argv[] = {"program",   "--threads=3", "picture.png",
                        "--verbose", "--model=a=b", "--ratio=0.5",
                        "--unknown", "--",          "--threads=9"};
  int argc = 9;
  ASSERT_TRUE(::tflite::Flags::Parse(&argc, argv, flags));
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(ratio, 0.5f);
  EXPECT_TRUE(verbose);
  EXPECT_EQ(model, "a=b");
  EXPECT_EQ(input, "picture.png");
  EXPECT_EQ(::tflite::Flags::ArgsToString(argc, argv),
            "--unknown -- --threads=9");
  EXPECT_THAT(::tflite::Flags::Usage("program", flags),
              HasSubstr("--threads=1"));
}

TEST(FlagsTest, WrongAndMissingArguments_AreRefused) {
  int32_t threads = 1;
  std::string model;
  const std::vector<::tflite::Flag> flags = {
      ::tflite::Flag::CreateFlag("threads", &threads, "how many"),
      ::tflite::Flag::CreateFlag("model", &model, "a file",
                                 ::tflite::Flag::kRequired)};
  for (const char* wrong :
       {"--threads=three", "--threads=9999999999", "--threads="}) {
    const char* argv[] = {"program", "--model=x", wrong};
    int argc = 3;
    EXPECT_FALSE(::tflite::Flags::Parse(&argc, argv, flags)) << wrong;
  }
  const char* argv[] = {"program", "--threads=2"};
  int argc = 2;
  EXPECT_FALSE(::tflite::Flags::Parse(&argc, argv, flags));
}

TEST(LoggerTest, LeastSeverity_IsKept) {
  const auto before = ::tflite::LoggerOptions::SetMinimumLogSeverity(
      ::tflite::TFLITE_LOG_ERROR);
  EXPECT_EQ(::tflite::LoggerOptions::GetMinimumLogSeverity(),
            ::tflite::TFLITE_LOG_ERROR);
  EXPECT_EQ(::tflite::LoggerOptions::SetMinimumLogSeverity(before),
            ::tflite::TFLITE_LOG_ERROR);
}

}  // namespace
}  // namespace munja::compat
