// Package fixes asks for names that are close to those that there are. // want package:"gives routes"
package fixes

import (
	"fmt"
	"net/http"

	"github.com/segue-go/segue"
)

const name = "usr"

func routes() {
	app := segue.New()
	app.GET("/orgs/{org}/users/{userID}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("user_id"))        // want `did you mean "userID"\?`
		fmt.Fprintln(w, segue.Param(r, "orgs"))        // want `did you mean "org"\?`
		_, _ = segue.ParamAs[int](r, `userIdd`)        // want `did you mean "userID"\?`
		fmt.Fprintln(w, r.PathValue("something else")) // want `there is "org", "userID"$`
		fmt.Fprintln(w, r.PathValue("us"+"erid"))      // want `did you mean "userID"\?`
		fmt.Fprintln(w, segue.Param(r, name), name)    // want `there is "org", "userID"$`
	})
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("userID")) // want `did you mean "id"\?`
	})
	app.GET("/both/{first}/{second}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("first"), r.PathValue("frist")) // want `there is "first", "second"$`
	})
	app.GET("/either/{x1}/{x2}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("x3")) // want `there is "x1", "x2"$`
	})
	http.ListenAndServe("localhost:8080", app)
}
