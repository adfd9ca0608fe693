#!/bin/sh
# tflite_wasm_test.sh MUNJA SCRIPT MODELS [FOLDER_OF_NODE_MODULES]
# Exit 77 (skipped) without Node, @tensorflow/tfjs-tflite or the models.
munja=$1 script=$2 models=$3 packages=$4
command -v node >/dev/null || { echo "skipped: no node"; exit 77; }
[ -d "$models" ] || { echo "skipped: no models beside the checkout"; exit 77; }
[ -n "$packages" ] && export NODE_PATH="$packages/node_modules"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# A tolerance is a part of the largest number: float32 sums in another order.
while read -r source shape tolerance options; do
  # $options: several words.
  node "$script" "$munja" "$folder" "$tolerance" "$shape" "$models/$source" $options </dev/null
  code=$?
  [ $code -eq 0 ] || exit $code
  rm -rf "$folder/out"
done <<EOF
textline_ori/paddle_pir 1x80x160x3 1e-4
cls_v2/paddle 1x48x192x3 1e-4
ppocrv3_det/paddle 1x64x96x3 1e-3
ppocrv3_det/paddle 1x64x96x3 1e-3 --gpu-safe
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx 1x96x160x3 1e-3
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx 1x96x160x3 1e-3 --fp16
ppocrv6_tiny/ncnn/rec.ncnn.param 1x48x160x3 1e-3
ppocrv5_mobile/ncnn/PP_OCRv5_mobile_det.ncnn.param 1x64x96x3 1e-3 --gpu-safe
rec_crnn_v2/onnx/en_number_mobile_v2.0_rec_infer.onnx 1x32x160x3 1e-3
EOF
