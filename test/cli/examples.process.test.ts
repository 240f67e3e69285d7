/**
 * @module
 * The attacks under examples/, each as a user would start it, against a server of its own: won where
 * identities are cheap, refused and without effect where they are dear.
 */

import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { ended, spawnUsurp } from './shell.ts';

const exec = promisify(execFile);

interface Example {
  readonly file: string;
  /** What executes it, and what else it needs. */
  readonly program: string;
  readonly needs: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  { file: 'attack.sh', program: 'sh', needs: ['curl', 'openssl'] },
  { file: 'attack.py', program: 'python3', needs: ['python3'] },
  { file: 'attack.js', program: process.execPath, needs: [] },
  { file: 'attack.ts', program: process.execPath, needs: [] },
];

/** Programs that are not on this machine; their examples are skipped, and the title says why. */
function missing({ needs }: Example): readonly string[] {
  return needs.filter((name) => spawnSync(name, ['--help']).error !== undefined);
}

const server: { url: string; stop: () => Promise<void> } = {
  url: '',
  stop: () => Promise.resolve(),
};

beforeAll(async () => {
  const child = spawnUsurp(['serve', '--port', '0']);
  const end = ended(child);
  server.url = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  server.stop = async () => {
    child.kill('SIGTERM');
    await end;
  };
});

afterAll(() => server.stop());

/** The server behind a limit of requests: each new request is refused once. Resolves to its address. */
async function behindLimit(): Promise<string> {
  const known = new Set<string>();
  const limited = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const body = await text(request);
    const isNew = !known.has(`${method} ${url} ${body}`) && known.size < LIMITED;
    if (isNew) {
      known.add(`${method} ${url} ${body}`);
      response.writeHead(429, { 'Retry-After': '1' }).end('{"code":"limit.rate","detail":"wait"}');
      return;
    }
    const headers = { 'Content-Type': 'application/json', 'Node-Token': '' };
    const token = request.headers['node-token'];
    if (typeof token === 'string') headers['Node-Token'] = token;
    const sent = method === 'POST' ? { method, body, headers } : { headers };
    const answer = await fetch(`${server.url}${url}`, sent);
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    response.end(await answer.text());
  });
  limited.listen(0, '127.0.0.1');
  await once(limited, 'listening');
  onTestFinished(() => void limited.close());
  const address = limited.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** The first requests of each attack are refused once. */
const LIMITED = 3;

describe('the attacks in other languages', () => {
  for (const example of EXAMPLES) {
    const lacking = missing(example);
    const note = lacking.length === 0 ? '' : ` (skipped: no ${lacking.join(', ')} here)`;

    it.skipIf(lacking.length > 0)(`${example.file} wins, then fails${note}`, async () => {
      const { stdout } = await exec(example.program, [
        `examples/${example.file}`,
        await behindLimit(),
      ]);

      const lines = stdout.trimEnd().split('\n');
      expect(lines).toEqual([
        expect.stringMatching(/^mined [0-9a-f]{16}… above /),
        'joined with rank 6 of 6',
        'won: the honest nodes follow the mined identity',
        expect.stringMatching(
          /^refused.*SHA-256\(nodeId\) begins with \d+ zero bits, 16 are required/,
        ),
        'failed: the honest nodes elected the highest of their own',
      ]);
    });
  }
});
