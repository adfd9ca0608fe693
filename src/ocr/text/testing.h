// A language model for tests.
#ifndef MUNJA_TEXT_TESTING_H_
#define MUNJA_TEXT_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/language_builder.h"
#include "text/language_model.h"

namespace munja::text {

// A model of these words, each as frequent as the others.
inline std::shared_ptr<const LanguageModel> ModelOf(
    std::u32string_view alphabet, const std::vector<std::u32string>& words,
    int order = 4) {
  auto builder = LanguageBuilder::Create(alphabet, order);
  for (const std::u32string& word : words) builder->Add(word, 10);
  const auto file = std::make_shared<const std::vector<uint8_t>>(
      builder->Build(1 << 20).value());
  return LanguageModel::Parse(*file, file).value();
}

}  // namespace munja::text

#endif  // MUNJA_TEXT_TESTING_H_
