package segue_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/segue-go/segue"
)

// A handler that returns an error, as it is put under Try. Decode's errors have
// their status already, so that they are returned as they are.
func ExampleDecode() {
	type User struct {
		Name string `json:"name"`
		Age  uint8  `json:"age"`
	}
	handler := func(w http.ResponseWriter, r *http.Request) error {
		user, err := segue.Decode[User](w, r)
		if err != nil {
			return err
		}
		fmt.Println("read:", user.Name, user.Age)
		return nil
	}

	send := func(contentType, body string) {
		r := httptest.NewRequest("POST", "/users", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		if err := handler(httptest.NewRecorder(), r); err != nil {
			fmt.Println(segue.StatusOf(err))
		}
	}
	send("application/json", `{"name": "Ann", "age": 36}`)
	send("application/json", `{"name": "Ann", "age": 1000}`)
	send("application/json", `{"name": "Ann"`)
	send("text/plain", `{"name": "Ann"}`)
	// Output:
	// read: Ann 36
	// 400 field age: expected a whole number from 0 to 255 at byte 27
	// 400 the JSON is cut short after 14 bytes
	// 415 the body is not labelled as JSON: send "Content-Type: application/json"
}

// The limit is in bytes; without one it is 1 MiB.
func ExampleDecode_limit() {
	r := httptest.NewRequest("POST", "/", strings.NewReader(`["a long list"]`))
	r.Header.Set("Content-Type", "application/json")
	_, err := segue.Decode[[]string](httptest.NewRecorder(), r, 10)
	fmt.Println(segue.StatusOf(err))

	var tooLarge *http.MaxBytesError
	fmt.Println(errors.As(err, &tooLarge))
	// Output:
	// 413 the body is larger than 10 bytes
	// true
}

func ExampleJSON() {
	w := httptest.NewRecorder()
	err := segue.JSON(w, http.StatusCreated, map[string]any{"id": 7, "name": "Ann"})
	fmt.Println(err, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"))
	fmt.Println(w.Body)
	// Output:
	// <nil> 201 application/json 21
	// {"id":7,"name":"Ann"}
}

// A value that cannot be encoded is an error, and not half a response: nothing
// has been written, and whoever handles the error still can.
func ExampleJSON_notEncoded() {
	w := httptest.NewRecorder()
	err := segue.JSON(w, http.StatusOK, map[string]any{"id": 7, "done": make(chan bool)})
	fmt.Println(err)
	fmt.Println(segue.StatusOf(err))
	fmt.Println(w.Body.Len(), "bytes written")
	// Output:
	// segue: JSON: json: unsupported type: chan bool
	// 500 Internal Server Error
	// 0 bytes written
}

func ExampleText() {
	w := httptest.NewRecorder()
	err := segue.Text(w, http.StatusOK, "Grüezi")
	fmt.Println(err, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"))
	fmt.Println(w.Body)
	// Output:
	// <nil> 200 text/plain; charset=utf-8 7
	// Grüezi
}

// One error, two readers: the client gets the message without what %w stands
// for, the log gets all of it.
func ExampleErrorf() {
	err := segue.Errorf(http.StatusNotFound, "no user %d: %w", 7, sql.ErrNoRows)

	status, message := segue.StatusOf(err)
	fmt.Println("client:", status, message)
	fmt.Println("log:   ", err)
	fmt.Println(errors.Is(err, sql.ErrNoRows))
	// Output:
	// client: 404 no user 7
	// log:    no user 7: sql: no rows in result set
	// true
}

// WRONG: %v makes the error's text part of the message, so that the client reads
// what the database said. Write %w.
func ExampleErrorf_wrong() {
	dbErr := errors.New("dial tcp 10.0.0.5:5432: connection refused")

	_, message := segue.StatusOf(segue.Errorf(http.StatusServiceUnavailable, "try again later: %v", dbErr))
	fmt.Println("wrong:", message)
	_, message = segue.StatusOf(segue.Errorf(http.StatusServiceUnavailable, "try again later: %w", dbErr))
	fmt.Println("right:", message)
	// Output:
	// wrong: try again later: dial tcp 10.0.0.5:5432: connection refused
	// right: try again later
}

// quotaError is an error from elsewhere that knows its status.
type quotaError struct{}

func (quotaError) Error() string   { return "tenant 12 used 900 of 800" }
func (quotaError) StatusCode() int { return http.StatusTooManyRequests }

func ExampleStatusOf() {
	noUser := segue.Errorf(http.StatusNotFound, "no user 7")
	fmt.Println(segue.StatusOf(fmt.Errorf("loading the page: %w", noUser)))
	fmt.Println(segue.StatusOf(fmt.Errorf("saving: %w", quotaError{})))
	fmt.Println(segue.StatusOf(errors.New("disk 3 is full")))
	fmt.Println(segue.StatusOf(nil))
	// Output:
	// 404 no user 7
	// 429 Too Many Requests
	// 500 Internal Server Error
	// 200 OK
}
