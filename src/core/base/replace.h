// Replacing a file or folder by a new one.
#ifndef MUNJA_BASE_REPLACE_H_
#define MUNJA_BASE_REPLACE_H_

#include <sys/stat.h>

#include <string>

#include "base/status.h"

namespace munja {

// Sixteen random hexadecimal digits: part of a private name.
// Not mkstemp(): that makes files that only their owner may read, and what the
// umask would have said can be asked for only by changing it, for all threads.
std::string RandomName();

// Files while they are written are called kTemporaryStart + RandomName() +
// kTemporaryEnd, beside what they will replace.
inline constexpr char kTemporaryStart[] = ".munja-";
inline constexpr char kTemporaryEnd[] = ".part";

// Gives the open file or folder `fd` the owner, group, permissions, access
// control list and extended attributes of `path`, which is not a link and whose
// stat() is `old`: as many of them as this process may give. What a group that
// could not be kept was allowed, its successor is not.
void KeepAttributes(const std::string& path, const struct stat& old, int fd);

// Two names change what they stand for, at once. False, with errno, where the
// system or the file system cannot.
bool ExchangeNames(const std::string& a, const std::string& b);

// rename() that fails with EEXIST instead of replacing; where the system
// cannot promise that it looks first.
bool RenameToFreeName(const std::string& from, const std::string& to);

// The path itself, or what it leads to when it is a link (which need not
// exist). kIo for a link to itself and one that the system does not follow.
// /proc/self/fd/1 and its like stay what they are: the text of such a link is
// no path.
Result<std::string> FollowLinks(const std::string& path);

// "a/b" -> "a", "/b" -> "/", "b" -> ".".
std::string FolderOf(const std::string& path);

// Waits until the folder's entries are on the disk, where that can be had.
Status SyncFolder(const std::string& path);

}  // namespace munja

#endif  // MUNJA_BASE_REPLACE_H_
