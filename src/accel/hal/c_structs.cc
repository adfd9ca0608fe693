#include "hal/c_structs.h"

#include <utility>

namespace munja::hal {
namespace {

// An array that is there, of structs of one length.
template <class T>
Status CheckArray(const T* array, size_t count, const char* what) {
  if (count == 0) return Status();
  if (array == nullptr)
    return InvalidArgument(std::string(what) + " are missing");
  size_t first = 0;
  std::memcpy(&first, array, sizeof first);
  if (first < sizeof first || first % alignof(T) != 0)
    return InvalidArgument(std::string(what) + ": a struct_size of " +
                           std::to_string(first));
  for (size_t i = 1; i < count; ++i)
    if (ReadElement(array, i).struct_size != first)
      return InvalidArgument(std::string(what) +
                             ": structs of different sizes in an array");
  return Status();
}

template <class T>
Status Copy(const T* from, size_t count, const char* what, std::vector<T>* to) {
  if (count == 0) return Status();
  if (from == nullptr)
    return InvalidArgument(std::string(what) + " are missing");
  to->assign(from, from + count);
  return Status();
}

Location FromStruct(const munja_nn_location& at) {
  return {at.pool, at.offset, at.length};
}

Result<std::vector<Memory>> ReadPools(const munja_nn_memory* pools,
                                      size_t count) {
  MUNJA_RETURN_IF_ERROR(CheckArray(pools, count, "pools"));
  std::vector<Memory> result;
  for (size_t i = 0; i < count; ++i) {
    const munja_nn_memory from = ReadElement(pools, i);
    result.push_back(
        {from.data, from.bytes, from.fd, from.token, from.offset, nullptr});
  }
  return result;
}

Result<Operand> ReadOperand(const munja_nn_operand& from) {
  Operand to;
  to.type = from.type;
  to.lifetime = from.lifetime;
  MUNJA_RETURN_IF_ERROR(
      Copy(from.dimensions, from.rank, "dimensions", &to.dimensions));
  to.consumers = from.consumers;
  to.scale = from.scale;
  to.zero_point = from.zero_point;
  to.location = FromStruct(from.location);
  if (from.channel_scale_count != 0 || from.channel_scales != nullptr) {
    ChannelScales channels;
    channels.dimension = from.channel_dimension;
    MUNJA_RETURN_IF_ERROR(Copy(from.channel_scales, from.channel_scale_count,
                               "scales", &channels.scales));
    to.channels = std::move(channels);
  }
  if (from.extension_bytes != 0) {
    MUNJA_RETURN_IF_ERROR(Copy(static_cast<const uint8_t*>(from.extension_data),
                               from.extension_bytes, "data of an extension",
                               &to.extension_data.emplace()));
  }
  return to;
}

Result<Subgraph> ReadSubgraph(const munja_nn_subgraph& from) {
  Subgraph to;
  MUNJA_RETURN_IF_ERROR(
      CheckArray(from.operands, from.operand_count, "operands"));
  for (size_t i = 0; i < from.operand_count; ++i) {
    MUNJA_ASSIGN_OR_RETURN(Operand operand,
                           ReadOperand(ReadElement(from.operands, i)));
    to.operands.push_back(std::move(operand));
  }
  MUNJA_RETURN_IF_ERROR(
      CheckArray(from.operations, from.operation_count, "operations"));
  for (size_t i = 0; i < from.operation_count; ++i) {
    const munja_nn_operation operation = ReadElement(from.operations, i);
    Operation& made = to.operations.emplace_back();
    made.type = operation.type;
    MUNJA_RETURN_IF_ERROR(Copy(operation.inputs, operation.input_count,
                               "an operation's inputs", &made.inputs));
    MUNJA_RETURN_IF_ERROR(Copy(operation.outputs, operation.output_count,
                               "an operation's outputs", &made.outputs));
  }
  MUNJA_RETURN_IF_ERROR(
      Copy(from.inputs, from.input_count, "inputs", &to.inputs));
  MUNJA_RETURN_IF_ERROR(
      Copy(from.outputs, from.output_count, "outputs", &to.outputs));
  return to;
}

Result<std::vector<Argument>> ReadArguments(const munja_nn_argument* from,
                                            size_t count) {
  MUNJA_RETURN_IF_ERROR(CheckArray(from, count, "arguments"));
  std::vector<Argument> to;
  for (size_t i = 0; i < count; ++i) {
    const munja_nn_argument argument = ReadElement(from, i);
    Argument& made = to.emplace_back();
    made.has_no_value = argument.has_no_value != 0;
    made.location = FromStruct(argument.location);
    MUNJA_RETURN_IF_ERROR(Copy(argument.dimensions, argument.rank, "dimensions",
                               &made.dimensions));
  }
  return to;
}

munja_nn_location ToStruct(const Location& at) {
  return {at.pool, at.offset, at.length};
}

std::vector<munja_nn_memory> ToStructs(const std::vector<Memory>& pools) {
  std::vector<munja_nn_memory> structs;
  for (const Memory& pool : pools)
    structs.push_back({sizeof(munja_nn_memory), pool.data, pool.bytes, pool.fd,
                       pool.token, pool.offset});
  return structs;
}

std::vector<munja_nn_argument> ToStructs(
    const std::vector<Argument>& arguments) {
  std::vector<munja_nn_argument> structs;
  for (const Argument& argument : arguments) {
    munja_nn_argument& to = structs.emplace_back();
    to = {};
    to.struct_size = sizeof to;
    to.has_no_value = argument.has_no_value ? 1 : 0;
    to.rank = static_cast<uint32_t>(argument.dimensions.size());
    to.dimensions = argument.dimensions.data();
    to.location = ToStruct(argument.location);
  }
  return structs;
}

munja_nn_operand ToStruct(const Operand& operand) {
  munja_nn_operand to = {};
  to.struct_size = sizeof to;
  to.type = operand.type;
  to.lifetime = operand.lifetime;
  to.rank = static_cast<uint32_t>(operand.dimensions.size());
  to.dimensions = operand.dimensions.data();
  to.consumers = operand.consumers;
  to.scale = operand.scale;
  to.zero_point = operand.zero_point;
  to.location = ToStruct(operand.location);
  if (operand.channels) {
    to.channel_dimension = operand.channels->dimension;
    to.channel_scales = operand.channels->scales.data();
    to.channel_scale_count =
        static_cast<uint32_t>(operand.channels->scales.size());
  }
  if (operand.extension_data) {
    to.extension_data = operand.extension_data->data();
    to.extension_bytes = operand.extension_data->size();
  }
  return to;
}

}  // namespace

Result<Model> ReadModel(const munja_nn_model* from) {
  if (from == nullptr) return InvalidArgument("there is no model");
  const munja_nn_model model = ReadStruct(from);
  Model to;
  MUNJA_RETURN_IF_ERROR(
      CheckArray(model.subgraphs, model.subgraph_count, "subgraphs"));
  for (size_t i = 0; i < model.subgraph_count; ++i) {
    MUNJA_ASSIGN_OR_RETURN(Subgraph subgraph,
                           ReadSubgraph(ReadElement(model.subgraphs, i)));
    to.subgraphs.push_back(std::move(subgraph));
  }
  MUNJA_RETURN_IF_ERROR(Copy(static_cast<const uint8_t*>(model.operand_values),
                             model.operand_value_bytes, "operand values",
                             &to.operand_values));
  MUNJA_ASSIGN_OR_RETURN(to.pools, ReadPools(model.pools, model.pool_count));
  MUNJA_RETURN_IF_ERROR(
      CheckArray(model.extensions, model.extension_count, "extensions"));
  for (size_t i = 0; i < model.extension_count; ++i) {
    const auto extension = ReadElement(model.extensions, i);
    if (extension.name == nullptr)
      return InvalidArgument("an extension without a name");
    to.extensions.push_back({extension.name, extension.prefix});
  }
  to.is_relaxed = model.is_relaxed != 0;
  return to;
}

Result<Request> ReadRequest(const munja_nn_request* from) {
  if (from == nullptr) return InvalidArgument("there is no request");
  const munja_nn_request request = ReadStruct(from);
  Request to;
  MUNJA_ASSIGN_OR_RETURN(to.inputs,
                         ReadArguments(request.inputs, request.input_count));
  MUNJA_ASSIGN_OR_RETURN(to.outputs,
                         ReadArguments(request.outputs, request.output_count));
  MUNJA_ASSIGN_OR_RETURN(to.pools,
                         ReadPools(request.pools, request.pool_count));
  return to;
}

ModelStruct::ModelStruct(const Model& model) {
  for (const Subgraph& subgraph : model.subgraphs) {
    auto& operands = operands_.emplace_back();
    for (const Operand& operand : subgraph.operands)
      operands.push_back(ToStruct(operand));
    auto& operations = operations_.emplace_back();
    for (const Operation& operation : subgraph.operations)
      operations.push_back({sizeof(munja_nn_operation), operation.type,
                            static_cast<uint32_t>(operation.inputs.size()),
                            operation.inputs.data(),
                            static_cast<uint32_t>(operation.outputs.size()),
                            operation.outputs.data()});
    subgraphs_.push_back({sizeof(munja_nn_subgraph), operands.data(),
                          static_cast<uint32_t>(operands.size()),
                          static_cast<uint32_t>(operations.size()),
                          operations.data(), subgraph.inputs.data(),
                          subgraph.outputs.data(),
                          static_cast<uint32_t>(subgraph.inputs.size()),
                          static_cast<uint32_t>(subgraph.outputs.size())});
  }
  pools_ = ToStructs(model.pools);
  for (const ExtensionPrefix& extension : model.extensions)
    extensions_.push_back({sizeof(munja_nn_extension_prefix),
                           extension.name.c_str(), extension.prefix});
  model_.struct_size = sizeof model_;
  model_.subgraphs = subgraphs_.data();
  model_.subgraph_count = static_cast<uint32_t>(subgraphs_.size());
  model_.operand_values = model.operand_values.data();
  model_.operand_value_bytes = model.operand_values.size();
  model_.pools = pools_.data();
  model_.pool_count = static_cast<uint32_t>(pools_.size());
  model_.extensions = extensions_.data();
  model_.extension_count = static_cast<uint32_t>(extensions_.size());
  model_.is_relaxed = model.is_relaxed ? 1 : 0;
}

RequestStruct::RequestStruct(const Request& request)
    : inputs_(ToStructs(request.inputs)),
      outputs_(ToStructs(request.outputs)),
      pools_(ToStructs(request.pools)) {
  request_.struct_size = sizeof request_;
  request_.inputs = inputs_.data();
  request_.outputs = outputs_.data();
  request_.input_count = static_cast<uint32_t>(inputs_.size());
  request_.output_count = static_cast<uint32_t>(outputs_.size());
  request_.pools = pools_.data();
  request_.pool_count = static_cast<uint32_t>(pools_.size());
}

}  // namespace munja::hal
