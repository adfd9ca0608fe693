// Tesseract's names of languages and the models that read them.
#ifndef MUNJA_TESSERACT_LANGUAGES_H_
#define MUNJA_TESSERACT_LANGUAGES_H_

#include <optional>
#include <string>
#include <vector>

namespace munja::tesseract {

// The names that an installed model reads, in alphabetical order, and "osd".
std::vector<std::string> InstalledLanguages();

// The value of munja::EngineOptions.languages for these names: "" if the model
// used by default reads all of them, since it needs no choice. Names that are
// not known are written to standard error; nothing if there is one.
std::optional<std::string> LanguageCodes(const std::vector<std::string>& names);

}  // namespace munja::tesseract

#endif  // MUNJA_TESSERACT_LANGUAGES_H_
