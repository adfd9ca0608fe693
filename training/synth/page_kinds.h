// The kinds of pages: a row in page_kinds.def and a file each.
#ifndef MUNJA_SYNTH_PAGE_KINDS_H_
#define MUNJA_SYNTH_PAGE_KINDS_H_

#include <cstddef>
#include <string_view>

namespace munja::train {

class PageBuilder;

// They paint the whole canvas.
#define PAGE_KIND(name, file, function, weight) \
  void function(PageBuilder& page);
#include "synth/page_kinds.def"
#undef PAGE_KIND

struct PageKind {
  std::string_view name;
  void (*draw)(PageBuilder& page);
  float weight;
};

inline constexpr PageKind kPageKinds[] = {
#define PAGE_KIND(name, file, function, weight) {#name, function, weight},
#include "synth/page_kinds.def"
#undef PAGE_KIND
};
inline constexpr size_t kPageKindCount =
    sizeof(kPageKinds) / sizeof(kPageKinds[0]);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_KINDS_H_
