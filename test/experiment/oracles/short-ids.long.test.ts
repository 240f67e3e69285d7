/**
 * @module
 * Short IDs, which several keys share. The IDs that satisfy the puzzle are counted here with another library, the
 * highest rank has an oracle that goes through these IDs from the top, and the other properties one that draws each
 * key. Mined runs are the third witness.
 */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { DRAWN_DOCUMENTS } from '../../sample.ts';
import { STILL } from '../models.ts';
import { refusedBy } from '../reading/refusals.ts';
import type { Count } from './frequency.ts';
import { expectCounts } from './frequency.ts';
import type { Draw, Who } from './instances.ts';
import { documentOf, drawer, sidesOf, WHO } from './instances.ts';
import type { Instance, Order } from './orders.ts';
import { chanceOf, HONEST } from './orders.ts';

const RUNS = Number(process.env.ORACLE_RUNS ?? 20);
const IDS = 2 ** 16;

const ZEROS = Array.from({ length: IDS }, (_, id) => {
  const bytes = Buffer.from([id >> 8, id & 255]);
  return Math.clz32(createHash('sha256').update(bytes).digest().readUInt32BE());
});
/** The number of IDs of 16 bits whose SHA-256 begins with this number of zeros. */
const VALID = Array.from({ length: 14 }, (_, c1) => ZEROS.filter((zeros) => zeros >= c1).length);

interface Drawn extends Pick<Instance, 'honest' | 'c1' | 'sides'> {
  readonly attempts: readonly number[];
  readonly by: Who;
}

/** A network in which about as many keys are valid as there are nodes, among 8 to 120 IDs. */
function drawn(draw: Draw, by: Who, bits = 4): Drawn {
  const c1 = 9 + draw(bits);
  const honest = 1 + draw(5);
  const number = by === 'together' ? 1 + draw(3) : 2 + draw(2);
  const attempts = Array.from({ length: number }, () => draw(5) * 2 ** c1);
  return { honest, c1, attempts, by, sides: sidesOf(by, number) };
}

function modelOf(
  { honest, c1, attempts, by }: Drawn,
  response: object,
  {
    defences = [],
    kind = 'attempts',
    ...expected
  }: {
    readonly property: string;
    readonly count?: number;
    readonly defences?: readonly string[];
    readonly kind?: 'attempts' | 'hashes';
  },
) {
  return documentOf({
    network: {
      honest,
      identity: { c1, idBits: 16 },
      election: { protocols: ['cr-join'], defences },
    },
    adversaries: attempts.map((each) => ({
      budget: { [kind]: each },
      behaviours: [],
      ...response,
    })),
    expect: { by, ...expected },
  });
}

/** From the highest ID down: the first one that is taken decides, and an honest node is never overtaken there. */
function leadingOf({ honest, c1, attempts, sides }: Drawn): number {
  const valid = VALID[c1] ?? 0;
  const judged = sides.flat();
  let [free, sum] = [1, 0];
  for (let above = 0; above < valid; above += 1) {
    const left = valid - above;
    if (left < honest) break;
    // No honest node has this ID, and no adversary had a higher one.
    free *= 1 - honest / left;
    let unowned = free;
    for (const [index, each] of attempts.entries()) {
      const has = 1 - (1 - 1 / (IDS - above)) ** each;
      if (judged.includes(index)) sum += unowned * has;
      unowned *= 1 - has;
    }
    free = unowned;
  }
  return sum;
}

describe('the highest rank among short IDs', () => {
  it.each(
    ['after', 'before'].flatMap((registers) =>
      ['top', 'all'].flatMap((goal) => WHO.map((by) => [goal, registers, by] as const)),
    ),
  )('with the goal %s, registered %s, judged by %s', (goal, registers, by) => {
    const draw = drawer(goal.length + 7 * registers.length + 49 * by.length);
    const counts: Count[] = [];
    for (let index = 0; index < DRAWN_DOCUMENTS; index += 1) {
      const instance = drawn(draw, by);
      const model = modelOf(instance, { goal, registers }, { property: 'adversary-leads' });
      const exact = leadingOf(instance);
      expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(exact, 9);
      const { wins } = executeRuns(
        model,
        parseSeed(String(index)),
        { from: 0, count: RUNS },
        STILL,
      );
      counts.push({ runs: RUNS, wins: wins[0] ?? 0, exact });
    }
    expectCounts(counts);
  });
});

/** The ranks of one network, drawn key by key. */
function orderOf(draw: Draw, { honest, c1, attempts }: Drawn, most: number): Order {
  const valid = VALID[c1] ?? 0;
  const nodes = new Map<number, number>();
  while (nodes.size < honest) nodes.set(draw(valid), HONEST);
  for (const [index, each] of attempts.entries()) {
    const own = new Set<number>();
    for (let key = 0; key < each; key += 1) {
      const id = draw(IDS);
      if (id < valid && own.size < most) own.add(id);
    }
    for (const id of own) if (!nodes.has(id)) nodes.set(id, index);
  }
  return [...nodes].sort(([left], [right]) => right - left).map(([, owner]) => owner);
}

function shuffled(draw: Draw, order: Order): Order {
  const left = [...order];
  return order.map(() => left.splice(draw(left.length), 1)[0] ?? HONEST);
}

describe.each([
  ['adversary-leads', 1, []],
  ['adversary-leads', 1, ['beacon-rank']],
  ['top-captured', 2, []],
  ['successors-captured', 2, []],
  ['majority-captured', 1, []],
  ['majority-denied', 1, []],
] as const)('%s of %d among short IDs, with the defences %s,', (property, count, defences) => {
  it.each([
    ['any', 1],
    ['count:2', 2],
    ['all', Number.POSITIVE_INFINITY],
  ])('with the goal %s is as frequent as in networks drawn key by key', (goal, most) => {
    const draw = drawer(property.length + 31 * goal.length);
    let [excess, variance] = [0, 0];
    for (let index = 0; index < DRAWN_DOCUMENTS; index += 1) {
      const by = WHO[index % WHO.length] ?? 'any';
      // Each key is drawn below, so that more bits take long.
      const some = drawn(draw, by, 2);
      // A document of which nothing is forged does not name a beacon.
      const attempts = some.attempts.map((each) => Math.max(each, defences.length));
      const instance = { ...some, attempts };
      const expected = { property, count, defences };
      const model = modelOf(instance, { goal, registers: 'after' }, expected);
      const isKnown = property === 'adversary-leads' && goal === 'all' && defences.length === 0;
      const { probability } = theoryOf(model, EMPTY_TALLY, null);
      if (!isKnown) expect(probability ?? 0).toBe(0);
      const seed = parseSeed(String(index));
      const { wins } = executeRuns(model, seed, { from: 0, count: RUNS }, STILL);
      let drawnWins = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const byId = orderOf(draw, instance, most);
        // A beacon draws the ranks of those that were admitted.
        const order = defences.length === 0 ? byId : shuffled(draw, byId);
        drawnWins += chanceOf({ ...instance, adversaries: [], property, count }, order);
      }
      const share = ((wins[0] ?? 0) + drawnWins) / (2 * RUNS);
      excess += (wins[0] ?? 0) - drawnWins;
      variance += 2 * RUNS * share * (1 - share);
    }
    expect(Math.abs(excess)).toBeLessThanOrEqual(4.5 * Math.sqrt(variance));
  });
});

/** Whether adversaries capture ranks in one network if they test only the IDs that these depend on, and none twice. */
function isCaptured(
  draw: Draw,
  { honest, c1, attempts: budgets, sides }: Drawn,
  { isTop, count }: { readonly isTop: boolean; readonly count: number },
): boolean {
  const isValid = (id: number) => (ZEROS[id] ?? 0) >= c1;
  const owners = new Map<number, number>();
  while (owners.size < honest) {
    const id = draw(IDS);
    if (isValid(id)) owners.set(id, HONEST);
  }
  const ids = [...owners.keys()];
  // The distances of IDs from the victim, or from the lowest of all IDs down if the highest ranks are wanted.
  const [victim = 0] = ids;
  const distanceOf = (id: number) => (isTop ? IDS - id : (id - victim + IDS) % IDS);
  const distances = ids.map(distanceOf).filter((each) => each > 0);
  const end = Math.min(...distances, IDS);
  for (const [index, budget] of budgets.entries()) {
    const known = new Set<number>();
    for (let left = budget; left >= 2; left -= 1) {
      const id = draw(IDS);
      if (distanceOf(id) === 0 || distanceOf(id) >= end || known.has(id)) continue;
      known.add(id);
      left -= 1;
      if (isValid(id) && !owners.has(id)) owners.set(id, index);
    }
  }
  const order = [...owners.keys()]
    .filter((id) => distanceOf(id) > 0)
    .sort((one, other) => distanceOf(one) - distanceOf(other))
    .map((id) => owners.get(id) ?? HONEST)
    .slice(0, count);
  return sides.some((side) => order.length === count && order.every((each) => side.includes(each)));
}

describe.each([
  ['top-captured', 2],
  ['successors-captured', 2],
] as const)('%s of %d among short IDs within hashes', (property, count) => {
  it.each(['sampled', 'mined'] as const)('is as frequent if they are %s', (work) => {
    const draw = drawer(property.length);
    const [instances, runs] = work === 'mined' ? [9, 4] : [DRAWN_DOCUMENTS, RUNS];
    let [excess, variance] = [0, 0];
    for (let index = 0; index < instances; index += 1) {
      const some = drawn(draw, WHO[index % WHO.length] ?? 'any', 2);
      const instance = { ...some, attempts: some.attempts.map((each) => each + 500) };
      const model = modelOf(instance, {}, { property, count, kind: 'hashes' });
      const order = { from: 0, count: runs };
      const { wins } = executeRuns({ ...model, work }, parseSeed(String(index)), order, STILL);
      const aim = { isTop: property === 'top-captured', count };
      let captured = 0;
      for (let run = 0; run < runs; run += 1) captured += isCaptured(draw, instance, aim) ? 1 : 0;
      const share = ((wins[0] ?? 0) + captured) / (2 * runs);
      excess += (wins[0] ?? 0) - captured;
      variance += 2 * runs * share * (1 - share);
    }
    expect(Math.abs(excess)).toBeLessThanOrEqual(4.5 * Math.sqrt(variance));
  });
});

describe('3000 nodes with IDs of 16 bits', () => {
  it('lead against 100 000 attempts as often as the oracle says, with the share of ties', () => {
    const instance = {
      honest: 3000,
      c1: 0,
      attempts: [100_000],
      by: 'together',
      sides: [[0]],
    } as const;
    const model = modelOf(instance, {}, { property: 'adversary-leads' });

    const { probability, formula } = theoryOf(model, EMPTY_TALLY, null);

    // 97.1 % without ties.
    expect(probability).toBeCloseTo(0.94224, 5);
    expect(probability).toBeCloseTo(leadingOf(instance), 9);
    expect(formula).toContain('4.52 % tie with it and are refused');
  });

  it('are refused where fewer than twice as many IDs are left', () => {
    const instance = { honest: 3000, c1: 4, attempts: [1], by: 'together', sides: [[0]] } as const;

    const refusal = refusedBy(() => modelOf(instance, {}, { property: 'adversary-leads' }));

    expect(refusal.message).toContain(`network.identity.idBits leaves ${VALID[4]} node IDs`);
  });
});

describe('mined runs', () => {
  it.each([
    ['top', 'before'],
    ['all', 'after'],
  ])('with the goal %s, registered %s, agree that the ID of a tie is taken', (goal, registers) => {
    const instance = {
      honest: 14,
      c1: 11,
      attempts: [100 * 2 ** 11],
      by: 'together',
      sides: [[0]],
    } as const;
    const sampled = modelOf(instance, { goal, registers }, { property: 'adversary-leads' });
    const exact = leadingOf(instance);
    const runs = 28;

    const { wins } = executeRuns(
      { ...sampled, work: 'mined' },
      parseSeed('1'),
      { from: 0, count: runs },
      STILL,
    );

    // 0.96 if an adversary had the ID of a tie, and every run would be won with probability 0.4.
    expect(exact).toBeLessThan(0.55);
    expectCounts([{ runs, wins: wins[0] ?? 0, exact }]);
  });
});
