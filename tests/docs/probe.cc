#include "probe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/strings.h"
#include "tflite/option_table.h"

namespace munja::docs {
namespace {

using ops::TestNode;
using ops::TestTensor;

// How to try an operator. One letter an input:
//   x  the main input            y  like it             t  like it, one element
//   b  booleans of its shape     e  like it, rank 0     N  float32, rank 0
//   0  the number 0 (int32)      1  the number 1        _  absent
//   a  {0}     n  {-1}     2  {2, 2}     z  a 0 for each dimension
//   o  a 1     m  a -1     p  0, 1, ...  P  a pair of zeros
//   c  {1, 1}  C  two pairs of zeros     s  the shape   I  {{0}}
//   w  filter of a convolution           d  of a depthwise one
//   f  matrix by the last dimension      B  bias of two channels
//   D  bias by the last dimension        S  sorted float boundaries
// and one an output: t the type of the main input (tried first), i int32, f
// float32.
struct Way {
  std::string_view op, inputs, outputs = "t";
};
constexpr Way kWays[] = {
    {"ADD_N", "xyy"},
    {"ARG_MAX", "x0"},
    {"ARG_MIN", "x0"},
    {"BATCH_MATMUL", "xy"},
    {"BATCH_TO_SPACE_ND", "xcC"},
    {"BROADCAST_TO", "xs"},
    {"CONV_2D", "xwB"},
    {"CONV_3D", "xwB"},
    {"CUMSUM", "x0"},
    {"DEPTHWISE_CONV_2D", "xdD"},
    {"DYNAMIC_UPDATE_SLICE", "xyz"},
    {"EMBEDDING_LOOKUP", "ax"},
    {"EXPAND_DIMS", "x0"},
    {"FILL", "2e"},
    {"FULLY_CONNECTED", "xfB"},
    {"GATHER", "xa"},
    {"GATHER_ND", "xI"},
    {"MATRIX_SET_DIAG", "xy"},
    {"MIRROR_PAD", "xP"},
    {"NON_MAX_SUPPRESSION_V4", "xt1NN", "ii"},
    {"NON_MAX_SUPPRESSION_V5", "xt1NNN", "ifi"},
    {"ONE_HOT", "a1ee"},
    {"PAD", "xP"},
    {"PADV2", "xPe"},
    {"RANGE", "eee"},
    {"RESHAPE", "xn"},
    {"RESIZE_BILINEAR", "x2"},
    {"RESIZE_NEAREST_NEIGHBOR", "x2"},
    {"REVERSE_SEQUENCE", "xa"},
    {"REVERSE_V2", "xa"},
    {"SCATTER_ND", "Ixs"},
    {"SEGMENT_SUM", "xa"},
    {"SELECT", "bxy"},
    {"SELECT_V2", "bxy"},
    {"SLICE", "xzm"},
    {"SPACE_TO_BATCH_ND", "xcC"},
    {"SPARSE_TO_DENSE", "0ntt"},
    {"SPLIT", "0x"},
    {"SPLIT_V", "xn0"},
    {"STRIDED_SLICE", "xzso"},
    {"SUM", "xa"},
    {"MEAN", "xa"},
    {"TILE", "xo"},
    {"TOPK_V2", "x1", "ti"},
    {"TRANSPOSE", "xp"},
    {"TRANSPOSE_CONV", "swx_"},
    {"UNIQUE", "x", "ti"},
    {"UNSORTED_SEGMENT_MAX", "xa1"},
    {"UNSORTED_SEGMENT_MIN", "xa1"},
    {"UNSORTED_SEGMENT_PROD", "xa1"},
    {"UNSORTED_SEGMENT_SUM", "xa1"},
    {"WHERE", "x"},
};
constexpr std::string_view kBinary[] = {
    "ADD",
    "ATAN2",
    "BITWISE_XOR",
    "CONCATENATION",
    "DIV",
    "EQUAL",
    "FLOOR_DIV",
    "FLOOR_MOD",
    "GREATER",
    "GREATER_EQUAL",
    "LESS",
    "LESS_EQUAL",
    "LOGICAL_AND",
    "LOGICAL_OR",
    "MAXIMUM",
    "MINIMUM",
    "MUL",
    "NOT_EQUAL",
    "PACK",
    "POW",
    "PRELU",
    "RIGHT_SHIFT",
    "SQUARED_DIFFERENCE",
    "SUB",
};
// They call subgraphs, keep something from run to run, or want operands that
// depend on each other in ways of their own.
constexpr std::string_view kOutOfReach[] = {
    "ASSIGN_VARIABLE",
    "CALL",
    "CALL_ONCE",
    "HASHTABLE",
    "HASHTABLE_FIND",
    "HASHTABLE_IMPORT",
    "HASHTABLE_LOOKUP",
    "HASHTABLE_SIZE",
    "IF",
    "READ_VARIABLE",
    "STABLEHLO_COMPOSITE",
    "VAR_HANDLE",
    "WHILE",
};

const Shape kShapes[] = {{1, 4, 4, 2},    {2, 2}, {4},   {1, 4, 2},
                         {2, 3, 4, 4, 1}, {},     {2, 4}};
constexpr ElementType kTypes[] = {
    ElementType::kFloat32, ElementType::kBool,    ElementType::kInt32,
    ElementType::kInt64,   ElementType::kInt8,    ElementType::kUInt8,
    ElementType::kInt16,   ElementType::kFloat16,
};

bool IsQuantizable(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUInt8 ||
         type == ElementType::kInt16;
}

// Scale and zero point; the first one is also that of inputs.
constexpr std::pair<float, int> kQuantizations[] = {
    {0.5f, 0},       {1.0f / 256, 0},   {1.0f / 256, -128}, {1.0f / 32768, 0},
    {1.0f / 128, 0}, {1.0f / 128, 128}, {16.0f / 256, 255}, {16.0f / 256, 127},
};

TestTensor Ones(ElementType type, Shape shape) {
  TestTensor t;
  t.type = type;
  t.shape = shape;
  const auto count = static_cast<size_t>(shape.elements());
  if (type == ElementType::kString) {
    const std::vector<std::string_view> texts(count, "a");
    t.bytes.resize(StringBytes(texts));
    WriteStrings(texts, t.bytes.data());
    return t;
  }
  const size_t size = ElementSize(type);
  t.bytes.resize(type == ElementType::kInt4 ? (count + 1) / 2 : count * size);
  for (size_t i = 0; size > 0 && i < t.bytes.size(); i += size) {
    const float one = 1;
    const double wide = 1;
    if (type == ElementType::kFloat32)
      std::memcpy(&t.bytes[i], &one, size);
    else if (type == ElementType::kFloat64)
      std::memcpy(&t.bytes[i], &wide, size);
    else
      t.bytes[i] = 1;
  }
  if (IsQuantizable(type)) t.quantization = {{0.5f}, {0}};
  return t;
}

TestTensor Numbers(Shape shape, std::vector<int32_t> values) {
  return ops::Ints(shape, values).Constant();
}

struct Choice {
  Shape shape;
  ElementType weights, bias, output;
  std::pair<float, int> quantization;
  bool is_constant;  // The second operand.
};

TestTensor Operand(char letter, ElementType type, const Choice& c) {
  const int rank = c.shape.rank();
  const int32_t last = rank > 0 ? c.shape.back() : 1;
  const auto each = [&](int32_t number) {
    return Numbers({rank}, std::vector<int32_t>(rank, number));
  };
  const auto bias = [&](int32_t count) {
    if (c.bias == ElementType::kBool) return ops::Absent();
    TestTensor t = Ones(c.bias, {count});
    if (c.bias != ElementType::kFloat32) t.quantization = {{0.25f}, {0}};
    return std::move(t).Constant();
  };
  const auto weights = [&](Shape shape) {
    return Ones(c.weights, shape).Constant();
  };
  switch (letter) {
    case 'y': {
      TestTensor t = Ones(type, c.shape);
      return c.is_constant ? std::move(t).Constant() : t;
    }
    case 't':
      return Ones(type, {1});
    case 'e':
      return Ones(type, {}).Constant();
    case 'N':
      return Ones(ElementType::kFloat32, {}).Constant();
    case 'b':
      return Ones(ElementType::kBool, c.shape);
    case '0':
      return Numbers({}, {0});
    case '1':
      return Numbers({}, {1});
    case '_':
      return ops::Absent();
    case 'a':
      return Numbers({1}, {0});
    case 'n':
      return Numbers({1}, {-1});
    case '2':
      return Numbers({2}, {2, 2});
    case 'c':
      return Numbers({2}, {1, 1});
    case 'C':
      return Numbers({2, 2}, {0, 0, 0, 0});
    case 'I':
      return Numbers({1, 1}, {0});
    case 'z':
      return each(0);
    case 'o':
      return each(1);
    case 'm':
      return each(-1);
    case 'P':
      return Numbers({rank, 2}, std::vector<int32_t>(2 * rank, 0));
    case 'p': {
      std::vector<int32_t> order(rank);
      for (int i = 0; i < rank; ++i) order[i] = i;
      return Numbers({rank}, order);
    }
    case 's':
      return Numbers({rank}, std::vector<int32_t>(c.shape.dims().begin(),
                                                  c.shape.dims().end()));
    case 'w':
      return rank == 5 ? weights({1, 1, 1, last, 2}) : weights({2, 1, 1, last});
    case 'd':
      return weights({1, 1, 1, last});
    case 'f':
      return weights({2, last});
    case 'B':
      return bias(2);
    case 'D':
      return bias(last);
    default:
      return Ones(type, c.shape);
  }
}

graph::Attributes Options(std::string_view name, const Choice& c) {
  graph::Attributes attributes;
  if (name == "ARG_MAX_WITH_SCORE" && c.shape.rank() > 0)
    attributes.Set("classes", int64_t{c.shape.back()});
  const tflite::Operator* const op = tflite::FindOperator(name);
  if (op == nullptr || op->options == nullptr) return attributes;
  for (const tflite::OptionField& field : op->options->fields) {
    switch (field.kind) {
      case tflite::FieldKind::kInt32: {
        const std::string_view f = field.name;
        const bool is_zero = f.ends_with("axis") || f.ends_with("_mask") ||
                             f.ends_with("batch_dims") ||
                             f.ends_with("batch_dim");
        int64_t value = is_zero ? 0 : 1;
        if (f == "num") value = c.shape.rank() > 0 ? c.shape[0] : 1;
        if (f == "values_count") value = 2;
        attributes.Set(field.name, value);
        break;
      }
      case tflite::FieldKind::kFloat32:
        attributes.Set(field.name, 1.0);
        break;
      case tflite::FieldKind::kEnum8:
        // Types that an option states are left to the tensors.
        if (!field.name.ends_with("data_type") &&
            !field.name.ends_with("output_type"))
          attributes.Set(field.name, std::string(field.enumerators[0]));
        break;
      case tflite::FieldKind::kFloat32s:
        attributes.Set(field.name, std::vector<double>{0.0, 1.0});
        break;
      default:
        break;
    }
  }
  return attributes;
}

Way WayOf(std::string_view op) {
  for (const Way& way : kWays)
    if (way.op == op) return way;
  if (op.starts_with("REDUCE_")) return {op, "xa"};
  const bool is_binary = std::find(std::begin(kBinary), std::end(kBinary),
                                   op) != std::end(kBinary);
  return {op, is_binary ? "xy" : "x"};
}

}  // namespace

bool CanProbe(std::string_view op) {
  return std::find(std::begin(kOutOfReach), std::end(kOutOfReach), op) ==
             std::end(kOutOfReach) &&
         op.find("LSTM") == std::string_view::npos &&
         op.find("RNN") == std::string_view::npos && op != "SVDF" &&
         // Custom operators have options of their own.
         std::none_of(op.begin(), op.end(),
                      [](char c) { return c >= 'a' && c <= 'z'; });
}

std::optional<TestNode> FindNode(const ops::OpImpl& op, ElementType type) {
  const Way way = WayOf(op.name);
  const bool has_weights =
      way.inputs.find_first_of("wdf") != std::string_view::npos;
  const bool has_bias =
      way.inputs.find_first_of("BD") != std::string_view::npos;
  std::vector<ElementType> outputs = {type};
  outputs.insert(outputs.end(), std::begin(kTypes), std::end(kTypes));
  std::vector<ElementType> weights = {type}, biases = {ElementType::kFloat32};
  if (has_weights && type != ElementType::kInt8)
    weights.push_back(ElementType::kInt8);
  if (has_bias)
    biases = {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
              ElementType::kBool};
  for (const Shape& shape : kShapes) {
    for (const ElementType output : outputs) {
      for (const ElementType weight : weights) {
        for (const ElementType bias : biases) {
          for (const auto& quantization : kQuantizations) {
            for (const bool is_constant : {true, false}) {
              const Choice c{shape,  weight,       bias,
                             output, quantization, is_constant};
              TestNode node{.op = std::string(op.name)};
              node.attributes = Options(op.name, c);
              node.version = op.max_version;
              for (const char letter : way.inputs)
                node.inputs.push_back(Operand(letter, type, c));
              node.outputs.clear();
              for (const char letter : way.outputs) {
                ops::TestOutput out;
                out.type = letter == 'i'   ? ElementType::kInt32
                           : letter == 'f' ? ElementType::kFloat32
                                           : output;
                if (IsQuantizable(out.type))
                  out.quantization = {{quantization.first},
                                      {quantization.second}};
                node.outputs.push_back(out);
              }
              if (ops::RunNode(node, {}).ok()) return node;
              if (way.inputs.find('y') == std::string_view::npos) break;
            }
            if (!IsQuantizable(output)) break;
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace munja::docs
