// Recognizer: from the image of a line to its text.
#ifndef MUNJA_READING_READ_RECOGNIZER_H_
#define MUNJA_READING_READ_RECOGNIZER_H_

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/correct/corrector.h"
#include "reading/network/config.h"
#include "reading/network/network_input.h"
#include "reading/read/character_places.h"
#include "reading/read/ink_columns.h"
#include "runtime/session.h"
#include "text/ctc.h"
#include "text/dictionary.h"
#include "text/hangul_letters.h"

namespace munja::ocr {

// One caller at a time; Fork() gives another that shares the weights.
class Recognizer {
 public:
  // The session takes 1 x height x width x 3 (CheckImageInput) and gives 1 x
  // steps x classes probabilities, or the best of them alone (it is faster when
  // made with SessionOptions::top_k; for settle_signs, part_words and a
  // language five). A number of classes that does not fit the dictionary is
  // kInvalidArgument and names both. With config.hangul_letters the network
  // gives the columns of text::HangulLetters, all of them. `allowed`: by class,
  // nonzero: it may be read; null: all may. It needs a session that gives all
  // classes.
  static Result<Recognizer> Create(
      std::unique_ptr<runtime::Session> session,
      std::shared_ptr<const text::Dictionary> dictionary,
      const RecognizerConfig& config, const text::Language& language = {},
      std::shared_ptr<const std::vector<char>> allowed = nullptr);

  // `line` has the config's height. What comes out depends on this line
  // alone, never on others read before or beside it.
  Status Read(const image::ImageView& line, text::CtcLine& text);

  // `pool` as in Session::Fork. While this one reads, too.
  Result<Recognizer> Fork(std::shared_ptr<ThreadPool> pool = nullptr) const;

  const RecognizerConfig& config() const { return config_; }
  const text::Dictionary& dictionary() const { return *dictionary_; }
  runtime::Session& session() { return *session_; }

 private:
  Recognizer(std::unique_ptr<runtime::Session> session,
             std::shared_ptr<const text::Dictionary> dictionary,
             const RecognizerConfig& config,
             std::shared_ptr<const LineCorrector> corrector,
             std::shared_ptr<const std::vector<char>> allowed,
             std::optional<text::HangulLetters> letters);

  // The best class of each output step of one window, in window_steps_.
  Status ReadWindow(const image::ImageView& window);
  void TakeSteps(const TensorView& output);

  std::unique_ptr<runtime::Session> session_;
  std::shared_ptr<const text::Dictionary> dictionary_;
  RecognizerConfig config_;
  std::shared_ptr<const std::vector<char>> allowed_;
  std::optional<text::HangulLetters> letters_;
  // Never corrects, so that forks may be made of it while others read.
  std::shared_ptr<const LineCorrector> pristine_;
  LineCorrector corrector_;
  LineHypothesis hypothesis_;
  InkColumns ink_columns_;
  CharacterPlaces character_places_;
  ImageInput input_;
  std::vector<text::CtcStep> window_steps_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_RECOGNIZER_H_
