/**
 * @module
 * `usurp exercise` against a server with tokens: what a student sees, the exit codes, and that the token goes to the
 * server alone.
 */

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import type { Listening } from '../../../server/socket/listen.ts';
import { listen } from '../../../server/socket/listen.ts';
import { terminalText } from '../../../src/cli/exercise/showing.ts';
import { classUnderTest, EXERCISES, tokenOf } from '../../server/exercises/class.ts';
import { CLASS, joinedClass } from '../../server/exercises/joined-class.ts';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const STUDENT = 'student-0';
const folder = scratchFolder();
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, `${tokenOf(STUDENT)}\n`, { mode: 0o600 });

const students = classUnderTest();
let server: Listening;

beforeAll(async () => {
  server = await listen({ host: '127.0.0.1', port: 0 }, students.app, () => undefined);
});

afterAll(() => server.close());

const exercise = (...words: readonly string[]) =>
  usurp(['exercise', ...words, '--server', server.url, '--token-file', tokenFile]);

describe('usurp exercise', () => {
  it('lists every exercise with its points, the easiest first', async () => {
    const { code, stdout } = await exercise('list');

    const names = stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    expect(code).toBe(0);
    expect(names.filter((name) => /^[a-z-]+$/.test(name))).toEqual([
      'exercise',
      ...EXERCISES.map(({ name }) => name),
    ]);
  });

  it.each(EXERCISES.map(({ name }) => name))('shows %s in lines of a terminal', async (name) => {
    const { code, stdout } = await exercise('show', name);

    const lines = stdout.split('\n');
    expect(code).toBe(0);
    // One code mark may be longer than a line.
    expect(lines.filter((line) => line.length > 80 && !line.includes('`'))).toEqual([]);
    expect(stdout).not.toContain('**');
  });

  it('starts the same instance again, and shows what is given', async () => {
    const first = await exercise('start', 'predict-cost', '--json');
    const second = await exercise('start', 'predict-cost');

    const { id, given } = parsed(first);
    expect(second.stdout).toContain(id);
    expect(second.stdout).toContain(`"identities": ${given.identities}`);
  });

  it('starts an exercise with its budget and its closed endpoints', async () => {
    const { stdout } = await exercise('start', 'forge-top-id');

    expect(stdout).toMatch(/^budget +\d+ attempts, \d+ left$/m);
  });

  it('says that a file is graded by the instructor, and submits none', async () => {
    const shown = await exercise('show', 'implement-chang-roberts');
    const refused = await exercise('submit', 'implement-chang-roberts', 'no-such-file.ts');
    const posted = await students.submit(STUDENT, 'implement-chang-roberts', { type: 'protocol' });

    expect(shown.stdout).toMatch(/^submission .*a protocol; hand it in\s+to\s+your\s+instructor/m);
    expect(shown.stdout).not.toContain('are evaluated');
    expect(refused.stderr).toMatch(/implement-chang-roberts\.ts.*usurp grade/);
    expect(posted.json.detail).toMatch(/is a file that your instructor grades with usurp grade$/);
  });

  it('submits an answer from stdin, also a number alone, and says what is missing', async () => {
    const words = ['exercise', 'submit', 'predict-cost', '-', '--server', server.url];
    const withToken = [...words, '--token-file', tokenFile];
    const { given } = parsed(await exercise('start', 'predict-cost', '--json'));
    const number = given.identities * (2 ** given.c1 + 2 ** given.c2);

    const wrong = await usurp(withToken, '1\n');
    const right = await exercise('submit', 'predict-cost', String(number));
    const again = await usurp(withToken, JSON.stringify({ type: 'number', number }));

    const twice = await usurp(withToken, '{"type":"number","number":1,"number":2}');

    expect([wrong.code, right.code, again.code]).toEqual([1, 0, 0]);
    expect(twice.code).toBe(254);
    expect(twice.stderr).toContain('-: /number: this name is given twice');
    expect(wrong.stdout).toMatch(
      /^incorrect, 0 points; your best are 0\n {2}missing {2}prediction/,
    );
    expect(wrong.stderr).toContain('4 more submissions are evaluated now');
    expect(right.stdout).toMatch(/^correct, 20 points/);
    expect(again.stdout).toMatch(/^solved before, 20 points/);
  });

  it('shows the state of all exercises, and the submissions to one', async () => {
    const all = await exercise('status', '--json');
    const one = await exercise('status', 'predict-cost');

    expect(parsed(all)).toContainEqual({
      ...{ name: 'predict-cost', points: 20, status: 'solved', best: 20, submissions: 2 },
    });
    expect(one.stdout).toMatch(/correct, 20 points\n {2}ok/);
  });

  it('lists the hints with their costs', async () => {
    const { stdout } = await exercise('hint', 'predict-cost');

    expect(stdout).toBe('1  One puzzle  costs 2 points\n');
  });

  it('takes a hint, which costs points', async () => {
    const { code, stdout, stderr } = await exercise('hint', 'predict-cost', '1');

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^One puzzle\n\nA digest begins with c zero bits with probability p = 2\^-c, .+ is\s1\/p\.\n$/s,
    );
    expect(stderr).toMatch(/your points for the exercise are \d+ now/);
  });

  it.each([
    [['show'], 254, /name an exercise/],
    [['show', 'no-such'], 254, /there is no exercise no-such/],
    [['submit', 'predict-cost'], 254, /name the file with the answer/],
    [['hint', 'predict-cost', 'x'], 254, /expected the number of a hint/],
    [['jump'], 254, /list/],
  ])('refuses %j', async (words, expected, message) => {
    const { code, stderr } = await exercise(...words);

    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringMatching(message) });
  });

  it('refuses an address that is none or has a password, and a token that others can read', async () => {
    const open = join(folder, 'open');
    writeFileSync(open, 'token-that-others-read');
    chmodSync(open, 0o644);
    const codeAndError = async (...flags: readonly string[]) => {
      const { code, stderr } = await usurp(['exercise', 'list', ...flags]);
      return `${code} ${stderr}`;
    };

    expect(await codeAndError('--server', 'lab')).toMatch(/^254 .*expected an address/s);
    expect(await codeAndError('--server', 'http://a:b@lab')).toMatch(/^254 .*--token-file/s);
    expect(await codeAndError('--token-file', open)).toMatch(/^254 .*chmod 600/s);
    expect(await codeAndError('--server', 'http://127.0.0.1:1')).toMatch(
      /^254 .*no answer from http:\/\/127\.0\.0\.1:1/s,
    );
  });

  it('says that a token is missing, and never shows the token', async () => {
    const without = await usurp(['exercise', 'status', '--server', server.url]);
    const { stdout, stderr } = await exercise('status');

    expect(without.code).toBe(254);
    expect(stdout + stderr).not.toContain(tokenOf(STUDENT));
  });

  it('does not follow a server that redirects to another one', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(String(request.headers.authorization));
      response.writeHead(307, { location: `${server.url}/v1/exercises` }).end();
    });
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    // The address of a listening server is an object.
    const { port } = other.address() as AddressInfo;
    process.env.USURP_TOKEN = tokenOf('student-1');
    onTestFinished(() => void delete process.env.USURP_TOKEN);

    const words = ['exercise', 'list', '--server', `http://127.0.0.1:${port}`];
    const { code, stderr } = await usurp(words);

    expect(seen).toEqual([`Bearer ${tokenOf('student-1')}`]);
    expect({ code, stderr }).toEqual({ code: 254, stderr: expect.stringContaining('redirect') });
  });
});

describe('usurp exercise join', () => {
  it('exchanges a code of stdin for a token in a private file, and overwrites no file', async () => {
    const lab = await joinedClass();
    const served = await listen({ host: '127.0.0.1', port: 0 }, lab.app, () => undefined);
    onTestFinished(() => served.close());
    const { code } = lab.classroom.renew('ann', null);
    const file = join(folder, 'joined');
    const words = ['--token-file', file, '--server', served.url];

    const wrong = await usurp(['exercise', 'join', '-', ...words], 'k7qd-m2xw-4tbn-ev5j\n');
    const joined = await usurp(['exercise', 'join', '-', ...words], `${code}\n`);
    const again = await usurp(['exercise', 'join', '-', ...words], `${code}\n`);
    const status = await usurp(['exercise', 'list', ...words]);

    expect([wrong.code, joined.code, again.code, status.code]).toEqual([254, 0, 254, 0]);
    expect(joined.stdout).toBe(`you are ann (student); your token is in ${file}\n`);
    expect(again.stderr).toContain('exists and was left unchanged');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    const all = [wrong, joined, again].map(({ stdout, stderr }) => stdout + stderr).join();
    for (const secret of [token, code]) expect(all).not.toContain(secret);
  });
});

describe('usurp exercise in a class', () => {
  const entry =
    '  - { name: worst-ring, deadline: 2026-10-10T23:59, submissions: { evaluated: 2, per: 1h }, late: { until: 24h, deduct: 50%, per: 12h } }';
  const text = `timeZone: Europe/Berlin\nhints: false\n${CLASS}`.replace(/.*worst-ring.*/, entry);

  it('has deadlines in the zone of the class, and says what lateness costs and when to try again', async () => {
    const lab = await joinedClass({ text });
    const served = await listen({ host: '127.0.0.1', port: 0 }, lab.app, () => undefined);
    onTestFinished(() => served.close());
    process.env.USURP_TOKEN = String(lab.tokens.get('bob'));
    onTestFinished(() => void delete process.env.USURP_TOKEN);
    const run = (words: readonly string[], stdin?: string) =>
      usurp(['exercise', ...words, '--server', served.url], stdin);
    const { given } = parsed(await run(['start', 'worst-ring', '--json']));
    const ring: readonly string[] = given.nodeIds.toSorted();
    const submit = (answer: readonly string[]) =>
      run(['submit', 'worst-ring', '-'], JSON.stringify({ type: 'ring', ring: answer }));

    lab.clock.ms = Date.parse('2026-10-11T06:00+02:00');
    const list = await run(['list']);
    const show = await run(['show', 'worst-ring']);
    const hints = await run(['hint', 'worst-ring']);
    const wrong = await submit(ring.slice(1));
    await submit(ring.slice(1));
    const limited = await submit(ring);
    lab.clock.ms += 3_600_000;
    const late = await submit(ring.toReversed());
    const status = await run(['status']);
    const one = await run(['status', 'worst-ring']);
    const work = { student: 'bob', exercise: 'predict-cost' };
    const deadline = '2026-10-12T00:00Z';
    await lab.decide({ ...work, type: 'grade', points: 15, comment: 'oral exam' });
    await lab.decide({ ...work, type: 'extension', deadline, comment: 'ill until Tuesday' });
    const decided = await run(['status', 'predict-cost']);
    const rows = await run(['status', '--json']);
    lab.clock.ms += 86_400_000;
    const over = await submit(ring);

    expect(list.stdout).toMatch(/^exercise .*deadline \(Europe\/Berlin\)/);
    expect(list.stdout).toMatch(/2026-10-10 23:59, late until 2026-10-11\s+23:59;/);
    expect(show.stdout).toContain('until 2026-10-11 23:59, less 50 % for each 12 h that has begun');
    expect(show.stdout).toMatch(/^now +2026-10-11 06:00$/m);
    expect(hints.stdout).toBe('the class has no hints\n');
    expect(wrong.stderr).toContain('1 more submission is evaluated now');
    expect(limited.stderr).toContain('are evaluated in 3600 s; try again in 60 min');
    expect(late.stdout).toMatch(/^correct, 30 points, of which 15 count because it is late; /);
    expect(late.stderr).toContain('the deadline was 2026-10-10 23:59 (Europe/Berlin); late');
    expect(status.stdout).toMatch(/^worst-ring +solved +15 of 30 +3 +2026-10-10 23:59, late/m);
    expect(one.stdout).toContain('2026-10-11 07:00  correct, 30 points, late');
    expect(decided.stdout).toMatch(/^points +15, set by your instructor\ncomment +oral exam$/m);
    expect(decided.stdout).toMatch(/^about the deadline +ill until Tuesday\n\nno submission yet$/m);
    expect(parsed(rows)).toContainEqual(
      expect.objectContaining({
        ...{ name: 'predict-cost', score: 15, isManual: true, comment: 'oral exam' },
        deadlineComment: 'ill until Tuesday',
      }),
    );
    expect(over.stderr).toContain('worst-ring was open until 2026-10-11 23:59 Europe/Berlin');
  });
});

describe('a statement on a terminal', () => {
  it('fills paragraphs and items again, keeps code, and escapes control characters', () => {
    const markdown = `**Do** this\nnow.\n\n1. First\n   line.\n2. Second ${'word '.repeat(20)}\n\n\`\`\`sh\nls  -l\n\`\`\`\n\u001b[31mred`;

    expect(terminalText(markdown)).toBe(
      [
        ...['Do this now.', '', '1. First line.'],
        `2. Second ${'word '.repeat(14).trim()}`,
        ...['   word word word word word word', '', '    ls  -l', '', '\\u001b[31mred', ''],
      ].join('\n'),
    );
  });
});
