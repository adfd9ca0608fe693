#include "server/front.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "server/connection_threads.h"
#include "server/exchange.h"
#include "server/page.h"

namespace munja::server {

// ---- Connections ------------------------------------------------------------

Front::Front(const ServerOptions& options, const ApiKeys& keys, SSL_CTX* tls,
             Pool* pool, Jobs* jobs, Metrics* metrics)
    : options_(options),
      keys_(keys),
      tls_(tls),
      pool_(*pool),
      jobs_(*jobs),
      metrics_(*metrics) {
  new_task_queue = [] { return new ConnectionThreads; };
  // Two servers must not share a port without a word.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  set_payload_max_length(options.limits.max_body + (1u << 20));
  set_keep_alive_timeout(15);
  set_keep_alive_max_count(1000);
  set_pre_routing_handler(
      [this](const HttpRequest& request, Response& response) {
        return Check(request, &response) ? HandlerResponse::Handled
                                         : HandlerResponse::Unhandled;
      });
  set_expect_100_continue_handler(
      [this](const HttpRequest& request, Response& response) {
        return Check(request, &response) ? response.status : 100;
      });
  Post(".*", [this](const HttpRequest& request, Response& response,
                    const httplib::ContentReader& reader) {
    AnswerPost(request, &response, reader);
  });
  set_exception_handler([this](const HttpRequest&, Response& response,
                               const std::exception_ptr& thrown) {
    std::string text = "unknown";
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {
    }
    LogLine("error", "exception", {{"message", text}});
    Refuse(&response, "internal", "the server failed at this request");
  });
  set_error_handler(HandlerWithResponse([](const HttpRequest&,
                                           Response& response) {
    if (response.body.empty())
      response.set_content(ErrorBody(CodeOfStatus(response.status),
                                     response.status, "the request is wrong"),
                           "application/json");
    return HandlerResponse::Handled;
  }));
  set_logger([](const HttpRequest&, const Response& response) {
    if (exchange != nullptr) exchange->status = response.status;
  });
}

int Front::Bind() {
  const int port = options_.port == 0 ? bind_to_any_port(options_.host)
                   : bind_to_port(options_.host, options_.port) ? options_.port
                                                                : -1;
  // The library asks for a queue of five connections.
  if (port > 0) ::listen(svr_sock_, 1024);
  return port;
}

void Front::Stop() {
  stops_ = true;
  stop();
}

bool Front::process_and_close_socket(socket_t socket) {
  Connection connection(socket, tls_, options_.limits);
  std::string address;
  int port = 0;
  connection.get_remote_ip_and_port(address, port);
  bool is_one_too_many = false;
  {
    const std::lock_guard lock(mutex_);
    const int most = options_.limits.connections;
    const int of_address = ++connections_of_[address];
    is_one_too_many = ++connections_ > most || of_address > (most + 1) / 2;
  }
  if (!connection.Handshake()) {
    // No one can be told.
  } else if (is_one_too_many) {
    Exchange refused;
    exchange = &refused;
    refused.connection = &connection;
    connection.SendError(
        503, "Service Unavailable", "Retry-After: 5\r\n",
        ErrorBody("overloaded", 503, "there are too many connections"));
    metrics_.CountRequest("other", 503, 0, 0, 0);
    exchange = nullptr;
  } else {
    Converse(&connection, address);
  }
  connection.Close();
  const std::lock_guard lock(mutex_);
  --connections_;
  if (--connections_of_[address] == 0) connections_of_.erase(address);
  return true;
}

void Front::Converse(Connection* connection, const std::string& address) {
  constexpr int kMost = 1000;
  for (int count = 1; connection->WaitForRequest(stops_); ++count) {
    Exchange current;
    current.connection = connection;
    current.address = address;
    exchange = &current;
    HeadProblem problem = connection->ReadHead();
    bool goes_on = false;
    if (problem.status == 0) {
      bool is_closed = false;
      const bool is_last = count >= kMost || stops_;
      goes_on = process_request(*connection, is_last, is_closed, nullptr) &&
                !is_closed && !is_last && !connection->HasUnreadBody();
      if (current.status != 0) Log({}, current.status);
    } else if (!problem.message.empty()) {
      current.code = CodeOfStatus(problem.status);
      connection->SendError(
          problem.status, "Refused", "X-Request-Id: " + current.id + "\r\n",
          ErrorBody(current.code, problem.status, problem.message));
      Log({}, problem.status);
    }
    exchange = nullptr;
    if (!goes_on) return;
  }
}

void Front::Log(const HttpRequest&, int status) {
  const Exchange& now = *exchange;
  const double seconds =
      std::chrono::duration<double>(Clock::now() - now.start).count();
  metrics_.CountRequest(now.route, status, seconds,
                        now.connection->body_bytes(),
                        now.connection->sent_bytes());
  if (options_.quiet && status < 500) return;
  Json line = {{"id", now.id},
               {"route", now.route},
               {"status", status},
               {"ms", static_cast<int64_t>(seconds * 1000)},
               {"bytes_in", now.connection->body_bytes()},
               {"bytes_out", now.connection->sent_bytes()},
               {"client", now.client.empty() ? now.address : now.client}};
  if (now.pages > 0) line["pages"] = now.pages;
  if (!now.code.empty()) line["code"] = now.code;
  LogLine(status < 500 ? "info" : "error", "request", line);
}

// ---- Requests ---------------------------------------------------------------

void Front::Refuse(Response* response, const std::string& code,
                   const std::string& message, int status) {
  if (status == 0) status = StatusOfCode(code);
  response->status = status;
  exchange->code = code;
  response->set_content(ErrorBody(code, status, message), "application/json");
  if (status == 429 || status == 503)
    response->set_header("Retry-After", std::to_string(pool_.RetryAfter()));
  // The rest of a body is not looked at.
  if (exchange->connection->HasUnreadBody())
    response->set_header("Connection", "close");
}

bool Front::Check(const HttpRequest& request, Response* response) {
  Exchange& now = *exchange;
  // The second time is after an answer of "100 Continue".
  if (std::exchange(now.is_checked, true)) return now.is_answered;
  now.is_answered = true;
  if (const std::string id = request.get_header_value("X-Request-Id");
      IsSaneId(id))
    now.id = id;
  response->set_header("X-Request-Id", now.id);
  response->set_header("X-Content-Type-Options", "nosniff");
  response->set_header("Cache-Control", "no-store");
  const std::string origin = request.get_header_value("Origin");
  if (!options_.cors_origin.empty() && !origin.empty() &&
      (options_.cors_origin == "*" || options_.cors_origin == origin)) {
    response->set_header("Access-Control-Allow-Origin", options_.cors_origin);
    response->set_header("Access-Control-Expose-Headers",
                         "X-Request-Id, Retry-After, Location");
    response->set_header("Vary", "Origin");
    if (request.method == "OPTIONS" &&
        request.has_header("Access-Control-Request-Method")) {
      AnswerPreflight(request, response);
      return true;
    }
  }
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (const PageFile* const file = FindPageFile(request.path)) {
    now.route = file->path;
    if (!is_get) {
      response->set_header("Allow", "GET, HEAD");
      Refuse(response, "wrong_method", "the path answers GET only");
      return true;
    }
    response->status = 200;
    response->set_header("Content-Security-Policy", kPagePolicy);
    response->set_header("Referrer-Policy", "no-referrer");
    response->set_content(std::string(file->text), file->media_type);
    return true;
  }
  now.found = contract_.Find(request.method, request.path);
  if (now.found.operation == nullptr) {
    if (now.found.allowed.empty()) {
      Refuse(response, "not_found",
             "there is no such path; /openapi.json lists all");
    } else {
      response->set_header("Allow", now.found.allowed);
      Refuse(response, "wrong_method",
             "the path answers " + now.found.allowed + " only");
    }
    return true;
  }
  const Operation& operation = *now.found.operation;
  now.route = operation.path;
  now.is_paddlex = operation.id == "ocr" &&
                   Contract::MediaTypeOf(
                       operation, request.get_header_value("Content-Type")) ==
                       "application/json";
  now.client = now.address;
  if (!keys_.empty() && operation.needs_key) {
    std::string key = request.get_header_value("X-Api-Key");
    const std::string bearer = request.get_header_value("Authorization");
    if (Lower(bearer.substr(0, 7)) == "bearer ") key = bearer.substr(7);
    now.owner = keys_.OwnerOf(key);
    if (now.owner.empty()) {
      response->set_header("WWW-Authenticate", "Bearer");
      Refuse(response, "unauthorized",
             key.empty() ? "an API key is needed: 'Authorization: Bearer KEY' "
                           "or 'X-Api-Key: KEY'"
                         : "the API key is wrong");
      return true;
    }
    now.client = now.owner;
  }
  if (const std::string problem =
          contract_.ReadQuery(operation, request.params, &now.options);
      !problem.empty()) {
    Refuse(response, "invalid", problem);
    return true;
  }
  if (request.method == "POST") {
    now.is_answered = CheckBody(request, response);
    return now.is_answered;
  }
  AnswerGet(request, response);
  return true;
}

bool Front::CheckBody(const HttpRequest& request, Response* response) {
  const Operation& operation = *exchange->found.operation;
  if (const std::string encoding = request.get_header_value("Content-Encoding");
      !encoding.empty() && Lower(encoding) != "identity") {
    Refuse(response, "unsupported",
           "compressed bodies (Content-Encoding) are not taken; send the file "
           "as it is");
    return true;
  }
  const std::string type = request.get_header_value("Content-Type");
  if (Contract::MediaTypeOf(operation, type).empty()) {
    std::string known;
    for (const auto& [name, schema] : operation.bodies)
      known += (known.empty() ? "" : ", ") + name;
    Refuse(response, "unsupported",
           "Content-Type must be one of " + known +
               (type.empty() ? "; it is missing" : ""));
    return true;
  }
  const bool has_length = request.has_header("Content-Length");
  if (!has_length && !request.has_header("Transfer-Encoding")) {
    Refuse(response, "no_length", "Content-Length is missing");
    return true;
  }
  size_t most = options_.limits.max_body;
  if (exchange->is_paddlex) most += most / 3 + (64u << 10);
  if (has_length &&
      std::stoull(request.get_header_value("Content-Length")) > most) {
    Refuse(response, "too_large",
           "the body is larger than " + std::to_string(most) + " bytes");
    return true;
  }
  if (stops_) {
    Refuse(response, "stopping", "the server is stopping");
    return true;
  }
  if (!pool_.HasPlace(exchange->client)) {
    Refuse(response, "busy", "the queue is full");
    return true;
  }
  return false;
}

void Front::AnswerPreflight(const HttpRequest& request, Response* response) {
  response->status = 204;
  response->set_header("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response->set_header("Access-Control-Allow-Headers",
                       "Authorization, Content-Type, X-Api-Key, X-Request-Id");
  response->set_header("Access-Control-Max-Age", "600");
  (void)request;
}

std::string Front::MetricsText() {
  const auto count = [](auto number) { return static_cast<double>(number); };
  return metrics_.Text(
      {{{"munja_queue_length", "Requests that wait for a worker."},
        count(pool_.queued())},
       {{"munja_requests_running", "Requests that workers read."},
        count(pool_.running())},
       {{"munja_workers_ready", "Workers that are ready or reading."},
        count(pool_.ready())},
       {{"munja_workers", "Workers that there should be."},
        count(options_.workers)},
       {{"munja_jobs", "Jobs kept."}, count(jobs_.count())},
       {{"munja_connections", "Open connections."}, count(connections_.load())},
       {{"munja_held_body_bytes", "Bytes of bodies in memory."},
        count(body_bytes_.load())}});
}

void Front::AnswerGet(const HttpRequest& request, Response* response) {
  Exchange& now = *exchange;
  const std::string& id = now.found.operation->id;
  response->status = 200;
  if (id == "getHealth") return response->set_content("ok\n", "text/plain");
  if (id == "getReadiness") {
    if (pool_.ready() > 0 && !stops_)
      return response->set_content("ready\n", "text/plain");
    return Refuse(response, "overloaded", "no worker is ready");
  }
  if (id == "getMetrics")
    return response->set_content(MetricsText(), "text/plain; version=0.0.4");
  if (id == "getDescription")
    return response->set_content(std::string(OpenApiText()),
                                 "application/json");
  if (id == "getModels") {
    const munja::Result<std::string> list = munja::Model::List();
    Json models = list.ok() ? Json::parse(*list, nullptr, false) : Json();
    if (!models.is_array()) models = Json::array();
    // Directories of this machine are not for clients.
    for (Json& model : models)
      for (const char* const name : {"path", "error"}) model.erase(name);
    return response->set_content(
        Dump({{"model", pool_.model()}, {"models", models}}),
        "application/json");
  }
  const std::string& job_id = now.found.id;
  const std::shared_ptr<Task> job = jobs_.Find(job_id, now.owner);
  if (job == nullptr)
    return Refuse(response, "not_found",
                  "there is no such job; results are forgotten after a while");
  if (id == "getJob")
    return response->set_content(Dump(jobs_.Describe(job_id, job.get())),
                                 "application/json");
  if (id == "deleteJob") {
    jobs_.Remove(job_id);
    response->status = 204;
    return;
  }
  if (id == "getJobEvents") {
    if (request.method == "HEAD") return;
    return SendEvents(job_id, job, response);
  }
  {
    const std::lock_guard lock(job->mutex);
    if (job->state != Task::State::kDone)
      return Refuse(response, "no_result", "the job is not done yet");
  }
  SendResult(job.get(), response);
}

void Front::SendEvents(const std::string& id, std::shared_ptr<Task> job,
                       Response* response) {
  struct Sent {
    std::string last;
    Clock::time_point at;
  };
  response->set_chunked_content_provider(
      "text/event-stream",
      [this, id, job = std::move(job), sent = std::make_shared<Sent>()](
          size_t, httplib::DataSink& sink) {
        bool is_done = false;
        {
          std::unique_lock lock(job->mutex);
          is_done = job->state == Task::State::kDone;
          if (!is_done && !sent->last.empty())
            job->changed.wait_for(lock, std::chrono::milliseconds(250));
          is_done = job->state == Task::State::kDone;
        }
        Json state = jobs_.Describe(id, job.get());
        state.erase("expires_in");
        const std::string text = Dump(state);
        std::string event;
        if (text != sent->last || is_done)
          event = std::string("event: ") + (is_done ? "done" : "progress") +
                  "\ndata: " + text + "\n\n";
        else if (Clock::now() > sent->at + Seconds(10))
          event = ": still here\n\n";
        if (!event.empty()) {
          sent->last = text;
          sent->at = Clock::now();
          if (!sink.write(event.data(), event.size())) return false;
        }
        // Clients that are gone would be seen only when something is sent.
        if (exchange->connection->IsClientGone()) return false;
        if (is_done || stops_) sink.done();
        return true;
      });
}

void Front::SendResult(Task* task, Response* response) {
  const std::lock_guard lock(task->mutex);
  const Answer& answer = task->answer;
  if (!answer.code.empty())
    return Refuse(response, answer.code, answer.message);
  response->status = 200;
  exchange->pages = answer.pages;
  std::string output = answer.output;
  if (exchange->is_paddlex)
    output = R"({"logId":")" + exchange->id +
             R"(","errorCode":0,"errorMsg":"Success","result":)" + output + "}";
  response->set_content(output, answer.media_type);
}

}  // namespace munja::server
