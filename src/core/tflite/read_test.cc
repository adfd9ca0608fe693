#include "tflite/read.h"

#include <functional>

#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tflite/schema_generated.h"

namespace munja::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using ::testing::HasSubstr;

// One tensor to add to a model.
struct TensorSpec {
  std::vector<int32_t> shape = {2};
  std::vector<int32_t> signature;
  int8_t type = 0;
  uint32_t buffer = 0;
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int32_t axis = 0;
  bool has_rank = true;
  uint32_t external_buffer = 0;
  bool is_variable = false;
};

// A model of one NEG from tensor 0 to tensor 1, in which a test breaks
// something.
struct ModelSpec {
  uint32_t version = 3;
  int32_t code = 59;
  int8_t old_code = 59;
  const char* custom_code = nullptr;
  uint32_t code_index = 0;
  uint8_t options = 0;
  std::vector<TensorSpec> tensors = {TensorSpec(), TensorSpec()};
  std::vector<int32_t> inputs = {0}, outputs = {1};
  std::vector<int32_t> node_inputs = {0}, node_outputs = {1};
  int8_t custom_format = 0;
  std::vector<uint8_t> data;  // Buffer 1.
  uint64_t data_offset = 0, data_size = 0;
  uint32_t metadata_buffer = 0;
  uint32_t signature_tensor = 0, signature_subgraph = 0;
};

std::vector<uint8_t> Build(const ModelSpec& spec) {
  FlatBufferBuilder b;
  std::vector<Offset<fb::Tensor>> tensors;
  for (const TensorSpec& t : spec.tensors) {
    Offset<fb::QuantizationParameters> q;
    if (!t.scale.empty())
      q = fb::CreateQuantizationParametersDirect(
          b, nullptr, nullptr, &t.scale, &t.zero_point,
          fb::QuantizationDetails::NONE, 0, t.axis);
    tensors.push_back(fb::CreateTensorDirect(
        b, &t.shape, t.type, t.buffer, "t", q, t.is_variable, 0,
        t.signature.empty() ? nullptr : &t.signature, t.has_rank, nullptr,
        t.external_buffer));
  }
  Offset<fb::Options> options;
  if (spec.options != 0) options = fb::CreateOptions(b);
  const std::vector<Offset<fb::Operator>> nodes = {
      fb::CreateOperator(b, spec.code_index, b.CreateVector(spec.node_inputs),
                         b.CreateVector(spec.node_outputs), spec.options,
                         options, 0, spec.custom_format)};
  const std::vector<Offset<fb::SubGraph>> subgraphs = {fb::CreateSubGraphDirect(
      b, &tensors, &spec.inputs, &spec.outputs, &nodes, "main")};
  const std::vector<Offset<fb::OperatorCode>> codes = {
      fb::CreateOperatorCodeDirect(b, spec.old_code, spec.custom_code, 1,
                                   spec.code)};
  b.ForceVectorAlignment(spec.data.size(), 1, 16);
  const std::vector<Offset<fb::Buffer>> buffers = {
      fb::CreateBuffer(b),
      spec.data_offset == 0
          ? fb::CreateBuffer(b, b.CreateVector(spec.data))
          : fb::CreateBuffer(b, 0, spec.data_offset, spec.data_size)};
  const std::vector<Offset<fb::Metadata>> metadata = {
      fb::CreateMetadataDirect(b, "note", spec.metadata_buffer)};
  const std::vector<Offset<fb::TensorMap>> maps = {
      fb::CreateTensorMapDirect(b, "x", spec.signature_tensor)};
  const std::vector<Offset<fb::SignatureDef>> signatures = {
      fb::CreateSignatureDefDirect(b, &maps, nullptr, "key",
                                   spec.signature_subgraph)};
  fb::FinishModelBuffer(
      b, fb::CreateModelDirect(b, spec.version, &codes, &subgraphs, "test",
                               &buffers, nullptr, &metadata, &signatures));
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

Result<std::shared_ptr<graph::Graph>> ReadSpec(const ModelSpec& spec) {
  return Read(Build(spec), nullptr);
}

TEST(ReadTest, ModelThatTheseTestsBreak_IsValid) {
  auto graph = ReadSpec(ModelSpec());
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ((*graph)->description, "test");
  EXPECT_EQ((*graph)->main().nodes[0].op, "NEG");
  EXPECT_EQ((*graph)->signatures[0].inputs[0].first, "x");
}

struct Broken {
  const char* name;
  Code code;
  const char* message;  // A part of it.
  std::function<void(ModelSpec&)> damage;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenTest, BrokenModel_IsRefused) {
  ModelSpec spec;
  GetParam().damage(spec);
  auto graph = ReadSpec(spec);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), GetParam().code);
  EXPECT_THAT(std::string(graph.status().message()),
              HasSubstr(GetParam().message));
}

void MakeConstantInput(ModelSpec& s, size_t bytes) {
  TensorSpec constant;
  constant.buffer = 1;
  s.tensors.push_back(constant);
  s.node_inputs = {2};
  s.data.resize(bytes);
}

const Broken kBroken[] = {
    {"Version", Code::kUnsupported, "schema version 4",
     [](ModelSpec& s) { s.version = 4; }},
    {"NewOperator", Code::kUnsupported, "node 0: operator code 4711",
     [](ModelSpec& s) { s.code = 4711; }},
    {"Placeholder", Code::kUnsupported, "operator code 127",
     [](ModelSpec& s) { s.code = s.old_code = 127; }},
    {"NegativeCode", Code::kMalformed, "negative",
     [](ModelSpec& s) { s.code = s.old_code = -3; }},
    {"CodeIndex", Code::kMalformed, "no operator code 5",
     [](ModelSpec& s) { s.code_index = 5; }},
    {"CustomWithoutName", Code::kMalformed, "without a name",
     [](ModelSpec& s) { s.code = s.old_code = 32; }},
    {"CustomFormat", Code::kUnsupported, "custom options of format 1",
     [](ModelSpec& s) {
       s.code = s.old_code = 32;
       s.custom_code = "Mine";
       s.custom_format = 1;
     }},
    {"OtherOptions", Code::kMalformed,
     "SOFTMAX: has Conv2DOptions instead of SoftmaxOptions",
     [](ModelSpec& s) {
       s.code = s.old_code = 25;
       s.options = 1;
     }},
    {"UnknownOptions", Code::kUnsupported, "unknown kind, number 200",
     [](ModelSpec& s) { s.options = 200; }},
    {"InputIndex", Code::kMalformed, "node 0 (NEG): input 0 is tensor 7",
     [](ModelSpec& s) { s.node_inputs = {7}; }},
    {"OutputIndex", Code::kMalformed, "node 0 (NEG): output 0 is tensor -1",
     [](ModelSpec& s) { s.node_outputs = {-1}; }},
    {"InPlace", Code::kMalformed, "node 0 (NEG): output 0, tensor 0",
     [](ModelSpec& s) { s.node_outputs = {0}; }},
    {"ReadBeforeWritten", Code::kMalformed, "before anything writes it",
     [](ModelSpec& s) { s.inputs = {}; }},
    {"GraphInput", Code::kMalformed, "an input is tensor 9",
     [](ModelSpec& s) { s.inputs = {9}; }},
    {"GraphOutput", Code::kMalformed, "an output is tensor 9",
     [](ModelSpec& s) { s.outputs = {9}; }},
    {"OutputNotWritten", Code::kMalformed, "nothing writes it",
     [](ModelSpec& s) {
       s.tensors.emplace_back();
       s.outputs = {2};
     }},
    {"Rank", Code::kUnsupported, "tensor 0 ('t'): has rank 9",
     [](ModelSpec& s) { s.tensors[0].shape.assign(9, 1); }},
    {"NegativeDimension", Code::kMalformed, "a dimension of -5",
     [](ModelSpec& s) { s.tensors[0].shape = {-5}; }},
    {"SignatureRank", Code::kMalformed, "shape signature of rank 2",
     [](ModelSpec& s) {
       s.tensors[0].signature = {-1, -1};
     }},
    {"Type", Code::kUnsupported, "element type 99",
     [](ModelSpec& s) { s.tensors[0].type = 99; }},
    {"NewerType", Code::kUnsupported, "element type 21",
     [](ModelSpec& s) { s.tensors[0].type = 21; }},
    {"BufferIndex", Code::kMalformed, "no buffer 8",
     [](ModelSpec& s) { s.tensors[0].buffer = 8; }},
    {"ExternalBuffer", Code::kUnsupported, "another file",
     [](ModelSpec& s) { s.tensors[0].external_buffer = 1; }},
    {"DataTooShort", Code::kMalformed, "has 7 bytes",
     [](ModelSpec& s) { MakeConstantInput(s, 7); }},
    {"DataTooLong", Code::kMalformed, "has 9 bytes",
     [](ModelSpec& s) { MakeConstantInput(s, 9); }},
    {"HugeShape", Code::kMalformed, "too large",
     [](ModelSpec& s) {
       MakeConstantInput(s, 8);
       s.tensors[2].shape = {0x7fffffff, 0x7fffffff, 0x7fffffff};
     }},
    {"DataOutside", Code::kMalformed, "outside of the file",
     [](ModelSpec& s) {
       MakeConstantInput(s, 0);
       s.data_offset = ~uint64_t{0} - 3;
       s.data_size = 8;
     }},
    {"ZeroPoints", Code::kMalformed, "2 quantization scales, but 1 zero",
     [](ModelSpec& s) {
       s.tensors[0].scale = {1, 1};
       s.tensors[0].zero_point = {0};
     }},
    {"Scales", Code::kMalformed, "3 quantization scales along dimension 0",
     [](ModelSpec& s) {
       s.tensors[0].scale = {1, 1, 1};
       s.tensors[0].zero_point = {0, 0, 0};
     }},
    {"QuantizedDimension", Code::kMalformed, "quantized dimension 1",
     [](ModelSpec& s) {
       s.tensors[0].scale = {1};
       s.tensors[0].zero_point = {0};
       s.tensors[0].axis = 1;
     }},
    {"String", Code::kMalformed, "outside of its data",
     [](ModelSpec& s) {
       MakeConstantInput(s, 0);
       s.tensors[2].type = 5;
       s.data = {2, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 40, 0, 0, 0, 'a', 'b'};
     }},
    {"StringCount", Code::kMalformed, "3 strings",
     [](ModelSpec& s) {
       MakeConstantInput(s, 0);
       s.tensors[2].type = 5;
       s.data = {3, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 18, 0, 0, 0, 'a', 'b'};
     }},
    {"Metadata", Code::kMalformed, "metadata 'note': there is no buffer 6",
     [](ModelSpec& s) { s.metadata_buffer = 6; }},
    {"SignatureTensor", Code::kMalformed, "signature 'key'",
     [](ModelSpec& s) { s.signature_tensor = 0xffffffff; }},
    {"SignatureSubgraph", Code::kMalformed, "no subgraph 3",
     [](ModelSpec& s) { s.signature_subgraph = 3; }},
    {"CallsItself", Code::kMalformed, "subgraph 0 calls itself",
     [](ModelSpec& s) { s.code = s.old_code = 118; }},
};
INSTANTIATE_TEST_SUITE_P(All, BrokenTest, ::testing::ValuesIn(kBroken),
                         [](const auto& row) { return row.param.name; });

TEST(ReadTest, OtherBytes_AreNotAModel) {
  const std::vector<uint8_t> zeros(100, 0);
  for (const size_t size : {0, 1, 7, 8, 100}) {
    auto graph = Read(std::span(zeros).first(size), nullptr);
    ASSERT_FALSE(graph.ok());
    EXPECT_EQ(graph.status().code(), Code::kMalformed);
  }
}

TEST(ReadTest, Constants_PointIntoTheBytesAndKeepTheirOwner) {
  ModelSpec spec;
  MakeConstantInput(spec, 8);
  spec.data = {0, 0, 128, 63, 0, 0, 0, 64};
  auto owner = std::make_shared<const std::vector<uint8_t>>(Build(spec));
  const uint8_t* begin = owner->data();
  const size_t size = owner->size();
  // operator new aligns to 16, so nothing has to be copied.
  auto graph = Read(*owner, owner);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  owner.reset();
  const auto& constant = (*graph)->main().values[2].constant;
  ASSERT_TRUE(constant.has_value());
  EXPECT_GE(constant->bytes.data(), begin);
  EXPECT_LE(constant->bytes.data() + 8, begin + size);
  EXPECT_EQ(constant->bytes[2], 128);
}

TEST(ReadTest, BytesAtAnyAddress_GiveAlignedConstants) {
  ModelSpec spec;
  MakeConstantInput(spec, 8);
  std::vector<uint8_t> bytes = Build(spec);
  bytes.insert(bytes.begin(), 0);
  auto graph =
      Read(std::span(bytes).subspan(1), std::make_shared<const int>(0));
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto& constant = (*graph)->main().values[2].constant;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(constant->bytes.data()) % 4, 0u);
}

TEST(ReadTest, DataBehindTheFlatBuffer_IsFound) {
  ModelSpec spec;
  MakeConstantInput(spec, 0);
  spec.data_size = 8;
  spec.data_offset = 1 << 20;  // Any value of the final width.
  const size_t begin = Build(spec).size();
  // At an odd place, so that the constant has to be moved.
  spec.data_offset = begin + 1;
  std::vector<uint8_t> bytes = Build(spec);
  ASSERT_EQ(bytes.size(), begin);
  bytes.insert(bytes.end(), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  auto graph = Read(bytes, nullptr);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto data = (*graph)->main().values[2].constant->bytes;
  EXPECT_EQ(std::vector<uint8_t>(data.begin(), data.end()),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data.data()) % 4, 0u);
}

TEST(ReadTest, Shapes_FollowSignatureAndRank) {
  ModelSpec spec;
  spec.tensors[0].shape = {1, 3};
  spec.tensors[0].signature = {-1, 3};
  spec.tensors[1].shape = {};
  spec.tensors[1].has_rank = false;
  auto graph = ReadSpec(spec);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ((*graph)->main().values[0].shape, (Shape{kDynamic, 3}));
  EXPECT_FALSE((*graph)->main().values[1].has_shape);
  // A file that never says so is older than the field: a scalar.
  spec.tensors[0].has_rank = false;
  graph = ReadSpec(spec);
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE((*graph)->main().values[1].has_shape);
}

// As TensorFlow Lite allocates a state, whatever the signature leaves
// open.
TEST(ReadTest, Variables_HaveTheSizesOfTheirShape) {
  ModelSpec spec;
  TensorSpec state;
  state.shape = {2, 3};
  state.signature = {-1, 3};
  state.is_variable = true;
  spec.tensors.push_back(state);
  auto graph = ReadSpec(spec);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ((*graph)->main().values[2].shape, (Shape{2, 3}));
}

TEST(ReadTest, TensorsWithoutElements_AreConstantsWithoutData) {
  ModelSpec spec;
  TensorSpec empty;
  empty.shape = {0};
  spec.tensors.push_back(empty);
  spec.node_inputs = {0, 2};
  auto graph = ReadSpec(spec);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  ASSERT_TRUE((*graph)->main().values[2].constant.has_value());
}

TEST(ReadTest, DataOfAnInput_DoesNotMakeItAConstant) {
  ModelSpec spec;
  spec.tensors[0].buffer = 1;
  spec.data.resize(8);
  auto graph = ReadSpec(spec);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_FALSE((*graph)->main().values[0].constant.has_value());
}

TEST(ReadTest, MissingFile_IsNotFound) {
  auto graph = ReadFile("/no/such/model.tflite");
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace munja::tflite
