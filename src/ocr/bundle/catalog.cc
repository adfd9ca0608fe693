#include "bundle/catalog.h"

namespace munja::bundle {
namespace {

constexpr char kOfficial[] = "https://huggingface.co";
constexpr char kOwner[] = "PaddlePaddle";

#define NETWORK(id, repository, revision, bytes, sha256, yml_bytes, \
                yml_sha256)                                         \
  constexpr CatalogNetwork id = {repository,                        \
                                 revision,                          \
                                 {"inference.onnx", bytes, sha256}, \
                                 {"inference.yml", yml_bytes, yml_sha256}};
#define MODEL(...)
#include "bundle/catalog.def"
#undef NETWORK
#undef MODEL

// Languages in Latin letters that these recognizers were trained for.
#define PPOCRV6_LATIN                                                     \
  "af az bs ca cs cy da de es et eu fi fr ga gl hr hu id is it ku la lb " \
  "lt lv mi ms mt nl no oc pl pt qu rm ro sk sl sq sr sv sw tl tr uz vi"

constexpr CatalogModel kModels[] = {
#define NETWORK(...)
#define MODEL(name, description, languages, accuracy, config, detector, \
              recognizer)                                               \
  {name, description, languages, accuracy, config, &(detector), &(recognizer)},
#include "bundle/catalog.def"
#undef NETWORK
#undef MODEL
#undef PPOCRV6_LATIN
};

}  // namespace

std::string CatalogNetwork::Address(const CatalogFile& file,
                                    std::string_view mirror) const {
  while (mirror.ends_with('/')) mirror.remove_suffix(1);
  return std::string(mirror) + "/" + kOwner + "/" + repository + "/resolve/" +
         revision + "/" + file.file;
}

std::string CatalogNetwork::Address(const CatalogFile& file) const {
  return Address(file, kOfficial);
}

std::string CatalogNetwork::Path(const CatalogFile& file) const {
  return std::string(repository) + "/" + file.file;
}

uint64_t CatalogModel::bytes() const {
  return detector->network.bytes + recognizer->network.bytes +
         recognizer->settings.bytes;
}

std::span<const CatalogModel> Catalog() { return kModels; }

const CatalogModel* FindInCatalog(std::string_view name) {
  for (const CatalogModel& model : kModels)
    if (model.name == name) return &model;
  return nullptr;
}

const CatalogNetwork& CatalogClassifier() { return line_orientation; }

}  // namespace munja::bundle
