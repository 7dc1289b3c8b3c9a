package batch

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	gcs "cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"google.golang.org/api/iterator"
)

// An objectWalker lists the objects of a store.
type objectWalker struct {
	scheme string
	// list calls emit for the objects of a bucket whose keys begin with a prefix. With dirs,
	// it is called for those that have no slash behind the prefix, and dirs for the
	// beginnings, up to this slash, of the others.
	list func(ctx context.Context, bucket, prefix string, dirs func(string), emit func(key string, f Source)) error
	// compile returns a function that tells whether a key matches a pattern.
	compile func(pattern string) (func(key string) bool, error)
	// read opens an object to read size bytes from an offset on, or all if size is less than 0.
	read  func(ctx context.Context, bucket, key string, offset, size int64) (io.ReadCloser, error)
	close func() error
}

func (w *objectWalker) Close() error { return w.close() }

// bucketOf returns the bucket and the key of a name.
func bucketOf(name string) (bucket, key string) {
	_, rest, _ := strings.Cut(name, "://")
	bucket, key, _ = strings.Cut(rest, "/")
	return bucket, key
}

func (w *objectWalker) parts(ctx context.Context, pattern string, emit func(part)) error {
	bucket, key := bucketOf(pattern)
	if _, err := w.compile(key); err != nil {
		return err
	}
	start := w.scheme + "://" + bucket + "/"
	prefix := key
	if i := strings.IndexAny(key, `*?[\`); i >= 0 {
		prefix = key[:i]
	}
	dir := key[:strings.LastIndexByte(prefix, '/')+1]
	first, _, deep := strings.Cut(key[len(dir):], "/")
	anywhere := w.scheme == "gs" && strings.Contains(key, "**") // which matches slashes, too
	if !deep || anywhere {
		emit(part{start + prefix, pattern, true})
	}
	if !deep && !anywhere {
		return nil
	}
	match, err := w.compile(dir + first + "/")
	if err != nil { // of a pattern with a slash in brackets
		match = func(string) bool { return true }
	}
	return w.list(ctx, bucket, prefix, func(dir string) {
		if anywhere || match(dir) {
			emit(part{start + dir, pattern, false})
		}
	}, func(string, Source) {})
}

func (w *objectWalker) walk(ctx context.Context, p part, emit func(Source)) error {
	bucket, prefix := bucketOf(p.Dir)
	_, pattern := bucketOf(p.Pattern)
	match, err := w.compile(pattern)
	if err != nil {
		return err
	}
	var dirs func(string)
	if p.Flat {
		dirs = func(string) {}
	}
	return w.list(ctx, bucket, prefix, dirs, func(key string, f Source) {
		if p.Pattern == "" || match(key) {
			f.Name = w.scheme + "://" + bucket + "/" + key
			emit(f)
		}
	})
}

func (w *objectWalker) inside(dir, prefix string) part {
	return part{Dir: join(dir, prefix), Flat: true}
}

func (w *objectWalker) open(ctx context.Context, name string, offset, size int64) (io.ReadCloser, error) {
	bucket, key := bucketOf(name)
	return w.read(ctx, bucket, key, offset, size)
}

func (w *objectWalker) below(dir string) part {
	return part{Dir: join(dir, "")}
}

// openS3 returns a walker for S3. Patterns are those of path.Match.
func openS3(ctx context.Context) (walker, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("error loading AWS config: %w", err)
	}
	client := s3.NewFromConfig(cfg)
	return &objectWalker{
		scheme: "s3",
		list: func(ctx context.Context, bucket, prefix string, dirs func(string), emit func(string, Source)) error {
			// Not all keys can be in XML as they are.
			query := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix, EncodingType: types.EncodingTypeUrl}
			if dirs != nil {
				query.Delimiter = aws.String("/")
			}
			pages := s3.NewListObjectsV2Paginator(client, query)
			for pages.HasMorePages() {
				var page *s3.ListObjectsV2Output
				err := retry(ctx, func(ctx context.Context, _ func()) (err error) {
					page, err = pages.NextPage(ctx)
					return err
				})
				if err != nil {
					return err
				}
				decode := func(text *string) string {
					key := aws.ToString(text)
					if page.EncodingType == types.EncodingTypeUrl { // not all servers do
						if decoded, err := url.QueryUnescape(key); err == nil {
							return decoded
						}
					}
					return key
				}
				for _, p := range page.CommonPrefixes {
					dirs(decode(p.Prefix))
				}
				for _, o := range page.Contents {
					f := Source{Size: aws.ToInt64(o.Size), ETag: strings.Trim(aws.ToString(o.ETag), `"`)}
					if o.LastModified != nil {
						f.Modified = o.LastModified.UnixNano()
					}
					emit(decode(o.Key), f)
				}
			}
			return nil
		},
		compile: func(pattern string) (func(string) bool, error) {
			_, err := path.Match(pattern, "")
			return func(key string) bool {
				match, _ := path.Match(pattern, key)
				return match
			}, err
		},
		read: func(ctx context.Context, bucket, key string, offset, size int64) (io.ReadCloser, error) {
			get := &s3.GetObjectInput{Bucket: &bucket, Key: &key}
			if size >= 0 {
				get.Range = aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+size-1))
			}
			object, err := client.GetObject(ctx, get)
			if err != nil {
				return nil, err
			}
			return object.Body, nil
		},
		close: func() error { return nil },
	}, nil
}

// pageNames is how many names an answer of Google Cloud Storage has, at most.
const pageNames = 1000

// openGS returns a walker for Google Cloud Storage, where ** in a pattern matches slashes, too.
func openGS(ctx context.Context) (walker, error) {
	client, err := gcsx.NewClient(ctx, gcs.ScopeReadWrite)
	if err != nil { // as Beam does, for public buckets
		if client, err = gcsx.NewUnauthenticatedClient(ctx); err != nil {
			return nil, err
		}
	}
	return &objectWalker{
		scheme: "gs",
		list: func(ctx context.Context, bucket, prefix string, dirs func(string), emit func(string, Source)) error {
			query := &gcs.Query{Prefix: prefix}
			if err := query.SetAttrSelection([]string{"Name", "Size", "Updated", "Etag"}); err != nil {
				return err
			}
			if dirs != nil {
				query.Delimiter = "/"
			}
			for token := ""; ; {
				var page []*gcs.ObjectAttrs
				err := retry(ctx, func(ctx context.Context, _ func()) (err error) {
					page = nil
					token, err = iterator.NewPager(client.Bucket(bucket).Objects(ctx, query), pageNames, token).NextPage(&page)
					return err
				})
				if err != nil {
					return err
				}
				for _, o := range page {
					if o.Prefix != "" {
						dirs(o.Prefix)
						continue
					}
					emit(o.Name, Source{Size: o.Size, Modified: o.Updated.UnixNano(), ETag: o.Etag})
				}
				if token == "" {
					return nil
				}
			}
		},
		compile: compileGS,
		read: func(ctx context.Context, bucket, key string, offset, size int64) (io.ReadCloser, error) {
			return client.Bucket(bucket).Object(key).NewRangeReader(ctx, offset, size)
		},
		close: client.Close,
	}, nil
}

// wildcards are the parts of a pattern on Google Cloud Storage: ** matches anything, **/ any
// directories or none, * and ? what is no slash, and [...] or [!...] one of the characters, or
// another one.
var wildcards = regexp.MustCompile(`(?s)\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.`)

// compileGS returns a function that tells whether a key matches a pattern as Beam has them.
func compileGS(pattern string) (func(string) bool, error) {
	expr, err := regexp.Compile(`(?s)\A` + wildcards.ReplaceAllStringFunc(pattern, func(text string) string {
		switch {
		case text == "**/":
			return "(?:.*/)?"
		case text == "**":
			return ".*"
		case text == "*":
			return "[^/]*"
		case text == "?":
			return "[^/]"
		case strings.HasPrefix(text, "[!"):
			return "[^" + text[2:]
		case text[0] == '[': // if it is not closed, the expression is none
			return text
		}
		return regexp.QuoteMeta(text)
	}) + `\z`)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", pattern, path.ErrBadPattern)
	}
	return expr.MatchString, nil
}
