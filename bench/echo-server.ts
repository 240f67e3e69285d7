/**
 * @module
 * The yardstick of the server: the least that hono does for a request with a body, on the same adapter.
 * Prints its address as `usurp serve` does.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';

import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/', async (c) => c.json(await c.req.json()));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new TypeError('not bound to a port');
console.log(`http://127.0.0.1:${address.port}`);
