#include "text/allow_list.h"

#include <algorithm>
#include <set>

#include "text/utf8.h"

namespace munja::text {

Result<std::vector<char>> AllowedClasses(const Dictionary& dictionary,
                                         std::string_view characters) {
  std::set<char32_t> allowed;
  while (!characters.empty()) {
    bool ok = true;
    allowed.insert(NextCodePoint(characters, &ok));
    if (!ok) return InvalidArgument("the allowed characters are not UTF-8");
  }
  std::vector<char> classes(static_cast<size_t>(dictionary.classes()), 0);
  classes[0] = 1;
  bool is_any = false;
  for (int cls = 1; cls < dictionary.classes(); ++cls) {
    std::string_view symbol = dictionary.symbol(cls);
    bool is_allowed = !symbol.empty();
    while (!symbol.empty())
      is_allowed = allowed.contains(NextCodePoint(symbol)) && is_allowed;
    classes[static_cast<size_t>(cls)] = is_allowed ? 1 : 0;
    is_any = is_any || is_allowed;
  }
  if (!is_any)
    return InvalidArgument("the model knows none of the allowed characters");
  return classes;
}

}  // namespace munja::text
