/**
 * @module
 * Machines of the user that write an effect which no driver can carry out. `elect` and `check` refuse it in the same
 * words. The nearest effect that is allowed is carried out.
 */

import { spawn } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import type { Printed } from './shell.ts';
import { ended, ROOT, scratchFolder } from './shell.ts';

const LEADER = "{ type: 'LEADER', leader: self.rank }";
const TO_ITSELF = (message: string) => `effects.send(self.rank, ${message});`;

/** What a machine does at its start, and how it is refused. */
const REFUSED: readonly (readonly [statement: string, refusal: string])[] = [
  [`effects.send(0, ${LEADER});`, 'sends {"type":"LEADER","leader":1} to 0, which is no node'],
  [`effects.send(99, ${LEADER});`, 'to 99, which is no node: send to a rank of self.members'],
  [`effects.send(-1, ${LEADER});`, 'to -1, which is no node'],
  [`effects.send(1.5, ${LEADER});`, 'to 1.5, which is no node'],
  [`effects.send('1', ${LEADER});`, "to '1', which is no node"],
  [`effects.send(self.members[7], ${LEADER});`, 'to undefined, which is no node'],
  [
    `const message = ${LEADER}; message.self = message; ${TO_ITSELF('message')}`,
    'of which JSON cannot hold value.self.self',
  ],
  [TO_ITSELF("{ type: 'LEADER', leader: 1n }"), 'JSON cannot hold value.leader: use only null'],
  [TO_ITSELF("{ type: 'LEADER', leader: undefined }"), 'JSON cannot hold value.leader'],
  [TO_ITSELF('{ leader: self.rank }'), 'a message is an object with a string "type"'],
  [TO_ITSELF('null'), 'sends null: a message is an object with a string "type"'],
  ['effects.elect(undefined, 0);', 'elects undefined, which is no node'],
  ['effects.elect(99, 0);', 'elects 99, which is no node: elect a rank of self.members'],
  ['effects.elect(null, 0);', 'elects null, which is no node'],
  ['state.leader = 99; effects.elect(state.leader, 0);', 'elects 99, which is no node'],
  ['effects.elect(self.rank, -1);', 'in epoch -1: expected a whole number from 0 on'],
  ['effects.elect(self.rank, 0.5);', 'in epoch 0.5: expected a whole number'],
  ['effects.elect(self.rank);', 'in epoch undefined: expected a whole number'],
  ['effects.persist(1n);', 'persists 1n, of which JSON cannot hold value'],
  ['effects.persist(undefined);', 'persists undefined, of which JSON cannot hold value'],
  ["effects.call({ type: 'READ' });", 'calls a store, and the protocol has none'],
  ['effects.choose(0);', 'chooses below 0: expected a whole number from 1 on'],
  ['effects.choose(2.5);', 'chooses below 2.5: expected a whole number'],
  ['effects.setTimer();', 'sets timer undefined: its name must be a string that is not empty'],
  ["effects.setTimer('', 1, false);", "sets timer '': its name must be"],
  ["effects.setTimer('x', -1, false);", "sets timer 'x' to -1 ticks: expected a whole number"],
  ["effects.setTimer('x', NaN, false);", "sets timer 'x' to NaN ticks"],
  ["effects.setTimer('x', 0.5, false);", "sets timer 'x' to 0.5 ticks"],
  ["effects.setTimer('x', 0, true);", 'from 0 on, or from 1 on if periodic'],
  ["effects.setTimer('x', 1);", 'periodic undefined: "periodic" is true or false'],
  ['effects.cancelTimer(1);', 'cancels timer 1: its name must be a string'],
  ['effects.respond(() => 1);', 'responds with [Function (anonymous)], of which JSON cannot hold'],
  ['effects.accuse(new Date(0));', 'accuses with 1970-01-01T00:00:00.000Z, of which JSON cannot'],
  ['state.large = 1n;', 'leaves { joined: true, probing: true, leader: null, large: 1n }'],
  [
    TO_ITSELF("{ type: 'HELLO' }"),
    'sends {"type":"HELLO"}, a type that its definition does not list (handler of start,',
  ],
  [TO_ITSELF("{ type: 'LEADER', leader: 1, extra: 2 }"), 'whose member extra its definition does'],
  [TO_ITSELF("{ type: 'LEADER', leader: 'x' }"), 'which has not the members that its definition'],
  [
    `for (let sent = 0; sent < 2e6; sent += 1) ${TO_ITSELF(LEADER)}`,
    'sends a value after 1300 effects of one step: a step has at most 1300 (handler of start,',
  ],
  [
    "for (let set = 0; ; set += 1) effects.setTimer('t' + set, 1, false);",
    'sets a timer after 1300',
  ],
  [
    'globalThis.calls = (globalThis.calls ?? 0) + 1; effects.elect(1 + (globalThis.calls % 2), 0);',
    'must be a function of both, without memory outside of its state (handler of start)',
  ],
  [
    'globalThis.done ??= 0; globalThis.done += 1; if (globalThis.done > 2) effects.elect(1, 0);',
    'must be a function of both, without memory outside of its state (handler of start)',
  ],
  ["throw 'mine';", "throws 'mine'"],
  ['if (Math.random() < 0) throw 1;', 'the machine calls Math.random; time and chance are events'],
  ['state.at = Date.now();', 'the machine calls Date.now; time and chance are events of a driver'],
];

const ALLOWED: readonly string[] = [
  TO_ITSELF(LEADER),
  'effects.elect(self.rank, 0);',
  'effects.persist(null);',
  'effects.choose(1);',
  "effects.setTimer('x', 0, false);",
  "effects.setTimer('x', 1, true); effects.cancelTimer('x');",
  'effects.respond([1, { deep: null }]);',
  'state.more = -1.5;',
];

/** A protocol for each statement, which a node carries out when it has started. */
function fileOf(statements: readonly string[]): string {
  const folder = scratchFolder();
  copyFileSync(
    join(ROOT, 'examples/definitions/example-protocol.ts'),
    join(folder, 'example-protocol.ts'),
  );
  const file = join(folder, 'own.ts');
  const protocols = statements.map(
    (statement, index) =>
      `export const OWN_${index} = own('own-${index}', (self, state, effects) => { ${statement} });`,
  );
  const text = `import { defineProtocol } from 'usurp';
import { EXAMPLE_PROTOCOL } from './example-protocol.ts';
const own = (name, atStart) => defineProtocol({ ...EXAMPLE_PROTOCOL, name, create(...given) {
  const { init, step } = EXAMPLE_PROTOCOL.create(...given);
  return { init, step(self, state, event, effects) {
    step(self, state, event, effects);
    if (event.type === 'start') atStart(self, state, effects);
  } };
} });
`;
  writeFileSync(file, [text, ...protocols].join('\n'));
  return file;
}

/** What the command lines print in one process. */
async function session(files: readonly string[], commands: readonly (readonly string[])[]) {
  const child = spawn(process.execPath, [join(ROOT, 'test/cli/loaded-session.ts')], { cwd: ROOT });
  child.stdin.end(JSON.stringify({ files, commands }));
  const { code, stdout, stderr } = await ended(child);
  expect([code, stderr]).toEqual([0, '']);
  const printed: readonly Printed[] = JSON.parse(stdout);
  return printed;
}

const statements = [...REFUSED.map(([statement]) => statement), ...ALLOWED];
const DRIVERS = {
  elect: (name: string) => ['elect', name, '--nodes', '3', '--seed', '1'],
  check: (name: string) => ['check', name, '--max-states', '200', '--threads', '1'],
};

describe.each(['elect', 'check'] as const)('a machine of the user in %s', (verb) => {
  let printed: readonly Printed[] = [];
  let file = '';
  beforeAll(async () => {
    file = fileOf(statements);
    const commands = statements.map((_, index) => DRIVERS[verb](`own-${index}`));
    printed = await session([file], commands);
  });

  it.each(REFUSED.map(([statement, refusal], index) => [statement, refusal, index] as const))(
    'is refused with file, protocol, node and handler: %s',
    (_, refusal, index) => {
      const { code, stdout, stderr } = printed[index] ?? {};

      expect([code, stdout]).toEqual([254, '']);
      expect(stderr).toContain(`usurp: --load ${file}: protocol own-${index}: node 1 `);
      expect(stderr).toContain(refusal);
      expect(stderr).toContain('(handler of start');
    },
  );

  it.each(ALLOWED.map((statement, index) => [statement, REFUSED.length + index] as const))(
    'is not refused: %s',
    (_, index) => {
      const { code, stdout, stderr } = printed[index] ?? {};

      expect([0, 1, 2]).toContain(code);
      expect(stdout).not.toBe('');
      expect(stderr).not.toContain('own.ts');
    },
  );

  it('is refused with the line of the effect', () => {
    expect(printed[0]?.stderr).toMatch(/\(handler of start, .*own\.ts:\d+:\d+\)\n$/);
  });
});
