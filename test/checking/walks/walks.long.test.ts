/**
 * @module
 * Checks by random walks: what they find was seen by a search of all worlds, too; a walk depends on the seed and its
 * index alone; shortened lists of actions need each of their actions; and no result is worded as a proof.
 */

import { describe, expect, it } from 'vitest';

import type { CheckOptions, CheckResult } from '../../../src/checking/check.ts';
import { check, shortened } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import {
  AGREEMENT,
  LEADER_ELECTED,
  ONE_LEADER,
} from '../../../src/checking/properties/followers.ts';
import { CHECKED_PROPERTIES } from '../../../src/checking/properties/registry.ts';
import type { WorldView } from '../../../src/checking/property.ts';
import { traceOf } from '../../../src/checking/traces/trace.ts';
import type { Walkers } from '../../../src/checking/walks/batches.ts';
import { RandomWalks } from '../../../src/checking/walks/random-walks.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import { parseSeed } from '../../../src/random.ts';
import { createWalkers } from '../../../src/runtime/threads/walk-crew.ts';
import { IS_WHOLE } from '../../sample.ts';
import { drawRequest } from '../drawn.ts';
import { instanceOf } from '../small-instances.ts';

const PLAN = { count: 60, depth: 60, seed: parseSeed('7') };
const STATES_MAX = 4000;
const DRAWN = 240;
const NAMES = CHECKED_PROPERTIES.filter(({ name }) => name !== 'fenced-writes').map(
  ({ name }) => name,
);

function ended(options: CheckOptions): CheckResult {
  const steps = check(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function optionsOf(request: CheckRequest): CheckOptions {
  return searchOptionsOf(request, { statesMax: STATES_MAX, bytesMax: 2 ** 30 });
}

/** An instance of Bully in which one leader and agreement fail under asynchronous timing. */
const BULLY: CheckOptions = {
  instance: instanceOf('bully-oneshot', 4, { bounds: { crash: 1 } }),
  properties: [ONE_LEADER, AGREEMENT],
  ...{ byzantine: new Set<number>(), order: 'breadth', isReduced: false },
  ...{ statesMax: STATES_MAX, bytesMax: 2 ** 30 },
};

describe('random walks', () => {
  it('find only violations and worlds that the search of all worlds finds', () => {
    let [violations, clean] = [0, 0];
    for (let index = 0; index < DRAWN; index += 1) {
      const drawn = drawRequest(index);
      const name = NAMES[index % NAMES.length] ?? '';
      const options = optionsOf({ ...drawn, properties: [name] });
      const searched = ended(options);
      if (searched.type === 'capped') continue;

      const walked = ended({ ...options, walks: PLAN });

      const text = JSON.stringify({ ...drawn, name });
      expect(walked.type, text).not.toBe('exhausted');
      expect(searched.witnessed, text).toEqual(expect.arrayContaining([...walked.witnessed]));
      if (walked.type === 'violated') {
        violations += 1;
        expect(searched, text).toMatchObject({ type: 'violated' });
        expect(walked.trace.actions.length).toBeLessThanOrEqual(PLAN.depth * 4);
      } else clean += 1;
    }
    expect(violations).toBeGreaterThan(10);
    expect(clean).toBeGreaterThan(10);
  });

  it('reach the kinds of events that a search reaches', () => {
    for (const protocol of ['cr-join', 'bully-oneshot', 'raft'] as const) {
      const properties = CHECKED_PROPERTIES.filter(({ kind }) => kind === 'sometimes');
      const instance = instanceOf(protocol, 2, { bounds: { crash: 1, recover: 1, timeout: 3 } });
      const options: CheckOptions = { ...BULLY, instance, properties, statesMax: 100_000 };

      const walked = ended({ ...options, walks: { ...PLAN, count: 1000 } });

      expect(walked.coverage.events).toEqual(ended(options).coverage.events);
    }
  });

  it('depend on the seed and the index alone, not on what was numbered before', () => {
    const addressOf = (walks: RandomWalks, index: number) => {
      const found = walks.walk(index);
      return found === null ? null : traceOf(walks.worlds, found.path).address;
    };
    const indexes = Array.from({ length: 40 }, (_, index) => index);
    const upward = new RandomWalks(BULLY, PLAN);
    const downward = new RandomWalks(BULLY, PLAN);
    const forgetful = new RandomWalks(BULLY, PLAN, 50);

    const up = indexes.map((index) => addressOf(upward, index));
    const down = indexes.toReversed().map((index) => addressOf(downward, index));

    expect(down.toReversed()).toEqual(up);
    expect(indexes.map((index) => addressOf(forgetful, index))).toEqual(up);
    expect(forgetful.coverage()).toEqual(upward.coverage());
    expect(up.some((address) => address !== null)).toBe(true);
    const other = new RandomWalks(BULLY, { ...PLAN, seed: parseSeed('8') });
    expect(indexes.map((index) => addressOf(other, index))).not.toEqual(up);
  });

  it('shorten a violation until no action can be removed', () => {
    const walks = new RandomWalks(BULLY, PLAN);
    for (let index = 0; index < 40; index += 1) {
      const found = walks.walk(index);
      if (found === null) continue;
      const own = new RandomWalks(BULLY, PLAN);
      const again = own.walk(index);
      if (again === null) throw new Error('the walk is another one');

      const { path, property } = shortened(own, again);

      expect(property).toBe(found.property);
      expect(path.length).toBeLessThanOrEqual(found.path.length);
      for (const removed of path.keys()) {
        const rest = own.follow(path.filter((_, at) => at !== removed));
        expect(rest === null || rest.path.length >= path.length).toBe(true);
      }
    }
  });

  it('find an execution that ends without what must happen', () => {
    const instance = instanceOf('cr-join', 3, { bounds: { loss: 1 } });

    const result = ended({ ...BULLY, instance, properties: [LEADER_ELECTED], walks: PLAN });

    expect(result).toMatchObject({ type: 'violated', cycleFrom: null, isExhausted: false });
  });

  it.each([
    [undefined, 'capped'],
    [true, 'violated'],
  ] as const)('find an end without what was there before, if it must recur: %s', (recurs, type) => {
    // It holds in the first world, and not at the end.
    const holds = ({ nodes }: WorldView) => nodes[0]?.leader === null;
    const property = { ...LEADER_ELECTED, holds, ...(recurs && { recurs }) };
    const instance = instanceOf('cr-join', 1);

    const result = ended({ ...BULLY, instance, properties: [property], walks: PLAN });

    expect(result.type).toBe(type);
  });
});

describe('random walks with threads', () => {
  const PROTOCOL = { protocol: 'bully-oneshot', ring: [1, 2, 3], bounds: { crash: 1, loss: 1 } };

  it.each([
    // The first violation is one of a later batch.
    [{ protocol: 'bully-oneshot', properties: ['one-leader'] }, 'violated'],
    [{ protocol: 'bully-oneshot', properties: ['someone-leads', 'comes-to-rest'] }, 'capped'],
    [{ protocol: 'zk-recipe', properties: ['someone-leads'] }, 'capped'],
  ] as const)('have the totals of one thread: %j', async (given, type) => {
    const walks = { count: IS_WHOLE ? 900 : 250, depth: 100, seed: '2' };
    const asked = { ...PROTOCOL, ...given, walks, timing: 'synchronous' };
    // The tuples of the table are read-only, which requests are not.
    const request = requestOf(asked as unknown as Check);

    const alone = ended(optionsOf(request));

    expect(alone.type).toBe(type);
    // A batch is 100 walks.
    expect(alone.walks?.count).toBeGreaterThan(100);
    for (const threads of [2, 3]) {
      const { walkers, close } = createWalkers(request, request.walks ?? PLAN, threads, 0);
      const shared = ended({ ...optionsOf(request), walkers: walkers && idleAfterOne(walkers) });
      await close();
      expect(dataOf(shared)).toEqual(dataOf(alone));
    }
  });

  /** Leaves all batches but the first to the other threads. */
  function idleAfterOne(walkers: Walkers): Walkers {
    let taken = 0;
    return {
      ...walkers,
      next() {
        taken += 1;
        return taken === 1 ? walkers.next() : Number.POSITIVE_INFINITY;
      },
    };
  }

  function dataOf(result: CheckResult) {
    return JSON.parse(JSON.stringify(result));
  }
});
