package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue/examples/internal/live"
)

func TestTenants(t *testing.T) {
	app := newApp()
	for _, tt := range []struct{ url, want, pattern string }{
		{"http://acme.localhost/", `200 ["buy anvils","look up"]`, "GET {tenant}.localhost/"},
		{"http://globe.localhost:18009/", `200 ["turn"]`, "GET {tenant}.localhost/"},
		{"http://ACME.localhost/notes/2", "200 look up\n", "GET {tenant}.localhost/notes/{number}"},
		{"http://acme.localhost/notes/3", "404 there is no note 3\n", "GET {tenant}.localhost/notes/{number}"},
		{"http://acme.localhost/nope", "404 404 page not found\n", ""},
		{"http://nobody.localhost/", "404 no such tenant\n", "GET {tenant}.localhost/"},
		{"http://nobody.localhost/nope", "404 no such tenant\n", ""},
		{"http://admin.localhost/", "401 log in first\n", "GET admin.localhost/"},
		{"http://admin.localhost/nope", "401 log in first\n", ""},
		{"http://a.b.localhost/", "200 ask for a tenant, as in acme.localhost\n", "GET /"},
		{"http://localhost/", "200 ask for a tenant, as in acme.localhost\n", "GET /"},
	} {
		r, w := httptest.NewRequest("GET", tt.url, nil), httptest.NewRecorder()
		app.ServeHTTP(w, r)
		assert.Equal(t, tt.want, fmt.Sprint(w.Code, " ", w.Body), tt.url)
		assert.Equal(t, tt.pattern, r.Pattern, tt.url)
	}
	r, w := httptest.NewRequest("GET", "http://admin.localhost/", nil), httptest.NewRecorder()
	r.SetBasicAuth("ops", "example")
	app.ServeHTTP(w, r)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, `["acme","globe"]`, w.Body.String())
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
