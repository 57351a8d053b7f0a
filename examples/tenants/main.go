// Tenants serves each customer on a host of its own. One router has the routes
// of all tenants and hangs on {tenant}.localhost. An exact host, here admin, goes
// before it, and what has no host comes last.
//
//	go run ./examples/tenants
//	curl http://acme.localhost:18009/                 # a tenant
//	curl http://acme.localhost:18009/notes/1
//	curl -i http://nobody.localhost:18009/            # no such tenant: 404
//	curl -i http://admin.localhost:18009/             # the operator's host: 401
//	curl -u ops:example http://admin.localhost:18009/
//	curl http://localhost:18009/                      # any other host
//
// curl and browsers know that every name below localhost is this machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18009", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "tenants:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18019 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	fmt.Printf("listening on http://%s, try http://acme.localhost:%s/\n", listener.Addr(), port)
	server := &http.Server{Handler: newApp(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

// notes are the tenants and what each of them has written.
var notes = map[string][]string{
	"acme":  {"buy anvils", "look up"},
	"globe": {"turn"},
}

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.AccessLog(slog.Default()), segue.Recover)
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, "ask for a tenant, as in acme.localhost\n")
	})
	app.Mount("{tenant}.localhost", newTenant())
	admin := app.Group("admin.localhost", requireOperator)
	admin.GET("/", func(w http.ResponseWriter, r *http.Request) {
		segue.JSON(w, http.StatusOK, slices.Sorted(maps.Keys(notes)))
	})
	return app
}

// newTenant is what a tenant sees. It does not know on which host it hangs, and
// asks for the parameter.
func newTenant() *segue.Router {
	tenant := segue.New()
	tenant.Use(requireTenant)
	tenant.GET("/", segue.Try(listNotes))
	tenant.GET("/notes/{number}", segue.Try(showNote))
	return tenant
}

// requireTenant answers for names that are nobody's. The 404s below a tenant's
// host pass it as well, so that they do not tell which tenants there are.
func requireTenant(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := notes[segue.Param(r, "tenant")]; !ok {
			segue.Fail(w, r, segue.Errorf(http.StatusNotFound, "no such tenant"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func listNotes(w http.ResponseWriter, r *http.Request) error {
	return segue.JSON(w, http.StatusOK, notes[segue.Param(r, "tenant")])
}

func showNote(w http.ResponseWriter, r *http.Request) error {
	number, err := segue.ParamAs[int](r, "number")
	if err != nil {
		return err
	}
	all := notes[segue.Param(r, "tenant")]
	if number < 1 || number > len(all) {
		return segue.Errorf(http.StatusNotFound, "there is no note %d", number)
	}
	return segue.Text(w, http.StatusOK, all[number-1]+"\n")
}

// requireOperator stands in for a real one.
func requireOperator(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "ops" || password != "example" {
			w.Header().Set("WWW-Authenticate", `Basic realm="admin"`)
			segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
			return
		}
		next.ServeHTTP(w, r)
	})
}
