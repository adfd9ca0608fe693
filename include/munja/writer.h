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
  const char* extension;  /* Of file names, without the dot: "txt". */
  const char* media_type; /* "application/pdf". */
} munja_format;

/* The formats there are; the strings are valid for ever. */
MUNJA_API int32_t munja_format_count(void);
MUNJA_API munja_status munja_format_get(int32_t index, munja_format* format);

/* One file that is being written, page by page. One caller at a time. */
typedef struct munja_writer munja_writer;

/* MUNJA_NOT_FOUND: there is no format of that name; the message lists all. */
MUNJA_API munja_status munja_writer_create(const char* format,
                                           munja_writer** writer);
MUNJA_API void munja_writer_free(munja_writer* writer);

typedef struct munja_page {
  size_t struct_size;
  const munja_document* document;
  const char* source; /* What the file calls the picture. NULL: "". */
  /* The picture that was read, for formats that show it; NULL: they do not. */
  const munja_image* image;
  /* The bytes of its file. Where it is a JPEG, formats that can show it as it
   * is do so. NULL: not known. */
  const void* file;
  size_t file_size;
  double dpi; /* Pixels to the inch. 0: as the file says. */
} munja_page;

/* Adds a page; nothing of it needs to stay. */
MUNJA_API munja_status munja_writer_add(munja_writer* writer,
                                        const munja_page* page);
/* Ends the file; no page may follow. */
MUNJA_API munja_status munja_writer_finish(munja_writer* writer);
/* The bytes of the file that no call took before. munja_free(). */
MUNJA_API munja_status munja_writer_take(munja_writer* writer, char** bytes,
                                         size_t* size);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_WRITER_H_ */
