// The page of the server: the files of apps/web, which are part of the program.
#ifndef MUNJA_SERVER_PAGE_H_
#define MUNJA_SERVER_PAGE_H_

#include <string>
#include <string_view>

namespace munja::server {

struct PageFile {
  const char *path, *media_type;
  std::string_view text;
};

// Null: the path is none of the page.
const PageFile* FindPageFile(const std::string& path);

// The page loads nothing from elsewhere and sends nothing elsewhere.
inline constexpr char kPagePolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' blob:; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace munja::server

#endif  // MUNJA_SERVER_PAGE_H_
