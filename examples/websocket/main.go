// Websocket is an echo over WebSocket, by golang.org/x/net/websocket, behind
// middleware and a parameter.
//
//	go run ./examples/websocket
//	curl -i http://localhost:18005/echo/kitchen           # not a WebSocket: 426
//	curl -i -N --max-time 1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: c2VndWUgZXhhbXBsZSBrZQ==' http://localhost:18005/echo/kitchen
//
// In a browser's console, at http://localhost:18005/:
//
//	ws = new WebSocket("/echo/kitchen"); ws.onmessage = e => console.log(e.data); ws.onopen = () => ws.send("hello")
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/websocket"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18005", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "websocket:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18015 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/\n", listener.Addr())
	server := &http.Server{Handler: newApp(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

func newApp() *segue.Router {
	app := segue.New()
	// Recover keeps the writer's Hijack, which a WebSocket needs. A middleware of
	// your own that wraps the writer has to do the same.
	app.Use(segue.Recover)
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		_ = segue.Text(w, http.StatusOK, "the socket is at /echo/{room}\n")
	})
	app.Method(http.MethodGet, "/echo/{room}", requireUpgrade(websocket.Server{Handshake: sameOrigin, Handler: echo}))
	return app
}

// requireUpgrade answers those that speak plain HTTP. The package would take
// their connection over before it looks.
func requireUpgrade(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "websocket")
			segue.Fail(w, r, segue.Errorf(http.StatusUpgradeRequired, "this is a WebSocket"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

var errOrigin = errors.New("a page of another site")

// sameOrigin keeps pages of other sites out: a browser lets any page open a
// socket to any host, and sends the user's cookies along. Without an Origin the
// client is no browser.
func sameOrigin(_ *websocket.Config, r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
		return errOrigin
	}
	return nil
}

// echo sends each message back with the name of its room. The request, and its
// parameters, live as long as the connection.
func echo(ws *websocket.Conn) {
	ws.MaxPayloadBytes = 64 << 10
	room := ws.Request().PathValue("room")
	for {
		var message string
		if err := websocket.Message.Receive(ws, &message); err != nil {
			if err != io.EOF {
				log.Printf("%s: %v", room, err)
			}
			return
		}
		if err := websocket.Message.Send(ws, room+": "+message); err != nil {
			return
		}
	}
}
