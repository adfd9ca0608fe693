// The types behind the opaque handles of the C interface for reading.
#ifndef MUNJA_CAPI_READING_HANDLES_H_
#define MUNJA_CAPI_READING_HANDLES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/handles.h"
#include "document/document.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "image/image.h"
#include "reading/shared_pipeline.h"

struct munja_image {
  munja::image::Image image;
};

struct munja_document {
  explicit munja_document(munja::document::Document read)
      : document(std::move(read)) {
    for (const munja::document::Line& line : document.lines)
      words.push_back(munja::document::WordsOf(line));
  }
  munja::document::Document document;
  std::vector<std::vector<munja::document::Word>> words;  // By line.
};

struct munja_writer {
  std::unique_ptr<munja::document::PageWriter> writer;
  std::string bytes = {};  // Not taken yet.
  bool is_finished = false;
};

struct munja_engine {
  explicit munja_engine(std::unique_ptr<munja::ocr::Pipeline> first)
      : pipeline(std::move(first)) {}
  munja::ocr::SharedPipeline pipeline;
};

#endif  // MUNJA_CAPI_READING_HANDLES_H_
