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
# Visible are the functions that the headers in include/munja declare; of libmunja-tools those in include/munja/tools, too;
# TfLite* where that interface is part of it.
function(munja_library kind linked)
  # Raised for a library that programs built with an earlier one cannot use: docs/reference/install.md.
  set(abi 0)
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
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  if("munja_tflite_api" IN_LIST ARGN)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/tflite_api/include>
                               $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/tflite_short_prefix>
                               $<INSTALL_INTERFACE:include/munja/tflite>)
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/munja/*.h)
  set(patterns)
  if(kind STREQUAL "tools")
    set(patterns "munja_*;")
  else()
    foreach(header IN LISTS headers)
      file(READ ${header} text)
      string(REGEX MATCHALL "MUNJA_API[^;(]*[ *\n](munja_[a-z0-9_]+)\\(" found "${text}")
      foreach(f IN LISTS found)
        string(REGEX REPLACE ".*[ *\n](munja_[a-z0-9_]+)\\($" "\\1" f "${f}")
        string(APPEND patterns "${f}; ")
      endforeach()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  endif()
  if("munja_tflite_api" IN_LIST ARGN)
    string(APPEND patterns " TfLite*; munja_resolver_add_tflite;")
  endif()
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "MUNJA_${abi} { global: ${patterns} local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} VERSION ${abi}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH} SOVERSION ${abi}
    LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib EXCLUDE_FROM_ALL OFF)
endfunction()
