#include "page.h"

#include <cstring>

namespace munja_jni {
namespace {

// 32-bit words, written in sequence.
class Words {
 public:
  explicit Words(size_t count) { words_.reserve(count); }
  void Add(uint32_t word) { words_.push_back(word); }
  void Add(int32_t word) { words_.push_back(static_cast<uint32_t>(word)); }
  void Add(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    words_.push_back(word);
  }
  template <class T, size_t kCount>
  void Add(const T (&values)[kCount]) {
    for (const T value : values) Add(value);
  }
  // Two words.
  template <class T>
  void AddLong(T value) {
    static_assert(sizeof value == 8);
    uint32_t words[2];
    std::memcpy(words, &value, sizeof value);
    Add(words);
  }
  size_t bytes() const { return words_.size() * sizeof(uint32_t); }
  const uint32_t* data() const { return words_.data(); }

 private:
  std::vector<uint32_t> words_;
};

constexpr size_t kHeaderWords = 16;
constexpr size_t kLineWords = 24;
constexpr size_t kWordWords = 14;
constexpr size_t kCharacterWords = 11;

}  // namespace

jbyteArray PackPage(JNIEnv* env, DocumentPointer document) {
  munja_document_view view = {};
  view.struct_size = sizeof view;
  Check(munja_document_get_view(document.get(), &view));
  munja_timing timing = {};
  timing.struct_size = sizeof timing;
  Check(munja_document_timing(document.get(), &timing));

  std::u16string text;
  std::vector<uint32_t> units;
  AppendUtf16({view.text, view.text_size}, &text, &units);
  Words words(kHeaderWords + kLineWords * view.line_count +
              kWordWords * view.word_count +
              kCharacterWords * view.character_count);
  const auto add_text = [&](uint32_t begin, uint32_t size) {
    words.Add(units[begin]);
    words.Add(units[begin + size] - units[begin]);
  };
  // The texts of scripts follow those of the lines.
  const size_t lines_units = text.size();
  std::vector<std::pair<uint32_t, uint32_t>> scripts(view.line_count);
  for (size_t i = 0; i < view.line_count; ++i) {
    if (view.lines[i].text_size != 0 && view.lines[i].character_count != 0)
      continue;
    munja_line line = {};
    line.struct_size = sizeof line;
    Check(munja_document_line(document.get(), static_cast<int32_t>(i), &line));
    if (line.unknown_script == nullptr) continue;
    const size_t begin = text.size();
    AppendUtf16(line.unknown_script, &text);
    scripts[i] = {static_cast<uint32_t>(begin),
                  static_cast<uint32_t>(text.size() - begin)};
  }

  words.AddLong(HandleOf(document.get()));
  words.Add(munja_document_width(document.get()));
  words.Add(munja_document_height(document.get()));
  words.Add(static_cast<uint32_t>(view.line_count));
  words.Add(static_cast<uint32_t>(view.word_count));
  words.Add(static_cast<uint32_t>(view.character_count));
  words.Add(static_cast<uint32_t>(lines_units));
  words.AddLong(timing.decode);
  words.AddLong(timing.detect);
  words.AddLong(timing.recognize);
  words.AddLong(timing.total);
  for (size_t i = 0; i < view.line_count; ++i) {
    const munja_line_view& line = view.lines[i];
    add_text(line.text_begin, line.text_size);
    words.Add(line.word_begin);
    words.Add(line.word_count);
    words.Add(line.character_begin);
    words.Add(line.character_count);
    words.Add(line.confidence);
    words.Add(line.polygon);
    words.Add(line.baseline);
    words.Add(line.block);
    words.Add(line.row);
    words.Add(line.direction);
    words.Add(scripts[i].first);
    words.Add(scripts[i].second);
  }
  for (size_t i = 0; i < view.word_count; ++i) {
    const munja_word_view& word = view.words[i];
    add_text(word.text_begin, word.text_size);
    words.Add(word.line);
    words.Add(word.character_begin);
    words.Add(word.character_count);
    words.Add(word.confidence);
    words.Add(word.polygon);
  }
  for (size_t i = 0; i < view.character_count; ++i) {
    const munja_character_view& character = view.characters[i];
    add_text(character.text_begin, character.text_size);
    words.Add(character.confidence);
    words.Add(character.polygon);
  }

  const size_t text_bytes = text.size() * sizeof(char16_t);
  const auto head = static_cast<jsize>(words.bytes());
  const auto tail = static_cast<jsize>(text_bytes);
  jbyteArray array = env->NewByteArray(head + tail);
  CheckJava(env);
  env->SetByteArrayRegion(array, 0, head,
                          reinterpret_cast<const jbyte*>(words.data()));
  CheckJava(env);
  env->SetByteArrayRegion(array, head, tail,
                          reinterpret_cast<const jbyte*>(text.data()));
  CheckJava(env);
  static_cast<void>(document.release());  // The array has it.
  return array;
}

}  // namespace munja_jni
