// The script of the package calls these: functions of numbers and pointers over
// the C interface. One caller at a time; a failed call leaves its status and
// message.
#include <emscripten.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "munja/control.h"
#include "munja/document.h"
#include "munja/image.h"
#include "munja/live.h"
#include "munja/ocr.h"
#include "munja/types.h"
#include "munja/writer.h"

namespace {

// Filled by the script before munja_web_create(), and empty after it.
struct ModelFile {
  std::string name;
  std::vector<uint8_t> bytes;
};
std::list<ModelFile> model_files;

struct Output {
  char* bytes = nullptr;
  size_t size = 0;
};
std::vector<Output> outputs;

munja_status status = MUNJA_OK;
std::string message;

bool IsFine(munja_status result) {
  status = result;
  message = result == MUNJA_OK ? "" : munja_last_error();
  return result == MUNJA_OK;
}

void FreeOutputs() {
  for (const Output& output : outputs) munja_free(output.bytes);
  outputs.clear();
}

// clang-format off
EM_JS(int, TellScript, (const char* what, double done, double total), {
  return Module["onProgress"] ? Module["onProgress"](UTF8ToString(what), done, total) : 0;
});
EM_JS(void, TellEvent, (int kind, double id, double time, double first, double last, const char* text,
                        double confidence, const float* polygon, int is_final, int readings), {
  Module["onEvent"](kind, id, time, first, last, UTF8ToString(text), confidence,
                    Array.from(HEAPF32.subarray(polygon >> 2, (polygon >> 2) + 8)), is_final, readings);
});
EM_JS(void, TellBox, (double id, const float* polygon, double confidence, int is_final), {
  Module["onBox"](id, Array.from(HEAPF32.subarray(polygon >> 2, (polygon >> 2) + 8)), confidence, is_final);
});
// clang-format on

int Tell(void*, const char* what, uint64_t done, uint64_t total) {
  return TellScript(what, static_cast<double>(done),
                    static_cast<double>(total));
}

void OnEvent(void*, const munja_live_event* event) {
  TellEvent(event->kind, static_cast<double>(event->id), event->time,
            event->first_time, event->last_time, event->text, event->confidence,
            event->polygon, event->is_final, event->readings);
}

munja_pixels PixelsOf(const void* data, int32_t width, int32_t height) {
  munja_pixels pixels = {};
  pixels.struct_size = sizeof pixels;
  pixels.format = MUNJA_PIXELS_RGBA;
  pixels.width = width;
  pixels.height = height;
  pixels.planes[0] = data;
  pixels.strides[0] = size_t{4} * static_cast<size_t>(width);
  return pixels;
}

// Lives as long as the module.
munja_control* Control() {
  static munja_control* const control = [] {
    munja_control_options options = {};
    options.struct_size = sizeof options;
    options.progress = Tell;
    munja_control* made = nullptr;
    munja_control_create(&options, &made);
    return made;
  }();
  return control;
}

const char* OrNull(const char* text) {
  return text == nullptr || *text == 0 ? nullptr : text;
}

bool Write(const char* format, const munja_page& page) {
  munja_writer* writer = nullptr;
  if (!IsFine(munja_writer_create(format, nullptr, &writer))) return false;
  Output output;
  const bool is_fine =
      IsFine(munja_writer_add(writer, &page)) &&
      IsFine(munja_writer_finish(writer)) &&
      IsFine(munja_writer_take(writer, &output.bytes, &output.size));
  munja_writer_free(writer);
  if (is_fine) outputs.push_back(output);
  return is_fine;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int32_t munja_web_status() { return status; }
EMSCRIPTEN_KEEPALIVE const char* munja_web_status_name() {
  return munja_status_name(status);
}
EMSCRIPTEN_KEEPALIVE const char* munja_web_message() { return message.c_str(); }
EMSCRIPTEN_KEEPALIVE const char* munja_web_version() { return munja_version(); }

// Room for a file of the model, which the script fills.
EMSCRIPTEN_KEEPALIVE void* munja_web_add_file(const char* name, size_t size) {
  return model_files.emplace_back(ModelFile{name, std::vector<uint8_t>(size)})
      .bytes.data();
}

// Null on failure. Empty texts: none.
EMSCRIPTEN_KEEPALIVE munja_engine* munja_web_create(
    int32_t threads, int32_t precision, const char* languages,
    const char* allowed, const char* denied, const char* overrides) {
  std::vector<munja_file> files;
  for (const ModelFile& file : model_files) {
    munja_file entry = {};
    entry.name = file.name.c_str();
    entry.data = file.bytes.data();
    entry.size = file.bytes.size();
    files.push_back(entry);
  }
  munja_engine_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.precision = static_cast<munja_precision>(precision);
  options.languages = OrNull(languages);
  options.allowed_characters = OrNull(allowed);
  options.denied_characters = OrNull(denied);
  options.overrides = OrNull(overrides);
  options.files = files.data();
  options.file_count = static_cast<int32_t>(files.size());
  munja_engine* engine = nullptr;
  IsFine(munja_engine_create(&options, &engine));
  model_files.clear();
  return engine;
}

EMSCRIPTEN_KEEPALIVE void munja_web_free(munja_engine* engine) {
  FreeOutputs();
  munja_engine_free(engine);
}

// `width` 0: `data` is a file of `size` bytes; otherwise RGBA pixels without
// gaps. `data` is freed by the call. `formats`: names separated by commas;
// returns how many outputs there are, 0 on failure.
EMSCRIPTEN_KEEPALIVE int32_t munja_web_read(
    munja_engine* engine, void* data, size_t size, int32_t width,
    int32_t height, int32_t picture, int32_t task, float min_confidence,
    int32_t left, int32_t top, int32_t region_width, int32_t region_height,
    const char* source, const char* formats) {
  FreeOutputs();
  IsFine(munja_control_restart(Control()));
  munja_image* image = nullptr;
  if (width == 0) {
    munja_decode_options options = {};
    options.struct_size = sizeof options;
    options.threads = 1;
    options.picture = picture;
    options.control = Control();
    IsFine(munja_image_decode(data, size, &options, &image));
  } else {
    const munja_pixels pixels = PixelsOf(data, width, height);
    IsFine(munja_image_from_pixels(&pixels, &image));
  }
  munja_document* document = nullptr;
  if (image != nullptr) {
    munja_read_options options = {};
    options.struct_size = sizeof options;
    options.task = static_cast<munja_task>(task);
    options.has_min_confidence = min_confidence >= 0;
    options.min_confidence = min_confidence >= 0 ? min_confidence : 0;
    options.control = Control();
    options.region[0] = left;
    options.region[1] = top;
    options.region[2] = region_width;
    options.region[3] = region_height;
    IsFine(munja_engine_read(engine, image, &options, &document));
  }
  bool is_fine = document != nullptr;
  if (is_fine) {
    munja_page page = {};
    page.struct_size = sizeof page;
    page.document = document;
    page.source = source;
    page.image = image;
    if (width == 0) {
      page.file = data;
      page.file_size = size;
    }
    for (std::string_view rest = formats; is_fine && !rest.empty();) {
      const std::string format(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), format.size() + 1));
      is_fine = Write(format.c_str(), page);
    }
  }
  if (!is_fine) FreeOutputs();
  munja_document_free(document);
  munja_image_free(image);
  std::free(data);
  return static_cast<int32_t>(outputs.size());
}

EMSCRIPTEN_KEEPALIVE const char* munja_web_output(int32_t index) {
  return outputs[static_cast<size_t>(index)].bytes;
}
EMSCRIPTEN_KEEPALIVE size_t munja_web_output_size(int32_t index) {
  return outputs[static_cast<size_t>(index)].size;
}

// Null on failure. Zeros are the library's defaults, min_confidence below 0,
// too.
EMSCRIPTEN_KEEPALIVE munja_live* munja_web_live_create(
    munja_engine* engine, int32_t left, int32_t top, int32_t width,
    int32_t height, double frame_ms, double time_share, int32_t agree_readings,
    int32_t best_frames, int32_t appear_after, int32_t leave_after,
    float min_confidence) {
  munja_live_options options = {};
  options.struct_size = sizeof options;
  options.callback = OnEvent;
  options.region[0] = left;
  options.region[1] = top;
  options.region[2] = width;
  options.region[3] = height;
  options.frame_ms = frame_ms;
  options.time_share = time_share;
  options.agree_readings = agree_readings;
  options.best_frames = best_frames;
  options.appear_after = appear_after;
  options.leave_after = leave_after;
  options.has_min_confidence = min_confidence >= 0;
  options.min_confidence = min_confidence >= 0 ? min_confidence : 0;
  munja_live* live = nullptr;
  IsFine(munja_live_create(engine, &options, &live));
  return live;
}

// RGBA pixels without gaps, which the call frees. Events come during the call,
// the boxes of the frame at its end. Returns 0 on failure.
EMSCRIPTEN_KEEPALIVE int32_t munja_web_live_feed(munja_live* live, void* data,
                                                 int32_t width, int32_t height,
                                                 double time) {
  const munja_pixels pixels = PixelsOf(data, width, height);
  const bool is_fine = IsFine(munja_live_feed(live, &pixels, time));
  std::free(data);
  if (!is_fine) return 0;
  int32_t count = 0;
  munja_live_boxes(live, nullptr, 0, &count);
  std::vector<munja_live_box> boxes(static_cast<size_t>(count));
  munja_live_boxes(live, boxes.data(), count, &count);
  for (const munja_live_box& box : boxes)
    TellBox(static_cast<double>(box.id), box.polygon, box.confidence,
            box.is_final);
  return 1;
}

EMSCRIPTEN_KEEPALIVE int32_t munja_web_live_finish(munja_live* live) {
  return IsFine(munja_live_finish(live)) ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE void munja_web_live_free(munja_live* live) {
  munja_live_free(live);
}

}  // extern "C"
