/**
 * @module
 * Clients that openapi-typescript and Hey API generate from the document as it is: each has every operation,
 * and one plays an election. The generators are installed apart (npm run generators).
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { examplesOf } from '../../../server/contract/openapi/shape.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';

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

/** A body that is sent to an operation. */
interface Body {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly body: unknown;
}

const GUIDE = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');

/** The bodies that the command lines of a text post to a path. */
function bodiesIn(text: string, path: string): unknown[] {
  const commands = text.split('\n').filter((line) => line.includes(`8787${path} `));
  return commands.flatMap((command) => {
    const body = / -d '([^']+)'/.exec(command)?.[1];
    // One shows how a body with missing members is refused.
    return body === undefined || body === '{"claim":{}}' ? [] : [JSON.parse(body)];
  });
}

/** Compiles files with the strictest options; the result is what the compiler prints. */
function compile(...files: readonly string[]): string {
  const compiler = join(GENERATORS, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--moduleResolution', 'bundler'];
  const target = ['--module', 'esnext', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];
  const paths = files.map((file) => join(folder, file));
  const words = [compiler, ...options, '--allowImportingTsExtensions', ...target, ...paths];
  return spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout;
}

describe.skipIf(!isInstalled)('generated clients', () => {
  const ids: string[] = [];
  const bodies: Body[] = [];
  let calls: Readonly<Record<string, Call>> = {};

  beforeAll(async () => {
    const { text } = await lab.call('GET', '/openapi.json');
    const { paths } = documentOf(lab.app);
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const { operationId: id, requestBody } = operation;
        const media = requestBody?.content['application/json'] ?? {};
        ids.push(id);
        bodies.push(...examplesOf(media).map((body) => ({ id, path, method, body })));
        const sent = method === 'post' ? bodiesIn(GUIDE, path) : [];
        bodies.push(...sent.map((body) => ({ id, path, method, body })));
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

  it('have types that the compiler accepts, that accept every example of a body, and need no member with a default', () => {
    const lines = bodies.map(({ id, path, method, body }, index) => {
      const types = [
        `paths['${path}']['${method}']['requestBody']['content']['application/json']`,
        `Sdk.${id.charAt(0).toUpperCase()}${id.slice(1)}Data['body']`,
      ];
      const text = JSON.stringify(body);
      return types.map((type, which) => `export const body${index}_${which}: ${type} = ${text};`);
    });
    const imports = [
      `import type { paths } from './schema.ts';`,
      `import type * as Sdk from './client/index.ts';`,
    ];
    writeFileSync(join(folder, 'bodies.ts'), [...imports, ...lines.flat()].join('\n'));

    expect(bodies.length).toBeGreaterThan(30);
    expect(compile('schema.ts', 'client/index.ts', 'bodies.ts')).toBe('');
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
    const untouched = await ask('getElection', { path: { id: fork.data?.id } });
    const nodes = await ask('listNodes', { path, query: { pageSize: '2' } });
    const refused = await ask('actOnElection', { path, body: { type: 'crash', rank: 9 } });

    expect(made.data).toMatchObject({ agreed: true, leader: { rank: 4 } });
    expect(end.data).toMatchObject({ agreed: false, verdict: { value: 'false' } });
    expect(untouched.data).toMatchObject({ verdict: { value: 'true' } });
    expect(nodes.data).toMatchObject({ items: [{ rank: 1 }, { rank: 2 }] });
    expect(refused.response.status).toBe(409);
    expect(refused.error).toMatchObject({ code: 'election.conflict' });
  });
});
