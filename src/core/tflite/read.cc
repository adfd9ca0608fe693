#include "tflite/read.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/file.h"
#include "tflite/associated_files.h"
#include "tflite/model_file.h"
#include "tflite/read_subgraph.h"
#include "tflite/vector.h"

namespace munja::tflite {
namespace {

constexpr size_t kAlignment = 16;

bool KnowsRank(const fb::Model& model) {
  for (const fb::SubGraph* subgraph : *model.subgraphs()) {
    if (subgraph->tensors() == nullptr) continue;
    for (const fb::Tensor* tensor : *subgraph->tensors())
      if (tensor->has_rank()) return true;
  }
  return false;
}

Status ReadMetadata(ModelFile& file, graph::Graph& graph) {
  const auto* entries = file.model().metadata();
  if (entries == nullptr) return Status();
  for (const fb::Metadata* entry : *entries) {
    const std::string name = CopyString(entry->name());
    auto bytes = file.BufferBytes(entry->buffer());
    if (!bytes.ok())
      return std::move(bytes).TakeStatus().With("metadata '" + name + "'");
    const std::span<const uint8_t> data =
        bytes->value_or(std::span<const uint8_t>());
    MUNJA_RETURN_IF_ERROR(file.Spend(name.size() + data.size()));
    // The first of two entries with one name counts.
    graph.metadata.try_emplace(name, data.begin(), data.end());
  }
  return Status();
}

using TensorMaps = flatbuffers::Vector<flatbuffers::Offset<fb::TensorMap>>;

Status ReadTensorMaps(ModelFile& file, const TensorMaps* from,
                      std::vector<std::pair<std::string, graph::ValueId>>& to) {
  if (from == nullptr) return Status();
  for (const fb::TensorMap* map : *from) {
    std::string name = CopyString(map->name());
    MUNJA_RETURN_IF_ERROR(file.Spend(sizeof(to[0]) + name.size()));
    // Values beyond the range of ValueId turn negative, which Verify refuses.
    to.emplace_back(std::move(name),
                    static_cast<graph::ValueId>(map->tensor_index()));
  }
  return Status();
}

Status ReadSignatures(ModelFile& file, graph::Graph& graph) {
  const auto* defs = file.model().signature_defs();
  if (defs == nullptr) return Status();
  for (const fb::SignatureDef* from : *defs) {
    graph::Signature signature;
    signature.key = CopyString(from->signature_key());
    MUNJA_RETURN_IF_ERROR(file.Spend(sizeof signature + signature.key.size()));
    signature.subgraph = static_cast<int>(from->subgraph_index());
    MUNJA_RETURN_IF_ERROR(
        ReadTensorMaps(file, from->inputs(), signature.inputs));
    MUNJA_RETURN_IF_ERROR(
        ReadTensorMaps(file, from->outputs(), signature.outputs));
    graph.signatures.push_back(std::move(signature));
  }
  return Status();
}

Result<std::shared_ptr<graph::Graph>> ReadAligned(
    std::span<const uint8_t> bytes, std::shared_ptr<const void> owner) {
  MUNJA_ASSIGN_OR_RETURN(ModelFile file,
                         ModelFile::Open(bytes, std::move(owner)));
  auto graph = std::make_shared<graph::Graph>();
  const fb::Model& model = file.model();
  graph->description = CopyString(model.description());
  const bool knows_rank = KnowsRank(model);
  for (uint32_t i = 0; i < model.subgraphs()->size(); ++i) {
    auto subgraph = ReadSubgraph(file, *model.subgraphs()->Get(i), knows_rank);
    if (!subgraph.ok())
      return std::move(subgraph).TakeStatus().With("subgraph " +
                                                   std::to_string(i));
    graph->subgraphs.push_back(std::move(*subgraph));
  }
  MUNJA_RETURN_IF_ERROR(ReadSignatures(file, *graph));
  MUNJA_RETURN_IF_ERROR(ReadMetadata(file, *graph));
  MUNJA_ASSIGN_OR_RETURN(graph->associated_files, ReadAssociatedFiles(bytes));
  MUNJA_RETURN_IF_ERROR(graph::Verify(*graph));
  return graph;
}

}  // namespace

Result<std::shared_ptr<graph::Graph>> Read(std::span<const uint8_t> bytes,
                                           std::shared_ptr<const void> owner) {
  if (owner != nullptr &&
      reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment == 0)
    return ReadAligned(bytes, std::move(owner));
  MUNJA_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(bytes.size()));
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  auto copied = std::make_shared<const Buffer>(std::move(copy));
  const std::span<const uint8_t> span(copied->data(), bytes.size());
  return ReadAligned(span, std::move(copied));
}

Result<std::shared_ptr<graph::Graph>> ReadFile(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  const std::span<const uint8_t> bytes = file->bytes();
  return Read(bytes, std::move(file)).With(path);
}

}  // namespace munja::tflite
