// The server with gin.
package main

import (
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	for range o.Middlewares {
		router.Use(func(c *gin.Context) { c.Next() })
	}
	paths, param := o.Paths()
	answer := func(c *gin.Context) {
		if o.Body != nil {
			c.Header("Content-Length", strconv.Itoa(len(o.Body)))
			c.Data(http.StatusOK, "text/plain; charset=utf-8", o.Body)
			return
		}
		c.String(http.StatusOK, "Hello, %s!\n", c.Param(param))
	}
	for _, path := range paths {
		router.GET(serve.Colon(path), answer)
	}
	o.Run(router)
}
