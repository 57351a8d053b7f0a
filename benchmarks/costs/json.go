package main

// This file has the cases of JSON, read and written, and asks each reader what
// it checks.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	echo4 "github.com/labstack/echo/v4"
	echo5 "github.com/labstack/echo/v5"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/benchmarks/costs/timing"
	"github.com/segue-go/segue/benchmarks/report"
)

type item struct {
	ID   int      `json:"id"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

type order struct {
	Customer string  `json:"customer"`
	Total    float64 `json:"total"`
	Items    []item  `json:"items"`
}

// orders are the values of the columns, of about 100 bytes and 10 KB.
var orders = []struct {
	column string
	order  order
}{{"100 B", newOrder(1)}, {"10 KB", newOrder(185)}}

func newOrder(items int) order {
	o := order{Customer: "Ann Example", Total: 12.5}
	for i := range items {
		o.Items = append(o.Items, item{ID: i, Name: fmt.Sprintf("item %d", i), Tags: []string{"red", "large"}})
	}
	return o
}

func encode(o order) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it has only texts and numbers
	}
	return text
}

// A codec reads an order and answers with the number of its items, and answers
// with an order: in segue, by hand, or in another framework.
type codec struct {
	title  string
	reads  http.Handler // nil where it only writes
	writes func(order) http.Handler
}

func codecs() []codec {
	gin.SetMode(gin.ReleaseMode)
	return []codec{
		{"segue", routed(readSegue()), writeSegue},
		{"segue, `DisallowUnknownFields`", routed(readSegue(segue.DisallowUnknownFields())), nil},
		{"by hand: `Decoder`, `MaxBytesReader`, `DisallowUnknownFields`", routed(byHand(readDecoder)), nil},
		{"by hand: `ReadAll`, `Unmarshal`", routed(byHand(readUnmarshal)), nil},
		{"by hand: `Encoder`", nil, writeEncoder},
		{"by hand: `Marshal`", nil, writeMarshal},
		{"gin", readGin(), writeGin},
		{"echo v4", readEcho4(), writeEcho4},
		{"echo v5", readEcho5(), writeEcho5},
	}
}

func routed(h http.HandlerFunc) http.Handler {
	app := segue.New()
	app.Any("/", h)
	return app
}

func readSegue(options ...segue.DecodeOption) http.HandlerFunc {
	return segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		o, err := segue.Decode[order](w, r, options...)
		if err != nil {
			return err
		}
		return segue.Text(w, 200, strconv.Itoa(len(o.Items)))
	})
}

func byHand(read func(http.ResponseWriter, *http.Request, *order) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := read(w, r, &o); err != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		io.WriteString(w, strconv.Itoa(len(o.Items)))
	}
}

func readDecoder(w http.ResponseWriter, r *http.Request, o *order) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	return d.Decode(o)
}

func readUnmarshal(w http.ResponseWriter, r *http.Request, o *order) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, o)
}

func readGin() http.Handler {
	e := gin.New()
	e.POST("/", func(c *gin.Context) {
		var o order
		if c.ShouldBindJSON(&o) != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		c.String(200, strconv.Itoa(len(o.Items)))
	})
	return e
}

func readEcho4() http.Handler {
	e := echo4.New()
	e.POST("/", func(c echo4.Context) error {
		var o order
		if err := c.Bind(&o); err != nil {
			return err
		}
		return c.String(200, strconv.Itoa(len(o.Items)))
	})
	return e
}

func readEcho5() http.Handler {
	e := echo5.New()
	e.POST("/", func(c *echo5.Context) error {
		var o order
		if err := c.Bind(&o); err != nil {
			return err
		}
		return c.String(200, strconv.Itoa(len(o.Items)))
	})
	return e
}

func writeSegue(o order) http.Handler {
	return routed(segue.Try(func(w http.ResponseWriter, _ *http.Request) error { return segue.JSON(w, 200, o) }))
}

func writeEncoder(o order) http.Handler {
	return routed(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(o)
	})
}

func writeMarshal(o order) http.Handler {
	return routed(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(o)
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.Write(text)
	})
}

func writeGin(o order) http.Handler {
	e := gin.New()
	e.POST("/", func(c *gin.Context) { c.JSON(200, o) })
	return e
}

func writeEcho4(o order) http.Handler {
	e := echo4.New()
	e.POST("/", func(c echo4.Context) error { return c.JSON(200, o) })
	return e
}

func writeEcho5(o order) http.Handler {
	e := echo5.New()
	e.POST("/", func(c *echo5.Context) error { return c.JSON(200, o) })
	return e
}

func decodeCases() []timing.Case {
	var cases []timing.Case
	for _, c := range codecs() {
		for _, o := range orders {
			if c.reads != nil {
				e := posted(c.reads, encode(o.order))
				e.Status, e.Answer = 200, strconv.Itoa(len(o.order.Items))
				cases = append(cases, e.Case("decode", o.column, c.title))
			}
		}
	}
	return cases
}

func answerCases() []timing.Case {
	var cases []timing.Case
	for _, c := range codecs() {
		for _, o := range orders {
			if c.writes != nil {
				e := posted(c.writes(o.order), nil)
				e.Status, e.Answer = 200, string(encode(o.order))
				cases = append(cases, e.Case("json", o.column, c.title))
			}
		}
	}
	return cases
}

func posted(h http.Handler, body []byte) timing.Exchange {
	return timing.Exchange{Handler: h, Body: body, Request: func() *http.Request {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		return r
	}}
}

// A check is what a reader answers to bodies that it could refuse.
type check struct {
	Title    string
	Statuses []int
}

var bad = []struct{ title, body, contentType string }{
	{"a name twice", `{"customer":"a","customer":"b"}`, "application/json"},
	{"something after the value", `{"customer":"a"} x`, "application/json"},
	{"an unknown field", `{"nobody":1}`, "application/json"},
	{"2 MB", `{"customer":"` + strings.Repeat("a", 2<<20) + `"}`, "application/json"},
	{"no Content-Type", `{"customer":"a"}`, ""},
}

func checks() []check {
	var all []check
	for _, c := range codecs() {
		if c.reads == nil {
			continue
		}
		k := check{Title: c.title}
		for _, b := range bad {
			e := posted(c.reads, []byte(b.body))
			request := e.Request
			e.Request = func() *http.Request {
				r := request()
				r.Header.Del("Content-Type")
				if b.contentType != "" {
					r.Header.Set("Content-Type", b.contentType)
				}
				return r
			}
			k.Statuses = append(k.Statuses, e.Serve().Code)
		}
		all = append(all, k)
	}
	return all
}

func checkTable(checks []check) string {
	header := []string{"answered to"}
	for _, b := range bad {
		header = append(header, b.title)
	}
	table := report.NewTable(header...)
	for _, c := range checks {
		line := []string{c.Title}
		for _, status := range c.Statuses {
			line = append(line, strconv.Itoa(status))
		}
		table.Row(line...)
	}
	return table.String() + "\n200 means that the body was taken.\n"
}
