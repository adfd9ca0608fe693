"""Other packages' interfaces over Munja, so that a program replaces one import."""
