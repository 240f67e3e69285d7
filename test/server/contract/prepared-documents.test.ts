/**
 * @module
 * The documents of the API are created before a server is ready, so that no request waits for them.
 */

import { expect, it, vi } from 'vitest';

import { DOCUMENT_PATHS, SharedDocuments } from '../../../server/contract/openapi/routes.ts';
import { startLab } from '../../../server/lab.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';

it('are created once, before the server is ready', async () => {
  const used = vi.spyOn(SharedDocuments.prototype, 'of');
  const onFault = vi.fn();
  const options = { host: '127.0.0.1', port: 0, data: null, version: '1', policy: STRICT_POLICY };
  const lab = await startLab(options, onFault);
  const before = used.mock.calls.length;

  const answers = await Promise.all(DOCUMENT_PATHS.map((path) => fetch(lab.url + path)));
  const statuses = answers.map(({ status }) => status);
  await lab.close();

  const created = new Set(used.mock.results.map(({ value }) => value));
  used.mockRestore();
  expect(before).toBe(DOCUMENT_PATHS.length);
  expect(statuses).toEqual([200, 200, 200]);
  expect(created.size).toBe(1);
  expect(onFault).not.toHaveBeenCalled();
});
