/**
 * @module
 * The goals of an adversary: which are reachable, by how many actions, and that a search says no more than it knows.
 */

import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checking/check.ts';
import { check } from '../../../src/checking/check.ts';
import { goalStageOf, searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { GoalName } from '../../../src/checking/properties/goals.ts';
import { GOAL_NAMES, GOALS, neverReached } from '../../../src/checking/properties/goals.ts';
import type { WorldView } from '../../../src/checking/property.ts';
import { checkAnswer, checkedInstance } from '../../../src/experiment/checks/answer.ts';
import { loadCounterexample, repeat } from '../../../src/experiment/checks/counterexample.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import { AIM_FACTS } from '../../../src/experiment/staging/judgement.ts';
import { savedText } from '../../experiment/checks/saved-text.ts';
import type { Given } from '../checked.ts';
import { checked } from '../checked.ts';

const ONE = [{ rank: 1, behaviours: [] }];
const RING: Check = {
  protocol: 'cr-replace',
  ring: [1, 2, 3],
  byzantine: [{ rank: 2, behaviours: [] }],
};
const BULLY: Check = {
  ...{ protocol: 'bully-oneshot', ring: [1, 2, 3], byzantine: ONE, timing: 'synchronous' },
};

function resultOf(given: Check, statesMax = 200_000): CheckResult {
  const steps = check(searchOptionsOf(requestOf(given), { statesMax, bytesMax: 2 ** 28 }));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function answerOf(given: Check, statesMax?: number) {
  return checkAnswer(checkedInstance(requestOf(given), false), resultOf(given, statesMax));
}

/** The answer, and the number of actions of the example. */
function foundOf(given: Check): readonly unknown[] {
  const answer = answerOf(given);
  const values = answer.properties.map(({ value }) => value);
  return answer.result === 'reachable'
    ? [answer.result, ...values, answer.actions.length, answer.breach]
    : [answer.result, ...values];
}

describe('a goal', () => {
  it.each([
    [BULLY, 'leader', 1, ['exhausted', 'unreachable']],
    [BULLY, 'leader', 2, ['exhausted', 'unreachable']],
    [RING, 'leader', 0, ['exhausted', 'unreachable']],
    [
      ...([RING, 'leader', 1] as const),
      ['reachable', 'reachable', 7, 'every live honest node follows node 2, which is Byzantine'],
    ],
    [
      ...([RING, 'split', 1] as const),
      ['reachable', 'reachable', 15, 'at rest, honest nodes follow 1 and 3'],
    ],
    [RING, 'split', 0, ['exhausted', 'unreachable']],
    [RING, 'no-leader', 0, ['exhausted', 'unreachable']],
  ] as const)('of %j: %s within %i lies', (given, goal, lies, expected) => {
    const found = foundOf({ ...given, goal, bounds: { lies } });

    expect(found).toEqual(expected);
  });

  it('of a node that swallows what it should pass on is that there is no leader', () => {
    const byzantine = [{ rank: 2, behaviours: ['swallow'] }];

    const found = foundOf({ ...RING, byzantine, goal: 'no-leader' });

    expect(found.slice(0, 2)).toEqual(['reachable', 'reachable']);
    expect(foundOf({ ...RING, byzantine, goal: 'leader' })).toEqual(['exhausted', 'unreachable']);
  });

  it('is reached by the fewest actions, reduced or not', () => {
    const given: Check = { ...RING, goal: 'split', bounds: { lies: 1 } };

    expect(foundOf({ ...given, reduction: 'off' })).toEqual(foundOf(given));
  });

  it.each(['leader', 'no-leader', 'split'] satisfies GoalName[])(
    '%s is reachable exactly if a full search sees its property',
    (goal) => {
      for (const lies of [0, 1]) {
        const given: Check = { ...RING, bounds: { lies } };
        const { name } = GOALS[goal].property;
        const full = resultOf({ ...given, properties: [name], reduction: 'off' });

        expect(full.type).toBe('exhausted');
        const isReached = resultOf({ ...given, goal }).type === 'violated';
        expect(isReached).toBe(full.witnessed.includes(name));
      }
    },
  );

  it('is unknown if a limit was reached first', () => {
    const answer = answerOf({ ...RING, goal: 'leader' }, 20);

    expect(answer.result).toBe('capped');
    expect(answer.properties).toMatchObject([
      { name: 'adversary-leads', kind: 'sometimes', value: 'unknown' },
    ]);
  });

  it('is one of the aims by which attacks are judged', () => {
    expect(GOAL_NAMES.map((name) => AIM_FACTS[GOALS[name].aim].letter)).toEqual([
      ...['L', 'N', 'S', 'O', 'O'],
    ]);
  });

  it('that needs rest is not seen before it', () => {
    const nodes = [1, 1, 3].map((leader, index) => ({ rank: index + 1, up: true, leader }));
    const nothing = () => {
      throw new Error('nothing is read');
    };
    const view: WorldView = {
      ...{
        protocol: 'bully-oneshot',
        nodes,
        byzantine: new Set([2]),
        isAtRest: false,
        store: null,
      },
      // The past of a history is empty.
      pastOf: (history) => history.first,
      factOf: nothing,
      nodeOf: nothing,
      ...{ phantoms: new Set<number>(), inFlight: () => [], isOrdered: false },
    };
    const { property } = GOALS.split;

    expect(property.holds(view)).toBe(false);
    expect(property.holds({ ...view, isAtRest: true })).toBe(true);
  });
});

describe('an example that reaches a goal', () => {
  it('is a file that can be carried out again', () => {
    const given: Check = { ...RING, goal: 'leader', bounds: { lies: 1 } };
    const request = requestOf(given);
    const result = resultOf(given);
    if (result.type !== 'violated') throw new Error('the goal was not reached');
    const { property, breach, trace, repeatsFrom } = result;
    const example = {
      request,
      property: property.name,
      breach,
      address: trace.address,
      repeatsFrom,
    };

    const loaded = loadCounterexample(JSON.parse(savedText(example)));
    const repeated = repeat(loaded);

    expect([repeated.doubt, repeated.breach, repeated.digest]).toEqual([
      null,
      breach,
      loaded.digest,
    ]);
    expect(repeat({ ...loaded, address: loaded.address.slice(1, 2) }).doubt).toBe(
      'leader is not reached in the last world',
    );
  });
});

describe('a goal of a protocol that never rests', () => {
  const RAFT: Check = {
    ...{ protocol: 'raft', ring: [1, 2], flags: { spreadTicks: '1' }, spread: 1 },
    ...{ timing: 'synchronous' },
  };
  const GM82: Check = {
    ...{ protocol: 'bully-gm82', ring: [1, 2], flags: { checks: 'clock' } },
    bounds: { timeout: 2 },
  };

  it.each([
    [RAFT, 'no-leader', { 'no-leader-lasts': 'unreachable' }],
    // The leader that was elected before does not count.
    [{ ...RAFT, bounds: { crash: 1 } }, 'no-leader', { 'no-leader-lasts': 'reachable' }],
    [{ ...RAFT, cut: [[1, 2]] }, 'no-leader', { 'no-leader-lasts': 'reachable' }],
    [GM82, 'split', { 'split-lasts': 'unreachable' }],
    [
      ...([{ ...RAFT, bounds: { timeout: 2 } }, 'split'] as const),
      { split: 'unreachable', 'split-lasts': 'unreachable' },
    ],
    [
      {
        ...RAFT,
        ring: [1, 2, 3],
        bounds: { timeout: 2, crash: 1, amnesia: 1 },
        timing: 'asynchronous',
      },
      'split',
      { split: 'reachable', 'split-lasts': 'unknown' },
    ],
  ] as const)('lasts for ever (%#: %j, %s)', (given, goal, expected) => {
    // The tuples of the table are read-only, which requests are not.
    const asked = { ...(given as Check), goal };
    const request = requestOf(asked);
    const result = resultOf(asked, 500_000);

    const answer = checkAnswer(checkedInstance(request, false), result);

    const values = answer.properties.map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toEqual(expected);
    if (result.type !== 'violated') return;
    const { property, breach, trace, repeatsFrom } = result;
    const example = { request, property: property.name, breach, address: trace.address };
    const saved = JSON.parse(savedText({ ...example, repeatsFrom }));
    expect(repeat(loadCounterexample(saved)).doubt).toBeNull();
  });

  it.each([
    [[[1, 2] as const], 'violated'],
    [[], 'exhausted'],
  ] as const)('that is a split, with the missing links %j: %s', (cut, expected) => {
    const { result, breach } = lasting('split', { timing: 'synchronous', cut });

    expect(result.type).toBe(expected);
    if (expected === 'exhausted') return;
    expect(breach).toBe(
      'from then on, honest nodes follow different live leaders, at first 1 and 2',
    );
  });

  it('may be reached after a leader was elected', () => {
    const { result, breach } = lasting('no-leader', { bounds: { crash: 1 }, initiators: [2] });

    expect(result).toMatchObject({ type: 'violated', isExhausted: true });
    expect(breach).toBe('from then on, there is no live leader that all live honest nodes follow');
  });

  /** Looks in worlds of Bully for what lasts in protocols that never rest. */
  function lasting(goal: GoalName, given: Given) {
    const never = neverReached(goal, goalStageOf({ protocol: 'raft' }));
    const properties = never.filter(({ kind }) => kind === 'eventually');
    const result = checked('bully-oneshot', 2, { ...given, properties });
    return { result, breach: result.type === 'violated' ? result.breach : null };
  }
});

describe('a goal that no search can decide', () => {
  it.each([
    [{ ...RING, properties: ['one-leader'] }, 'leader', 'give a goal or properties, not both'],
    [RING, 'stale-writes', 'its leaders have no epochs'],
    [{ ...RING, protocol: 'db-lease' }, 'stale-writes', 'write to no resource'],
  ] as const)('is refused (%#)', (given, goal, detail) => {
    // The tuples of the table are read-only, which requests are not.
    expect(() => requestOf({ ...(given as Check), goal })).toThrow(detail);
  });
});

describe('claims of properties', () => {
  it('are not made with Byzantine nodes', () => {
    const byzantine = [{ rank: 2, behaviours: ['swallow'] }];

    expect(checkedInstance(requestOf({ ...RING, byzantine }), false).unclaimed).toContainEqual({
      name: 'one-leader',
      reason: 'the protocol assumes that no node is Byzantine',
    });
  });
});
