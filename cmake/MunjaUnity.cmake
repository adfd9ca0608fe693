# Unity builds (option MUNJA_UNITY): several files of a target are compiled as one, so that headers,
# which cost more than what most files add to them, are read once. Releases, their tests and sanitized
# builds are made so; the presets for development compile file by file.
#
# Files that are compiled together share one unnamed namespace. Two files that use a private name twice say so
# when they meet ("redefinition of"): give the name a longer form, or put what they share into a header.
# `alone`: files that are compiled by themselves all the same.

function(munja_unity target files_together)
  set(munja_alone ${ARGN})
  if(NOT MUNJA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_together})
  # Here a name may hide one of a neighboring file, with which it has nothing to do.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # To the compiler the unnamed namespace of a file looks as if it came from a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    # The compiler looks for memory to give back less often: a tenth of its time, for half a gigabyte.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=400" "SHELL:--param ggc-min-heapsize=400000")
  endif()
  get_target_property(sources ${target} SOURCES)
  set(for_each_target)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}")
      set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endif()
    if(source MATCHES "\\.cc$" AND EXISTS ${source})
      file(STRINGS ${source} includes REGEX "foreach_target\\.h" LIMIT_COUNT 1)
      if(includes)
        list(APPEND for_each_target ${source})
      endif()
    endif()
    if(source IN_LIST munja_alone OR source IN_LIST for_each_target)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  munja_vector_units(${target} "${for_each_target}")
endfunction()

# Files that include themselves once for each set of vector instructions (Highway's foreach_target.h) are put together
# by a file that does so in their place: it is the one that is included again, and their own wish finds the header's
# guard. A unit has up to 120 kB of files: the headers take two seconds for all sets of instructions, and the compiler's
# memory, about a gigabyte then, grows with the files.
function(munja_vector_units target files)
  set(unit)
  set(size 0)
  set(number 0)
  foreach(file IN LISTS files)
    file(SIZE ${file} bytes)
    math(EXPR sum "${size} + ${bytes}")
    if(unit AND sum GREATER 120000)
      munja_vector_unit(${target} ${number} "${unit}")
      math(EXPR number "${number} + 1")
      set(unit)
      set(sum ${bytes})
    endif()
    list(APPEND unit ${file})
    set(size ${sum})
  endforeach()
  if(unit)
    munja_vector_unit(${target} ${number} "${unit}")
  endif()
endfunction()

function(munja_vector_unit target number files)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/vector_units/${target}_${number}.cc)
  set(again "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${unit}\"\n")
  set(text "${again}#include \"hwy/foreach_target.h\"\n")
  foreach(file IN LISTS files)
    string(APPEND text "#include \"${file}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${unit} CONTENT "${text}${again}" @ONLY)
  set_source_files_properties(${files} PROPERTIES HEADER_FILE_ONLY ON)
  set_source_files_properties(${unit} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${unit})
endfunction()
