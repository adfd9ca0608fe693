// PageSource: pictures of whole pages and scenes with the outline of every line
// of text, made by a recipe.
#ifndef MUNJA_SYNTH_PAGE_SOURCE_H_
#define MUNJA_SYNTH_PAGE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "synth/sample.h"

namespace munja::train {

class PageSource {
 public:
  // Reads the recipe's sections "alphabet", "fonts", "text" and "page".
  // kNotFound, kIo, kMalformed name the file and the key.
  static Result<std::unique_ptr<PageSource>> Open(
      const std::string& recipe_path, uint64_t seed);
  ~PageSource();

  // Sample `index` of the endless row that the seed stands for: the same bytes
  // every time. Thread-safe.
  Result<PageSample> Make(uint64_t index) const;
  // The name of the kind of page `index`, as in the recipe's "page.kinds".
  std::string_view KindOf(uint64_t index) const;
  // The same page before it is taken as a picture: no light, blur or noise, and
  // text in pure black with everything else left out, on white. Outlines are
  // those of Make(). For tests and for a look at the truth.
  Result<PageSample> MakeInk(uint64_t index) const;

  // Fonts and texts that the recipe names and this machine lacks: to be shown
  // once.
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  explicit PageSource(std::unique_ptr<State> state);
  Result<PageSample> Make(uint64_t index, bool ink_only) const;
  std::unique_ptr<State> state_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_SOURCE_H_
