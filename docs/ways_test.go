package docs

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v5"
	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
)

func serveMuxBefore() http.Handler {
	app := http.NewServeMux()
	app.HandleFunc("GET /users", listUsers)
	app.HandleFunc("POST /users", createUser)
	app.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, r.PathValue("id"))
	})
	app.Handle("DELETE /admin/users/{id}", requireAdmin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, r.PathValue("id"))
	})))
	app.HandleFunc("GET /files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, r.PathValue("path"))
	})
	app.HandleFunc("/", nothingHere)
	return app
}

func serveMuxAfter() http.Handler {
	app := segue.New() // the one line that changes
	app.HandleFunc("GET /users", listUsers)
	app.HandleFunc("POST /users", createUser)
	app.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, r.PathValue("id"))
	})
	app.Handle("DELETE /admin/users/{id}", requireAdmin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, r.PathValue("id"))
	})))
	app.HandleFunc("GET /files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, r.PathValue("path"))
	})
	app.HandleFunc("/", nothingHere)
	return app
}

func chiBefore() http.Handler {
	app := chi.NewRouter()
	app.Use(middleware.Recoverer)
	app.NotFound(nothingHere)
	app.Route("/users", func(users chi.Router) {
		users.Get("/", listUsers)
		users.Post("/", createUser)
		users.Get("/{id}", func(w http.ResponseWriter, r *http.Request) {
			showUser(w, chi.URLParam(r, "id"))
		})
	})
	app.With(requireAdmin).Delete("/admin/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, chi.URLParam(r, "id"))
	})
	app.Get("/files/*", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, chi.URLParam(r, "*"))
	})
	return app
}

func chiAfter() http.Handler {
	app := segue.New()
	app.Use(middleware.Recoverer) // chi's middleware stays as it is
	app.NotFound(http.HandlerFunc(nothingHere))
	users := app.Group("/users")
	users.GET("/", listUsers)
	users.POST("/", createUser)
	users.GET("/{id}", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, r.PathValue("id"))
	})
	app.With(requireAdmin).DELETE("/admin/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, r.PathValue("id"))
	})
	app.GET("/files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, r.PathValue("path"))
	})
	return app
}

func gorillaBefore() http.Handler {
	app := mux.NewRouter()
	app.NotFoundHandler = http.HandlerFunc(nothingHere)
	app.HandleFunc("/users", listUsers).Methods("GET")
	app.HandleFunc("/users", createUser).Methods("POST")
	app.HandleFunc("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, mux.Vars(r)["id"])
	}).Methods("GET")
	admin := app.PathPrefix("/admin").Subrouter()
	admin.Use(requireAdmin)
	admin.HandleFunc("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, mux.Vars(r)["id"])
	}).Methods("DELETE")
	app.HandleFunc("/files/{path:.*}", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, mux.Vars(r)["path"])
	}).Methods("GET")
	return app
}

func gorillaAfter() http.Handler {
	app := segue.New()
	app.NotFound(http.HandlerFunc(nothingHere))
	app.GET("/users", listUsers)
	app.POST("/users", createUser)
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, r.PathValue("id"))
	})
	admin := app.Group("/admin", requireAdmin)
	admin.DELETE("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, r.PathValue("id"))
	})
	app.GET("/files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, r.PathValue("path"))
	})
	return app
}

func httprouterBefore() http.Handler {
	app := httprouter.New()
	app.NotFound = http.HandlerFunc(nothingHere)
	app.HandlerFunc("GET", "/users", listUsers)
	app.HandlerFunc("POST", "/users", createUser)
	app.GET("/users/:id", func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		showUser(w, ps.ByName("id"))
	})
	app.Handler("DELETE", "/admin/users/:id", requireAdmin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, httprouter.ParamsFromContext(r.Context()).ByName("id"))
	})))
	app.GET("/files/*path", func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		sendFile(w, strings.TrimPrefix(ps.ByName("path"), "/"))
	})
	return app
}

func httprouterAfter() http.Handler {
	app := segue.New()
	app.NotFound(http.HandlerFunc(nothingHere))
	app.GET("/users", listUsers)
	app.POST("/users", createUser)
	app.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		showUser(w, r.PathValue("id"))
	})
	app.With(requireAdmin).DELETE("/admin/users/:id", func(w http.ResponseWriter, r *http.Request) {
		deleteUser(w, r.PathValue("id"))
	})
	app.GET("/files/*path", func(w http.ResponseWriter, r *http.Request) {
		sendFile(w, r.PathValue("path")) // without a slash in front
	})
	return app
}

func ginBefore() http.Handler {
	app := gin.New()
	app.Use(gin.Recovery())
	app.NoRoute(func(c *gin.Context) { c.JSON(404, gin.H{"error": "nothing here"}) })
	app.GET("/users", func(c *gin.Context) { c.JSON(200, users) })
	app.POST("/users", func(c *gin.Context) {
		var u user
		if err := c.ShouldBindJSON(&u); err != nil {
			c.JSON(400, gin.H{"error": "not JSON"})
			return
		}
		c.JSON(201, u)
	})
	app.GET("/users/:id", func(c *gin.Context) {
		id, err := strconv.Atoi(c.Param("id"))
		if err != nil {
			c.JSON(400, gin.H{"error": "not a number"})
			return
		}
		u, ok := find(id)
		if !ok {
			c.JSON(404, gin.H{"error": "no such user"})
			return
		}
		c.JSON(200, u)
	})
	admin := app.Group("/admin", func(c *gin.Context) {
		if c.GetHeader("Authorization") == "" {
			c.AbortWithStatusJSON(401, gin.H{"error": "log in first"})
		}
	})
	admin.DELETE("/users/:id", func(c *gin.Context) { c.Status(204) })
	app.GET("/files/*path", func(c *gin.Context) { c.JSON(200, strings.TrimPrefix(c.Param("path"), "/")) })
	return app
}

func ginAfter() http.Handler {
	app := segue.New()
	app.Use(segue.Recover)
	app.OnError(errorJSON) // a 404 without a handler, too
	app.GET("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error { return segue.JSON(w, 200, users) }))
	app.POST("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		u, err := segue.Decode[user](w, r)
		if err != nil {
			return err // its status and text are known
		}
		return segue.JSON(w, 201, u)
	}))
	app.GET("/users/:id", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		id, err := segue.ParamAs[int](r, "id")
		if err != nil {
			return err
		}
		u, ok := find(id)
		if !ok {
			return segue.Errorf(404, "no user %d", id)
		}
		return segue.JSON(w, 200, u)
	}))
	admin := app.Group("/admin", requireAdmin) // stops by not calling next, where gin's has Abort
	admin.DELETE("/users/:id", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	app.GET("/files/*path", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		return segue.JSON(w, 200, r.PathValue("path"))
	}))
	return app
}

func echoBefore() http.Handler {
	app := echo.New()
	app.HTTPErrorHandler = func(c *echo.Context, err error) {
		status := echo.StatusCode(err)
		c.JSON(max(status, 400), map[string]string{"error": err.Error()})
	}
	app.GET("/users", func(c *echo.Context) error { return c.JSON(200, users) })
	app.POST("/users", func(c *echo.Context) error {
		var u user
		if err := c.Bind(&u); err != nil {
			return err
		}
		return c.JSON(201, u)
	})
	app.GET("/users/:id", func(c *echo.Context) error {
		id, err := echo.PathParam[int](c, "id")
		if err != nil {
			return err
		}
		u, ok := find(id)
		if !ok {
			return echo.NewHTTPError(404, "no such user")
		}
		return c.JSON(200, u)
	})
	admin := app.Group("/admin", echo.WrapMiddleware(requireAdmin))
	admin.DELETE("/users/:id", func(c *echo.Context) error { return c.NoContent(204) })
	app.GET("/files/*", func(c *echo.Context) error { return c.JSON(200, c.Param("*")) })
	return app
}

func echoAfter() http.Handler {
	app := segue.New()
	app.OnError(errorJSON)
	app.GET("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error { return segue.JSON(w, 200, users) }))
	app.POST("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		u, err := segue.Decode[user](w, r)
		if err != nil {
			return err
		}
		return segue.JSON(w, 201, u)
	}))
	app.GET("/users/:id", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		id, err := segue.ParamAs[int](r, "id")
		if err != nil {
			return err
		}
		u, ok := find(id)
		if !ok {
			return segue.Errorf(404, "no user %d", id)
		}
		return segue.JSON(w, 200, u)
	}))
	admin := app.Group("/admin", requireAdmin)
	admin.DELETE("/users/:id", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	app.GET("/files/*path", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		return segue.JSON(w, 200, r.PathValue("path"))
	}))
	return app
}

func expressAfter() http.Handler {
	app := segue.New()
	users := segue.New()
	users.GET("/", listUsers)
	users.POST("/", createUser)
	users.GET("/:id", segue.Try(showUserOrFail))
	app.Mount("/users", users)

	admin := segue.New()
	admin.Use(requireAdmin)
	admin.DELETE("/users/:id", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	app.Mount("/admin", admin)

	app.GET("/files/*path", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		return segue.JSON(w, 200, r.PathValue("path"))
	}))
	app.NotFound(http.HandlerFunc(nothingHere))
	app.OnError(errorJSON)
	return app
}

// ask sends one request.
func ask(app http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	return w
}

// TestSameAnswers sends the same requests to every program, before and after.
func TestSameAnswers(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	programs := map[string]http.Handler{
		"ServeMux": serveMuxBefore(), "segue for ServeMux": serveMuxAfter(),
		"chi": chiBefore(), "segue for chi": chiAfter(),
		"gorilla/mux": gorillaBefore(), "segue for gorilla/mux": gorillaAfter(),
		"httprouter": httprouterBefore(), "segue for httprouter": httprouterAfter(),
		"gin": ginBefore(), "segue for gin": ginAfter(),
		"echo": echoBefore(), "segue for echo": echoAfter(),
		"segue for Express": expressAfter(),
	}
	const login = "Authorization: Basic x"
	tests := []struct {
		method, target, body, header string
		status                       int
		answer                       string // where it is the same in all
	}{
		{"GET", "/users", "", "", 200, `[{"id":1,"name":"ada"},{"id":2,"name":"grace"}]`},
		{"POST", "/users", `{"id":3,"name":"alan"}`, "", 201, `{"id":3,"name":"alan"}`},
		{"POST", "/users", `{"id":3`, "", 400, ""},
		{"GET", "/users/2", "", "", 200, `{"id":2,"name":"grace"}`},
		{"GET", "/users/7", "", "", 404, ""},
		{"GET", "/users/x", "", "", 400, ""},
		{"DELETE", "/admin/users/2", "", "", 401, ""},
		{"DELETE", "/admin/users/2", "", login, 204, ""},
		{"GET", "/files/css/site.css", "", "", 200, `"css/site.css"`},
		{"GET", "/nope", "", "", 404, ""},
	}
	for name, app := range programs {
		for _, tt := range tests {
			w := ask(app, tt.method, tt.target, tt.body, tt.header)
			assert.Equal(t, tt.status, w.Code, "%s: %s %s %s", name, tt.method, tt.target, w.Body)
			if tt.answer != "" {
				assert.JSONEq(t, tt.answer, w.Body.String(), "%s: %s %s", name, tt.method, tt.target)
			}
		}
	}
}
