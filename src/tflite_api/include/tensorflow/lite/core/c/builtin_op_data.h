/* Parameters of builtin operators: what init gets and node->builtin_data
 * points at. Options that a model lacks are zero. */
#ifndef MUNJA_TFLITE_CORE_C_BUILTIN_OP_DATA_H_
#define MUNJA_TFLITE_CORE_C_BUILTIN_OP_DATA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room in the parameters that hold lists. */
#define TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT 8
#define TFLITE_STABLEHLO_SCATTER_PARAMS_MAX_DIMENSION_COUNT 8
#define TFLITE_STABLEHLO_GATHER_PARAMS_MAX_DIMENSION_COUNT 8
#define TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT 8
#define TFLITE_STABLEHLO_PAD_PARAMS_MAX_DIMENSION_COUNT 8
#define TFLITE_STABLEHLO_CASE_PARAMS_MAX_BRANCHES_COUNT 20

typedef enum TfLitePadding {
  kTfLitePaddingUnknown = 0,
  kTfLitePaddingSame = 1,
  kTfLitePaddingValid = 2
} TfLitePadding;

typedef enum TfLiteMirrorPaddingMode {
  kTfLiteMirrorPaddingUnknown = 0,
  kTfLiteMirrorPaddingReflect = 1,
  kTfLiteMirrorPaddingSymmetric = 2
} TfLiteMirrorPaddingMode;

typedef enum TfLiteFusedActivation {
  kTfLiteActNone = 0,
  kTfLiteActRelu = 1,
  kTfLiteActReluN1To1 = 2,
  kTfLiteActRelu6 = 3,
  kTfLiteActTanh = 4,
  kTfLiteActSignBit = 5,
  kTfLiteActSigmoid = 6
} TfLiteFusedActivation;

typedef enum TfLiteFullyConnectedWeightsFormat {
  kTfLiteFullyConnectedWeightsFormatDefault = 0,
  kTfLiteFullyConnectedWeightsFormatShuffled4x16Int8 = 1
} TfLiteFullyConnectedWeightsFormat;

typedef enum TfLiteLSHProjectionType {
  kTfLiteLshProjectionUnknown = 0,
  kTfLiteLshProjectionSparse = 1,
  kTfLiteLshProjectionDense = 2
} TfLiteLSHProjectionType;

typedef enum TfLiteLSTMKernelType {
  kTfLiteLSTMFullKernel = 0,
  kTfLiteLSTMBasicKernel = 1
} TfLiteLSTMKernelType;

typedef enum TfLiteCombinerType {
  kTfLiteCombinerTypeSum = 0,
  kTfLiteCombinerTypeMean = 1,
  kTfLiteCombinerTypeSqrtn = 2
} TfLiteCombinerType;

typedef enum TfLiteRngAlgorithm {
  kTfLiteRngAlgorithmUnknown = 0,
  kTfLiteRngAlgorithmDefault = 1,
  kTfLiteRngAlgorithmPhilox = 2,
  kTfLiteRngAlgorithmThreefry = 3
} TfLiteRngAlgorithm;

typedef enum TfLiteReduceWindowFunction {
  TfLiteReduceWindowFunctionUnsupported = 0,
  TfLiteReduceWindowFunctionAdd = 1,
  TfLiteReduceWindowFunctionMul = 2,
  TfLiteReduceWindowFunctionMin = 3,
  TfLiteReduceWindowFunctionMax = 4,
  TfLiteReduceWindowFunctionAll = 5,
  TfLiteReduceWindowFunctionAny = 6
} TfLiteReduceWindowFunction;

/* C has no empty structs. */
typedef struct EmptyStructPlaceholder {
  char placeholder;
} EmptyStructPlaceholder;

typedef struct TfLitePaddingValues {
  int width;
  int height;
  int width_offset;
  int height_offset;
} TfLitePaddingValues;

typedef struct TfLiteMirrorPaddingParams {
  TfLiteMirrorPaddingMode mode;
} TfLiteMirrorPaddingParams;

typedef struct TfLiteConvParams {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  TfLiteFusedActivation activation;
  int dilation_width_factor;
  int dilation_height_factor;
  TfLiteType quantized_bias_type;
} TfLiteConvParams;

typedef struct TfLiteConv3DParams {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int stride_depth;
  int dilation_width_factor;
  int dilation_height_factor;
  int dilation_depth_factor;
  TfLiteFusedActivation activation;
} TfLiteConv3DParams;

typedef TfLiteConv3DParams TfLiteConv3DTransposeParams;

typedef struct TfLitePoolParams {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int filter_width;
  int filter_height;
  TfLiteFusedActivation activation;
  struct {
    TfLitePaddingValues padding;
  } computed;
} TfLitePoolParams;

typedef struct TfLiteDepthwiseConvParams {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int depth_multiplier;
  TfLiteFusedActivation activation;
  int dilation_width_factor;
  int dilation_height_factor;
} TfLiteDepthwiseConvParams;

typedef struct TfLiteSVDFParams {
  int rank;
  TfLiteFusedActivation activation;
  bool asymmetric_quantize_inputs;
} TfLiteSVDFParams;

typedef struct TfLiteRNNParams {
  TfLiteFusedActivation activation;
  bool asymmetric_quantize_inputs;
} TfLiteRNNParams;

typedef struct TfLiteSequenceRNNParams {
  bool time_major;
  TfLiteFusedActivation activation;
  bool asymmetric_quantize_inputs;
} TfLiteSequenceRNNParams;

typedef struct TfLiteBidirectionalSequenceRNNParams {
  bool time_major;
  TfLiteFusedActivation activation;
  bool merge_outputs;
  bool asymmetric_quantize_inputs;
} TfLiteBidirectionalSequenceRNNParams;

typedef struct TfLiteFullyConnectedParams {
  TfLiteFusedActivation activation;
  TfLiteFullyConnectedWeightsFormat weights_format;
  bool keep_num_dims;
  bool asymmetric_quantize_inputs;
  TfLiteType quantized_bias_type;
} TfLiteFullyConnectedParams;

typedef struct TfLiteLSHProjectionParams {
  TfLiteLSHProjectionType type;
} TfLiteLSHProjectionParams;

typedef struct TfLiteSoftmaxParams {
  float beta;
} TfLiteSoftmaxParams;

typedef struct TfLiteConcatenationParams {
  int axis;
  TfLiteFusedActivation activation;
} TfLiteConcatenationParams;

typedef struct TfLiteAddParams {
  TfLiteFusedActivation activation;
  bool pot_scale_int16;
} TfLiteAddParams;

typedef struct TfLiteSpaceToBatchNDParams {
  EmptyStructPlaceholder placeholder;
} TfLiteSpaceToBatchNDParams;

typedef struct TfLiteBatchToSpaceNDParams {
  EmptyStructPlaceholder placeholder;
} TfLiteBatchToSpaceNDParams;

typedef struct TfLiteBatchMatMulParams {
  bool adj_x;
  bool adj_y;
  bool asymmetric_quantize_inputs;
} TfLiteBatchMatMulParams;

typedef struct TfLiteMulParams {
  TfLiteFusedActivation activation;
} TfLiteMulParams;

typedef struct TfLiteSubParams {
  TfLiteFusedActivation activation;
  bool pot_scale_int16;
} TfLiteSubParams;

typedef struct TfLiteDivParams {
  TfLiteFusedActivation activation;
} TfLiteDivParams;

typedef struct TfLiteL2NormParams {
  TfLiteFusedActivation activation;
} TfLiteL2NormParams;

typedef struct TfLiteLocalResponseNormParams {
  int radius;
  float bias;
  float alpha;
  float beta;
} TfLiteLocalResponseNormParams;

typedef struct TfLiteLSTMParams {
  TfLiteFusedActivation activation;
  float cell_clip;
  float proj_clip;
  TfLiteLSTMKernelType kernel_type;
  bool asymmetric_quantize_inputs;
} TfLiteLSTMParams;

typedef struct TfLiteUnidirectionalSequenceLSTMParams {
  TfLiteFusedActivation activation;
  float cell_clip;
  float proj_clip;
  bool time_major;
  bool asymmetric_quantize_inputs;
  bool diagonal_recurrent_tensors;
} TfLiteUnidirectionalSequenceLSTMParams;

typedef struct TfLiteBidirectionalSequenceLSTMParams {
  TfLiteFusedActivation activation;
  float cell_clip;
  float proj_clip;
  bool merge_outputs;
  bool time_major;
  bool asymmetric_quantize_inputs;
} TfLiteBidirectionalSequenceLSTMParams;

typedef struct TfLiteResizeBilinearParams {
  bool align_corners;
  bool half_pixel_centers;
} TfLiteResizeBilinearParams;

typedef struct TfLiteResizeNearestNeighborParams {
  bool align_corners;
  bool half_pixel_centers;
} TfLiteResizeNearestNeighborParams;

typedef struct TfLitePadParams {
  EmptyStructPlaceholder placeholder;
} TfLitePadParams;

typedef struct TfLitePadV2Params {
  EmptyStructPlaceholder placeholder;
} TfLitePadV2Params;

typedef struct TfLiteReshapeParams {
  int32_t shape[TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT];
  int num_dimensions;
} TfLiteReshapeParams;

typedef struct TfLiteSkipGramParams {
  int ngram_size;
  int max_skip_size;
  bool include_all_ngrams;
} TfLiteSkipGramParams;

typedef struct TfLiteSpaceToDepthParams {
  int block_size;
} TfLiteSpaceToDepthParams;

typedef struct TfLiteDepthToSpaceParams {
  int block_size;
} TfLiteDepthToSpaceParams;

typedef struct TfLiteCastParams {
  TfLiteType in_data_type;
  TfLiteType out_data_type;
} TfLiteCastParams;

typedef struct TfLiteEmbeddingLookupSparseParams {
  TfLiteCombinerType combiner;
} TfLiteEmbeddingLookupSparseParams;

typedef struct TfLiteGatherParams {
  int axis;
  int batch_dims;
} TfLiteGatherParams;

typedef struct TfLiteTransposeParams {
  EmptyStructPlaceholder placeholder;
} TfLiteTransposeParams;

typedef struct TfLiteReducerParams {
  bool keep_dims;
} TfLiteReducerParams;

typedef struct TfLiteSplitParams {
  int num_splits;
} TfLiteSplitParams;

typedef struct TfLiteSplitVParams {
  int num_splits;
} TfLiteSplitVParams;

typedef struct TfLiteSqueezeParams {
  int32_t squeeze_dims[8];
  int num_squeeze_dims;
} TfLiteSqueezeParams;

typedef struct TfLiteStridedSliceParams {
  int begin_mask;
  int end_mask;
  int ellipsis_mask;
  int new_axis_mask;
  int shrink_axis_mask;
  bool offset;
} TfLiteStridedSliceParams;

typedef struct TfLiteArgMaxParams {
  TfLiteType output_type;
} TfLiteArgMaxParams;

typedef struct TfLiteArgMinParams {
  TfLiteType output_type;
} TfLiteArgMinParams;

typedef struct TfLiteTransposeConvParams {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  TfLiteFusedActivation activation;
  TfLiteType quantized_bias_type;
} TfLiteTransposeConvParams;

typedef struct TfLiteSparseToDenseParams {
  bool validate_indices;
} TfLiteSparseToDenseParams;

typedef struct TfLiteShapeParams {
  TfLiteType out_type;
} TfLiteShapeParams;

typedef struct TfLiteRankParams {
  EmptyStructPlaceholder placeholder;
} TfLiteRankParams;

typedef struct TfLiteFakeQuantParams {
  float min;
  float max;
  int num_bits;
  bool narrow_range;
} TfLiteFakeQuantParams;

typedef struct TfLitePackParams {
  int values_count;
  int axis;
} TfLitePackParams;

typedef struct TfLiteOneHotParams {
  int axis;
} TfLiteOneHotParams;

typedef struct TfLiteUnpackParams {
  int num;
  int axis;
} TfLiteUnpackParams;

typedef struct TfLiteLeakyReluParams {
  float alpha;
} TfLiteLeakyReluParams;

typedef struct TfLiteUniqueParams {
  TfLiteType index_out_type;
} TfLiteUniqueParams;

typedef struct TfLiteReverseSequenceParams {
  int seq_dim;
  int batch_dim;
} TfLiteReverseSequenceParams;

typedef struct TfLiteMatrixDiagParams {
  EmptyStructPlaceholder placeholder;
} TfLiteMatrixDiagParams;

typedef struct TfLiteMatrixSetDiagParams {
  EmptyStructPlaceholder placeholder;
} TfLiteMatrixSetDiagParams;

typedef struct TfLiteIfParams {
  int then_subgraph_index;
  int else_subgraph_index;
} TfLiteIfParams;

typedef struct TfLiteWhileParams {
  int cond_subgraph_index;
  int body_subgraph_index;
} TfLiteWhileParams;

typedef struct TfLiteCumsumParams {
  bool exclusive;
  bool reverse;
} TfLiteCumsumParams;

typedef struct TfLiteCallOnceParams {
  int init_subgraph_index;
} TfLiteCallOnceParams;

typedef struct TfLiteHashtableParams {
  int table_id;
  TfLiteType key_dtype;
  TfLiteType value_dtype;
} TfLiteHashtableParams;

typedef struct TfLiteVarHandleParams {
  const char* container;
  const char* shared_name;
} TfLiteVarHandleParams;

typedef struct TfLiteRandomParams {
  int seed;
  int seed2;
} TfLiteRandomParams;

typedef struct TfLiteBucketizeParams {
  int num_boundaries;
  const float* boundaries;
} TfLiteBucketizeParams;

typedef struct TfLiteGeluParams {
  bool approximate;
} TfLiteGeluParams;

typedef struct TfLiteStablehloConcatenateParams {
  int64_t dimension;
} TfLiteStablehloConcatenateParams;

typedef struct TfLiteStablehloScatterParams {
  bool indices_are_sorted;
  int64_t
      update_window_dims[TFLITE_STABLEHLO_SCATTER_PARAMS_MAX_DIMENSION_COUNT];
  int num_update_window_dims;
  int64_t
      inserted_window_dims[TFLITE_STABLEHLO_SCATTER_PARAMS_MAX_DIMENSION_COUNT];
  int num_inserted_window_dims;
  int64_t scatter_dims_to_operand_dims
      [TFLITE_STABLEHLO_SCATTER_PARAMS_MAX_DIMENSION_COUNT];
  int num_scatter_dims_to_operand_dims;
  int64_t index_vector_dim;
  bool unique_indices;
  int update_computation_subgraph_index;
} TfLiteStablehloScatterParams;

typedef struct TfLiteStablehloRngBitGeneratorParams {
  TfLiteRngAlgorithm algorithm;
} TfLiteStablehloRngBitGeneratorParams;

typedef struct TfLiteStablehloGatherParams {
  int64_t offset_dims[TFLITE_STABLEHLO_GATHER_PARAMS_MAX_DIMENSION_COUNT];
  int num_offset_dims;
  int64_t
      collapsed_slice_dims[TFLITE_STABLEHLO_GATHER_PARAMS_MAX_DIMENSION_COUNT];
  int num_collapsed_slice_dims;
  int64_t start_index_map[TFLITE_STABLEHLO_GATHER_PARAMS_MAX_DIMENSION_COUNT];
  int num_start_index_map;
  int64_t index_vector_dim;
  int64_t slice_sizes[TFLITE_STABLEHLO_GATHER_PARAMS_MAX_DIMENSION_COUNT];
  int num_slice_sizes;
  bool indices_are_sorted;
} TfLiteStablehloGatherParams;

typedef struct TfLiteStablehloReduceWindowParams {
  int64_t window_dimensions
      [TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT];
  int64_t
      window_strides[TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT];
  int64_t
      base_dilations[TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT];
  int64_t window_dilations
      [TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT];
  int64_t
      padding[2 * TFLITE_STABLEHLO_REDUCE_WINDOW_PARAMS_MAX_DIMENSION_COUNT];
  int body_subgraph_index;
} TfLiteStablehloReduceWindowParams;

typedef struct TfLiteReduceWindowParams {
  TfLiteReduceWindowFunction reduce_function;
} TfLiteReduceWindowParams;

typedef struct TfLiteStablehloPadParams {
  int64_t edge_padding_low[TFLITE_STABLEHLO_PAD_PARAMS_MAX_DIMENSION_COUNT];
  int64_t edge_padding_high[TFLITE_STABLEHLO_PAD_PARAMS_MAX_DIMENSION_COUNT];
  int64_t interior_padding[TFLITE_STABLEHLO_PAD_PARAMS_MAX_DIMENSION_COUNT];
} TfLiteStablehloPadParams;

typedef struct TfLiteStablehloCompositeParams {
  const char* name;
  int32_t subgraph_index;
  int32_t version;
  const uint8_t* attributes;
  size_t attributes_size;
} TfLiteStablehloCompositeParams;

typedef struct TfLiteStablehloCaseParams {
  int32_t
      branch_subgraph_indices[TFLITE_STABLEHLO_CASE_PARAMS_MAX_BRANCHES_COUNT];
  uint32_t num_branches;
} TfLiteStablehloCaseParams;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_BUILTIN_OP_DATA_H_ */
