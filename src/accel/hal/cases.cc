#include "hal/cases.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/json_end.h"
#include "hal/operations.h"
#include "hal/types.h"
#include "tensor/half.h"

namespace munja::hal {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

// Files of cases are small; what claims to unpack to more is not one.
constexpr size_t kMaxFile = size_t{1} << 30;

Result<std::string> Unpack(const std::vector<uint8_t>& packed) {
  z_stream stream = {};
  // 16: the header is gzip's.
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return OutOfMemory("no memory to unpack");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    const size_t done = text.size();
    if (done >= kMaxFile) return OutOfMemory("more than 1 GiB when unpacked");
    text.resize(std::max<size_t>(2 * done, size_t{1} << 16));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
    stream.avail_out = static_cast<uInt>(text.size() - done);
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END)
      return Malformed("damaged: gzip cannot unpack it");
    text.resize(text.size() - stream.avail_out);
  }
  return text;
}

// Reads members of objects and remembers the first thing that is wrong.
class Reader {
 public:
  const Json& Member(const Json& json, const char* name) {
    const auto at = json.is_object() ? json.find(name) : json.end();
    if (json.is_object() && at != json.end()) return *at;
    Wrong(name, "missing");
    return nothing_;
  }
  bool Has(const Json& json, const char* name) const {
    return json.is_object() && json.contains(name);
  }
  std::string Text(const Json& json, const char* name) {
    const Json& value = Member(json, name);
    if (value.is_string()) return value.get<std::string>();
    Wrong(name, "no text");
    return "";
  }
  bool Flag(const Json& json, const char* name) {
    const Json& value = Member(json, name);
    if (value.is_boolean()) return value.get<bool>();
    Wrong(name, "neither true nor false");
    return false;
  }
  double Number(const Json& json, const char* name) {
    const Json& value = Member(json, name);
    if (value.is_number()) return value.get<double>();
    Wrong(name, "not a number");
    return 0.0;
  }
  template <class T>
  T Int(const Json& value, const char* name) {
    if (value.is_number_integer()) {
      // Values that do not fit int64 are out of range, too.
      const bool is_huge =
          value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
      const auto number = is_huge ? INT64_MAX : value.get<int64_t>();
      if (number >= std::numeric_limits<T>::min() &&
          number <= std::numeric_limits<T>::max())
        return static_cast<T>(number);
    }
    Wrong(name, "no integer in range");
    return 0;
  }
  std::vector<uint32_t> Indices(const Json& json, const char* name) {
    std::vector<uint32_t> indices;
    for (const Json& value : List(json, name))
      indices.push_back(Int<uint32_t>(value, name));
    return indices;
  }
  const Json& List(const Json& json, const char* name) {
    const Json& value = Member(json, name);
    if (value.is_array()) return value;
    Wrong(name, "no list");
    return empty_;
  }
  void Wrong(const std::string& name, const std::string& what) {
    if (status_.ok()) status_ = Malformed("'" + name + "': " + what);
  }
  Status status() const { return status_.Clone(); }

 private:
  const Json nothing_, empty_ = Json::array();
  Status status_;
};

template <class T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const auto* from = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

template <class T>
T Stored(double v) {
  constexpr double kLow = std::numeric_limits<T>::min();
  constexpr double kHigh = std::numeric_limits<T>::max();
  return std::isnan(v) ? T{0} : static_cast<T>(std::clamp(v, kLow, kHigh));
}

// Rounded once. What float32 cannot hold gets an odd last bit there: never the
// middle of two halves.
uint16_t RealToHalf(double v) {
  auto f = static_cast<float>(v);
  if (std::isfinite(f) && static_cast<double>(f) != v) {
    auto bits = std::bit_cast<uint32_t>(f);
    if (std::abs(static_cast<double>(f)) > std::abs(v)) --bits;
    f = std::bit_cast<float>(bits | 1u);
  }
  return FloatToHalf(f);
}

std::vector<uint8_t> Encode(int32_t type, const Values& values) {
  std::vector<uint8_t> bytes;
  for (const double v : values) {
    switch (type) {
      case MUNJA_NN_FLOAT32:
      case MUNJA_NN_TENSOR_FLOAT32:
        Append(bytes, static_cast<float>(v));
        break;
      case MUNJA_NN_FLOAT16:
      case MUNJA_NN_TENSOR_FLOAT16:
        Append(bytes, RealToHalf(v));
        break;
      case MUNJA_NN_INT32:
      case MUNJA_NN_TENSOR_INT32:
        Append(bytes, Stored<int32_t>(v));
        break;
      case MUNJA_NN_UINT32:
        Append(bytes, Stored<uint32_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT16_SYMM:
        Append(bytes, Stored<int16_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT16_ASYMM:
        Append(bytes, Stored<uint16_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT8_ASYMM:
      case MUNJA_NN_TENSOR_BOOL8:
      case MUNJA_NN_BOOL:
        Append(bytes, Stored<uint8_t>(v));
        break;
      default:
        Append(bytes, Stored<int8_t>(v));
    }
  }
  return bytes;
}

class CaseReader {
 public:
  Result<std::vector<Case>> Read(const Json& json);

 private:
  void ReadBuffer(const Json& json);
  Case ReadCase(const Json& json);
  Subgraph ReadSubgraph(const Json& json, bool is_main, Case& example);
  Operand ReadOperand(const Json& json, Case& example);
  const Values& Buffer(const Json& json);

  Reader reader_;
  std::vector<Values> buffers_;
  const Values nothing_{};
};

void CaseReader::ReadBuffer(const Json& json) {
  Values& values = buffers_.emplace_back();
  if (!json.is_array()) return reader_.Wrong("buffers", "no list of lists");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Json& value : json) {
    if (value.is_number())
      values.push_back(value.get<double>());
    else if (value.is_boolean())
      values.push_back(value.get<bool>() ? 1.0 : 0.0);
    else if (value == "nan")
      values.push_back(std::numeric_limits<double>::quiet_NaN());
    else if (value == "inf" || value == "-inf")
      values.push_back(value == "inf" ? kInfinity : -kInfinity);
    else
      reader_.Wrong("buffers", "a value that is not a number");
  }
}

const Values& CaseReader::Buffer(const Json& json) {
  if (!reader_.Has(json, "buffer")) {
    reader_.Wrong("buffer", "missing");
    return nothing_;
  }
  const auto index = reader_.Int<uint32_t>(json["buffer"], "buffer");
  if (index < buffers_.size()) return buffers_[index];
  reader_.Wrong("buffer", "there is no buffer " + std::to_string(index));
  return nothing_;
}

int32_t LifetimeOf(const std::string& name) {
  constexpr const char* kNames[] = {"TEMPORARY_VARIABLE",
                                    "SUBGRAPH_INPUT",
                                    "SUBGRAPH_OUTPUT",
                                    "CONSTANT_COPY",
                                    "CONSTANT_REFERENCE",
                                    "NO_VALUE",
                                    "SUBGRAPH"};
  const auto* at = std::ranges::find(kNames, name);
  return at == std::end(kNames) ? -1
                                : static_cast<int32_t>(at - std::begin(kNames));
}

Operand CaseReader::ReadOperand(const Json& json, Case& example) {
  Operand operand;
  const std::string type = reader_.Text(json, "type");
  if (const TypeRow* row = FindType(type))
    operand.type = row->type;
  else
    reader_.Wrong("type", "there is no type " + type);
  const std::string lifetime = reader_.Text(json, "lifetime");
  operand.lifetime = LifetimeOf(lifetime);
  if (operand.lifetime < 0)
    reader_.Wrong("lifetime", "there is no lifetime " + lifetime);
  operand.dimensions = reader_.Indices(json, "dims");
  operand.consumers =
      reader_.Int<uint32_t>(reader_.Member(json, "consumers"), "consumers");
  if (reader_.Has(json, "scale"))
    operand.scale = static_cast<float>(reader_.Number(json, "scale"));
  if (reader_.Has(json, "zero_point"))
    operand.zero_point = reader_.Int<int32_t>(json["zero_point"], "zero_point");
  if (reader_.Has(json, "channel_quant")) {
    const Json& quant = json["channel_quant"];
    ChannelScales channels;
    channels.dimension =
        reader_.Int<uint32_t>(reader_.Member(quant, "dim"), "dim");
    for (const Json& scale : reader_.List(quant, "scales"))
      channels.scales.push_back(
          scale.is_number() ? static_cast<float>(scale.get<double>()) : 0.0f);
    operand.channels = std::move(channels);
  }
  Model& model = example.model;
  Location& at = operand.location;
  switch (operand.lifetime) {
    case MUNJA_NN_LIFETIME_SUBGRAPH: {
      const Values& values = Buffer(json);
      at.offset = values.empty() ? 0 : Stored<uint32_t>(values[0]);
      break;
    }
    case MUNJA_NN_CONSTANT_COPY: {
      const auto bytes = Encode(operand.type, Buffer(json));
      at = {0, static_cast<uint32_t>(model.operand_values.size()),
            static_cast<uint32_t>(bytes.size())};
      model.operand_values.insert(model.operand_values.end(), bytes.begin(),
                                  bytes.end());
      break;
    }
    case MUNJA_NN_CONSTANT_REFERENCE: {
      auto bytes = std::make_shared<std::vector<uint8_t>>(
          Encode(operand.type, Buffer(json)));
      at = {static_cast<uint32_t>(model.pools.size()), 0,
            static_cast<uint32_t>(bytes->size())};
      Memory pool;
      pool.data = bytes->data();
      pool.bytes = bytes->size();
      pool.owner = std::move(bytes);
      model.pools.push_back(std::move(pool));
      break;
    }
    default:
      break;
  }
  return operand;
}

Subgraph CaseReader::ReadSubgraph(const Json& json, bool is_main,
                                  Case& example) {
  Subgraph subgraph;
  const Json& operands = reader_.List(json, "operands");
  for (const Json& operand : operands)
    subgraph.operands.push_back(ReadOperand(operand, example));
  for (const Json& operation : reader_.List(json, "operations")) {
    const std::string name = reader_.Text(operation, "type");
    const auto type = FindOperation(name);
    if (!type) reader_.Wrong("type", "there is no operation " + name);
    subgraph.operations.push_back({type.value_or(0),
                                   reader_.Indices(operation, "inputs"),
                                   reader_.Indices(operation, "outputs")});
  }
  subgraph.inputs = reader_.Indices(json, "inputs");
  subgraph.outputs = reader_.Indices(json, "outputs");
  if (!is_main || !reader_.status().ok()) return subgraph;
  for (const uint32_t i : subgraph.inputs) {
    if (i >= operands.size()) continue;  // For the validator to say.
    const Values& values = Buffer(operands[i]);
    auto& input = example.inputs.emplace_back();
    if (!values.empty()) input = Encode(subgraph.operands[i].type, values);
  }
  for (const uint32_t i : subgraph.outputs) {
    if (i >= operands.size()) continue;
    Expected& expected = example.outputs.emplace_back();
    expected.type = subgraph.operands[i].type;
    expected.dimensions = subgraph.operands[i].dimensions;
    expected.is_ignored = reader_.Has(operands[i], "ignored") &&
                          reader_.Flag(operands[i], "ignored");
    expected.values = Buffer(operands[i]);
  }
  return subgraph;
}

Case CaseReader::ReadCase(const Json& json) {
  Case example;
  example.name = reader_.Text(json, "test");
  const std::string version = reader_.Text(json, "min_version");
  if (version.starts_with("V1_") && version.size() == 4)
    example.min_version = 10 + version[3] - '0';
  example.expects_failure = reader_.Flag(json, "expect_failure");
  example.multinomial_tolerance = reader_.Number(json, "multinomial_tolerance");
  example.model.is_relaxed = reader_.Flag(json, "relaxed");
  example.model.subgraphs.push_back(
      ReadSubgraph(reader_.Member(json, "main"), true, example));
  for (const Json& graph : reader_.List(json, "referenced"))
    example.model.subgraphs.push_back(ReadSubgraph(graph, false, example));
  return example;
}

Result<std::vector<Case>> CaseReader::Read(const Json& json) {
  std::vector<Case> cases;
  const auto format = json.is_object() ? json.find("format") : json.end();
  if (!json.is_object() || format == json.end() || *format != "nnspec-json-1")
    return Unsupported("its format is not \"nnspec-json-1\"");
  for (const Json& buffer : reader_.List(json, "buffers")) ReadBuffer(buffer);
  for (const Json& example : reader_.List(json, "examples")) {
    cases.push_back(ReadCase(example));
    if (!reader_.status().ok())
      return reader_.status().With("example " +
                                   std::to_string(cases.size() - 1));
  }
  MUNJA_RETURN_IF_ERROR(reader_.status());
  return cases;
}

// |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0.0, relative = 0.0;
};

bool Mentions(const Model& model, int32_t type) {
  return std::ranges::any_of(model.subgraphs, [&](const Subgraph& subgraph) {
    return std::ranges::any_of(subgraph.operands, [&](const Operand& operand) {
      return operand.type == type;
    });
  });
}

Tolerance ToleranceOf(const Case& example, int32_t type) {
  constexpr Tolerance kHalf = {5.0 * 0.0009765625, 5.0 * 0.0009765625};
  switch (type) {
    case MUNJA_NN_FLOAT16:
    case MUNJA_NN_TENSOR_FLOAT16:
      return kHalf;
    case MUNJA_NN_FLOAT32:
    case MUNJA_NN_TENSOR_FLOAT32:
      return example.model.is_relaxed ||
                     Mentions(example.model, MUNJA_NN_TENSOR_FLOAT16)
                 ? kHalf
                 : Tolerance{1e-5, 5.0 * 1.1920928955078125e-7};
    case MUNJA_NN_BOOL:
    case MUNJA_NN_TENSOR_BOOL8:
      return {};
    default:
      return {FindType(type)->bytes == 1 &&
                      example.name.find("mobilenet") != std::string::npos
                  ? 3.0
                  : 1.0,
              0.0};
  }
}

std::string Compare(const Case& example, const Expected& expected,
                    const Output& actual) {
  if (actual.dimensions != expected.dimensions)
    return "dimensions " + ToText(actual.dimensions) + ", wants " +
           ToText(expected.dimensions);
  const Tolerance tolerance = ToleranceOf(example, expected.type);
  if (actual.bytes.size() !=
      expected.values.size() * FindType(expected.type)->bytes)
    return std::to_string(actual.bytes.size()) + " bytes";
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double want = expected.values[i];
    const double got = ElementAt(expected.type, actual.bytes.data(), i);
    if (std::isnan(want) ? std::isnan(got) : want == got) continue;
    if (std::abs(got - want) <=
        tolerance.absolute + tolerance.relative * std::abs(want))
      continue;
    return "at " + std::to_string(i) + " got " + std::to_string(got) +
           ", wants " + std::to_string(want);
  }
  return "";
}

// Classes are drawn as often as their probabilities say.
std::string CompareFrequencies(const Case& example, const Output& drawn) {
  const Subgraph& main = example.model.main();
  const Operand& logits = main.operands[main.inputs[0]];
  if (logits.dimensions.size() != 2 || !example.inputs[0])
    return "frequencies need logits by batch";
  const size_t batches = logits.dimensions[0], classes = logits.dimensions[1];
  const size_t samples = drawn.bytes.size() / 4 / batches;
  for (size_t b = 0; b < batches; ++b) {
    std::vector<double> wanted(classes), counts(classes);
    double total = 0.0;
    for (size_t c = 0; c < classes; ++c) {
      wanted[c] = std::exp(
          ElementAt(logits.type, example.inputs[0]->data(), b * classes + c));
      total += wanted[c];
    }
    for (size_t s = 0; s < samples; ++s) {
      const double c =
          ElementAt(MUNJA_NN_INT32, drawn.bytes.data(), b * samples + s);
      if (c < 0 || c >= static_cast<double>(classes)) return "no such class";
      counts[static_cast<size_t>(c)] += 1.0;
    }
    for (size_t c = 0; c < classes; ++c)
      if (std::abs(counts[c] / static_cast<double>(samples) -
                   wanted[c] / total) > example.multinomial_tolerance)
        return "class " + std::to_string(c) + " is drawn at another rate";
  }
  return "";
}

}  // namespace

Result<std::vector<Case>> ParseCases(std::string_view json) {
  Json parsed = Json::parse(json, nullptr, false);
  const TakenApartAtEnd end(parsed);
  if (parsed.is_discarded()) return Malformed("not JSON");
  return CaseReader().Read(parsed);
}

Result<std::vector<Case>> ReadCases(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, kMaxFile));
  const bool is_packed =
      bytes.size() > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  if (!is_packed)
    return ParseCases(
               {reinterpret_cast<const char*>(bytes.data()), bytes.size()})
        .With(path);
  auto text = Unpack(bytes);
  if (!text.ok()) return std::move(text).TakeStatus().With(path);
  return ParseCases(*text).With(path);
}

std::string OperationOf(const Case& example) {
  std::string name;
  for (const Operation& operation : example.model.main().operations) {
    const bool is_helper =
        operation.type == MUNJA_NN_ADD || operation.type == MUNJA_NN_CAST;
    if (name.empty() || !is_helper) name = OperationName(operation.type);
  }
  return name;
}

bool CanBeSigned(const Case& example) {
  if (!Mentions(example.model, MUNJA_NN_TENSOR_QUANT8_ASYMM)) return false;
  // Raw bytes mean something there.
  constexpr int32_t kRaw[] = {
      MUNJA_NN_CAST, MUNJA_NN_HASHTABLE_LOOKUP, MUNJA_NN_EMBEDDING_LOOKUP,
      MUNJA_NN_LSH_PROJECTION, MUNJA_NN_QUANTIZED_16BIT_LSTM};
  return std::ranges::none_of(
      example.model.main().operations, [&](const Operation& operation) {
        return std::ranges::find(kRaw, operation.type) != std::end(kRaw);
      });
}

Case Signed(Case example) {
  Model& model = example.model;
  // Pools may be shared with the case that this one was copied from.
  for (Memory& pool : model.pools) {
    const auto* from = static_cast<const uint8_t*>(pool.data);
    auto bytes =
        std::make_shared<std::vector<uint8_t>>(from, from + pool.bytes);
    pool.data = bytes->data();
    pool.owner = std::move(bytes);
  }
  const auto data = [&](const Operand& operand) {
    return const_cast<uint8_t*>(model.ConstantData(operand));
  };
  const auto flip = [](uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[i] ^= 0x80;
  };
  for (Subgraph& subgraph : model.subgraphs) {
    for (const Operation& operation : subgraph.operations) {
      if (operation.type != MUNJA_NN_PAD_V2) continue;
      const Operand& filler = subgraph.operands[operation.inputs[2]];
      if (filler.type != MUNJA_NN_INT32 || !filler.is_constant()) continue;
      int32_t value = 0;
      std::memcpy(&value, data(filler), sizeof value);
      value -= 128;
      std::memcpy(data(filler), &value, sizeof value);
    }
    for (Operand& operand : subgraph.operands) {
      if (operand.type != MUNJA_NN_TENSOR_QUANT8_ASYMM) continue;
      operand.type = MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
      operand.zero_point -= 128;
      if (operand.is_constant()) flip(data(operand), operand.location.length);
    }
  }
  const Subgraph& main = model.main();
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    auto& input = example.inputs[i];
    if (input && main.operands[main.inputs[i]].type ==
                     MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED)
      flip(input->data(), input->size());
  }
  for (Expected& output : example.outputs) {
    if (output.type != MUNJA_NN_TENSOR_QUANT8_ASYMM) continue;
    output.type = MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
    for (double& v : output.values) v -= 128;
  }
  return example;
}

double ElementAt(int32_t type, const uint8_t* bytes, size_t index) {
  const auto at = [&](auto value) {
    std::memcpy(&value, bytes + index * sizeof value, sizeof value);
    return value;
  };
  switch (type) {
    case MUNJA_NN_FLOAT32:
    case MUNJA_NN_TENSOR_FLOAT32:
      return at(float{});
    case MUNJA_NN_FLOAT16:
    case MUNJA_NN_TENSOR_FLOAT16:
      return HalfToFloat(at(uint16_t{}));
    case MUNJA_NN_INT32:
    case MUNJA_NN_TENSOR_INT32:
      return at(int32_t{});
    case MUNJA_NN_UINT32:
      return at(uint32_t{});
    case MUNJA_NN_TENSOR_QUANT16_SYMM:
      return at(int16_t{});
    case MUNJA_NN_TENSOR_QUANT16_ASYMM:
      return at(uint16_t{});
    case MUNJA_NN_TENSOR_QUANT8_ASYMM:
    case MUNJA_NN_TENSOR_BOOL8:
    case MUNJA_NN_BOOL:
      return at(uint8_t{});
    default:
      return at(int8_t{});
  }
}

std::string DifferenceFrom(const Case& example,
                           const std::vector<Output>& outputs) {
  if (outputs.size() != example.outputs.size()) return "too few outputs";
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Expected& expected = example.outputs[i];
    if (expected.is_ignored) continue;
    const std::string difference = example.multinomial_tolerance > 0.0
                                       ? CompareFrequencies(example, outputs[i])
                                       : Compare(example, expected, outputs[i]);
    if (!difference.empty())
      return "output " + std::to_string(i) + ": " + difference;
  }
  return "";
}

}  // namespace munja::hal
