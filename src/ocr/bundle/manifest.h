// Manifest: bundle.json, the table of contents of a bundle.
#ifndef MUNJA_BUNDLE_MANIFEST_H_
#define MUNJA_BUNDLE_MANIFEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "reading/network/config.h"

namespace munja::bundle {

inline constexpr char kManifestFile[] = "bundle.json";
inline constexpr size_t kMaxManifestBytes = 1 << 20;
// Data, licenses and limits, for people; a bundle need not have one.
inline constexpr char kModelCardFile[] = "MODEL_CARD.md";
inline constexpr int kFormat = 1;

struct FileEntry {
  std::string file;  // A plain name: no folder, nothing hidden.
  uint64_t bytes = 0;
  std::string sha256;  // 64 lower-case hexadecimal digits.
};

// A language model, and the languages whose words it knows, as ISO 639 codes
// ("en", "pt"). Without codes it is known by its name without ".lm" only.
struct LanguageEntry : FileEntry {
  std::vector<std::string> codes = {};
};

// The networks of a bundle once more, computing with integers.
struct IntegerNetworks {
  FileEntry detector, recognizer;
  std::optional<FileEntry> classifier;
};

// Measurements by the author of a bundle, to help users choose. Reading does
// not use them.
struct Measured {
  float page_ms = 0.0f;  // For a page, on one thread.
  float word_f1 = 0.0f;  // F1 of words, in percent.
  std::string on;        // The pages and the machine, for people.
};

struct Manifest {
  std::string name;
  std::string description;  // May be empty.
  std::optional<Measured> measured;
  FileEntry detector, recognizer;
  std::optional<FileEntry> classifier;
  // For pages that are read with integers, where only low-confidence lines are
  // re-recognized in float. The networks above are in float then.
  std::optional<IntegerNetworks> integer;
  FileEntry dictionary;
  std::vector<LanguageEntry> languages;  // Mostly none.
  ocr::Config config;

  std::vector<const FileEntry*> files() const;
  uint64_t bytes() const;  // Total size of all files.
};

// kMalformed names the member; kUnsupported for a format number from the
// future.
Result<Manifest> ParseManifest(std::string_view json);
std::string ToJson(const Manifest& manifest);

// kMalformed: the file at `path` has another size (bytes 0: any) or SHA-256.
Status CheckFile(const std::string& path, const FileEntry& entry);

// Names of bundles and files are used as parts of paths and addresses: letters,
// digits, '.', '_', '-' and '+', not starting with '.', at most 100.
bool IsPlainName(std::string_view name);

// Codes of languages as bundles have them: small letters, digits and '-', two
// to sixteen of them.
bool IsLanguageCode(std::string_view code);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_MANIFEST_H_
