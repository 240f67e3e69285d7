/**
 * @module
 * Files of the user that stop the process, keep it alive, or fail outside of a call: each ends with a message
 * and an exit code that means neither "holds" nor "violated".
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../sample.ts';
import type { Printed } from './shell.ts';
import { ended, ROOT, rowsOf, scratchFolder, spawnUsurp, usurp } from './shell.ts';

const SKELETON = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');
const EXAMPLE_PROPERTY = readFileSync(
  join(ROOT, 'examples/definitions/example-property.ts'),
  'utf8',
);

/** A wait that takes no time of the processor. */
const FOR_EVER = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

function fileWith(text: string): string {
  const path = join(scratchFolder(), 'own.ts');
  writeFileSync(path, text);
  return path;
}

/** The skeleton, whose handler of the start does this first. */
function starting(statement: string): string {
  const text = SKELETON.replace(/(start\([^)]*\) \{\n)/, `$1${statement}\n`);
  if (text === SKELETON) throw new RangeError('the skeleton has no handler of the start');
  return text;
}

async function conformed(text: string, ...options: readonly string[]): Promise<Printed> {
  return await ended(spawnUsurp(['conform', fileWith(text), ...options]));
}

async function elected(text: string): Promise<Printed> {
  const elect = ['elect', 'example-protocol', '--nodes', '3', '--seed', '1'];
  return await ended(spawnUsurp([...elect, '--load', fileWith(text)]));
}

describe('a loaded file', () => {
  it.each([
    ['process.exit', 'process.exit(0);'],
    ['process.reallyExit', "Reflect.get(process, 'reallyExit')(0);"],
    ['an import of exit', "import { exit } from 'node:process';\nexit(0);"],
  ])('cannot stop the process with %s', async (_what, statement) => {
    const text = `${SKELETON}\n${statement}\n`;

    const printed = [await conformed(text), await elected(text)];

    for (const { code, stderr } of printed) {
      expect(code).toBe(254);
      expect(stderr).toMatch(/own\.ts:\d+:\d+: process\.\w+\(0\): a loaded file must not stop/);
    }
  });

  it('is refused if a top-level await never settles', async () => {
    const { code, stderr } = await conformed(`${SKELETON}\nawait new Promise(() => undefined);\n`);

    expect(code).toBe(254);
    expect(stderr).toMatch(/^usurp: --load .*own\.ts: a top-level await never settles.*\n$/);
  });

  // A loop needs all of a core until the deadline. The next test has one in a handler.
  it.concurrent.each([
    ...(IS_WHOLE ? [['a loop', 'for (;;) {}']] : []),
    ['an await', 'await new Promise((resolve) => setTimeout(resolve, 1e9));'],
  ])('stops the process if its top level does not end: %s', async (_what, statement) => {
    const { code, stdout, stderr } = await elected(`${SKELETON}\n${statement}\n`);

    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^usurp: --load .*own\.ts: not loaded after \d+ s; remove loops .*\n$/);
  });

  it('stops the process if a handler does not end, although Ctrl-C does not reach it', async () => {
    const begun = join(scratchFolder(), 'begun');
    const loop = starting(`writeFileSync(${JSON.stringify(begun)}, ''); for (;;) {}`);
    const file = fileWith(`import { writeFileSync } from 'node:fs';\n${loop}`);
    const child = spawnUsurp(['check', 'example-protocol', '--load', file]);
    const end = ended(child);
    await expect.poll(() => existsSync(begun)).toBe(true);
    child.kill('SIGINT');

    const { code, stdout, stderr } = await end;

    expect([code, stdout]).not.toContain(0);
    expect(stderr).toMatch(
      /^usurp: --load .*own\.ts: protocol example-protocol: the handler of start has not ended after 5 s; remove loops .*\n$/,
    );
  });

  it.concurrent.each([
    ['random walks', ['check', 'example-protocol', '--walks', '30000', '--depth', '20']],
    ['runs', ['run', 'top-id', '--set', 'network.election.protocols=[example-protocol]']],
  ] as const)(
    'stops the process if a handler does not end in a thread of %s',
    async (_what, verb) => {
      const source = starting(`if (!isMainThread) ${FOR_EVER}`);
      const file = fileWith(`import { isMainThread } from 'node:worker_threads';\n${source}`);

      const printed = await ended(
        spawnUsurp([...verb, '--seed', '1', '--threads', '2', '--load', file]),
      );

      expect([printed.code, printed.stdout]).not.toContain(0);
      expect(printed.stderr).toMatch(
        /: the handler of start has not ended after 5 s; remove loops/,
      );
    },
  );

  it.concurrent('fails the job of a server if a handler does not end, and the server goes on', async () => {
    const child = spawnUsurp(['serve', '--port', '0', '--load', fileWith(starting(FOR_EVER))]);
    try {
      const url = await new Promise((resolve) => {
        child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
      });
      const body = JSON.stringify({ protocol: 'example-protocol' });
      const headers = { 'Content-Type': 'application/json', Prefer: 'wait=9' };
      const posted = await fetch(`${url}/v1/checks`, { method: 'POST', headers, body });
      const location = posted.headers.get('Location') ?? '';
      let job: unknown = { status: 'running' };
      while (JSON.stringify(job).includes('"running"')) {
        job = await (await fetch(`${url}${location}`, { headers })).json();
      }

      expect(job).toMatchObject({
        status: 'failed',
        problem: {
          detail: expect.stringContaining('the handler of start has not ended after 5 s'),
        },
      });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each([
    ['a rejected promise', "void Promise.reject(new Error('mine'));"],
    ['a timer that throws', "setTimeout(() => { throw new Error('mine'); }, 0);"],
  ])('is named with its line: %s', async (_what, statement) => {
    const { code, stderr } = await conformed(
      `${statement}\nawait new Promise((resolve) => setTimeout(resolve, 50));\n${SKELETON}`,
    );

    expect(code).toBe(255);
    expect(stderr).toMatch(/own\.ts:1:\d+: error in a loaded file: Error: mine\n$/);
  });

  it('is named if a promise is rejected without an error', async () => {
    const { code, stderr } = await conformed(`void Promise.reject('mine');\n${SKELETON}`);

    expect(code).toBe(255);
    expect(stderr).toMatch(/perhaps of --load .*own\.ts:\n.*mine/);
  });

  it('does not keep the process alive with a timer', async () => {
    const { code, stdout } = await elected(`setInterval(() => undefined, 1000);\n${SKELETON}`);

    expect(code).toBe(0);
    expect(stdout).toContain('agreed');
  });

  it('cannot import a file later, which no digest would cover', async () => {
    // A file that is imported before all are loaded is covered. Each of these is another one.
    const late = "let n = 0;\nsetInterval(() => import('./late.ts?' + n++), 5);\n";
    const path = fileWith(`${late}${SKELETON}`);
    writeFileSync(join(path, '../late.ts'), 'export const late = 1;');

    const { code, stderr } = await ended(spawnUsurp(['conform', path]));

    expect(code).toBe(255);
    expect(stderr).toMatch(/own\.ts imports \.\/late\.ts\?\d+ after it was loaded/);
  });
});

describe('a machine of a loaded file', () => {
  it.each([
    ['throws', "throw new Error('mine');", /Error: mine/],
    ['stops the process', 'process.exit(0);', /process\.exit\(0\): a loaded file must not stop/],
  ])('is named with its line if it %s', async (_what, statement, expected) => {
    const { code, stderr } = await elected(starting(statement));

    expect(code).toBe(255);
    expect(stderr).toMatch(/own\.ts:\d+:\d+: error in a loaded file: /);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('internal error');
  });

  it('does not conform if it states a wrong counter, and the step that shows it is named', async () => {
    const wrong = `counters: [{ name: 'ranks', state: ['leader'], persisted: [], messages: ['candidate', 'leader'], unset: [] }]`;

    const { code, stdout } = await conformed(SKELETON.replace('counters: []', wrong));

    expect(code).toBe(1);
    expect(rowsOf(stdout)).toMatch(
      /FAILS +does the same with higher values of its counters, ranks: LabError: .*"counters" is wrong for "ranks": with higher values node \d/s,
    );
  });

  it('does not conform if it never ends, and the check is named', async () => {
    const { code, stdout } = await conformed(starting('for (;;);'), '--seconds', '10');

    expect(code).toBe(1);
    expect(rowsOf(stdout)).toMatch(
      /FAILS +accepts every event in every state: stopped: not finished/,
    );
  });

  it('does not conform if the test beside it never ends', async () => {
    const path = fileWith(EXAMPLE_PROPERTY);
    writeFileSync(path.replace('.ts', '.test.ts'), 'for (;;);');

    const { code, stdout } = await ended(spawnUsurp(['conform', path, '--seconds', '3']));

    expect(code).toBe(1);
    expect(stdout).toMatch(/own\.test\.ts FAILS\n.*stopped: not finished after 3 s/s);
  });

  it('does not conform if it needs too much memory', async () => {
    // Small pieces: a single array whose growth exceeds the limit can end V8 before the thread is stopped.
    // In a list, since V8 takes a minute to trace a chain of them.
    const text = starting('const all = []; for (;;) all.push(new Array(10_000).fill(0.5));');

    const { code, stdout } = await conformed(text);

    expect(code).toBe(1);
    expect(rowsOf(stdout)).toMatch(/FAILS +accepts every event .*stopped: .*memory/);
  });

  it('is stopped by SIGTERM', async () => {
    const text = starting("writeSync(2, 'started'); for (;;);");
    const child = spawnUsurp([
      'conform',
      fileWith(`import { writeSync } from 'node:fs';\n${text}`),
    ]);
    child.stderr.once('data', () => child.kill('SIGTERM'));

    expect(await ended(child)).toMatchObject({ code: 130 });
  });

  it('does not conform if it stops the process', async () => {
    const { code, stdout } = await conformed(starting('process.exit(0);'));

    expect(code).toBe(1);
    expect(rowsOf(stdout)).toMatch(
      /FAILS +accepts every event in every state: .*process\.exit\(0\)/,
    );
  });
});

describe('usurp new', () => {
  it.each([
    ['a constant of the skeleton', ['protocol', 'faults'], /needs the constant FAULTS/],
    ['another constant of the skeleton', ['protocol', 'gap'], /needs the constant GAP/],
    ['a device of Windows', ['property', 'nul'], /Windows reserves the file name "nul"/],
    ['a long name', ['property', 'x'.repeat(65)], /at most 64 characters/],
  ])('refuses %s', async (_what, args, expected) => {
    const { code, stderr } = await usurp(['new', ...args]);

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
  });

  it('accepts a name of 64 characters that has a part of a reserved name', async () => {
    const [name, folder] = [`nul-${'x'.repeat(60)}`, scratchFolder()];

    const { code } = await ended(spawnUsurp(['new', 'property', name], folder));

    expect(code).toBe(0);
  });
});
