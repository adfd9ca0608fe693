#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "binding.h"

namespace munja_python {
namespace {

// The exception that a callback raised in this thread's call.
thread_local std::unique_ptr<nb::python_error> callback_error;

// Calls that run, so that the end of the interpreter can wait for them: a
// thread must not come back to an interpreter that is gone.
struct Running {
  std::mutex mutex;
  std::condition_variable ended;
  std::multiset<munja_control*> controls;
  bool closed = false;
};
Running* all_running = new Running;  // Outlives all threads.

// In the child of a fork, where the calls of other threads never end.
void Forked() { all_running = new Running; }

// The control that SIGINT cancels, and the handler that was there before.
std::atomic<munja_control*> interruptible{nullptr};
static_assert(std::atomic<munja_control*>::is_always_lock_free);
std::atomic<bool> was_interrupted{false};
struct sigaction previous_action;

void OnInterrupt(int number, siginfo_t* info, void* context) {
  if (munja_control* const control = interruptible.load()) {
    was_interrupted.store(true);
    munja_control_cancel(control);
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0)
    previous_action.sa_sigaction(number, info, context);
  else
    previous_action.sa_handler(number);
}

bool IsMainThread() { return syscall(SYS_gettid) == getpid(); }

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<Control>(self)->progress().ptr());
  return 0;
}
int Clear(PyObject* self) {
  nb::inst_ptr<Control>(self)->progress().reset();
  return 0;
}
PyType_Slot control_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {0, nullptr},
};

// Cancels all calls and waits until none runs.
void Shutdown() {
  const nb::gil_scoped_release release;
  Running& running = *all_running;
  std::unique_lock lock(running.mutex);
  running.closed = true;
  for (munja_control* const control : running.controls)
    munja_control_cancel(control);
  running.ended.wait(lock, [&] { return running.controls.empty(); });
}

}  // namespace

void Raise(const munja::Status& status) {
  const nb::object type =
      nb::module_::import_("munja._errors")
          .attr("class_of")(static_cast<int>(status.code()));
  PyErr_SetObject(type.ptr(), nb::str(status.message().c_str()).ptr());
  throw nb::python_error();
}

Control::Control(double seconds, int64_t max_memory, int64_t max_pixels,
                 nb::object progress)
    : progress_(std::move(progress)) {
  munja::ControlOptions options;
  options.seconds = seconds;
  options.max_memory = max_memory;
  options.max_pixels = max_pixels;
  if (!progress_.is_none()) {
    options.progress = [this](std::string_view what, uint64_t done,
                              uint64_t total) {
      return Report(what, done, total);
    };
  }
  control_ = std::make_unique<munja::Control>(std::move(options));
}

bool Control::Report(std::string_view what, uint64_t done, uint64_t total) {
  const nb::gil_scoped_acquire acquire;
  try {
    return !progress_(what, done, total).is(nb::bool_(false));
  } catch (nb::python_error& error) {
    callback_error = std::make_unique<nb::python_error>(std::move(error));
    return false;
  }
}

Call::Call(Control* control)
    : own_(control == nullptr ? std::make_unique<munja::Control>() : nullptr),
      control_(control == nullptr ? own_.get() : control->get()) {
  Running& running = *all_running;
  const std::lock_guard lock(running.mutex);
  if (running.closed)
    throw munja::Error({MUNJA_CANCELLED, "the interpreter is ending"});
  running.controls.insert(control_->get());
}

Call::~Call() {
  Running& running = *all_running;
  const std::lock_guard lock(running.mutex);
  running.controls.erase(running.controls.find(control_->get()));
  running.ended.notify_all();
}

Call::Interruptible::Interruptible(Call* call) {
  struct sigaction now;
  if (!IsMainThread() || interruptible.load() != nullptr ||
      sigaction(SIGINT, nullptr, &now) != 0 ||
      ((now.sa_flags & SA_SIGINFO) == 0 &&
       (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)))
    return;
  previous_action = now;
  was_interrupted.store(false);
  interruptible.store(call->control_->get());
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = OnInterrupt;
  installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
  if (!installed_) interruptible.store(nullptr);
}

Call::Interruptible::~Interruptible() {
  if (!installed_) return;
  interruptible.store(nullptr);
  // A callback may have set a handler of its own, which then stays.
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) == 0 &&
      (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnInterrupt)
    sigaction(SIGINT, &previous_action, nullptr);
}

bool Call::IsInterrupted(munja_status code) {
  if (callback_error != nullptr) {
    const std::unique_ptr<nb::python_error> error = std::move(callback_error);
    throw nb::python_error(std::move(*error));
  }
  if (code != MUNJA_CANCELLED || !IsMainThread() ||
      !was_interrupted.exchange(false))
    return false;
  // A control of the caller's stays cancelled if the handler raises: what runs
  // under it elsewhere ends, too.
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  Unwrap(munja::StatusOf(munja_control_restart(control_->get())));
  return true;
}

void BindControl(nb::module_& m) {
  nb::class_<Control>(
      m, "Control", nb::type_slots(control_slots),
      "Limits, cancellation and progress of calls.\n\n"
      "seconds: time from its creation or the last restart(); 0: unlimited.\n"
      "max_memory: bytes of tensors, images and weights that exist under it;\n"
      "0: 4 GiB, negative: unlimited. max_pixels: of a decoded image; 0: 120\n"
      "million. progress(what, done, total) is called in the thread of the\n"
      "call; total is 0 if it is not known. Returning False cancels; an\n"
      "exception ends the call and is raised by it.")
      .def(nb::init<double, int64_t, int64_t, nb::object>(),
           nb::arg("seconds") = 0.0, nb::arg("max_memory") = 0,
           nb::arg("max_pixels") = 0, nb::arg("progress") = nb::none(),
           nb::sig("def __init__(self, seconds: float = 0.0, max_memory: int "
                   "= 0, max_pixels: int = 0, progress: "
                   "collections.abc.Callable[[str, int, int], object] | None "
                   "= None) -> None"))
      .def("cancel", &Control::Cancel,
           "Ends the calls under it, and new ones, until restart(). Any thread "
           "may call it.")
      .def("restart", &Control::Restart,
           "Restarts the time and withdraws a cancellation.");
  m.def("shutdown", Shutdown);
  m.def("forked", Forked);
}

}  // namespace munja_python
