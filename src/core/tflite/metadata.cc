#include "tflite/metadata.h"

#include <utility>

#include "base/buffer.h"
#include "flatbuffers/flatbuffers.h"
#include "tflite/metadata_generated.h"
#include "tflite/vector.h"

namespace munja::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

using FileInfos = Vector<Offset<fb::meta::AssociatedFile>>;
using TensorInfos = Vector<Offset<fb::meta::TensorMetadata>>;

constexpr size_t kMaxBytes = size_t{1} << 24;
constexpr flatbuffers::uoffset_t kMaxTables = 4096;

// Places may share one text or list, so a small buffer could unfold into much
// memory: what is copied is counted, and nothing more comes after the limit.
class InfoReader {
 public:
  bool is_over_limit() const { return spent_ > kMaxBytes; }

  std::string Text(const flatbuffers::String* from) {
    return from != nullptr && Spend(from->size()) ? from->str() : std::string();
  }
  std::vector<float> Floats(const Vector<float>* from) {
    return from != nullptr && Spend(4 * size_t{from->size()})
               ? CopyVector<float>(from)
               : std::vector<float>();
  }
  std::vector<FileInfo> Files(const FileInfos* from);
  std::vector<TensorInfo> Tensors(const TensorInfos* from);

 private:
  bool Spend(size_t bytes) {
    spent_ += bytes;
    return !is_over_limit();
  }
  size_t spent_ = 0;
};

std::vector<FileInfo> InfoReader::Files(const FileInfos* from) {
  std::vector<FileInfo> files;
  if (from == nullptr) return files;
  for (const fb::meta::AssociatedFile* file : *from) {
    FileRole role = FileRole::kUnknown;
    if (file->type() >= 0 &&
        file->type() <= static_cast<int8_t>(FileRole::kScannIndex))
      role = static_cast<FileRole>(file->type());
    files.push_back({Text(file->name()), Text(file->description()), role});
  }
  return files;
}

std::vector<TensorInfo> InfoReader::Tensors(const TensorInfos* from) {
  std::vector<TensorInfo> tensors;
  if (from == nullptr) return tensors;
  for (const fb::meta::TensorMetadata* tensor : *from) {
    TensorInfo info;
    info.name = Text(tensor->name());
    info.description = Text(tensor->description());
    info.files = Files(tensor->associated_files());
    if (const auto* units = tensor->process_units()) {
      for (const fb::meta::ProcessUnit* unit : *units) {
        const auto* options = unit->options_as_NormalizationOptions();
        if (options == nullptr) continue;
        info.mean = Floats(options->mean());
        info.deviation = Floats(options->std());
      }
    }
    tensors.push_back(std::move(info));
  }
  return tensors;
}

Offset<FileInfos> WriteFiles(const std::vector<FileInfo>& from,
                             FlatBufferBuilder& builder) {
  if (from.empty()) return 0;
  std::vector<Offset<fb::meta::AssociatedFile>> files;
  for (const FileInfo& file : from) {
    const auto name = builder.CreateString(file.name);
    Offset<flatbuffers::String> description;
    if (!file.description.empty())
      description = builder.CreateString(file.description);
    files.push_back(fb::meta::CreateAssociatedFile(
        builder, name, description, static_cast<int8_t>(file.role)));
  }
  return builder.CreateVector(files);
}

Offset<TensorInfos> WriteTensors(const std::vector<TensorInfo>& from,
                                 FlatBufferBuilder& builder) {
  std::vector<Offset<fb::meta::TensorMetadata>> tensors;
  for (const TensorInfo& info : from) {
    const auto name = builder.CreateString(info.name);
    const auto description = builder.CreateString(info.description);
    const auto files = WriteFiles(info.files, builder);
    Offset<Vector<Offset<fb::meta::ProcessUnit>>> units;
    if (!info.mean.empty() || !info.deviation.empty()) {
      const auto mean = builder.CreateVector(info.mean);
      const auto deviation = builder.CreateVector(info.deviation);
      const auto options =
          fb::meta::CreateNormalizationOptions(builder, mean, deviation);
      const Offset<fb::meta::ProcessUnit> unit = fb::meta::CreateProcessUnit(
          builder, fb::meta::ProcessUnitOptions::NormalizationOptions,
          options.Union());
      units = builder.CreateVector(&unit, 1);
    }
    fb::meta::TensorMetadataBuilder tensor(builder);
    tensor.add_name(name);
    tensor.add_description(description);
    tensor.add_process_units(units);
    tensor.add_associated_files(files);
    tensors.push_back(tensor.Finish());
  }
  return builder.CreateVector(tensors);
}

}  // namespace

Result<ModelInfo> ReadModelInfo(std::span<const uint8_t> bytes) {
  if (bytes.size() > kMaxBytes)
    return Malformed("the model's metadata is too long");
  // FlatBuffers reads scalars at their own alignment.
  MUNJA_ASSIGN_OR_RETURN(Buffer aligned, Buffer::Allocate(bytes.size()));
  if (!bytes.empty()) std::memcpy(aligned.data(), bytes.data(), bytes.size());
  flatbuffers::Verifier verifier(aligned.data(), bytes.size(), 16, kMaxTables);
  if (bytes.size() < 8 || !fb::meta::VerifyModelMetadataBuffer(verifier))
    return Malformed("the model's metadata is damaged");
  const fb::meta::ModelMetadata& from =
      *fb::meta::GetModelMetadata(aligned.data());
  InfoReader reader;
  ModelInfo info;
  info.name = reader.Text(from.name());
  info.description = reader.Text(from.description());
  info.version = reader.Text(from.version());
  info.author = reader.Text(from.author());
  info.license = reader.Text(from.license());
  info.files = reader.Files(from.associated_files());
  if (from.subgraph_metadata() != nullptr &&
      from.subgraph_metadata()->size() > 0) {
    const fb::meta::SubGraphMetadata& main = *from.subgraph_metadata()->Get(0);
    info.inputs = reader.Tensors(main.input_tensor_metadata());
    info.outputs = reader.Tensors(main.output_tensor_metadata());
    for (FileInfo& file : reader.Files(main.associated_files()))
      info.files.push_back(std::move(file));
  }
  if (reader.is_over_limit())
    return Malformed("the model's metadata unfolds into too much text");
  return info;
}

std::vector<uint8_t> WriteModelInfo(const ModelInfo& info) {
  FlatBufferBuilder builder;
  const auto inputs = WriteTensors(info.inputs, builder);
  const auto outputs = WriteTensors(info.outputs, builder);
  fb::meta::SubGraphMetadataBuilder subgraph(builder);
  subgraph.add_input_tensor_metadata(inputs);
  subgraph.add_output_tensor_metadata(outputs);
  const Offset<fb::meta::SubGraphMetadata> main = subgraph.Finish();
  const auto subgraphs = builder.CreateVector(&main, 1);
  const auto files = WriteFiles(info.files, builder);
  const auto text = [&](const std::string& s) -> Offset<flatbuffers::String> {
    return s.empty() ? Offset<flatbuffers::String>() : builder.CreateString(s);
  };
  const auto name = text(info.name);
  const auto description = text(info.description);
  const auto version = text(info.version);
  const auto author = text(info.author);
  const auto license = text(info.license);
  // The oldest reader of metadata that knows vocabularies and processing.
  const auto min_parser = builder.CreateString("1.0.0");
  fb::meta::ModelMetadataBuilder model(builder);
  model.add_name(name);
  model.add_description(description);
  model.add_version(version);
  model.add_subgraph_metadata(subgraphs);
  model.add_author(author);
  model.add_license(license);
  model.add_associated_files(files);
  model.add_min_parser_version(min_parser);
  fb::meta::FinishModelMetadataBuffer(builder, model.Finish());
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

ModelInfo DefaultModelInfo(const graph::Graph& graph) {
  ModelInfo info;
  info.description = graph.description;
  if (graph.subgraphs.empty()) return info;
  const graph::Subgraph& main = graph.main();
  const auto describe = [&](const std::vector<graph::ValueId>& ids) {
    std::vector<TensorInfo> tensors;
    for (const graph::ValueId id : ids) {
      TensorInfo tensor;
      tensor.name = main.values[static_cast<size_t>(id)].name;
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  };
  info.inputs = describe(main.inputs);
  info.outputs = describe(main.outputs);
  std::vector<FileInfo>& files =
      info.outputs.empty() ? info.files : info.outputs[0].files;
  for (const auto& [name, bytes] : graph.associated_files)
    files.push_back({name, "", FileRole::kVocabulary});
  return info;
}

}  // namespace munja::tflite
