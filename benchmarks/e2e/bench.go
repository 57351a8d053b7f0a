package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/segue-go/segue/benchmarks/report"
)

const (
	serversDir = "e2e/servers"
	nodeDir    = "e2e/servers/node"
	script     = "e2e/wrk.lua"
)

// A bench has what is needed to measure: the programs that were found and the
// servers that were built.
type bench struct {
	options
	dir     string // of the servers that were built
	plusweb string // the folder of PlusWeb's source, if there is one
	chosen  []server
	machine report.Machine
}

// newBench finds and builds everything, or says what is missing.
func newBench(o options, names []string) (*bench, error) {
	b := &bench{options: o, plusweb: os.Getenv("PLUSWEB")}
	for _, s := range servers {
		if s.kind == "cpp" && b.plusweb == "" && o.servers == "" {
			continue // its source is not here
		}
		if slices.Contains(names, s.name) {
			b.chosen = append(b.chosen, s)
		}
	}
	if err := b.require(); err != nil {
		return nil, err
	}
	if err := b.describe(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "segue-e2e-servers")
	if err != nil {
		return nil, err
	}
	b.dir = dir
	if err := b.build(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

func (b *bench) has(kind string) bool {
	return slices.ContainsFunc(b.chosen, func(s server) bool { return s.kind == kind })
}

// require says what to install where something is missing.
func (b *bench) require() error {
	if runtime.GOOS != "linux" {
		return errors.New("this needs Linux: processor time and memory are read from /proc")
	}
	if _, err := os.Stat(serversDir); err != nil {
		return fmt.Errorf("no folder %s here: run it in the folder benchmarks", serversDir)
	}
	for _, tool := range []struct{ name, install, kind string }{
		{"wrk", "apt-get install wrk", ""},
		{"taskset", "apt-get install util-linux", ""},
		{"cc", "apt-get install gcc libc6-dev", "c"},
		{"c++", "apt-get install g++", "cpp"},
		{b.node, "apt-get install nodejs npm, or say where it is by -node", "node"},
	} {
		if tool.kind != "" && !b.has(tool.kind) {
			continue
		}
		if _, err := exec.LookPath(tool.name); err != nil {
			return fmt.Errorf("%s is not installed: %s", tool.name, tool.install)
		}
	}
	if slices.ContainsFunc(b.chosen, func(s server) bool { return s.name == "express" }) {
		if _, err := os.Stat(filepath.Join(nodeDir, "node_modules/express")); err != nil {
			return fmt.Errorf("express is not installed: npm ci --prefix %s", nodeDir)
		}
	}
	if b.has("cpp") {
		if _, err := os.Stat(filepath.Join(b.plusweb, "include/PlusWeb/HttpServer.h")); err != nil {
			return fmt.Errorf("no source of PlusWeb: set the environment's PLUSWEB to the folder that has its include and src (%w)", err)
		}
	}
	for i := range inTurns {
		if err := portFree(b.port + i); err != nil {
			return err
		}
	}
	return nil
}

// describe notes the versions of what is compared.
func (b *bench) describe() error {
	b.machine = report.ThisMachine(modules...)
	wrk, _ := exec.Command("wrk", "-v").CombinedOutput() // it exits by 1
	if word := strings.Fields(string(wrk)); len(word) > 1 {
		b.machine.Versions["wrk"] = strings.TrimPrefix(word[1], "debian/")
	}
	if commit, err := exec.Command("git", "-C", b.plusweb, "rev-parse", "--short", "HEAD").Output(); err == nil && b.has("cpp") {
		b.machine.Versions["PlusWeb"] = strings.TrimSpace(string(commit))
	}
	if !b.has("node") {
		return nil
	}
	version, err := exec.Command(b.node, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", b.node, err)
	}
	b.machine.Versions["Node"] = strings.TrimSpace(string(version))
	var express struct{ Version string }
	if report.Load(filepath.Join(nodeDir, "node_modules/express/package.json"), &express) == nil {
		b.machine.Versions["Express"] = express.Version
	}
	return nil
}

func (b *bench) build() error {
	for _, s := range b.chosen {
		var cmd *exec.Cmd
		switch out := filepath.Join(b.dir, s.name); s.kind {
		case "go":
			cmd = exec.Command("go", "build", "-o", out, "./"+filepath.Join(serversDir, s.name))
		case "c":
			cmd = exec.Command("cc", "-O2", "-Wall", "-o", out, filepath.Join(serversDir, "epoll/epoll.c"))
		case "cpp":
			cmd = b.compilePlusWeb(out)
		default:
			continue
		}
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
		}
	}
	return nil
}

// compilePlusWeb compiles the server together with PlusWeb's source. Some of
// its versions want nlohmann/json, which apt-get install nlohmann-json3-dev has.
func (b *bench) compilePlusWeb(out string) *exec.Cmd {
	sources, _ := filepath.Glob(filepath.Join(b.plusweb, "src/*.cpp"))
	args := []string{"-std=c++17", "-O2", "-pthread", "-I", filepath.Join(b.plusweb, "include"), "-o", out, filepath.Join(serversDir, "plusweb/plusweb.cpp")}
	return exec.Command("c++", append(args, sources...)...)
}
