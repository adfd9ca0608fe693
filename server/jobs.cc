#include "server/jobs.h"

#include <algorithm>

namespace munja::server {

std::string Jobs::Add(const std::shared_ptr<Task>& task) {
  Sweep();
  const std::string id = RandomId(16);
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= static_cast<size_t>(limits_.jobs)) return "";
    jobs_[id] = task;
  }
  if (pool_.Submit(task)) return id;
  const std::lock_guard lock(mutex_);
  jobs_.erase(id);
  return "";
}

bool Jobs::IsExpired(Task* task) const {
  const std::lock_guard lock(task->mutex);
  return task->state == Task::State::kDone &&
         Clock::now() > task->finished + Seconds(limits_.keep_job_seconds);
}

std::shared_ptr<Task> Jobs::Find(const std::string& id,
                                 const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->owner != client ||
      IsExpired(found->second.get()))
    return nullptr;
  return found->second;
}

void Jobs::Remove(const std::string& id) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    task = found->second;
    jobs_.erase(found);
  }
  pool_.Cancel(task);
}

void Jobs::Sweep() {
  const std::lock_guard lock(mutex_);
  std::erase_if(
      jobs_, [this](const auto& job) { return IsExpired(job.second.get()); });
}

size_t Jobs::count() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

Json Jobs::Describe(const std::string& id, Task* task) const {
  const int position = pool_.PositionOf(*task);
  const std::lock_guard lock(task->mutex);
  Json job = {{"id", id}, {"page", task->page}, {"pages", task->pages}};
  if (task->state == Task::State::kQueued) {
    job["state"] = "queued";
    job["position"] = position;
  } else if (task->state == Task::State::kRunning) {
    job["state"] = "running";
  } else {
    const double left =
        limits_.keep_job_seconds -
        std::chrono::duration<double>(Clock::now() - task->finished).count();
    job["expires_in"] = static_cast<int>(std::max(0.0, left));
    job["state"] = task->answer.code.empty() ? "done" : "failed";
    if (task->answer.code.empty()) {
      job["page"] = job["pages"] = task->answer.pages;
    } else {
      job["error"] = task->answer.message;
      job["code"] = task->answer.code;
    }
  }
  return job;
}

}  // namespace munja::server
