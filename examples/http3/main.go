// Http3 serves one router over HTTP/3, which is UDP, and over HTTP/2 and
// HTTP/1.1 on the TCP port of the same number. Clients come by TCP and are told
// by Alt-Svc that HTTP/3 is there too.
//
//	go run -C examples/http3 .
//	curl --insecure https://localhost:18031/hello/vikram               # HTTP/2.0
//	curl --insecure --http3-only https://localhost:18031/hello/vikram  # HTTP/3.0, if your curl has it
//
// The certificate is made at the start, for localhost alone.
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18031", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, *addr, newApp()); err != nil {
		fmt.Fprintln(os.Stderr, "http3:", err)
		os.Exit(1)
	}
}

// run serves app until ctx is done, and then finishes the requests in flight.
func run(ctx context.Context, addr string, app http.Handler) error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	s, err := listen(addr, app, certificate)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18041 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on https://%s\n", s.tcp.Addr())
	served := s.serve()
	select {
	case err := <-served:
		return errors.Join(err, s.close())
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.shutdown(wait)
}

// servers are the two that share a router and a port's number.
type servers struct {
	tcp  net.Listener
	udp  net.PacketConn
	http *http.Server
	quic *http3.Server
}

func listen(addr string, app http.Handler, certificate tls.Certificate) (*servers, error) {
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	udp, err := net.ListenPacket("udp", tcp.Addr().String())
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	s := &servers{tcp: tcp, udp: udp}
	s.quic = &http3.Server{Handler: app, TLSConfig: config.Clone(), IdleTimeout: 2 * time.Minute}
	s.http = &http.Server{
		Handler:           s.announce(app),
		TLSConfig:         config,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	return s, nil
}

// announce tells clients that come by TCP of HTTP/3.
func (s *servers) announce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = s.quic.SetQUICHeaders(w.Header()) // it fails before HTTP/3 is there
		next.ServeHTTP(w, r)
	})
}

// serve returns at once. What comes out of the channel is why one of the two
// servers does not serve.
func (s *servers) serve() <-chan error {
	failed := make(chan error, 2)
	go func() { failed <- s.quic.Serve(s.udp) }()
	go func() { failed <- s.http.ServeTLS(s.tcp, "", "") }()
	return failed
}

// shutdown finishes the requests in flight on both, at the same time.
func (s *servers) shutdown(ctx context.Context) error {
	stopped := make(chan error)
	go func() { stopped <- s.quic.Shutdown(ctx) }()
	return errors.Join(s.http.Shutdown(ctx), <-stopped, s.udp.Close())
}

func (s *servers) close() error {
	return errors.Join(s.http.Close(), s.quic.Close(), s.udp.Close())
}

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		_ = segue.Text(w, http.StatusOK, fmt.Sprintf("Hello, %s, over %s!\n", r.PathValue("name"), r.Proto))
	})
	return app
}

// selfSigned makes a certificate that clients have to be told to trust.
func selfSigned() (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, err
}
