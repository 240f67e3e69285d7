/**
 * @module
 * The starter clients in other languages, each as a student would start it against a server with tokens: they solve an
 * exercise by hand, and play a node of an election. A client is skipped if its program is not installed.
 */

import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listening } from '../../../../server/socket/listen.ts';
import { listen } from '../../../../server/socket/listen.ts';
import { ROOT, scratchFolder } from '../../../cli/shell.ts';
import { classUnderTest, tokenOf } from '../class.ts';

const exec = promisify(execFile);
const SOLUTIONS = join(ROOT, 'test/server/exercises/clients');

interface Client {
  readonly language: string;
  /** The program and what else it needs. */
  readonly needs: readonly string[];
  readonly solves: string;
  readonly command: (url: string) => readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A folder with the client and the solution, because Go compiles the files of one folder. */
function goFiles(): readonly string[] {
  const folder = scratchFolder();
  const sources = [join(ROOT, 'exercises/client.go'), join(SOLUTIONS, 'solve.go')];
  return sources.map((source) => {
    const file = join(folder, source.split('/').at(-1) ?? '');
    copyFileSync(source, file);
    return file;
  });
}

const CLIENTS: readonly Client[] = [
  {
    ...{ language: 'Python', needs: ['python3'], solves: 'mine-claim' },
    command: (url) => ['python3', join(SOLUTIONS, 'solve.py'), url],
    environment: { PYTHONPATH: 'exercises', PYTHONDONTWRITEBYTECODE: '1' },
  },
  {
    ...{ language: 'Go', needs: ['go'], solves: 'mine-claim' },
    command: (url) => ['go', 'run', ...goFiles(), url],
    environment: { GOPROXY: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
  },
  {
    ...{ language: 'sh', needs: ['curl', 'openssl'], solves: 'verify-claim' },
    command: (url) => ['sh', join(SOLUTIONS, 'solve.sh'), url],
  },
];

const students = classUnderTest();
let server: Listening;

beforeAll(async () => {
  server = await listen({ host: '127.0.0.1', port: 0 }, students.app, () => undefined);
});

afterAll(() => server.close());

describe('the starter client', () => {
  for (const [index, client] of CLIENTS.entries()) {
    const { language, needs, solves, command, environment } = client;
    const lacking = needs.filter((name) => spawnSync(name, ['--help']).error !== undefined);
    const note = lacking.length === 0 ? '' : ` (skipped: no ${lacking.join(', ')} here)`;

    it.skipIf(lacking.length > 0)(
      `in ${language} solves ${solves} and plays a node of swallow-ring${note}`,
      async () => {
        const [program, ...words] = command(server.url);
        const token = { USURP_TOKEN: tokenOf(`student-${index}`) };
        const env = { ...process.env, ...environment, ...token };

        const { stdout } = await exec(program, words, { cwd: ROOT, env });

        expect(stdout.trim().split('\n')).toEqual([`${solves} correct`, 'swallow-ring correct']);
      },
    );
  }

  it.skipIf(spawnSync('curl', ['--help']).error !== undefined)(
    'in sh reads a number of the task, also if the policy has one of this name',
    async () => {
      const env = { ...process.env, USURP_TOKEN: tokenOf('student-5') };
      const script = `. exercises/client.sh; SERVER=${server.url}; instance predict-cost >"$WORK/i"; cat "$WORK/i"; echo; number c1 <"$WORK/i"`;

      const { stdout } = await exec('sh', ['-c', script], { cwd: ROOT, env });

      const [instance = '', c1] = stdout.trim().split('\n');
      expect(Number(c1)).toBe(JSON.parse(instance).given.c1);
    },
  );
});
