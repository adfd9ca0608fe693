#include "import/paddle/pir_reader.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json_end.h"

namespace munja::importer::paddle {
namespace {

using Json = nlohmann::json;

// Member access that never throws: null for anything that is not there.
const Json* Member(const Json* json, const char* name) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto it = json->find(name);
  return it == json->end() ? nullptr : &*it;
}

const Json* Element(const Json* json, size_t i) {
  if (json == nullptr || !json->is_array() || i >= json->size()) return nullptr;
  return &(*json)[i];
}

const std::string* Text(const Json* json) {
  return json == nullptr ? nullptr : json->get_ptr<const std::string*>();
}

std::optional<int64_t> Integer(const Json* json) {
  if (json == nullptr || !json->is_number_integer()) return std::nullopt;
  if (json->is_number_unsigned() &&
      json->get<uint64_t>() >
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return json->get<int64_t>();
}

// Names of dialects are numbers in the file: "1.conv2d", "0.t_f32".
std::string_view WithoutDialect(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return name;
  const std::string_view dialect = name.substr(0, dot);
  return dialect == "0" || dialect == "1" ? name.substr(dot + 1) : name;
}

std::optional<RawType> NamedType(std::string_view name) {
  struct Row {
    std::string_view in_type, in_attribute;
    RawType type;
  };
  static constexpr Row kRows[] = {
      {"t_f32", "float32", RawType::kFloat32},
      {"t_f16", "float16", RawType::kFloat16},
      {"t_bf16", "bfloat16", RawType::kBFloat16},
      {"t_f64", "float64", RawType::kFloat64},
      {"t_bool", "bool", RawType::kBool},
      {"t_ui8", "uint8", RawType::kUint8},
      {"t_i8", "int8", RawType::kInt8},
      {"t_i16", "int16", RawType::kInt16},
      {"t_i32", "int32", RawType::kInt32},
      {"t_i64", "int64", RawType::kInt64},
  };
  for (const Row& row : kRows)
    if (name == row.in_type || name == row.in_attribute) return row.type;
  return std::nullopt;
}

// {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [2, -1], "NCHW", [], 0]}.
Result<Variable> ReadTensorType(const Json* type, std::string name) {
  Variable v;
  v.name = std::move(name);
  const std::string where = "tensor '" + v.name + "'";
  const std::string* kind = Text(Member(type, "#"));
  if (kind == nullptr || WithoutDialect(*kind) != "t_dtensor")
    return Unsupported(where, " is not a dense tensor");
  const Json* data = Member(type, "D");
  const std::string* element = Text(Member(Element(data, 0), "#"));
  const Json* dims = Element(data, 1);
  if (element == nullptr || dims == nullptr || !dims->is_array())
    return Malformed(where, " has no element type or no shape");
  const std::optional<RawType> raw = NamedType(WithoutDialect(*element));
  if (!raw) return Unsupported(where, " has element type ", *element);
  v.type = *raw;
  if (dims->size() > 8) return Unsupported(where, " has too many axes");
  for (const Json& dim : *dims) {
    const std::optional<int64_t> d = Integer(&dim);
    if (!d || *d > kMaxElements) return Malformed(where, " has a wrong shape");
    v.shape.push_back(*d < 0 ? kUnknown : *d);
  }
  return v;
}

bool ReadNumber(const Json* json, double* value) {
  if (json == nullptr) return false;
  if (json->is_number()) {
    *value = json->get<double>();
    return true;
  }
  // JSON has no word for these.
  const std::string* text = Text(json);
  if (text == nullptr) return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (*text == "inf" || *text == "Inf" || *text == "INF") {
    *value = kInfinity;
  } else if (*text == "-inf" || *text == "-Inf" || *text == "-INF") {
    *value = -kInfinity;
  } else {
    return false;
  }
  return true;
}

// A list of numbers, or of attributes that hold one each. Empty result: not
// such a list.
std::optional<graph::AttributeValue> ReadList(const Json* list) {
  std::vector<int64_t> integers;
  std::vector<double> floats;
  for (const Json& item : *list) {
    const Json* value = item.is_object() ? Member(&item, "D") : &item;
    double number = 0;
    if (const std::optional<int64_t> i = Integer(value)) {
      integers.push_back(*i);
      floats.push_back(static_cast<double>(*i));
    } else if (value != nullptr && value->is_boolean()) {
      integers.push_back(value->get<bool>() ? 1 : 0);
      floats.push_back(static_cast<double>(integers.back()));
    } else if (ReadNumber(value, &number)) {
      floats.push_back(number);
    } else {
      return std::nullopt;
    }
  }
  // Integers in a list of floats are floats.
  if (integers.size() == list->size())
    return graph::AttributeValue(std::move(integers));
  return graph::AttributeValue(std::move(floats));
}

// {"AT": {"#": "0.a_i32", "D": 1}, "N": "groups"}.
Status ReadAttribute(const Json& json, SourceAttributes* out) {
  const std::string* name = Text(Member(&json, "N"));
  const Json* type = Member(&json, "AT");
  const std::string* kind = Text(Member(type, "#"));
  if (name == nullptr || kind == nullptr)
    return Malformed("an attribute without name or type");
  const std::string_view plain = WithoutDialect(*kind);
  const Json* data = Member(type, "D");
  double number = 0;
  if (plain == "a_str" || plain == "a_dtype") {
    if (const std::string* text = Text(data)) {
      out->Set(*name, *text);
      return {};
    }
  } else if (plain == "a_bool") {
    if (data != nullptr && data->is_boolean()) {
      out->Set(*name, data->get<bool>());
      return {};
    }
  } else if (plain == "a_array" || plain == "a_intarray") {
    if (data != nullptr && data->is_array()) {
      if (auto list = ReadList(data)) out->Set(*name, std::move(*list));
      return {};  // Lists of texts say nothing about what is computed.
    }
  } else if (plain == "a_f32" || plain == "a_f64") {
    if (ReadNumber(data, &number)) {
      out->Set(*name, number);
      return {};
    }
  } else if (plain == "a_i32" || plain == "a_i64" || plain == "a_i16" ||
             plain == "a_scalar" || plain == "a_ui8") {
    if (const std::optional<int64_t> i = Integer(data)) {
      out->Set(*name, *i);
      return {};
    }
    if (ReadNumber(data, &number)) {
      out->Set(*name, number);
      return {};
    }
  } else {
    return {};  // Placement and layout do not affect the result.
  }
  return Malformed("attribute '", *name, "' does not hold what its type ",
                   *kind, " says");
}

class PirReader {
 public:
  Result<Program> Read(const Json& root);

 private:
  Status ReadOperation(const Json& json);
  Status ReadParameter(const Json& json);
  Status ReadInput(const Operation& op, const Json& output);
  Status ReadVector(const std::string& kind, const Operation& op,
                    const std::vector<std::vector<std::string>>& inputs,
                    const Json* outputs);
  // Loops and branches, by the operators that the old format has for them.
  Status ReadWhile(const Json& json, const std::string& condition,
                   const std::vector<std::string>& before,
                   const std::vector<std::string>& variables);
  Status ReadIf(const Json& json, const std::string& condition,
                const std::vector<std::string>& results);
  // Reads the block of the operator's region into one of its own, which
  // `finish` may add to. Returns the block's index.
  template <class Finish>
  Result<int64_t> ReadRegion(const Json& json, size_t region, Finish finish);
  Status ReadBlock(const Json* ops, std::vector<std::string>* yielded);
  // Adds an operator to the block that is read.
  void Emit(const char* type, Arguments inputs, Arguments outputs,
            int64_t block = 0);
  void EmitCopy(const std::string& from, const std::string& to) {
    Emit("assign", {{"X", {from}}}, {{"Out", {to}}});
  }
  Block& Here() {
    return block_ == 0 ? program_.operations
                       : program_.blocks[static_cast<size_t>(block_)];
  }

  // The variables of a value: one, or those of a list.
  Result<std::vector<std::string>> Names(const Json& input) const;
  // Gives a value of the file its variables.
  Result<std::vector<std::string>> Define(const Json& output);

  Program program_;
  int64_t block_ = 0;  // The block being read.
  int depth_ = 0;
  std::map<int64_t, std::vector<std::string>> values_;
};

Result<std::vector<std::string>> PirReader::Names(const Json& input) const {
  const std::optional<int64_t> id = Integer(Member(&input, "%"));
  if (!id) return Malformed("an input without an id");
  if (*id == 0) return std::vector<std::string>();  // Not given.
  const auto it = values_.find(*id);
  if (it == values_.end())
    return Malformed("value ", *id, " is read, but nothing before writes it");
  return it->second;
}

Result<std::vector<std::string>> PirReader::Define(const Json& output) {
  const std::optional<int64_t> id = Integer(Member(&output, "%"));
  if (!id) return Malformed("an output without an id");
  const std::string name = "%" + std::to_string(*id);
  std::vector<std::string> names = {name};
  const Json* type = Member(&output, "TT");
  const std::string* kind = Text(Member(type, "#"));
  if (kind != nullptr && WithoutDialect(*kind) == "t_vec") {
    const Json* parts = Member(type, "D");
    if (parts == nullptr || !parts->is_array())
      return Malformed("value ", name, " is a list of nothing");
    names.clear();
    for (size_t i = 0; i < parts->size(); ++i)
      names.push_back(name + "." + std::to_string(i));
  }
  if (!values_.emplace(*id, names).second)
    return Malformed("value ", name, " is written twice");
  return names;
}

Status PirReader::ReadParameter(const Json& json) {
  // "A": [0, 1, 1, name].
  const Json* attributes = Member(&json, "A");
  const std::string* name = Text(Element(attributes, 3));
  const Json* output = Member(&json, "O");
  const std::optional<int64_t> id = Integer(Member(output, "%"));
  if (name == nullptr || !id) return Malformed("a parameter without a name");
  MUNJA_ASSIGN_OR_RETURN(Variable v,
                         ReadTensorType(Member(output, "TT"), *name));
  if (!IsStatic(v.shape))
    return Malformed("parameter '", *name, "' has shape ", ToString(v.shape));
  if (!values_.emplace(*id, std::vector<std::string>{*name}).second)
    return Malformed("value %", *id, " is written twice");
  program_.parameters.push_back(std::move(v));
  return {};
}

Status PirReader::ReadInput(const Operation& op, const Json& output) {
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         op.attributes.Text("name", ""));
  if (name.empty()) return Malformed("an input without a name");
  MUNJA_ASSIGN_OR_RETURN(Variable v,
                         ReadTensorType(Member(&output, "TT"), name));
  const std::optional<int64_t> id = Integer(Member(&output, "%"));
  if (!id || !values_.emplace(*id, std::vector<std::string>{name}).second)
    return Malformed("input '", name, "' has no id of its own");
  program_.inputs.push_back(std::move(v));
  return {};
}

// "combine" makes a list of values, "split" takes one apart: names only.
Status PirReader::ReadVector(
    const std::string& kind, const Operation& op,
    const std::vector<std::vector<std::string>>& inputs, const Json* outputs) {
  std::vector<std::string> all;
  for (const auto& names : inputs)
    all.insert(all.end(), names.begin(), names.end());
  const size_t count = outputs == nullptr ? 0 : outputs->size();
  const bool combine = kind == "combine";
  if (combine ? count != 1 : count != all.size())
    return Malformed(op, " has ", count, " outputs");
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> id = Integer(Member(&(*outputs)[i], "%"));
    std::vector<std::string> names =
        combine ? all : std::vector<std::string>{all[i]};
    if (!id || !values_.emplace(*id, std::move(names)).second)
      return Malformed(op, ": an output has no id of its own");
  }
  return {};
}

// Gives the i-th list of variables the i-th of the names.
Status Assign(std::string_view names,
              std::vector<std::vector<std::string>> variables,
              Arguments* arguments) {
  for (auto& list : variables) {
    const size_t space = names.find(' ');
    const std::string name(names.substr(0, space));
    names.remove_prefix(space == names.npos ? names.size() : space + 1);
    // Arguments without a name are not used.
    if (!name.empty() && !list.empty()) (*arguments)[name] = std::move(list);
  }
  return {};
}

Status PirReader::ReadOperation(const Json& json) {
  const std::string* full = Text(Member(&json, "#"));
  if (full == nullptr) return Malformed("an operator without a name");
  if (*full == "p") return ReadParameter(json);
  const std::string kind(WithoutDialect(*full));
  Operation op;
  op.type = kind;
  const Json* attributes = Member(&json, "A");
  for (size_t i = 0; Element(attributes, i) != nullptr; ++i)
    MUNJA_RETURN_IF_ERROR(
        ReadAttribute(*Element(attributes, i), &op.attributes).With(kind));
  std::vector<std::vector<std::string>> inputs, outputs;
  const Json* read = Member(&json, "I");
  for (size_t i = 0; Element(read, i) != nullptr; ++i) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<std::string> names,
                           Names(*Element(read, i)).With(kind));
    inputs.push_back(std::move(names));
  }
  const Json* written = Member(&json, "O");
  if (written != nullptr && !written->is_array()) written = nullptr;
  if (kind == "data" || kind == "feed") {
    if (written == nullptr || written->size() != 1)
      return Malformed("an input with several outputs");
    return ReadInput(op, (*written)[0]);
  }
  if (*full == "0.combine" || *full == "0.split")
    return ReadVector(kind, op, inputs, written);
  if (kind == "fetch") {
    MUNJA_ASSIGN_OR_RETURN(std::string name, op.attributes.Text("name", ""));
    if (inputs.size() != 1 || inputs[0].size() != 1 || name.empty())
      return Malformed("an output that does not name one value");
    program_.outputs.emplace_back(std::move(name), inputs[0][0]);
    return {};
  }
  for (size_t i = 0; Element(written, i) != nullptr; ++i) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<std::string> names,
                           Define(*Element(written, i)).With(kind));
    outputs.push_back(std::move(names));
  }
  if (!outputs.empty() && !outputs[0].empty()) op.name = outputs[0][0];
  if (kind == "while" || kind == "if") {
    std::vector<std::string> read_names, made;
    for (const auto& [from, to] :
         {std::pair(&inputs, &read_names), std::pair(&outputs, &made)}) {
      for (const std::vector<std::string>& names : *from) {
        if (names.size() != 1)
          return Unsupported(kind, " on a list of tensors");
        to->push_back(names[0]);
      }
    }
    if (read_names.empty()) return Malformed(kind, " has no condition");
    const std::string condition = read_names[0];
    read_names.erase(read_names.begin());
    if (kind == "if") return ReadIf(json, condition, made);
    return ReadWhile(json, condition, read_names, made);
  }
  if (Member(&json, "regions") != nullptr)
    return Unsupported("a loop or branch (", *full, ")");
  // These write into their input, too, which may be used again.
  const bool in_place =
      kind == "set_value_" || kind == "set_value_with_tensor_";
  const std::string from =
      in_place && !inputs.empty() && inputs[0].size() == 1 ? inputs[0][0] : "";
  const std::string made = op.name;
  if (const PirOperator* row = FindPirOperator(kind)) {
    op.type = row->type;
    MUNJA_RETURN_IF_ERROR(Assign(row->inputs, std::move(inputs), &op.inputs));
    MUNJA_RETURN_IF_ERROR(
        Assign(row->outputs, std::move(outputs), &op.outputs));
  }
  Here().push_back(std::move(op));
  if (!from.empty() && !made.empty()) EmitCopy(made, from);
  return {};
}

void PirReader::Emit(const char* type, Arguments inputs, Arguments outputs,
                     int64_t block) {
  Operation op;
  op.type = type;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  const auto out = op.outputs.find("Out");
  if (out != op.outputs.end() && !out->second.empty()) op.name = out->second[0];
  if (block > 0) op.attributes.Set("sub_block", block);
  Here().push_back(std::move(op));
}

Status PirReader::ReadBlock(const Json* ops,
                            std::vector<std::string>* yielded) {
  if (ops == nullptr || !ops->is_array() || ops->empty())
    return Malformed("a block without operators");
  for (size_t i = 0; i < ops->size(); ++i) {
    const Json& json = (*ops)[i];
    const std::string* kind = Text(Member(&json, "#"));
    if (yielded != nullptr && i + 1 == ops->size() && kind != nullptr &&
        kind->ends_with(".yield")) {
      const Json* read = Member(&json, "I");
      for (size_t k = 0; Element(read, k) != nullptr; ++k) {
        MUNJA_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                               Names(*Element(read, k)));
        if (names.size() != 1)
          return Unsupported("a block that gives a list of tensors");
        yielded->push_back(names[0]);
      }
      return {};
    }
    MUNJA_RETURN_IF_ERROR(ReadOperation(json).With("operator ", i));
  }
  if (yielded != nullptr) return Malformed("a block that gives nothing");
  return {};
}

template <class Finish>
Result<int64_t> PirReader::ReadRegion(const Json& json, size_t region,
                                      Finish finish) {
  const Json* blocks =
      Member(Element(Member(&json, "regions"), region), "blocks");
  if (Element(blocks, 0) == nullptr || blocks->size() != 1)
    return Unsupported("a loop or branch that is not one block");
  constexpr int kMaxDeep = 32;
  if (depth_ >= kMaxDeep)
    return Unsupported("loops and branches within each other, too deep");
  // Blocks come before those within them.
  const auto number = static_cast<int64_t>(program_.blocks.size());
  program_.blocks.emplace_back();
  const int64_t around = std::exchange(block_, number);
  ++depth_;
  const Json& block = (*blocks)[0];
  MUNJA_RETURN_IF_ERROR(finish(block));
  --depth_;
  block_ = around;
  return number;
}

// The loop's variables have the names of its results; an iteration copies its
// outputs to them, all at once.
Status PirReader::ReadWhile(const Json& json, const std::string& condition,
                            const std::vector<std::string>& before,
                            const std::vector<std::string>& variables) {
  if (before.size() != variables.size())
    return Malformed("a loop that gives ", variables.size(), " of ",
                     before.size(), " variables");
  const std::string again = "%while" + std::to_string(program_.blocks.size());
  EmitCopy(condition, again);
  for (size_t i = 0; i < before.size(); ++i) EmitCopy(before[i], variables[i]);
  MUNJA_ASSIGN_OR_RETURN(
      const int64_t number,
      ReadRegion(json, 0, [&](const Json& block) -> Status {
        const Json* args = Member(&block, "args");
        const size_t count =
            args == nullptr || !args->is_array() ? 0 : args->size();
        if (count != variables.size())
          return Malformed("a loop whose block has ", count, " variables");
        for (size_t i = 0; i < count; ++i) {
          const Json& arg = (*args)[i];
          std::optional<int64_t> id = Integer(Member(&arg, "%"));
          if (!id) id = Integer(Member(&arg, "#"));
          if (!id || !values_.emplace(*id, std::vector{variables[i]}).second)
            return Malformed("a loop variable has no id of its own");
        }
        std::vector<std::string> given;
        MUNJA_RETURN_IF_ERROR(ReadBlock(Member(&block, "ops"), &given));
        if (given.size() != count + 1)
          return Malformed("an iteration that outputs ", given.size(),
                           " values");
        for (size_t i = 0; i < count; ++i)
          EmitCopy(given[i + 1], variables[i] + ".next");
        EmitCopy(given[0], again);
        for (const std::string& name : variables)
          EmitCopy(name + ".next", name);
        return {};
      }));
  Emit("while", {{"X", variables}, {"Condition", {again}}},
       {{"Out", variables}}, number);
  return {};
}

Status PirReader::ReadIf(const Json& json, const std::string& condition,
                         const std::vector<std::string>& results) {
  const std::string no = "%if" + std::to_string(program_.blocks.size());
  Emit("logical_not", {{"X", {condition}}}, {{"Out", {no}}});
  for (size_t r = 0; r < 2; ++r) {
    const char* suffix = r == 0 ? ".yes" : ".no";
    MUNJA_ASSIGN_OR_RETURN(
        const int64_t number,
        ReadRegion(json, r, [&](const Json& block) -> Status {
          std::vector<std::string> given;
          MUNJA_RETURN_IF_ERROR(ReadBlock(Member(&block, "ops"), &given));
          if (given.size() != results.size())
            return Malformed("a branch that gives ", given.size(), " of ",
                             results.size(), " values");
          for (size_t i = 0; i < given.size(); ++i)
            EmitCopy(given[i], results[i] + suffix);
          return {};
        }));
    Emit("conditional_block", {{"Cond", {r == 0 ? condition : no}}}, {},
         number);
  }
  for (const std::string& name : results)
    Emit("select_input",
         {{"X", {name + ".no", name + ".yes"}}, {"Mask", {condition}}},
         {{"Out", {name}}});
  return {};
}

Result<Program> PirReader::Read(const Json& root) {
  const Json* code = Member(&root, "base_code");
  const std::string* magic = Text(Member(code, "magic"));
  if (magic == nullptr || *magic != "pir")
    return Malformed("not a Paddle program: base_code.magic is not \"pir\"");
  const std::optional<int64_t> version = Integer(Member(code, "version"));
  if (!version) return Malformed("base_code.version is missing");
  if (*version != 1)
    return Unsupported("version ", *version,
                       " of Paddle's JSON programs; 1 is known");
  program_.format = "Paddle PIR";
  const Json* regions = Member(Member(&root, "program"), "regions");
  const Json* blocks = Member(Element(regions, 0), "blocks");
  if (Element(blocks, 0) == nullptr)
    return Malformed("the program holds no block");
  if (regions->size() != 1 || blocks->size() != 1)
    return Unsupported("a program of several blocks");
  program_.blocks.emplace_back();  // The program's own.
  MUNJA_RETURN_IF_ERROR(ReadBlock(Member(Element(blocks, 0), "ops"), nullptr));
  return std::move(program_);
}

}  // namespace

Result<Program> ReadPir(std::string_view text) {
  Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const TakenApartAtEnd end(root);
  if (root.is_discarded()) return Malformed("this is not JSON");
  return PirReader().Read(root);
}

}  // namespace munja::importer::paddle
