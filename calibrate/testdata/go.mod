// This file makes the directory a module of its own, so that those who import packages do not
// download it. Nobody requires the module; it has no packages.
module github.com/fastcorners/fast/calibrate/testdata

go 1.24
