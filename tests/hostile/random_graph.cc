#include "random_graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "ops/op.h"
#include "tensor/strings.h"
#include "tflite/option_table.h"

namespace munja::hostile {
namespace {

using graph::ValueId;

// The inputs that an operator expects, one letter each:
//   x  any value             y  like the first in type, often in shape
//   4  any value, rank 4     3  any value, rank 3      5  rank 5
//   b  booleans              i  integers (indices)     S  texts
//   p  constant integers     P  pairs of them          s  one constant integer
//   f  one constant number   w  filter of a convolution by the first
//   d  of a depthwise one    m  matrix by the first    B  bias of the second
//   o  absent, or like y     v  variable               r  resource
struct Recipe {
  std::string_view op, inputs;
  int outputs = 1;
};

constexpr Recipe kRecipes[] = {
    {"ADD_N", "xyy"},
    {"ARG_MAX", "xs"},
    {"ARG_MIN", "xs"},
    {"ASSIGN_VARIABLE", "rx", 0},
    {"AVERAGE_POOL_2D", "4"},
    {"BATCH_MATMUL", "xy"},
    {"BATCH_TO_SPACE_ND", "4pP"},
    {"BIDIRECTIONAL_SEQUENCE_LSTM",
     "3mmmmmmmmoooBBBBmovvmmmmmmmmoooBBBBmovvvvoooooooo", 2},
    {"BIDIRECTIONAL_SEQUENCE_RNN", "3mmBvmmBvoooo", 2},
    {"BITCAST", "x"},
    {"BROADCAST_TO", "xp"},
    {"BUCKETIZE", "x"},
    {"CALL_ONCE", "", 0},
    {"CONV_2D", "4wB"},
    {"CONV_3D", "5xB"},
    {"CONV_3D_TRANSPOSE", "px5B"},
    {"CUMSUM", "xs"},
    {"DEPTHWISE_CONV_2D", "4dB"},
    {"DYNAMIC_UPDATE_SLICE", "xyp"},
    {"EMBEDDING_LOOKUP", "ix"},
    {"EMBEDDING_LOOKUP_SPARSE", "iippx"},
    {"EXPAND_DIMS", "xs"},
    {"FILL", "pf"},
    {"FULLY_CONNECTED", "xmB"},
    {"GATHER", "xi"},
    {"GATHER_ND", "xi"},
    {"HASHTABLE", ""},
    {"HASHTABLE_FIND", "rxf"},
    {"HASHTABLE_IMPORT", "rxx", 0},
    {"HASHTABLE_LOOKUP", "iix", 2},
    {"HASHTABLE_SIZE", "r"},
    {"LSH_PROJECTION", "xxo"},
    {"LSTM", "xmmmmmmmmoooBBBBoovvoooo"},
    {"MATRIX_SET_DIAG", "xy"},
    {"MAX_POOL_2D", "4"},
    {"L2_POOL_2D", "4"},
    {"MIRROR_PAD", "xP"},
    {"MULTINOMIAL", "xs"},
    {"MunjaGridSample", "44"},
    {"MunjaRecurrent", "3mmB", 3},
    {"MunjaScatter", "xix"},
    {"MunjaSelectBoxes", "33"},
    {"NON_MAX_SUPPRESSION_V4", "xxsff", 2},
    {"NON_MAX_SUPPRESSION_V5", "xxsfff", 3},
    {"ONE_HOT", "isff"},
    {"PAD", "xP"},
    {"PADV2", "xPf"},
    {"RANDOM_STANDARD_NORMAL", "p"},
    {"RANDOM_UNIFORM", "p"},
    {"RANGE", "fff"},
    {"READ_VARIABLE", "r"},
    {"RESHAPE", "xp"},
    {"RESIZE_BILINEAR", "4p"},
    {"RESIZE_NEAREST_NEIGHBOR", "4p"},
    {"REVERSE_SEQUENCE", "xi"},
    {"REVERSE_V2", "xp"},
    {"RNN", "xmmBv"},
    {"SCATTER_ND", "ixp"},
    {"SEGMENT_SUM", "xi"},
    {"SELECT", "byy"},
    {"SELECT_V2", "byy"},
    {"SLICE", "xpp"},
    {"SPACE_TO_BATCH_ND", "4pP"},
    {"SPARSE_TO_DENSE", "ipxf"},
    {"SPLIT", "sx", 2},
    {"SPLIT_V", "xps", 2},
    {"STRIDED_SLICE", "xppp"},
    {"SVDF", "xmmov"},
    {"TFLite_Detection_PostProcess", "333", 4},
    {"TILE", "xp"},
    {"TOPK_V2", "xs", 2},
    {"TRANSPOSE", "xp"},
    {"TRANSPOSE_CONV", "pw4B"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", "3mmmmmmmmoooBBBBoovvoooo"},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", "3mmBv"},
    {"UNIQUE", "x", 2},
    {"UNPACK", "x", 2},
    {"UNSORTED_SEGMENT_MAX", "xis"},
    {"UNSORTED_SEGMENT_MIN", "xis"},
    {"UNSORTED_SEGMENT_PROD", "xis"},
    {"UNSORTED_SEGMENT_SUM", "xis"},
    {"VAR_HANDLE", ""},
    {"WHERE", "bxx"},
};

constexpr ElementType kTypes[] = {
    ElementType::kFloat32, ElementType::kInt8,    ElementType::kFloat32,
    ElementType::kFloat32, ElementType::kInt8,    ElementType::kFloat32,
    ElementType::kUInt8,   ElementType::kInt32,   ElementType::kInt16,
    ElementType::kInt64,   ElementType::kBool,    ElementType::kFloat16,
    ElementType::kUInt32,  ElementType::kFloat64, ElementType::kUInt16,
    ElementType::kString,  ElementType::kInt4,    ElementType::kComplex64,
};
constexpr std::string_view kBinary[] = {
    "ADD",           "ATAN2",       "BITWISE_XOR",   "COMPLEX",
    "CONCATENATION", "DIV",         "EQUAL",         "FLOOR_DIV",
    "FLOOR_MOD",     "GREATER",     "GREATER_EQUAL", "LESS",
    "LESS_EQUAL",    "LOGICAL_AND", "LOGICAL_OR",    "MAXIMUM",
    "MINIMUM",       "MUL",         "NOT_EQUAL",     "PACK",
    "POW",           "PRELU",       "RIGHT_SHIFT",   "SQUARED_DIFFERENCE",
    "SUB",
};
constexpr int32_t kDims[] = {2, 1, 3, 4, 2, 5, 1, 8, 7, 3, 2, 0, 17, kDynamic};
constexpr int64_t kIntegers[] = {1,  0, 2, -1, 3, 1,     2,         4,        8,
                                 -2, 5, 1, 0,  7, 65536, INT32_MAX, INT32_MIN};
// Strides, axes, block sizes.
constexpr int64_t kSettings[] = {1, 2,  1, 3, 2, 1,     4,         1,        2,
                                 0, -1, 5, 1, 2, 65536, INT32_MAX, INT32_MIN};
constexpr double kNumbers[] = {0,    1,    0.5, -1,    2,  0.1, 1e-9,
                               1e30, -0.5, 127, 1e-40, 10, 255};
constexpr float kScales[] = {0.5f, 0.0078125f, 0.1f, 1.0f, 0.25f,
                             2.0f, 1e-9f,      1e9f, 0.0f, -1.0f};

int64_t Integer(ByteSource& source) { return source.Pick(kIntegers); }

size_t Elements(const graph::Value& value) {
  const int64_t n = value.shape.elements();
  return n < 0 || n > 65536 ? 0 : static_cast<size_t>(n);
}

class Builder {
 public:
  Builder(ByteSource& source, graph::Graph& graph, size_t subgraph)
      : source_(source), sub_(graph.subgraphs[subgraph]) {}

  // A constant instead, once the subgraph has all its inputs.
  ValueId Input(ElementType type, Shape shape) {
    return Take(Value(type, shape));
  }
  ValueId Take(ValueId v) {
    if (is_closed_) return Fill(v);
    sub_.inputs.push_back(v);
    return v;
  }
  // The inputs that a call brings, and no others.
  void Close(const graph::Subgraph& caller, std::span<const ValueId> inputs) {
    for (const ValueId v : inputs) {
      const graph::Value& given = caller.values[v];
      written_.push_back(Input(given.type, given.shape));
      sub_.values[written_.back()].quantization = given.quantization;
    }
    is_closed_ = true;
  }
  void AddNode();
  // A loop of at most eight turns around subgraphs 1 and 2.
  void AddLoop();
  void AddBranch();
  void GiveOut();
  // The condition (counter < 4) or the first step of the body (counter + 1).
  void Count(bool is_body);
  // Outputs up to this number.
  void GiveBack(size_t count);

 private:
  ValueId Value(ElementType type, Shape shape) {
    graph::Value value;
    value.name = "t" + std::to_string(sub_.values.size());
    value.type = type;
    value.shape = shape;
    value.quantization = RandomQuantization(type);
    return sub_.AddValue(std::move(value));
  }
  Quantization RandomQuantization(ElementType type) {
    Quantization q;
    const bool is_small =
        type == ElementType::kInt8 || type == ElementType::kUInt8 ||
        type == ElementType::kInt16 || type == ElementType::kInt4;
    if (is_small ? source_.Once(8) : !source_.Once(16)) return q;
    q.scales = {source_.Pick(kScales)};
    constexpr int64_t kZeros[] = {0, 0, 3, 128, -128, 127, -1, 100000};
    q.zero_points = {source_.Pick(kZeros)};
    return q;
  }
  Shape RandomShape(int rank) {
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.Append(source_.Pick(kDims));
    return shape;
  }
  ValueId Fill(ValueId v) {
    graph::Value& value = sub_.values[v];
    for (int d = 0; d < value.shape.rank(); ++d)
      if (value.shape[d] < 0) value.shape[d] = 1;
    value.constant =
        graph::MakeConstant(RandomData(source_, value.type, Elements(value)));
    return v;
  }
  ValueId Scalar(int32_t number) {
    const ValueId v = Value(ElementType::kInt32, Shape());
    std::vector<uint8_t> bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    sub_.values[v].constant = graph::MakeConstant(std::move(bytes));
    sub_.values[v].quantization = {};
    return v;
  }
  template <class T>
  ValueId Integers(ElementType type, Shape shape) {
    const ValueId v = Value(type, shape);
    std::vector<T> data(Elements(sub_.values[v]));
    for (T& d : data) d = static_cast<T>(Integer(source_));
    std::vector<uint8_t> bytes(data.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), data.data(), bytes.size());
    sub_.values[v].constant = graph::MakeConstant(std::move(bytes));
    sub_.values[v].quantization = {};
    return v;
  }
  ValueId Parameters(Shape shape) {
    // A dynamic value sometimes takes the place of a constant.
    if (source_.Once(16)) return Input(ElementType::kInt32, shape);
    return source_.Once(16) ? Integers<int64_t>(ElementType::kInt64, shape)
                            : Integers<int32_t>(ElementType::kInt32, shape);
  }
  ValueId Any(int rank) {
    if (!written_.empty() && !source_.Once(3))
      return written_[source_.Below(written_.size())];
    if (rank < 0) rank = static_cast<int>(source_.Below(6));
    const ValueId v = Value(source_.Pick(kTypes), RandomShape(rank));
    if (source_.Once(6)) return Fill(v);
    written_.push_back(v);
    return Take(v);
  }
  ValueId Like(ValueId first) {
    if (first == graph::kNoValue) return Any(-1);
    const graph::Value like = sub_.values[first];
    if (source_.Once(4)) return first;
    Shape shape = like.shape;
    for (int d = 0; d < shape.rank(); ++d)
      if (source_.Once(4)) shape[d] = source_.Pick(kDims);
    if (source_.Once(8))
      shape = RandomShape(static_cast<int>(source_.Below(5)));
    const ValueId v = Value(like.type, shape);
    sub_.values[v].quantization = like.quantization;
    return source_.Once(2) ? Fill(v) : Take(v);
  }
  ValueId Weights(ValueId first, Shape shape) {
    ElementType type = first == graph::kNoValue ? ElementType::kFloat32
                                                : sub_.values[first].type;
    if (source_.Once(4) || type == ElementType::kInt16)
      type = ElementType::kInt8;
    const ValueId v = Value(type, shape);
    Quantization& q = sub_.values[v].quantization;
    if (q.is_quantized() && source_.Once(2) && shape.rank() > 0) {
      q.axis = source_.Once(4) ? shape.rank() - 1 : 0;
      q.scales.assign(std::max(shape[q.axis], 1), q.scales[0]);
      q.zero_points.assign(q.scales.size(), 0);
    }
    return source_.Once(16) ? v : Fill(v);
  }
  ValueId Operand(char letter, const std::vector<ValueId>& before);
  graph::Attributes Options(std::string_view op);
  ValueId Output(ElementType type);

  ByteSource& source_;
  graph::Subgraph& sub_;
  std::vector<ValueId> written_;  // Values that a node may read.
  bool is_closed_ = false;
};

int32_t LastDim(const graph::Subgraph& sub, ValueId v) {
  if (v == graph::kNoValue || sub.values[v].shape.rank() == 0) return 1;
  return std::clamp(sub.values[v].shape.back(), 1, 32);
}

ValueId Builder::Operand(char letter, const std::vector<ValueId>& before) {
  const ValueId first = before.empty() ? graph::kNoValue : before[0];
  const int rank =
      first == graph::kNoValue ? 1 : sub_.values[first].shape.rank();
  const auto small = [&] { return static_cast<int32_t>(1 + source_.Below(4)); };
  switch (letter) {
    case '3':
      return Any(3);
    case '4':
      return Any(4);
    case '5':
      return Any(5);
    case 'y':
      return Like(first);
    case 'o':
      return source_.Once(4) ? Like(first) : graph::kNoValue;
    case 'b':
      return Input(ElementType::kBool,
                   source_.Once(2) ? Shape() : RandomShape(source_.Below(4)));
    case 'i':
      return Parameters(RandomShape(static_cast<int>(source_.Below(4))));
    case 'S':
      return Input(ElementType::kString, RandomShape(1));
    case 'p':
      return Parameters({source_.Once(8) ? small() : std::max(rank, 1)});
    case 'P':
      return Parameters({source_.Once(8) ? small() : std::max(rank, 1), 2});
    case 's':
      return Parameters(source_.Once(4) ? Shape{1} : Shape());
    case 'f': {
      const bool is_like = first != graph::kNoValue && source_.Once(2);
      const ElementType type =
          is_like ? sub_.values[first].type : source_.Pick(kTypes);
      return Fill(Value(type, source_.Once(4) ? Shape{1} : Shape()));
    }
    case 'w':
      return Weights(first, {small(), small(), small(), LastDim(sub_, first)});
    case 'd':
      return Weights(first, {1, small(), small(), LastDim(sub_, first)});
    case 'm':
      return Weights(first, {small(), LastDim(sub_, first)});
    case 'B': {
      if (source_.Once(4)) return graph::kNoValue;
      const bool is_float = first != graph::kNoValue &&
                            sub_.values[first].type == ElementType::kFloat32;
      int32_t count = 1;
      if (before.size() > 1 && before[1] != graph::kNoValue &&
          sub_.values[before[1]].shape.rank() > 0)
        count = std::clamp(source_.Once(4) ? sub_.values[before[1]].shape.back()
                                           : sub_.values[before[1]].shape[0],
                           0, 64);
      return Fill(Value(is_float ? ElementType::kFloat32 : ElementType::kInt32,
                        {count}));
    }
    case 'v': {
      const ValueId v =
          Value(first == graph::kNoValue ? ElementType::kFloat32
                                         : sub_.values[first].type,
                {small(), small()});
      sub_.values[v].is_variable = true;
      return v;
    }
    case 'r':
      for (const ValueId v : written_)
        if (sub_.values[v].type == ElementType::kResource) return v;
      return Any(-1);
    default:
      return Any(-1);
  }
}

graph::Attributes Builder::Options(std::string_view op) {
  using tflite::FieldKind;
  graph::Attributes attributes;
  const tflite::Operator* row = tflite::FindOperator(op);
  if (row == nullptr || row->options == nullptr) return attributes;
  const auto list = [&](auto make) {
    std::vector<decltype(make())> values(source_.Below(6));
    for (auto& value : values) value = make();
    return values;
  };
  for (const tflite::OptionField& field : row->options->fields) {
    switch (field.kind) {
      case FieldKind::kBool:
        attributes.Set(field.name, source_.Once(2));
        break;
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        attributes.Set(field.name, field.name.ends_with("subgraph_index")
                                       ? int64_t{1}
                                       : source_.Pick(kSettings));
        break;
      case FieldKind::kUInt32:
        attributes.Set(field.name,
                       std::max<int64_t>(source_.Pick(kSettings), 0));
        break;
      case FieldKind::kFloat32:
        attributes.Set(field.name, source_.Pick(kNumbers));
        break;
      case FieldKind::kEnum8:
      case FieldKind::kEnum32:
        attributes.Set(
            field.name,
            std::string(
                field.enumerators[source_.Below(field.enumerators.size())]));
        break;
      case FieldKind::kText:
        attributes.Set(field.name, std::string(source_.Below(3), 'a'));
        break;
      case FieldKind::kInt32s:
      case FieldKind::kInt64s:
        attributes.Set(field.name, list([&] { return Integer(source_); }));
        break;
      case FieldKind::kUInt32s:
      case FieldKind::kBools:
        attributes.Set(field.name, list([&] {
                         return std::clamp<int64_t>(Integer(source_), 0, 1);
                       }));
        break;
      case FieldKind::kFloat32s:
        attributes.Set(field.name,
                       list([&] { return source_.Pick(kNumbers); }));
        break;
      case FieldKind::kBytes:
        attributes.Set(field.name, list([&] { return source_.Byte(); }));
        break;
    }
  }
  return attributes;
}

ValueId Builder::Output(ElementType type) {
  const ValueId v =
      Value(type, RandomShape(static_cast<int>(source_.Below(5))));
  sub_.values[v].has_shape = !source_.Once(4);
  if (!sub_.values[v].has_shape) sub_.values[v].shape = Shape();
  written_.push_back(v);
  return v;
}

void Builder::AddNode() {
  const auto ops = ops::AllOps();
  const ops::OpImpl& op = ops[source_.Below(ops.size())];
  if (op.name == "WHILE") return AddLoop();
  if (op.name == "IF") return AddBranch();
  graph::Node node;
  node.op = op.name;
  node.is_custom = tflite::FindOperator(op.name) == nullptr;
  node.version =
      op.min_version +
      static_cast<int>(source_.Below(op.max_version - op.min_version + 1));
  std::string_view pattern = "x";
  if (std::find(std::begin(kBinary), std::end(kBinary), op.name) !=
      std::end(kBinary))
    pattern = "xy";
  // Reductions: they are many.
  if (op.name.starts_with("REDUCE_") || op.name == "SUM" || op.name == "MEAN")
    pattern = "xp";
  size_t outputs = 1;
  for (const Recipe& recipe : kRecipes) {
    if (recipe.op != op.name) continue;
    pattern = recipe.inputs;
    outputs = static_cast<size_t>(recipe.outputs);
  }
  if (source_.Once(48)) outputs = source_.Below(4);
  // Once in a while too few inputs, or too many.
  const size_t count =
      source_.Once(48) ? source_.Below(pattern.size() + 3) : pattern.size();
  for (size_t i = 0; i < count; ++i)
    node.inputs.push_back(
        Operand(i < pattern.size() ? pattern[i] : 'x', node.inputs));
  if (node.is_custom) {
    node.custom_options.resize(source_.Below(64));
    for (uint8_t& byte : node.custom_options) byte = source_.Byte();
  } else {
    node.attributes = Options(op.name);
  }
  const bool makes_resource = op.name == "VAR_HANDLE" || op.name == "HASHTABLE";
  for (size_t k = 0; k < outputs; ++k) {
    ElementType type = node.inputs.empty() || node.inputs[0] < 0
                           ? ElementType::kFloat32
                           : sub_.values[node.inputs[0]].type;
    if (source_.Once(4)) type = source_.Pick(kTypes);
    if (makes_resource) type = ElementType::kResource;
    const ValueId v = Output(type);
    if (!node.inputs.empty() && node.inputs[0] >= 0 && source_.Once(2))
      sub_.values[v].quantization = sub_.values[node.inputs[0]].quantization;
    node.outputs.push_back(v);
  }
  sub_.nodes.push_back(std::move(node));
}

void Builder::AddBranch() {
  graph::Node node;
  node.op = "IF";
  node.attributes.Set("then_subgraph_index", int64_t{1});
  node.attributes.Set("else_subgraph_index", int64_t{2});
  node.inputs = {
      Input(ElementType::kBool, source_.Once(2) ? Shape{1} : Shape())};
  const size_t count = source_.Below(3);
  for (size_t i = 0; i < count; ++i) node.inputs.push_back(Any(-1));
  for (size_t i = 0; i <= source_.Below(2); ++i)
    node.outputs.push_back(Output(source_.Pick(kTypes)));
  sub_.nodes.push_back(std::move(node));
}

void Builder::AddLoop() {
  graph::Node node;
  node.op = "WHILE";
  node.attributes.Set("cond_subgraph_index", int64_t{1});
  node.attributes.Set("body_subgraph_index", int64_t{2});
  const ValueId counter = Scalar(static_cast<int32_t>(source_.Below(8)) - 4);
  node.inputs = {counter};
  const size_t count = source_.Below(3);
  for (size_t i = 0; i < count; ++i) node.inputs.push_back(Any(-1));
  for (size_t i = 0; i < node.inputs.size(); ++i)
    node.outputs.push_back(Output(sub_.values[node.inputs[i]].type));
  sub_.nodes.push_back(std::move(node));
}

void Builder::GiveOut() {
  for (const ValueId v : written_)
    if (sub_.outputs.empty() || source_.Once(4)) sub_.outputs.push_back(v);
  if (!written_.empty()) sub_.outputs.push_back(written_.back());
}

void Builder::Count(bool is_body) {
  const ValueId counter = sub_.inputs[0];
  const ValueId number = Scalar(is_body ? 1 : 4);
  const ValueId out =
      Value(is_body ? ElementType::kInt32 : ElementType::kBool, Shape());
  sub_.values[counter].quantization = sub_.values[out].quantization = {};
  graph::Node node;
  node.op = is_body ? "ADD" : "LESS";
  node.inputs = {counter, number};
  node.outputs = {out};
  sub_.nodes.push_back(std::move(node));
  sub_.outputs = {out};
}

void Builder::GiveBack(size_t count) {
  while (sub_.outputs.size() < count && !written_.empty())
    sub_.outputs.push_back(written_[source_.Below(written_.size())]);
}

// Makes what a node of the main subgraph calls.
void AddCallees(ByteSource& source, graph::Graph& graph,
                const graph::Node& node) {
  const bool is_loop = node.op == "WHILE";
  std::span<const ValueId> inputs = node.inputs;
  if (node.op == "IF") inputs = inputs.subspan(1);
  for (size_t s = 1; s < 3; ++s) {
    if (!graph.subgraphs[s].inputs.empty()) return;  // Already used.
    Builder b(source, graph, s);
    b.Close(graph.main(), inputs);
    if (is_loop) b.Count(s == 2);
    if (is_loop && s == 1) continue;
    const size_t nodes = source.Below(3);
    for (size_t i = 0; i < nodes; ++i) b.AddNode();
    b.GiveBack(node.outputs.size());
  }
}

}  // namespace

std::vector<uint8_t> RandomData(ByteSource& source, ElementType type,
                                size_t elements) {
  if (type == ElementType::kString) {
    const std::vector<std::string_view> texts(elements, "text");
    std::vector<uint8_t> bytes(StringBytes(texts));
    if (!bytes.empty()) WriteStrings(texts, bytes.data());
    return bytes;
  }
  const size_t size =
      type == ElementType::kInt4 ? 1 : std::max<size_t>(ElementSize(type), 1);
  std::vector<uint8_t> bytes(type == ElementType::kInt4 ? (elements + 1) / 2
                                                        : elements * size);
  uint32_t state = source.Byte();
  const bool is_wild = source.Once(8);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    state = state * 1664525u + 1013904223u;
    const int32_t number = static_cast<int32_t>(state >> 24) % 9 - 2;
    const float real = static_cast<float>(number) * 0.5f;
    const double wide = real;
    const int64_t integer = number;
    if (is_wild) {
      for (size_t k = 0; k < size; ++k)
        bytes[i + k] = static_cast<uint8_t>(state >> (24 - 5 * k % 24));
    } else if (type == ElementType::kFloat32) {
      std::memcpy(&bytes[i], &real, size);
    } else if (type == ElementType::kFloat64) {
      std::memcpy(&bytes[i], &wide, size);
    } else {
      std::memcpy(&bytes[i], &integer, std::min<size_t>(size, 8));
    }
    // Any other byte of a truth value is not one.
    if (type == ElementType::kBool) bytes[i] &= 1;
  }
  return bytes;
}

graph::Graph RandomGraph(ByteSource& source) {
  graph::Graph graph;
  graph.subgraphs.resize(3);
  const size_t nodes = 1 + source.Below(8) / 3;
  Builder main(source, graph, 0);
  for (size_t i = 0; i < nodes; ++i) main.AddNode();
  main.GiveOut();
  for (const graph::Node& node : graph.main().nodes)
    if (node.op == "WHILE" || node.op == "IF" || node.op == "CALL_ONCE")
      AddCallees(source, graph, node);
  return graph;
}

}  // namespace munja::hostile
