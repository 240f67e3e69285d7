/**
 * @module
 * Clients that openapi-typescript and Hey API generate from the document as it is: each has every operation,
 * and one plays an election. The generators are installed apart (npm run generators).
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { labUnderTest } from '../lab-under-test.ts';

const GENERATORS = fileURLToPath(new URL('../generators', import.meta.url));
const isInstalled = existsSync(join(GENERATORS, 'node_modules/@hey-api'));
if (!isInstalled) console.warn('skipped: npm run generators installs the client generators');

const lab = labUnderTest();
const folder = mkdtempSync(join(tmpdir(), 'usurp-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly response: Response;
}

type Call = (options: object) => Promise<Answer>;

describe.skipIf(!isInstalled)('generated clients', () => {
  const ids: string[] = [];
  let calls: Readonly<Record<string, Call>> = {};

  beforeAll(async () => {
    const { json, text } = await lab.call('GET', '/openapi.json');
    for (const item of Object.values(Object(json.paths))) {
      for (const { operationId } of Object.values(Object(item)) as { operationId: string }[]) {
        ids.push(operationId); // Every operation has one.
      }
    }
    const document = join(folder, 'openapi.json');
    writeFileSync(document, text);
    const words = [join(GENERATORS, 'generate.js'), document, folder];
    execFileSync(process.execPath, words, { cwd: GENERATORS, stdio: 'pipe' });
    const bundle = await rolldown({ input: join(folder, 'client/sdk.gen.ts') });
    await bundle.write({ file: join(folder, 'client.mjs'), format: 'es' });
    calls = await import(pathToFileURL(join(folder, 'client.mjs')).href);
  });

  it('have every operation', () => {
    const types = readFileSync(join(folder, 'schema.ts'), 'utf8');

    expect(ids.length).toBeGreaterThan(40);
    expect(ids.filter((id) => typeof calls[id] !== 'function')).toEqual([]);
    expect(ids.filter((id) => !types.includes(`    ${id}: {`))).toEqual([]);
  });

  it('have types that the compiler accepts', () => {
    const compiler = join(GENERATORS, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--moduleResolution', 'bundler'];
    const files = [join(folder, 'schema.ts'), join(folder, 'client/index.ts')];
    const target = ['--module', 'esnext', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];

    execFileSync(process.execPath, [compiler, ...options, ...target, ...files], { stdio: 'pipe' });
  });

  it('play an election: a forged COORDINATOR usurps it, and a fork without it does not', async () => {
    const ask = (id: string, options: object) => {
      const call = calls[id];
      if (call === undefined) throw new TypeError(`"id" expected an operation, got ${id}`);
      const fetched = (request: Request) => lab.app.fetch(request);
      return call({ baseUrl: 'http://127.0.0.1', fetch: fetched, ...options });
    };
    const request = { protocol: 'bully-oneshot', nodes: 5, seed: '1', level: 'L0' };

    const made = await ask('createElection', { body: { ...request, crash: 'highest', run: true } });
    const path = { id: made.data?.id };
    const fork = await ask('forkElection', { path, body: {} });
    const message = { type: 'COORDINATOR', leader: 5 };
    await ask('actOnElection', { path, body: { type: 'inject', from: 5, to: 'all', message } });
    const end = await ask('actOnElection', { path, body: { type: 'advance', until: 'idle' } });
    const verdict = await ask('getElectionVerdict', { path: { id: fork.data?.id } });
    const nodes = await ask('listNodes', { path, query: { pageSize: '2' } });
    const refused = await ask('actOnElection', { path, body: { type: 'crash', rank: 9 } });

    expect(made.data).toMatchObject({ agreed: true, leader: { rank: 4 } });
    expect(end.data).toMatchObject({ agreed: false, verdict: { value: 'false' } });
    expect(verdict.data).toMatchObject({ value: 'true' });
    expect(nodes.data).toMatchObject({ items: [{ rank: 1 }, { rank: 2 }] });
    expect(refused.response.status).toBe(409);
    expect(refused.error).toMatchObject({ code: 'election.conflict' });
  });
});
