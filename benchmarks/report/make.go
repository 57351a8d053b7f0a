package report

// This file is the way of a program from measuring to its page.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Make measures, keeps the data as name.json in the folder out, and has write make
// pages and pictures of it there. With render it measures nothing and takes the data
// that is there. With scratch it keeps nothing, unless out is not the folder of the
// committed results.
func Make[R any](out, name string, render, scratch bool, measure func() (*R, error), write func(result *R, out string) error) error {
	if scratch && !render && out == "results" {
		dir, err := os.MkdirTemp("", "segue-"+name)
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		out = dir
	}
	data := filepath.Join(out, name+".json")
	if !render {
		result, err := measure()
		if err != nil {
			return err
		}
		if err := Save(data, result); err != nil {
			return err
		}
	}
	result := new(R)
	if err := Load(data, result); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no results in %s: measure first", data)
	} else if err != nil {
		return err
	}
	return write(result, out)
}

// WritePage prints a page and writes it as name.md.
func WritePage(out, name, text string) error {
	fmt.Println(text)
	return os.WriteFile(filepath.Join(out, name+".md"), []byte(text), 0o644)
}
