/**
 * @module
 * The ports of live nodes and stores, which a process that was killed must find free when it returns.
 */

import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePorts, isPortFree } from '../../../src/live/stores/own-store.ts';

it('are different, and below those that systems give to outgoing connections', async () => {
  const ports = await freePorts(20);

  expect(new Set(ports).size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it('are free unless a server listens', async () => {
  const [port = 0] = await freePorts(1);
  const before = await isPortFree(port);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const during = await isPortFree(port);
  await new Promise((resolve) => server.close(resolve));

  expect([before, during, await isPortFree(port)]).toEqual([true, false, true]);
});
