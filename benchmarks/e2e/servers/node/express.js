// Express as its documentation sets it up; NODE_ENV is production.
'use strict';
const express = require('express');
const o = require('./options');

const app = express();
for (let i = 0; i < o.middlewares; i++) {
  app.use((req, res, next) => next());
}
const param = o.routes === 0 ? 'name' : 'id';
const answer = (req, res) => {
  res.type('text/plain').send(o.body ?? `Hello, ${req.params[param]}!\n`);
};
if (o.routes === 0) {
  app.get('/hello/:name', answer);
}
for (let i = 0; i < o.routes; i++) {
  app.get(`/api/v1/resource${i}/:id`, answer);
}
app.listen(o.port, o.host);
