#include "train/model_dictionary.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "bundle/write.h"
#include "text/dictionary.h"

namespace munja::train {

std::vector<uint8_t> DictionaryText(const std::vector<std::string>& alphabet) {
  std::vector<uint8_t> bytes;
  for (const std::string& character : alphabet) {
    bytes.insert(bytes.end(), character.begin(), character.end());
    bytes.push_back('\n');
  }
  return bytes;
}

Result<std::vector<uint8_t>> DictionaryOfModel(const graph::Graph& model,
                                               const std::string& model_path) {
  const auto packed = model.associated_files.find(bundle::kDictionaryFile);
  if (packed != model.associated_files.end()) return packed->second;
  const std::filesystem::path folder =
      std::filesystem::path(model_path).parent_path();
  return ReadFile((folder / bundle::kDictionaryFile).string(),
                  kMaxDictionaryBytes);
}

Result<std::vector<std::string>> AlphabetOfModel(
    const graph::Graph& model, const std::string& model_path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         DictionaryOfModel(model, model_path));
  auto dictionary = text::Dictionary::Parse(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, false);
  if (!dictionary.ok())
    return std::move(dictionary)
        .TakeStatus()
        .With(model_path + ": " + bundle::kDictionaryFile);
  std::vector<std::string> alphabet;
  for (int c = 1; c < dictionary->classes(); ++c)
    alphabet.emplace_back(dictionary->symbol(c));
  return alphabet;
}

}  // namespace munja::train
