// From lines that are read to a document.
#ifndef MUNJA_READING_PAGE_DOCUMENT_H_
#define MUNJA_READING_PAGE_DOCUMENT_H_

#include <optional>
#include <span>

#include "document/document.h"
#include "reading/network/config.h"
#include "reading/read/page_line.h"
#include "reading/read/reading.h"
#include "text/dictionary.h"

namespace munja::ocr {

// With its characters, their places and alternatives.
document::Line MakeLine(const RecognizerConfig& config,
                        const text::Dictionary& dictionary,
                        const Reading& reading);

// The lines that are read with `min_confidence`, by default the config's; those
// in an unknown script as the config says, with a note for the page.
document::Document MakeDocument(const Config& config,
                                const text::Dictionary& dictionary,
                                std::span<const PageLine> lines,
                                std::optional<float> min_confidence);

}  // namespace munja::ocr

#endif  // MUNJA_READING_PAGE_DOCUMENT_H_
