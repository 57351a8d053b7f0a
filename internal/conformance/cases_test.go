package conformance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// The cases in testdata/cases come from public reports about routers. They go
// over a real connection, byte for byte as a client would send them.

// A routerCase is one element of a file; its README says what the fields mean.
type routerCase struct {
	Name, Why, Ref string
	Routes         []enumRoute
	Refused        bool
	Requests       []caseRequest
}

type caseRequest struct {
	Method, Target, Host string
	Want                 caseWant
}

// A field of caseWant that is nil is not compared.
type caseWant struct {
	Status   int
	Pattern  *string
	Params   map[string]string
	Location *string
	Allow    *string
}

func TestCases(t *testing.T) {
	caseEach(t, func(t *testing.T, c routerCase) {
		if c.Refused {
			c.testRefused(t)
			return
		}
		router := segue.New()
		require.NoError(t, c.register(router, len(c.Routes)))
		address, _ := testkit.Listen(t, router, func(s *http.Server) { s.DisableGeneralOptionsHandler = true }) // OPTIONS * is for the router
		for _, q := range c.Requests {
			q.test(t, address)
		}
	})
}

// Lookup says what serving does.
func TestLookupAgreesOnEveryCase(t *testing.T) {
	caseEach(t, func(t *testing.T, c routerCase) {
		if c.Refused {
			t.Skip("has no requests")
		}
		router := segue.New()
		require.NoError(t, c.register(router, len(c.Routes)))
		for _, q := range c.Requests {
			q.testLookup(t, router)
		}
	})
}

func (q caseRequest) testLookup(t *testing.T, router *segue.Router) {
	if _, err := url.ParseRequestURI(q.Target); err != nil || q.Target[0] != '/' {
		return // what net/http answers itself, or no path at all
	}
	r, w := httptest.NewRequest(q.Method, q.Target, nil), httptest.NewRecorder()
	r.Host = cmp.Or(q.Host, r.Host)
	m := router.Lookup(r)
	for name := range m.Params {
		r.Header.Add("Ask", name)
	}
	router.ServeHTTP(w, r)
	assert.Equal(t, m.Status, w.Code, q)
	assert.Equal(t, m.Location, w.Header().Get("Location"), q)
	assert.Equal(t, m.Allow, w.Header().Get("Allow"), q)
	assert.Equal(t, m.Route.Pattern, r.Pattern, q)
	seen := caseSeen{}
	if text := w.Header().Get("Seen"); text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &seen))
	}
	assert.Len(t, m.Params, seen.Count, q)
	for name, value := range m.Params {
		assert.Equal(t, value, seen.Param[name], q)
	}
}

// The cases hold for the oracle too, so that it cannot be wrong in the same
// way as the router without a report that says so.
func TestCasesOnOracle(t *testing.T) {
	caseEach(t, func(t *testing.T, c routerCase) {
		o := newEnumSet(c.Routes...).o
		for _, q := range c.Requests {
			u, err := url.ParseRequestURI(q.Target)
			if q.Method == "CONNECT" && !strings.HasPrefix(q.Target, "/") {
				u, err = &url.URL{Host: q.Target}, nil
			}
			if err != nil || q.Target == "*" {
				assert.Equal(t, http.StatusBadRequest, q.Want.Status) // net/http's own answer, or ServeHTTP's
				continue
			}
			a := o.answer(q.Method, cmp.Or(q.Host, "localhost"), u.EscapedPath(), u.RawQuery)
			seen := caseSeen{Pattern: a.pattern, Param: a.params, PathValue: a.params}
			q.compare(t, a.status, a.location, a.allow, seen)
		}
	})
}

func caseEach(t *testing.T, test func(t *testing.T, c routerCase)) {
	files, err := filepath.Glob("testdata/cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var cases []routerCase
		require.NoError(t, json.Unmarshal(text, &cases), file)
		for _, c := range cases {
			name := strings.TrimSuffix(filepath.Base(file), ".json") + "/" + c.Name
			t.Run(name, func(t *testing.T) {
				t.Log(c.Why, "("+c.Ref+")")
				test(t, c)
			})
		}
	}
}

// register adds the first n routes; the error is that of the last one.
func (c routerCase) register(root *segue.Router, n int) (err error) {
	routers := map[string]*segue.Router{"": root}
	for _, r := range c.Routes[:n] {
		if err != nil {
			return fmt.Errorf("not the last route: %w", err)
		}
		if routers[r.Mount] == nil {
			routers[r.Mount] = segue.New()
			root.Mount(r.Mount, routers[r.Mount])
		}
		err = testkit.PanicOf(func() { r.register(routers[r.Mount], caseTell) })
	}
	return err
}

// testRefused registers all but the last route, then the last, and asks
// before and after.
func (c routerCase) testRefused(t *testing.T) {
	before, after := segue.New(), segue.New()
	require.NoError(t, c.register(before, len(c.Routes)-1))
	err := c.register(after, len(c.Routes))
	require.Error(t, err)

	var pattern *segue.PatternError
	var conflict *segue.ConflictError
	require.True(t, errors.As(err, &pattern) || errors.As(err, &conflict), "a %T: %v", err, err)
	_, path := c.Routes[len(c.Routes)-1].methodAndPath()
	assert.Contains(t, err.Error(), path)

	for _, method := range []string{"GET", "POST"} {
		for _, target := range []string{"/", "/x", "/x/y", "/users", "/users/new", "/static/f", "/a/a"} {
			assert.Equal(t, caseAnswer(before, method, target), caseAnswer(after, method, target), "%s %s", method, target)
		}
	}
}

func caseAnswer(router *segue.Router, method, target string) string {
	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return fmt.Sprint(w.Code, w.Header(), w.Body)
}

// A caseSeen is what the handler saw; it goes back in a header.
type caseSeen struct {
	Pattern          string
	Param, PathValue map[string]string
	Count            int // of Params
}

// caseTell is the handler of all routes. A request names what it wants to know in
// its Ask header.
func caseTell(w http.ResponseWriter, r *http.Request) {
	seen := caseSeen{r.Pattern, map[string]string{}, map[string]string{}, 0}
	for range segue.Params(r) {
		seen.Count++
	}
	for _, name := range r.Header.Values("Ask") {
		seen.Param[name], seen.PathValue[name] = segue.Param(r, name), r.PathValue(name)
	}
	text, err := json.Marshal(seen)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Seen", string(text))
}

// test sends the request as bytes, so that no client mends it on the way.
func (q caseRequest) test(t *testing.T, address string) {
	conn := testkit.Dial(t, address)
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", q.Method, q.Target, cmp.Or(q.Host, "localhost"))
	for name := range q.Want.Params {
		text += "Ask: " + name + "\r\n"
	}
	conn.Send(text + "\r\n")
	answer := conn.Answer(q.Method, q.String())
	var seen caseSeen
	if text := answer.Header.Get("Seen"); text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &seen))
	}
	q.compare(t, answer.Status, answer.Header.Get("Location"), answer.Header.Get("Allow"), seen)
}

func (q caseRequest) String() string {
	return fmt.Sprintf("%s %s, host %q", q.Method, q.Target, q.Host)
}

func (q caseRequest) compare(t *testing.T, status int, location, allow string, seen caseSeen) {
	assert.Equal(t, q.Want.Status, status, "status of %v", q)
	if q.Want.Pattern != nil {
		assert.Equal(t, *q.Want.Pattern, seen.Pattern, "pattern of %v", q)
	}
	if q.Want.Location != nil {
		assert.Equal(t, *q.Want.Location, location, "Location of %v", q)
	}
	if q.Want.Allow != nil {
		assert.Equal(t, *q.Want.Allow, allow, "Allow of %v", q)
	}
	for name, want := range q.Want.Params {
		assert.Equal(t, want, seen.Param[name], "Param(%q) of %v", name, q)
		assert.Equal(t, want, seen.PathValue[name], "PathValue(%q) of %v", name, q)
	}
}
