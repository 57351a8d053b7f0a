//go:build playground

package engine

// This file writes the path of another router in the language of the editor.

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

var (
	chiRegexp     = regexp.MustCompile(`\{(\w+):[^/]*\}`)
	expressRegexp = regexp.MustCompile(`:(\w+)\([^/]*\)`)
)

// translate returns the paths that say the same, more than one where a parameter
// is optional, and what is lost.
func translate(path, kind string) (paths []string, lost string) {
	if path == "" {
		path = "/"
	}
	if plain := chiRegexp.ReplaceAllString(path, "{$1}"); plain != path && (kind == "chi" || kind == "mux") {
		path, lost = plain, "a parameter takes any segment: its expression is left out"
	}
	if kind == "express" {
		if plain := expressRegexp.ReplaceAllString(path, ":$1"); plain != path {
			path, lost = plain, "a parameter takes any segment: its expression is left out"
		}
		if !strings.HasPrefix(path, "/") {
			path = "/" + path // app.get("*")
		}
	}
	if kind != "segue" && kind != "http" && (path == "*" || strings.HasSuffix(path, "/*")) {
		path = strings.TrimSuffix(path, "*") + "*rest"
	}
	if short, ok := strings.CutSuffix(path, "?"); ok && kind == "express" {
		if i := strings.LastIndexByte(short, '/'); i > 0 {
			return []string{short[:i], short}, lost
		}
		return []string{"/", short}, lost
	}
	return []string{path}, lost
}

// quoted is a string as it stands in a program.
func quoted(text string) ast.Expr {
	return &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(text)}
}
