// Program: the contents of a Paddle file, in one vocabulary for both of its
// formats. Operators have the names of the old format ("elementwise_add",
// "hard_swish") and their tensors are found by the names of its parameters
// ("X", "Filter"). An attribute that the new format gives by a constant tensor
// stays a tensor.
#ifndef MUNJA_IMPORT_PADDLE_PROGRAM_H_
#define MUNJA_IMPORT_PADDLE_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/compose/raw_tensor.h"
#include "import/compose/source_attributes.h"
#include "import/ir/tensor.h"

namespace munja::importer::paddle {

struct Variable {
  std::string name;
  Dims shape;  // kUnknown for sizes known at run time only.
  RawType type = RawType::kFloat32;
};

using Arguments = std::map<std::string, std::vector<std::string>>;

struct Operation {
  std::string type;
  std::string name;  // For messages: its first output.
  SourceAttributes attributes;
  Arguments inputs, outputs;  // Names of variables, by parameter.
};

using Block = std::vector<Operation>;

struct Program {
  std::string format;  // "Paddle program 2.4", "Paddle PIR 1"
  std::vector<Variable> parameters;
  std::vector<Variable> inputs;
  // The name that callers see, and the variable.
  std::vector<std::pair<std::string, std::string>> outputs;
  Block operations;
  // By index; [0] is empty, the others are loops' and branches' ("sub_block").
  std::vector<Block> blocks;
};

// "conv2d 'conv2d_0.tmp_0'".
std::string Describe(const Operation& op);

// From the format's id of an element type (VarType.Type).
std::optional<RawType> ToRawType(int32_t type);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_PROGRAM_H_
