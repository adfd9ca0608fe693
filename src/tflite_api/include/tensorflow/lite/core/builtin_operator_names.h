// The builtin operators under the names of the schema.
#ifndef MUNJA_TFLITE_CORE_BUILTIN_OPERATOR_NAMES_H_
#define MUNJA_TFLITE_CORE_BUILTIN_OPERATOR_NAMES_H_

#include "tensorflow/lite/builtin_ops.h"

namespace tflite {

using BuiltinOperator = TfLiteBuiltinOperator;

inline constexpr BuiltinOperator BuiltinOperator_ADD = kTfLiteBuiltinAdd;
inline constexpr BuiltinOperator BuiltinOperator_AVERAGE_POOL_2D =
    kTfLiteBuiltinAveragePool2d;
inline constexpr BuiltinOperator BuiltinOperator_CONCATENATION =
    kTfLiteBuiltinConcatenation;
inline constexpr BuiltinOperator BuiltinOperator_CONV_2D = kTfLiteBuiltinConv2d;
inline constexpr BuiltinOperator BuiltinOperator_DEPTHWISE_CONV_2D =
    kTfLiteBuiltinDepthwiseConv2d;
inline constexpr BuiltinOperator BuiltinOperator_DEPTH_TO_SPACE =
    kTfLiteBuiltinDepthToSpace;
inline constexpr BuiltinOperator BuiltinOperator_DEQUANTIZE =
    kTfLiteBuiltinDequantize;
inline constexpr BuiltinOperator BuiltinOperator_EMBEDDING_LOOKUP =
    kTfLiteBuiltinEmbeddingLookup;
inline constexpr BuiltinOperator BuiltinOperator_FLOOR = kTfLiteBuiltinFloor;
inline constexpr BuiltinOperator BuiltinOperator_FULLY_CONNECTED =
    kTfLiteBuiltinFullyConnected;
inline constexpr BuiltinOperator BuiltinOperator_HASHTABLE_LOOKUP =
    kTfLiteBuiltinHashtableLookup;
inline constexpr BuiltinOperator BuiltinOperator_L2_NORMALIZATION =
    kTfLiteBuiltinL2Normalization;
inline constexpr BuiltinOperator BuiltinOperator_L2_POOL_2D =
    kTfLiteBuiltinL2Pool2d;
inline constexpr BuiltinOperator BuiltinOperator_LOCAL_RESPONSE_NORMALIZATION =
    kTfLiteBuiltinLocalResponseNormalization;
inline constexpr BuiltinOperator BuiltinOperator_LOGISTIC =
    kTfLiteBuiltinLogistic;
inline constexpr BuiltinOperator BuiltinOperator_LSH_PROJECTION =
    kTfLiteBuiltinLshProjection;
inline constexpr BuiltinOperator BuiltinOperator_LSTM = kTfLiteBuiltinLstm;
inline constexpr BuiltinOperator BuiltinOperator_MAX_POOL_2D =
    kTfLiteBuiltinMaxPool2d;
inline constexpr BuiltinOperator BuiltinOperator_MUL = kTfLiteBuiltinMul;
inline constexpr BuiltinOperator BuiltinOperator_RELU = kTfLiteBuiltinRelu;
inline constexpr BuiltinOperator BuiltinOperator_RELU_N1_TO_1 =
    kTfLiteBuiltinReluN1To1;
inline constexpr BuiltinOperator BuiltinOperator_RELU6 = kTfLiteBuiltinRelu6;
inline constexpr BuiltinOperator BuiltinOperator_RESHAPE =
    kTfLiteBuiltinReshape;
inline constexpr BuiltinOperator BuiltinOperator_RESIZE_BILINEAR =
    kTfLiteBuiltinResizeBilinear;
inline constexpr BuiltinOperator BuiltinOperator_RNN = kTfLiteBuiltinRnn;
inline constexpr BuiltinOperator BuiltinOperator_SOFTMAX =
    kTfLiteBuiltinSoftmax;
inline constexpr BuiltinOperator BuiltinOperator_SPACE_TO_DEPTH =
    kTfLiteBuiltinSpaceToDepth;
inline constexpr BuiltinOperator BuiltinOperator_SVDF = kTfLiteBuiltinSvdf;
inline constexpr BuiltinOperator BuiltinOperator_TANH = kTfLiteBuiltinTanh;
inline constexpr BuiltinOperator BuiltinOperator_CONCAT_EMBEDDINGS =
    kTfLiteBuiltinConcatEmbeddings;
inline constexpr BuiltinOperator BuiltinOperator_SKIP_GRAM =
    kTfLiteBuiltinSkipGram;
inline constexpr BuiltinOperator BuiltinOperator_CALL = kTfLiteBuiltinCall;
inline constexpr BuiltinOperator BuiltinOperator_CUSTOM = kTfLiteBuiltinCustom;
inline constexpr BuiltinOperator BuiltinOperator_EMBEDDING_LOOKUP_SPARSE =
    kTfLiteBuiltinEmbeddingLookupSparse;
inline constexpr BuiltinOperator BuiltinOperator_PAD = kTfLiteBuiltinPad;
inline constexpr BuiltinOperator BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN =
    kTfLiteBuiltinUnidirectionalSequenceRnn;
inline constexpr BuiltinOperator BuiltinOperator_GATHER = kTfLiteBuiltinGather;
inline constexpr BuiltinOperator BuiltinOperator_BATCH_TO_SPACE_ND =
    kTfLiteBuiltinBatchToSpaceNd;
inline constexpr BuiltinOperator BuiltinOperator_SPACE_TO_BATCH_ND =
    kTfLiteBuiltinSpaceToBatchNd;
inline constexpr BuiltinOperator BuiltinOperator_TRANSPOSE =
    kTfLiteBuiltinTranspose;
inline constexpr BuiltinOperator BuiltinOperator_MEAN = kTfLiteBuiltinMean;
inline constexpr BuiltinOperator BuiltinOperator_SUB = kTfLiteBuiltinSub;
inline constexpr BuiltinOperator BuiltinOperator_DIV = kTfLiteBuiltinDiv;
inline constexpr BuiltinOperator BuiltinOperator_SQUEEZE =
    kTfLiteBuiltinSqueeze;
inline constexpr BuiltinOperator BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM =
    kTfLiteBuiltinUnidirectionalSequenceLstm;
inline constexpr BuiltinOperator BuiltinOperator_STRIDED_SLICE =
    kTfLiteBuiltinStridedSlice;
inline constexpr BuiltinOperator BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN =
    kTfLiteBuiltinBidirectionalSequenceRnn;
inline constexpr BuiltinOperator BuiltinOperator_EXP = kTfLiteBuiltinExp;
inline constexpr BuiltinOperator BuiltinOperator_TOPK_V2 = kTfLiteBuiltinTopkV2;
inline constexpr BuiltinOperator BuiltinOperator_SPLIT = kTfLiteBuiltinSplit;
inline constexpr BuiltinOperator BuiltinOperator_LOG_SOFTMAX =
    kTfLiteBuiltinLogSoftmax;
inline constexpr BuiltinOperator BuiltinOperator_DELEGATE =
    kTfLiteBuiltinDelegate;
inline constexpr BuiltinOperator BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM =
    kTfLiteBuiltinBidirectionalSequenceLstm;
inline constexpr BuiltinOperator BuiltinOperator_CAST = kTfLiteBuiltinCast;
inline constexpr BuiltinOperator BuiltinOperator_PRELU = kTfLiteBuiltinPrelu;
inline constexpr BuiltinOperator BuiltinOperator_MAXIMUM =
    kTfLiteBuiltinMaximum;
inline constexpr BuiltinOperator BuiltinOperator_ARG_MAX = kTfLiteBuiltinArgMax;
inline constexpr BuiltinOperator BuiltinOperator_MINIMUM =
    kTfLiteBuiltinMinimum;
inline constexpr BuiltinOperator BuiltinOperator_LESS = kTfLiteBuiltinLess;
inline constexpr BuiltinOperator BuiltinOperator_NEG = kTfLiteBuiltinNeg;
inline constexpr BuiltinOperator BuiltinOperator_PADV2 = kTfLiteBuiltinPadv2;
inline constexpr BuiltinOperator BuiltinOperator_GREATER =
    kTfLiteBuiltinGreater;
inline constexpr BuiltinOperator BuiltinOperator_GREATER_EQUAL =
    kTfLiteBuiltinGreaterEqual;
inline constexpr BuiltinOperator BuiltinOperator_LESS_EQUAL =
    kTfLiteBuiltinLessEqual;
inline constexpr BuiltinOperator BuiltinOperator_SELECT = kTfLiteBuiltinSelect;
inline constexpr BuiltinOperator BuiltinOperator_SLICE = kTfLiteBuiltinSlice;
inline constexpr BuiltinOperator BuiltinOperator_SIN = kTfLiteBuiltinSin;
inline constexpr BuiltinOperator BuiltinOperator_TRANSPOSE_CONV =
    kTfLiteBuiltinTransposeConv;
inline constexpr BuiltinOperator BuiltinOperator_SPARSE_TO_DENSE =
    kTfLiteBuiltinSparseToDense;
inline constexpr BuiltinOperator BuiltinOperator_TILE = kTfLiteBuiltinTile;
inline constexpr BuiltinOperator BuiltinOperator_EXPAND_DIMS =
    kTfLiteBuiltinExpandDims;
inline constexpr BuiltinOperator BuiltinOperator_EQUAL = kTfLiteBuiltinEqual;
inline constexpr BuiltinOperator BuiltinOperator_NOT_EQUAL =
    kTfLiteBuiltinNotEqual;
inline constexpr BuiltinOperator BuiltinOperator_LOG = kTfLiteBuiltinLog;
inline constexpr BuiltinOperator BuiltinOperator_SUM = kTfLiteBuiltinSum;
inline constexpr BuiltinOperator BuiltinOperator_SQRT = kTfLiteBuiltinSqrt;
inline constexpr BuiltinOperator BuiltinOperator_RSQRT = kTfLiteBuiltinRsqrt;
inline constexpr BuiltinOperator BuiltinOperator_SHAPE = kTfLiteBuiltinShape;
inline constexpr BuiltinOperator BuiltinOperator_POW = kTfLiteBuiltinPow;
inline constexpr BuiltinOperator BuiltinOperator_ARG_MIN = kTfLiteBuiltinArgMin;
inline constexpr BuiltinOperator BuiltinOperator_FAKE_QUANT =
    kTfLiteBuiltinFakeQuant;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_PROD =
    kTfLiteBuiltinReduceProd;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_MAX =
    kTfLiteBuiltinReduceMax;
inline constexpr BuiltinOperator BuiltinOperator_PACK = kTfLiteBuiltinPack;
inline constexpr BuiltinOperator BuiltinOperator_LOGICAL_OR =
    kTfLiteBuiltinLogicalOr;
inline constexpr BuiltinOperator BuiltinOperator_ONE_HOT = kTfLiteBuiltinOneHot;
inline constexpr BuiltinOperator BuiltinOperator_LOGICAL_AND =
    kTfLiteBuiltinLogicalAnd;
inline constexpr BuiltinOperator BuiltinOperator_LOGICAL_NOT =
    kTfLiteBuiltinLogicalNot;
inline constexpr BuiltinOperator BuiltinOperator_UNPACK = kTfLiteBuiltinUnpack;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_MIN =
    kTfLiteBuiltinReduceMin;
inline constexpr BuiltinOperator BuiltinOperator_FLOOR_DIV =
    kTfLiteBuiltinFloorDiv;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_ANY =
    kTfLiteBuiltinReduceAny;
inline constexpr BuiltinOperator BuiltinOperator_SQUARE = kTfLiteBuiltinSquare;
inline constexpr BuiltinOperator BuiltinOperator_ZEROS_LIKE =
    kTfLiteBuiltinZerosLike;
inline constexpr BuiltinOperator BuiltinOperator_FILL = kTfLiteBuiltinFill;
inline constexpr BuiltinOperator BuiltinOperator_FLOOR_MOD =
    kTfLiteBuiltinFloorMod;
inline constexpr BuiltinOperator BuiltinOperator_RANGE = kTfLiteBuiltinRange;
inline constexpr BuiltinOperator BuiltinOperator_RESIZE_NEAREST_NEIGHBOR =
    kTfLiteBuiltinResizeNearestNeighbor;
inline constexpr BuiltinOperator BuiltinOperator_LEAKY_RELU =
    kTfLiteBuiltinLeakyRelu;
inline constexpr BuiltinOperator BuiltinOperator_SQUARED_DIFFERENCE =
    kTfLiteBuiltinSquaredDifference;
inline constexpr BuiltinOperator BuiltinOperator_MIRROR_PAD =
    kTfLiteBuiltinMirrorPad;
inline constexpr BuiltinOperator BuiltinOperator_ABS = kTfLiteBuiltinAbs;
inline constexpr BuiltinOperator BuiltinOperator_SPLIT_V = kTfLiteBuiltinSplitV;
inline constexpr BuiltinOperator BuiltinOperator_UNIQUE = kTfLiteBuiltinUnique;
inline constexpr BuiltinOperator BuiltinOperator_CEIL = kTfLiteBuiltinCeil;
inline constexpr BuiltinOperator BuiltinOperator_REVERSE_V2 =
    kTfLiteBuiltinReverseV2;
inline constexpr BuiltinOperator BuiltinOperator_ADD_N = kTfLiteBuiltinAddN;
inline constexpr BuiltinOperator BuiltinOperator_GATHER_ND =
    kTfLiteBuiltinGatherNd;
inline constexpr BuiltinOperator BuiltinOperator_COS = kTfLiteBuiltinCos;
inline constexpr BuiltinOperator BuiltinOperator_WHERE = kTfLiteBuiltinWhere;
inline constexpr BuiltinOperator BuiltinOperator_RANK = kTfLiteBuiltinRank;
inline constexpr BuiltinOperator BuiltinOperator_ELU = kTfLiteBuiltinElu;
inline constexpr BuiltinOperator BuiltinOperator_REVERSE_SEQUENCE =
    kTfLiteBuiltinReverseSequence;
inline constexpr BuiltinOperator BuiltinOperator_MATRIX_DIAG =
    kTfLiteBuiltinMatrixDiag;
inline constexpr BuiltinOperator BuiltinOperator_QUANTIZE =
    kTfLiteBuiltinQuantize;
inline constexpr BuiltinOperator BuiltinOperator_MATRIX_SET_DIAG =
    kTfLiteBuiltinMatrixSetDiag;
inline constexpr BuiltinOperator BuiltinOperator_ROUND = kTfLiteBuiltinRound;
inline constexpr BuiltinOperator BuiltinOperator_HARD_SWISH =
    kTfLiteBuiltinHardSwish;
inline constexpr BuiltinOperator BuiltinOperator_IF = kTfLiteBuiltinIf;
inline constexpr BuiltinOperator BuiltinOperator_WHILE = kTfLiteBuiltinWhile;
inline constexpr BuiltinOperator BuiltinOperator_NON_MAX_SUPPRESSION_V4 =
    kTfLiteBuiltinNonMaxSuppressionV4;
inline constexpr BuiltinOperator BuiltinOperator_NON_MAX_SUPPRESSION_V5 =
    kTfLiteBuiltinNonMaxSuppressionV5;
inline constexpr BuiltinOperator BuiltinOperator_SCATTER_ND =
    kTfLiteBuiltinScatterNd;
inline constexpr BuiltinOperator BuiltinOperator_SELECT_V2 =
    kTfLiteBuiltinSelectV2;
inline constexpr BuiltinOperator BuiltinOperator_DENSIFY =
    kTfLiteBuiltinDensify;
inline constexpr BuiltinOperator BuiltinOperator_SEGMENT_SUM =
    kTfLiteBuiltinSegmentSum;
inline constexpr BuiltinOperator BuiltinOperator_BATCH_MATMUL =
    kTfLiteBuiltinBatchMatmul;
inline constexpr BuiltinOperator
    BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES =
        kTfLiteBuiltinPlaceholderForGreaterOpCodes;
inline constexpr BuiltinOperator BuiltinOperator_CUMSUM = kTfLiteBuiltinCumsum;
inline constexpr BuiltinOperator BuiltinOperator_CALL_ONCE =
    kTfLiteBuiltinCallOnce;
inline constexpr BuiltinOperator BuiltinOperator_BROADCAST_TO =
    kTfLiteBuiltinBroadcastTo;
inline constexpr BuiltinOperator BuiltinOperator_RFFT2D = kTfLiteBuiltinRfft2d;
inline constexpr BuiltinOperator BuiltinOperator_CONV_3D = kTfLiteBuiltinConv3d;
inline constexpr BuiltinOperator BuiltinOperator_IMAG = kTfLiteBuiltinImag;
inline constexpr BuiltinOperator BuiltinOperator_REAL = kTfLiteBuiltinReal;
inline constexpr BuiltinOperator BuiltinOperator_COMPLEX_ABS =
    kTfLiteBuiltinComplexAbs;
inline constexpr BuiltinOperator BuiltinOperator_HASHTABLE =
    kTfLiteBuiltinHashtable;
inline constexpr BuiltinOperator BuiltinOperator_HASHTABLE_FIND =
    kTfLiteBuiltinHashtableFind;
inline constexpr BuiltinOperator BuiltinOperator_HASHTABLE_IMPORT =
    kTfLiteBuiltinHashtableImport;
inline constexpr BuiltinOperator BuiltinOperator_HASHTABLE_SIZE =
    kTfLiteBuiltinHashtableSize;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_ALL =
    kTfLiteBuiltinReduceAll;
inline constexpr BuiltinOperator BuiltinOperator_CONV_3D_TRANSPOSE =
    kTfLiteBuiltinConv3dTranspose;
inline constexpr BuiltinOperator BuiltinOperator_VAR_HANDLE =
    kTfLiteBuiltinVarHandle;
inline constexpr BuiltinOperator BuiltinOperator_READ_VARIABLE =
    kTfLiteBuiltinReadVariable;
inline constexpr BuiltinOperator BuiltinOperator_ASSIGN_VARIABLE =
    kTfLiteBuiltinAssignVariable;
inline constexpr BuiltinOperator BuiltinOperator_BROADCAST_ARGS =
    kTfLiteBuiltinBroadcastArgs;
inline constexpr BuiltinOperator BuiltinOperator_RANDOM_STANDARD_NORMAL =
    kTfLiteBuiltinRandomStandardNormal;
inline constexpr BuiltinOperator BuiltinOperator_BUCKETIZE =
    kTfLiteBuiltinBucketize;
inline constexpr BuiltinOperator BuiltinOperator_RANDOM_UNIFORM =
    kTfLiteBuiltinRandomUniform;
inline constexpr BuiltinOperator BuiltinOperator_MULTINOMIAL =
    kTfLiteBuiltinMultinomial;
inline constexpr BuiltinOperator BuiltinOperator_GELU = kTfLiteBuiltinGelu;
inline constexpr BuiltinOperator BuiltinOperator_DYNAMIC_UPDATE_SLICE =
    kTfLiteBuiltinDynamicUpdateSlice;
inline constexpr BuiltinOperator BuiltinOperator_RELU_0_TO_1 =
    kTfLiteBuiltinRelu0To1;
inline constexpr BuiltinOperator BuiltinOperator_UNSORTED_SEGMENT_PROD =
    kTfLiteBuiltinUnsortedSegmentProd;
inline constexpr BuiltinOperator BuiltinOperator_UNSORTED_SEGMENT_MAX =
    kTfLiteBuiltinUnsortedSegmentMax;
inline constexpr BuiltinOperator BuiltinOperator_UNSORTED_SEGMENT_SUM =
    kTfLiteBuiltinUnsortedSegmentSum;
inline constexpr BuiltinOperator BuiltinOperator_ATAN2 = kTfLiteBuiltinAtan2;
inline constexpr BuiltinOperator BuiltinOperator_UNSORTED_SEGMENT_MIN =
    kTfLiteBuiltinUnsortedSegmentMin;
inline constexpr BuiltinOperator BuiltinOperator_SIGN = kTfLiteBuiltinSign;
inline constexpr BuiltinOperator BuiltinOperator_BITCAST =
    kTfLiteBuiltinBitcast;
inline constexpr BuiltinOperator BuiltinOperator_BITWISE_XOR =
    kTfLiteBuiltinBitwiseXor;
inline constexpr BuiltinOperator BuiltinOperator_RIGHT_SHIFT =
    kTfLiteBuiltinRightShift;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_LOGISTIC =
    kTfLiteBuiltinStablehloLogistic;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_ADD =
    kTfLiteBuiltinStablehloAdd;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_DIVIDE =
    kTfLiteBuiltinStablehloDivide;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_MULTIPLY =
    kTfLiteBuiltinStablehloMultiply;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_MAXIMUM =
    kTfLiteBuiltinStablehloMaximum;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_RESHAPE =
    kTfLiteBuiltinStablehloReshape;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CLAMP =
    kTfLiteBuiltinStablehloClamp;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CONCATENATE =
    kTfLiteBuiltinStablehloConcatenate;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_BROADCAST_IN_DIM =
    kTfLiteBuiltinStablehloBroadcastInDim;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CONVOLUTION =
    kTfLiteBuiltinStablehloConvolution;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SLICE =
    kTfLiteBuiltinStablehloSlice;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CUSTOM_CALL =
    kTfLiteBuiltinStablehloCustomCall;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_REDUCE =
    kTfLiteBuiltinStablehloReduce;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_ABS =
    kTfLiteBuiltinStablehloAbs;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_AND =
    kTfLiteBuiltinStablehloAnd;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_COSINE =
    kTfLiteBuiltinStablehloCosine;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_EXPONENTIAL =
    kTfLiteBuiltinStablehloExponential;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_FLOOR =
    kTfLiteBuiltinStablehloFloor;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_LOG =
    kTfLiteBuiltinStablehloLog;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_MINIMUM =
    kTfLiteBuiltinStablehloMinimum;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_NEGATE =
    kTfLiteBuiltinStablehloNegate;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_OR =
    kTfLiteBuiltinStablehloOr;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_POWER =
    kTfLiteBuiltinStablehloPower;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_REMAINDER =
    kTfLiteBuiltinStablehloRemainder;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_RSQRT =
    kTfLiteBuiltinStablehloRsqrt;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SELECT =
    kTfLiteBuiltinStablehloSelect;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SUBTRACT =
    kTfLiteBuiltinStablehloSubtract;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_TANH =
    kTfLiteBuiltinStablehloTanh;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SCATTER =
    kTfLiteBuiltinStablehloScatter;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_COMPARE =
    kTfLiteBuiltinStablehloCompare;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CONVERT =
    kTfLiteBuiltinStablehloConvert;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_DYNAMIC_SLICE =
    kTfLiteBuiltinStablehloDynamicSlice;
inline constexpr BuiltinOperator
    BuiltinOperator_STABLEHLO_DYNAMIC_UPDATE_SLICE =
        kTfLiteBuiltinStablehloDynamicUpdateSlice;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_PAD =
    kTfLiteBuiltinStablehloPad;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_IOTA =
    kTfLiteBuiltinStablehloIota;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_DOT_GENERAL =
    kTfLiteBuiltinStablehloDotGeneral;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_REDUCE_WINDOW =
    kTfLiteBuiltinStablehloReduceWindow;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SORT =
    kTfLiteBuiltinStablehloSort;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_WHILE =
    kTfLiteBuiltinStablehloWhile;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_GATHER =
    kTfLiteBuiltinStablehloGather;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_TRANSPOSE =
    kTfLiteBuiltinStablehloTranspose;
inline constexpr BuiltinOperator BuiltinOperator_DILATE = kTfLiteBuiltinDilate;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_RNG_BIT_GENERATOR =
    kTfLiteBuiltinStablehloRngBitGenerator;
inline constexpr BuiltinOperator BuiltinOperator_REDUCE_WINDOW =
    kTfLiteBuiltinReduceWindow;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_COMPOSITE =
    kTfLiteBuiltinStablehloComposite;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_SHIFT_LEFT =
    kTfLiteBuiltinStablehloShiftLeft;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CBRT =
    kTfLiteBuiltinStablehloCbrt;
inline constexpr BuiltinOperator BuiltinOperator_STABLEHLO_CASE =
    kTfLiteBuiltinStablehloCase;
inline constexpr BuiltinOperator BuiltinOperator_MIN = BuiltinOperator_ADD;
inline constexpr BuiltinOperator BuiltinOperator_MAX =
    BuiltinOperator_STABLEHLO_CASE;

// By number, ended by a null pointer.
inline const char* const* EnumNamesBuiltinOperator() {
  static const char* const names[] = {"ADD",
                                      "AVERAGE_POOL_2D",
                                      "CONCATENATION",
                                      "CONV_2D",
                                      "DEPTHWISE_CONV_2D",
                                      "DEPTH_TO_SPACE",
                                      "DEQUANTIZE",
                                      "EMBEDDING_LOOKUP",
                                      "FLOOR",
                                      "FULLY_CONNECTED",
                                      "HASHTABLE_LOOKUP",
                                      "L2_NORMALIZATION",
                                      "L2_POOL_2D",
                                      "LOCAL_RESPONSE_NORMALIZATION",
                                      "LOGISTIC",
                                      "LSH_PROJECTION",
                                      "LSTM",
                                      "MAX_POOL_2D",
                                      "MUL",
                                      "RELU",
                                      "RELU_N1_TO_1",
                                      "RELU6",
                                      "RESHAPE",
                                      "RESIZE_BILINEAR",
                                      "RNN",
                                      "SOFTMAX",
                                      "SPACE_TO_DEPTH",
                                      "SVDF",
                                      "TANH",
                                      "CONCAT_EMBEDDINGS",
                                      "SKIP_GRAM",
                                      "CALL",
                                      "CUSTOM",
                                      "EMBEDDING_LOOKUP_SPARSE",
                                      "PAD",
                                      "UNIDIRECTIONAL_SEQUENCE_RNN",
                                      "GATHER",
                                      "BATCH_TO_SPACE_ND",
                                      "SPACE_TO_BATCH_ND",
                                      "TRANSPOSE",
                                      "MEAN",
                                      "SUB",
                                      "DIV",
                                      "SQUEEZE",
                                      "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                      "STRIDED_SLICE",
                                      "BIDIRECTIONAL_SEQUENCE_RNN",
                                      "EXP",
                                      "TOPK_V2",
                                      "SPLIT",
                                      "LOG_SOFTMAX",
                                      "DELEGATE",
                                      "BIDIRECTIONAL_SEQUENCE_LSTM",
                                      "CAST",
                                      "PRELU",
                                      "MAXIMUM",
                                      "ARG_MAX",
                                      "MINIMUM",
                                      "LESS",
                                      "NEG",
                                      "PADV2",
                                      "GREATER",
                                      "GREATER_EQUAL",
                                      "LESS_EQUAL",
                                      "SELECT",
                                      "SLICE",
                                      "SIN",
                                      "TRANSPOSE_CONV",
                                      "SPARSE_TO_DENSE",
                                      "TILE",
                                      "EXPAND_DIMS",
                                      "EQUAL",
                                      "NOT_EQUAL",
                                      "LOG",
                                      "SUM",
                                      "SQRT",
                                      "RSQRT",
                                      "SHAPE",
                                      "POW",
                                      "ARG_MIN",
                                      "FAKE_QUANT",
                                      "REDUCE_PROD",
                                      "REDUCE_MAX",
                                      "PACK",
                                      "LOGICAL_OR",
                                      "ONE_HOT",
                                      "LOGICAL_AND",
                                      "LOGICAL_NOT",
                                      "UNPACK",
                                      "REDUCE_MIN",
                                      "FLOOR_DIV",
                                      "REDUCE_ANY",
                                      "SQUARE",
                                      "ZEROS_LIKE",
                                      "FILL",
                                      "FLOOR_MOD",
                                      "RANGE",
                                      "RESIZE_NEAREST_NEIGHBOR",
                                      "LEAKY_RELU",
                                      "SQUARED_DIFFERENCE",
                                      "MIRROR_PAD",
                                      "ABS",
                                      "SPLIT_V",
                                      "UNIQUE",
                                      "CEIL",
                                      "REVERSE_V2",
                                      "ADD_N",
                                      "GATHER_ND",
                                      "COS",
                                      "WHERE",
                                      "RANK",
                                      "ELU",
                                      "REVERSE_SEQUENCE",
                                      "MATRIX_DIAG",
                                      "QUANTIZE",
                                      "MATRIX_SET_DIAG",
                                      "ROUND",
                                      "HARD_SWISH",
                                      "IF",
                                      "WHILE",
                                      "NON_MAX_SUPPRESSION_V4",
                                      "NON_MAX_SUPPRESSION_V5",
                                      "SCATTER_ND",
                                      "SELECT_V2",
                                      "DENSIFY",
                                      "SEGMENT_SUM",
                                      "BATCH_MATMUL",
                                      "PLACEHOLDER_FOR_GREATER_OP_CODES",
                                      "CUMSUM",
                                      "CALL_ONCE",
                                      "BROADCAST_TO",
                                      "RFFT2D",
                                      "CONV_3D",
                                      "IMAG",
                                      "REAL",
                                      "COMPLEX_ABS",
                                      "HASHTABLE",
                                      "HASHTABLE_FIND",
                                      "HASHTABLE_IMPORT",
                                      "HASHTABLE_SIZE",
                                      "REDUCE_ALL",
                                      "CONV_3D_TRANSPOSE",
                                      "VAR_HANDLE",
                                      "READ_VARIABLE",
                                      "ASSIGN_VARIABLE",
                                      "BROADCAST_ARGS",
                                      "RANDOM_STANDARD_NORMAL",
                                      "BUCKETIZE",
                                      "RANDOM_UNIFORM",
                                      "MULTINOMIAL",
                                      "GELU",
                                      "DYNAMIC_UPDATE_SLICE",
                                      "RELU_0_TO_1",
                                      "UNSORTED_SEGMENT_PROD",
                                      "UNSORTED_SEGMENT_MAX",
                                      "UNSORTED_SEGMENT_SUM",
                                      "ATAN2",
                                      "UNSORTED_SEGMENT_MIN",
                                      "SIGN",
                                      "BITCAST",
                                      "BITWISE_XOR",
                                      "RIGHT_SHIFT",
                                      "STABLEHLO_LOGISTIC",
                                      "STABLEHLO_ADD",
                                      "STABLEHLO_DIVIDE",
                                      "STABLEHLO_MULTIPLY",
                                      "STABLEHLO_MAXIMUM",
                                      "STABLEHLO_RESHAPE",
                                      "STABLEHLO_CLAMP",
                                      "STABLEHLO_CONCATENATE",
                                      "STABLEHLO_BROADCAST_IN_DIM",
                                      "STABLEHLO_CONVOLUTION",
                                      "STABLEHLO_SLICE",
                                      "STABLEHLO_CUSTOM_CALL",
                                      "STABLEHLO_REDUCE",
                                      "STABLEHLO_ABS",
                                      "STABLEHLO_AND",
                                      "STABLEHLO_COSINE",
                                      "STABLEHLO_EXPONENTIAL",
                                      "STABLEHLO_FLOOR",
                                      "STABLEHLO_LOG",
                                      "STABLEHLO_MINIMUM",
                                      "STABLEHLO_NEGATE",
                                      "STABLEHLO_OR",
                                      "STABLEHLO_POWER",
                                      "STABLEHLO_REMAINDER",
                                      "STABLEHLO_RSQRT",
                                      "STABLEHLO_SELECT",
                                      "STABLEHLO_SUBTRACT",
                                      "STABLEHLO_TANH",
                                      "STABLEHLO_SCATTER",
                                      "STABLEHLO_COMPARE",
                                      "STABLEHLO_CONVERT",
                                      "STABLEHLO_DYNAMIC_SLICE",
                                      "STABLEHLO_DYNAMIC_UPDATE_SLICE",
                                      "STABLEHLO_PAD",
                                      "STABLEHLO_IOTA",
                                      "STABLEHLO_DOT_GENERAL",
                                      "STABLEHLO_REDUCE_WINDOW",
                                      "STABLEHLO_SORT",
                                      "STABLEHLO_WHILE",
                                      "STABLEHLO_GATHER",
                                      "STABLEHLO_TRANSPOSE",
                                      "DILATE",
                                      "STABLEHLO_RNG_BIT_GENERATOR",
                                      "REDUCE_WINDOW",
                                      "STABLEHLO_COMPOSITE",
                                      "STABLEHLO_SHIFT_LEFT",
                                      "STABLEHLO_CBRT",
                                      "STABLEHLO_CASE",
                                      nullptr};
  return names;
}
// "CONV_2D"; empty for a number that no operator has.
inline const char* EnumNameBuiltinOperator(BuiltinOperator e) {
  return e >= BuiltinOperator_MIN && e <= BuiltinOperator_MAX
             ? EnumNamesBuiltinOperator()[e]
             : "";
}

}  // namespace tflite

// BuiltinOperator is the C interface's enumeration, which is in no namespace:
// where sources call this on one without a namespace, it is looked for here.
using tflite::EnumNameBuiltinOperator;

#endif  // MUNJA_TFLITE_CORE_BUILTIN_OPERATOR_NAMES_H_
