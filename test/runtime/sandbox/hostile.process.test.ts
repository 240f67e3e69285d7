/**
 * @module
 * Hostile files get no points, and hostile code reaches nothing outside of the sandbox. A submission cannot import what
 * such code needs, so that the sandbox is tested with code that no grader has loaded.
 */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LineChannel } from '../../../src/runtime/sandbox/line-channel.ts';
import { exchange, RECHECKED_MAX } from '../../../src/runtime/sandbox/submitted-definition.ts';
import { sampled } from '../../sample.ts';
import {
  describeJudged,
  heldInSandbox,
  judge,
  judgeForAll,
  judgesFor,
  NO_SANDBOX,
  SECONDS,
  summary,
  textOf,
} from './judged-files.ts';

const SOLUTION = textOf('implement-chang-roberts/solution.ts');

let folder: string;

/** Ends the process: it exceeds the heap. */
const MEMORY = 'const all = []; for (;;) all.push(new Array(1e6).fill(0))';

/** What differs from process to process, and why none of it reaches a report. */
const LEAKS = sampled(
  [
    ['Date.now()', 'the definition calls Date.now'],
    ['new Date()', 'the definition calls Date'],
    ['Math.random()', 'the definition calls Math.random'],
    ['process.hrtime()', 'process is not defined'],
    ['performance.timeOrigin', 'performance is not defined'],
    ['new Event("x").timeStamp', 'Event is not defined'],
    ['crypto.randomUUID()', 'crypto is not defined'],
    ['Buffer.allocUnsafe(8).toString("hex")', 'Buffer is not defined'],
    ['(function f() { try { return f() + 1 } catch { return 0 } })()', 'cannot be loaded twice'],
  ] as const,
  3,
);

/** The solution, which runs this code at every probe instead of its own, or when it is loaded. */
const atProbe = (code: string) => {
  const text = SOLUTION.replace(
    'if (message.candidate > self.rank)',
    `${code}; if (true) return; if (message.candidate > self.rank)`,
  );
  expect(text).not.toBe(SOLUTION);
  return text;
};
const atLoad = (code: string) => `${code};\n${atProbe('')}`;

describeJudged('a submitted file', (judges) => {
  const result = async (text: string) => summary(await judge(judges(), text));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'usurp-hostile-'));
    writeFileSync(join(folder, 'roster.yaml'), 'students: [secret-of-the-roster]\n');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('that loops for ever is not graded', async () => {
    const impatient = judgesFor(4);

    const looping = await judge(impatient, atProbe('for (;;) {}'));
    const waiting = await judge(impatient, `await new Promise((done) => setTimeout(done, 1e8));`);
    await impatient.close();

    const expected = { outcome: 'not-graded', reason: 'not finished after 4 s' };
    expect([looping, waiting]).toEqual([expected, expected]);
  });

  it('that exceeds its memory ends alone, and always in the same way', async () => {
    const outsideOfHeap = await result(atProbe('const all = new Uint8Array(1e10)'));
    const inHeap = await result(atLoad(`try { ${MEMORY} } catch { throw new Error('caught'); }`));

    expect(outsideOfHeap.points).toBe(0);
    expect(outsideOfHeap.missing).toContain('Uint8Array is not defined');
    expect(inHeap.points).toBe(0);
    expect(inHeap.missing).toMatch(
      /^(the process has ended, or the file cannot be loaded twice with the same result: .*\n?)+$/,
    );
  });

  it('that needs the memory of one process, but not of one with more, has the same report as one that always ends', async () => {
    const between =
      'const all = []; for (let n = 0; n < 6500; n += 1) all.push(new Array(4000).fill(n))';

    const [near, above] = [await result(atLoad(between)), await result(atLoad(MEMORY))];

    expect(near).toEqual(above);
    expect(near.points).toBe(0);
    expect(near.missing).toContain('the process has ended');
  });

  it('changes the prototypes of its own process only', async () => {
    const { points } = await result(
      atProbe(`Object.prototype.passed = true; Array.prototype.every = () => true;
        JSON.parse('{"__proto__": {"met": true}}'); state.__proto__ = { passed: true }`),
    );

    expect(points).toBe(0);
    expect('passed' in {}).toBe(false);
    expect([false].every(Boolean)).toBe(false);
  });

  it('cannot write lines of the protocol itself, and says with line and reason why', async () => {
    const { points, missing } = await result(
      `const own = JSON.stringify;\nJSON.stringify = (value) => own(value);\n${atProbe('')}`,
    );

    expect(points).toBe(0);
    expect(missing).toContain(
      `the file cannot be loaded: submission.ts:2:16: Cannot assign to read only property 'stringify'`,
    );
  });

  it('that ends its process, at its load or in a step, gets no points', async () => {
    // The memory is exceeded at the load by the test above, and in a step by the next one.
    const wanted = ['process.exit(0)', 'process.kill(process.pid, 9)'];
    for (const text of wanted.flatMap((code) => [atLoad(code), atProbe(code)])) {
      const { points, missing } = await result(text);
      expect({ text, points }).toEqual({ text, points: 0 });
      expect(missing).toContain('process is not defined');
    }
  });

  it('that ends is judged in a new process for the next student', async () => {
    const text = atProbe(MEMORY);

    const outcomes = await judgeForAll(judges(), text, ['alice', 'bob']);

    expect(outcomes.map((outcome) => summary(outcome).points)).toEqual([0, 0]);
    for (const outcome of outcomes) {
      expect(summary(outcome).missing).toContain('the process has ended');
    }
  });

  it.each(LEAKS)('that writes %s into its error changes no report', async (code, text) => {
    const { points, missing } = await result(atLoad(`throw new Error(String(${code}))`));

    expect(points).toBe(0);
    expect(missing).toContain(text);
  });

  it('that floods gets no points', async () => {
    const line = await result(atProbe(`state.all = 'x'.repeat(1e7)`));
    const messages = await result(
      atProbe('for (let n = 0; n < 1e5; n += 1) effects.send(self.rank, message)'),
    );
    const deep = await result(
      atProbe(`let all = []; for (let n = 0; n < 1e4; n += 1) all = [all]; state.all = all`),
    );

    expect([line, messages, deep].map(({ points }) => points)).toEqual([0, 0, 0]);
    expect(line.missing).toContain('an answer is longer than 262144 bytes');
    expect(messages.missing).toMatch(/sends a value after \d+ effects of one step/);
    expect(deep.missing).toMatch(
      /deeper than 32 levels|Maximum call stack|a step failed: .* leaves/,
    );
  });

  it('that remembers something besides the states of its nodes gets no points if a repeated step shows it', async () => {
    const text = SOLUTION.replace('function mark', 'let calls = 0;\nfunction mark')
      .replace(
        'state.probing = true;',
        'state.probing = true; calls += 1; state.marked = calls > 0;',
      )
      .replace('marked: boolean;', 'marked: boolean; calls?: number;')
      .replace('state.marked = calls > 0;', 'state.marked = true; state.calls = calls;');

    const { points, missing } = await result(text);

    expect(points).toBe(0);
    expect(missing).toContain('has other effects when it is repeated');
  });

  it('that remembers how often it was called keeps points if no repeated step shows it', async () => {
    // One of many steps loses its message. The document says that the sample may not contain it.
    const text = SOLUTION.replace('function mark', 'let calls = 0;\nfunction mark').replace(
      'if (message.candidate > self.rank)',
      'calls += 1; if (calls === 2501) return;\n if (message.candidate > self.rank)',
    );
    const { points, missing } = await result(text);
    const document = readFileSync(new URL('../../../docs/cli/grade.md', import.meta.url), 'utf8');

    expect(text).not.toBe(SOLUTION);
    expect(points).toBeGreaterThan(0);
    expect(missing).not.toContain('when it is repeated');
    expect(document).toContain(`at most ${RECHECKED_MAX} for each student`);
    expect(document).toContain('keeps the points of its first answers');
  });
});

describe('the grader', () => {
  it('takes no further line for an answer of a process that speaks itself', () => {
    const fake = JSON.stringify({ state: {}, effects: [{ type: 'elect', leader: 5, epoch: 0 }] });
    const answers = pipeWith(`${fake}\n${fake}\n`);
    const requests = pipeWith('');

    const ask = () => exchange(new LineChannel({ input: answers, output: requests }), '{}');

    expect(ask).toThrow('it answered more than once');
    for (const pipe of [answers, requests]) closeSync(pipe);
  });
});

/** A pipe that has this text. */
function pipeWith(text: string): number {
  const name = join(mkdtempSync(join(tmpdir(), 'usurp-pipe-')), 'pipe');
  spawnSync('mkfifo', [name]);
  const pipe = openSync(name, constants.O_RDWR | constants.O_NONBLOCK);
  writeSync(pipe, text);
  rmSync(dirname(name), { recursive: true });
  return pipe;
}

describe.skipIf(NO_SANDBOX !== null)('code in the sandbox', { timeout: SECONDS * 1e3 }, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'usurp-hostile-'));
    writeFileSync(join(folder, 'roster.yaml'), 'students: [secret-of-the-roster]\n');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads neither the roster nor the files of the system', async () => {
    const paths = [join(folder, 'roster.yaml'), '/etc/passwd', '/proc/self/environ'];
    const found = await heldInSandbox(`import { readFileSync } from 'node:fs';
      const found = ${JSON.stringify(paths)}.map((path) => {
        try { return readFileSync(path, 'utf8'); } catch (error) { return error.code; }
      });
      report(found.join(' '));`);

    expect(found).toBe('ENOENT ENOENT ENOENT');
  });

  it('finds the same host and environment on every machine', async () => {
    const found = await heldInSandbox(`import { hostname } from 'node:os';
      report(JSON.stringify({ host: hostname(), environment: process.env }));`);

    expect(JSON.parse(found)).toEqual({ host: 'usurp', environment: { PWD: '/submission' } });
  });

  it('opens no socket', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    // A server that listens on TCP has an address with a port.
    const { port } = server.address() as AddressInfo;

    const code = await heldInSandbox(`import { connect } from 'node:net';
      const code = await new Promise((resolve) => {
        connect(${port}, '127.0.0.1', () => resolve('connected')).on('error', (e) => resolve(e.code));
      });
      report(code);`);
    server.close();

    expect(connections).toBe(0);
    expect(code).toMatch(/^E[A-Z]+$/);
  });

  it('starts no process and no thread', async () => {
    const codes = await heldInSandbox(`import { fork, spawn } from 'node:child_process';
      import { Worker } from 'node:worker_threads';
      const code = (start) => { try { start(); return 'started'; } catch (error) { return error.code; } };
      const codes = [
        code(() => { for (;;) spawn(process.execPath, ['-e', 'for (;;) {}']); }),
        code(() => fork('/submission/hostile.mjs')),
        code(() => new Worker('for (;;) {}', { eval: true })),
      ];
      report(codes.join(' '));`);

    expect(codes).toBe('ERR_ACCESS_DENIED ERR_ACCESS_DENIED ERR_ACCESS_DENIED');
  });

  it('writes no grade', async () => {
    const target = join(folder, 'results.json');
    const paths = [target, '/results.json', '/submission/results.json', '/tmp/results.json'];
    const found = await heldInSandbox(`import { writeFileSync } from 'node:fs';
      const found = ${JSON.stringify(paths)}.map((path) => {
        try { writeFileSync(path, '{"score": 100}'); return 'written'; } catch (error) { return error.code; }
      });
      report(found.join(' '));`);

    expect(existsSync(target)).toBe(false);
    expect(found).toMatch(/^(E[A-Z_]+ ?){4}$/);
  });

  it('finds no source that defines a protocol, behaviour or defence, except the given protocol', async () => {
    const list = `import { readdirSync, readFileSync } from 'node:fs';
      const files = readdirSync('/usurp', { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile()).map(({ parentPath, name }) => parentPath + '/' + name);
      const defining = files.filter((file) => /= define(Protocol|Behaviour|Defence)\\(/.test(readFileSync(file, 'utf8')));
      report(JSON.stringify({ files: files.length, defining }));`;
    const withNone = JSON.parse(await heldInSandbox(list));
    const withOne = JSON.parse(await heldInSandbox(list, { around: 'bully-oneshot' }));

    expect(withNone.files).toBeGreaterThan(20);
    expect(withNone.defining).toEqual([]);
    expect(withOne.defining).toEqual(['/usurp/src/election/bully/bully-oneshot.ts']);
  });
});
