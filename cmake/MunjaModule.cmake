# One call per folder of src/. The file name's suffix is its role:
#   x.cc x.h x-inl.h -> library;  x_test.cc -> test;  x_bench.cc -> benchmark;
#   x_fuzz.cc -> fuzzer (and a replay test);  testing.{h,cc} -> test support.
#
#   munja_module(NAME [REGISTRY file.def] [SUBFOLDERS a b] [EXCLUDE a.cc b/c.cc] [DEPS munja_x ...]
#                [LINK libraries ...] [TEST_LINK libraries ...] [FUZZ_SUPPORT testing.cc])
#
# DEPS is the module's *direct* list of other modules; the test "layers" compares it with the
# #include lines. LINK names libraries from outside (PRIVATE to the module), TEST_LINK those that
# only its tests need, FUZZ_SUPPORT sources that its fuzzers are compiled with.
function(munja_module MODULE)
  cmake_parse_arguments(PARSE_ARGV 1 A "" "REGISTRY" "SUBFOLDERS;EXCLUDE;DEPS;LINK;TEST_LINK;FUZZ_SUPPORT")
  set(dir ${PROJECT_SOURCE_DIR}/src/${MODULE})
  string(REPLACE "/" "_" id ${MODULE})
  set(t munja_${id})
  set(globs ${dir}/*.cc)
  foreach(s IN LISTS A_SUBFOLDERS)
    list(APPEND globs ${dir}/${s}/*.cc)
  endforeach()
  file(GLOB all CONFIGURE_DEPENDS ${globs})
  list(TRANSFORM A_EXCLUDE PREPEND ${dir}/)
  list(REMOVE_ITEM all ${A_EXCLUDE})
  set(lib ${all})
  list(FILTER lib EXCLUDE REGEX "(_(test|bench|fuzz|main)|/testing)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "(_test|/testing)\\.cc$")
  set(benches ${all})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(TRANSFORM A_FUZZ_SUPPORT PREPEND ${dir}/)

  if(lib)
    add_library(${t} STATIC ${lib})
    set(visibility PUBLIC)
    munja_warnings(${t})
    target_link_libraries(${t} PRIVATE ${A_LINK})
    munja_unity(${t} 40)
    # Optimizing what the sanitizers add is two thirds of the compiling of code without long loops, and saves its
    # tests nothing. What is slow in the tests is in the modules named here; those with threads are fewer.
    set(slow "tensor|kernels|image|geometry|ocr")
    if(NOT MUNJA_SANITIZE MATCHES "thread")
      string(APPEND slow "|compress|nn|text|document|train/synth|drivers/local")
    endif()
    if(MUNJA_SANITIZE AND NOT MUNJA_FUZZ AND NOT MODULE MATCHES "^(${slow})$")
      munja_quick_to_build(${t})
    endif()
    # What arranges and translates has no loops that the vectorizer could help, and takes a third longer with it.
    if(MODULE MATCHES "^(graph|tflite|compat|import|compress|document|bundle|capi|nn|nn/transport|drivers/.*|delegates/.*)$")
      target_compile_options(${t} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    if(MODULE MATCHES "^(kernels|ops)$")
      # A program that is linked with few operators gets the functions that it needs, whatever was
      # compiled with them.
      target_compile_options(${t} PRIVATE -ffunction-sections -fdata-sections)
    endif()
  else()
    add_library(${t} INTERFACE)
    set(visibility INTERFACE)
    target_link_libraries(${t} INTERFACE ${A_LINK})
  endif()
  target_include_directories(${t} ${visibility} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${t} ${visibility} ${A_DEPS})
  set_property(GLOBAL APPEND PROPERTY MUNJA_MODULES ${MODULE})
  set_property(GLOBAL PROPERTY MUNJA_MODULE_DEPS_${MODULE} ${A_DEPS})

  if(A_REGISTRY)
    munja_check_registry(${MODULE} ${A_REGISTRY})
  endif()
  if(MUNJA_DEVELOPER_MODE AND tests)
    add_executable(${t}_test ${tests})
    munja_warnings(${t}_test)
    munja_quick_to_build(${t}_test)
    munja_unity(${t}_test 40)
    target_link_libraries(${t}_test PRIVATE ${t} ${A_LINK} ${A_TEST_LINK})
    munja_test_program(${t}_test ${MODULE})
  endif()
  if(MUNJA_DEVELOPER_MODE AND benches AND benchmark_FOUND)
    add_executable(${t}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${t}_bench PRIVATE ${t} ${A_LINK} benchmark::benchmark_main)
  endif()
  foreach(f IN LISTS fuzzers)
    munja_fuzzer(${t} ${f} "${A_LINK}" ${A_FUZZ_SUPPORT})
  endforeach()
endfunction()

# Each TEST of the program becomes a test of ctest, "PREFIX/Suite.Name", or each suite (below). They run in any order and
# beside each other: the main() that is linked here gives each a folder of its own.
function(munja_test_program target prefix)
  target_link_libraries(${target} PRIVATE GTest::gmock munja_test_main)
  target_compile_definitions(${target} PRIVATE MUNJA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # "munja_tests" builds what the tests need and nothing else.
  add_dependencies(munja_tests ${target})
  # Where nothing is known of earlier runs, the program with the longest tests begins: at the end one processor
  # would wait for the other.
  set(cost 1)
  if(prefix STREQUAL "train")
    set(cost 100)
  endif()
  set(environment TEST_TMPDIR=${PROJECT_BINARY_DIR}/tmp)
  # Programs that take long to start are started once for a suite, "PREFIX/Suite": loading libtorch is a second,
  # what AddressSanitizer prepares and looks for at the end more than most tests take. Not those that CMakePresets.json
  # and tools/test-sanitized name tests of, nor those with long tests, which run beside each other.
  set(small "base|tensor|kernels|graph|tflite|ops|runtime|compat|import|image|geometry|text|document|ocr|bundle")
  if(prefix STREQUAL "train" OR (MUNJA_SANITIZE AND prefix MATCHES "^(${small})$"))
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites)
    file(GENERATE OUTPUT ${file}.cmake CONTENT "include([=[${PROJECT_SOURCE_DIR}/cmake/MunjaSuites.cmake]=])
munja_add_suites([=[$<TARGET_FILE:${target}>]=] ${target} ${prefix} [=[${file}_list.cmake]=] ${cost} [=[${environment}]=])
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file}.cmake)
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                       PROPERTIES LABELS "${prefix}" TIMEOUT 900 COST ${cost} ENVIRONMENT "${environment}")
endfunction()

function(munja_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wimplicit-fallthrough
                         $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees overlapping copies in std::string concatenation at -O3 (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(MUNJA_DEVELOPER_MODE OR MUNJA_WARNINGS_ARE_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# For modules whose loops run over pixels or elements of tensors.
function(munja_optimize)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O3>)
  endforeach()
endfunction()

# For tests in the folder of a release, and sanitized ones: they need the libraries' speed, not their
# own, and compile in half the time without the optimizer.
function(munja_quick_to_build target)
  if(MUNJA_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endfunction()

# Every row NAME(symbol, stem, ...) of a .def must have one stem.cc, beside it or in a folder right below, and
# stem_test.cc beside that.
function(munja_check_registry module registry)
  set(dir ${PROJECT_SOURCE_DIR}/src/${module})
  get_filename_component(folder ${dir}/${registry} DIRECTORY)
  file(STRINGS ${dir}/${registry} rows REGEX "^[A-Z_]+\\(")
  list(TRANSFORM rows REPLACE "^[A-Z_]+\\([ ]*[A-Za-z0-9_]+,[ ]*([a-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES rows)
  foreach(stem IN LISTS rows)
    file(GLOB source ${folder}/${stem}.cc ${folder}/*/${stem}.cc)
    list(LENGTH source n)
    string(REGEX REPLACE "\\.cc$" "_test.cc" test "${source}")
    if(NOT n EQUAL 1)
      message(SEND_ERROR "src/${module}/${registry} lists '${stem}': there are ${n} files ${stem}.cc, not one")
    elseif(NOT EXISTS ${test})
      message(SEND_ERROR "src/${module}/${registry} lists '${stem}', but ${stem}_test.cc is missing beside ${source}")
    endif()
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dir}/${registry})
endfunction()

# A fuzz target is a libFuzzer binary under the preset "fuzz"; everywhere else its corpus
# (fuzz/corpora/<stem>) is replayed by the ordinary tests.
function(munja_fuzzer library file links)
  get_filename_component(stem ${file} NAME_WE)
  if(MUNJA_FUZZ)
    add_executable(${stem} ${file} ${ARGN})
    target_compile_options(${stem} PRIVATE -fsanitize=fuzzer)
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${stem} PRIVATE ${library} ${links})
  elseif(MUNJA_DEVELOPER_MODE)
    if(NOT TARGET munja_replay_main)
      add_library(munja_replay_main OBJECT ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
      munja_quick_to_build(munja_replay_main)
    endif()
    add_executable(${stem}_replay ${file} ${ARGN} $<TARGET_OBJECTS:munja_replay_main>)
    munja_quick_to_build(${stem}_replay)
    target_link_libraries(${stem}_replay PRIVATE ${library} ${links})
    add_dependencies(munja_tests ${stem}_replay)
    add_test(NAME fuzz/${stem} COMMAND ${stem}_replay ${PROJECT_SOURCE_DIR}/fuzz/corpora/${stem})
    set_tests_properties(fuzz/${stem} PROPERTIES LABELS fuzz TIMEOUT 600)
  endif()
endfunction()

# After the last module: the table for the layer test.
function(munja_finish_modules)
  get_property(modules GLOBAL PROPERTY MUNJA_MODULES)
  set(text "set(modules ${modules})\n")
  foreach(m IN LISTS modules)
    get_property(deps GLOBAL PROPERTY MUNJA_MODULE_DEPS_${m})
    list(TRANSFORM deps REPLACE "^munja_" "")
    string(APPEND text "set(allowed_${m} ${deps})\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/layers.cmake "${text}")
  if(MUNJA_DEVELOPER_MODE)
    add_test(NAME layers COMMAND ${CMAKE_COMMAND} -DLAYERS=${PROJECT_BINARY_DIR}/layers.cmake
             -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake)
    add_test(NAME source_rules COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
             -P ${PROJECT_SOURCE_DIR}/cmake/CheckSourceRules.cmake)
  endif()
endfunction()
