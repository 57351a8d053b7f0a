package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alexedwards/scs/v2"
	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-playground/validator/v10"
	"github.com/klauspost/compress/gzhttp"
	sloghttp "github.com/samber/slog-http"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// These are the packages that segue's README names and that the service itself
// has no use for. Each is tried as it comes.

// TestSessions logs in on one request and is known on the next.
func TestSessions(t *testing.T) {
	sessions := scs.New()
	app := segue.New()
	app.Use(sessions.LoadAndSave)
	app.POST("/login/{name}", func(w http.ResponseWriter, r *http.Request) {
		sessions.Put(r.Context(), "name", r.PathValue("name"))
	})
	app.GET("/me", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, sessions.GetString(r.Context(), "name"))
	})
	server := httptest.NewServer(app)
	defer server.Close()

	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	resp, err := client.Post(server.URL+"/login/ada", "", nil)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, "ada", get(t, client, server.URL+"/me"))
	assert.Empty(t, get(t, http.DefaultClient, server.URL+"/me"), "somebody else")
}

func get(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// TestCSRF needs no package: net/http has it since Go 1.25.
func TestCSRF(t *testing.T) {
	protection := http.NewCrossOriginProtection()
	require.NoError(t, protection.AddTrustedOrigin("https://partner.example"))
	protection.SetDenyHandler(segue.Try(func(http.ResponseWriter, *http.Request) error {
		return segue.Errorf(http.StatusForbidden, "not from there")
	}))
	app := segue.New()
	app.Use(protection.Handler)
	app.POST("/transfer", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "done") })

	for origin, want := range map[string]string{
		"":                        "done", // not a browser
		"https://partner.example": "done",
		"https://evil.example":    "not from there\n",
	} {
		r := httptest.NewRequest("POST", "/transfer", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		assert.Equal(t, want, w.Body.String(), origin)
	}
}

// TestClientIP takes the client's address from a header that only a proxy in
// 10.0.0.0/8 is believed. The middleware is chi's; it does not need chi's
// router.
func TestClientIP(t *testing.T) {
	app := segue.New()
	app.Use(middleware.ClientIPFromXFF("10.0.0.0/8"))
	app.GET("/ip", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, middleware.GetClientIP(r.Context()))
	})
	r := httptest.NewRequest("GET", "/ip", nil)
	r.RemoteAddr = "10.0.0.1:4711"
	r.Header.Set("X-Forwarded-For", "203.0.113.9, 198.51.100.7, 10.0.0.2") // the first is the client's own word
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	assert.Equal(t, "198.51.100.7", w.Body.String())
}

// TestSlogHTTP logs requests with id, status and, by one line of ours, the
// pattern.
func TestSlogHTTP(t *testing.T) {
	var log bytes.Buffer
	app := segue.New()
	app.Use(sloghttp.New(slog.New(slog.NewJSONHandler(&log, nil))), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sloghttp.AddCustomAttributes(r, slog.String("pattern", r.Pattern))
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusTeapot, sloghttp.GetRequestID(r))
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/users/7", nil))

	var line struct {
		ID, Pattern string
		Response    struct{ Status int }
	}
	require.NoError(t, json.Unmarshal(log.Bytes(), &line))
	assert.Equal(t, "GET /users/{id}", line.Pattern)
	assert.Equal(t, http.StatusTeapot, line.Response.Status)
	assert.NotEmpty(t, line.ID)
	assert.Equal(t, line.ID, w.Body.String())
}

// TestValidator puts go-playground/validator behind Decode, and its errors
// into the error list.
func TestValidator(t *testing.T) {
	type user struct {
		Name string `json:"name" validate:"required,max=20"`
		Mail string `json:"mail" validate:"required,email"`
	}
	validate := validator.New(validator.WithRequiredStructEnabled())
	app := segue.New()
	app.POST("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		u, err := segue.Decode[user](w, r)
		if err != nil {
			return err
		}
		if err := validate.Struct(u); err != nil {
			return err
		}
		return segue.JSON(w, http.StatusCreated, u)
	}))
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		var wrong validator.ValidationErrors
		if !errors.As(err, &wrong) {
			return err
		}
		fields := map[string]string{}
		for _, f := range wrong {
			fields[f.Field()] = f.Tag()
		}
		return segue.JSON(w, http.StatusUnprocessableEntity, fields)
	})

	post := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/users", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, http.StatusCreated, post(`{"name":"Ada","mail":"ada@example.org"}`).Code)
	w := post(`{"mail":"ada"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.JSONEq(t, `{"Name":"required","Mail":"email"}`, w.Body.String())
}

// TestWebSocket upgrades below Recover, whose writer can still be hijacked.
func TestWebSocket(t *testing.T) {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/rooms/{room}", func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // Accept has answered
		}
		defer conn.CloseNow()
		wsjson.Write(r.Context(), conn, "welcome to "+r.PathValue("room"))
		conn.Close(websocket.StatusNormalClosure, "")
	})
	server := httptest.NewServer(app)
	defer server.Close()

	conn, _, err := websocket.Dial(t.Context(), server.URL+"/rooms/blue", nil)
	require.NoError(t, err)
	defer conn.CloseNow()
	var greeting string
	require.NoError(t, wsjson.Read(t.Context(), conn, &greeting))
	assert.Equal(t, "welcome to blue", greeting)
}

// TestGzipCutShort panics in the middle of a compressed answer. Recover aborts
// it, and the client can tell it from a whole one, although gzhttp ends its
// stream properly on the way out.
func TestGzipCutShort(t *testing.T) {
	app := segue.New()
	app.Use(compress, segue.Recover)
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, strings.Repeat("half of it ", 1000))
		panic("the other half is lost")
	})
	server := httptest.NewServer(app)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	defer server.Close()

	client := &http.Client{Transport: gzhttp.Transport(http.DefaultTransport)}
	resp, err := client.Get(server.URL)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	assert.Error(t, err)
}
