// Recognizer: from the picture of a line to its text.
#ifndef MUNJA_READING_READ_RECOGNIZER_H_
#define MUNJA_READING_READ_RECOGNIZER_H_

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/correct/language_search.h"
#include "reading/correct/look_alikes.h"
#include "reading/correct/script.h"
#include "reading/correct/spaces.h"
#include "reading/network/config.h"
#include "reading/network/network_input.h"
#include "reading/read/character_places.h"
#include "runtime/session.h"
#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::ocr {

// One caller at a time; Fork() gives another that shares the weights.
class Recognizer {
 public:
  // The session takes 1 x height x width x 3 (CheckImageInput) and gives 1 x
  // steps x classes probabilities, or the best of them alone (it is faster when
  // made with SessionOptions::top_k; for settle_signs, part_words and a
  // language five). A number of classes that does not fit the dictionary is
  // kInvalidArgument and names both.
  static Result<Recognizer> Create(
      std::unique_ptr<runtime::Session> session,
      std::shared_ptr<const text::Dictionary> dictionary,
      const RecognizerConfig& config, const text::Language& language = {});

  // `line` has the config's height. What comes out depends on this line
  // alone, never on others read before or beside it.
  Status Read(const image::ImageView& line, text::CtcLine& text);

  // `pool` as in Session::Fork. While this one reads, too.
  Result<Recognizer> Fork(std::shared_ptr<ThreadPool> pool = nullptr) const;

  const RecognizerConfig& config() const { return config_; }
  const text::Dictionary& dictionary() const { return *dictionary_; }
  runtime::Session& session() { return *session_; }

 private:
  // Of what changes while a line is read: never read with, so that forks may be
  // made while others read.
  struct Pristine {
    WordGaps word_gaps;
    std::optional<text::LanguageSearch> language_search;
  };

  Recognizer(std::unique_ptr<runtime::Session> session,
             std::shared_ptr<const text::Dictionary> dictionary,
             const RecognizerConfig& config,
             std::shared_ptr<const Pristine> pristine);

  // The best class of each output step of one window, in window_steps_.
  Status ReadWindow(const image::ImageView& window);

  std::unique_ptr<runtime::Session> session_;
  std::shared_ptr<const text::Dictionary> dictionary_;
  RecognizerConfig config_;
  std::shared_ptr<const Pristine> pristine_;
  WordGaps word_gaps_;
  CharacterPlaces character_places_;
  text::LookAlikes look_alikes_;
  std::optional<text::LanguageSearch> language_search_;
  text::WritingJudge writing_judge_;
  ImageInput input_;
  std::vector<text::CtcStep> steps_, window_steps_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_RECOGNIZER_H_
