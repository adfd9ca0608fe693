# Shared libraries. Each is whole by itself, and a larger one has all that a smaller one has, so that a program links one:
#
#   libmunja-runtime   models and sessions
#   libmunja-tflite    the same and the TensorFlow Lite C API
#   libmunja           models and sessions, and reading
#   libmunja-tools     everything: conversion, quantization, pruning, accelerators, the TensorFlow Lite C API. Its own
#                      functions may change from version to version; those of the others are frozen.
#
#   munja_library(KIND LINKED modules...)   modules whose functions are shown; LINKED: the composition root
#
# Only munja_* and TfLite* are visible (src/api/exports.map).
function(munja_library kind linked)
  set(target munja_shared_${kind})
  set(name munja-${kind})
  if(kind STREQUAL "reading")
    set(target munja_shared)
    set(name munja)
  endif()
  set(objects)
  foreach(module IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endforeach()
  add_library(${target} SHARED ${objects})
  target_link_libraries(${target} PRIVATE ${ARGN} munja_linked_${linked})
  target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/include)
  if("munja_tflite_api" IN_LIST ARGN)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/src/tflite_api/include)
  endif()
  set(exports ${PROJECT_SOURCE_DIR}/src/api/exports.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib EXCLUDE_FROM_ALL OFF)
endfunction()
