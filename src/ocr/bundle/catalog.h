// The catalog: models that others publish and that can be downloaded and
// converted by name. No file of others is part of this project.
#ifndef MUNJA_BUNDLE_CATALOG_H_
#define MUNJA_BUNDLE_CATALOG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace munja::bundle {

// A file of a repository, pinned to a revision.
struct CatalogFile {
  const char* file = "";    // "inference.onnx".
  uint64_t bytes = 0;       // 0: not known.
  const char* sha256 = "";  // "": the file is not needed.
};

struct CatalogNetwork {
  const char *repository, *revision;
  CatalogFile network, settings;  // An .onnx file; an inference.yml.

  // The official address of one of its files.
  std::string Address(const CatalogFile& file) const;
  // The same below the address of a mirror.
  std::string Address(const CatalogFile& file, std::string_view mirror) const;
  // "REPOSITORY/FILE": where directories of downloaded files have it.
  std::string Path(const CatalogFile& file) const;
};

struct CatalogModel {
  const char *name, *description;
  const char* languages;  // Codes, separated by spaces.
  double
      accuracy;  // Lines read right, in percent, as the publisher says; or 0.
  const char* config;  // A named configuration.
  const CatalogNetwork *detector, *recognizer;

  // The files to download, without the classifier.
  uint64_t bytes() const;
};

inline constexpr char kCatalogPublisher[] = "PaddlePaddle (PaddleOCR)";
inline constexpr char kCatalogLicense[] = "Apache-2.0";

std::span<const CatalogModel> Catalog();
// Null: there is none of this name.
const CatalogModel* FindInCatalog(std::string_view name);
// Tells upright lines from those upside down, for any of the models.
const CatalogNetwork& CatalogClassifier();

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_CATALOG_H_
