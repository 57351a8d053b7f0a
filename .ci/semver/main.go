// Semver refuses a change of the exported names that the next version is not
// made for. It compares them with those of the last tag, by apidiff; the next
// version is the one that CHANGELOG.md names at its top:
//
//	## [0.2.0] - unreleased
//
// Without a tag, as before the first version and in a shallow clone, there is
// nothing to compare with: it says so and passes. What CONTRIBUTING.md says of
// behaviour is for people to judge.
//
// Usage, in the root of the repository: go run ./.ci/semver
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const apidiff = "golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4"

func main() {
	report, err := check(".")
	fmt.Println(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check reports on the package and the repository in dir. The error says why
// the change is refused, or what went wrong.
func check(dir string) (report string, err error) {
	tag := lastTag(dir)
	if tag == "" {
		return "no tag of a version here: nothing to compare the exported names with", nil
	}
	last, err := parseVersion(strings.TrimPrefix(tag, "v"))
	if err != nil {
		return "", err
	}
	diff, err := changesSince(dir, tag)
	if err != nil {
		return "", err
	}
	if diff == "" {
		return "the exported names are those of " + tag, nil
	}
	next, err := nextVersion(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return diff, err
	}
	return fmt.Sprintf("since %s, for %s:\n%s", tag, next, diff), allow(last, next, strings.Contains(diff, "Incompatible changes:"))
}

// lastTag returns the newest version that the checkout descends from, "" if git
// knows none. Pre-releases do not count.
func lastTag(dir string) string {
	tag, err := run(dir, "git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "--exclude", "*-*")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(tag)
}

// changesSince returns what apidiff tells, "" if nothing changed.
func changesSince(dir, tag string) (string, error) {
	temporary, err := os.MkdirTemp("", "semver")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	archive, tree := filepath.Join(temporary, "old.tar"), filepath.Join(temporary, "tree")
	before, after := filepath.Join(temporary, "before"), filepath.Join(temporary, "after")
	if err := os.Mkdir(tree, 0o777); err != nil {
		return "", err
	}
	for _, step := range []struct {
		in      string
		command []string
	}{
		{dir, []string{"git", "archive", "--output", archive, tag}},
		{tree, []string{"tar", "-xf", archive}},
		{tree, []string{"go", "run", apidiff, "-w", before, "."}},
		{dir, []string{"go", "run", apidiff, "-w", after, "."}},
	} {
		if _, err := run(step.in, step.command...); err != nil {
			return "", err
		}
	}
	diff, err := run(dir, "go", "run", apidiff, before, after)
	return strings.TrimSpace(diff), err
}

func run(dir string, command ...string) (string, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

type version struct{ major, minor, patch int }

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

func (v version) compare(w version) int {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch))
}

func parseVersion(text string) (v version, err error) {
	if _, err := fmt.Sscanf(text, "%d.%d.%d", &v.major, &v.minor, &v.patch); err != nil || v.String() != text || strings.Contains(text, "-") {
		return version{}, fmt.Errorf("%q is no version of the form 1.2.3", text)
	}
	return v, nil
}

var heading = regexp.MustCompile(`(?m)^## \[(.*?)\]`)

// nextVersion returns the version at the top of the changelog.
func nextVersion(changelog string) (version, error) {
	text, err := os.ReadFile(changelog)
	if err != nil {
		return version{}, err
	}
	match := heading.FindSubmatch(text)
	if match == nil {
		return version{}, errors.New("CHANGELOG.md has no heading of the form ## [1.2.3] - unreleased")
	}
	next, err := parseVersion(string(match[1]))
	if err != nil {
		return version{}, fmt.Errorf("CHANGELOG.md, at its top: %w", err)
	}
	return next, nil
}

// allow says whether next may follow last where the exported names differ.
func allow(last, next version, incompatible bool) error {
	least := version{last.major, last.minor + 1, 0}
	switch {
	case incompatible && last.major > 0:
		least = version{last.major + 1, 0, 0}
	case !incompatible && last.major == 0:
		least = version{0, last.minor, last.patch + 1}
	}
	if next.compare(least) >= 0 {
		return nil
	}
	what := "additions"
	if incompatible {
		what = "incompatible changes"
	}
	return fmt.Errorf("%s to the exported names since v%s make it %s at least; the top of CHANGELOG.md names %s. Write there: ## [%s] - unreleased",
		what, last, least, next, least)
}
