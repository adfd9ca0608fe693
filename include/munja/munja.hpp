// C++20 over the C interface: handles that free themselves, errors as
// munja::api::Error exceptions. Header-only; nothing in it is part of the ABI.
// Needs C++20. Whoever calls it catches Error: std::terminate() otherwise.
#ifndef MUNJA_MUNJA_HPP_
#define MUNJA_MUNJA_HPP_

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "munja/control.h"
#include "munja/document.h"
#include "munja/expected.hpp"
#include "munja/image.h"
#include "munja/ocr.h"
#include "munja/runtime.h"
#include "munja/types.h"
#include "munja/writer.h"

namespace munja::api {

class Error : public std::runtime_error {
 public:
  Error(munja_status status, const char* message)
      : std::runtime_error(message), status_(status) {}
  munja_status status() const { return status_; }

 private:
  munja_status status_;
};

inline void Check(munja_status status) {
  if (status != MUNJA_OK) throw Error(status, munja_last_error());
}

// Takes over text that the library allocated.
inline std::string TakeText(char* text) {
  const Handle<char, munja_free> owner(text);
  return std::string(text);
}

// Limits of memory and time, and the way to end calls: see munja/control.h.
class Control {
 public:
  // {.struct_size = sizeof(munja_control_options), .seconds = 10}
  explicit Control(const munja_control_options* options = nullptr) {
    munja_control* control = nullptr;
    Check(munja_control_create(options, &control));
    handle_.reset(control);
  }
  void Cancel() { munja_control_cancel(get()); }
  void Restart() { Check(munja_control_restart(get())); }
  munja_control* get() const { return handle_.get(); }

 private:
  Handle<munja_control, munja_control_free> handle_;
};

// All calls of this thread obey a control for as long as this lives.
class BoundControl {
 public:
  explicit BoundControl(const Control& control)
      : previous_(munja_control_bind(control.get())) {}
  ~BoundControl() { munja_control_bind(previous_); }
  BoundControl(const BoundControl&) = delete;
  BoundControl& operator=(const BoundControl&) = delete;

 private:
  munja_control* previous_;
};

// How a picture is decoded; see munja_decode_options. Set members by name:
// there may be more of them in a newer version.
struct DecodeOptions {
  int64_t max_pixels = 0;  // 0: 120 million. A larger picture is refused.
  int threads = 0;         // 0: one for each processor.
  const Control* control = nullptr;  // Must outlive the call.
  int picture = 0;                   // Of a file of several; from 0 on.
};

class Image {
 public:
  static Image Load(const std::string& path,
                    const DecodeOptions& options = DecodeOptions()) {
    const munja_decode_options o = Native(options);
    munja_image* image = nullptr;
    Check(munja_image_load(path.c_str(), &o, &image));
    return Image(image);
  }
  static Image Decode(std::span<const uint8_t> bytes,
                      const DecodeOptions& options = DecodeOptions()) {
    const munja_decode_options o = Native(options);
    munja_image* image = nullptr;
    Check(munja_image_decode(bytes.data(), bytes.size(), &o, &image));
    return Image(image);
  }
  // How many pictures a file holds: see munja_image_count().
  static int Count(std::span<const uint8_t> bytes) {
    int32_t count = 0;
    Check(munja_image_count(bytes.data(), bytes.size(), &count));
    return count;
  }
  int width() const { return munja_image_width(get()); }
  int height() const { return munja_image_height(get()); }
  const munja_image* get() const { return handle_.get(); }

 private:
  static munja_decode_options Native(const DecodeOptions& options) {
    munja_decode_options o = {};
    o.struct_size = sizeof o;
    o.max_pixels = options.max_pixels;
    o.threads = options.threads;
    o.picture = options.picture;
    if (options.control != nullptr) o.control = options.control->get();
    return o;
  }

  explicit Image(munja_image* image) : handle_(image) {}
  Handle<munja_image, munja_image_free> handle_;
};

class Document {
 public:
  explicit Document(munja_document* document) : handle_(document) {}
  // The texts of the lines are valid as long as the document.
  std::vector<munja_line> lines() const {
    std::vector<munja_line> lines(
        static_cast<size_t>(munja_document_line_count(get())));
    for (size_t i = 0; i < lines.size(); ++i)
      Check(munja_document_line(get(), static_cast<int32_t>(i), &lines[i]));
    return lines;
  }
  // "cyrillic", "cjk" ... of a line whose writing the model does not know;
  // empty for every other line.
  std::string_view unknown_writing(size_t line) const {
    const char* writing =
        munja_document_unknown_writing(get(), static_cast<int32_t>(line));
    return writing != nullptr ? writing : std::string_view();
  }
  // The words of a line; their texts are valid as long as the document.
  std::vector<munja_word> words(size_t line) const {
    const auto of = static_cast<int32_t>(line);
    std::vector<munja_word> words(
        static_cast<size_t>(munja_document_word_count(get(), of)));
    for (size_t i = 0; i < words.size(); ++i) {
      words[i].struct_size = sizeof(munja_word);
      Check(munja_document_word(get(), of, static_cast<int32_t>(i), &words[i]));
    }
    return words;
  }
  // The same of its characters.
  std::vector<munja_character> characters(size_t line) const {
    const auto of = static_cast<int32_t>(line);
    std::vector<munja_character> characters(
        static_cast<size_t>(munja_document_character_count(get(), of)));
    for (size_t i = 0; i < characters.size(); ++i) {
      characters[i].struct_size = sizeof(munja_character);
      Check(munja_document_character(get(), of, static_cast<int32_t>(i),
                                     &characters[i]));
    }
    return characters;
  }
  // What else a character may be, the likeliest first.
  std::vector<munja_alternative> alternatives(size_t line,
                                              size_t character) const {
    munja_character of = {};
    of.struct_size = sizeof of;
    Check(munja_document_character(get(), static_cast<int32_t>(line),
                                   static_cast<int32_t>(character), &of));
    std::vector<munja_alternative> alternatives(
        static_cast<size_t>(of.alternative_count));
    for (size_t i = 0; i < alternatives.size(); ++i) {
      alternatives[i].struct_size = sizeof(munja_alternative);
      Check(munja_document_alternative(
          get(), static_cast<int32_t>(line), static_cast<int32_t>(character),
          static_cast<int32_t>(i), &alternatives[i]));
    }
    return alternatives;
  }
  munja_line_layout layout(size_t line) const {
    munja_line_layout layout = {};
    layout.struct_size = sizeof layout;
    Check(
        munja_document_line_layout(get(), static_cast<int32_t>(line), &layout));
    return layout;
  }
  std::string ToText() const {
    char* text = nullptr;
    Check(munja_document_to_text(get(), &text));
    return TakeText(text);
  }
  std::string ToJson(const std::string& source) const {
    char* json = nullptr;
    Check(munja_document_to_json(get(), source.c_str(), &json));
    return TakeText(json);
  }
  const munja_document* get() const { return handle_.get(); }

 private:
  Handle<munja_document, munja_document_free> handle_;
};

// How a picture is read; see munja_read_options. Set members by name, as
// {.task = MUNJA_READ_LINE}: there may be more of them in a newer version.
struct PageOptions {
  std::string source = {};       // What the file calls the picture.
  const Image* image = nullptr;  // For formats that show it.
  std::string_view file = {};    // The bytes of its file.
  double dpi = 0;                // 0: as the file says.
};

// One file that is written page by page: "pdf", "hocr", "tsv" ...
class Writer {
 public:
  explicit Writer(const std::string& format) {
    munja_writer* writer = nullptr;
    Check(munja_writer_create(format.c_str(), &writer));
    handle_.reset(writer);
  }
  void Add(const Document& document, const PageOptions& options = {}) {
    munja_page page = {};
    page.struct_size = sizeof page;
    page.document = document.get();
    page.source = options.source.c_str();
    page.image = options.image != nullptr ? options.image->get() : nullptr;
    page.file = options.file.empty() ? nullptr : options.file.data();
    page.file_size = options.file.size();
    page.dpi = options.dpi;
    Check(munja_writer_add(get(), &page));
  }
  void Finish() { Check(munja_writer_finish(get())); }
  // What no call took before.
  std::string Take() {
    char* bytes = nullptr;
    size_t size = 0;
    Check(munja_writer_take(get(), &bytes, &size));
    std::string file(bytes, size);
    munja_free(bytes);
    return file;
  }
  munja_writer* get() const { return handle_.get(); }

 private:
  Handle<munja_writer, munja_writer_free> handle_;
};

struct ReadOptions {
  munja_task task = MUNJA_READ_PAGE;
  float min_confidence = 0;      // Lines below are left out; 0: the bundle's.
  std::string dump_folder = "";  // For the pictures between the stages.
  const Control* control = nullptr;  // Must outlive the call.
};

// Any number of threads may Read() at once: see munja/ocr.h.
class Engine {
 public:
  // An empty name: the default model; `words`: a file of words that are
  // expected; see munja_engine_options.
  explicit Engine(const std::string& model = "", int threads = 0,
                  munja_precision precision = MUNJA_PRECISION_BUNDLE,
                  const std::string& words = "") {
    munja_engine_options options = {};
    options.struct_size = sizeof options;
    options.model = model.empty() ? nullptr : model.c_str();
    options.threads = threads;
    options.precision = precision;
    options.words = words.empty() ? nullptr : words.c_str();
    munja_engine* engine = nullptr;
    Check(munja_engine_create(&options, &engine));
    handle_.reset(engine);
  }
  Document Read(const Image& image,
                const ReadOptions& options = ReadOptions()) {
    munja_read_options o = {};
    o.struct_size = sizeof o;
    o.task = options.task;
    o.min_confidence = options.min_confidence;
    o.dump_folder =
        options.dump_folder.empty() ? nullptr : options.dump_folder.c_str();
    if (options.control != nullptr) o.control = options.control->get();
    munja_document* document = nullptr;
    Check(munja_engine_read(handle_.get(), image.get(), &o, &document));
    return Document(document);
  }

 private:
  Handle<munja_engine, munja_engine_free> handle_;
};

// A .tflite model ready to run; one thread at a time, others throw.
class Session {
 public:
  explicit Session(const std::string& path, int threads = 0,
                   munja_precision precision = MUNJA_PRECISION_FLOAT32) {
    munja_model* raw_model = nullptr;
    Check(munja_model_load(path.c_str(), &raw_model));
    const Handle<munja_model, munja_model_free> model(raw_model);
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = threads;
    options.precision = precision;
    munja_session* session = nullptr;
    Check(munja_session_create(model.get(), &options, &session));
    handle_.reset(session);
  }
  // The data of the outputs is valid until the next run.
  std::vector<munja_tensor> Run(std::span<const munja_tensor> inputs) {
    Check(munja_session_run(handle_.get(), inputs.data(),
                            static_cast<int32_t>(inputs.size())));
    std::vector<munja_tensor> outputs(
        static_cast<size_t>(munja_session_output_count(handle_.get())));
    for (size_t i = 0; i < outputs.size(); ++i)
      Check(munja_session_result(handle_.get(), static_cast<int32_t>(i),
                                 &outputs[i]));
    return outputs;
  }

 private:
  Handle<munja_session, munja_session_free> handle_;
};

}  // namespace munja::api

#endif  // MUNJA_MUNJA_HPP_
