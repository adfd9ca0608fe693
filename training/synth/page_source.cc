#include "synth/page_source.h"

#include <utility>

#include "synth/page_builder.h"
#include "synth/page_kinds.h"
#include "synth/recipe.h"
#include "synth/source_text.h"

namespace munja::train {
namespace {

constexpr uint64_t kSalt =
    0x7061676573;  // Lines of the same seed have other numbers.

}  // namespace

struct PageSource::State {
  uint64_t seed = 0;
  Alphabet alphabet;
  FontSet fonts;
  TextSource source;
  PageRecipe recipe;
  std::vector<std::string> warnings;
  std::unique_ptr<SourceText> text;
  std::unique_ptr<TypesetterPool> typesetters;
};

PageSource::PageSource(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
PageSource::~PageSource() = default;

Result<std::unique_ptr<PageSource>> PageSource::Open(
    const std::string& recipe_path, uint64_t seed) {
  auto state = std::make_unique<State>();
  state->seed = seed;
  MUNJA_ASSIGN_OR_RETURN(const Json recipe, ReadRecipe(recipe_path));
  MUNJA_ASSIGN_OR_RETURN(state->alphabet,
                         Alphabet::OfRecipe(recipe, recipe_path));
  MUNJA_ASSIGN_OR_RETURN(
      state->recipe,
      PageRecipe::FromJson(FindSection(recipe, "page")).With(recipe_path));
  MUNJA_ASSIGN_OR_RETURN(
      state->fonts, FontSet::Open(FindSection(recipe, "fonts"), state->alphabet)
                        .With(recipe_path));
  MUNJA_ASSIGN_OR_RETURN(
      state->source, TextSource::Open(FindSection(recipe, "text"), recipe_path,
                                      state->alphabet)
                         .With(recipe_path));
  for (const std::string& font : state->fonts.missing())
    state->warnings.push_back("no font like " + font);
  for (const std::string& file : state->source.missing())
    state->warnings.push_back("no text " + file);
  state->text = std::make_unique<SourceText>(state->alphabet, state->fonts,
                                             state->source);
  state->typesetters = std::make_unique<TypesetterPool>(state->fonts);
  return std::unique_ptr<PageSource>(new PageSource(std::move(state)));
}

const std::vector<std::string>& PageSource::warnings() const {
  return state_->warnings;
}

std::string_view PageSource::KindOf(uint64_t index) const {
  Random random(state_->seed ^ kSalt, index);
  return kPageKinds[random.Weighted(state_->recipe.kind_weights)].name;
}

Result<PageSample> PageSource::Make(uint64_t index) const {
  return Make(index, false);
}
Result<PageSample> PageSource::MakeInk(uint64_t index) const {
  return Make(index, true);
}

Result<PageSample> PageSource::Make(uint64_t index, bool ink_only) const {
  Random random(state_->seed ^ kSalt, index);
  const PageRecipe& recipe = state_->recipe;
  const size_t kind = random.Weighted(recipe.kind_weights);
  const int width = static_cast<int>(
      random.Uniform(recipe.width_from, recipe.width_to) + 0.5f);
  const int height = static_cast<int>(
      random.Uniform(recipe.height_from, recipe.height_to) + 0.5f);
  MUNJA_ASSIGN_OR_RETURN(Canvas canvas, Canvas::Create(width, height));
  MUNJA_ASSIGN_OR_RETURN(TypesetterPool::Lease typesetter,
                         state_->typesetters->Take());
  std::unique_ptr<Canvas> ink;
  PageBuilder page(canvas, random, recipe, *state_->text, *typesetter);
  if (ink_only) {
    MUNJA_ASSIGN_OR_RETURN(Canvas made, Canvas::Create(width, height));
    ink = std::make_unique<Canvas>(std::move(made));
    ink->Clear({255, 255, 255});
    page.set_ink(ink.get());
  }
  kPageKinds[kind].draw(page);
  MUNJA_RETURN_IF_ERROR(page.TakeStatus());
  MUNJA_RETURN_IF_ERROR(
      TakePicture(canvas, random, page.capture, recipe.severity));
  page.IgnoreFaint();
  PageSample sample;
  sample.picture = std::move(ink_only ? ink->picture() : canvas.picture());
  sample.lines = std::move(page.lines());
  return sample;
}

}  // namespace munja::train
