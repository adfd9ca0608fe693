// The extension munja._munja: the C interface as Python objects, thin. What
// users call lies over it in the package's Python files.
#include "binding.h"

NB_MODULE(_munja, m) {
  namespace nb = nanobind;
  // Engines that a program keeps until its end are no leaks.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const munja::Error& error) {
      // Raise() sets the Python error and throws; here it must only be set.
      try {
        munja_python::Raise({error.code(), error.what()});
      } catch (nb::python_error& raised) {
        raised.restore();
      }
    }
  });
  munja_python::BindControl(m);
  munja_python::BindImage(m);
  munja_python::BindDocument(m);
  munja_python::BindEngine(m);
  munja_python::BindLive(m);
  munja_python::BindNetwork(m);
  munja_python::BindSession(m);
  munja_python::BindTools(m);
}
