#include "tflite/write.h"

#include <string>
#include <utility>

#include "tflite/associated_files.h"
#include "tflite/buffer_writer.h"
#include "tflite/metadata.h"
#include "tflite/schema_generated.h"
#include "tflite/write_subgraph.h"

namespace munja::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Capacity of a FlatBuffer, less a reserve for everything but data.
constexpr size_t kDataLimit = (size_t{1} << 31) - (size_t{1} << 27);

// FlatBuffers does not report that a file gets too long, so this is known
// before. Data shared by several constants is counted for each.
Status CheckSize(const graph::Graph& graph) {
  size_t bytes = 0;
  for (const graph::Subgraph& subgraph : graph.subgraphs) {
    for (const graph::Value& value : subgraph.values) {
      bytes += 128 + value.name.size() + 12 * value.quantization.scales.size();
      if (value.constant) bytes += value.constant->bytes.size();
    }
    for (const graph::Node& node : subgraph.nodes)
      bytes += 512 + node.op.size() + node.custom_options.size() +
               4 * (node.inputs.size() + node.outputs.size() +
                    node.intermediates.size());
  }
  for (const auto& [name, data] : graph.metadata)
    bytes += 64 + name.size() + data.size();
  if (bytes > kDataLimit)
    return Unsupported("the model has " + std::to_string(bytes) +
                       " bytes of data; a .tflite file is written up to " +
                       std::to_string(kDataLimit));
  return Status();
}

using TensorMaps = flatbuffers::Vector<Offset<fb::TensorMap>>;

Offset<TensorMaps> WriteTensorMaps(
    const std::vector<std::pair<std::string, graph::ValueId>>& from,
    FlatBufferBuilder& builder) {
  std::vector<Offset<fb::TensorMap>> to;
  for (const auto& [name, id] : from)
    to.push_back(fb::CreateTensorMap(builder, builder.CreateString(name),
                                     static_cast<uint32_t>(id)));
  return builder.CreateVector(to);
}

Offset<flatbuffers::Vector<Offset<fb::SignatureDef>>> WriteSignatures(
    const graph::Graph& graph, FlatBufferBuilder& builder) {
  if (graph.signatures.empty()) return 0;
  std::vector<Offset<fb::SignatureDef>> to;
  for (const graph::Signature& from : graph.signatures) {
    const auto inputs = WriteTensorMaps(from.inputs, builder);
    const auto outputs = WriteTensorMaps(from.outputs, builder);
    const auto key = builder.CreateString(from.key);
    to.push_back(fb::CreateSignatureDef(builder, inputs, outputs, key,
                                        static_cast<uint32_t>(from.subgraph)));
  }
  return builder.CreateVector(to);
}

Offset<fb::Metadata> WriteMetadataEntry(const std::string& name,
                                        std::span<const uint8_t> data,
                                        BufferWriter& buffers,
                                        FlatBufferBuilder& builder) {
  const uint32_t buffer = buffers.Add(data);
  return fb::CreateMetadata(builder, builder.CreateString(name), buffer);
}

Offset<flatbuffers::Vector<Offset<fb::Metadata>>> WriteMetadata(
    const graph::Graph& graph, BufferWriter& buffers,
    FlatBufferBuilder& builder) {
  std::vector<Offset<fb::Metadata>> to;
  for (const auto& [name, data] : graph.metadata)
    to.push_back(WriteMetadataEntry(name, data, buffers, builder));
  if (!graph.associated_files.empty() &&
      !graph.metadata.contains(kModelInfoName))
    to.push_back(WriteMetadataEntry(kModelInfoName,
                                    WriteModelInfo(DefaultModelInfo(graph)),
                                    buffers, builder));
  if (to.empty()) return 0;
  return builder.CreateVector(to);
}

}  // namespace

Result<std::vector<uint8_t>> Write(const graph::Graph& graph) {
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  MUNJA_RETURN_IF_ERROR(CheckSize(graph));
  FlatBufferBuilder builder(1 << 16);
  BufferWriter buffers(builder);
  SubgraphWriter writer(builder, buffers);
  std::vector<Offset<fb::SubGraph>> subgraphs;
  for (size_t i = 0; i < graph.subgraphs.size(); ++i) {
    auto subgraph = writer.Write(graph.subgraphs[i]);
    if (!subgraph.ok())
      return std::move(subgraph).TakeStatus().With("subgraph " +
                                                   std::to_string(i));
    subgraphs.push_back(*subgraph);
  }
  const auto signatures = WriteSignatures(graph, builder);
  const auto metadata = WriteMetadata(graph, buffers, builder);
  const auto codes = builder.CreateVector(writer.codes());
  const auto subgraphs_offset = builder.CreateVector(subgraphs);
  const auto description = builder.CreateString(graph.description);
  const auto buffers_offset = buffers.Finish();
  fb::ModelBuilder model(builder);
  model.add_version(kSchemaVersion);
  model.add_operator_codes(codes);
  model.add_subgraphs(subgraphs_offset);
  model.add_description(description);
  model.add_buffers(buffers_offset);
  model.add_metadata(metadata);
  model.add_signature_defs(signatures);
  fb::FinishModelBuffer(builder, model.Finish());
  std::vector<uint8_t> bytes(builder.GetBufferPointer(),
                             builder.GetBufferPointer() + builder.GetSize());
  MUNJA_RETURN_IF_ERROR(AppendAssociatedFiles(graph.associated_files, bytes));
  return bytes;
}

}  // namespace munja::tflite
