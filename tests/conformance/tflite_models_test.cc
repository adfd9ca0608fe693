// .tflite models of others against the results of TensorFlow Lite itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/session.h"
#include "tensor/npy.h"
#include "tflite/read.h"

namespace munja::conformance {
namespace {

namespace fs = std::filesystem;

fs::path Shared() { return fs::path(MUNJA_SOURCE_DIR) / "../shared"; }

struct Mode {
  bool reference_kernels = false, run_passes = true;
};
constexpr Mode kModes[] = {{false, true}, {true, true}, {false, false}};

Result<std::unique_ptr<runtime::Session>> Load(const fs::path& path,
                                               const Mode& mode = {}) {
  MUNJA_ASSIGN_OR_RETURN(std::shared_ptr<graph::Graph> graph,
                         tflite::ReadFile(path.string()));
  runtime::SessionOptions options;
  options.reference_kernels = mode.reference_kernels;
  options.run_passes = mode.run_passes;
  return runtime::CreateSession(std::move(graph), options);
}

NpyArray ReadArray(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                   std::istreambuf_iterator<char>());
  auto array = ReadNpy(bytes);
  if (!array.ok()) {
    ADD_FAILURE() << path << ": " << array.status().message();
    return {};
  }
  return std::move(*array);
}

template <class T>
double LargestDifference(const TensorView& a, const TensorView& b) {
  double largest = 0.0;
  for (size_t i = 0; i < a.bytes / sizeof(T); ++i) {
    const double x = static_cast<double>(a.as<T>()[i]);
    const double y = static_cast<double>(b.as<T>()[i]);
    if (std::isnan(x) != std::isnan(y))
      return std::numeric_limits<double>::infinity();
    if (!std::isnan(x)) largest = std::max(largest, std::abs(x - y));
  }
  return largest;
}

// Floats within 1e-4 of the range of the tensor; stored values within a step,
// which is how far two correct roundings may lie apart.
void ExpectClose(const TensorView& actual, const TensorView& expected) {
  ASSERT_EQ(actual.type, expected.type);
  ASSERT_EQ(actual.shape.ToString(), expected.shape.ToString());
  ASSERT_EQ(actual.bytes, expected.bytes);
  switch (actual.type) {
    case ElementType::kFloat32: {
      const auto* values = expected.as<float>();
      const auto [low, high] =
          std::minmax_element(values, values + expected.bytes / 4);
      const double range = std::max(
          {static_cast<double>(*high) - *low, std::abs(double{*high}), 1e-6});
      EXPECT_LE(LargestDifference<float>(actual, expected), 1e-4 * range);
      break;
    }
    case ElementType::kInt8:
      EXPECT_LE(LargestDifference<int8_t>(actual, expected), 1.0);
      break;
    case ElementType::kUInt8:
      EXPECT_LE(LargestDifference<uint8_t>(actual, expected), 1.0);
      break;
    case ElementType::kInt16:
      EXPECT_LE(LargestDifference<int16_t>(actual, expected), 1.0);
      break;
    case ElementType::kInt32:
      EXPECT_LE(LargestDifference<int32_t>(actual, expected), 1.0);
      break;
    default:
      FAIL() << "an output of type " << ElementTypeName(actual.type);
  }
}

// The oracle does not support outputs of dynamic shape: it wrote the zeros of
// a tensor of the wrong shape.
bool HasGoldenValues(const std::string& name) {
  return name != "dilated_conv" && name != "ocr_dr";
}

class GoldenModel : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenModel, Outputs_AreThoseOfTensorFlowLite) {
  const std::string name = GetParam();
  const fs::path folder = Shared() / "models/tflite_golden" / name;
  if (!fs::exists(folder)) GTEST_SKIP() << "no golden arrays";
  std::vector<std::vector<uint8_t>> first;
  int way_number = 0;
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(std::string(mode.reference_kernels ? "reference" : "fast") +
                 (mode.run_passes ? ", passes" : ", no passes"));
    // The reference kernels take minutes on images this large.
    if (mode.reference_kernels &&
        (name.starts_with("deeplab") || name.starts_with("seg_graph")))
      continue;
    auto session = Load(Shared() / "models/tflite" / (name + ".tflite"), mode);
    ASSERT_TRUE(session.ok()) << session.status().message();
    std::vector<NpyArray> arrays;
    for (size_t k = 0; k < (*session)->inputs().size(); ++k)
      arrays.push_back(ReadArray(folder / ("in" + std::to_string(k) + ".npy")));
    std::vector<TensorView> inputs;
    for (NpyArray& array : arrays) inputs.push_back(array.view());
    const auto outputs = (*session)->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    for (size_t k = 0; k < outputs->size(); ++k) {
      SCOPED_TRACE("output " + std::to_string(k));
      const fs::path file = folder / ("out" + std::to_string(k) + ".npy");
      // Some outputs are of a type that the oracle did not hand out.
      if (!fs::exists(file) || !HasGoldenValues(name)) continue;
      NpyArray expected = ReadArray(file);
      ExpectClose((*outputs)[k], expected.view());
    }
    // All modes agree, whether there are golden values or not.
    if (way_number++ == 0) {
      for (const TensorView& output : *outputs)
        first.push_back(
            {output.as<uint8_t>(), output.as<uint8_t>() + output.bytes});
    }
    for (size_t k = 0; k < outputs->size(); ++k) {
      TensorView before = (*outputs)[k];
      ASSERT_EQ(first[k].size(), before.bytes);
      before.data = first[k].data();
      if (before.type == ElementType::kInt64)
        EXPECT_EQ(LargestDifference<int64_t>((*outputs)[k], before), 0.0);
      else
        ExpectClose((*outputs)[k], before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, GoldenModel,
    ::testing::Values(
        "ad01_fp32", "deeplabv3_mnv2_dm05_pascal_quant", "denoise_16x8",
        "dilated_conv", "face_detection_full_range_sparse",
        "face_detection_short_range", "hello_world_float", "hello_world_int8",
        "keyword_scrambled_8bit", "kws_ref_model", "micro_speech_quantized",
        "mobilenet_v1_0.25_128_quant", "mobilenet_v1_0.25_224_1_default_1",
        "ocr_dr", "pretrainedResnet", "pretrainedResnet_quant", "seg_graph_f",
        "seg_graph_q", "trained_lstm"),
    [](const auto& model) {
      std::string name = model.param;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

std::vector<int16_t> ReadCsv(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  std::replace(all.begin(), all.end(), ',', ' ');
  std::istringstream numbers(all);
  std::vector<int16_t> values;
  for (int v; numbers >> v;) values.push_back(static_cast<int16_t>(v));
  return values;
}

// Operators on int16 values with int8 weights; within one step.
TEST(SeaNet, Operators_SixteenBit) {
  const fs::path root = Shared() / "conformance/tflite/seanet";
  if (!fs::exists(root)) GTEST_SKIP() << "no models";
  int models = 0, exact = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".tflite") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const std::string stem =
        (entry.path().parent_path() / entry.path().stem()).string();
    for (const Mode& mode : kModes) {
      auto session = Load(entry.path(), mode);
      ASSERT_TRUE(session.ok()) << session.status().message();
      std::vector<std::vector<int16_t>> data;
      std::vector<int32_t> output_shape;
      std::vector<TensorView> inputs;
      const auto infos = (*session)->inputs();
      data.reserve(infos.size());
      for (size_t k = 0, file = 0; k < infos.size(); ++k) {
        if (infos[k].type == ElementType::kInt32) {
          // Where a transposed convolution ends.
          const auto dims = (*session)->outputs()[0].shape.dims();
          output_shape.assign(dims.begin(), dims.end());
          inputs.push_back({ElementType::kInt32, infos[k].shape,
                            output_shape.data(), output_shape.size() * 4,
                            nullptr});
          ++file;
          continue;
        }
        std::string name =
            stem + "_input" + std::to_string(file) + "_int16.csv";
        if (!fs::exists(name))
          name = stem + "_input" + std::to_string(file - 1) + "_int16.csv";
        ++file;
        data.push_back(ReadCsv(name));
        inputs.push_back({ElementType::kInt16, infos[k].shape,
                          data.back().data(), data.back().size() * 2, nullptr});
      }
      const auto outputs = (*session)->Run(inputs);
      ASSERT_TRUE(outputs.ok()) << outputs.status().message();
      const std::vector<int16_t> golden = ReadCsv(stem + "_golden_int16.csv");
      ASSERT_EQ((*outputs)[0].bytes, golden.size() * 2);
      int worst = 0;
      for (size_t i = 0; i < golden.size(); ++i)
        worst = std::max(worst,
                         std::abs((*outputs)[0].as<int16_t>()[i] - golden[i]));
      EXPECT_LE(worst, 1);
      ++models;
      exact += worst == 0;
    }
  }
  EXPECT_GT(models, 0);
  RecordProperty("exact", exact);
  std::printf("%d of %d runs equal to the golden values\n", exact, models);
}

// One message names everything that a model needs and the library lacks.
TEST(Models, Each_LoadsOrSaysExactlyWhatItLacks) {
  struct Refusal {
    const char* file;
    std::vector<const char*> texts;
  };
  const Refusal kRefusals[] = {
      {"conformance/tflite/litert_testdata/custom_sinh.bin",
       {"missing operators: custom Sinh (1 node)"}},
      {"conformance/tflite/litert_testdata/double_flex.bin",
       {"custom FlexDouble (1 node)"}},
      {"conformance/tflite/litert_testdata/softplus_flex.bin",
       {"custom FlexSoftplus (1 node)"}},
      {"conformance/tflite/litert_testdata/sparse_tensor.bin",
       {"custom FakeOp (1 node)"}},
      {"conformance/tflite/litert_testdata/test_model.bin",
       {"custom testing_op (1 node)"}},
      {"conformance/tflite/litert_testdata/test_custom_node_with_init_data.bin",
       {"custom the_custom_code (1 node)"}},
      {"conformance/tflite/litert_testdata/0_subgraphs.bin", {"no subgraph"}},
      // An input has no data and nothing computes it: the run could only fail.
      {"conformance/tflite/litert_testdata/segment_sum_invalid_buffer.bin",
       {"input 1, tensor 2 ('pyx/y'), is read before anything writes it"}},
      {"conformance/tflite/litert_testdata/test_model_broken.bin", {""}},
      {"conformance/tflite/litert_testdata/add_shared_tensors.bin", {""}},
      {"conformance/tflite/small_models/whitespace_tokenizer_to_tensor.tflite",
       {"custom tftext:WhitespaceTokenizer (1 node)"}},
      {"conformance/tflite/small_models/"
       "whitespace_tokenizer_to_ragged_2d_input.tflite",
       {"custom tftext:WhitespaceTokenizer (1 node)"}},
      {"conformance/tflite/tflm_models/micro_speech/"
       "audio_preprocessor_float.tflite",
       {"custom SignalWindow (1 node)", "custom SignalFftAutoScale",
        "custom SignalRfft", "custom SignalEnergy", "custom SignalFilterBank ",
        "custom SignalFilterBankSquareRoot",
        "custom SignalFilterBankSpectralSubtraction", "custom SignalPCAN",
        "custom SignalFilterBankLog"}},
      {"conformance/tflite/tflm_models/person_detection/person_detect.tflite",
       {""}},
      {"models/tflite/person_detect.tflite", {""}},
      {"models/tflite/"
       "selfiesegmentation_mlkit-256x256-2021_01_19-v1215.f16.tflite",
       {"custom Convolution2DTransposeBias"}},
      {"models/tflite/test_model_nl_classifier.tflite",
       {"custom CUSTOM_OP_GENERATE_LABELS", "custom CUSTOM_OP_STRING_TO_FLOATS",
        "custom CUSTOM_OP_STRING_TO_DOUBLES"}},
      {"models/tflite_small/add_shared_tensors.bin", {""}},
      {"models/tflite_small/blockwise_quantized.tflite",
       {"blockwise quantization"}},
      {"models/tflite_small/custom_sinh.bin", {"custom Sinh (1 node)"}},
      {"models/tflite_small/dynamic_string_custom_ops.tflite",
       {"custom Normalize"}},
      {"models/tflite_small/max_unpooling_2d.tflite",
       {"custom LiteRtMaxUnpooling2D (1 node)"}},
      {"models/tflite_small/max_unpooling_2d_valid.tflite",
       {"custom LiteRtMaxUnpooling2D (1 node)"}},
      {"models/tflite_small/softplus_flex.bin", {"custom FlexSoftplus"}},
      {"models/tflite_small/test_model.bin", {"custom testing_op (1 node)"}},
  };
  if (!fs::exists(Shared() / "conformance")) GTEST_SKIP() << "no models";
  int loaded = 0;
  for (const char* folder :
       {"conformance/tflite", "models/tflite", "models/tflite_small"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(Shared() / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".tflite" && path.extension() != ".bin") continue;
      const std::string name = fs::relative(path, Shared()).string();
      SCOPED_TRACE(name);
      const auto session = Load(path);
      const auto refusal =
          std::find_if(std::begin(kRefusals), std::end(kRefusals),
                       [&](const Refusal& r) { return name == r.file; });
      if (refusal == std::end(kRefusals)) {
        EXPECT_TRUE(session.ok()) << session.status().message();
        ++loaded;
        continue;
      }
      ASSERT_FALSE(session.ok());
      for (const char* text : refusal->texts)
        EXPECT_THAT(std::string(session.status().message()),
                    ::testing::HasSubstr(text));
    }
  }
  EXPECT_GT(loaded, 100);
}

}  // namespace
}  // namespace munja::conformance
