#include "text/language.h"

namespace munja::text {

std::vector<LanguageModel::Symbol> SymbolsOf(const LanguageModel& model,
                                             const CharacterClasses& classes) {
  std::vector<LanguageModel::Symbol> symbols;
  for (int cls = 0; cls < classes.size(); ++cls) {
    const CharacterClass& c = classes[cls];
    symbols.push_back(c.is_single && c.code_point != 0
                          ? model.SymbolOf(c.code_point)
                          : LanguageModel::kEdge);
  }
  return symbols;
}

}  // namespace munja::text
