//go:build js && wasm

package main

// A finder finds corners, keypoints, matches or what else is asked for. It keeps them until the
// next call of find.
type finder interface {
	find(pictures *[slots]picture)
	// appendTo appends stride numbers for each of them to dst.
	appendTo(dst []float32) (values []float32, stride int)
}

// A reporter is a finder whose finds can be saved.
type reporter interface{ report() report }

// A describer is a finder that knows more than can be appended, and adds it to a result.
type describer interface{ describe(result map[string]any) }

// A jsonWriter is a finder that writes JSON of its own.
type jsonWriter interface {
	writeJSON(names [2]string, pictures *[slots]picture) []byte
}

// A yamlWriter is a finder of what is saved as YAML.
type yamlWriter interface{ writeYAML() []byte }
