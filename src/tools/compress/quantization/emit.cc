#include "compress/quantization/emit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "graph/op_traits.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"

namespace munja::compress {
namespace {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::Subgraph;
using graph::Value;
using graph::ValueId;

// How a value is stored.
struct Storage {
  ElementType type = ElementType::kFloat32;
  Encoding encoding;  // For integer values.
  friend bool operator==(const Storage&, const Storage&) = default;
};

template <class T>
graph::Constant BytesOf(const std::vector<T>& data) {
  std::vector<uint8_t> bytes(data.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), data.data(), bytes.size());
  return graph::MakeConstant(std::move(bytes));
}

Quantization PerTensor(const Encoding& e) { return {{e.scale}, {e.zero}, 0}; }

bool IsInteger(Precision p) {
  return p == Precision::kInt8 || p == Precision::kInt16;
}

class Emitter {
 public:
  Emitter(const graph::Graph& prepared, const Assignment& assignment)
      : from_(prepared.main()),
        uses_(prepared.main()),
        assignment_(assignment),
        graph_(prepared),
        stored_(prepared.main().values.size()) {
    to().nodes.clear();
  }

  Result<graph::Graph> Run() {
    for (const ValueId v : from_.inputs) {
      if (assignment_.integer_io && IsActivation(v))
        SetStorage(v, {ElementType::kInt8, At(assignment_.int8, v)});
    }
    std::vector<bool> is_absorbed(from_.nodes.size());
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      if (is_absorbed[n]) continue;
      Node node = from_.nodes[n];
      if (const int clamp = AbsorbedClamp(n); clamp != kNoNode) {
        node.outputs = from_.nodes[static_cast<size_t>(clamp)].outputs;
        is_absorbed[static_cast<size_t>(clamp)] = true;
      }
      const Precision precision = assignment_.nodes[n];
      MUNJA_RETURN_IF_ERROR(
          Place(n, precision, std::move(node)).With(graph::Describe(from_, n)));
    }
    Border();
    MUNJA_RETURN_IF_ERROR(graph::Verify(graph_));
    return std::move(graph_);
  }

 private:
  Subgraph& to() { return graph_.main(); }
  template <class T>
  static const T& At(const std::vector<T>& list, ValueId v) {
    return list[static_cast<size_t>(v)];
  }
  Value& ValueAt(ValueId v) { return to().values[static_cast<size_t>(v)]; }

  bool IsActivation(ValueId v) const {
    if (v == kNoValue) return false;
    const Value& value = from_.values[static_cast<size_t>(v)];
    return value.type == ElementType::kFloat32 && !value.constant &&
           !value.is_variable;
  }
  bool IsFloatConstant(ValueId v) const {
    if (v == kNoValue) return false;
    const Value& value = from_.values[static_cast<size_t>(v)];
    return value.constant && (value.type == ElementType::kFloat32 ||
                              value.type == ElementType::kFloat16);
  }

  Storage Wanted(Precision p, ValueId v) const {
    if (p == Precision::kInt8)
      return {ElementType::kInt8, At(assignment_.int8, v)};
    if (p == Precision::kInt16)
      return {ElementType::kInt16, At(assignment_.int16, v)};
    return {};
  }

  void SetStorage(ValueId v, const Storage& storage) {
    stored_[static_cast<size_t>(v)] = storage;
    Value& value = ValueAt(v);
    value.type = storage.type;
    value.quantization = {};
    if (storage.type != ElementType::kFloat32)
      value.quantization = PerTensor(storage.encoding);
  }

  ValueId AddLike(ValueId v, const std::string& suffix,
                  const Storage& storage) {
    Value value = ValueAt(v);
    value.name += suffix;
    value.type = storage.type;
    value.quantization = {};
    if (storage.type != ElementType::kFloat32)
      value.quantization = PerTensor(storage.encoding);
    return to().AddValue(std::move(value));
  }

  // The node that makes `to_value` out of `from_value`.
  void AddConversion(ValueId from_value, ValueId to_value) {
    const bool to_float = ValueAt(to_value).type == ElementType::kFloat32;
    const bool from_float = ValueAt(from_value).type == ElementType::kFloat32;
    Node node;
    node.op = to_float ? "DEQUANTIZE" : "QUANTIZE";
    node.version = to_float || !from_float ? 2 : 1;
    if (ValueAt(to_value).type == ElementType::kInt16 ||
        ValueAt(from_value).type == ElementType::kInt16)
      node.version = to_float ? 3 : 2;
    node.inputs = {from_value};
    node.outputs = {to_value};
    to().nodes.push_back(std::move(node));
  }

  // The value as it is wanted, converted when it is stored otherwise.
  ValueId Get(ValueId v, const Storage& wanted) {
    if (stored_[static_cast<size_t>(v)] == wanted) return v;
    std::vector<std::pair<Storage, ValueId>>& known = converted_[v];
    for (const auto& [storage, id] : known)
      if (storage == wanted) return id;
    const char* suffix = wanted.type == ElementType::kFloat32 ? "/float"
                         : wanted.type == ElementType::kInt8  ? "/int8"
                                                              : "/int16";
    const ValueId id = AddLike(v, suffix, wanted);
    AddConversion(v, id);
    known.emplace_back(wanted, id);
    return id;
  }

  // The clamp that is the only reader of node n's output, when storing into its
  // range has the same effect.
  int AbsorbedClamp(size_t n) const {
    const Node& node = from_.nodes[n];
    const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
    if (assignment_.nodes[n] != Precision::kInt8 || rule == nullptr ||
        (rule->kind != graph::QuantizationKind::kLinear && node.op != "ADD" &&
         node.op != "MUL") ||
        !graph::HasNoActivation(node))
      return kNoNode;
    const int reader = uses_.only_reader(node.outputs[0]);
    if (reader == kNoNode) return kNoNode;
    const Node& after = from_.nodes[static_cast<size_t>(reader)];
    const auto clamp = graph::FindClamp(after);
    if (!clamp ||
        assignment_.nodes[static_cast<size_t>(reader)] != Precision::kInt8)
      return kNoNode;
    const Encoding& e = At(assignment_.int8, after.outputs[0]);
    const double low = double{e.scale} * (-128 - e.zero);
    const double high = double{e.scale} * (127 - e.zero);
    const double slack = 0.01 * double{e.scale};
    return low >= clamp->low - slack && high <= clamp->high + slack ? reader
                                                                    : kNoNode;
  }

  Status Place(size_t n, Precision precision, Node node) {
    const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
    const bool is_integer = IsInteger(precision);
    if (const graph::LinearOp* linear =
            graph::FindFloatLinearOp(from_, from_.nodes[n]);
        linear != nullptr && precision != Precision::kFloat)
      return PlaceLinear(n, *linear, precision, std::move(node));
    const bool is_same_scale =
        is_integer && rule->kind == graph::QuantizationKind::kSameScale;
    for (ValueId& v : node.inputs) {
      if (IsActivation(v)) {
        // A value of another scale is converted to that of the result.
        const ValueId like = is_same_scale ? node.outputs[0] : v;
        v = Get(v, Wanted(precision, like));
      } else if (is_integer && IsFloatConstant(v)) {
        MUNJA_ASSIGN_OR_RETURN(
            v, StoreConstant(node, v, precision, is_same_scale));
      }
    }
    StoreOutputs(node, precision);
    if (is_integer) RaiseVersion(*rule, precision, &node);
    to().nodes.push_back(std::move(node));
    return Status();
  }

  void StoreOutputs(const Node& node, Precision precision) {
    for (const ValueId v : node.outputs)
      if (IsActivation(v)) SetStorage(v, Wanted(precision, v));
  }

  static void RaiseVersion(const graph::QuantizationRule& rule,
                           Precision precision, Node* node) {
    node->version = std::max(node->version, precision == Precision::kInt16
                                                ? rule.int16_version
                                                : rule.int8_version);
  }

  // A small constant operand as integers of one scale.
  Result<ValueId> StoreConstant(const Node& node, ValueId v,
                                Precision precision, bool is_same_scale) {
    const auto data = graph::ReadFloats(from_, v);
    if (!data) return Internal("a constant cannot be read");
    // Infinity is clipped to the end of a scale that others define; no scale
    // holds NaN.
    for (const float x : *data) {
      if (std::isnan(x) || (!is_same_scale && std::isinf(x)))
        return Malformed("constant '",
                         from_.values[static_cast<size_t>(v)].name, "' of ",
                         node.op, " is not finite");
    }
    Storage storage;
    if (is_same_scale) {
      storage = Wanted(precision, node.outputs[0]);
    } else {
      Range range;
      for (const float x : *data) {
        range.low = std::min<double>(range.low, x);
        range.high = std::max<double>(range.high, x);
      }
      if (precision == Precision::kInt8) {
        storage = {ElementType::kInt8, EncodingOf(range)};
      } else {
        storage = {ElementType::kInt16,
                   Int16EncodingOf(std::max(-range.low, range.high))};
      }
    }
    const Encoding& e = storage.encoding;
    const auto stored = [&](float x, double low, double high) {
      return std::clamp(std::round(double{x} / double{e.scale}) + e.zero, low,
                        high);
    };
    Value value = from_.values[static_cast<size_t>(v)];
    value.type = storage.type;
    value.quantization = PerTensor(e);
    if (storage.type == ElementType::kInt8) {
      std::vector<int8_t> q;
      for (const float x : *data)
        q.push_back(static_cast<int8_t>(stored(x, -128, 127)));
      value.constant = BytesOf(q);
    } else {
      std::vector<int16_t> q;
      for (const float x : *data)
        q.push_back(static_cast<int16_t>(stored(x, -32768, 32767)));
      value.constant = BytesOf(q);
    }
    return to().AddValue(std::move(value));
  }

  ValueId AddWeights(ValueId v, const RoundedLayer& layer,
                     const std::vector<float>& scales) {
    Value value = from_.values[static_cast<size_t>(v)];
    value.type = ElementType::kInt8;
    value.shape = layer.shape;
    value.quantization.scales = scales;
    value.quantization.zero_points.assign(scales.size(), 0);
    value.quantization.axis = layer.axis;
    value.constant = BytesOf(layer.weights);
    return to().AddValue(std::move(value));
  }

  Status PlaceLinear(size_t n, const graph::LinearOp& linear,
                     Precision precision, Node node) {
    if (!assignment_.layers[n]) return Internal("the weights are not rounded");
    const RoundedLayer& layer = *assignment_.layers[n];
    const ValueId x = node.inputs[static_cast<size_t>(linear.input)];
    const ValueId w = node.inputs[static_cast<size_t>(linear.weights)];
    const ValueId input = Get(x, Wanted(precision, x));
    node.inputs[static_cast<size_t>(linear.input)] = input;
    const ValueId weights = AddWeights(w, layer, layer.scales);
    const std::string name = from_.values[static_cast<size_t>(w)].name;
    const auto channels = static_cast<int32_t>(layer.bias.size());
    if (!IsInteger(precision)) {
      ValueId used = weights;
      if (precision == Precision::kWeights) {
        ValueAt(weights).name += "/int8";
        used = AddLike(weights, "", {});
        ValueAt(used).name = name;
        ValueAt(used).constant.reset();
        AddConversion(weights, used);
      } else {
        node.version = std::max(node.version, 5);
        if (node.op == "FULLY_CONNECTED") {
          node.attributes.Set("asymmetric_quantize_inputs", true);
          node.version = std::max(node.version, 9);
        }
        if (node.op == "DEPTHWISE_CONV_2D")
          node.version = std::max(node.version, 6);
      }
      node.inputs[static_cast<size_t>(linear.weights)] = used;
      const ValueId bias =
          graph::AddFloats(to(), name + "/bias", Shape{channels}, layer.bias);
      graph::SetInput(node, linear.bias, bias);
      StoreOutputs(node, precision);
      to().nodes.push_back(std::move(node));
      return Status();
    }
    node.inputs[static_cast<size_t>(linear.weights)] = weights;
    const Encoding in = Wanted(precision, x).encoding;
    graph::SetInput(node, linear.bias, AddBias(name, layer, in, precision));
    StoreOutputs(node, precision);
    RaiseVersion(*graph::FindQuantizationRule(node), precision, &node);
    if (node.op == "FULLY_CONNECTED") {
      MUNJA_ASSIGN_OR_RETURN(const bool keeps,
                             node.attributes.Bool("keep_num_dims", false));
      if (keeps) node.version = std::max(node.version, 5);
    }
    if (node.op == "TRANSPOSE_CONV") node.version = std::max(node.version, 3);
    to().nodes.push_back(std::move(node));
    return Status();
  }

  // int32, or int64 with int16 activations, in the scale of the accumulators.
  ValueId AddBias(const std::string& name, const RoundedLayer& layer,
                  const Encoding& in, Precision precision) {
    Value value;
    value.name = name + "/bias";
    value.shape = Shape{static_cast<int32_t>(layer.bias.size())};
    std::vector<int64_t> stored;
    const bool is_wide = precision == Precision::kInt16;
    const double limit = is_wide ? 1e15 : 2147483647.0;
    for (size_t c = 0; c < layer.bias.size(); ++c) {
      const double scale = double{in.scale} * double{layer.scales[c]};
      value.quantization.scales.push_back(static_cast<float>(scale));
      value.quantization.zero_points.push_back(0);
      stored.push_back(std::llround(
          std::clamp(double{layer.bias[c]} / scale, -limit, limit)));
    }
    if (is_wide) {
      value.type = ElementType::kInt64;
      value.constant = BytesOf(stored);
    } else {
      value.type = ElementType::kInt32;
      value.constant =
          BytesOf(std::vector<int32_t>(stored.begin(), stored.end()));
    }
    return to().AddValue(std::move(value));
  }

  // Inputs and outputs as the caller is to see them, under their old names.
  void Border() {
    for (ValueId& v : to().outputs) {
      if (!IsActivation(v)) continue;
      const ValueId old = v;
      const Storage wanted =
          assignment_.integer_io
              ? Storage{ElementType::kInt8, At(assignment_.int8, v)}
              : Storage{};
      v = Get(v, wanted);
      if (v == old) continue;
      ValueAt(v).name = ValueAt(old).name;
      ValueAt(old).name += "/inside";
      for (graph::Signature& signature : graph_.signatures)
        for (auto& [name, id] : signature.outputs)
          if (id == old) id = v;
    }
  }

  const Subgraph& from_;
  const graph::DefUse uses_;
  const Assignment& assignment_;
  graph::Graph graph_;
  std::vector<Storage> stored_;
  std::map<ValueId, std::vector<std::pair<Storage, ValueId>>> converted_;
};

}  // namespace

Result<graph::Graph> Emit(const graph::Graph& prepared,
                          const Assignment& assignment) {
  return Emitter(prepared, assignment).Run();
}

}  // namespace munja::compress
