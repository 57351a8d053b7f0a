// The flags of every server, as in ../serve.
'use strict';
const { parseArgs } = require('node:util');

const { values } = parseArgs({
  options: {
    addr: { type: 'string', default: '127.0.0.1:18080' },
    routes: { type: 'string', default: '0' },
    middlewares: { type: 'string', default: '0' },
    body: { type: 'string', default: '0' },
  },
});
const [host, port] = values.addr.split(':');

module.exports = {
  host,
  port: Number(port),
  routes: Number(values.routes),
  middlewares: Number(values.middlewares),
  body: Number(values.body) > 0 ? Buffer.alloc(Number(values.body), 'x') : null,
};
