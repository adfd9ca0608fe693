/* Writers: documents as files of many formats. */
#ifndef MUNJA_WRITER_H_
#define MUNJA_WRITER_H_

#include "munja/document.h"
#include "munja/image.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_format {
  size_t struct_size;
  const char* name;       /* As munja_writer_create() takes it: "pdf". */
  const char* extension;  /* For file names, without the dot: "txt". */
  const char* media_type; /* "application/pdf". */
} munja_format;

/* The available formats; the strings are never freed. */
MUNJA_API int32_t munja_format_count(void);
MUNJA_API munja_status munja_format_get(int32_t index, munja_format* format);

/* One file that is being written, page by page. One caller at a time. */
typedef struct munja_writer munja_writer;

/* Receives the bytes of the file in order. A nonzero return ends the call that
 * writes with MUNJA_IO; the file is then incomplete and the writer only good
 * for munja_writer_free(). */
typedef int32_t (*munja_sink)(void* user, const void* bytes, size_t size);

typedef struct munja_writer_options {
  size_t struct_size;
  /* Where the bytes go as pages are added, so that memory holds one page
   * however long the file gets. NULL and no path: they are kept for
   * munja_writer_take(). */
  munja_sink sink;
  void* user;         /* For the sink. */
  munja_error* error; /* Filled if a call with this writer fails; NULL: not
                         wanted. Must outlive the writer. */
  /* A file that gets the bytes instead of a sink. An old one stays until
   * munja_writer_finish() replaces it as a whole; without that call, or if one
   * fails, nothing is left of the new one. Symbolic links, permissions and
   * attributes are kept; a pipe, a device or /dev/stdout gets the bytes page by
   * page. Opened with the first bytes. NULL: none. */
  const char* path;
} munja_writer_options;

/* options may be NULL. MUNJA_NOT_FOUND: there is no format of that name; the
 * message lists all. */
MUNJA_API munja_status munja_writer_create(const char* format,
                                           const munja_writer_options* options,
                                           munja_writer** writer);
MUNJA_API void munja_writer_free(munja_writer* writer);

typedef struct munja_page {
  size_t struct_size;
  const munja_document* document;
  const char* source; /* Name of the image in the output. NULL: "". */
  /* The image that was read, for formats that embed it; NULL: not embedded. */
  const munja_image* image;
  /* The bytes of its file. Formats that can embed a JPEG file as it is do so.
   * NULL: not known. */
  const void* file;
  size_t file_size;
  double dpi; /* Pixels per inch. 0: from the file. */
  /* Nonzero, for pages of a PDF file: where `file` is one from which `image`
   * was decoded, format "pdf" keeps the first such file byte by byte, all its
   * pages, links, bookmarks, labels and metadata, and appends the text of the
   * pages that are added, but for lines that they have as text already. The
   * log says what is lost where a file cannot be kept: another format, a file
   * that is encrypted or damaged, or not the first. 0: a new page of the
   * image. */
  int32_t keep_pdf;
} munja_page;

/* Adds a page, which may be freed afterwards. MUNJA_IO: the sink refused the
 * bytes, or the file cannot be written. After a failure in the middle of a page
 * the writer is only good for munja_writer_free(). */
MUNJA_API munja_status munja_writer_add(munja_writer* writer,
                                        const munja_page* page);
/* Ends the file; no page may follow. */
MUNJA_API munja_status munja_writer_finish(munja_writer* writer);
/* Without a sink or path: the bytes that no earlier call took. munja_free(). */
MUNJA_API munja_status munja_writer_take(munja_writer* writer, char** bytes,
                                         size_t* size);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_WRITER_H_ */
