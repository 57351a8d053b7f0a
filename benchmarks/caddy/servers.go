package main

// This file sets up Caddy's file server, by itself and in Caddy's own server.

import (
	"encoding/json"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/brotli"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/zstd"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver"

	"github.com/segue-go/segue/benchmarks/costs/files"
)

var servers = []files.Server{
	{Title: "Caddy, `file_server`", New: module(false), File: "site.css"},
	{Title: "Caddy, `precompressed`, the .br is sent", New: module(true), File: "site.css", Encoded: true},
	{Title: "Caddy, `precompressed`, no sibling there", New: module(true), File: "plain.css"},
	{Title: "Caddy, `file_server`, in its whole server", New: whole, File: "site.css"},
}

type object map[string]any

// module returns a function that makes the file server, and calls it as Caddy's server does.
func module(precompressed bool) func(files.Site) (http.Handler, error) {
	return func(s files.Site) (http.Handler, error) {
		ctx, err := provision(s, object{})
		if err != nil {
			return nil, err
		}
		config := fileServer(s)
		if precompressed {
			config["precompressed"] = object{"br": object{}, "zstd": object{}, "gzip": object{}}
			config["precompressed_order"] = []string{"br", "zstd", "gzip"} // as of `precompressed` in a Caddyfile
		}
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		loaded, err := ctx.LoadModuleByID("http.handlers.file_server", text)
		if err != nil {
			return nil, err
		}
		handler, server := loaded.(caddyhttp.MiddlewareHandler), &caddyhttp.Server{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, server)
			if err := handler.ServeHTTP(w, r, nothing); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}), nil
	}
}

// nothing stands after the file server, which asks it only with pass_thru.
var nothing = caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil })

// whole returns the handler of Caddy's own server, which has one route.
func whole(s files.Site) (http.Handler, error) {
	config := fileServer(s)
	config["handler"] = "file_server"
	ctx, err := provision(s, object{"http": object{"servers": object{"files": object{
		"listen":          []string{"127.0.0.1:0"}, // nothing listens: it is never started
		"automatic_https": object{"disable": true},
		"routes":          []object{{"handle": []object{config}}},
	}}}})
	if err != nil {
		return nil, err
	}
	app, err := ctx.App("http")
	if err != nil {
		return nil, err
	}
	return app.(*caddyhttp.App).Servers["files"], nil
}

// fileServer is the configuration of a file server: files on disk are Caddy's to
// read, and others are in the file system that provision registers.
func fileServer(s files.Site) object {
	if s.Dir != "" {
		return object{"root": s.Dir}
	}
	return object{"root": ".", "fs": "site"}
}

// provision makes what modules are loaded in. Logs are set to what Caddy logs by
// default, and thrown away.
func provision(s files.Site, apps object) (caddy.Context, error) {
	text, err := json.Marshal(object{
		"logging": object{"logs": object{"default": object{"writer": object{"output": "discard"}}}},
		"apps":    apps,
	})
	if err != nil {
		return caddy.Context{}, err
	}
	var config caddy.Config
	if err := json.Unmarshal(text, &config); err != nil {
		return caddy.Context{}, err
	}
	ctx, err := caddy.ProvisionContext(&config)
	if err == nil {
		ctx.FileSystems().Register("site", s.FS)
	}
	return ctx, err
}
