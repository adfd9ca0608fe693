// schema/schema_generated.h, made from this project's tables: it reads what our
// writer wrote, and our reader runs what its builders write.
#include "tensorflow/lite/schema/schema_generated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/model_builder.h"
#include "tensorflow/lite/schema/schema_conversion_utils.h"
#include "tensorflow/lite/schema/schema_utils.h"

namespace {

using ::testing::ElementsAre;

TEST(SchemaTest, OwnModel_IsRead) {
  std::ifstream file(
      std::string(MUNJA_SOURCE_DIR) + "/testdata/models/double.tflite",
      std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size());
  ASSERT_TRUE(tflite::VerifyModelBuffer(verifier));
  const tflite::Model* model = tflite::GetModel(bytes.data());
  EXPECT_EQ(model->version(), 3u);
  ASSERT_EQ(model->subgraphs()->size(), 1u);
  const tflite::SubGraph& graph = *model->subgraphs()->Get(0);
  ASSERT_EQ(graph.operators()->size(), 1u);
  const tflite::Operator& add = *graph.operators()->Get(0);
  EXPECT_EQ(model->operator_codes()->Get(add.opcode_index())->builtin_code(),
            tflite::BuiltinOperator_ADD);
  EXPECT_NE(add.builtin_options_as_AddOptions(), nullptr);
  EXPECT_EQ(graph.tensors()->Get(0)->type(), tflite::TensorType_FLOAT32);
}

// An interpreter of what the accessors read: the bytes may go.
TEST(SchemaTest, ReadModel_Runs) {
  std::unique_ptr<tflite::Interpreter> interpreter;
  {
    const auto file = tflite::FlatBufferModel::BuildFromFile(
        MUNJA_SOURCE_DIR "/testdata/models/double.tflite");
    ASSERT_NE(file, nullptr);
    const tflite::ops::builtin::BuiltinOpResolver resolver;
    ASSERT_EQ(
        tflite::InterpreterBuilder(file->GetModel(), resolver)(&interpreter),
        kTfLiteOk);
    const tflite::Model* none = nullptr;
    std::unique_ptr<tflite::Interpreter> missing;
    EXPECT_EQ(tflite::InterpreterBuilder(none, resolver)(&missing),
              kTfLiteError);
  }
  ASSERT_EQ(interpreter->ResizeInputTensor(interpreter->inputs()[0], {2}),
            kTfLiteOk);
  ASSERT_EQ(interpreter->SetNumThreads(2), kTfLiteOk);
  ASSERT_EQ(interpreter->AllocateTensors(), kTfLiteOk);
  interpreter->typed_input_tensor<float>(0)[0] = 3;
  interpreter->typed_input_tensor<float>(0)[1] = -4;
  ASSERT_EQ(interpreter->Invoke(), kTfLiteOk);
  EXPECT_EQ(interpreter->typed_output_tensor<float>(0)[0], 6);
  EXPECT_EQ(interpreter->typed_output_tensor<float>(0)[1], -8);
}

// Enlarges an image of 2x2 to 3x3 with aligned corners: fields behind those
// that the schema no longer has.
TEST(SchemaTest, BuiltModel_Runs) {
  tflite::ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  auto size = std::make_unique<tflite::BufferT>();
  const int32_t sizes[] = {3, 3};
  size->data.resize(sizeof(sizes));
  std::memcpy(size->data.data(), sizes, sizeof(sizes));
  model.buffers.push_back(std::move(size));
  auto code = std::make_unique<tflite::OperatorCodeT>();
  code->builtin_code = tflite::BuiltinOperator_RESIZE_BILINEAR;
  code->deprecated_builtin_code = static_cast<int8_t>(code->builtin_code);
  code->version = 3;
  model.operator_codes.push_back(std::move(code));
  auto graph = std::make_unique<tflite::SubGraphT>();
  const auto add = [&](std::vector<int32_t> shape, tflite::TensorType type,
                       uint32_t buffer) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->shape = std::move(shape);
    tensor->type = type;
    tensor->buffer = buffer;
    graph->tensors.push_back(std::move(tensor));
  };
  add({1, 2, 2, 1}, tflite::TensorType_FLOAT32, 0);
  add({2}, tflite::TensorType_INT32, 1);
  add({1, 3, 3, 1}, tflite::TensorType_FLOAT32, 0);
  graph->inputs = {0};
  graph->outputs = {2};
  auto resize = std::make_unique<tflite::OperatorT>();
  resize->inputs = {0, 1};
  resize->outputs = {2};
  tflite::ResizeBilinearOptionsT options;
  options.align_corners = true;
  resize->builtin_options.Set(options);
  graph->operators.push_back(std::move(resize));
  model.subgraphs.push_back(std::move(graph));
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model));

  const auto loaded = tflite::FlatBufferModel::BuildFromBuffer(
      reinterpret_cast<const char*>(builder.GetBufferPointer()),
      builder.GetSize());
  ASSERT_NE(loaded, nullptr);
  const tflite::ops::builtin::BuiltinOpResolver resolver;
  std::unique_ptr<tflite::Interpreter> interpreter;
  ASSERT_EQ(tflite::InterpreterBuilder(*loaded, resolver)(&interpreter),
            kTfLiteOk);
  ASSERT_EQ(interpreter->AllocateTensors(), kTfLiteOk);
  const float image[] = {0, 2, 4, 6};
  std::memcpy(interpreter->typed_input_tensor<float>(0), image, sizeof(image));
  ASSERT_EQ(interpreter->Invoke(), kTfLiteOk);
  const float* out = interpreter->typed_output_tensor<float>(0);
  EXPECT_THAT(std::vector<float>(out, out + 9),
              ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
}

TEST(SchemaTest, Operators_HaveNames) {
  EXPECT_STREQ(tflite::EnumNameBuiltinOperator(tflite::BuiltinOperator_CONV_2D),
               "CONV_2D");
  EXPECT_STREQ(tflite::EnumNameBuiltinOperator(tflite::BuiltinOperator_MAX),
               "STABLEHLO_CASE");
  EXPECT_EQ(static_cast<int>(tflite::BuiltinOperator_CUSTOM), 32);
}

TEST(SchemaTest, LoadedModel_IsShown) {
  const std::string path =
      std::string(MUNJA_SOURCE_DIR) + "/testdata/models/double.tflite";
  const auto from_file = tflite::FlatBufferModel::BuildFromFile(path.c_str());
  ASSERT_NE(from_file, nullptr);
  ASSERT_NE(from_file->GetModel(), nullptr);
  const tflite::OperatorCode* code =
      from_file->GetModel()->operator_codes()->Get(0);
  EXPECT_EQ(tflite::GetBuiltinCode(code), tflite::BuiltinOperator_ADD);
  EXPECT_EQ((*from_file)->subgraphs()->size(), 1u);

  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto from_buffer =
      tflite::FlatBufferModel::BuildFromBuffer(bytes.data(), bytes.size());
  ASSERT_NE(from_buffer, nullptr);
  EXPECT_EQ(from_buffer->GetModel(), tflite::GetModel(bytes.data()));
}

// Numbers that one byte cannot hold, and those of older files.
TEST(SchemaTest, Operators_HaveNumbers) {
  for (const auto code :
       {tflite::BuiltinOperator_CONV_2D, tflite::BuiltinOperator_CUMSUM}) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tflite::CreateOperatorCode(builder, code, 0, 2));
    const auto* read =
        flatbuffers::GetRoot<tflite::OperatorCode>(builder.GetBufferPointer());
    EXPECT_EQ(tflite::GetBuiltinCode(read), code);
    EXPECT_EQ(read->deprecated_builtin_code(), std::min<int>(code, 127));
    EXPECT_EQ(read->version(), 2);
  }
  tflite::OperatorCodeT older;
  older.deprecated_builtin_code = 3;
  EXPECT_EQ(tflite::GetBuiltinCode(&older), tflite::BuiltinOperator_CONV_2D);
}

}  // namespace
