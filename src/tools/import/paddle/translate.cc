#include "import/paddle/translate.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/desc_reader.h"
#include "import/paddle/parameters.h"
#include "import/paddle/pir_reader.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

// Whether the file is a JSON object. A brace alone does not decide: a protocol
// buffer whose first block has 123 bytes begins with "\n{".
bool LooksLikeJson(std::span<const uint8_t> bytes) {
  bool is_open = false;
  for (const uint8_t b : bytes) {
    if (b == ' ' || b == '\n' || b == '\r' || b == '\t') continue;
    if (is_open) return b == '"' || b == '}';
    if (b != '{') return false;
    is_open = true;
  }
  return is_open;
}

Result<Program> ReadProgram(std::span<const uint8_t> bytes) {
  if (!LooksLikeJson(bytes)) return ReadDesc(bytes);
  return ReadPir({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Status CheckOperators(const Program& program) {
  std::map<std::string, int> missing;
  const auto look = [&](const Block& block) {
    for (const Operation& op : block)
      if (FindHandler(op.type) == nullptr) ++missing[op.type];
  };
  look(program.operations);
  for (const Block& block : program.blocks) look(block);
  return RefuseMissing("these Paddle operators cannot be imported:", missing);
}

ElementType TypeOf(RawType type) {
  switch (type) {
    case RawType::kBool:
      return ElementType::kBool;
    case RawType::kUint8:
      return ElementType::kUInt8;
    case RawType::kInt8:
      return ElementType::kInt8;
    case RawType::kUint16:
      return ElementType::kUInt16;
    case RawType::kInt16:
      return ElementType::kInt16;
    case RawType::kUint32:
      return ElementType::kUInt32;
    case RawType::kInt32:
      return ElementType::kInt32;
    case RawType::kInt64:
      return ElementType::kInt64;
    default:
      return ElementType::kFloat32;  // Halves and doubles are read as float.
  }
}

Status AddInput(Context& context, const Variable& input,
                const TranslateOptions& options) {
  const std::string where = "input '" + input.name + "'";
  Dims shape = input.shape;
  if (shape.empty()) return Unsupported(where, " has no axes");
  for (int64_t& d : shape)
    if (d == 0) d = kUnknown;
  if (shape[0] < 0 && !options.dynamic_batch) shape[0] = 1;
  if (const Dims* given = FindShape(options.input_shapes, input.name)) {
    if (given->size() != shape.size())
      return InvalidArgument(where, " has rank ", shape.size());
    shape = *given;
  }
  MUNJA_ASSIGN_OR_RETURN(ValueId id, context.builder.AddInput(
                                         input.name, shape, TypeOf(input.type),
                                         options.input_values));
  // All integers are one type inside, and truth values are another.
  const ElementType type = context.builder.value(id).type;
  if (type != ElementType::kFloat32 && type != ElementType::kBool) {
    Operation op;
    op.type = "input";
    op.name = input.name;
    Writer w(context, op);
    id = w.Cast(id, kI64);
    MUNJA_RETURN_IF_ERROR(w.Done());
  }
  if (!context.values.emplace(input.name, id).second)
    return Malformed(where, " is a parameter or occurs twice");
  return {};
}

}  // namespace

Result<Model> Translate(std::span<const uint8_t> bytes,
                        std::span<const uint8_t> parameters,
                        const TranslateOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const Program program, ReadProgram(bytes));
  MUNJA_RETURN_IF_ERROR(CheckOperators(program));
  MUNJA_ASSIGN_OR_RETURN(auto tensors,
                         ReadParameters(parameters, program.parameters));
  ModelBuilder builder(program.format);
  Context context(&builder);
  context.blocks = &program.blocks;
  for (auto& [name, tensor] : tensors)
    context.values[name] = builder.AddConstant(name, std::move(tensor));
  std::set<ValueId> taken;
  for (const Variable& input : program.inputs) {
    MUNJA_RETURN_IF_ERROR(AddInput(context, input, options));
    taken.insert(context.values.at(input.name));
  }
  MUNJA_RETURN_IF_ERROR(builder.CheckNumbers(options.input_values));
  for (const Operation& op : program.operations)
    MUNJA_RETURN_IF_ERROR(TranslateOperation(context, op));
  std::vector<ValueId> outputs;
  for (const auto& [name, variable] : program.outputs) {
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId id,
        context.builder.TakeOutput(name, variable, context.values, &taken));
    outputs.push_back(id);
  }
  if (outputs.empty()) return Malformed("the model has no output");
  return builder.Finish(std::move(outputs));
}

}  // namespace munja::importer::paddle
