// Notes about what of a PDF file is not in the one that is made of its pages.
#ifndef MUNJA_DOCUMENT_PDF_LOSSES_H_
#define MUNJA_DOCUMENT_PDF_LOSSES_H_

#include <string>
#include <string_view>

namespace munja::document::pdf {

// Logs what is lost, and why: `reason` is the middle of a sentence.
void LogLosses(std::string_view file, const std::string& name,
               const std::string& reason);

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_LOSSES_H_
