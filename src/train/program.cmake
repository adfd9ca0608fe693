# munja-train: the training kit's command. Its main() is train_main.cc and catches libtorch's exceptions.
target_include_directories(munja_train SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
# libtorch's headers take half a minute to compile, more than any file that includes them. These are
# therefore compiled together, in two groups each for the library and its tests.
function(munja_compile_together target group)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/train/)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
munja_compile_together(munja_train networks compute_device.cc trained_module.cc nets/conv_block.cc
  nets/detector_net.cc nets/export.cc nets/recognizer_net.cc nets/warm_start.cc)
munja_compile_together(munja_train trainers db_loss.cc detector_evaluation.cc detector_trainer.cc
  export_checkpoint.cc recognizer_evaluation.cc recognizer_trainer.cc)
if(TARGET munja_train_test)
  munja_compile_together(munja_train_test networks nets/testing.cc nets/detector_net_test.cc
    nets/export_test.cc nets/recognizer_net_test.cc nets/warm_start_test.cc)
  munja_compile_together(munja_train_test trainers compute_device_test.cc ctc_loss_test.cc db_loss_test.cc
    export_checkpoint_test.cc)
endif()
add_executable(munja-train ${CMAKE_CURRENT_SOURCE_DIR}/train/train_main.cc)
munja_warnings(munja-train)
target_link_libraries(munja-train PRIVATE munja_train CLI11::CLI11)
set_target_properties(munja-train PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS munja-train RUNTIME)
