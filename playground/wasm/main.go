//go:build js && wasm && playground

// The program that runs in the page: the engine behind one function.
package main

import (
	"syscall/js"

	"github.com/segue-go/segue/playground/engine"
)

func main() {
	var e engine.Engine
	js.Global().Set("segueCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return e.Call(args[0].String(), args[1].String())
	}))
	js.Global().Call("segueReady")
	select {}
}
