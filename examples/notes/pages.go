package main

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"

	"github.com/segue-go/segue"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.html"))

// pages is what people look at.
func pages(s *store) *segue.Router {
	pages := segue.New()
	pages.Use(http.NewCrossOriginProtection().Handler) // other sites' forms: 403
	pages.GET("/", segue.Try(s.listPage))
	pages.POST("/", segue.Try(s.addFromForm))
	pages.GET("/{id}", segue.Try(s.notePage))
	pages.POST("/{id}/delete", segue.Try(s.deleteFromForm)) // forms know no DELETE
	pages.OnError(noteNotFound)
	return pages
}

func (s *store) listPage(w http.ResponseWriter, r *http.Request) error {
	query := r.FormValue("q")
	notes, err := s.List(r.Context(), query, 100)
	if err != nil {
		return err
	}
	return page(w, http.StatusOK, "list.html", map[string]any{"Query": query, "Notes": notes})
}

func (s *store) notePage(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int64](r, "id")
	if err != nil {
		return err
	}
	n, err := s.Get(r.Context(), id)
	if err != nil {
		return err
	}
	return page(w, http.StatusOK, "note.html", n)
}

func (s *store) addFromForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		return segue.Errorf(http.StatusBadRequest, "the form cannot be read: %w", err)
	}
	n := note{Title: r.PostForm.Get("title"), Text: r.PostForm.Get("text")}
	if err := n.check(); err != nil {
		return err
	}
	n, err := s.Add(r.Context(), n)
	if err != nil {
		return err
	}
	location, err := segue.PathFor(r.Pattern+"/{id}", n.ID)
	if err != nil {
		return err
	}
	http.Redirect(w, r, location, http.StatusSeeOther)
	return nil
}

func (s *store) deleteFromForm(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int64](r, "id")
	if err != nil {
		return err
	}
	if err := s.Remove(r.Context(), id); err != nil {
		return err
	}
	http.Redirect(w, r, "/notes", http.StatusSeeOther)
	return nil
}

// page makes the whole page before it sends any of it, so that a template that
// fails is a 500 and not half a page.
func page(w http.ResponseWriter, status int, name string, data any) error {
	var html bytes.Buffer
	if err := templates.ExecuteTemplate(&html, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(html.Bytes())
	return nil
}

// errorPage ends the list: what the API has not answered is for people.
func errorPage(w http.ResponseWriter, r *http.Request, err error) error {
	status, message := segue.StatusOf(err)
	return page(w, status, "error.html", map[string]any{"Status": status, "Message": message, "ID": idOf(r.Context())})
}
