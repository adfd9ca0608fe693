// What stands for an attribute that a node leaves out: the defaults below are
// those of the ONNX specification, and each is compared with a node that gives
// it.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "import/onnx/testing.h"
#include "import/testing.h"

namespace munja::foreign::onnx {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
// A tensor of one number is what ConstantOfShape has.
struct OneNumber {
  float value;
};
using Value = std::variant<std::monostate, int64_t, float, const char*, Ints,
                           Floats, OneNumber>;
using Given = std::vector<std::pair<const char*, Value>>;

struct Attribute {
  const char* name;
  Value standard;  // Of the specification; none: it must be given, or is not
                   // there at all.
  Value other;     // None: what it means is in the rows of other operators.
};

struct Case {
  const char* op;
  int64_t opset;
  Ints x;       // The shape of the input.
  Given given;  // Attributes that a node must have.
  std::vector<Attribute> attributes;
  // Constants after the input: "" where none is.
  std::vector<std::pair<Ints, Floats>> floats = {};
  std::vector<Ints> integers = {};
  bool has_x = true;
};

void Set(munja::onnx::NodeProto& node, const char* name, const Value& value) {
  if (const auto* v = std::get_if<int64_t>(&value)) SetInt(node, name, *v);
  if (const auto* v = std::get_if<float>(&value)) SetFloat(node, name, *v);
  if (const auto* v = std::get_if<const char*>(&value)) SetText(node, name, *v);
  if (const auto* v = std::get_if<Ints>(&value)) SetInts(node, name, *v);
  if (const auto* v = std::get_if<Floats>(&value)) {
    munja::onnx::AttributeProto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(6);
    for (const float f : *v) a->add_floats(f);
  }
  if (const auto* v = std::get_if<OneNumber>(&value)) {
    munja::onnx::AttributeProto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(4);
    a->mutable_t()->set_data_type(1);
    a->mutable_t()->add_dims(1);
    a->mutable_t()->add_float_data(v->value);
  }
}

testing::Answer Try(const Case& c, const char* name, const Value& value) {
  File file(c.x, c.opset);
  std::vector<std::string> inputs;
  if (c.has_x) inputs.push_back("x");
  for (const auto& [dims, numbers] : c.floats) {
    const std::string constant = "f" + std::to_string(inputs.size());
    inputs.push_back(dims.empty() && numbers.empty() ? "" : constant);
    if (!inputs.back().empty()) file.Floats(constant, dims, numbers);
  }
  for (const Ints& numbers : c.integers) {
    inputs.push_back("i" + std::to_string(inputs.size()));
    file.Integers(inputs.back(), numbers);
  }
  const bool splits = c.op == std::string("Split");
  // A model whose result is a constant is none.
  std::vector<std::string> outputs = {c.has_x ? "y" : "c"};
  if (splits) outputs.push_back("z");
  munja::onnx::NodeProto& node = file.Node(c.op, inputs, outputs);
  for (const auto& [given, v] : c.given)
    if (name == nullptr || std::string(given) != name) Set(node, given, v);
  if (name != nullptr) Set(node, name, value);
  if (!c.has_x) file.Node("Add", {"x", "c"}, {"y"});
  return testing::AnswerOf(file.Import());
}

Floats Numbers(size_t count) {
  Floats numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>((i * 7) % 11) / 4 - 1);
  return numbers;
}

constexpr Value kNothing = std::monostate();
constexpr int64_t kOne = 1, kZero = 0;

// Pools and convolutions with windows of any kind.
std::vector<Attribute> Window(Ints ones, Ints twos, Ints zeros, Ints pads,
                              std::vector<Attribute> more) {
  more.insert(more.end(), {{"strides", ones, twos},
                           {"pads", zeros, pads},
                           {"auto_pad", "NOTSET", "SAME_UPPER"}});
  return more;
}

std::vector<Case> Cases() {
  const std::pair<Ints, Floats> three = {{3}, {1, 2, 3}};
  const std::pair<Ints, Floats> ones = {{3}, {1, 1, 1}};
  const std::pair<Ints, Floats> absent = {};
  std::vector<Case> cases = {
      {"LeakyRelu", 16, {2, 5}, {}, {{"alpha", 0.01f, 0.3f}}},
      {"Elu", 7, {2, 5}, {}, {{"alpha", 1.0f, 0.3f}}},
      {"HardSigmoid",
       7,
       {2, 5},
       {},
       {{"alpha", 0.2f, 0.3f}, {"beta", 0.5f, 0.4f}}},
      {"Gelu", 20, {2, 5}, {}, {{"approximate", "none", "tanh"}}},
      {"Clip",
       7,
       {2, 5},
       {},
       {{"min", -3.4028234e38f, 0.0f}, {"max", 3.4028234e38f, 0.0f}}},
      {"Cast", 13, {2, 5}, {{"to", kOne}}, {{"to", kNothing, int64_t{7}}}},
      {"ReduceL2",
       11,
       {2, 3, 4},
       {},
       {{"axes", Ints{0, 1, 2}, Ints{1}}, {"keepdims", kOne, kZero}}},
      {"ArgMax",
       12,
       {2, 3, 4},
       {},
       {{"axis", kZero, kOne},
        {"keepdims", kOne, kZero},
        {"select_last_index", kZero, kOne}}},
      // One axis: before operator set 13 all behind it count as one.
      {"Softmax", 11, {2, 3, 1}, {}, {{"axis", kOne, int64_t{2}}}},
      {"Softmax", 13, {2, 3, 4}, {}, {{"axis", int64_t{-1}, kOne}}},
      {"LogSoftmax", 11, {2, 3, 1}, {}, {{"axis", kOne, int64_t{2}}}},
      {"LogSoftmax", 13, {2, 3, 4}, {}, {{"axis", int64_t{-1}, kOne}}},
      {"BatchNormalization",
       15,
       {2, 3, 2, 2},
       {},
       {{"epsilon", 1e-5f, 0.5f}, {"training_mode", kZero, kOne}},
       {three, ones, three, {{3}, {1e-4f, 1e-3f, 1}}}},
      {"InstanceNormalization",
       7,
       {1, 3, 2, 2},
       {},
       {{"epsilon", 1e-5f, 0.5f}},
       {three, ones}},
      {"LayerNormalization",
       17,
       {2, 2, 3},
       {},
       {{"epsilon", 1e-5f, 0.5f}, {"axis", int64_t{-1}, kOne}},
       {three, ones}},
      {"Gemm",
       13,
       {3, 3},
       {},
       {{"alpha", 1.0f, 2.0f},
        {"beta", 1.0f, 2.0f},
        {"transA", kZero, kOne},
        {"transB", kZero, kOne}},
       {{{3, 3}, Numbers(9)}, three}},
      {"Resize",
       13,
       {1, 1, 2, 4},
       {},
       {{"mode", "nearest", "linear"},
        {"coordinate_transformation_mode", "half_pixel", "asymmetric"},
        {"nearest_mode", "round_prefer_floor", "floor"},
        {"antialias", kNothing, kNothing},
        {"axes", kNothing, Ints{2, 3}},
        {"scales", kNothing, kNothing}},
       {absent, {{4}, {1, 1, 3, 2}}}},
      {"Resize",
       13,
       {1, 1, 2, 4},
       {{"mode", "linear"}},
       {{"coordinate_transformation_mode", "half_pixel", "align_corners"}},
       {absent, {{4}, {1, 1, 3, 2.5f}}}},
      // Operator set 10 knows the mode only and means these two.
      {"Resize",
       10,
       {1, 1, 2, 4},
       {},
       {{"mode", "nearest", "linear"},
        {"coordinate_transformation_mode", "asymmetric", "half_pixel"},
        {"nearest_mode", "floor", "round_prefer_ceil"}},
       {{{4}, {1, 1, 3, 2.5f}}}},
      {"Upsample",
       9,
       {1, 1, 2, 4},
       {},
       {{"mode", "nearest", "linear"},
        {"coordinate_transformation_mode", "asymmetric", "half_pixel"},
        {"nearest_mode", "floor", "round_prefer_ceil"},
        {"antialias", kNothing, kNothing},
        {"axes", kNothing, Ints{2, 3}}},
       {{{4}, {1, 1, 3, 2.5f}}}},
      {"Upsample",
       7,
       {1, 1, 2, 4},
       {{"scales", Floats{1, 1, 2, 2}}},
       {{"scales", kNothing, Floats{1, 1, 3, 2}}}},
      {"Concat",
       13,
       {2, 3},
       {{"axis", kOne}},
       {{"axis", kNothing, kZero}},
       {{{2, 3}, Numbers(6)}}},
      {"Split",
       11,
       {2, 4},
       {{"axis", kOne}},
       {{"split", Ints{2, 2}, Ints{1, 3}}}},
      {"Split", 11, {2, 4}, {}, {{"axis", kZero, kOne}}},
      {"Slice",
       9,
       {4, 4},
       {{"starts", Ints{1}}, {"ends", Ints{3}}},
       {{"starts", kNothing, Ints{2}},
        {"ends", kNothing, Ints{4}},
        {"axes", Ints{0}, Ints{1}},
        {"steps", Ints{1}, Ints{2}}}},
      {"Squeeze", 11, {2, 1, 3, 1}, {}, {{"axes", Ints{1, 3}, Ints{1}}}},
      {"Unsqueeze",
       11,
       {2, 3},
       {{"axes", Ints{0}}},
       {{"axes", kNothing, Ints{2}}}},
      {"Reshape", 14, {2, 3}, {}, {{"allowzero", kZero, kOne}}, {}, {{0, 3}}},
      {"Flatten", 13, {2, 3, 4}, {}, {{"axis", kOne, int64_t{2}}}},
      {"Flatten", 13, {2, 3, 4}, {}, {{"axis", int64_t{-2}, int64_t{-1}}}},
      {"Transpose",
       13,
       {2, 3, 4},
       {},
       {{"perm", Ints{2, 1, 0}, Ints{1, 0, 2}}}},
      {"Pad",
       7,
       {1, 2, 3, 3},
       {{"pads", Ints{0, 0, 1, 0, 0, 0, 0, 2}}},
       {{"pads", kNothing, Ints{0, 0, 0, 1, 0, 0, 2, 0}},
        {"mode", "constant", "reflect"},
        {"value", 0.0f, 2.0f}}},
      {"Gather", 13, {3, 3}, {}, {{"axis", kZero, kOne}}, {}, {{1, 0}}},
      {"DepthToSpace",
       13,
       {1, 8, 2, 2},
       {{"blocksize", int64_t{2}}},
       {{"blocksize", kNothing, kOne}, {"mode", "DCR", "CRD"}}},
      {"ConstantOfShape",
       9,
       {2, 3},
       {},
       {{"value", OneNumber{0}, OneNumber{5}}},
       {},
       {{2, 3}},
       false},
      {"LSTM",
       14,
       {3, 1, 1},
       {},
       {{"direction", "forward", "reverse"},
        {"layout", kZero, kOne},
        {"input_forget", kZero, kOne},
        {"clip", kNothing, 1.0f},
        {"activation_alpha", kNothing, kNothing},
        {"activation_beta", kNothing, kNothing}},
       {{{1, 4, 1}, Numbers(4)}, {{1, 4, 1}, Numbers(4)}}},
  };
  for (const char* op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin",
                         "ReduceSumSquare"}) {
    cases.push_back(
        {op,
         11,
         {2, 3, 4},
         {},
         {{"axes", Ints{0, 1, 2}, Ints{1}}, {"keepdims", kOne, kZero}}});
    cases.push_back(
        {op, 18, {2, 3, 4}, {}, {{"noop_with_empty_axes", kZero, kOne}}});
  }
  cases.push_back(
      {"ReduceL2", 18, {2, 3, 4}, {}, {{"noop_with_empty_axes", kZero, kOne}}});
  const Ints plain = {1, 1}, wide = {2, 2}, zeros = {0, 0, 0, 0};
  const std::pair<Ints, Floats> filters = {{2, 2, 3, 2}, Numbers(24)};
  cases.push_back({"Conv",
                   11,
                   {1, 2, 5, 6},
                   {},
                   Window(plain, wide, zeros, {1, 0, 0, 2},
                          {{"kernel_shape", Ints{3, 2}, Ints{2, 2}},
                           {"dilations", plain, wide},
                           {"group", kOne, int64_t{2}}}),
                   {filters}});
  cases.push_back({"Conv",
                   11,
                   {1, 2, 7},
                   {},
                   Window({1}, {2}, {0, 0}, {1, 2},
                          {{"kernel_shape", Ints{3}, Ints{2}},
                           {"dilations", Ints{1}, Ints{2}},
                           {"group", kOne, int64_t{2}}}),
                   {{{2, 2, 3}, Numbers(12)}}});
  cases.push_back({"ConvTranspose",
                   11,
                   {1, 2, 5, 6},
                   {},
                   Window(plain, wide, zeros, {1, 0, 0, 1},
                          {{"kernel_shape", Ints{3, 2}, Ints{2, 2}},
                           {"dilations", plain, wide},
                           {"group", kOne, int64_t{2}},
                           {"output_padding", Ints{0, 0}, Ints{1, 1}},
                           {"output_shape", kNothing, Ints{9, 9}}}),
                   {filters}});
  for (const bool is_max : {true, false}) {
    std::vector<Attribute> more = {{"kernel_shape", kNothing, Ints{2, 2}}};
    if (is_max) {
      more.push_back({"dilations", plain, wide});
      more.push_back({"count_include_pad", kNothing, kNothing});
    } else {
      more.push_back({"dilations", kNothing, kNothing});
    }
    const char* op = is_max ? "MaxPool" : "AveragePool";
    cases.push_back({op,
                     11,
                     {1, 2, 6, 7},
                     {{"kernel_shape", Ints{3, 2}}},
                     Window(plain, wide, zeros, {1, 0, 0, 1}, more)});
    cases.push_back({op,
                     11,
                     {1, 2, 6, 7},
                     {{"kernel_shape", Ints{3, 2}}, {"strides", wide}},
                     {{"ceil_mode", kZero, kOne}}});
    cases.push_back({op,
                     11,
                     {1, 2, 7},
                     {{"kernel_shape", Ints{3}}},
                     Window({1}, {2}, {0, 0}, {1, 0}, {})});
  }
  cases.push_back({"AveragePool",
                   11,
                   {1, 2, 6, 6},
                   {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}},
                   {{"count_include_pad", kZero, kOne}}});
  return cases;
}

TEST(OnnxDefaults, WhatIsLeftOutIsAsTheSpecificationSays) {
  for (const Case& c : Cases()) {
    for (const Attribute& attribute : c.attributes) {
      const Value none;
      if (attribute.other.index() == 0) continue;
      testing::Tried tried;
      tried.what = std::string(c.op) + " of operator set " +
                   std::to_string(c.opset) + ": " + attribute.name;
      tried.without = Try(c, nullptr, none);
      if (attribute.standard.index() != 0)
        tried.with_default = Try(c, attribute.name, attribute.standard);
      tried.with_other = Try(c, attribute.name, attribute.other);
      testing::CheckAttribute(tried);
    }
  }
}

TEST(OnnxDefaults, EveryAttributeThatIsReadHasARow) {
  std::map<std::string, std::set<std::string>> listed;
  for (const Case& c : Cases())
    for (const Attribute& attribute : c.attributes)
      listed[c.op].insert(attribute.name);
  // Operators without attributes, and what is read of others in their place.
  for (const char* op : {"Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt",
                         "Reciprocal", "Abs", "Neg", "Floor", "Ceil", "Sin",
                         "Cos", "Erf", "PRelu", "MatMul", "Shape"})
    listed[op] = {"start", "end"};
  for (const char* op :
       {"Identity", "Dropout", "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow",
        "GlobalAveragePool", "GlobalMaxPool", "Tile", "Expand", "Sum", "Mean"})
    listed[op];
  // Inputs; and what converted_test.cc tries.
  for (const char* op : {"Identity", "Dropout"})
    listed[op] = {"ratio", "training_mode"};
  for (const char* op : {"Resize", "Upsample"})
    listed[op].insert("keep_aspect_ratio_policy");
  listed["Tile"] = {"repeats"};
  listed["Expand"] = {"shape"};
  listed["ConstantOfShape"].insert("shape");
  // One of them must be given.
  listed["Constant"] = {"value", "value_float", "value_int", "value_ints"};
  // Functions that translate several operators.
  for (const char* op :
       {"LeakyRelu", "Elu", "HardSigmoid", "HardSwish", "Gelu"})
    listed[op].insert({"alpha", "beta", "approximate"});
  for (const char* op : {"Conv", "ConvTranspose"})
    listed[op].insert({"output_shape", "output_padding"});
  for (const char* op : {"BatchNormalization", "LayerNormalization"})
    listed[op].insert({"training_mode", "axis"});
  for (const char* op : {"Softplus", "Softsign", "Mish", "LogSoftmax",
                         "ReduceL2", "ReduceSumSquare"})
    listed[op].insert({"axis", "axes", "keepdims", "noop_with_empty_axes"});
  testing::CheckAllAreListed("onnx", listed);
}

}  // namespace
}  // namespace munja::foreign::onnx
