#include "import/paddle/desc_reader.h"

#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "framework.pb.h"

namespace munja::importer::paddle {
namespace {

namespace proto = munja::paddle;

constexpr int kTensor = 7;  // VarType.type

using Variables = std::map<std::string, const proto::VarDesc*>;

Result<Variable> ReadVariable(const proto::VarDesc& desc) {
  Variable v;
  v.name = desc.name();
  const std::string where = "variable '" + v.name + "'";
  if (desc.type().type() != kTensor)
    return Unsupported(where, " is not a dense tensor");
  const auto& tensor = desc.type().lod_tensor().tensor();
  const std::optional<RawType> type = ToRawType(tensor.data_type());
  if (!type)
    return Unsupported(where, " has element type ", tensor.data_type());
  v.type = *type;
  for (const int64_t d : tensor.dims()) {
    if (d > kMaxElements) return Malformed(where, " has a size of ", d);
    v.shape.push_back(d < 0 ? kUnknown : d);
  }
  if (v.shape.size() > 8) return Unsupported(where, " has too many axes");
  return v;
}

int64_t WholeOf(const proto::Scalar& scalar) {
  return scalar.type() == 1 ? int64_t{scalar.b()} : scalar.i();
}

Status ReadAttribute(const proto::OpDesc::Attr& a, SourceAttributes* out) {
  using Doubles = std::vector<double>;
  using Int64s = std::vector<int64_t>;
  const std::string& name = a.name();
  switch (a.type()) {
    case 0:
      out->Set(name, int64_t{a.i()});
      return {};
    case 1:
      out->Set(name, static_cast<double>(a.f()));
      return {};
    case 2:
      out->Set(name, a.s());
      return {};
    case 3:
      out->Set(name, Int64s(a.ints().begin(), a.ints().end()));
      return {};
    case 4:
      out->Set(name, Doubles(a.floats().begin(), a.floats().end()));
      return {};
    case 6:
      out->Set(name, a.b());
      return {};
    case 7:
      out->Set(name, Int64s(a.bools().begin(), a.bools().end()));
      return {};
    case 9:
      out->Set(name, int64_t{a.l()});
      return {};
    case 11:
      out->Set(name, Int64s(a.longs().begin(), a.longs().end()));
      return {};
    case 12:
      out->Set(name, Doubles(a.float64s().begin(), a.float64s().end()));
      return {};
    case 15:
      out->Set(name, a.float64());
      return {};
    case 16: {
      if (a.scalar().type() > 3) return Unsupported("a complex '", name, "'");
      if (a.scalar().type() == 3)
        out->Set(name, a.scalar().r());
      else
        out->Set(name, WholeOf(a.scalar()));
      return {};
    }
    case 17: {
      Int64s whole;
      Doubles fractions;
      for (const proto::Scalar& scalar : a.scalars()) {
        if (scalar.type() > 3) return Unsupported("complex '", name, "'");
        const bool is_fraction = scalar.type() == 3;
        if (!is_fraction) whole.push_back(WholeOf(scalar));
        fractions.push_back(is_fraction ? scalar.r()
                                        : static_cast<double>(whole.back()));
      }
      if (whole.size() == fractions.size())
        out->Set(name, std::move(whole));
      else
        out->Set(name, std::move(fractions));
      return {};
    }
    case 5:  // Lists of texts say nothing about what is computed.
      return {};
    case 8:
      if (name == "sub_block") {
        out->Set(name, int64_t{a.block_idx()});
        return {};
      }
      return Unsupported("attribute '", name, "', a block");
    case 10:
      return Unsupported("a loop or branch ('", name, "' is a block)");
    default:
      return Unsupported("attribute '", name, "' of type ", a.type());
  }
}

Arguments ReadArguments(
    const google::protobuf::RepeatedPtrField<proto::OpDesc::Var>& vars) {
  Arguments arguments;
  for (const auto& var : vars)
    if (var.arguments_size() > 0)
      arguments[var.parameter()].assign(var.arguments().begin(),
                                        var.arguments().end());
  return arguments;
}

Result<Operation> ReadOperation(const proto::OpDesc& desc) {
  Operation op;
  op.type = desc.type();
  op.inputs = ReadArguments(desc.inputs());
  op.outputs = ReadArguments(desc.outputs());
  for (const char* first : {"Out", "Output", "Y"})
    if (const auto it = op.outputs.find(first); it != op.outputs.end())
      op.name = it->second[0];
  for (const auto& a : desc.attrs())
    MUNJA_RETURN_IF_ERROR(ReadAttribute(a, &op.attributes).With(op));
  return op;
}

// The one variable of a feed or fetch.
Result<std::string> Only(const Operation& op, const Arguments& arguments,
                         const char* parameter) {
  const auto it = arguments.find(parameter);
  if (it == arguments.end() || it->second.size() != 1)
    return Malformed(op.type, " does not name one variable");
  return it->second[0];
}

}  // namespace

Result<Program> ReadDesc(std::span<const uint8_t> bytes) {
  if (bytes.size() > INT_MAX) return Unsupported("a program larger than 2 GB");
  proto::ProgramDesc file;
  if (!file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Malformed("the bytes are not a protocol buffer");
  if (file.blocks_size() == 0 || file.blocks(0).ops_size() == 0)
    return Malformed("not a Paddle program: it holds no operators");
  const proto::BlockDesc& block = file.blocks(0);
  Program program;
  program.format = "Paddle program";
  Variables variables;
  for (const proto::VarDesc& desc : block.vars()) {
    if (!variables.emplace(desc.name(), &desc).second)
      return Malformed("variable '", desc.name(), "' occurs twice");
    if (!desc.persistable() || desc.type().type() != kTensor) continue;
    MUNJA_ASSIGN_OR_RETURN(Variable v, ReadVariable(desc));
    program.parameters.push_back(std::move(v));
  }
  for (const proto::OpDesc& desc : block.ops()) {
    MUNJA_ASSIGN_OR_RETURN(Operation op, ReadOperation(desc));
    if (op.type == "feed") {
      MUNJA_ASSIGN_OR_RETURN(const std::string name,
                             Only(op, op.outputs, "Out"));
      const auto it = variables.find(name);
      if (it == variables.end())
        return Malformed("input '", name, "' is not described");
      MUNJA_ASSIGN_OR_RETURN(Variable v, ReadVariable(*it->second));
      program.inputs.push_back(std::move(v));
    } else if (op.type == "fetch") {
      MUNJA_ASSIGN_OR_RETURN(std::string name, Only(op, op.inputs, "X"));
      program.outputs.emplace_back(name, name);
    } else {
      program.operations.push_back(std::move(op));
    }
  }
  program.blocks.resize(static_cast<size_t>(file.blocks_size()));
  for (int b = 1; b < file.blocks_size(); ++b) {
    for (const proto::OpDesc& desc : file.blocks(b).ops()) {
      MUNJA_ASSIGN_OR_RETURN(Operation op, ReadOperation(desc));
      program.blocks[static_cast<size_t>(b)].push_back(std::move(op));
    }
  }
  return program;
}

}  // namespace munja::importer::paddle
