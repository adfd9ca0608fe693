{
  lib,
  stdenv,
  cli11,
  clipper,
  cmake,
  curl,
  flatbuffers,
  giflib,
  libexif,
  libhwy,
  libjpeg,
  libpng,
  libtiff,
  libwebp,
  libyaml,
  libzip,
  ninja,
  nlohmann_json,
  opencl-headers,
  openssl,
  pkg-config,
  protobuf,
  utf8proc,
  zlib,
}:

stdenv.mkDerivation {
  pname = "munja";
  version = "@VERSION@";

  # Of the evaluation, which may read files of this machine.
  src = builtins.fetchurl {
    url = "@URL@";
    sha256 = "@SHA256@";
  };

  nativeBuildInputs = [
    cmake
    flatbuffers
    ninja
    pkg-config
    protobuf
  ];

  buildInputs = [
    cli11
    clipper
    curl
    flatbuffers
    giflib
    libexif
    libhwy
    libjpeg
    libpng
    libtiff
    libwebp
    libyaml
    libzip
    nlohmann_json
    opencl-headers
    openssl
    protobuf
    utf8proc
    zlib
  ];

  cmakeFlags = [ "-DMUNJA_UNITY=ON" ];

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/munja read ../testdata/pictures/receipt.jpg | grep "BAKERY NORTHWIND"
  '';

  meta = {
    description = "On-device OCR: reads the text of images, and runs .tflite networks";
    license = lib.licenses.asl20;
    mainProgram = "munja";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
  };
}
