#include "hal/serialize.h"

namespace munja::hal {
namespace {

void PutOperand(const Operand& operand, ByteWriter& to) {
  to.Put(operand.type);
  to.Put(operand.lifetime);
  to.PutList(operand.dimensions);
  to.Put(operand.consumers);
  to.Put(operand.scale);
  to.Put(operand.zero_point);
  PutLocation(operand.location, to);
  to.Put<uint8_t>(operand.channels.has_value());
  if (operand.channels.has_value()) {
    to.Put(operand.channels->dimension);
    to.PutList(operand.channels->scales);
  }
  to.Put<uint8_t>(operand.extension_data.has_value());
  if (operand.extension_data.has_value()) to.PutList(*operand.extension_data);
}

Operand GetOperand(ByteReader& from) {
  Operand operand;
  operand.type = from.Get<int32_t>();
  operand.lifetime = from.Get<int32_t>();
  operand.dimensions = from.GetList<uint32_t>();
  operand.consumers = from.Get<uint32_t>();
  operand.scale = from.Get<float>();
  operand.zero_point = from.Get<int32_t>();
  operand.location = GetLocation(from);
  if (from.GetFlag()) {
    ChannelScales& channels = operand.channels.emplace();
    channels.dimension = from.Get<uint32_t>();
    channels.scales = from.GetList<float>();
  }
  if (from.GetFlag()) operand.extension_data = from.GetList<uint8_t>();
  return operand;
}

void PutSubgraph(const Subgraph& subgraph, ByteWriter& to) {
  to.Put(static_cast<uint32_t>(subgraph.operands.size()));
  for (const Operand& operand : subgraph.operands) PutOperand(operand, to);
  to.Put(static_cast<uint32_t>(subgraph.operations.size()));
  for (const Operation& operation : subgraph.operations) {
    to.Put(operation.type);
    to.PutList(operation.inputs);
    to.PutList(operation.outputs);
  }
  to.PutList(subgraph.inputs);
  to.PutList(subgraph.outputs);
}

Subgraph GetSubgraph(ByteReader& from) {
  Subgraph subgraph;
  const uint32_t operands = from.GetCount(46);
  for (uint32_t i = 0; i < operands && from.ok(); ++i)
    subgraph.operands.push_back(GetOperand(from));
  const uint32_t operations = from.GetCount(20);
  for (uint32_t i = 0; i < operations && from.ok(); ++i) {
    Operation& operation = subgraph.operations.emplace_back();
    operation.type = from.Get<int32_t>();
    operation.inputs = from.GetList<uint32_t>();
    operation.outputs = from.GetList<uint32_t>();
  }
  subgraph.inputs = from.GetList<uint32_t>();
  subgraph.outputs = from.GetList<uint32_t>();
  return subgraph;
}

}  // namespace

void PutLocation(const Location& at, ByteWriter& to) {
  to.Put(at.pool);
  to.Put(at.offset);
  to.Put(at.length);
}

Location GetLocation(ByteReader& from) {
  Location at;
  at.pool = from.Get<uint32_t>();
  at.offset = from.Get<uint32_t>();
  at.length = from.Get<uint32_t>();
  return at;
}

void ByteWriter::PutBytes(const void* data, size_t size) {
  Put(static_cast<uint64_t>(size));
  const auto* bytes = static_cast<const uint8_t*>(data);
  if (size != 0) bytes_.insert(bytes_.end(), bytes, bytes + size);
}

const uint8_t* ByteReader::Next(uint64_t size) {
  if (!is_ok_ || size > bytes_.size() - at_) {
    is_ok_ = false;
    return nullptr;
  }
  const uint8_t* from = bytes_.data() + at_;
  at_ += size;
  return from;
}

bool ByteReader::GetFlag() {
  const auto value = Get<uint8_t>();
  if (value > 1) Fail();
  return value == 1;
}

std::string ByteReader::GetText() {
  const std::vector<char> text = GetList<char>();
  return std::string(text.begin(), text.end());
}

uint32_t ByteReader::GetCount(size_t bytes_each) {
  const auto count = Get<uint32_t>();
  if (!is_ok_ || count > (bytes_.size() - at_) / bytes_each) {
    is_ok_ = false;
    return 0;
  }
  return count;
}

void PutModel(const Model& model, const std::vector<uint32_t>& pools,
              ByteWriter& to) {
  to.Put(static_cast<uint32_t>(model.subgraphs.size()));
  for (const Subgraph& subgraph : model.subgraphs) PutSubgraph(subgraph, to);
  to.PutList(model.operand_values);
  to.PutList(pools);
  to.Put(static_cast<uint32_t>(model.extensions.size()));
  for (const ExtensionPrefix& extension : model.extensions) {
    to.PutText(extension.name);
    to.Put(extension.prefix);
  }
  to.Put<uint8_t>(model.is_relaxed);
}

Model GetModel(ByteReader& from, std::vector<uint32_t>& pools) {
  Model model;
  const uint32_t subgraphs = from.GetCount(24);
  for (uint32_t i = 0; i < subgraphs && from.ok(); ++i)
    model.subgraphs.push_back(GetSubgraph(from));
  model.operand_values = from.GetList<uint8_t>();
  pools = from.GetList<uint32_t>();
  model.pools.resize(pools.size());
  const uint32_t extensions = from.GetCount(10);
  for (uint32_t i = 0; i < extensions && from.ok(); ++i) {
    ExtensionPrefix& extension = model.extensions.emplace_back();
    extension.name = from.GetText();
    extension.prefix = from.Get<uint16_t>();
  }
  model.is_relaxed = from.GetFlag();
  return model;
}

}  // namespace munja::hal
