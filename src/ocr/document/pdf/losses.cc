#include "document/pdf/losses.h"

#include <utility>

#include "base/log.h"

namespace munja::document::pdf {

void LogLosses(std::string_view file, const std::string& name,
               const std::string& reason) {
  const auto has = [&](std::string_view key) {
    return file.find(key) != file.npos;
  };
  // Compressed objects are not looked into.
  const bool may_have_all = has("/ObjStm");
  std::string lost;
  for (const auto& [key, what] : {std::pair{"/Annots", "links and notes"},
                                  {"/AcroForm", "form fields"},
                                  {"/Outlines", "bookmarks"},
                                  {"/PageLabels", "page labels"},
                                  {"/EmbeddedFiles", "attached files"},
                                  {"/Info", "metadata"}})
    if (has(key) || (may_have_all && key != std::string_view("/Info")))
      lost += (lost.empty() ? "" : ", ") + std::string(what);
  const std::string prefix = name.empty() ? "pdf: " : name + ": ";
  if (!lost.empty()) lost = "; " + lost + " of the old one are not in it";
  Log(Severity::kInfo, prefix +
                           "the PDF file is made anew of the pages' images, "
                           "because " +
                           reason + lost);
  if (has("/Encrypt"))
    Log(Severity::kWarning,
        prefix + "the file is encrypted, what is written is not");
}

}  // namespace munja::document::pdf
