// A worker process: reads the images of one request at a time.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "server/contracts.h"
#include "server/frames.h"
#include "server/selection.h"
#include "server/server.h"

namespace munja::server {
namespace {

// An answer that is no result.
struct Refusal {
  std::string code, message;
};

Refusal RefusalOf(const munja::Status& status, const std::string& where) {
  const std::string text =
      (where.empty() ? "" : where + ": ") + status.message();
  switch (status.code()) {
    case MUNJA_INVALID_ARGUMENT:
      return {"invalid", text};
    case MUNJA_MALFORMED:
      return {"malformed", text};
    case MUNJA_UNSUPPORTED:
      return {"unsupported", text};
    case MUNJA_OUT_OF_MEMORY:
      return {"too_large", text};
    case MUNJA_TIMED_OUT:
      return {"timed_out", text};
    case MUNJA_CANCELLED:
      return {"cancelled", "the request was cancelled"};
    case MUNJA_UNAVAILABLE:
      return {"unavailable", text};
    default:
      return {"internal", text};
  }
}

// Engines for the languages and characters of late requests: making one takes
// longer than reading a small image.
class Engines {
 public:
  Engines(munja::Engine engine, const MakeEngine& make) : make_(make) {
    kept_.emplace_back(Key(), std::move(engine));
  }
  // Null: *refusal says why.
  munja::Engine* Get(const std::string& languages, const std::string& allowed,
                     Refusal* refusal) {
    const Key key = {languages, allowed};
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      if (it->first != key) continue;
      kept_.splice(kept_.begin(), kept_, it);
      return &kept_.front().second;
    }
    munja::Result<munja::Engine> made = make_(languages, allowed);
    if (!made.ok()) {
      *refusal = RefusalOf(made.error(), "");
      return nullptr;
    }
    if (kept_.size() >= kMost) kept_.pop_back();
    kept_.emplace_front(key, *std::move(made));
    return &kept_.front().second;
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static constexpr size_t kMost = 4;
  const MakeEngine& make_;
  std::list<std::pair<Key, munja::Engine>> kept_;
};

// Pages of a file, of an animation the first frame unless all are asked for.
int CountPages(std::string_view file, bool all_frames) {
  if (!all_frames && (file.starts_with("GIF8") || file.starts_with("RIFF")))
    return 1;
  const munja::Result<int> count = munja::Image::Count(
      {reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  return count.ok() && *count > 1 ? *count : 1;
}

class Request {
 public:
  Request(int socket, const Limits& limits, Engines* engines, Frame frame)
      : socket_(socket),
        limits_(limits),
        engines_(*engines),
        head_(std::move(frame.head)),
        body_(std::move(frame.body)),
        format_(head_.value("format", "json")) {}

  // Sends the answer; false: the server is gone.
  bool Answer() {
    std::string output;
    const std::optional<Refusal> refusal = Read(&output);
    Json answer = {
        {"status", "ok"}, {"media_type", MediaType()}, {"pages", pages_done_}};
    if (refusal) {
      answer = {{"status", "error"},
                {"code", refusal->code},
                {"message", refusal->message}};
      output.clear();
    }
    const std::string_view part = output;
    return SendFrame(socket_, answer, {&part, 1},
                     Clock::now() + Seconds(3600)) == Transfer::kDone;
  }

 private:
  struct Part {
    std::string name;
    std::string_view bytes;
    std::vector<int> pages;
    bool has_several = false;
  };

  std::string MediaType() const {
    if (IsContract(format_)) return "application/json";
    // Several objects, one on each line, are not one JSON text.
    if (format_.starts_with("json") && pages_done_ != 1)
      return "application/x-ndjson";
    for (const munja::Format& format : munja::Formats())
      if (format.name == format_) return format.media_type;
    return "application/octet-stream";
  }

  std::optional<Refusal> FindParts(std::vector<Part>* parts) {
    std::string_view rest = body_;
    size_t pages = 0;
    for (const Json& entry : head_["parts"]) {
      Part part = {entry["name"], rest.substr(0, entry["size"]), {}, false};
      rest.remove_prefix(part.bytes.size());
      const int count =
          CountPages(part.bytes, head_.value("all_frames", false));
      part.has_several = count > 1;
      if (const std::string problem =
              SelectPages(head_.value("pages", ""), count, &part.pages);
          !problem.empty())
        return Refusal{"invalid", "pages: " + problem};
      pages += part.pages.size();
      parts->push_back(std::move(part));
    }
    const bool takes_one = format_ == kLiteParse || format_ == "png";
    const size_t most = takes_one ? 1 : static_cast<size_t>(limits_.max_pages);
    pages_ = pages;
    if (pages <= most) return std::nullopt;
    if (takes_one)
      return Refusal{"invalid", "the format takes one page, not " +
                                    std::to_string(pages) +
                                    "; choose it with pages="};
    return Refusal{"too_large", std::to_string(pages) + " pages, and at most " +
                                    std::to_string(most) +
                                    " are read; choose some with pages="};
  }

  std::optional<Refusal> Read(std::string* output) {
    std::vector<Part> parts;
    // Unlike the others, languages and characters are the engine's.
    std::string languages = head_.value("language", "");
    const std::string allowed = head_.value("allowed_characters", "");
    munja::Control control(
        {.max_memory = limits_.max_memory,
         .seconds = head_.value("seconds", 60.0),
         .max_pixels = limits_.max_pixels,
         .progress = [this](std::string_view, uint64_t, uint64_t) {
           // A frame means: cancelled; the end: all is over.
           return !IsReadable(socket_, 0);
         }});
    const munja::BoundControl bound(control);
    if (std::optional<Refusal> refusal = FindParts(&parts)) return refusal;
    Refusal refusal;
    munja::Engine* engine = engines_.Get(languages, allowed, &refusal);
    // LiteParse's clients always name a language, known or not.
    if (engine == nullptr && format_ == kLiteParse && refusal.code == "invalid")
      engine = engines_.Get("", allowed, &refusal);
    if (engine == nullptr) return refusal;
    std::optional<munja::Writer> writer;
    ContractResult contract(format_);
    if (!IsContract(format_)) {
      munja::Result<munja::Writer> made = munja::Writer::Create(format_);
      if (!made.ok()) return RefusalOf(made.error(), "");
      writer = *std::move(made);
    }
    munja::ReadOptions options;
    if (head_.contains("min_confidence"))
      options.min_confidence = head_["min_confidence"].get<float>();
    if (head_.contains("region")) {
      const Json& region = head_["region"];
      options.region =
          munja::Box{region[0].get<float>(), region[1].get<float>(),
                     region[0].get<float>() + region[2].get<float>(),
                     region[1].get<float>() + region[3].get<float>()};
    }
    for (const Part& part : parts) {
      for (const int index : part.pages) {
        const std::span<const uint8_t> bytes = {
            reinterpret_cast<const uint8_t*>(part.bytes.data()),
            part.bytes.size()};
        const std::string number =
            part.has_several ? "#page=" + std::to_string(index + 1) : "";
        const std::string where =
            parts.size() > 1 || part.has_several
                ? (part.name.empty() ? "image" : part.name) + number
                : "";
        const munja::Result<munja::Image> image =
            munja::Image::Decode(bytes, {.max_pixels = limits_.max_pixels,
                                         .threads = 1,
                                         .picture = index,
                                         .dpi = head_.value("dpi", 0.0)});
        if (!image.ok()) return RefusalOf(image.error(), where);
        const munja::Result<munja::Page> page =
            head_.value("line", false) ? engine->ReadLine(*image, options)
                                       : engine->Read(*image, options);
        if (!page.ok()) {
          Refusal why = RefusalOf(page.error(), where);
          // An image that is decoded is not to blame for the model.
          if (why.code == "malformed" || why.code == "unsupported")
            why.code = "internal";
          return why;
        }
        if (writer) {
          munja::PageOptions named = {.source = part.name + number,
                                      .image = &*image};
          // A PDF file stays as it is where all of it is asked for.
          named.keep_pdf = parts.size() == 1 &&
                           part.bytes.starts_with("%PDF-") &&
                           head_.value("pages", "").empty();
          if (index == 0 || named.keep_pdf) named.file = bytes;
          if (const munja::Status status = writer->Add(*page, named);
              !status.ok())
            return RefusalOf(status, where);
        } else {
          contract.Add(*page);
        }
        ++pages_done_;
        if (pages_ > 1)
          SendFrame(socket_, {{"page", pages_done_}, {"pages", pages_}}, {},
                    Clock::now() + Seconds(60));
      }
    }
    if (!writer) {
      *output = contract.Finish(body_.starts_with("%PDF"));
      return std::nullopt;
    }
    if (const munja::Status status = writer->Finish(); !status.ok())
      return RefusalOf(status, "");
    munja::Result<std::string> bytes = writer->Take();
    if (!bytes.ok()) return RefusalOf(bytes.error(), "");
    *output = *std::move(bytes);
    return std::nullopt;
  }

  const int socket_;
  const Limits& limits_;
  Engines& engines_;
  Json head_;
  const std::string body_;
  const std::string format_;
  size_t pages_ = 0, pages_done_ = 0;
};

}  // namespace

int RunWorker(int socket, const Limits& limits, munja::Engine engine,
              const MakeEngine& make_engine) {
  // The end of the server is the end of its workers, however it ends. Signals
  // to the whole group are for the server, which lets its workers finish.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // A dump would hold images of users.
  if (limits.max_memory > 0) {
    // The control counts images and tensors; a decoder's own memory is bounded
    // by this.
    const rlim_t most =
        static_cast<rlim_t>(limits.max_memory) + (rlim_t{1} << 30);
    const rlimit data = {most, most};
    ::setrlimit(RLIMIT_DATA, &data);
  }
  munja::SetLog([](munja_log_severity severity, std::string_view line) {
    if (severity == MUNJA_LOG_INFO) return;
    const std::string text =
        Dump({{"time", TimeText()},
              {"level", severity == MUNJA_LOG_ERROR ? "error" : "warning"},
              {"event", "library"},
              {"message", line}}) +
        "\n";
    std::fputs(text.c_str(), stderr);
  });
  const Json ready = {{"ready", true}, {"model", engine.name()}};
  Engines engines(std::move(engine), make_engine);
  const Clock::time_point never = Clock::now() + Seconds(1e9);
  if (SendFrame(socket, ready, {}, never) != Transfer::kDone) return 0;
  for (;;) {
    Frame frame;
    if (ReceiveFrame(socket, never, &frame) != Transfer::kDone) return 0;
    // A cancellation that came too late.
    if (!frame.head.contains("parts")) continue;
    SendFrame(socket, {{"taken", true}}, {}, never);
    if (!Request(socket, limits, &engines, std::move(frame)).Answer()) return 0;
  }
}

}  // namespace munja::server
