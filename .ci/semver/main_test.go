package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// released is a repository with a package, its tag and its changelog; name and
// text of further files take the place of what was tagged.
func released(t *testing.T, tag string, then map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26.0\n",
		"m.go":          "package m\n\nfunc Kept(int) {}\n\nfunc unexported() {}\n",
		"internal/i.go": "package internal\n\nfunc Changed(int) {}\n",
		"CHANGELOG.md":  "# Changelog\n\n## [1.2.3] - 2026-12-01\n",
	})
	git := func(arguments ...string) {
		_, err := run(dir, append([]string{"git", "-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, arguments...)...)
		require.NoError(t, err)
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "first")
	if tag != "" {
		git("tag", tag)
	}
	git("tag", "inner/v9.0.0") // of a nested module
	git("tag", "v9.0.0-rc.1")  // before a version
	write(t, dir, then)
	git("add", ".")
	git("commit", "--quiet", "--allow-empty", "--message", "second")
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
}

const (
	added   = "package m\n\nfunc Kept(int) {}\n\nfunc Added() {}\n"
	changed = "package m\n\nfunc Kept(string) {}\n"
)

func naming(version string) string {
	return "# Changelog\n\n## [" + version + "] - unreleased\n\n## [1.2.3] - 2026-12-01\n"
}

func TestCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		tag     string
		then    map[string]string
		report  string // a part of it
		refused string // a part of it, "" if it passes
	}{
		"no tag": {
			"", map[string]string{"m.go": changed},
			"no tag of a version here", "",
		},
		"nothing exported changed": {
			"v1.2.3", map[string]string{"m.go": "package m\n\nfunc Kept(int) {}\n", "internal/i.go": "package internal\n"},
			"the exported names are those of v1.2.3", "",
		},
		"an addition, and a minor version": {
			"v1.2.3", map[string]string{"m.go": added, "CHANGELOG.md": naming("1.3.0")},
			"- Added: added", "",
		},
		"an addition, and no new version": {
			"v1.2.3", map[string]string{"m.go": added},
			"- Added: added", "1.3.0 at least; the top of CHANGELOG.md names 1.2.3",
		},
		"an addition, and none named": {
			"v1.2.3", map[string]string{"m.go": added, "CHANGELOG.md": naming("Unreleased")},
			"- Added: added", `"Unreleased" is no version`,
		},
		"an incompatible change, and a minor version": {
			"v1.2.3", map[string]string{"m.go": changed, "CHANGELOG.md": naming("1.3.0")},
			"- Kept: changed from func(int) to func(string)", "2.0.0 at least; the top of CHANGELOG.md names 1.3.0",
		},
		"an incompatible change, and a major version": {
			"v1.2.3", map[string]string{"m.go": changed, "CHANGELOG.md": naming("2.0.0")},
			"- Kept: changed from func(int) to func(string)", "",
		},
		"before 1.0.0, an incompatible change, and a patch": {
			"v0.2.3", map[string]string{"m.go": changed, "CHANGELOG.md": naming("0.2.4")},
			"- Kept: changed", "0.3.0 at least",
		},
		"before 1.0.0, an incompatible change, and a minor version": {
			"v0.2.3", map[string]string{"m.go": changed, "CHANGELOG.md": naming("0.3.0")},
			"- Kept: changed", "",
		},
		"before 1.0.0, an addition, and a patch": {
			"v0.2.3", map[string]string{"m.go": added, "CHANGELOG.md": naming("0.2.4")},
			"- Added: added", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := check(released(t, tt.tag, tt.then))
			assert.Contains(t, report, tt.report)
			if tt.refused == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.refused)
			}
		})
	}
}

// A package that does not compile is a failure, not a change.
func TestCheckCannotCompare(t *testing.T) {
	_, err := check(released(t, "v1.2.3", map[string]string{"m.go": "package m\n\nfunc {\n"}))
	assert.ErrorContains(t, err, "apidiff")
}

func TestParseVersion(t *testing.T) {
	v, err := parseVersion("10.0.21")
	require.NoError(t, err)
	assert.Equal(t, version{10, 0, 21}, v)
	for _, wrong := range []string{"", "1", "1.2", "1.2.3-rc.1", "v1.2.3", "1.2.3.4", "01.2.3", "Unreleased", "1.-2.3"} {
		_, err := parseVersion(wrong)
		assert.Error(t, err, wrong)
	}
}

func TestTheChangelogHere(t *testing.T) {
	next, err := nextVersion("../../CHANGELOG.md")
	require.NoError(t, err)
	assert.Positive(t, next.compare(version{}))
}
