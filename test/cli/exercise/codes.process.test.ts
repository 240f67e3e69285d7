/**
 * @module
 * New join codes and the file of `usurp class codes --out`: earlier codes end only if the file can be written, and no new
 * code is lost. And the time that a regrade may take.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterEach, expect, it, vi } from 'vitest';

import { scratchFolder, usurp } from '../shell.ts';

const CODE = { name: 'ann', role: 'student', fullName: null, email: null, code: 'AAAA-BBBB' };

const folder = scratchFolder();
const at = (name: string) => join(folder, name);
let renewals = 0;
let whenRenewed = () => undefined as void;

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    renewals += 1;
    whenRenewed();
  }
  const answer = request.method === 'POST' ? { items: [CODE] } : { name: 'Systems' };
  response.end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

afterEach(() => {
  renewals = 0;
  whenRenewed = () => undefined;
});

const codesTo = (file: string) =>
  usurp(['class', 'codes', '--out', file, '--server', `http://127.0.0.1:${port}`]);

it.each([
  ['that exists', 'codes.csv', /exists/],
  ['in a folder that is missing', 'none/codes.csv', /not writable/],
  ['that is a folder', '.', /directory/],
])('a file %s is refused before the codes are made', async (_what, name, message) => {
  writeFileSync(at('codes.csv'), 'before');

  const { code, stderr } = await codesTo(at(name));

  expect({ code, renewals }).toEqual({ code: 254, renewals: 0 });
  expect(stderr).toMatch(message);
  expect(readFileSync(at('codes.csv'), 'utf8')).toBe('before');
});

it('codes that cannot be written are printed', async () => {
  mkdirSync(at('gone'));
  whenRenewed = () => rmSync(at('gone'), { recursive: true });

  const { code, stderr, stdout } = await codesTo(at('gone/codes.csv'));

  expect({ renewals, stdout }).toEqual({ renewals: 1, stdout: '' });
  expect(code).not.toBe(0);
  expect(stderr).toContain('student ann AAAA-BBBB');
});

it('a regrade may take 5 minutes', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');

  await usurp(['class', 'regrade', 'predict-cost', '--server', `http://127.0.0.1:${port}`]);
  const [[ms] = []] = timeout.mock.calls;
  timeout.mockRestore();

  expect(ms).toBe(300_000);
});
