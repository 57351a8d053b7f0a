// Loads the router: the WebAssembly program, with a bar for its progress.
import { byId } from "./dom.js";

// load returns the program's one function, JSON in and out.
export async function load() {
  if (typeof WebAssembly !== "object" || typeof Go !== "function") {
    throw new Error("This browser has no WebAssembly, or it is switched off. The page runs the router itself in the browser, and cannot do without.");
  }
  const response = await fetch("segue.wasm");
  if (!response.ok) throw new Error(`The router could not be loaded (${response.status}).`);
  const go = new Go();
  const ready = new Promise((resolve) => (globalThis.segueReady = resolve));
  const { instance } = await WebAssembly.instantiateStreaming(counted(response), go.importObject);
  go.run(instance);
  await ready;
  return (name, args) => {
    const answer = JSON.parse(globalThis.segueCall(name, JSON.stringify(args)));
    if (answer && answer.error) throw new Error(answer.error);
    return answer;
  };
}

// counted passes a response on and moves the bar as it comes.
function counted(response) {
  const size = Number(response.headers.get("X-Size"));
  const bar = byId("progress");
  let seen = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length;
      if (size) bar.value = seen / size;
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}
