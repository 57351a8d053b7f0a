package main

import (
	"fmt"
	"io"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue/examples/internal/live"
)

func TestWrap(t *testing.T) {
	log.SetOutput(io.Discard) // Recover logs the stack
	url := "http://" + live.Start(t, run)
	for _, c := range []struct {
		request, want string
		around        bool // by the router around the old application
	}{
		{"GET /", "200 the front page\n", true},
		{"GET /reports/2024", "200 report of 2024, by \"GET /reports/{year}\"\n", true},
		{"GET /reports/a%2Fb", "200 report of a/b, by \"GET /reports/{year}\"\n", true},
		{"GET /reports/2024/summary", "200 summary of 2024\n", true},
		{"GET /intranet/reports/2024", "200 report of 2024, by \"GET /reports/{year}\"\n", true},
		{"GET /intranet", "200 the front page\n", true},
		{"GET /crash", "500 Internal Server Error\n", true},
		{"GET /nope", "404 404 page not found\n", true},
		{"POST /reports/2024", "405 Method Not Allowed\n", true},
		{"GET /api/orders/7", `200 {"order":7}`, false},
		{"GET /api/orders/seven", "400 path parameter id: \"seven\" is not a whole number\n", false},
		{"GET /api/nope", "404 404 page not found\n", false},
	} {
		var method, path string
		_, err := fmt.Sscan(c.request, &method, &path)
		assert.NoError(t, err)
		resp, body := live.Ask(t, method, url+path, "")
		assert.Equal(t, c.want, fmt.Sprint(resp.StatusCode, " ", body), c.request)
		assert.Equal(t, c.around, resp.Header.Get("X-Served-By") == "segue", c.request)
	}
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
