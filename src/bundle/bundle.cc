#include "bundle/bundle.h"

#include <utility>

#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/network_check.h"
#include "bundle/sha256.h"
#include "bundle/staged_folder.h"
#include "ocr/network_input.h"
#include "runtime/float_io.h"
#include "runtime/session.h"
#include "text/dictionary.h"
#include "tflite/read.h"

namespace munja::bundle {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;

// A file that is what bundle.json says.
Result<Files::Bytes> OpenChecked(const Files& files, const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(Files::Bytes file, files.Open(entry.file));
  const std::string label = files.Label(entry.file);
  if (file.bytes.size() != entry.bytes)
    return Malformed(label + ": it has " + std::to_string(file.bytes.size()) +
                     " bytes, bundle.json says " + std::to_string(entry.bytes));
  MUNJA_ASSIGN_OR_RETURN(const std::string digest, Sha256(file.bytes));
  if (digest != entry.sha256)
    return Malformed(label + ": its SHA-256 is not the one in bundle.json");
  return file;
}

Result<std::shared_ptr<const graph::Graph>> LoadModel(const Files& files,
                                                      const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(Files::Bytes file, OpenChecked(files, entry));
  MUNJA_ASSIGN_OR_RETURN(auto graph,
                         tflite::Read(file.bytes, std::move(file.owner))
                             .With(files.Label(entry.file)));
  return std::shared_ptr<const graph::Graph>(std::move(graph));
}

Result<std::unique_ptr<runtime::Session>> MakeSession(
    const Bundle& bundle, const FileEntry& entry,
    const std::shared_ptr<const graph::Graph>& graph,
    const ocr::Normalization& normalization,
    const runtime::SessionOptions& options) {
  auto session = runtime::CreateSession(graph, options);
  if (!session.ok())
    return std::move(session).With(bundle.files->Label(entry.file));
  // A model with integers at its borders must mean the same pixels.
  for (const runtime::TensorInfo& input : (*session)->inputs())
    MUNJA_RETURN_IF_ERROR(ocr::CheckInputRange(input, normalization)
                              .With(bundle.files->Label(entry.file)));
  return runtime::WithFloatIo(std::move(*session));
}

}  // namespace

Result<Manifest> LoadManifest(const Files& files) {
  const std::string label = files.Label(kManifestFile);
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes file, files.Open(kManifestFile));
  if (file.bytes.size() > kMaxManifestBytes)
    return Malformed(label + ": it has more than a megabyte");
  return ParseManifest(
             std::string_view(reinterpret_cast<const char*>(file.bytes.data()),
                              file.bytes.size()))
      .With(label);
}

Result<Bundle> LoadBundle(std::shared_ptr<const Files> files) {
  Bundle bundle;
  MUNJA_ASSIGN_OR_RETURN(bundle.manifest, LoadManifest(*files));
  const Manifest& m = bundle.manifest;
  MUNJA_ASSIGN_OR_RETURN(bundle.detector, LoadModel(*files, m.detector));
  MUNJA_ASSIGN_OR_RETURN(bundle.recognizer, LoadModel(*files, m.recognizer));
  if (m.classifier) {
    MUNJA_ASSIGN_OR_RETURN(bundle.classifier, LoadModel(*files, *m.classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes dictionary,
                         OpenChecked(*files, m.dictionary));
  bundle.dictionary.assign(
      reinterpret_cast<const char*>(dictionary.bytes.data()),
      dictionary.bytes.size());
  bundle.files = std::move(files);
  return bundle;
}

Status Extract(const Files& files, const std::string& target) {
  MUNJA_ASSIGN_OR_RETURN(const Manifest manifest, LoadManifest(files));
  MUNJA_ASSIGN_OR_RETURN(const auto staged, StagedFolder::Create(target));
  const std::string& folder = staged->path();
  // First, because it names the files to be removed when this ends early.
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes json, files.Open(kManifestFile));
  MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + kManifestFile, json.bytes));
  for (const FileEntry* entry : manifest.files()) {
    MUNJA_ASSIGN_OR_RETURN(const Files::Bytes file, OpenChecked(files, *entry));
    MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + entry->file, file.bytes));
  }
  if (const auto card = files.Open(kModelCardFile); card.ok())
    MUNJA_RETURN_IF_ERROR(
        WriteFile(folder + "/" + kModelCardFile, card->bytes));
  return staged->Publish();
}

Result<std::unique_ptr<ocr::Pipeline>> CreatePipeline(
    const Bundle& bundle, const ocr::Contract& contract, int threads,
    runtime::Precision precision) {
  const Manifest& m = bundle.manifest;
  std::shared_ptr<ThreadPool> pool;
  if (threads != 1) pool = std::make_shared<ThreadPool>(threads);
  ocr::Networks networks;
  networks.name = m.name;
  runtime::SessionOptions options;
  options.pool = pool;
  options.precision = precision;
  MUNJA_ASSIGN_OR_RETURN(networks.detector,
                         MakeSession(bundle, m.detector, bundle.detector,
                                     contract.detector.normalization, options));
  const std::string detector_file = bundle.files->Label(m.detector.file);
  MUNJA_RETURN_IF_ERROR(
      CheckDetector(*networks.detector, contract.detector).With(detector_file));
  networks.detector = WithFileName(std::move(networks.detector), detector_file);
  options.best_class_only = true;
  // Lines are of all widths, and a page has many that come again.
  options.max_plans = 32;
  MUNJA_ASSIGN_OR_RETURN(
      networks.recognizer,
      MakeSession(bundle, m.recognizer, bundle.recognizer,
                  contract.recognizer.normalization, options));
  const std::string recognizer_file = bundle.files->Label(m.recognizer.file);
  MUNJA_RETURN_IF_ERROR(
      CheckRecognizer(*networks.recognizer, contract.recognizer)
          .With(recognizer_file));
  networks.recognizer =
      WithFileName(std::move(networks.recognizer), recognizer_file);
  if (bundle.classifier) {
    runtime::SessionOptions plain;
    plain.precision = precision;
    MUNJA_ASSIGN_OR_RETURN(
        networks.classifier,
        MakeSession(bundle, *m.classifier, bundle.classifier,
                    contract.classifier.normalization, plain));
    networks.classifier = WithFileName(std::move(networks.classifier),
                                       bundle.files->Label(m.classifier->file));
  }
  MUNJA_ASSIGN_OR_RETURN(
      text::Dictionary dictionary,
      text::Dictionary::Parse(bundle.dictionary, contract.recognizer.use_space)
          .With(bundle.files->Label(m.dictionary.file)));
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary));
  auto pipeline = ocr::Pipeline::Create(std::move(networks), contract, pool);
  if (pipeline.ok()) return pipeline;
  // What does not fit together here came from files.
  const Status& status = pipeline.status();
  const Code code = status.code() == Code::kInvalidArgument ? Code::kMalformed
                                                            : status.code();
  const std::string message(status.message());
  const std::string& place = bundle.files->place();
  // What fails in a network names its file.
  const bool is_named = message.find(place + "/") != message.npos;
  return Status(code, is_named ? message : place + ": " + message);
}

}  // namespace munja::bundle
