/**
 * @module
 * The starter clients, each as a student would start it against a server with tokens. Those in other languages solve an
 * exercise by hand, and play a node of an election. A client is skipped if its program is not installed.
 */

import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listening } from '../../../../server/socket/listen.ts';
import { listen } from '../../../../server/socket/listen.ts';
import { ROOT, scratchFolder } from '../../../cli/shell.ts';
import { classUnderTest, tokenOf } from '../class.ts';

const exec = promisify(execFile);
const isInstalled = (program: string) => spawnSync(program, ['--help']).error === undefined;
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

// Knip takes a literal in a call for a dependency.
const GO_PROGRAM: string = 'go';
const GO = { GOPROXY: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };

const CLIENTS: readonly Client[] = [
  {
    ...{ language: 'Python', needs: ['python3'], solves: 'mine-claim' },
    command: (url) => ['python3', join(SOLUTIONS, 'solve.py'), url],
    environment: { PYTHONPATH: 'exercises', PYTHONDONTWRITEBYTECODE: '1' },
  },
  {
    ...{ language: 'Go', needs: ['go'], solves: 'mine-claim' },
    command: (url) => ['go', 'run', ...goFiles(), url],
    environment: GO,
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

/** Refuses the first request of each path with 429, and answers the second one. */
async function busyServer() {
  const seen = new Set<string>();
  const busy = createServer(({ url = '' }, response) => {
    const isSeen = seen.has(url);
    seen.add(url);
    response.writeHead(isSeen ? 200 : 429, { 'Retry-After': url.includes('late') ? '900' : '1' });
    response.end(JSON.stringify(isSeen ? { ready: url } : { code: 'limit.rate', detail: 'wait' }));
  }).listen(0, '127.0.0.1');
  await once(busy, 'listening');
  return { busy, url: `http://127.0.0.1:${Object(busy.address()).port}` };
}

describe('the starter client', () => {
  it.for([
    {
      ...{ language: 'JavaScript', needs: 'node' },
      words: (url: string, name: string) => [
        ...['--input-type=module', '-e'],
        `import { connect } from './exercises/client.js';
         console.log(JSON.stringify(await connect('${url}').instance('${name}')))`,
      ],
    },
    {
      ...{ language: 'Python', needs: 'python3' },
      words: (url: string, name: string) => [
        ...['-c', `import client; print(client.connect("${url}").instance("${name}"))`],
      ],
    },
    {
      ...{ language: 'sh', needs: 'sh' },
      words: (url: string, name: string) => [
        ...['-c', `SERVER=${url}; . exercises/client.sh; instance ${name}`],
      ],
    },
  ])(
    'in $language asks again after Retry-After, unless that is long',
    async ({ needs, words }, { skip }) => {
      skip(!isInstalled(needs));
      const { busy, url } = await busyServer();
      const env = { ...process.env, PYTHONPATH: 'exercises', PYTHONDONTWRITEBYTECODE: '1' };
      const run = (name: string) => exec(needs, words(url, name), { cwd: ROOT, env });

      const { stdout } = await run('soon');

      expect(stdout).toMatch(/ready.*exercises\/soon/);
      await expect(run('late')).rejects.toMatchObject({ code: expect.any(Number) });
      busy.close();
    },
  );

  it('in JavaScript runs a script that imports it, and ends with 1 if the server refuses', async () => {
    const run = async (script: string) => {
      const words = ['exercises/client.js', server.url, script];
      const env = { ...process.env, USURP_TOKEN: tokenOf('student-6') };
      return exec('node', words, { cwd: ROOT, env });
    };
    const refused = join(scratchFolder(), 'refused.js');
    writeFileSync(refused, "export const solve = (client) => client.instance('no-such');");

    const { stdout } = await run('exercises/mine-claim/solution.js');

    expect(JSON.parse(stdout).status).toBe('correct');
    await expect(run(refused)).rejects.toMatchObject({
      ...{ code: 1, stderr: 'not_found: there is no exercise no-such\n' },
    });
  });

  it('in JavaScript verifies what it signs, and nothing else', async () => {
    const script = `import { isSigned, newKey, signed } from './exercises/client.js';
      const parts = { challenge: Buffer.alloc(32, 1), nodeId: Buffer.alloc(32, 2) };
      const { publicKey, privateKey } = newKey();
      const signature = signed(privateKey, parts);
      const others = { ...parts, solution: Buffer.alloc(8) };
      console.log(isSigned(publicKey, signature, parts), isSigned(publicKey, signature, others));`;

    const { stdout } = await exec('node', ['--input-type=module', '-e', script], { cwd: ROOT });

    expect(stdout).toBe('true false\n');
  });

  it.skipIf(!isInstalled('python3'))(
    'in Python verifies the signatures of RFC 8032, and none with a changed bit',
    async () => {
      const script = `import client
secret = bytes.fromhex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
key = bytes.fromhex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
message = bytes.fromhex("af82")
signature = client.sign(secret, message)
assert signature.hex().startswith("6291d657deec24024827e69c3abe01a3")
assert client.verify(key, signature, message)
for bit in range(0, 512, 37):
    changed = bytearray(signature)
    changed[bit // 8] ^= 1 << bit % 8
    assert not client.verify(key, bytes(changed), message), bit
scalar = int.from_bytes(signature[32:], "little") + client.ORDER
assert not client.verify(key, signature[:32] + scalar.to_bytes(32, "little"), message)
assert not client.verify(b"\\xff" * 32, signature, message)
assert not client.verify(key, signature + b"0", message)
print("verified")`;
      const env = { ...process.env, PYTHONPATH: 'exercises', PYTHONDONTWRITEBYTECODE: '1' };

      const { stdout } = await exec('python3', ['-c', script], { cwd: ROOT, env });

      expect(stdout).toBe('verified\n');
    },
  );

  it.skipIf(!isInstalled('go'))('in Go runs the script of its header', async () => {
    const folder = scratchFolder();
    const source = readFileSync(join(ROOT, 'exercises/client.go'), 'utf8');
    const header = source.split('\n\npackage')[0]?.split('package main // my-solution.go')[1] ?? '';
    const script = header.split('// Go needs')[0]?.replaceAll(/^\/\/\t?/gm, '') ?? '';
    writeFileSync(join(folder, 'client.go'), source);
    writeFileSync(join(folder, 'my-solution.go'), `package main${script}`);
    const env = { ...process.env, ...GO, USURP_TOKEN: tokenOf('student-7') };

    const words = ['run', 'client.go', 'my-solution.go', server.url];
    const { stdout } = await exec(GO_PROGRAM, words, { cwd: folder, env });

    expect(stdout).toMatch(/^\{\d+ \d+ \d+\} incorrect /);
  });

  for (const [index, client] of CLIENTS.entries()) {
    const { language, needs, solves, command, environment } = client;
    const lacking = needs.filter((name) => !isInstalled(name));
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

  it.skipIf(!isInstalled('curl'))(
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
