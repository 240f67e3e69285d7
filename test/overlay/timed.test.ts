/**
 * @module
 * Lookups whose messages take time: against the synchronous model, against a plain event loop that shares no code with
 * src/overlay, and against the law of nodes that have left.
 */

import { describe, expect, it } from 'vitest';
import { exactInterval } from '../../src/experiment/theory/statistics.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import type { Lookup, OverlayLinks } from '../../src/overlay/lookup.ts';
import { CONDUCTS, Lookups } from '../../src/overlay/lookup.ts';
import { drawKey, networkOf } from '../../src/overlay/network.ts';
import type { Cell } from '../../src/overlay/study.ts';
import { measure } from '../../src/overlay/study.ts';
import { buildTables } from '../../src/overlay/tables.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import type { PlainNode } from './plain.ts';
import { answerOf, byDistance, knowsSiblings, plainId, plainNodes } from './plain.ts';

const SEED = parseSeed('23');

/** A network of 40 nodes with 8 adversaries. */
function smallNetwork(index: number) {
  const random = createRandom(SEED, 'timed', index);
  const ids = Array.from({ length: 40 }, () => drawKey(random));
  const network = networkOf(ids.slice(8), ids.slice(0, 8));
  const tables = buildTables(network, { bucket: 3, bits: 1, neighbours: 4, poison: 1 }, random);
  return { network, tables, nodes: plainNodes(network, tables), random };
}

/** Links that draw from a seed, so that two loops that send in the same order draw the same. */
function links(seed: number, loss: number, hasLeft: Uint8Array, timeoutTicks: number) {
  const random = createRandom(SEED, 'links', seed);
  return {
    delay: () => 1 + random.below(9),
    isLost: () => random.unit() < loss,
    ...{ hasLeft, timeoutTicks },
  } satisfies OverlayLinks;
}

interface PlainLookup {
  readonly nodes: readonly PlainNode[];
  readonly key: bigint;
  readonly initiator: number;
  readonly siblings: readonly number[];
  readonly paths: number;
  readonly parallel: number;
  readonly isSilent: boolean;
  readonly links: OverlayLinks;
}

/** A lookup in an event loop over lists without order, in which each path has a set of known nodes. */
function plainLookup(given: PlainLookup): Lookup {
  const { nodes, key, initiator, siblings, paths, parallel, isSilent, links: network } = given;
  if (knowsSiblings(nodes, initiator, siblings)) {
    return { lengths: [0], messages: 0, ticks: 0, timeouts: 0 };
  }
  const order = byDistance(nodes, key);
  const colluders = order.filter((node) => nodes[node]?.isHonest === false);
  const asked = new Set([initiator]);
  const known = Array.from({ length: paths }, () => new Set<number>());
  const begun = answerOf(nodes, initiator, { key, count: 3 });
  for (const [index, node] of begun.entries()) known[index % paths]?.add(node);
  const state = known.map(() => ({ asked: 0, named: 0, isOver: false }));
  let open: { path: number; node: number; at: number; answered: boolean }[] = [];
  let [messages, timeouts] = [0, 0];
  const lengths: number[] = [];
  let ticks: number | null = null;
  const fill = (path: number, now: number) => {
    while (open.filter((each) => each.path === path).length < parallel) {
      const node = order.find((each) => known[path]?.has(each) && !asked.has(each));
      if (node === undefined) return;
      asked.add(node);
      const there = network.delay();
      const isLost = network.isLost();
      const answers = !(isSilent && nodes[node]?.isHonest === false);
      messages += 1;
      const mine = state[path];
      if (mine !== undefined) mine.asked += 1;
      let way = Number.POSITIVE_INFINITY;
      if (!isLost && answers && network.hasLeft[node] === 0) {
        messages += 1;
        const back = network.delay();
        if (!network.isLost()) way = there + back;
      }
      const answered = way <= network.timeoutTicks;
      open.push({ path, node, at: now + (answered ? way : network.timeoutTicks), answered });
    }
  };
  for (let path = 0; path < paths; path += 1) fill(path, 0);
  while (open.length > 0) {
    const at = Math.min(...open.map((each) => each.at));
    const next = open.find((each) => each.at === at);
    if (next === undefined) break;
    open = open.filter((each) => each !== next);
    const mine = state[next.path];
    if (mine === undefined || mine.isOver) continue;
    if (!next.answered) timeouts += 1;
    else if (nodes[next.node]?.isHonest === false) {
      for (const each of colluders.slice(mine.named, mine.named + 3)) known[next.path]?.add(each);
      mine.named += Math.min(3, colluders.length - mine.named);
    } else if (knowsSiblings(nodes, next.node, siblings)) {
      mine.isOver = true;
      lengths.push(Math.ceil(mine.asked / parallel));
      ticks ??= at;
    } else {
      for (const each of answerOf(nodes, next.node, { key, count: 3 })) known[next.path]?.add(each);
    }
    if (!mine.isOver) fill(next.path, at);
  }
  return { lengths, messages, ticks, timeouts };
}

describe('a lookup whose messages take time', () => {
  it.each(CONDUCTS)('of 5 ticks each is the synchronous one, if adversaries %s', (conduct) => {
    for (let index = 0; index < 12; index += 1) {
      const { network, tables, random } = smallNetwork(index);
      const rules = { paths: 1 + (index % 3), parallel: 1, siblings: 2, conduct };
      const still = { delay: () => 5, isLost: () => false, hasLeft: new Uint8Array(40) };
      const timed = new Lookups(network, tables, rules, { ...still, timeoutTicks: 10 });
      const plain = new Lookups(network, tables, rules);
      const key = drawKey(random);
      const siblings = byDistance(plainNodes(network, tables), plainId(key)).slice(0, 2);
      for (let node = 0; node < network.size; node += 1) {
        if (network.isAdversary[node] === 1) continue;
        const { ticks, lengths, messages } = timed.from(node, key, siblings);
        const expected = plain.from(node, key, siblings);

        expect({ lengths, messages }).toEqual({
          lengths: expected.lengths,
          messages: expected.messages,
        });
        expect(ticks).toBe(lengths.length === 0 ? null : 10 * Math.min(...lengths));
      }
    }
  });

  it.each([
    ['silent', 1, 1],
    ['silent', 3, 2],
    ['collude', 2, 3],
    ['collude', 1, 1],
  ] as const)(
    'is that of a plain loop, if adversaries %s: %i paths, α = %i',
    (conduct, paths, parallel) => {
      const seen = { lost: 0, found: 0, timeouts: 0 };
      for (let index = 0; index < 12; index += 1) {
        const { network, tables, nodes, random } = smallNetwork(index);
        const hasLeft = Uint8Array.from({ length: 40 }, () => Number(random.below(4) === 0));
        const key = drawKey(random);
        const siblings = byDistance(nodes, plainId(key))
          .filter((node) => hasLeft[node] === 0)
          .slice(0, 2);
        for (let node = 0; node < network.size; node += 1) {
          if (network.isAdversary[node] === 1 || hasLeft[node] === 1) continue;
          const drawn = () => links(40 * index + node, 0.2, hasLeft, 14);
          const rules = { paths, parallel, siblings: 2, conduct };
          const found = new Lookups(network, tables, rules, drawn()).from(node, key, siblings);

          expect(found).toEqual(
            plainLookup({
              ...{ nodes, key: plainId(key), initiator: node, siblings, paths, parallel },
              ...{ isSilent: conduct === 'silent', links: drawn() },
            }),
          );
          if (found.ticks === null) seen.lost += 1;
          else seen.found += 1;
          seen.timeouts += found.timeouts;
        }
      }
      expect(Math.min(seen.lost, seen.found, seen.timeouts)).toBeGreaterThan(10);
    },
  );
});

describe('many lookups whose messages take time', () => {
  const random = createRandom(SEED, 'ids');
  const cell: Cell = {
    ids: Array.from({ length: 400 }, () => drawKey(random)),
    share: 0,
    tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
    rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'silent' },
    timing: null,
    ...{ lookups: 2000, keys: 0, forging: { attempts: 0, kept: 0, policy: STRICT_POLICY } },
    ...{ expectAt: [], seed: SEED },
  };
  const timed = (loss: number, left: number) =>
    measure({ ...cell, timing: { delayBy: () => () => 3, loss, left, timeoutTicks: 60 } }, null);

  it('take two messages a step, if all nodes answer', () => {
    const { ticks, lengths, timeouts, successes } = timed(0, 0);

    expect(timeouts).toBe(0);
    expect(ticks).toHaveLength(successes);
    expect(ticks.reduce((sum, each) => sum + each, 0)).toBe(
      6 * lengths.reduce((sum, count, steps) => sum + count * steps, 0),
    );
  });

  it('ask nodes in vain as often as messages are lost', () => {
    const { messages, timeouts } = timed(0.1, 0);
    // A question is answered unless it or its answer is lost, and sends 1 + 0.9 messages on average.
    const questions = messages / 1.9;
    const [low, high] = exactInterval({
      ...{ wins: timeouts, runs: Math.round(questions), confidence: 0.999 },
    });

    expect(low).toBeLessThan(0.19);
    expect(high).toBeGreaterThan(0.19);
  });

  it('look for the nodes that are still there, and ask the others in vain', () => {
    const { successes, timeouts, messages } = timed(0, 0.3);

    expect(successes).toBeGreaterThan(1900);
    expect(timeouts / (messages - timeouts)).toBeGreaterThan(0.1);
  });
});
