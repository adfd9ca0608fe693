// Engines and what they read, for tests of the interface.
#ifndef MUNJA_CAPI_TOOLS_READING_TESTING_H_
#define MUNJA_CAPI_TOOLS_READING_TESTING_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capi/reading/handles.h"
#include "capi/tools/testing.h"
#include "munja/document.h"
#include "munja/ocr.h"
#include "samples/text_picture.h"

namespace munja::capi {

using Rows = std::map<std::string, std::function<void()>>;
using EngineHandle = Handle<munja_engine, munja_engine_free>;
using ImageHandle = Handle<munja_image, munja_image_free>;
using DocumentHandle = Handle<munja_document, munja_document_free>;

template <class Options>
Options Empty() {
  Options options = {};
  options.struct_size = sizeof options;
  return options;
}

inline ImageHandle Page() {
  auto page = tools::TextPicture(320, 160);
  EXPECT_TRUE(page.ok());
  return ImageHandle(new munja_image{std::move(*page)});
}

// Null where it fails; *status says why.
inline EngineHandle CreateEngine(const munja_engine_options& options,
                                 munja_status* status = nullptr) {
  munja_engine* engine = nullptr;
  const munja_status done = munja_engine_create(&options, &engine);
  if (status != nullptr) *status = done;
  EXPECT_TRUE(status != nullptr || done == MUNJA_OK) << munja_last_error();
  return EngineHandle(engine);
}

inline DocumentHandle ReadPage(munja_engine* engine,
                               const munja_read_options& options,
                               munja_status* status = nullptr) {
  const ImageHandle page = Page();
  munja_document* document = nullptr;
  const munja_status done =
      munja_engine_read(engine, page.get(), &options, &document);
  if (status != nullptr) *status = done;
  EXPECT_TRUE(status != nullptr || done == MUNJA_OK) << munja_last_error();
  return DocumentHandle(document);
}

inline std::vector<munja_line> LinesOf(const munja_document* document) {
  std::vector<munja_line> lines(
      static_cast<size_t>(munja_document_line_count(document)));
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].struct_size = sizeof(munja_line);
    EXPECT_EQ(munja_document_line(document, static_cast<int32_t>(i), &lines[i]),
              MUNJA_OK);
  }
  return lines;
}

inline std::vector<float> ConfidencesOf(const munja_document* document) {
  std::vector<float> all;
  for (const munja_line& line : LinesOf(document))
    all.push_back(line.confidence);
  return all;
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_TOOLS_READING_TESTING_H_
