// Users is a small service with the shape that Express made common: routers
// mounted into routers, middleware at each level, handlers that return errors,
// and a list of error handlers behind them. Users belong to organisations, and
// one router serves them in both places, /users and /orgs/{org}/users.
//
//	go run ./examples/users
//
// The README beside this file has requests to try.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18001", "where to listen")
	flag.Parse()
	slog.SetDefault(slog.New(withID{slog.NewTextHandler(os.Stderr, nil)}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, *addr); err != nil {
		slog.Error("stopped", "err", err)
		os.Exit(1)
	}
}

// run serves until ctx is done, and then finishes the requests in flight.
func run(ctx context.Context, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           newApp(newStore()),
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	home := "http://" + listener.Addr().String()
	slog.Info("listening", "url", home, "try", home+"/orgs/acme/users")

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	slog.Info("finishing the requests in flight")
	wait, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(wait)
}

// newApp puts the routers together. Each of them knows nothing of where it
// hangs.
func newApp(s *store) *segue.Router {
	app := segue.New()
	app.Use(requestID(), segue.AccessLog(slog.Default()), segue.Recover) // every answer, misses too
	app.OnError(answerJSON)
	app.NotFound(segue.Try(notFound))
	app.MethodNotAllowed(segue.Try(methodNotAllowed))

	users := s.users()
	app.Mount("/users", users)
	app.Mount("/orgs", s.orgs(users))

	admin := app.Group("/admin", requireAdmin)
	admin.DELETE("/users/{id}", segue.Try(s.deleteUser))
	return app
}

// users is everything about users. Under a prefix with {org} it is about that
// organisation's.
func (s *store) users() *segue.Router {
	users := segue.New()
	users.Use(noStore)
	users.GET("/", segue.Try(s.listUsers))
	users.POST("/", segue.Try(s.createUser))
	users.GET("/{id}", segue.Try(s.showUser))
	users.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		if errors.Is(err, errNoUser) {
			return segue.Errorf(http.StatusNotFound, "no user %s", segue.Param(r, "id"))
		}
		return err // not ours: the next in the list, here answerJSON
	})
	return users
}

// orgs is the organisations, with their users below them.
func (s *store) orgs(users *segue.Router) *segue.Router {
	orgs := segue.New()
	orgs.GET("/", segue.Try(s.listOrgs))
	org := orgs.Group("/{org}", s.requireOrg)
	org.Mount("/users", users)
	orgs.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		if errors.Is(err, errNoOrg) {
			w.Header().Set("Link", `</orgs>; rel="collection"`)
			return segue.Errorf(http.StatusNotFound, "no organisation %s", segue.Param(r, "org"))
		}
		return err
	})
	return orgs
}

// Handlers.

func (s *store) listUsers(w http.ResponseWriter, r *http.Request) error {
	return segue.JSON(w, http.StatusOK, s.list(segue.Param(r, "org")))
}

func (s *store) showUser(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err // a 400 that says what is wrong
	}
	u, err := s.find(segue.Param(r, "org"), id)
	if err != nil {
		return err
	}
	return segue.JSON(w, http.StatusOK, u)
}

func (s *store) createUser(w http.ResponseWriter, r *http.Request) error {
	u, err := segue.Decode[user](w, r)
	if err != nil {
		return err // 400, 413 or 415
	}
	if u.Name == "" {
		return segue.Errorf(http.StatusUnprocessableEntity, "a user needs a name")
	}
	if org := segue.Param(r, "org"); org != "" {
		u.Org = org
	}
	u = s.add(u)
	location, err := userPath(r, u.ID)
	if err != nil {
		return err
	}
	w.Header().Set("Location", location)
	return segue.JSON(w, http.StatusCreated, u)
}

// userPath is the path of a user below the path of r, wherever users is mounted:
// r.Pattern has the prefix, and the parameters have its values. PathFor takes no value
// for a parameter of a host.
func userPath(r *http.Request, id int) (string, error) {
	var values []any
	_, path, _ := strings.Cut(r.Pattern, "/")
	for name, value := range segue.Params(r) {
		if strings.Contains(path, "{"+name+"}") {
			values = append(values, value)
		}
	}
	return segue.PathFor(r.Pattern+"/{id}", append(values, id)...)
}

func (s *store) deleteUser(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err
	}
	if err := s.remove(id); err != nil {
		return segue.Errorf(http.StatusNotFound, "no user %d: %w", id, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *store) listOrgs(w http.ResponseWriter, r *http.Request) error {
	return segue.JSON(w, http.StatusOK, s.orgNames())
}

func notFound(w http.ResponseWriter, r *http.Request) error {
	return segue.Errorf(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
}

// The router has set Allow by now.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) error {
	return segue.Errorf(http.StatusMethodNotAllowed, "%s is not for %s, try %s", r.URL.Path, r.Method, w.Header().Get("Allow"))
}

// answerJSON ends the list of error handlers.
func answerJSON(w http.ResponseWriter, r *http.Request, err error) error {
	status, message := segue.StatusOf(err)
	if status >= 500 {
		slog.ErrorContext(r.Context(), "failed", "pattern", r.Pattern, "err", err)
	}
	return segue.JSON(w, status, map[string]string{"error": message})
}

// Middleware.

type idKey struct{}

// requestID gives each request a number, in its context and in the answer.
func requestID() segue.Middleware {
	var count atomic.Int64
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := strconv.FormatInt(count.Add(1), 10)
			w.Header().Set("X-Request-Id", id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), idKey{}, id)))
		})
	}
}

// withID adds the request's number to every record that is logged with its
// context.
type withID struct{ slog.Handler }

func (h withID) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(idKey{}).(string); ok {
		record.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h withID) WithAttrs(attrs []slog.Attr) slog.Handler { return withID{h.Handler.WithAttrs(attrs)} }
func (h withID) WithGroup(name string) slog.Handler       { return withID{h.Handler.WithGroup(name)} }

// noStore keeps what is about people out of caches.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// requireOrg stops what is below an organisation that does not exist.
// Middleware runs after matching, so that the parameter is there.
func (s *store) requireOrg(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(s.orgNames(), segue.Param(r, "org")) {
			segue.Fail(w, r, errNoOrg)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireAdmin stands in for a real one.
func requireAdmin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "admin" || password != "example" {
			w.Header().Set("WWW-Authenticate", `Basic realm="admin"`)
			segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// The store.

type user struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Org  string `json:"org,omitempty"`
}

var (
	errNoUser = errors.New("no such user")
	errNoOrg  = errors.New("no such organisation")
)

// A store keeps the users in memory.
type store struct {
	mu     sync.Mutex
	lastID int
	all    map[int]user
}

func newStore() *store {
	s := &store{all: map[int]user{}}
	for _, u := range []user{{Name: "Ada", Org: "acme"}, {Name: "Grace", Org: "navy"}, {Name: "Alan"}} {
		s.add(u)
	}
	return s
}

// list returns the users of an organisation, all if it is "", by id.
func (s *store) list(org string) []user {
	s.mu.Lock()
	defer s.mu.Unlock()
	users := []user{}
	for _, u := range s.all {
		if org == "" || u.Org == org {
			users = append(users, u)
		}
	}
	slices.SortFunc(users, func(a, b user) int { return a.ID - b.ID })
	return users
}

func (s *store) find(org string, id int) (user, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.all[id]
	if !ok || org != "" && u.Org != org {
		return user{}, fmt.Errorf("find %d: %w", id, errNoUser)
	}
	return u, nil
}

func (s *store) add(u user) user {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	u.ID = s.lastID
	s.all[u.ID] = u
	return u
}

func (s *store) remove(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all[id]; !ok {
		return errNoUser
	}
	delete(s.all, id)
	return nil
}

// orgNames returns the organisations that have users, sorted.
func (s *store) orgNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := []string{}
	for _, u := range s.all {
		if u.Org != "" && !slices.Contains(names, u.Org) {
			names = append(names, u.Org)
		}
	}
	slices.Sort(names)
	return names
}
