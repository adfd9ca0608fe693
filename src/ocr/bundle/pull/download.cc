#include "bundle/pull/download.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/control.h"
#include "base/fork.h"

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

// libcurl, opened when the first file is fetched: it comes with thirty other
// libraries, which would take longer to load than a model at every start of a
// program that only reads.
class Curl {
 public:
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;
  // Null when it is not there.
  static const Curl* Open() {
    const auto lock = opening.Lock();
    if (curl == nullptr) curl = new Curl;
    return curl->is_usable_ ? curl : nullptr;
  }

  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;

 private:
  Curl() {
    // Never closed: it may leave threads behind.
    void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [&](const char* name, auto* function) {
      *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(
          dlsym(library, name));
      return *function != nullptr;
    };
    is_usable_ = find("curl_global_init", &global_init) &&
                 find("curl_easy_init", &easy_init) &&
                 find("curl_easy_cleanup", &easy_cleanup) &&
                 find("curl_easy_setopt", &easy_setopt) &&
                 find("curl_easy_getinfo", &easy_getinfo) &&
                 find("curl_multi_init", &multi_init) &&
                 find("curl_multi_cleanup", &multi_cleanup) &&
                 find("curl_multi_add_handle", &multi_add_handle) &&
                 find("curl_multi_remove_handle", &multi_remove_handle) &&
                 find("curl_multi_perform", &multi_perform) &&
                 find("curl_multi_poll", &multi_poll) &&
                 find("curl_multi_info_read", &multi_info_read) &&
                 find("curl_easy_strerror", &easy_strerror) &&
                 global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }

  bool is_usable_ = false;

  static constinit ForkSafeMutex<> opening;
  static constinit const Curl* curl;  // Null until it is opened; never closed.
};

constinit ForkSafeMutex<> Curl::opening;
constinit const Curl* Curl::curl = nullptr;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeMulti {
  const Curl* curl;
  void operator()(CURLM* multi) const { curl->multi_cleanup(multi); }
};
struct FreeEasy {
  const Curl* curl;
  void operator()(CURL* easy) const { curl->easy_cleanup(easy); }
};

// The state of the write callback.
struct Transfer {
  const Curl* curl = nullptr;
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
  t.curl->easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &code);
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

void Configure(const std::string& url, Transfer* transfer) {
  const Curl& curl = *transfer->curl;
  CURL* const easy = transfer->easy;
  const bool plain = url.starts_with("http://");
  curl.easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, plain ? "http" : "https");
  // A redirection may go to another server, but never to plain HTTP.
  curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl.easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  curl.easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 30L);
  // Slower than 100 bytes a second for a minute: given up.
  curl.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, 60L);
  curl.easy_setopt(easy, CURLOPT_USERAGENT, "munja");
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, OnData);
  curl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  if (transfer->bytes > 0)
    curl.easy_setopt(easy, CURLOPT_RESUME_FROM_LARGE,
                     static_cast<curl_off_t>(transfer->bytes));
}

// Does the same as curl_easy_perform(), but ends soon after the call is
// cancelled: a server may keep silent for a minute.
CURLcode Perform(const Curl& curl, CURL* easy) {
  const std::unique_ptr<CURLM, FreeMulti> multi(curl.multi_init(),
                                                FreeMulti{&curl});
  if (!multi || curl.multi_add_handle(multi.get(), easy) != CURLM_OK)
    return CURLE_OUT_OF_MEMORY;
  constexpr int kWaitMilliseconds = 50;
  CURLcode result = CURLE_ABORTED_BY_CALLBACK;
  int running = 1;
  while (running > 0 && !IsStopped()) {
    if (curl.multi_perform(multi.get(), &running) != CURLM_OK) break;
    int left = 0;
    while (const CURLMsg* message = curl.multi_info_read(multi.get(), &left)) {
      if (message->msg == CURLMSG_DONE) result = message->data.result;
    }
    if (running > 0)
      curl.multi_poll(multi.get(), nullptr, 0, kWaitMilliseconds, nullptr);
  }
  curl.multi_remove_handle(multi.get(), easy);
  return result;
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

Status CheckDownloads() {
  if (Curl::Open() != nullptr) return Status();
  return Unavailable("libcurl (libcurl.so.4) is not there or does not start");
}

Status Download(const std::string& url, const std::string& path,
                const DownloadOptions& options) {
  MUNJA_RETURN_IF_ERROR(CheckAddress(url));
  MUNJA_RETURN_IF_ERROR(CheckDownloads());
  const Curl* const curl = Curl::Open();
  const std::unique_ptr<CURL, FreeEasy> easy(curl->easy_init(), FreeEasy{curl});
  if (!easy) return Unavailable("libcurl cannot be started");
  const std::unique_ptr<std::FILE, CloseFile> file(
      std::fopen(path.c_str(), options.resume ? "ab" : "wb"));
  if (!file) return WriteFailure(path);

  Transfer transfer;
  transfer.curl = curl;
  transfer.easy = easy.get();
  transfer.file = file.get();
  transfer.options = &options;
  transfer.bytes = options.resume ? SizeOf(path) : 0;
  if (transfer.bytes > options.max_bytes)
    return Malformed(path + ": longer than the file should be");
  char reason[CURL_ERROR_SIZE] = "";
  curl->easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason);
  Configure(url, &transfer);
  const CURLcode result = Perform(*curl, easy.get());
  long code = 0;
  curl->easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &code);

  MUNJA_RETURN_IF_ERROR(CheckControl().With(url));
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
                       (reason[0] ? reason : curl->easy_strerror(result)));
  return Status();
}

}  // namespace munja::bundle
