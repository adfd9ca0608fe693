/* Writing files so that a failure leaves the old one. */
#ifndef MUNJA_TOOLS_FILE_H_
#define MUNJA_TOOLS_FILE_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a whole file. Every function with an output path does it so; all
 * failures are MUNJA_IO.
 *
 * A regular file, or none yet: written to a private name beside it
 * (".munja-*.part") and renamed, so that a failure leaves the old one. Owner,
 * group, permissions, access control list and extended attributes of the old
 * one are kept as far as this process may. A symbolic link stays, and what it
 * leads to is replaced; other hard links keep the old bytes. Where the folder
 * may not be changed but the file may, it is written in place.
 *
 * A pipe, a character device or an open file (/dev/stdout, /dev/fd/3) gets the
 * bytes. Folders, disks and sockets are refused. */
MUNJA_API munja_status munja_write_file(const char* path, const void* data,
                                        size_t size);

/* The same in parts, for files that are longer than memory should hold. One
 * caller at a time. A pipe, a device or an open file gets each part at once. */
typedef struct munja_output_file munja_output_file;

MUNJA_API munja_status munja_output_file_open(const char* path,
                                              munja_output_file** file);
/* After a failure the file is only good for munja_output_file_free(). */
MUNJA_API munja_status munja_output_file_write(munja_output_file* file,
                                               const void* data, size_t size);
/* Puts the file in place. MUNJA_INVALID_ARGUMENT: it has been, or a part could
 * not be written; no call but munja_output_file_free() may follow. */
MUNJA_API munja_status munja_output_file_commit(munja_output_file* file);
/* Without a commit the old file stays. */
MUNJA_API void munja_output_file_free(munja_output_file* file);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_FILE_H_ */
