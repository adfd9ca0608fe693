#include "bundle/bundle.h"

#include <utility>

#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/sha256.h"
#include "runtime/session.h"
#include "text/dictionary.h"
#include "tflite/read.h"

namespace munja::bundle {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;

// A mapped file that is what bundle.json says.
Result<std::shared_ptr<const MappedFile>> OpenChecked(const std::string& folder,
                                                      const FileEntry& entry) {
  const std::string path = folder + "/" + entry.file;
  MUNJA_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  if (file->bytes().size() != entry.bytes)
    return Malformed(path + ": it has " + std::to_string(file->bytes().size()) +
                     " bytes, bundle.json says " + std::to_string(entry.bytes));
  MUNJA_ASSIGN_OR_RETURN(const std::string digest, Sha256(file->bytes()));
  if (digest != entry.sha256)
    return Malformed(path + ": its SHA-256 is not the one in bundle.json");
  return file;
}

Result<std::shared_ptr<const graph::Graph>> LoadModel(const std::string& folder,
                                                      const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(auto file, OpenChecked(folder, entry));
  MUNJA_ASSIGN_OR_RETURN(
      auto graph,
      tflite::Read(file->bytes(), file).With(folder + "/" + entry.file));
  return std::shared_ptr<const graph::Graph>(std::move(graph));
}

Result<std::unique_ptr<runtime::Session>> MakeSession(
    const Bundle& bundle, const FileEntry& entry,
    const std::shared_ptr<const graph::Graph>& graph,
    std::shared_ptr<ThreadPool> pool) {
  runtime::SessionOptions options;
  options.pool = std::move(pool);
  return runtime::CreateSession(graph, options)
      .With(bundle.folder + "/" + entry.file);
}

}  // namespace

Result<Manifest> LoadManifest(const std::string& folder) {
  const std::string path = folder + "/" + kManifestFile;
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadFile(path, kMaxManifestBytes));
  return ParseManifest(
             std::string_view(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size()))
      .With(path);
}

Result<Bundle> LoadBundle(const std::string& folder) {
  Bundle bundle;
  bundle.folder = folder;
  MUNJA_ASSIGN_OR_RETURN(bundle.manifest, LoadManifest(folder));
  const Manifest& m = bundle.manifest;
  MUNJA_ASSIGN_OR_RETURN(bundle.detector, LoadModel(folder, m.detector));
  MUNJA_ASSIGN_OR_RETURN(bundle.recognizer, LoadModel(folder, m.recognizer));
  if (m.classifier) {
    MUNJA_ASSIGN_OR_RETURN(bundle.classifier, LoadModel(folder, *m.classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(const auto dictionary,
                         OpenChecked(folder, m.dictionary));
  bundle.dictionary.assign(
      reinterpret_cast<const char*>(dictionary->bytes().data()),
      dictionary->bytes().size());
  return bundle;
}

Result<std::unique_ptr<ocr::Pipeline>> CreatePipeline(
    const Bundle& bundle, const ocr::Contract& contract, int threads) {
  const Manifest& m = bundle.manifest;
  std::shared_ptr<ThreadPool> pool;
  if (threads != 1) pool = std::make_shared<ThreadPool>(threads);
  ocr::Networks networks;
  networks.name = m.name;
  MUNJA_ASSIGN_OR_RETURN(networks.detector, MakeSession(bundle, m.detector,
                                                        bundle.detector, pool));
  // Lines are shared out among the threads, so each is read by one.
  MUNJA_ASSIGN_OR_RETURN(
      networks.recognizer,
      MakeSession(bundle, m.recognizer, bundle.recognizer, nullptr));
  if (bundle.classifier) {
    MUNJA_ASSIGN_OR_RETURN(
        networks.classifier,
        MakeSession(bundle, *m.classifier, bundle.classifier, nullptr));
  }
  MUNJA_ASSIGN_OR_RETURN(
      text::Dictionary dictionary,
      text::Dictionary::Parse(bundle.dictionary, contract.recognizer.use_space)
          .With(bundle.folder + "/" + m.dictionary.file));
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary));
  auto pipeline = ocr::Pipeline::Create(std::move(networks), contract, pool);
  if (pipeline.ok()) return pipeline;
  // What does not fit together here came from files.
  const Status& status = pipeline.status();
  const Code code = status.code() == Code::kInvalidArgument ? Code::kMalformed
                                                            : status.code();
  return Status(code, bundle.folder + ": " + std::string(status.message()));
}

}  // namespace munja::bundle
