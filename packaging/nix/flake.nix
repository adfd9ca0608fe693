{
  description = "On-device OCR: reads the text of images, and runs .tflite networks";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      packages = pkgs: rec {
        default = munja;
        munja = pkgs.callPackage ./package.nix { };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: packages nixpkgs.legacyPackages.${system});
    };
}
