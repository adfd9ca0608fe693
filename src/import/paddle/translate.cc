#include "import/paddle/translate.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/desc_reader.h"
#include "import/paddle/parameters.h"
#include "import/paddle/pir_reader.h"

namespace munja::foreign::paddle {
namespace {

// An object with members, or without. A brace alone says nothing: a protocol
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
  for (const Operation& op : program.operations)
    if (FindHandler(op.type) == nullptr) ++missing[op.type];
  if (missing.empty()) return {};
  std::string text = "these Paddle operators cannot be imported:";
  for (const auto& [type, count] : missing)
    text += " " + type + " (" + std::to_string(count) + ")";
  return Unsupported(std::move(text));
}

Status AddInput(Context& context, const Variable& input,
                const TranslateOptions& options) {
  const std::string where = "input '" + input.name + "'";
  const auto number = options.input_values.find(input.name);
  const bool is_given = number != options.input_values.end();
  if (!IsFloat(input.type) && !is_given)
    return Unsupported(where +
                       " holds integers, only floating point is "
                       "supported");
  Dims shape = input.shape;
  if (shape.empty()) return Unsupported(where + " has no axes");
  for (int64_t& d : shape)
    if (d == 0) d = kUnknown;
  if (shape[0] < 0 && !options.dynamic_batch) shape[0] = 1;
  if (const Dims* given = FindShape(options.input_shapes, input.name)) {
    if (given->size() != shape.size())
      return InvalidArgument(where + " has rank " +
                             std::to_string(shape.size()));
    shape = *given;
  }
  ValueId id;
  if (is_given) {
    MUNJA_ASSIGN_OR_RETURN(
        Tensor filled, FilledTensor(shape,
                                    IsFloat(input.type) ? ElementType::kFloat32
                                                        : ElementType::kInt64,
                                    number->second)
                           .With(where));
    id = context.builder.AddConstant(input.name, std::move(filled),
                                     ModelBuilder::kMade);
  } else {
    id = context.builder.AddInput(input.name, shape, false);
  }
  if (!context.values.emplace(input.name, id).second)
    return Malformed(where + " is a parameter or occurs twice");
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
  for (auto& [name, tensor] : tensors)
    context.values[name] = builder.AddConstant(name, std::move(tensor));
  std::set<ValueId> taken;
  for (const Variable& input : program.inputs) {
    MUNJA_RETURN_IF_ERROR(AddInput(context, input, options));
    taken.insert(context.values.at(input.name));
  }
  for (const auto& given : options.input_values)
    if (std::none_of(
            program.inputs.begin(), program.inputs.end(),
            [&](const Variable& input) { return input.name == given.first; }))
      return NotFound("the model has no input '" + given.first + "'");
  for (const Operation& op : program.operations)
    MUNJA_RETURN_IF_ERROR(FindHandler(op.type)(context, op));
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

}  // namespace munja::foreign::paddle
