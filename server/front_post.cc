// Requests with bodies: their receipt, and the wait for a worker.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "server/contracts.h"
#include "server/exchange.h"
#include "server/front.h"

namespace munja::server {

bool Front::Receive(const HttpRequest& request,
                    const httplib::ContentReader& reader, Task* task,
                    std::string* language, Response* response) {
  Exchange& now = *exchange;
  const size_t budget =
      std::max<size_t>(256u << 20, 4 * options_.limits.max_body);
  size_t most = options_.limits.max_body;
  if (now.is_paddlex) most += most / 3 + (64u << 10);
  size_t received = 0;
  std::string code, message;
  const auto fail = [&](const char* why, std::string text) {
    code = why;
    message = std::move(text);
    return false;
  };
  const auto add = [&](std::string* to, const char* bytes, size_t size) {
    received += size;
    if (received > most)
      return fail("too_large",
                  "the body is larger than " + std::to_string(most) + " bytes");
    if (!task->memory->Take(size, budget))
      return fail("overloaded", "the server holds too many bodies");
    to->append(bytes, size);
    return true;
  };
  bool is_complete = false;
  if (request.is_multipart_form_data()) {
    const bool has_language = now.found.operation->id == "ocr";
    std::string* field = nullptr;
    is_complete = reader(
        [&](const httplib::MultipartFormData& part) {
          if (part.name == "language" && has_language) {
            field = language;
            return true;
          }
          if (part.name != "file")
            return fail("invalid",
                        has_language
                            ? "the form has a field other than 'file' and "
                              "'language'"
                            : "the form has a field other than 'file'; options "
                              "are parameters of the address");
          if (part.filename.empty())
            return fail("invalid",
                        "the field 'file' is a text, not a file (with curl: "
                        "-F file=@photo.jpg)");
          if (task->parts.size() >= 1000)
            return fail("too_large", "the form has too many files");
          task->parts.push_back({BaseName(part.filename), ""});
          field = nullptr;
          return true;
        },
        [&](const char* bytes, size_t size) {
          std::string* const to =
              field != nullptr ? field : &task->parts.back().bytes;
          return add(to, bytes, size);
        });
  } else {
    task->parts.push_back({now.options.value("name", ""), ""});
    is_complete = reader([&](const char* bytes, size_t size) {
      return add(&task->parts.back().bytes, bytes, size);
    });
  }
  if (is_complete) now.connection->SetBodyDone();
  if (!code.empty()) {
    Refuse(response, code, message);
    return false;
  }
  if (!is_complete) {
    if (now.connection->IsTimedOut())
      Refuse(response, "too_slow", "the body came too slowly");
    else
      Refuse(response, "invalid",
             "the body is not complete, or is not a form as its Content-Type "
             "says");
    return false;
  }
  if (task->parts.empty()) {
    Refuse(response, "invalid", "the form has no field 'file'");
    return false;
  }
  for (const Task::Part& part : task->parts) {
    if (!part.bytes.empty()) continue;
    Refuse(response, "invalid", "a file is empty");
    return false;
  }
  return true;
}

bool Front::UnpackPaddleX(Task* task, Response* response) {
  Exchange& now = *exchange;
  const Json body = Json::parse(task->parts[0].bytes, nullptr, false);
  const auto refuse = [&](const std::string& message) {
    Refuse(response, "invalid", message);
    return false;
  };
  if (body.is_discarded()) return refuse("the body is not JSON");
  const Json& schema = now.found.operation->bodies.at("application/json");
  if (const std::string problem = contract_.Problem(schema, body, "the body");
      !problem.empty())
    return refuse(problem);
  const auto& text = body["file"].get_ref<const std::string&>();
  if (text.find("://") < 16)
    return refuse("file must be base64; addresses are never fetched");
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes || bytes->empty()) return refuse("file is not base64");
  if (body.value("fileType", Json()) == 0 && !bytes->starts_with("%PDF"))
    return refuse("fileType is 0, and file is no PDF file");
  if (body.value("fileType", Json()) == 1 && bytes->starts_with("%PDF"))
    return refuse("fileType is 1, and file is a PDF file");
  task->parts[0].bytes = *std::move(bytes);
  if (const Json threshold = body.value("textRecScoreThresh", Json());
      threshold.is_number())
    task->options["min_confidence"] = threshold;
  // Nothing is ignored in silence.
  std::string ignored;
  static const std::array kUsed = {"file", "fileType", "textRecScoreThresh"};
  for (const auto& [name, value] : body.items())
    if (std::find(kUsed.begin(), kUsed.end(), name) == kUsed.end() &&
        IsSaneId(name) && ignored.size() < 1000 && !value.is_null())
      ignored += (ignored.empty() ? "" : ", ") + name;
  if (!ignored.empty()) response->set_header("X-Munja-Ignored", ignored);
  return true;
}

void Front::AnswerPost(const HttpRequest& request, Response* response,
                       const httplib::ContentReader& reader) {
  Exchange& now = *exchange;
  const std::string& id = now.found.operation->id;
  const auto task = std::make_shared<Task>();
  task->client = now.client;
  task->owner = now.owner;
  task->is_job = id == "createJob";
  task->options = now.options;
  task->memory = std::make_unique<BodyMemory>(&body_bytes_);
  std::string language;
  if (!Receive(request, reader, task.get(), &language, response)) return;
  if (id == "ocr") {
    task->options["format"] = now.is_paddlex ? kPaddleX : kLiteParse;
    if (!language.empty()) {
      const Json& form = now.found.operation->bodies.at("multipart/form-data");
      if (const std::string problem = contract_.Problem(
              form["properties"]["language"], language, "language");
          !problem.empty())
        return Refuse(response, "invalid", problem);
      task->options["language"] = language;
    }
    if (now.is_paddlex && !UnpackPaddleX(task.get(), response)) return;
  }
  if (task->options.contains("region"))
    task->options["region"] =
        Json::parse("[" + task->options["region"].get<std::string>() + "]");
  const Limits& limits = options_.limits;
  task->submitted = Clock::now();
  task->deadline = task->submitted +
                   Seconds(task->is_job ? limits.job_seconds : limits.seconds);
  if (task->is_job) {
    const std::string job = jobs_.Add(task);
    if (job.empty())
      return Refuse(response, "busy", "too many jobs are kept or wait");
    response->status = 202;
    response->set_header("Location", "/v1/jobs/" + job);
    return response->set_content(Dump(jobs_.Describe(job, task.get())),
                                 "application/json");
  }
  if (!pool_.Submit(task)) return Refuse(response, "busy", "the queue is full");
  bool is_in_time = true;
  {
    std::unique_lock lock(task->mutex);
    // The pool answers at the deadline; this is for an error in it.
    const Clock::time_point last = task->deadline + Seconds(10);
    while (task->state != Task::State::kDone && is_in_time) {
      task->changed.wait_for(lock, std::chrono::milliseconds(200));
      const bool is_waiting = task->state == Task::State::kQueued;
      is_in_time = Clock::now() < (is_waiting ? task->deadline : last);
      if (task->state == Task::State::kDone || !now.connection->IsClientGone())
        continue;
      lock.unlock();
      pool_.Cancel(task);
      now.code = "client_gone";
      response->status = 409;  // No one sees it.
      return;
    }
    if (task->state == Task::State::kDone) is_in_time = true;
  }
  if (!is_in_time) {
    pool_.Cancel(task);
    return Refuse(response, "busy",
                  "no worker was free within the time of a request");
  }
  SendResult(task.get(), response);
}

}  // namespace munja::server
