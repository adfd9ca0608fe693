# The module pruning_study: README.md says what it is. Files that need libtorch are compiled together, as those of train.
set(munja_study_torch yolo_checkpoint.cc yolo_loss.cc yolo_net.cc yolo_trainer.cc)
set(munja_study_torch_tests object_distillation_test.cc yolo_checkpoint_test.cc yolo_loss_test.cc yolo_net_test.cc)
set(torch_free)
if(NOT MUNJA_TORCH)
  set(torch_free EXCLUDE ${munja_study_torch} ${munja_study_torch_tests})
endif()
munja_module(pruning_study ${torch_free}
             DEPS munja_base munja_tensor munja_graph munja_tflite munja_runtime munja_image munja_bundle munja_compress
             munja_synth munja_train
             LINK ${TORCH_LIBRARIES} nlohmann_json::nlohmann_json SUITES ALWAYS)
if(MUNJA_TORCH AND TARGET munja_pruning_study_test)
  target_sources(munja_pruning_study_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/train/nets/testing.cc)
endif()
