// The types behind the opaque handles of the C interface for reading.
#ifndef MUNJA_CAPI_READING_HANDLES_H_
#define MUNJA_CAPI_READING_HANDLES_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capi/reading/document_arrays.h"
#include "capi/runtime/handles.h"
#include "document/document.h"
#include "document/words.h"
#include "document/writers/file_writer.h"
#include "image/image.h"
#include "munja/writer.h"
#include "reading/shared_pipeline.h"

struct munja_image {
  munja::image::Image image;  // Empty: `borrowed` has the pixels.
  munja::image::ImageView borrowed = {};
  double decode_ms = 0;
  munja::image::ImageView view() const {
    return borrowed.data != nullptr ? borrowed : image.view();
  }
};

struct munja_document {
  explicit munja_document(munja::document::Document read)
      : document(std::move(read)) {
    for (const munja::document::Line& line : document.lines)
      words.push_back(munja::document::WordsOf(line));
  }
  munja::document::Document document;
  std::vector<std::vector<munja::document::Word>> words;  // By line.
  // The arrays of munja_document_get_view(), made when first asked for.
  mutable std::once_flag has_view;
  mutable munja::capi::DocumentArrays arrays;
};

struct munja_writer {
  std::unique_ptr<munja::document::FileWriter> file;
  munja_error* error = nullptr;
};

struct munja_engine {
  explicit munja_engine(std::unique_ptr<munja::ocr::Pipeline> first)
      : pipeline(std::move(first)) {}
  munja::ocr::SharedPipeline pipeline;
};

#endif  // MUNJA_CAPI_READING_HANDLES_H_
