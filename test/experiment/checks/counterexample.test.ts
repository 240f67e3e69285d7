/**
 * @module
 * Counterexamples as files: they are carried out again, and a changed file is noticed or refused.
 */

import { describe, expect, it } from 'vitest';
import { check } from '../../../src/checking/check.ts';
import { judgedOf, searchOptionsOf } from '../../../src/checking/check-request.ts';
import { Walk } from '../../../src/checking/traces/walk.ts';
import {
  isCounterexample,
  loadCounterexample,
  repeat,
  writtenCheck,
} from '../../../src/experiment/checks/counterexample.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import {
  actionLines,
  lastStepText,
  walkedWorld,
} from '../../../src/experiment/checks/walked-world.ts';
import { writtenTrace } from '../../../src/simulation/report/trace-formats.ts';
import { savedText } from './saved-text.ts';

const TWO_LEADERS: Check = {
  protocol: 'bully-oneshot',
  ring: [1, 2, 3],
  properties: ['one-leader'],
};
const LOST: Check = {
  protocol: 'cr-join',
  ring: [1, 2, 3],
  bounds: { loss: 1 },
  properties: ['leader-elected'],
};

describe('a lie in a counterexample', () => {
  const given: Check = {
    ...{ protocol: 'cr-join', ring: [1, 2, 3], level: 'L0', bounds: { lies: 1 } },
    ...{ byzantine: [{ rank: 2, behaviours: [] }], goal: 'leader' },
  };

  it.each(['L0', 'L2'] as const)('is in plain words in every form at %s', (level) => {
    const { run, actions } = repeat(loadCounterexample(JSON.parse(saved({ ...given, level }))));
    const lines = actionLines(actions, null).map(({ actor, text }) => `${actor} ${text}`);
    const forms = (['txt', 'svg', 'shiviz'] as const).map((form) => writtenTrace(run, form));

    const decided = lines.findIndex((line) => line.includes('decides to lie'));
    expect(lines[decided]).toMatch(/^node 2 decides to lie: [A-Z]+ \d to \d( in the name of \d)?$/);
    expect(lines[decided + 1]).toMatch(/^node 2 lies: [A-Z]+ \d \(signed by \d\) to \d/);
    for (const text of [...lines, ...forms]) expect(text).not.toMatch(/INSTRUCTION/);
    for (const text of forms) expect(text).toContain('decides to lie');
  });
});

describe('a partition in a counterexample', () => {
  const given: Check = {
    ...{ protocol: 'bully-oneshot', ring: [1, 2, 3], timing: 'synchronous' },
    ...{ bounds: { partition: 1 }, properties: ['one-leader'] },
  };
  const { run, actions } = repeat(loadCounterexample(JSON.parse(saved(given))));
  const begun = { type: 'partition', sides: [[1, 3], [2]] };

  it('is an action before the losses that it causes', () => {
    const at = actions.findIndex(({ action }) => action.type === 'partition');
    const lost = actions.flatMap((each, index) => (each.action.type === 'drop' ? [index] : []));

    expect(actions[at]).toMatchObject({ action: { type: 'partition' }, effects: [], lost: null });
    expect(lost.length).toBeGreaterThan(0);
    for (const index of lost) {
      const why = actions[index]?.lost;
      expect(why).toBe(index > at ? 'partition' : null);
    }
  });

  it.each(['txt', 'svg', 'shiviz', 'jsonl', 'jsonl-bare'] as const)(
    'is in a trace as %s',
    (form) => {
      const text = writtenTrace(run, form);

      if (form === 'jsonl' || form === 'jsonl-bare') {
        expect(text).toContain('"action":{"type":"partition","sides":[[');
        expect(text).toContain('"lost":"partition"');
      } else {
        // ShiViz shows events of nodes alone.
        if (form !== 'shiviz') expect(text).toMatch(/a partition separates \d(, \d)? from \d/);
        expect(text).toContain('a partition separates them');
        expect(text).not.toContain('lost on the way');
      }
    },
  );

  it('ends in the trace of a walk that ends it', () => {
    const walk = new Walk(judgedOf(requestOf(given)));
    const choose = (sought: string) => {
      const { actions: offers } = walkedWorld(walk);
      const offer = offers.find(({ text }) => text === sought);
      expect(walk.take(offer?.index ?? -1), sought).toBe(true);
    };

    while (walkedWorld(walk).actions.every(({ isFault }) => !isFault)) walk.take(0);
    choose('a partition separates 1, 3 from 2');
    expect(walkedWorld(walk).partition).toEqual(begun.sides);
    expect(lastStepText(walk)).toBe('a partition separates 1, 3 from 2');
    choose('the partition ends');

    expect(walkedWorld(walk).partition).toBeNull();
    const links = walk.actions.slice(-2).map(({ action }) => action);
    expect(links).toEqual([begun, { type: 'heal' }]);
    const text = writtenTrace(writtenCheck(requestOf(given), walk.actions, null), 'txt');
    expect(text).toMatch(/the partition ends\n$/);
  });

  it('is not what loses a message between nodes without a link', () => {
    const walk = new Walk(judgedOf(requestOf({ ...given, cut: [[1, 2]] })));
    while (!walk.actions.some(({ lost }) => lost !== null)) expect(walk.take(0)).toBe(true);

    expect(lastStepText(walk)).toContain('ELECTION from 1 to 2: lost, they have no link');
  });
});

describe('a counterexample as a file', () => {
  it.each([
    ['a world', TWO_LEADERS],
    ['an execution that ends', LOST],
  ])('violates the property again: %s', (_what, asked) => {
    const file = saved(asked);
    const loaded = loadCounterexample(JSON.parse(file));

    const repeated = repeat(loaded);

    expect(isCounterexample(file)).toBe(true);
    expect(repeated).toMatchObject({ doubt: null, breach: loaded.breach, digest: loaded.digest });
    expect(savedText(loaded)).toBe(file);
  });

  it('can be drawn', () => {
    const { run } = repeat(loadCounterexample(JSON.parse(saved(TWO_LEADERS))));
    const svg = writtenTrace(run, 'svg');

    expect(svg).toContain('<title>action 1, node ');
    expect(svg).toMatch(/<title>[^<]*, sent at action \d/);
    // A check has no ticks.
    expect(svg).not.toContain('tick');
    expect(writtenTrace(run, 'txt')).toMatch(/action {2}1 +2 +3\n/);
    expect(svg).toContain('>action</text>');
    expect(writtenTrace(run, 'jsonl').split('\n')).toHaveLength(6);
  });

  it('is not violated by other actions', () => {
    const { address, ...rest } = loadCounterexample(JSON.parse(saved(TWO_LEADERS)));

    expect(repeat({ ...rest, address: address.slice(0, -1) }).doubt).toBe(
      'one-leader holds in the last world',
    );
  });

  it.each([
    [{ address: [0, 0, 0, 99] }, /\/address\/3: there is no possible action 99/],
    [{ property: 'agreement', check: { ...TWO_LEADERS, properties: ['one-leader'] } }, /agreement/],
    [{ repeatsFrom: 4 }, /repeatsFrom must be below 4/],
    [{ check: { ...TWO_LEADERS, ring: [1, 1, 3] } }, /every rank 1\.\.3 once/],
    [{ check: { ...TWO_LEADERS, storm: 1 } }, /storm/],
    [{ address: [-1] }, /address/],
  ])('is refused: %j', (change, message) => {
    const file = { ...JSON.parse(saved(TWO_LEADERS)), ...change };

    expect(() => repeat(loadCounterexample(file))).toThrow(message);
  });
});

function saved(asked: Check): string {
  const request = requestOf(asked);
  const steps = check(searchOptionsOf(request, { statesMax: 100_000, bytesMax: 2 ** 28 }));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const result = step.value;
  if (result.type !== 'violated') throw new RangeError('expected a violation');
  const { property, breach, trace, repeatsFrom } = result;
  const { address } = trace;
  return savedText({ request, property: property.name, breach, address, repeatsFrom });
}
