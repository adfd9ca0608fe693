#include "bundle/pull/download.h"

#include <curl/curl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace munja::bundle {
namespace {

bool IsLoopback(const std::string& url) {
  for (const std::string_view host : {"localhost", "127.0.0.1", "[::1]"}) {
    const std::string start = "http://" + std::string(host);
    if (!url.starts_with(start)) continue;
    // The host must end here: "http://localhost.example" is another machine,
    // and so is "http://localhost:80@example".
    const std::string_view rest = std::string_view(url).substr(start.size());
    const std::string_view authority = rest.substr(0, rest.find('/'));
    if (authority.find('@') != std::string_view::npos) continue;
    if (authority.empty() || authority[0] == ':') return true;
  }
  return false;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// What the write callback works on.
struct Transfer {
  CURL* easy = nullptr;
  std::FILE* file = nullptr;
  const DownloadOptions* options = nullptr;
  uint64_t bytes = 0;  // In the file.
  bool started = false;
  bool too_long = false, write_failed = false, cancelled = false;
};

// Bytes of the body. Returning another number than size stops the transfer.
size_t OnData(char* data, size_t one, size_t size, void* context) {
  (void)one;  // Always 1.
  Transfer& t = *static_cast<Transfer*>(context);
  long code = 0;
  curl_easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &code);
  if (code >= 300) return size;  // An error page: not part of the file.
  if (!t.started) {
    t.started = true;
    if (code != 206 && t.bytes > 0) {
      // The server sends the whole file again.
      if (::ftruncate(fileno(t.file), 0) != 0) {
        t.write_failed = true;
        return 0;
      }
      std::rewind(t.file);
      t.bytes = 0;
    }
  }
  if (size > t.options->max_bytes - t.bytes) {
    t.too_long = true;
    return 0;
  }
  if (std::fwrite(data, 1, size, t.file) != size) {
    t.write_failed = true;
    return 0;
  }
  t.bytes += size;
  if (t.options->progress && !t.options->progress(t.bytes)) {
    t.cancelled = true;
    return 0;
  }
  return size;
}

uint64_t SizeOf(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                          : 0;
}

Status WriteFailure(const std::string& path) {
  return IoError(path + ": cannot write: " + std::strerror(errno));
}

void Configure(CURL* easy, const std::string& url, Transfer* transfer) {
  const bool plain = url.starts_with("http://");
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, plain ? "http" : "https");
  // A redirection may go to another server, but never to plain HTTP.
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 30L);
  // Slower than 100 bytes a second for a minute: given up.
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "munja");
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, OnData);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  if (transfer->bytes > 0)
    curl_easy_setopt(easy, CURLOPT_RESUME_FROM_LARGE,
                     static_cast<curl_off_t>(transfer->bytes));
}

}  // namespace

Status CheckAddress(const std::string& url) {
  for (unsigned char c : url) {
    if (c <= ' ' || c == 0x7f)
      return InvalidArgument("the address holds a space or a control code");
  }
  if (url.starts_with("https://") && url.size() > 8) return Status();
  if (IsLoopback(url)) return Status();
  return InvalidArgument(
      url +
      ": the address must begin with https:// (http:// is taken for "
      "localhost only)");
}

Status Download(const std::string& url, const std::string& path,
                const DownloadOptions& options) {
  MUNJA_RETURN_IF_ERROR(CheckAddress(url));
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, FreeEasy> easy(
      global == CURLE_OK ? curl_easy_init() : nullptr);
  if (!easy) return Unavailable("libcurl cannot be started");
  const std::unique_ptr<std::FILE, CloseFile> file(
      std::fopen(path.c_str(), options.resume ? "ab" : "wb"));
  if (!file) return WriteFailure(path);

  Transfer transfer;
  transfer.easy = easy.get();
  transfer.file = file.get();
  transfer.options = &options;
  transfer.bytes = options.resume ? SizeOf(path) : 0;
  if (transfer.bytes > options.max_bytes)
    return Malformed(path + ": longer than the file should be");
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason);
  Configure(easy.get(), url, &transfer);
  const CURLcode result = curl_easy_perform(easy.get());
  long code = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &code);

  if (transfer.cancelled) return Status(Code::kCancelled, url + ": stopped");
  if (transfer.too_long)
    return Malformed(url + ": the server sends more than " +
                     std::to_string(options.max_bytes) + " bytes");
  if (transfer.write_failed || std::fflush(file.get()) != 0)
    return WriteFailure(path);
  if (code == 404 || code == 410)
    return NotFound(url + ": the server has no such file");
  // libcurl gives CURLE_RANGE_ERROR when a server ignores the range; the write
  // callback has started over then, if a body came.
  if (code >= 400)
    return Unavailable(url + ": the server answers " + std::to_string(code));
  if (result != CURLE_OK)
    return Unavailable(url + ": " +
                       (reason[0] ? reason : curl_easy_strerror(result)));
  return Status();
}

}  // namespace munja::bundle
