module github.com/fastcorners/fast/tag/large

go 1.24

require github.com/fastcorners/fast v0.0.0

require (
	github.com/stretchr/testify v1.12.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.27.0 // indirect
)

replace github.com/fastcorners/fast => ../../
