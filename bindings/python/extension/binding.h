// Helpers that the files of the extension share. This file includes
// include/munja and nothing else of the project.
#ifndef MUNJA_PYTHON_BINDING_H_
#define MUNJA_PYTHON_BINDING_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "munja/munja.hpp"

namespace munja_python {

namespace nb = nanobind;

// One function for each file; `m` is the extension module.
void BindControl(nb::module_& m);
void BindImage(nb::module_& m);
void BindDocument(nb::module_& m);
void BindEngine(nb::module_& m);
void BindLive(nb::module_& m);
void BindNetwork(nb::module_& m);
void BindSession(nb::module_& m);
void BindTools(nb::module_& m);

// Raises the class of munja._errors that belongs to the code.
[[noreturn]] void Raise(const munja::Status& status);
inline void Unwrap(const munja::Status& status) {
  if (!status.ok()) Raise(status);
}
template <class T>
T Unwrap(munja::Result<T> result) {
  if (!result.ok()) Raise(result.error());
  return std::move(*result);
}

// Text of the library, which it frees.
inline nb::str TakeString(char* text) {
  const munja::Handle<char, munja_free> owner(text);
  return nb::str(text);
}

// A munja::Control whose progress callback is a Python function.
class Control {
 public:
  Control(double seconds, int64_t max_memory, int64_t max_pixels,
          nb::object progress);
  void Cancel() { control_->Cancel(); }
  void Restart() { Unwrap(control_->Restart()); }
  const munja::Control* get() const { return control_.get(); }
  // For the garbage collector: a callback may refer to its control.
  nb::object& progress() { return progress_; }

 private:
  bool Report(std::string_view what, uint64_t done, uint64_t total);

  nb::object progress_;
  std::unique_ptr<munja::Control> control_;
};

// A call that can take long: while it lives, Ctrl-C in the main thread and the
// end of the interpreter cancel it.
class Call {
 public:
  // control: null makes one for this call.
  explicit Call(Control* control);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  const munja::Control* control() const { return control_; }

  // Runs f(), which returns a Status or Result, without the GIL.
  template <class F>
  auto Run(F f) {
    for (;;) {
      auto result = [&] {
        const Interruptible interruptible(this);
        const nb::gil_scoped_release release;
        return f();
      }();
      if (!IsInterrupted(Code(result))) return result;
    }
  }

 private:
  // Lets SIGINT cancel the control, if this is the main thread.
  class Interruptible {
   public:
    explicit Interruptible(Call* call);
    ~Interruptible();

   private:
    bool installed_ = false;
  };

  static munja_status Code(const munja::Status& status) {
    return status.code();
  }
  template <class T>
  static munja_status Code(const munja::Result<T>& result) {
    return result.code();
  }
  // Raises the exception of a callback or signal handler. True: the signal's
  // handler returned, so the call begins anew.
  bool IsInterrupted(munja_status code);

  std::unique_ptr<munja::Control> own_;
  const munja::Control* control_;
};

// An image, and what owns the pixels that it borrows.
struct Image {
  std::shared_ptr<void> owner;
  munja::Image image;
};

// Paths and other text that may be absent.
inline const char* OrNull(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

}  // namespace munja_python

#endif  // MUNJA_PYTHON_BINDING_H_
