/**
 * @module
 * This folder contains the bench of overlays: nodes whose routing tables are built, and messages of lookups, in a CPU
 * second. A study of 10 000 lookups over 1, 2, 4, 8 and 16 paths among 10 000 nodes is one call. The lookups of Kademlia, without
 * siblings and adversaries, can be measured beside another simulator.
 */

import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { drawKey } from '../../src/overlay/network.ts';
import type { Built, Cell } from '../../src/overlay/study.ts';
import { buildCell, measure } from '../../src/overlay/study.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import type { Suite } from '../measure.ts';
import { besideOf } from './beside.ts';

const PATHS = [1, 2, 4, 8, 16];
const SEED = parseSeed('1');

export function overlaySuite({
  size,
  beside,
}: {
  readonly size: number;
  readonly beside: string | undefined;
}): Suite {
  const many = cellOf(Math.round(100_000 * size), 1);
  const cells = PATHS.map((paths) => cellOf(Math.round(10_000 * size), paths));
  const [first = many] = cells;
  const built: Built = buildCell(first);
  const study = () => cells.map((cell) => measure(cell, built).messages);
  const messages = study().reduce((sum, count) => sum + count);
  const kademlia: Cell = {
    ...first,
    share: 0,
    tables: { ...first.tables, neighbours: first.tables.bucket },
    rules: { ...first.rules, siblings: 1, conduct: 'silent' },
  };
  const whole = buildCell(kademlia);
  return {
    subjects: [
      {
        name: `routing tables of ${many.ids.length} nodes, k = 16, 80 neighbours`,
        unit: 'nodes',
        unitsPerCall: many.ids.length,
        clock: 'cpu',
        call: () => buildCell(many),
        yardstick: null,
      },
      {
        name: `${first.lookups} lookups among ${first.ids.length} nodes for each of ${PATHS} paths, 20 % adversaries`,
        unit: 'messages',
        unitsPerCall: messages,
        clock: 'cpu',
        call: study,
        yardstick: null,
      },
      {
        name: `${first.lookups} lookups of Kademlia among ${first.ids.length} nodes, k = 16, α = 1`,
        unit: 'messages',
        unitsPerCall: measure(kademlia, whole).messages,
        clock: 'cpu',
        call: () => measure(kademlia, whole).messages,
        yardstick: beside === undefined ? null : besideOf(beside, whole, first.lookups),
      },
    ],
    rounds: 3,
    sliceMs: 2000,
    notes: [],
  };
}

function cellOf(nodes: number, paths: number): Cell {
  const random = createRandom(SEED, 'ids', nodes);
  return {
    ids: Array.from({ length: nodes }, () => drawKey(random)),
    share: 0.2,
    tables: { bucket: 16, bits: 1, neighbours: 80, poison: 1 },
    rules: { paths, parallel: 1, siblings: 16, conduct: 'invent' },
    timing: null,
    lookups: nodes,
    keys: 0,
    forging: { attempts: 0, kept: 0, policy: STRICT_POLICY },
    expectAt: [],
    seed: SEED,
  };
}
