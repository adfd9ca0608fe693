# The files of the training kit that need libtorch. Its headers take half a minute to compile, more than
# any file that includes them: these are compiled together, one group for the library and one for its
# tests. Without MUNJA_TORCH they are left out, and what draws and feeds is built alone.
set(munja_torch_networks compute_device.cc distillation_loss.cc trained_module.cc nets/conv_block.cc
    nets/detector_net.cc nets/export.cc nets/recognizer_net.cc nets/torch_weights.cc nets/warm_start.cc)
set(munja_torch_trainers db_loss.cc detector_evaluation.cc detector_trainer.cc export_checkpoint.cc
    prune_checkpoint.cc pruning_steps.cc recognizer_evaluation.cc recognizer_trainer.cc trained_networks.cc)
set(munja_torch_network_tests nets/testing.cc nets/detector_net_test.cc nets/export_test.cc
    nets/recognizer_net_test.cc nets/warm_start_test.cc)
set(munja_torch_trainer_tests compute_device_test.cc ctc_loss_test.cc db_loss_test.cc distillation_test.cc
    export_checkpoint_test.cc prune_checkpoint_test.cc)
# These train.
set(munja_torch_users commands.cc recognizer_trainer_test.cc tiny_recipe_test.cc)
