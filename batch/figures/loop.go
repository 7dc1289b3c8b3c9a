//go:build unix

package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"os"
	"path/filepath"
	"sync"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/photo"
	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// shards is how many files the rows are written to.
const shards = 16

// loop reads, decodes and extracts, by goroutines, and has the keypoints of each image, or why
// there are none, written to tables, unless they are nil.
func loop(to *tables) error {
	names, err := filepath.Glob(filepath.Join(*dir, "*.jpg"))
	if err != nil {
		return err
	}
	next := make(chan string)
	var working errgroup.Group
	for range *workers {
		extractor, err := orb.New(orb.Options{})
		if err != nil {
			return err
		}
		working.Go(func() (err error) {
			var file bytes.Buffer
			var keypoints []orb.Keypoint
			var descriptors []match.Descriptor
			for name := range next {
				img, failure := decode(&file, name)
				if failure == nil {
					keypoints, descriptors = extractor.Append(keypoints[:0], descriptors[:0], img, nil)
				}
				if to != nil && err == nil {
					err = to.write(name, img, failure, keypoints, descriptors)
				}
			}
			return err
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	return working.Wait()
}

func decode(buf *bytes.Buffer, name string) (*image.Gray, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buf.Reset()
	if _, err := buf.ReadFrom(file); err != nil {
		return nil, err
	}
	src := bytes.NewReader(buf.Bytes())
	header, err := photo.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	if err := cli.CheckMemory(header.Size(), cli.Memory(header.Stored, header.PixelSize(false)), memory); err != nil {
		return nil, err
	}
	img, err := header.Decode(src)
	if err != nil {
		return nil, err
	}
	return img.Gray(), nil
}

// loopWriting is loop with the features and the dead letters written to files as those of
// package batch.
func loopWriting() error {
	var to tables
	if err := loop(&to); err != nil {
		return err
	}
	var closing errgroup.Group
	closing.SetLimit(*workers)
	for i := range shards {
		closing.Go(to.features[i].close)
		closing.Go(to.dead[i].close)
	}
	return closing.Wait()
}

// tables are the files of all shards.
type tables struct {
	features [shards]tableFile[batch.Keypoints]
	dead     [shards]tableFile[batch.DeadLetter]
}

// write writes the row of an image.
func (t *tables) write(name string, img *image.Gray, failure error, keypoints []orb.Keypoint, descriptors []match.Descriptor) error {
	hash := fnv.New32a()
	hash.Write([]byte(name))
	shard := hash.Sum32() % shards
	if failure != nil {
		return t.dead[shard].write("dead", shard, batch.DeadLetter{Name: name, Reason: failure.Error()})
	}
	row := batch.Keypoints{
		Name:      name,
		Width:     int32(img.Rect.Dx()),
		Height:    int32(img.Rect.Dy()),
		Keypoints: make([]batch.Keypoint, len(keypoints)),
	}
	for i, k := range keypoints {
		row.Keypoints[i] = batch.Keypoint{X: k.X, Y: k.Y, Size: k.Size, Angle: k.Angle, Response: k.Response, Octave: k.Octave, Descriptor: descriptors[i]}
	}
	return t.features[shard].write("features", shard, row)
}

// A tableFile is a file that goroutines write rows to. It is created with the first row.
type tableFile[R any] struct {
	mu   sync.Mutex
	file *os.File
	rows *parquet.GenericWriter[R]
}

// groupRows is the number of rows of a row group: those of images with 500 keypoints have as many
// bytes as package batch gives to a row group.
const groupRows = 600

func (f *tableFile[R]) write(table string, shard uint32, row R) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		out := filepath.Join(*dir, "out")
		err := os.MkdirAll(out, 0o777)
		if err != nil {
			return err
		}
		if f.file, err = os.Create(filepath.Join(out, fmt.Sprintf("%s-%05d.parquet", table, shard))); err != nil {
			return err
		}
		f.rows = parquet.NewGenericWriter[R](f.file, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(groupRows))
	}
	_, err := f.rows.Write([]R{row})
	return err
}

// close ends the file and syncs it, if there is one.
func (f *tableFile[R]) close() error {
	if f.file == nil {
		return nil
	}
	if err := f.rows.Close(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	return f.file.Close()
}
