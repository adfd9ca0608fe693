#include "text/allow_list.h"

#include <algorithm>
#include <set>
#include <string>

#include "text/utf8.h"

namespace munja::text {
namespace {

Result<std::set<char32_t>> CodePointsOf(std::string_view characters,
                                        const std::string& name) {
  std::set<char32_t> result;
  while (!characters.empty()) {
    bool ok = true;
    result.insert(NextCodePoint(characters, &ok));
    if (!ok) return InvalidArgument("the " + name + " are not UTF-8");
  }
  return result;
}

}  // namespace

Result<std::vector<char>> AllowedClasses(const Dictionary& dictionary,
                                         std::string_view allowed,
                                         std::string_view denied) {
  MUNJA_ASSIGN_OR_RETURN(const std::set<char32_t> permitted,
                         CodePointsOf(allowed, "allowed characters"));
  MUNJA_ASSIGN_OR_RETURN(const std::set<char32_t> excluded,
                         CodePointsOf(denied, "denied characters"));
  std::vector<char> classes(static_cast<size_t>(dictionary.classes()), 0);
  classes[0] = 1;
  bool is_any = false;
  for (int cls = 1; cls < dictionary.classes(); ++cls) {
    std::string_view symbol = dictionary.symbol(cls);
    bool is_allowed = !symbol.empty();
    while (!symbol.empty()) {
      const char32_t c = NextCodePoint(symbol);
      is_allowed = is_allowed && (permitted.empty() || permitted.contains(c)) &&
                   !excluded.contains(c);
    }
    classes[static_cast<size_t>(cls)] = is_allowed ? 1 : 0;
    is_any = is_any || is_allowed;
  }
  if (!is_any)
    return InvalidArgument(
        permitted.empty()
            ? "all characters that the model knows are denied"
            : "the model knows none of the allowed characters" +
                  std::string(excluded.empty() ? "" : " that are not denied"));
  return classes;
}

}  // namespace munja::text
