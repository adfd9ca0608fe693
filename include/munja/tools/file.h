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

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_FILE_H_ */
