// The C++20 interface of Munja, header-only over the C interface.
//
//   munja::Engine engine({.model = "default"});
//   const munja::Image image = munja::Image::Load("x.jpg").value();
//   const munja::Page page = engine.Read(image).value();
//   for (munja::Line line : page.lines())
//     for (munja::Word word : line.words()) Use(word.text(), word.box());
//   munja::Check(page.Save("x.pdf", {.image = &image}));
//
// Functions that can fail return Result<T> or Status (munja/result.hpp);
// value(), Check() and constructors throw munja::Error. Options are structs
// whose members are set by name; newer versions may add members. Objects own
// what they show: a Line or Word is valid as long as its Page. Thread rules are
// those of the C headers.
#ifndef MUNJA_MUNJA_HPP_
#define MUNJA_MUNJA_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "munja/control.hpp"
#include "munja/document.h"
#include "munja/image.h"
#include "munja/model.h"
#include "munja/ocr.h"
#include "munja/result.hpp"
#include "munja/session.hpp"
#include "munja/system.h"
#include "munja/types.h"
#include "munja/writer.h"

namespace munja {
inline namespace v0 {

// ---- Images -----------------------------------------------------------------

struct DecodeOptions {
  int64_t max_pixels = 0;  // 0: 120 million.
  int threads = 0;         // 0: one per processor.
  int picture = 0;         // Index of the page or frame.
  double dpi = 0;          // Resolution of PDF pages; see munja/image.h.
  const Control* control = nullptr;  // Must outlive the call.
};

// Pixels of the caller; see munja_pixels.
struct Pixels {
  munja_pixel_format format = MUNJA_PIXELS_RGB;
  int width = 0, height = 0;
  std::array<const void*, 3> planes = {};
  std::array<size_t, 3> strides = {};
  int rotation = 0;  // Clockwise degrees: 0, 90, 180, 270.
};

namespace internal {

inline munja_pixels Native(const Pixels& pixels) {
  munja_pixels p = {};
  p.struct_size = sizeof p;
  p.format = pixels.format;
  p.width = pixels.width;
  p.height = pixels.height;
  std::copy(pixels.planes.begin(), pixels.planes.end(), p.planes);
  std::copy(pixels.strides.begin(), pixels.strides.end(), p.strides);
  p.rotation = pixels.rotation;
  return p;
}

}  // namespace internal

// An upright RGB image.
class Image {
 public:
  static Result<Image> Load(const std::string& path,
                            const DecodeOptions& options = {}) {
    const munja_decode_options o = Native(options);
    munja_image* image = nullptr;
    const munja_status status = munja_image_load(path.c_str(), &o, &image);
    return Make(status, image);
  }
  static Result<Image> Decode(std::span<const uint8_t> bytes,
                              const DecodeOptions& options = {}) {
    const munja_decode_options o = Native(options);
    munja_image* image = nullptr;
    const munja_status status =
        munja_image_decode(bytes.data(), bytes.size(), &o, &image);
    return Make(status, image);
  }
  // RGB pixels without rotation are borrowed: they must outlive the image.
  static Result<Image> FromPixels(const Pixels& pixels) {
    const munja_pixels p = internal::Native(pixels);
    munja_image* image = nullptr;
    const munja_status status = munja_image_from_pixels(&p, &image);
    return Make(status, image);
  }
  // Number of pages or frames in a file.
  static Result<int> Count(std::span<const uint8_t> bytes) {
    int32_t count = 0;
    const Status status =
        StatusOf(munja_image_count(bytes.data(), bytes.size(), &count));
    if (!status.ok()) return status;
    return static_cast<int>(count);
  }
  int width() const { return munja_image_width(get()); }
  int height() const { return munja_image_height(get()); }
  // Row `y` of interleaved RGB; see munja_image_pixels().
  const uint8_t* row(int y) const {
    size_t stride = 0;
    const uint8_t* const pixels = munja_image_pixels(get(), &stride);
    return pixels + stride * static_cast<size_t>(y);
  }
  const munja_image* get() const { return handle_.get(); }

 private:
  static munja_decode_options Native(const DecodeOptions& options) {
    munja_decode_options o = {};
    o.struct_size = sizeof o;
    o.max_pixels = options.max_pixels;
    o.threads = options.threads;
    o.picture = options.picture;
    o.dpi = options.dpi;
    o.control = internal::Get(options.control);
    return o;
  }
  static Result<Image> Make(munja_status status, munja_image* image) {
    if (status != MUNJA_OK) return StatusOf(status);
    return Image(image);
  }

  explicit Image(munja_image* image) : handle_(image) {}
  Handle<munja_image, munja_image_free> handle_;
};

// The extensions of images in directories, such as "jpg"; see
// munja_image_extensions().
inline std::vector<std::string> ImageExtensions() {
  std::vector<std::string> all;
  std::istringstream names(munja_image_extensions());
  for (std::string name; names >> name;) all.push_back(name);
  return all;
}

// ---- Pages ------------------------------------------------------------------

struct Point {
  float x = 0, y = 0;
};
// Clockwise from the text's own top left corner.
using Polygon = std::array<Point, 4>;

// An upright rectangle, in pixels.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
};

namespace internal {

inline Polygon PolygonOf(const float (&numbers)[8]) {
  Polygon polygon;
  for (size_t i = 0; i < 4; ++i)
    polygon[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return polygon;
}

inline Box BoxOf(const float (&n)[8]) {
  Box box = {n[0], n[1], n[0], n[1]};
  for (size_t i = 2; i < 8; i += 2) {
    box.left = std::min(box.left, n[i]);
    box.right = std::max(box.right, n[i]);
    box.top = std::min(box.top, n[i + 1]);
    box.bottom = std::max(box.bottom, n[i + 1]);
  }
  return box;
}

// Part `index` of a document: a line, a word or a character.
template <class View>
class Part {
 public:
  Part(const munja_document* document, const munja_document_view* all,
       const View* view)
      : document_(document), all_(all), view_(view) {}
  std::string_view text() const {
    return {all_->text + view_->text_begin, view_->text_size};
  }
  float confidence() const { return view_->confidence; }  // 0 to 1.
  Polygon polygon() const { return PolygonOf(view_->polygon); }
  Box box() const { return BoxOf(view_->polygon); }

 protected:
  const munja_document* document_;
  const munja_document_view* all_;
  const View* view_;
};

}  // namespace internal

// Consecutive parts; made of values, so "for (Line line : page.lines())".
template <class T, class View>
class PartRange {
 public:
  class Iterator {
   public:
    Iterator(const PartRange* range, size_t index)
        : range_(range), index_(index) {}
    T operator*() const { return (*range_)[index_]; }
    Iterator& operator++() { return ++index_, *this; }
    bool operator==(const Iterator& other) const {
      return index_ == other.index_;
    }

   private:
    const PartRange* range_;
    size_t index_;
  };
  PartRange(const munja_document* document, const munja_document_view* all,
            const View* first, size_t count)
      : document_(document), all_(all), first_(first), count_(count) {}
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T operator[](size_t i) const { return T(document_, all_, first_ + i); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, count_}; }

 private:
  const munja_document* document_;
  const munja_document_view* all_;
  const View* first_;
  size_t count_;
};

class Character : public internal::Part<munja_character_view> {
 public:
  using Part::Part;
};
using Characters = PartRange<Character, munja_character_view>;

class Word : public internal::Part<munja_word_view> {
 public:
  using Part::Part;
  Characters characters() const {
    return {document_, all_, all_->characters + view_->character_begin,
            view_->character_count};
  }
};
using Words = PartRange<Word, munja_word_view>;

class Line : public internal::Part<munja_line_view> {
 public:
  using Part::Part;
  Words words() const {
    return {document_, all_, all_->words + view_->word_begin,
            view_->word_count};
  }
  Characters characters() const {
    return {document_, all_, all_->characters + view_->character_begin,
            view_->character_count};
  }
  int block() const { return view_->block; }
  int row() const { return view_->row; }
  munja_direction direction() const {
    return static_cast<munja_direction>(view_->direction);
  }
  std::array<Point, 2> baseline() const {
    const float* const b = view_->baseline;
    return {{{b[0], b[1]}, {b[2], b[3]}}};
  }
  // "cyrillic", "cjk" ... if the model cannot read the line's script, else
  // empty.
  std::string_view unknown_script() const {
    munja_line line = {};
    line.struct_size = sizeof line;
    const auto index = static_cast<int32_t>(view_ - all_->lines);
    if (munja_document_line(document_, index, &line) != MUNJA_OK ||
        line.unknown_script == nullptr)
      return {};
    return line.unknown_script;
  }
};
using Lines = PartRange<Line, munja_line_view>;

class Page;

// How a page is written to a file.
struct PageOptions {
  std::string source = {};             // Name of the image in the output.
  const Image* image = nullptr;        // For formats that embed it.
  std::span<const uint8_t> file = {};  // The bytes of its file.
  double dpi = 0;                      // 0: from the file.
  bool keep_pdf = false;               // See munja_page.
};

struct SaveOptions : PageOptions {
  std::string format = {};  // Empty: by the extension of the path.
};

// The text of one image, lines in reading order. Never changes.
class Page {
 public:
  // Takes over a document.
  explicit Page(munja_document* document)
      : handle_(document), view_(std::make_unique<munja_document_view>()) {
    view_->struct_size = sizeof *view_;
    Check(munja_document_get_view(get(), view_.get()));
  }
  Lines lines() const {
    return {get(), view_.get(), view_->lines, view_->line_count};
  }
  int width() const { return munja_document_width(get()); }
  int height() const { return munja_document_height(get()); }
  // The lines' texts, an empty line between blocks.
  std::string ToText() const {
    return internal::TextOf(
               [&](char** text) { return munja_document_to_text(get(), text); })
        .value();
  }
  std::string ToJson(const std::string& source = "") const {
    return internal::TextOf([&](char** json) {
             return munja_document_to_json(get(), source.c_str(), json);
           })
        .value();
  }
  munja_timing timing() const {
    munja_timing timing = {};
    timing.struct_size = sizeof timing;
    Check(munja_document_timing(get(), &timing));
    return timing;
  }
  // Writes a file with this page: PDF, hOCR, TSV ... (Writer).
  Status Save(const std::string& path, const SaveOptions& options = {}) const;
  // Writes a PNG file: the image with the polygons of the lines.
  Status SaveOverlay(const Image& image, const std::string& path) const {
    return StatusOf(
        munja_document_write_overlay(get(), image.get(), path.c_str()));
  }
  const munja_document* get() const { return handle_.get(); }

 private:
  Handle<munja_document, munja_document_free> handle_;
  std::unique_ptr<munja_document_view> view_;
};

// ---- Writers ----------------------------------------------------------------

// Writes pages to one file: "pdf", "hocr", "tsv" ...
class Writer {
 public:
  // Receives bytes in order; false: they could not be written.
  using Sink = std::function<bool(std::string_view)>;

  // Memory holds one page, however long the file gets.
  static Result<Writer> Create(const std::string& format, Sink sink) {
    Writer writer(std::make_unique<Sink>(std::move(sink)));
    munja_writer_options o = {};
    o.struct_size = sizeof o;
    o.user = writer.sink_.get();
    o.sink = [](void* user, const void* bytes, size_t size) -> int32_t {
      const Sink& write = *static_cast<const Sink*>(user);
      return write({static_cast<const char*>(bytes), size}) ? 0 : 1;
    };
    return Make(format, &o, std::move(writer));
  }
  // Writes a file page by page. An old one stays until Finish() replaces it;
  // see munja_writer_options.
  static Result<Writer> Open(const std::string& format,
                             const std::string& path) {
    munja_writer_options o = {};
    o.struct_size = sizeof o;
    o.path = path.c_str();
    return Make(format, &o, Writer(nullptr));
  }
  // The bytes are fetched by Take().
  static Result<Writer> Create(const std::string& format) {
    return Make(format, nullptr, Writer(nullptr));
  }
  Status Add(const Page& page, const PageOptions& options = {}) {
    munja_page p = {};
    p.struct_size = sizeof p;
    p.document = page.get();
    p.source = options.source.c_str();
    p.image = options.image != nullptr ? options.image->get() : nullptr;
    p.file = options.file.empty() ? nullptr : options.file.data();
    p.file_size = options.file.size();
    p.dpi = options.dpi;
    p.keep_pdf = options.keep_pdf ? 1 : 0;
    return StatusOf(munja_writer_add(handle_.get(), &p));
  }
  Status Finish() { return StatusOf(munja_writer_finish(handle_.get())); }
  Result<std::string> Take() {
    char* bytes = nullptr;
    size_t size = 0;
    const Status status =
        StatusOf(munja_writer_take(handle_.get(), &bytes, &size));
    if (!status.ok()) return status;
    const Handle<char, munja_free> owner(bytes);
    return std::string(bytes, size);
  }

 private:
  explicit Writer(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
  static Result<Writer> Make(const std::string& format,
                             const munja_writer_options* options,
                             Writer writer) {
    munja_writer* made = nullptr;
    const Status status =
        StatusOf(munja_writer_create(format.c_str(), options, &made));
    if (!status.ok()) return status;
    writer.handle_.reset(made);
    return writer;
  }

  std::unique_ptr<Sink> sink_;  // Its address is the C writer's.
  Handle<munja_writer, munja_writer_free> handle_;
};

// An output format; see munja_format.
struct Format {
  std::string name, extension, media_type;
};

inline std::vector<Format> Formats() {
  std::vector<Format> all;
  for (int32_t i = 0; i < munja_format_count(); ++i) {
    munja_format format = {};
    format.struct_size = sizeof format;
    Check(munja_format_get(i, &format));
    all.push_back({format.name, format.extension, format.media_type});
  }
  return all;
}

// The format that a file name asks for by its extension, the longest that fits
// ("x.alto.xml", "X.PDF"); "" if none does.
inline std::string FormatOf(std::string_view path) {
  std::string lower(path);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  Format longest;
  for (Format& format : Formats())
    if (lower.size() > format.extension.size() + 1 &&
        lower.ends_with("." + format.extension) &&
        format.extension.size() > longest.extension.size())
      longest = std::move(format);
  return longest.name;
}

inline Status Page::Save(const std::string& path,
                         const SaveOptions& options) const {
  const std::string format =
      options.format.empty() ? FormatOf(path) : options.format;
  if (format.empty())
    return Status(MUNJA_INVALID_ARGUMENT,
                  path + ": no format has this extension");
  Result<Writer> writer = Writer::Open(format, path);
  if (!writer.ok()) return writer.error();
  const Status status = writer->Add(*this, options);
  return status.ok() ? writer->Finish() : status;
}

// ---- Models -----------------------------------------------------------------

// The model that an engine reads with, as installed on this machine.
class Model {
 public:
  // Its directory, or "embedded:default"; "" finds the default one.
  static Result<Model> Find(const std::string& name = "") {
    char* path = nullptr;
    const Status status =
        StatusOf(munja_model_find(internal::OrNull(name), &path));
    if (!status.ok()) return status;
    return Model(TakeText(path));
  }
  // All models, as JSON; see munja_model_list().
  static Result<std::string> List() {
    return internal::TextOf(munja_model_list);
  }
  // Models that others publish and that can be downloaded, as JSON; see
  // munja_model_catalog().
  static Result<std::string> Catalog() {
    char* json = nullptr;
    const Status status = StatusOf(munja_model_catalog(&json));
    if (!status.ok()) return status;
    return TakeText(json);
  }
  const std::string& path() const { return path_; }
  // Compares every file with its SHA-256 and loads it.
  Status Verify() const { return StatusOf(munja_model_verify(path_.c_str())); }
  // Downloads a model into the user's directory; "" as the URL: the default.
  static Result<Model> Pull(const std::string& name,
                            const std::string& base_url = "") {
    munja_model_pull_options o = {};
    o.struct_size = sizeof o;
    o.base_url = internal::OrNull(base_url);
    char* path = nullptr;
    const Status status = StatusOf(munja_model_pull(name.c_str(), &o, &path));
    if (!status.ok()) return status;
    return Model(TakeText(path));
  }
  Status Extract(const std::string& directory) const {
    return StatusOf(munja_model_extract(path_.c_str(), directory.c_str()));
  }

 private:
  explicit Model(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// ---- This machine -----------------------------------------------------------

// Describes what this machine has for reading and what is missing, as JSON;
// see munja_system_describe().
inline Result<std::string> DescribeSystem(
    const std::string& driver_directories = "") {
  char* json = nullptr;
  const Status status = StatusOf(
      munja_system_describe(internal::OrNull(driver_directories), &json));
  if (!status.ok()) return status;
  return TakeText(json);
}

// ---- Engines ----------------------------------------------------------------

// Threads that several engines share.
class ThreadPool {
 public:
  explicit ThreadPool(int threads = 0) {  // 0: one per processor.
    munja_thread_pool* pool = nullptr;
    Check(munja_thread_pool_create(threads, &pool));
    handle_.reset(pool);
  }
  munja_thread_pool* get() const { return handle_.get(); }

 private:
  Handle<munja_thread_pool, munja_thread_pool_free> handle_;
};

// A file of a model in memory.
struct ModelFile {
  std::string name;  // "bundle.json", or as that names it.
  std::span<const uint8_t> bytes;
};

struct EngineOptions {
  std::string model = {};             // A name or directory; "": the default.
  std::vector<ModelFile> files = {};  // Instead of `model`.
  int threads = 0;                    // 0: one per processor.
  const ThreadPool* pool = nullptr;   // Instead of `threads`.
  std::string settings = {};          // JSON that overrides the model's.
  munja_precision precision = MUNJA_PRECISION_DEFAULT;
  bool no_winograd = false;  // See munja_session_options.
  std::vector<Device> devices = {};
  std::vector<munja_delegate*> delegates = {};  // In addition; not owned.
  std::string words = {};                       // A file of expected words.
  std::string allowed_characters = {};          // "": all.
  std::string denied_characters = {};           // "": none.
  std::string languages = {};                   // "ko,en"; "": all.
  const Control* control = nullptr;             // For the creation.
};

struct ReadOptions {
  // Lines below are left out; none: the model's own threshold.
  std::optional<float> min_confidence = std::nullopt;
  std::optional<Box> region = std::nullopt;  // Part of the image, whole pixels.
  std::string dump_directory = {};           // For intermediate images.
  const Control* control = nullptr;          // Must outlive the call.
};

// Reads text. Any number of threads at once; see munja/ocr.h.
class Engine {
 public:
  // Throws Error.
  explicit Engine(const EngineOptions& options = {})
      : Engine(Create(options).value()) {}
  static Result<Engine> Create(const EngineOptions& options = {}) {
    Result<internal::Delegates> delegates =
        internal::Delegates::Create(options.devices, options.delegates);
    if (!delegates.ok()) return delegates.error();
    munja_engine_options o = {};
    o.struct_size = sizeof o;
    o.model = internal::OrNull(options.model);
    std::vector<munja_file> files;
    for (const ModelFile& file : options.files)
      files.push_back(
          {file.name.c_str(), file.bytes.data(), file.bytes.size(), -1, 0});
    o.files = files.data();
    o.file_count = static_cast<int32_t>(files.size());
    o.threads = options.threads;
    o.pool = options.pool != nullptr ? options.pool->get() : nullptr;
    o.overrides = internal::OrNull(options.settings);
    o.precision = options.precision;
    o.no_winograd = options.no_winograd ? 1 : 0;
    o.delegates = delegates->data();
    o.delegate_count = delegates->count();
    o.words = internal::OrNull(options.words);
    o.allowed_characters = internal::OrNull(options.allowed_characters);
    o.denied_characters = internal::OrNull(options.denied_characters);
    o.languages = internal::OrNull(options.languages);
    o.control = internal::Get(options.control);
    munja_engine* engine = nullptr;
    const Status status = StatusOf(munja_engine_create(&o, &engine));
    if (!status.ok()) return status;
    return Engine(engine);
  }
  // Finds and reads the lines of a page.
  Result<Page> Read(const Image& image, const ReadOptions& options = {}) {
    return Run(image, MUNJA_TASK_PAGE, options, {});
  }
  // Finds lines without reading them: their polygons, in reading order.
  Result<Page> Detect(const Image& image, const ReadOptions& options = {}) {
    return Run(image, MUNJA_TASK_DETECT, options, {});
  }
  // Reads an image that is one line of text.
  Result<Page> ReadLine(const Image& image, const ReadOptions& options = {}) {
    return Run(image, MUNJA_TASK_LINE, options, {});
  }
  // Reads the lines in these polygons; the page has them in this order.
  Result<Page> ReadLines(const Image& image, std::span<const Polygon> polygons,
                         const ReadOptions& options = {}) {
    return Run(image, MUNJA_TASK_BOXES, options, polygons);
  }
  std::string name() const { return munja_engine_name(get()); }
  // The settings in force, as JSON.
  std::string settings() const {
    return internal::TextOf(
               [&](char** json) { return munja_engine_settings(get(), json); })
        .value();
  }
  munja_engine* get() const { return handle_.get(); }

 private:
  explicit Engine(munja_engine* engine) : handle_(engine) {}
  Result<Page> Run(const Image& image, munja_task task,
                   const ReadOptions& options,
                   std::span<const Polygon> polygons) {
    munja_read_options o = {};
    o.struct_size = sizeof o;
    o.task = task;
    o.has_min_confidence = options.min_confidence.has_value() ? 1 : 0;
    o.min_confidence = options.min_confidence.value_or(0.0f);
    o.dump_directory = internal::OrNull(options.dump_directory);
    o.control = internal::Get(options.control);
    if (options.region) {
      o.region[0] = static_cast<int32_t>(options.region->left);
      o.region[1] = static_cast<int32_t>(options.region->top);
      o.region[2] = static_cast<int32_t>(options.region->width());
      o.region[3] = static_cast<int32_t>(options.region->height());
    }
    std::vector<float> boxes;
    for (const Polygon& polygon : polygons)
      for (const Point& point : polygon)
        boxes.insert(boxes.end(), {point.x, point.y});
    o.boxes = boxes.data();
    o.box_count = static_cast<int32_t>(polygons.size());
    munja_document* document = nullptr;
    const Status status =
        StatusOf(munja_engine_read(get(), image.get(), &o, &document));
    if (!status.ok()) return status;
    return Page(document);
  }

  Handle<munja_engine, munja_engine_free> handle_;
};

}  // namespace v0
}  // namespace munja

// It needs the classes above.
#include "munja/live.hpp"  // IWYU pragma: export

#endif  // MUNJA_MUNJA_HPP_
