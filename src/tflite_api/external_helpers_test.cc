// Helpers that sources written for TensorFlow Lite include: options of
// operators on landmarks, settings of programs, arithmetic on whole tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

// Numbers in texts are not read: no need for the library that does it.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include "flatbuffers/flexbuffers.h"
#include "tensorflow/core/util/ragged_to_dense_util_common.h"
#include "tensorflow/lite/acceleration/configuration/c/stable_delegate.h"
#include "tensorflow/lite/delegates/gpu/common/mediapipe/landmarks_to_transform_matrix.h"
#include "tensorflow/lite/delegates/gpu/common/mediapipe/transform_landmarks.h"
#include "tensorflow/lite/delegates/gpu/common/mediapipe/transform_tensor_bilinear.h"
#include "tensorflow/lite/kernels/dequantize.h"
#include "tensorflow/lite/kernels/internal/reference/binary_function.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/shared_library.h"
#include "tensorflow/lite/tools/delegates/delegate_provider.h"
#include "tensorflow/lite/util.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint8_t> Options(
    const std::function<void(flexbuffers::Builder&)>& fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(LandmarkOptions, Options_AreReadByName) {
  const std::vector<uint8_t> bytes =
      Options([](flexbuffers::Builder& b) { b.String("dimensions", "two"); });
  ::tflite::gpu::BHWC shape;
  ::tflite::gpu::TransformLandmarksAttributes bad;
  const auto wrong = ::tflite::gpu::ParseTransformLandmarksV1Attributes(
      bytes.data(), static_cast<uint32_t>(bytes.size()), &bad, &shape);
  EXPECT_FALSE(wrong.ok());
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("dimensions"));

  const std::vector<uint8_t> matrix = Options([](flexbuffers::Builder& b) {
    b.Int("left_rotation_idx", 3);
    b.Int("right_rotation_idx", 5);
    b.Float("target_rotation_radians", 0.5f);
    b.Int("output_height", 64);
    b.Int("output_width", 48);
    b.Float("scale_x", 1.5f);
    b.Float("scale_y", 2.5f);
    b.TypedVector("subset_idxs", [&] {
      for (const int i : {1, 2, 7}) b.Int(i);
    });
  });
  ::tflite::gpu::LandmarksToTransformMatrixV2Attributes a;
  ASSERT_TRUE(
      ::tflite::gpu::ParseLandmarksToTransformMatrixV2Attributes(
          matrix.data(), static_cast<uint32_t>(matrix.size()), &a, &shape)
          .ok());
  EXPECT_EQ(a.left_rotation_idx, 3);
  EXPECT_EQ(a.right_rotation_idx, 5);
  EXPECT_EQ(a.target_rotation_radians, 0.5f);
  EXPECT_EQ(a.output_height, 64);
  EXPECT_EQ(a.output_width, 48);
  EXPECT_EQ(a.scale_x, 1.5f);
  EXPECT_EQ(a.scale_y, 2.5f);
  using ::tflite::gpu::int2;
  EXPECT_THAT(a.subset_idxs, ElementsAre(int2(1, 2), int2(7, 7)));
  EXPECT_EQ(shape.b * shape.h, 1);
  EXPECT_EQ(shape.w * shape.c, 16);
}

TEST(LandmarkOptions, Transforms_AreRead) {
  const std::vector<uint8_t> first = Options([](flexbuffers::Builder& b) {
    b.Int("dimensions", 2);
    b.Float("scale", 4);
  });
  ::tflite::gpu::BHWC shape(1, 1, 5, 3);
  ::tflite::gpu::TransformLandmarksAttributes landmarks;
  ASSERT_TRUE(
      ::tflite::gpu::ParseTransformLandmarksV1Attributes(
          first.data(), static_cast<uint32_t>(first.size()), &landmarks, &shape)
          .ok());
  EXPECT_EQ(landmarks.dimensions, 2);
  EXPECT_EQ(landmarks.scale, 4);
  // The second version has as many numbers as the map has channels.
  ASSERT_TRUE(::tflite::gpu::ParseTransformLandmarksV2Attributes(
                  nullptr, 0, &landmarks, &shape)
                  .ok());
  EXPECT_EQ(landmarks.dimensions, 3);
  EXPECT_EQ(landmarks.version, 2);

  const std::vector<uint8_t> size = Options([](flexbuffers::Builder& b) {
    b.Int("output_height", 6);
    b.Int("output_width", 8);
  });
  ::tflite::gpu::TransformTensorBilinearAttributes map;
  ASSERT_TRUE(::tflite::gpu::ParseTransformTensorBilinearV2Attributes(
                  size.data(), static_cast<uint32_t>(size.size()), &map, &shape)
                  .ok());
  EXPECT_TRUE(map.align_corners);
  EXPECT_EQ(shape.h, 6);
  EXPECT_EQ(shape.w, 8);

  const std::vector<uint8_t> nearest =
      Options([](flexbuffers::Builder& b) { b.String("mode", "nearest"); });
  EXPECT_FALSE(
      ::tflite::gpu::ParseTransformTensorBilinearV1Attributes(
          nearest.data(), static_cast<uint32_t>(nearest.size()), &map, &shape)
          .ok());
}

TEST(LandmarkOptions, DamagedOptions_AreNotRead) {
  std::vector<uint8_t> bytes = Options([](flexbuffers::Builder& b) {
    b.TypedVector("subset_idxs", [&] {
      for (int i = 0; i < 40; ++i) b.Int(i);
    });
  });
  ::tflite::gpu::BHWC shape;
  for (size_t size = 0; size < bytes.size(); ++size) {
    ::tflite::gpu::LandmarksToTransformMatrixV2Attributes a;
    const auto status =
        ::tflite::gpu::ParseLandmarksToTransformMatrixV2Attributes(
            bytes.data(), static_cast<uint32_t>(size), &a, &shape);
    EXPECT_EQ(status.ok(), status.message().empty());
  }
  ::tflite::gpu::LandmarksToTransformMatrixV2Attributes none;
  EXPECT_FALSE(::tflite::gpu::ParseLandmarksToTransformMatrixV2Attributes(
                   nullptr, 0, &none, &shape)
                   .ok());
}

TEST(VectorTypes, Vectors_ConvertAndCompare) {
  constexpr ::tflite::gpu::int3 sizes(1, 2.0, 3u);
  static_assert(sizes.z == 3 && sizes[1] == 2);
  ::tflite::gpu::float3 floats = sizes;
  floats[0] = 0.5f;
  EXPECT_EQ(floats, ::tflite::gpu::float3(0.5f, 2, 3));
  EXPECT_NE(::tflite::gpu::float2(1.0f), ::tflite::gpu::float2());
  EXPECT_EQ(::tflite::gpu::float4(2).w, 2);
}

TEST(ToolParams, Params_HoldSettings) {
  using ::tflite::tools::ToolParam;
  ::tflite::tools::ToolParams params, other;
  params.AddParam("threads", ToolParam::Create<int32_t>(2));
  params.AddParam("name", ToolParam::Create<std::string>("first"));
  EXPECT_FALSE(params.HasValueSet<int32_t>("threads"));
  params.Set<int32_t>("threads", 4, 7);
  EXPECT_TRUE(params.HasValueSet<int32_t>("threads"));
  EXPECT_EQ(params.GetPosition<int32_t>("threads"), 7);
  other.AddParam("name", ToolParam::Create<std::string>("second"));
  other.AddParam("fast", ToolParam::Create<bool>(true));
  params.Merge(other);
  EXPECT_EQ(params.Get<std::string>("name"), "first");
  EXPECT_TRUE(params.Get<bool>("fast"));
  params.Set(other);
  EXPECT_EQ(params.Get<std::string>("name"), "second");
  EXPECT_DEATH(params.Get<float>("threads"), "another type");
  EXPECT_DEATH(params.Get<float>("speed"), "speed");
}

int delegates_made = 0;

class Provider final : public ::tflite::tools::DelegateProvider {
 public:
  Provider() {
    default_params_.AddParam("use_nothing",
                             ::tflite::tools::ToolParam::Create<bool>(false));
  }
  std::vector<::tflite::Flag> CreateFlags(
      ::tflite::tools::ToolParams* params) const override {
    return {CreateFlag<bool>("use_nothing", params, "a delegate of no use")};
  }
  void LogParams(const ::tflite::tools::ToolParams& params,
                 bool verbose) const override {
    LOG_TOOL_PARAM(params, bool, "use_nothing", "Use nothing", verbose);
  }
  ::tflite::tools::TfLiteDelegatePtr CreateTfLiteDelegate(
      const ::tflite::tools::ToolParams& params) const override {
    if (!params.Get<bool>("use_nothing"))
      return ::tflite::tools::CreateNullDelegate();
    ++delegates_made;
    static TfLiteDelegate delegate = TfLiteDelegateCreate();
    return {&delegate, [](TfLiteOpaqueDelegate*) { --delegates_made; }};
  }
  std::pair<::tflite::tools::TfLiteDelegatePtr, int> CreateRankedTfLiteDelegate(
      const ::tflite::tools::ToolParams& params) const override {
    auto made = CreateTfLiteDelegate(params);
    return {std::move(made), params.GetPosition<bool>("use_nothing")};
  }
  std::string GetName() const override { return "Nothing"; }
};
REGISTER_DELEGATE_PROVIDER(Provider);

TEST(DelegateProvider, Flags_CreateDelegates) {
  ::tflite::tools::ToolParams params;
  const ::tflite::tools::ProvidedDelegateList list(&params);
  list.AddAllDelegateParams();
  std::vector<::tflite::Flag> flags;
  list.AppendCmdlineFlags(flags);
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_TRUE(list.CreateAllRankedDelegates().empty());
  const char* argv[] = {"program", "--use_nothing=true"};
  int argc = 2;
  ASSERT_TRUE(::tflite::Flags::Parse(&argc, argv, flags));
  {
    const auto made = list.CreateAllRankedDelegates();
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0].provider->GetName(), "Nothing");
    EXPECT_EQ(made[0].rank, 1);
    EXPECT_EQ(delegates_made, 1);
  }
  EXPECT_EQ(delegates_made, 0);
  list.RemoveCmdlineFlag(flags, "use_nothing");
  EXPECT_TRUE(flags.empty());
}

TEST(BinaryFunctions, ShapesOfAnyRank_AreBroadcast) {
  const std::vector<int> a = {1, 2, 3, 4, 5, 6};  // 2 x 1 x 3
  const std::vector<int> b = {10, 20};            // 2 x 1
  std::vector<float> out(12);
  ::tflite::reference_ops::BroadcastBinaryFunction4DSlow<float, int, int>(
      ::tflite::RuntimeShape({2, 1, 3}), a.data(),
      ::tflite::RuntimeShape({2, 1}), b.data(),
      ::tflite::RuntimeShape({2, 2, 3}), out.data(),
      [](int x, int y) { return static_cast<float>(x + y); });
  EXPECT_THAT(out, ElementsAre(11, 12, 13, 21, 22, 23, 14, 15, 16, 24, 25, 26));
  ::tflite::reference_ops::BinaryFunction<float, int, int>(
      ::tflite::RuntimeShape({2}), b.data(), ::tflite::RuntimeShape({2}),
      b.data(), ::tflite::RuntimeShape({2}), out.data(),
      [](int x, int y) { return static_cast<float>(x - 2 * y); });
  EXPECT_EQ(out[1], -20);
}

// The last reported message.
std::string said;
void Keep(TfLiteContext*, const char* format, ...) { said = format; }

TEST(DequantizeHelper, IntegersAndHalves_AreDequantized) {
  namespace dequantize = ::tflite::ops::builtin::dequantize;
  TfLiteContext context{};
  context.ReportError = Keep;
  const auto run = [&](TfLiteTensor* in, std::vector<int> dims,
                       TfLiteStatus* status) {
    auto out =
        ::tflite::BuildTfLiteTensor(kTfLiteFloat32, dims, kTfLiteDynamic);
    *status = dequantize::DequantizeImpl<dequantize::kReference>(
        &context, nullptr, in, out.get());
    const float* numbers = out->data.f;
    return std::vector<float>(numbers,
                              numbers + ::tflite::NumElements(out.get()));
  };
  TfLiteStatus status = kTfLiteError;
  auto bytes = ::tflite::BuildTfLiteTensor(kTfLiteUInt8, {2}, kTfLiteDynamic);
  bytes->params = {0.5f, 128};
  bytes->data.uint8[0] = 0;
  bytes->data.uint8[1] = 255;
  EXPECT_THAT(run(bytes.get(), {2}, &status), ElementsAre(-64, 63.5f));
  EXPECT_EQ(status, kTfLiteOk);

  auto halves =
      ::tflite::BuildTfLiteTensor(kTfLiteFloat16, {4}, kTfLiteDynamic);
  const uint16_t given[] = {0x3c00, 0xc580, 0x0001, 0x7c00};
  for (int i = 0; i < 4; ++i) halves->data.f16[i].data = given[i];
  EXPECT_THAT(run(halves.get(), {4}, &status),
              ElementsAre(1, -5.5f, std::ldexp(1.0f, -24),
                          std::numeric_limits<float>::infinity()));

  // A scale for each of two channels, which change fastest.
  auto sliced =
      ::tflite::BuildTfLiteTensor(kTfLiteInt8, {2, 2}, kTfLiteDynamic);
  for (int i = 0; i < 4; ++i) sliced->data.int8[i] = static_cast<int8_t>(i + 1);
  auto scales = ::tflite::BuildTfLiteArray<float>({1.0f, 10.0f});
  auto zeros = ::tflite::BuildTfLiteArray<int>({1});
  TfLiteAffineQuantization affine{scales.get(), zeros.get(), 1};
  sliced->quantization = {kTfLiteAffineQuantization, &affine};
  EXPECT_THAT(run(sliced.get(), {2, 2}, &status), ElementsAre(0, 10, 2, 30));
  sliced->quantization = {};

  auto words = ::tflite::BuildTfLiteTensor(kTfLiteInt32, {1}, kTfLiteDynamic);
  run(words.get(), {1}, &status);
  EXPECT_EQ(status, kTfLiteError);
}

TEST(CheckedCounts, TooLargeSizes_AreRefused) {
  TfLiteContext context{};
  context.ReportError = Keep;
  size_t product = 0;
  int count = 0;
  EXPECT_EQ(::tflite::CheckedShapeProduct(&context, {2, 3}, "large", product),
            kTfLiteOk);
  EXPECT_EQ(product, 6u);
  EXPECT_EQ(::tflite::CheckedShapeProduct(&context, {2, -3}, "large", product),
            kTfLiteError);
  EXPECT_THAT(said, HasSubstr("negative"));
  EXPECT_EQ(::tflite::CheckedShapeProductToInt(&context, {1 << 20, 1 << 20},
                                               "large", count),
            kTfLiteError);
  const auto dims = ::tflite::BuildTfLiteArray<int>({1 << 20, 1 << 20});
  EXPECT_EQ(::tflite::CheckedNumElements(dims.get(), count), kTfLiteError);
  EXPECT_EQ(::tflite::CheckedNumElements(dims.get(), product), kTfLiteOk);
  const ::tflite::RuntimeShape shape({1 << 20, 1 << 20, 0});
  EXPECT_TRUE(shape.HasZeroDimension());
  EXPECT_FALSE(shape.CheckedNumElementsInRange(0, 2, count));
  EXPECT_TRUE(shape.CheckedNumElementsInRange(0, 2, product));
  EXPECT_FALSE(shape.CheckedNumElementsInRange(1, 4, product));
  EXPECT_TRUE(shape.CheckedSizeFromDimension(2, count));
  EXPECT_EQ(count, 0);
}

TEST(RaggedRows, RaggedRows_AreNamed) {
  using tensorflow::RowPartitionType;
  const auto types = tensorflow::GetRowPartitionTypesHelper(
      {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS", "NONE", "ROW_STARTS"});
  EXPECT_THAT(types, ElementsAre(RowPartitionType::FIRST_DIM_SIZE,
                                 RowPartitionType::VALUE_ROWIDS,
                                 RowPartitionType::ROW_SPLITS));
  EXPECT_EQ(tensorflow::GetRaggedRank(types), 2);
  EXPECT_EQ(tensorflow::GetRaggedRank({RowPartitionType::ROW_SPLITS}), 1);
  EXPECT_EQ(tensorflow::RowPartitionTypeToString(types[2]), "ROW_SPLITS");
}

TEST(SharedLibraryHelper, Symbols_AreFound) {
  EXPECT_EQ(::tflite::SharedLibrary::LoadLibrary("no such library"), nullptr);
  EXPECT_NE(::tflite::SharedLibrary::GetError(), nullptr);
  EXPECT_NE(::tflite::SharedLibrary::GetSymbol("malloc"), nullptr);
  EXPECT_STREQ(TFL_STABLE_DELEGATE_ABI_VERSION, "1.0.0");
}

}  // namespace
}  // namespace munja::compat
