/**
 * @module
 * Hostile files get no points and reach nothing outside of their sandbox.
 */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Judges } from '../../../src/runtime/sandbox/judges.ts';
import {
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
let judges: Judges;

/** The solution, which runs this code at every probe instead of its own, or when it is loaded. */
const atProbe = (code: string) => {
  const text = SOLUTION.replace('if (!state.joined) join(step);', `${code}; if (true) return;`);
  expect(text).not.toBe(SOLUTION);
  return text;
};
const atLoad = (code: string) => `${code};\n${atProbe('')}`;

const result = async (text: string) => summary(await judge(judges, text));

describe.skipIf(NO_SANDBOX !== null)('a submitted file', { timeout: SECONDS * 1e3 }, () => {
  beforeAll(() => {
    judges = judgesFor();
    folder = mkdtempSync(join(tmpdir(), 'usurp-hostile-'));
    writeFileSync(join(folder, 'roster.yaml'), 'students: [secret-of-the-roster]\n');
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await judges.close();
  });

  it('reads neither the roster nor the files of the system', async () => {
    const paths = [join(folder, 'roster.yaml'), '/etc/passwd', '/proc/self/environ'];
    const { points, missing } = await result(
      atLoad(`import { readFileSync } from 'node:fs';
        const found = ${JSON.stringify(paths)}.map((path) => {
          try { return readFileSync(path, 'utf8'); } catch (error) { return error.code; }
        });
        throw new Error('found ' + found.join(' '))`),
    );

    expect(points).toBe(0);
    expect(missing).toContain('found ENOENT ENOENT ENOENT');
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

    const { points, missing } = await result(
      atLoad(`import { connect } from 'node:net';
        const code = await new Promise((resolve) => {
          connect(${port}, '127.0.0.1', () => resolve('connected')).on('error', (e) => resolve(e.code));
        });
        throw new Error('socket: ' + code)`),
    );
    server.close();

    expect({ points, connections }).toEqual({ points: 0, connections: 0 });
    expect(missing).toMatch(/socket: E[A-Z]+/);
  });

  it('that loops for ever is not graded', async () => {
    const impatient = judgesFor(4);

    const looping = await judge(impatient, atProbe('for (;;) {}'));
    const waiting = await judge(impatient, `await new Promise((done) => setTimeout(done, 1e8));`);
    await impatient.close();

    const expected = { outcome: 'not-graded', reason: 'not finished after 4 s' };
    expect([looping, waiting]).toEqual([expected, expected]);
  });

  it('that allocates ten gigabytes ends alone', async () => {
    const { points, missing } = await result(
      atProbe('const all = []; for (let n = 0; n < 100; n += 1) all.push(Buffer.alloc(1e8, 1))'),
    );

    expect(points).toBe(0);
    expect(missing).toMatch(/the process has ended|Failed to allocate memory/);
  });

  it('starts no process and no thread', async () => {
    const { points, missing } = await result(
      atLoad(`import { fork, spawn } from 'node:child_process';
        import { Worker } from 'node:worker_threads';
        const code = (start) => { try { start(); return 'started'; } catch (error) { return error.code; } };
        const codes = [
          code(() => { for (;;) spawn(process.execPath, ['-e', 'for (;;) {}']); }),
          code(() => fork('/submission/submission.ts')),
          code(() => new Worker('for (;;) {}', { eval: true })),
        ];
        throw new Error('codes: ' + codes.join(' '))`),
    );

    expect(points).toBe(0);
    expect(missing).toContain('codes: ERR_ACCESS_DENIED ERR_ACCESS_DENIED ERR_ACCESS_DENIED');
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

  it('writes no grade', async () => {
    const target = join(folder, 'results.json');
    const paths = [target, '/results.json', '/submission/results.json', '/tmp/results.json'];
    const { points, missing } = await result(
      atLoad(`import { writeFileSync } from 'node:fs';
        const found = ${JSON.stringify(paths)}.map((path) => {
          try { writeFileSync(path, '{"score": 100}'); return 'written'; } catch (error) { return error.code; }
        });
        throw new Error('found ' + found.join(' '))`),
    );

    expect(points).toBe(0);
    expect(existsSync(target)).toBe(false);
    expect(missing).toMatch(/found (E[A-Z_]+ ?){4}/);
  });

  it('gains nothing by lines of the protocol that it writes itself', async () => {
    const fake = JSON.stringify({ state: {}, effects: [{ type: 'elect', leader: 5, epoch: 0 }] });
    const grade = JSON.stringify({ points: 60, passed: true, findings: [] });
    const { points, missing } = await result(
      atLoad(`import { writeSync } from 'node:fs';
        console.log(${JSON.stringify(grade)});
        writeSync(4, '{"kind":"protocol","name":"fake"}\\n');
        for (let n = 0; n < 50; n += 1) writeSync(4, ${JSON.stringify(`${fake}\n`)})`),
    );

    expect(points).toBe(0);
    expect(missing).toContain('it answered more than once');
  });

  it('that ends early, at its load or in a step, gets no points', async () => {
    const codes = ['process.exit(0)', 'process.kill(process.pid, 9)'];
    for (const text of [...codes.map(atLoad), ...codes.map(atProbe)]) {
      const { points, missing } = await result(text);
      expect({ text, points }).toEqual({ text, points: 0 });
      expect(missing).toMatch(/the process has ended|must not stop the process/);
    }
  });

  it('that ends is judged in a new process for the next student', async () => {
    const text = atProbe('process.kill(process.pid, 9)');

    const outcomes = await judgeForAll(judges, text, ['alice', 'bob']);

    expect(outcomes.map((outcome) => summary(outcome).points)).toEqual([0, 0]);
    for (const outcome of outcomes) {
      expect(summary(outcome).missing).toContain('the process has ended');
    }
  });

  it('that floods gets no points', async () => {
    const line = await result(atProbe(`state.all = 'x'.repeat(1e7)`));
    const messages = await result(
      atProbe('for (let n = 0; n < 1e5; n += 1) effects.send(self.rank, message)'),
    );
    const bytes = await result(
      atLoad(`import { writeSync } from 'node:fs'; for (;;) writeSync(4, Buffer.alloc(65536, 65))`),
    );
    const deep = await result(
      atProbe(`let all = []; for (let n = 0; n < 1e4; n += 1) all = [all]; state.all = all`),
    );

    expect([line, messages, bytes, deep].map(({ points }) => points)).toEqual([0, 0, 0, 0]);
    expect(line.missing).toContain('an answer is longer than 262144 bytes');
    expect(messages.missing).toMatch(/an answer is longer|a state or an effect that/);
    expect(bytes.missing).toContain('an answer is longer than 262144 bytes');
    expect(deep.missing).toMatch(
      /deeper than 32 levels|Maximum call stack|a step failed: .* leaves/,
    );
  });

  it('that remembers something besides the states of its nodes gets no points', async () => {
    const text = SOLUTION.replace('function join', 'let calls = 0;\nfunction join')
      .replace(
        'state.probing = true;',
        'state.probing = true; calls += 1; state.joined = calls > 0;',
      )
      .replace('joined: boolean;', 'joined: boolean; calls?: number;')
      .replace('state.joined = calls > 0;', 'state.joined = true; state.calls = calls;');

    const { points, missing } = await result(text);

    expect(points).toBe(0);
    expect(missing).toContain('has other effects when it is repeated');
  });
});
