#include "synth/line_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "image/homography.h"
#include "image/normalize.h"
#include "image/transform.h"
#include "synth/alphabet.h"
#include "synth/font_set.h"
#include "synth/line_ink.h"
#include "synth/line_optics.h"
#include "synth/line_paint.h"
#include "synth/recipe.h"
#include "synth/text_source.h"
#include "synth/typesetter.h"
#include "synth/typography.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr int kMostAttempts = 60;

Result<LineOptions> ReadLineOptions(const Json* json) {
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(json, "line",
                  {"sceneries", "size", "margin", "effects", "typeset"}));
  LineOptions options;
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("size", 6, 200, options.smallest, options.largest));
  MUNJA_RETURN_IF_ERROR(section.ReadRange(
      "margin", -0.2f, 1, options.margin_low, options.margin_high));
  MUNJA_RETURN_IF_ERROR(section.Read("effects", 0.0f, 2.0f, options.effects));
  MUNJA_RETURN_IF_ERROR(section.Read("typeset", 0.0f, 1.0f, options.typeset));
  if (section.Has("sceneries")) {
    MUNJA_ASSIGN_OR_RETURN(
        const Section sceneries,
        Section::Of(section.Find("sceneries"), "line.sceneries",
                    {"document", "receipt", "scene", "screen"}));
    int i = 0;
    float sum = 0;
    for (const char* key : {"document", "receipt", "scene", "screen"}) {
      options.sceneries[i] = 0;
      MUNJA_RETURN_IF_ERROR(
          sceneries.Read(key, 0.0f, 1e6f, options.sceneries[i]));
      sum += options.sceneries[i++];
    }
    if (!(sum > 0))
      return section.Wrong("sceneries", "at least one weight above 0");
  }
  return options;
}

}  // namespace

struct LineSource::State {
  State(uint64_t s, Alphabet a, FontSet f)
      : seed(s), alphabet(std::move(a)), fonts(std::move(f)), pool(fonts) {}

  uint64_t seed;
  Alphabet alphabet;
  FontSet fonts;
  TextSource text;
  LineOptions options;
  mutable TypesetterPool pool;
  std::vector<std::string> warnings;
};

LineSource::LineSource(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LineSource::~LineSource() = default;
const std::vector<std::string>& LineSource::alphabet() const {
  return state_->alphabet.symbols();
}
std::string LineSource::LabelOf(const std::string& text) const {
  return state_->alphabet.LabelOf(text::DecodeUtf8(text));
}
const std::vector<std::string>& LineSource::warnings() const {
  return state_->warnings;
}

Result<std::unique_ptr<LineSource>> LineSource::Open(
    const std::string& recipe_path, uint64_t seed) {
  MUNJA_ASSIGN_OR_RETURN(const Json recipe, ReadRecipe(recipe_path));
  MUNJA_ASSIGN_OR_RETURN(Alphabet alphabet,
                         Alphabet::OfRecipe(recipe, recipe_path));
  auto fonts =
      FontSet::Open(FindSection(recipe, "fonts"), alphabet).With(recipe_path);
  if (!fonts.ok()) return std::move(fonts).TakeStatus();
  auto state = std::make_unique<State>(seed, std::move(alphabet),
                                       std::move(fonts).value());
  auto text = TextSource::Open(FindSection(recipe, "text"), recipe_path,
                               state->alphabet)
                  .With(recipe_path);
  if (!text.ok()) return std::move(text).TakeStatus();
  state->text = std::move(text).value();
  auto options = ReadLineOptions(FindSection(recipe, "line")).With(recipe_path);
  if (!options.ok()) return std::move(options).TakeStatus();
  state->options = *options;
  for (const std::string& font : state->fonts.missing())
    state->warnings.push_back("no font file " + font);
  for (const std::string& file : state->text.missing())
    state->warnings.push_back("no text file " + file);
  const std::u32string uncovered = state->fonts.Uncovered(state->alphabet);
  if (!uncovered.empty())
    state->warnings.push_back("no font has " + text::EncodeUtf8(uncovered));
  return std::unique_ptr<LineSource>(new LineSource(std::move(state)));
}

Result<LineSample> LineSource::Make(uint64_t index) const {
  const State& state = *state_;
  Random random(state.seed, index);
  MUNJA_ASSIGN_OR_RETURN(TypesetterPool::Lease typesetter, state.pool.Take());
  Status last = NotFound("no text can be set in any of the recipe's fonts");
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const Scenery scenery =
        SceneryAt(static_cast<int>(random.Weighted(state.options.sceneries)));
    std::u32string text = state.text.Make(random);
    const bool is_typeset =
        scenery == Scenery::kDocument || scenery == Scenery::kScene;
    if (is_typeset && random.Chance(state.options.typeset))
      text = Typeset(text, state.alphabet, random);
    const int font = state.fonts.Choose(random, text, scenery, state.alphabet);
    if (font < 0) continue;
    const Font& chosen = state.fonts.fonts()[static_cast<size_t>(font)];
    if (chosen.is_unicase) {
      text = ToUpper(text);
      if (!state.fonts.Covers(font, text, state.alphabet)) continue;
    }
    // From nearly clean to everything at once: readers meet all of it.
    LineOptions options = state.options;
    options.effects *= 0.25f + 0.95f * random.Unit();
    Random shape = random.Fork(), paint = random.Fork(), optics = random.Fork();
    auto ink =
        MakeInk(*typesetter, chosen, font, text, scenery, options, shape);
    if (!ink.ok()) {
      last = std::move(ink).TakeStatus();
      continue;
    }
    FloatPicture picture = PaintLine(*ink, scenery, options, paint);
    LineSample sample;
    MUNJA_ASSIGN_OR_RETURN(
        sample.picture,
        TakeLinePicture(picture, ink->em, scenery, options.effects, optics));
    if (!StandsOut(sample.picture, ink->text, ink->em)) {
      last = Internal("no text stands out from its background");
      continue;
    }
    sample.text = text::EncodeUtf8(text);
    return sample;
  }
  return last;
}

Result<image::Image> LineSource::Caption(const std::string& text,
                                         int size) const {
  const State& state = *state_;
  MUNJA_ASSIGN_OR_RETURN(TypesetterPool::Lease typesetter, state.pool.Take());
  std::u32string characters = text::DecodeUtf8(text);
  Random random(0);  // Any font will do, the same each time.
  int font = state.fonts.Choose(random, characters, Scenery::kDocument,
                                state.alphabet);
  if (font < 0) {
    characters = U"?";
    font = 0;
  }
  TypeStyle style;
  style.size = static_cast<float>(size);
  const SetLine empty;
  auto set = typesetter->Set(font, characters, style);
  const SetLine& line = set.ok() ? *set : empty;
  FloatPicture picture(std::max(8, static_cast<int>(line.advance) + 4),
                       size * 3 / 2);
  for (auto& plane : picture.planes)
    std::fill(plane.begin(), plane.end(), 255.0f);
  CoverageBuilder builder(picture.width, picture.height);
  for (const SetGlyph& glyph : line.glyphs)
    builder.Add(glyph.outline, 1, {glyph.x + 2, static_cast<float>(size)},
                nullptr, PageMap());
  Lay(picture, builder.Take(), {0, 0, 0}, 1);
  return picture.Finish();
}

Result<image::Image> ScaleToHeight(const image::ImageView& line, int height,
                                   int most_columns) {
  const float w = static_cast<float>(line.width),
              h = static_cast<float>(line.height);
  const double columns = std::ceil(static_cast<double>(height) * line.width /
                                   std::max(line.height, 1));
  const int width = static_cast<int>(
      std::clamp(columns, 1.0, static_cast<double>(most_columns)));
  MUNJA_ASSIGN_OR_RETURN(image::Image out, image::Image::Create(width, height));
  const std::array<std::array<float, 2>, 4> corners = {
      {{0, 0}, {w, 0}, {w, h}, {0, h}}};
  MUNJA_ASSIGN_OR_RETURN(const image::Homography map,
                         image::QuadToRectangle(corners, width, height));
  MUNJA_RETURN_IF_ERROR(
      image::WarpPerspective(line, map, out, image::Interpolation::kBilinear));
  return out;
}

void WritePlanes(const image::ImageView& line, int columns, size_t plane_stride,
                 float* out) {
  for (int y = 0; y < line.height; ++y) {
    const uint8_t* from = line.row(y);
    float* row = out + static_cast<size_t>(y) * static_cast<size_t>(columns);
    for (size_t c = 0; c < 3; ++c) {
      float* to = row + c * plane_stride;
      for (int x = 0; x < line.width; ++x)
        to[x] = (static_cast<float>(from[3 * x + static_cast<int>(c)]) *
                     (1.0f / 255.0f) -
                 0.5f) *
                2.0f;
      std::fill(to + line.width, to + columns, to[line.width - 1]);
    }
  }
}

}  // namespace munja::train
