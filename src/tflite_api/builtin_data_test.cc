#include "tflite_api/builtin_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tensorflow/lite/core/c/builtin_ops.h"
#include "tflite/option_table.h"

namespace munja::compat {
namespace {

graph::Node MakeNode(std::string op) {
  graph::Node node;
  node.op = std::move(op);
  return node;
}

template <class T>
const T& As(const Result<BuiltinData>& data) {
  EXPECT_TRUE(data.ok());
  EXPECT_EQ(data->size(), sizeof(T));
  return *static_cast<const T*>(data->get());
}

TEST(BuiltinData, Convolution_IsConverted) {
  graph::Node node = MakeNode("CONV_2D");
  node.attributes.Set("padding", std::string("VALID"));
  node.attributes.Set("stride_w", int64_t{2});
  node.attributes.Set("stride_h", int64_t{3});
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  node.attributes.Set("quantized_bias_type", std::string("INT64"));
  const auto data = BuiltinData::Make(node);
  const auto& p = As<TfLiteConvParams>(data);
  EXPECT_EQ(p.padding, kTfLitePaddingValid);
  EXPECT_EQ(p.stride_width, 2);
  EXPECT_EQ(p.stride_height, 3);
  EXPECT_EQ(p.activation, kTfLiteActRelu6);
  // The schema's default: the attribute is absent.
  EXPECT_EQ(p.dilation_width_factor, 1);
  EXPECT_EQ(p.dilation_height_factor, 1);
  EXPECT_EQ(p.quantized_bias_type, kTfLiteInt64);
}

TEST(BuiltinData, Lists_AreLimitedToTheirCapacity) {
  graph::Node node = MakeNode("RESHAPE");
  node.attributes.Set("new_shape", std::vector<int64_t>{2, -1, 3});
  const auto data = BuiltinData::Make(node);
  const auto& p = As<TfLiteReshapeParams>(data);
  EXPECT_EQ(p.num_dimensions, 3);
  EXPECT_EQ(p.shape[1], -1);
  EXPECT_EQ(p.shape[2], 3);
  node.attributes.Set("new_shape", std::vector<int64_t>(9, 1));
  const auto refused = BuiltinData::Make(node);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kUnsupported);
}

TEST(BuiltinData, TextsAndFloats_StayWhenMoved) {
  graph::Node node = MakeNode("VAR_HANDLE");
  node.attributes.Set("shared_name", std::string("state"));
  auto data = BuiltinData::Make(node);
  ASSERT_TRUE(data.ok());
  const BuiltinData moved = std::move(*data);
  const auto* p = static_cast<const TfLiteVarHandleParams*>(moved.get());
  EXPECT_STREQ(p->shared_name, "state");
  EXPECT_EQ(p->container, nullptr);

  node = MakeNode("BUCKETIZE");
  node.attributes.Set("boundaries", std::vector<double>{0.5, 2});
  const auto bucketize = BuiltinData::Make(node);
  const auto& b = As<TfLiteBucketizeParams>(bucketize);
  ASSERT_EQ(b.num_boundaries, 2);
  EXPECT_EQ(b.boundaries[1], 2.0f);
}

TEST(BuiltinData, EnumeratorsCountedFromOne_AreShifted) {
  graph::Node node = MakeNode("MIRROR_PAD");
  node.attributes.Set("mode", std::string("SYMMETRIC"));
  auto data = BuiltinData::Make(node);
  EXPECT_EQ(As<TfLiteMirrorPaddingParams>(data).mode,
            kTfLiteMirrorPaddingSymmetric);
  node.attributes.Set("mode", std::string("SIDEWAYS"));
  data = BuiltinData::Make(node);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().code(), Code::kMalformed);
}

TEST(BuiltinData, OperatorsWithoutOptions_HaveNone) {
  for (const char* op : {"RELU", "PAD", "LOGISTIC"}) {
    const auto data = BuiltinData::Make(MakeNode(op));
    ASSERT_TRUE(data.ok()) << op;
    EXPECT_EQ(data->get(), nullptr) << op;
  }
}

// Every row of builtin_data.def names fields that the schema has.
TEST(BuiltinData, EveryOperator_IsCovered) {
  int structs = 0;
  for (const tflite::Operator& op : tflite::Operators()) {
    const auto data = BuiltinData::Make(MakeNode(std::string(op.name)));
    if (data.ok()) {
      structs += data->get() != nullptr;
    } else {
      EXPECT_EQ(data.status().code(), Code::kUnsupported)
          << data.status().message();
    }
  }
  EXPECT_GE(structs, 75);
}

TEST(BuiltinData, Codes_MatchTheNames) {
  EXPECT_EQ(BuiltinCode(MakeNode("CONV_2D")), kTfLiteBuiltinConv2d);
  EXPECT_EQ(BuiltinCode(MakeNode("GELU")), kTfLiteBuiltinGelu);
  EXPECT_EQ(BuiltinCode(MakeNode("NO_SUCH_OPERATOR")), -1);
  graph::Node custom = MakeNode("Sin");
  custom.is_custom = true;
  EXPECT_EQ(BuiltinCode(custom), kTfLiteBuiltinCustom);
}

// An attribute that is left out is what the schema says: the struct is the same
// as with all attributes given.
TEST(BuiltinData, EveryOperator_HasDefaults) {
  using tflite::FieldKind;
  size_t fields = 0;
  for (int32_t code = 0; code < 256; ++code) {
    const tflite::Operator* op = tflite::FindOperator(code);
    if (op == nullptr || op->options == nullptr) continue;
    const graph::Node plain = MakeNode(std::string(op->name));
    graph::Node given = plain;
    for (const tflite::OptionField& field : op->options->fields) {
      const std::string name(field.name);
      ++fields;
      if (field.kind == FieldKind::kBool)
        given.attributes.Set(name, field.fallback != 0);
      else if (field.kind == FieldKind::kInt32 ||
               field.kind == FieldKind::kUInt32 ||
               field.kind == FieldKind::kInt64)
        given.attributes.Set(name, static_cast<int64_t>(field.fallback));
      else if (field.kind == FieldKind::kFloat32)
        given.attributes.Set(name, static_cast<double>(field.fallback));
      else if (field.kind == FieldKind::kEnum8 ||
               field.kind == FieldKind::kEnum32)
        given.attributes.Set(
            name, std::string(
                      field.enumerators[static_cast<size_t>(field.fallback)]));
      else
        --fields;
    }
    const auto a = BuiltinData::Make(plain), b = BuiltinData::Make(given);
    ASSERT_EQ(a.ok(), b.ok()) << op->name;
    if (!a.ok()) continue;
    ASSERT_EQ(a->size(), b->size());
    if (a->size() > 0) {
      EXPECT_EQ(std::memcmp(a->get(), b->get(), a->size()), 0) << op->name;
    }
  }
  EXPECT_GT(fields, 100u);
}

}  // namespace
}  // namespace munja::compat
