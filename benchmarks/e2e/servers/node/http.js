// Node's own http: one handler for everything, no routing.
'use strict';
const http = require('node:http');
const o = require('./options');

const server = http.createServer((req, res) => {
  const body = o.body ?? `Hello, ${req.url.slice(req.url.lastIndexOf('/') + 1)}!\n`;
  res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
});
server.listen(o.port, o.host);
