package conformance

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
	"github.com/segue-go/segue/internal/workload"
)

// What a request allocates, row by row.

// An allocRow is a request with the allocations that it may cost, and the
// bytes. Values are cut from blocks of 512 bytes, so that a request with a few
// of them makes a small part of one.
type allocRow struct {
	name    string
	pattern string
	target  string // "METHOD host/path"
	handler http.HandlerFunc
	allocs  int
	bytes   float64
}

type (
	userID  int64
	celsius float32
)

func ignore(http.ResponseWriter, *http.Request) {}

// readPathValue reads a value and answers 500 if it is not there.
func readPathValue(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue(name) == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

func readParam(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if segue.Param(r, name) == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

func rangeParams(w http.ResponseWriter, r *http.Request) {
	for name, value := range segue.Params(r) {
		if name == "" || value == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

func readAs[T comparable](want T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if v, err := segue.ParamAs[T](r, "n"); v != want || err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

// upTo is a path of n segments /{p1}/…, or /v1/… with values.
func upTo(n int, wildcards bool) string {
	var b strings.Builder
	for i := range n {
		if wildcards {
			fmt.Fprintf(&b, "/{p%d}", i+1)
		} else {
			fmt.Fprintf(&b, "/v%d", i+1)
		}
	}
	return b.String()
}

// valueBytes is what n values take of a block of 31, the block's own counter
// and what is left over at its end included.
func valueBytes(n int) float64 { return 512 / float64(31/n) }

var allocRows = []allocRow{
	{"literals", "GET /users/new", "GET localhost/users/new", ignore, 0, 0},
	{"exact root", "GET /{$}", "GET localhost/", ignore, 0, 0},
	{"subtree", "GET /sub/", "GET localhost/sub/a/b", ignore, 0, 0},
	{"1 parameter", "GET /users/{id}", "GET localhost/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"5 parameters", "GET " + upTo(5, true), "GET localhost" + upTo(5, false), readPathValue("p5"), 0, valueBytes(5)},
	{"8 parameters", "GET " + upTo(8, true), "GET localhost" + upTo(8, false), readPathValue("p8"), 0, valueBytes(8)},
	{"9 parameters", "GET " + upTo(9, true), "GET localhost" + upTo(9, false), readPathValue("p9"), 1, 9 * 16},
	{"16 parameters", "GET " + upTo(16, true), "GET localhost" + upTo(16, false), readPathValue("p16"), 1, 16 * 16},
	{"rest", "GET /files/{path...}", "GET localhost/files/a/b/c.txt", readPathValue("path"), 0, valueBytes(1)},
	{"a path longer than a block may keep", "GET /files/{path...}", "GET localhost/files/" + strings.Repeat("x", 256), readPathValue("path"), 1, 16},
	{"host", "GET example.com/users/{id}", "GET example.com/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"host with a port", "GET example.com/users/{id}", "GET example.com:8080/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"host's parameter", "GET {tenant}.example.com/users/{id}", "GET acme.example.com/users/17", readPathValue("tenant"), 0, valueBytes(2)},
	{"host's parameter beside a port", "GET {tenant}.example.com/users/{id}", "GET acme.example.com.:8080/users/17", readParam("tenant"), 0, valueBytes(2)},
	{"HEAD by GET", "GET /users/{id}", "HEAD localhost/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"any method", "/users/{id}", "PATCH localhost/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"invented method", "PURGE /users/{id}", "PURGE localhost/users/17", readPathValue("id"), 0, valueBytes(1)},
	{"Param", "GET /users/{id}", "GET localhost/users/17", readParam("id"), 0, valueBytes(1)},
	{"Params ranged over", "GET /{a}/{b}/{c}", "GET localhost/1/2/3", rangeParams, 0, valueBytes(3)},
	{"ParamAs[int]", "GET /users/{n}", "GET localhost/users/17", readAs(17), 0, valueBytes(1)},
	{"ParamAs[int64]", "GET /users/{n}", "GET localhost/users/9007199254740993", readAs(int64(9007199254740993)), 0, valueBytes(1)},
	{"ParamAs[int32]", "GET /users/{n}", "GET localhost/users/-70000", readAs(int32(-70000)), 0, valueBytes(1)},
	{"ParamAs[int16]", "GET /users/{n}", "GET localhost/users/-300", readAs(int16(-300)), 0, valueBytes(1)},
	{"ParamAs[int8]", "GET /users/{n}", "GET localhost/users/-17", readAs(int8(-17)), 0, valueBytes(1)},
	{"ParamAs[uint]", "GET /users/{n}", "GET localhost/users/1700", readAs(uint(1700)), 0, valueBytes(1)},
	{"ParamAs[uint64]", "GET /users/{n}", "GET localhost/users/18446744073709551615", readAs(uint64(1<<64 - 1)), 0, valueBytes(1)},
	{"ParamAs[uint32]", "GET /users/{n}", "GET localhost/users/70000", readAs(uint32(70000)), 0, valueBytes(1)},
	{"ParamAs[uint16]", "GET /users/{n}", "GET localhost/users/300", readAs(uint16(300)), 0, valueBytes(1)},
	{"ParamAs[uint8]", "GET /users/{n}", "GET localhost/users/200", readAs(uint8(200)), 0, valueBytes(1)},
	{"ParamAs[float64]", "GET /users/{n}", "GET localhost/users/0.1", readAs(0.1), 0, valueBytes(1)},
	{"ParamAs[float32]", "GET /users/{n}", "GET localhost/users/0.1", readAs(float32(0.1)), 0, valueBytes(1)},
	{"ParamAs of a named int", "GET /users/{n}", "GET localhost/users/17", readAs(userID(17)), 0, valueBytes(1)},
	{"ParamAs of a named float", "GET /users/{n}", "GET localhost/users/0.5", readAs(celsius(0.5)), 0, valueBytes(1)},
	{"ParamAs[string]", "GET /users/{n}", "GET localhost/users/vikram", readAs("vikram"), 0, valueBytes(1)},
}

// The claim of the package: a standard handler, with parameters, 0 allocations.
func TestAllocations(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	for _, row := range allocRows {
		rt := segue.New()
		rt.Handle(row.pattern, row.handler)
		t.Run(row.name, func(t *testing.T) { row.check(t, rt) })
	}
}

// Under PathValues(false) nothing is written: not a byte, however many
// parameters, whatever is read.
func TestAllocationsWithoutPathValues(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	for _, row := range allocRows {
		if name := lastName(row.pattern); name != "" && name != "n" && name != "c" {
			row.handler = readParam(name)
		}
		row.allocs, row.bytes = 0, 0
		rt := segue.New()
		rt.PathValues(false)
		rt.Handle(row.pattern, row.handler)
		t.Run(row.name, func(t *testing.T) { row.check(t, rt) })
	}
}

// However many hosts there are, a request for any of them allocates nothing.
func TestAllocationsOfHosts(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	for _, kind := range workload.HostKinds {
		s := workload.Tenants(10_000, 1_000, kind)
		for _, c := range []struct {
			row            workload.Row
			mallocs, bytes float64
		}{{workload.NoValuesParam, 0, 0}, {workload.SegueRead, 1.0 / 15, valueBytes(2)}} { // of blocks that many requests share
			run, err := c.row.Prepare(s)
			require.NoError(t, err)
			assert.Less(t, testkit.Least(func() float64 { n, _ := run.Allocations(10); return n }), c.mallocs+0.01, "%s, %s: allocations a request", kind, c.row.Router)
			assert.Less(t, testkit.Least(func() float64 { _, n := run.Allocations(10); return n }), c.bytes+1, "%s, %s: bytes a request", kind, c.row.Router)
		}
	}
}

// lastName is the name of a pattern's last wildcard.
func lastName(pattern string) string {
	name := pattern[strings.LastIndexByte(pattern, '{')+1:]
	if !strings.HasSuffix(name, "}") || name == "$}" {
		return ""
	}
	return strings.TrimSuffix(name[:len(name)-1], "...")
}

// Mounts and middlewares cost steps, no memory; a plain handler under a mount
// without parameters costs two copies.
func TestAllocationsOfComposedRouters(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	pass := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
	}
	for _, middlewares := range []int{0, 1, 16} {
		inner, rt := segue.New(), segue.New()
		inner.GET("/{id}", readPathValue("id"))
		rt.Mount("/users/{org}", inner)
		rt.Group("/admin").GET("/{id}", readPathValue("id"))
		rt.With().GET("/with/{id}", readPathValue("id"))
		rt.Mount("/plain", http.HandlerFunc(ignore)) // a copy of the request and one of its URL
		for range middlewares {
			inner.Use(pass)
			rt.Use(pass)
		}
		for _, row := range []allocRow{
			{"mounted", "", "GET localhost/users/acme/17", nil, 0, valueBytes(2)},
			{"group", "", "GET localhost/admin/17", nil, 0, valueBytes(1)},
			{"with", "", "GET localhost/with/17", nil, 0, valueBytes(1)},
			{"plain", "", "GET localhost/plain/17", nil, 2, 512},
		} {
			t.Run(fmt.Sprintf("%s/middlewares=%d", row.name, middlewares), func(t *testing.T) { row.check(t, rt) })
		}
	}
}

func (row allocRow) check(t *testing.T, rt *segue.Router) {
	r := row.request(t)
	w := &statusWriter{header: http.Header{}}
	serve := func() { rt.ServeHTTP(w, r) }
	serve()
	require.Zero(t, w.status, "the answer's status")
	assert.Equal(t, float64(row.allocs), testkit.AllocsPerRun(100, serve), "allocations")
	assert.LessOrEqual(t, testkit.BytesPerRun(3100, serve), row.bytes+1, "bytes")
}

func (row allocRow) request(t *testing.T) *http.Request {
	method, rest, _ := strings.Cut(row.target, " ")
	i := strings.IndexByte(rest, '/')
	text := method + " " + rest[i:] + " HTTP/1.1\r\nHost: " + rest[:i] + "\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	require.NoError(t, err)
	return r
}

// A statusWriter keeps the status alone, 0 for an answer that wrote none.
type statusWriter struct {
	header http.Header
	status int
}

func (w *statusWriter) Header() http.Header { return w.header }

func (w *statusWriter) Write(p []byte) (int, error) { return len(p), nil }

func (w *statusWriter) WriteHeader(status int) { w.status = status }
