/**
 * @module
 * The cheapest attack: the outcome of each placement against the search over plain worlds, the costs against closed
 * forms by hand, and what is said when checks were capped.
 */

import { describe, expect, it } from 'vitest';
import { hexToBytes } from '../../../src/bytes.ts';
import { check } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { instanceOf, searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import {
  cheapestAnswer,
  cheapestSentences,
} from '../../../src/experiment/checks/cheapest-answer.ts';
import type { CostlyAttack, RunCheck } from '../../../src/experiment/checks/cheapest-attack.ts';
import {
  findCheapestAttack,
  placedRequest,
} from '../../../src/experiment/checks/cheapest-attack.ts';
import { loadCounterexample, repeat } from '../../../src/experiment/checks/counterexample.ts';
import { honestNetwork, placementText } from '../../../src/experiment/checks/placements.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { plainLevels } from '../../checking/plain-search.ts';
import { savedText } from './saved-text.ts';

/** Shares of the ID space: 1/4 below all, 1/2 between, 1/4 above all. */
const TWO = honestNetwork(['40', 'c0'].map(idOfHead), { ...STRICT_POLICY, c1: 4 });

function idOfHead(head: string): Uint8Array {
  return hexToBytes(head.padEnd(64, '0'));
}

function attackOn(change: Partial<CostlyAttack> & Pick<CostlyAttack, 'check'>): CostlyAttack {
  return { goal: 'leader', behaviours: [], colluders: 1, network: TWO, ...change };
}

function runner(statesMax = 100_000): RunCheck {
  return async (request) => {
    const steps = check(searchOptionsOf(request, { statesMax, bytesMax: 2 ** 28 }));
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  };
}

/** Whether some plain world has the goal `leader`. */
function plainlyReached(request: CheckRequest): boolean {
  const byzantine = (request.byzantine ?? []).map(({ rank }) => rank);
  let isReached = false;
  const watch = (world: World) => {
    const nodes = world.nodes.slice(0, request.ring.length);
    const honest = nodes.filter((node, index) => node.up && !byzantine.includes(index + 1));
    const isOne = byzantine.some(
      (rank) => nodes[rank - 1]?.up === true && honest.every(({ leader }) => leader === rank),
    );
    if (isOne && honest.length > 0) isReached = true;
    return world;
  };
  plainLevels(instanceOf(request), Number.POSITIVE_INFINITY, watch);
  return isReached;
}

describe('each placement', () => {
  it.each([
    ['bully-oneshot', 'L0', 'synchronous', 0],
    ['cr-join', 'L0', 'asynchronous', 0],
    ['cr-join', 'L3', 'asynchronous', 1],
    ['zk-slide-quorum', 'L0', 'synchronous', 0],
  ] as const)('has the outcome of the plain search: %s, %s, %s, lies=%i', async (...row) => {
    const [protocol, level, timing, lies] = row;
    const attack = attackOn({ check: { protocol, level, timing, bounds: { lies } } });

    const { judged } = await findCheapestAttack(attack, runner());

    expect(judged).toHaveLength(4);
    for (const { placement, outcome } of judged) {
      const isReached = plainlyReached(placedRequest(attack, placement));
      const expected = isReached ? 'reached' : 'exhausted';
      expect(outcome.type, placementText(placement, 2)).toBe(expected);
    }
  });
});

describe('the cheapest attack', () => {
  it('on Bully without lies is the top, at its cost', async () => {
    const attack = attackOn({
      check: { protocol: 'bully-oneshot', timing: 'synchronous' },
    });

    const found = await findCheapestAttack(attack, runner());

    // 2^4 attempts for an identity, a quarter of which are above all: the hash of each ID, and the puzzle of a quarter.
    expect(found.cheapest?.placement).toMatchObject({ below: [2], attempts: 64, hashes: 80 });
    expect(found).toMatchObject({ least: { hashes: 80 }, enough: { hashes: 80 } });
    expect(cheapestSentences(attack, found)).toEqual([
      'leader: the cheapest placement that reaches this goal is "above all honest", with 80 hashes on average and then 5 actions; no cheaper placement reaches the goal within the bounds',
      'an adversary that stops at the first placement that works spends 80 hashes on average',
    ]);
  });

  it('on a ring with one lie is any identity', async () => {
    const attack = attackOn({ check: { protocol: 'cr-join', level: 'L3', bounds: { lies: 1 } } });

    const found = await findCheapestAttack(attack, runner());

    // The largest gap has half of the IDs. All gaps together have all.
    expect(found.cheapest?.placement).toMatchObject({ below: [1], attempts: 32 });
    expect(found.enough.attempts).toBeCloseTo(16, 9);
    expect(found.least).toEqual(found.enough);
  });

  it('needs no check of what contains a placement that works', async () => {
    const attack = attackOn({
      check: { protocol: 'bully-oneshot', timing: 'synchronous' },
      colluders: 2,
    });

    const { judged, enough } = await findCheapestAttack(attack, runner());

    const outcomes = judged.map(({ placement: { below }, outcome }) => [
      below.join(),
      outcome.type,
    ]);
    expect(Object.fromEntries(outcomes)).toEqual({
      ...{ '': 'exhausted', '0': 'exhausted', '1': 'exhausted', '2': 'reached' },
      ...{ '0,0': 'exhausted', '0,1': 'exhausted', '1,1': 'exhausted' },
      ...{ '0,2': 'contains', '1,2': 'contains', '2,2': 'contains' },
    });
    expect(enough.attempts).toBe(64);
  });

  it('costs nothing if the goal is reached without an adversary', async () => {
    const attack = attackOn({
      check: { protocol: 'cr-join', bounds: { loss: 1 } },
      goal: 'no-leader',
    });

    const found = await findCheapestAttack(attack, runner());

    expect(found.cheapest?.placement).toMatchObject({ below: [], hashes: 0 });
    expect(found.enough).toEqual({ attempts: 0, hashes: 0 });
  });

  it('gives every identity of the adversary its behaviours', async () => {
    const check = { protocol: 'cr-join', level: 'L3' } as const;
    const attack = attackOn({ check, goal: 'no-leader', behaviours: ['swallow'] });

    const found = await findCheapestAttack(attack, runner());

    // Each place on a ring is one to swallow messages.
    expect(found.enough.attempts).toBeCloseTo(16, 9);
    expect(found.cheapest?.outcome.request.byzantine).toEqual([
      { rank: 2, behaviours: ['swallow'] },
    ]);
  });

  it('gives a phantom to the behaviour that names one', () => {
    const attack = attackOn({ check: { protocol: 'cr-join' }, behaviours: ['phantom-id'] });

    const request = placedRequest(attack, { below: [0], attempts: 0, hashes: 0 });

    expect(request).toMatchObject({
      ...{ ring: [1, 2, 3, 4], phantoms: [4], level: 'L0' },
      byzantine: [{ rank: 1, behaviours: ['phantom-id'] }],
    });
  });

  it('has a counterexample as a file, which violates the property again', async () => {
    const attack = attackOn({ check: { protocol: 'bully-oneshot', timing: 'synchronous' } });
    const { cheapest } = await findCheapestAttack(attack, runner());
    if (cheapest === null) throw new TypeError('"cheapest" expected one');
    const { request, result } = cheapest.outcome;
    const { address } = result.trace;
    const example = { request, property: result.property.name, breach: result.breach, address };

    const text = savedText({ ...example, repeatsFrom: null });

    expect(repeat(loadCounterexample(JSON.parse(text)))).toMatchObject({
      doubt: null,
      breach: 'every live honest node follows node 3, which is Byzantine',
    });
  });
});

describe('a check that was capped', () => {
  const attack = attackOn({ check: { protocol: 'bully-oneshot', timing: 'synchronous' } });

  it('is never a proof: what it leaves open is between two bounds', async () => {
    const found = await findCheapestAttack(attack, runner(120));

    const outcomes = found.judged.map(({ outcome }) => outcome.type);
    expect(outcomes).toEqual(['exhausted', 'capped', 'reached', 'capped']);
    expect(found.least.attempts).toBeCloseTo(16, 9);
    expect(found.enough.attempts).toBe(64);
    expect(cheapestSentences(attack, found)).toEqual([
      expect.stringContaining('then 5 actions; 1 of 2 cheaper placements are not decided'),
      'an adversary that stops at the first placement that works spends between 32 hashes and 80 hashes on average',
      expect.stringMatching(/^not decided \(\d+ worlds were visited\): "[^"]+", "[^"]+"$/),
    ]);
  });

  it('says how much any success costs at least if nothing was reached', async () => {
    const found = await findCheapestAttack(attack, runner(2));

    const answer = cheapestAnswer(attack, found);

    expect(answer).toMatchObject({ result: 'unknown', cheapest: null, enough: null });
    expect(answer.sentences).toEqual([
      'leader: no placement was found that reaches this goal; 1 of 4 placements of at most one identity were exhausted, and the others are not decided',
      'an adversary that reaches it with at most one identity spends at least 32 hashes on average',
      'not decided (2 worlds were visited): "between honest 1 and 2", "above all honest", "below all honest"',
    ]);
  });

  it('leaves those after it open if the user stops', async () => {
    let checks = 0;
    const found = await findCheapestAttack(attack, (request) => {
      checks += 1;
      return checks > 1 ? Promise.resolve(null) : runner()(request);
    });

    const outcomes = found.judged.map(({ outcome }) => outcome.type);
    expect(outcomes).toEqual(['exhausted', 'exhausted', 'open', 'open']);
    const { result, sentences } = cheapestAnswer(attack, found);
    expect(result).toBe('unknown');
    expect(sentences.at(-1)).toMatch(/^not decided \(not checked, as the search was stopped\): "/);
  });
});
