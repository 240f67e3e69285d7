/**
 * @module
 * The documents of the API are created before a server is ready, so that no request waits for them.
 */

import { expect, it, vi } from 'vitest';
import { openApiDocuments } from '../../../server/contract/openapi/document.ts';
import { referencePage } from '../../../server/contract/openapi/reference.ts';
import { startLab } from '../../../server/lab.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';

vi.mock(import('../../../server/contract/openapi/document.ts'), async (load) => {
  const actual = await load();
  return { ...actual, openApiDocuments: vi.fn(actual.openApiDocuments) };
});
vi.mock(import('../../../server/contract/openapi/reference.ts'), async (load) => {
  const actual = await load();
  return { ...actual, referencePage: vi.fn(actual.referencePage) };
});

it('are created once, before the server is ready', async () => {
  const onFault = vi.fn();
  const options = { host: '127.0.0.1', port: 0, data: null, version: '1', policy: STRICT_POLICY };
  const lab = await startLab(options, onFault);
  const counts = () =>
    [openApiDocuments, referencePage].map((each) => vi.mocked(each).mock.calls.length);
  const before = counts();

  const paths = ['/openapi.json', '/openapi-3.2.json', '/reference'];
  const answers = await Promise.all(paths.map((path) => fetch(lab.url + path)));
  const statuses = answers.map(({ status }) => status);
  await lab.close();

  expect(before).toEqual([1, 1]);
  expect(statuses).toEqual([200, 200, 200]);
  expect(counts()).toEqual(before);
  expect(onFault).not.toHaveBeenCalled();
});
