// Writing a bundle's folder.
#ifndef MUNJA_BUNDLE_WRITE_H_
#define MUNJA_BUNDLE_WRITE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "reading/network/config.h"

namespace munja::bundle {

inline constexpr char kDictionaryFile[] = "dictionary.txt";

// Networks of a bundle: whole .tflite files.
struct NetworkFiles {
  std::vector<uint8_t> detector, recognizer;
  std::optional<std::vector<uint8_t>> classifier;
};

// A language model, the name of its file, and the codes of its languages.
struct LanguagePart {
  std::string file;
  std::vector<uint8_t> bytes;
  std::vector<std::string> codes = {};
};

// Where a language model is to be read: "en,de=FILE.lm" or "FILE.lm".
struct LanguageSource {
  std::string path;
  std::vector<std::string> codes = {};

  static LanguageSource Parse(const std::string& text);
};

// A bundle to be.
struct BundleParts : NetworkFiles {
  std::string name;  // Empty: that of the folder.
  std::string description;
  ocr::Config config;
  std::optional<NetworkFiles> integer;  // The same, computing with integers.
  std::vector<uint8_t> dictionary;      // Text, one symbol a line.
  std::vector<LanguagePart> languages;
};

// The language models of another bundle go along.
Status CopyLanguages(const Manifest& manifest, const Files& files,
                     BundleParts* parts);

// Writes the files to a folder beside `folder`, loads what was written and then
// puts it in the place of what is there (StagedFolder): a failure leaves that
// as it was. kInvalidArgument for a name that is not plain; kIo, also for a
// folder with files that are not a bundle's; kMalformed when the parts do not
// fit each other.
Status WriteBundle(const std::string& folder, const BundleParts& parts);

// The name it would get. kInvalidArgument when that is not plain.
Result<std::string> BundleName(const std::string& folder,
                               const std::string& name);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_WRITE_H_
