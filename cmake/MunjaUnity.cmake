# Unity builds (option MUNJA_UNITY): several files of a target are compiled as one, so that headers,
# which cost more than what most files add to them, are read once. Releases, their tests and sanitized
# builds are made so; the presets for development compile file by file.
#
# What is compiled together shares one unnamed namespace. Two files that use a private name twice say so
# when they meet ("redefinition of"): give the name a longer form, or add one of the files here.
set(munja_alone
    src/bundle/write_test.cc src/compat/foreign_helpers_test.cc src/runtime/float_io_test.cc
    src/train/page_feeder_test.cc src/train/synth/alphabet_test.cc src/train/synth/page_recipe_test.cc
    src/train/synth/grammar_test.cc src/train/synth/line_source_test.cc src/train/synth/text_source_test.cc
    src/bundle/write.cc src/bundle/pull/pull.cc src/compat/foreign_operator.cc src/compress/tune_bias.cc
    src/graph/dump_text.cc src/graph/rewrite/symbolic_shapes.cc src/ops/support/quantized/lookup_table.cc
    src/ops/support/quantized/quantized_activation.cc src/ops/support/linear/quantized_batch_matmul.cc
    src/ops/support/linear/quantized_linear.cc src/ops/support/quantized/quantized_unary.cc
    src/ops/support/string_moves.cc
    src/compat/operator.cc src/document/reading_order.cc src/document/results.cc src/document/score_test.cc
    src/image/codecs/gif_decode_test.cc src/image/codecs/pnm_decode_test.cc src/image/codecs/tiff_decode_test.cc
    src/image/warp_test.cc src/import/infer_movement.cc src/import/lower_sums.cc
    src/kernels/depthwise/depthwise_conv_2d_test.cc src/kernels/conv/half_map_test.cc
    src/kernels/depthwise/half_depthwise_x86.cc src/kernels/conv/half_line_conv.cc
    src/kernels/conv/int_conv_2d.cc src/kernels/move/strided_copy.cc src/ops/op.cc
    src/ops/conv/lateral_conv_2d_test.cc src/ops/rnn/rnn_test.cc src/ops/lookup/skip_gram_test.cc
    src/ops/rnn/svdf_test.cc src/nn/lower/operations.cc src/nn/lower/sequences.cc src/nn/raise/operators.cc
    src/nn/eval/single_operation.cc tests/conformance/tflite_models_test.cc)

function(munja_unity target files_together)
  if(NOT MUNJA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_together})
  # Here a name may hide one of a neighboring file, with which it has nothing to do.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What lies in an unnamed namespace of a file looks to it as if it came from a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    # The compiler looks for memory to give back less often: a tenth of its time, for half a gigabyte.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=400" "SHELL:--param ggc-min-heapsize=400000")
  endif()
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM munja_alone PREPEND ${PROJECT_SOURCE_DIR}/)
  set(for_each_target)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}")
      set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endif()
    if(source MATCHES "/src/(kernels|image)/[a-z0-9_/]+\\.cc$")
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
# guard. Of a unit of about 30 kB more than the headers counts.
function(munja_vector_units target files)
  set(unit)
  set(size 0)
  set(number 0)
  foreach(file IN LISTS files)
    file(SIZE ${file} bytes)
    math(EXPR sum "${size} + ${bytes}")
    if(unit AND sum GREATER 30000)
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
