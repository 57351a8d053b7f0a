// serve-static as Express has it: node static.js ADDRESS FOLDER. It is here for
// docs/files.md, and nothing measures it.
'use strict';
process.env.NODE_ENV = 'production';
const express = require('express');
const [host, port] = process.argv[2].split(':');

const app = express();
app.use(express.static(process.argv[3]));
app.listen(Number(port), host);
