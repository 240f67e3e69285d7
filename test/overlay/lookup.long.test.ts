/**
 * @module
 * Lookups against brute force: all routes of networks of at most 64 nodes.
 */

import { describe, expect, it } from 'vitest';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import type { Conduct } from '../../src/overlay/lookup.ts';
import { CONDUCTS, Lookups } from '../../src/overlay/lookup.ts';
import { drawKey, networkOf } from '../../src/overlay/network.ts';
import { measure } from '../../src/overlay/study.ts';
import { buildTables } from '../../src/overlay/tables.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import type { PlainNode } from './plain.ts';
import { answerOf, byDistance, knowsSiblings, plainId, plainNodes } from './plain.ts';

const SEED = parseSeed('11');

interface Question {
  readonly key: bigint;
  readonly count: number;
  readonly siblings: readonly number[];
  readonly initiator: number;
}

/** The nodes to which routes lead over honest nodes: each names the next one in its answer. */
function reachable(nodes: readonly PlainNode[], { initiator, ...question }: Question) {
  const reached = new Set([initiator]);
  for (const node of reached) {
    if (nodes[node]?.isHonest !== true) continue;
    for (const next of answerOf(nodes, node, question)) reached.add(next);
  }
  return reached;
}

/** Whether a route over honest nodes leads to one that knows all siblings. */
function hasRoute(nodes: readonly PlainNode[], question: Question): boolean {
  return [...reachable(nodes, question)].some(
    (node) => nodes[node]?.isHonest && knowsSiblings(nodes, node, question.siblings),
  );
}

/** Most routes over honest nodes that have no node in common but the initiator, found by trying all of them. */
function disjointRoutes(nodes: readonly PlainNode[], question: Question): number {
  const { initiator, siblings } = question;
  const taken = new Set([initiator]);
  const most = (starts: readonly number[]): number => {
    const [first, ...others] = starts;
    if (first === undefined) return 0;
    let best = most(others);
    const walk = (node: number): void => {
      if (best === starts.length || taken.has(node) || nodes[node]?.isHonest !== true) return;
      taken.add(node);
      if (knowsSiblings(nodes, node, siblings)) best = Math.max(best, 1 + most(others));
      else for (const next of answerOf(nodes, node, question)) walk(next);
      taken.delete(node);
    };
    walk(first);
    return best;
  };
  return most(answerOf(nodes, initiator, question));
}

/** Small networks with lookups of some keys from each honest node. */
function* smallLookups(paths: number, conduct: Conduct, sizes: readonly number[]) {
  for (const [index, size] of sizes.entries()) {
    const random = createRandom(SEED, 'small', size, index, paths);
    const ids = Array.from({ length: size }, () => drawKey(random));
    const bad = Math.floor((size * (index % 4)) / 5);
    const network = networkOf(ids.slice(bad), ids.slice(0, bad));
    const bucket = 1 + random.below(4);
    const siblings = 1 + random.below(3);
    const bits = 1 + random.below(2);
    const rules = { bucket, bits, neighbours: Math.max(bucket, 2 * siblings), poison: 1 };
    const tables = buildTables(network, rules, random);
    const nodes = plainNodes(network, tables);
    const lookups = new Lookups(network, tables, { paths, parallel: 1, siblings, conduct });
    for (let round = 0; round < 5; round += 1) {
      const key = drawKey(random);
      const plain = { key: plainId(key), count: bucket };
      const closest = byDistance(nodes, plain.key).slice(0, siblings);
      for (const [initiator, { isHonest }] of nodes.entries()) {
        if (!isHonest) continue;
        const question: Question = { ...plain, siblings: closest, initiator };
        yield { nodes, question, found: lookups.from(initiator, key, closest) };
      }
    }
  }
}

const SIZES = [2, 3, 5, 8, 12, 16, 24, 31, 32, 33, 48, 63, 64];

describe('a lookup in a network of at most 64 nodes', () => {
  it.each(['silent', 'collude'] as const)(
    'over one path succeeds exactly if an honest route exists, if adversaries are %s',
    (conduct) => {
      const outcomes = new Set<boolean>();
      for (const { nodes, question, found } of smallLookups(1, conduct, SIZES)) {
        const isFound = found.lengths.length > 0;
        outcomes.add(isFound);

        expect(isFound).toBe(hasRoute(nodes, question));
      }
      expect(outcomes).toEqual(new Set([true, false]));
    },
  );

  it('over one path is lost at the first adversary that it asks, if answers are not signed', () => {
    for (const { nodes, question, found } of smallLookups(1, 'invent', SIZES)) {
      expect(found.lengths[0] ?? null).toBe(greedySteps(nodes, question));
    }
  });

  it.each(CONDUCTS)(
    'has no more paths than disjoint honest routes, if adversaries %s',
    (conduct) => {
      for (const { nodes, question, found } of smallLookups(3, conduct, SIZES.slice(0, 8))) {
        if (found.lengths[0] === 0) continue;
        expect(found.lengths.length).toBeLessThanOrEqual(disjointRoutes(nodes, question));
      }
    },
  );
});

/** Steps of a path that remembers so many nodes. Each adversary names as many further colluders as an answer has. */
function colludedSteps(nodes: readonly PlainNode[], question: Question, most: number) {
  const { initiator, siblings, key, count } = question;
  if (knowsSiblings(nodes, initiator, siblings)) return 0;
  const order = byDistance(nodes, key);
  const colluders = order.filter((node) => nodes[node]?.isHonest === false);
  const asked = new Set([initiator]);
  let known = new Set(answerOf(nodes, initiator, question));
  for (let steps = 1; ; steps += 1) {
    const next = order.find((node) => known.has(node) && !asked.has(node));
    if (next === undefined) return null;
    const isHonest = nodes[next]?.isHonest === true;
    if (isHonest && knowsSiblings(nodes, next, siblings)) return steps;
    asked.add(next);
    const named = isHonest ? answerOf(nodes, next, question) : colluders.splice(0, count);
    const all = new Set([...known, ...named]);
    known = new Set(order.filter((node) => all.has(node)).slice(0, most));
  }
}

describe('a lookup among colluders', () => {
  it('over one path is lost if they push the honest nodes out of its list', () => {
    const outcomes = new Set<string>();
    const random = createRandom(SEED, 'colluders');
    const ids = Array.from({ length: 1500 }, () => drawKey(random));
    const network = networkOf(ids.slice(900), ids.slice(0, 900));
    const tables = buildTables(network, { bucket: 16, bits: 1, neighbours: 16, poison: 1 }, random);
    const nodes = plainNodes(network, tables);
    const rules = { paths: 1, parallel: 1, siblings: 4, conduct: 'collude' } as const;
    const lookups = new Lookups(network, tables, rules);
    const honest = [...nodes.keys()].filter((node) => nodes[node]?.isHonest);
    for (const initiator of honest.slice(0, 40)) {
      const key = drawKey(random);
      const siblings = byDistance(nodes, plainId(key)).slice(0, 4);
      const question: Question = { key: plainId(key), count: 16, siblings, initiator };
      const steps = colludedSteps(nodes, question, 64);

      expect(lookups.from(initiator, key, siblings).lengths[0] ?? null).toBe(steps);
      const isPushedOut = steps === null && hasRoute(nodes, question);
      outcomes.add(isPushedOut ? 'pushed out' : steps === null ? 'no route' : 'found');
    }
    expect(outcomes).toContain('found');
    expect(outcomes).toContain('pushed out');
  });
});

/** Steps until the closest node that is known and not yet asked knows all siblings. Null if it is an adversary before. */
function greedySteps(nodes: readonly PlainNode[], question: Question): number | null {
  const { initiator, siblings, key } = question;
  if (knowsSiblings(nodes, initiator, siblings)) return 0;
  const asked = new Set([initiator]);
  const known = new Set(answerOf(nodes, initiator, question));
  for (let steps = 1; ; steps += 1) {
    const next = byDistance(nodes, key).find((node) => known.has(node) && !asked.has(node));
    if (next === undefined || nodes[next]?.isHonest !== true) return null;
    if (knowsSiblings(nodes, next, siblings)) return steps;
    asked.add(next);
    for (const node of answerOf(nodes, next, question)) known.add(node);
  }
}

describe('the steps of a path', () => {
  /** Mean of the greatest of k draws with P(draw > i) = 2^-i: the bits that a step gains. */
  const bitsOfStep = (k: number) =>
    Array.from({ length: 60 }, (_, i) => 1 - (1 - 2 ** -i) ** k).reduce((sum, odds) => sum + odds);

  it.each([1, 4, 16])('grow by 1/μ for each doubling of the network, k = %i', (bucket) => {
    const stepsOf = (nodes: number) => {
      const random = createRandom(SEED, 'grown', nodes);
      const { lengths, lookups } = measure(
        {
          ids: Array.from({ length: nodes }, () => drawKey(random)),
          share: 0,
          tables: { bucket, bits: 1, neighbours: bucket, poison: 1 },
          rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'silent' },
          timing: null,
          lookups: 3000,
          keys: 0,
          forging: { attempts: 0, kept: 0, policy: STRICT_POLICY },
          expectAt: [],
          seed: SEED,
        },
        null,
      );
      return lengths.reduce((sum, paths, steps) => sum + paths * steps, 0) / lookups;
    };

    const slope = (stepsOf(2 ** 14) - stepsOf(2 ** 9)) / 5;

    expect(slope * bitsOfStep(bucket)).toBeGreaterThan(0.9);
    expect(slope * bitsOfStep(bucket)).toBeLessThan(1.1);
  });
});
