/**
 * @module
 * The scripted oracle: each class has its completeness and accuracy, the broken ones lack exactly
 * theirs, and where a class promises less than the next, it also keeps less.
 */

import { describe, expect, it } from 'vitest';

import type { OracleClass } from '../../../src/election/detectors/fd-oracle.ts';
import { ORACLE_CLASSES } from '../../../src/election/detectors/fd-oracle.ts';
import { parseSeed } from '../../../src/random.ts';
import type { DeliveredReport } from '../../../src/simulation/detection/detection.ts';
import { createOracleDetector } from '../../../src/simulation/detection/oracle-detector.ts';

const NODES = 6;
const TICKS = 7;
const STABLE_AT = 200;
const END = 1000;
const EVERY = 10;
const SEEDS = Array.from({ length: 20 }, (_, index) => String(index));

interface Properties {
  /** Every node that stays down is suspected by every live one in the end. */
  readonly complete: boolean;
  /** No node is suspected while up: always; from STABLE_AT on. */
  readonly strong: boolean;
  readonly eventuallyStrong: boolean;
  /** Some correct node is suspected by no node: always; from STABLE_AT on. */
  readonly weak: boolean;
  readonly eventuallyWeak: boolean;
}

const NONE = { strong: false, eventuallyStrong: false, weak: false, eventuallyWeak: false };
const ALL = { strong: true, eventuallyStrong: true, weak: true, eventuallyWeak: true };
const EXPECTED: Readonly<Record<OracleClass, Properties>> = {
  P: { complete: true, ...ALL },
  'eventually-P': { complete: true, ...NONE, eventuallyStrong: true, eventuallyWeak: true },
  S: { complete: true, ...NONE, weak: true, eventuallyWeak: true },
  'eventually-S': { complete: true, ...NONE, eventuallyWeak: true },
  incomplete: { complete: false, ...ALL },
  inaccurate: { complete: true, ...NONE },
};

describe.each(ORACLE_CLASSES)('the oracle of class %s', (name) => {
  it.each(SEEDS)('has the properties of its class and no others (seed %s)', (seed) => {
    expect(propertiesOf(play(name, { seed }))).toEqual(EXPECTED[name]);
  });

  it('says the same for the same seed', () => {
    expect(play(name, { seed: '5' }).words).toEqual(play(name, { seed: '5' }).words);
  });

  it('repeats no word before it is taken back', () => {
    const standing = new Set<string>();

    for (const { by, about, type } of play(name, { seed: '3' }).words) {
      const pair = `${by}<${about}`;
      expect(standing.has(pair)).toBe(type === 'trust');
      if (type === 'suspect') standing.add(pair);
      else standing.delete(pair);
    }
  });
});

describe('a crash', () => {
  it('is told T later to every live node', () => {
    const { words } = play('P', { seed: '1', crashes: [[4, 100]] });

    expect(words).toEqual(
      [1, 2, 3, 5, 6].map((by) => ({ at: 107, by, about: 4, type: 'suspect' })),
    );
  });

  it('is not told once the node is back; all trust it instead', () => {
    const detector = createDetector('P', '1', () => true);
    detector.notify(100, { type: 'crash', rank: 4 });

    const said = detector.notify(105, { type: 'return', rank: 4 });

    expect(said).toEqual([{ type: 'trust', to: 'all', about: 4 }]);
    expect(detector.earliest()).toBe(Number.POSITIVE_INFINITY);
    expect(detector.take(1000)).toBeNull();
  });

  it('is told to one that returns after it, which has forgotten', () => {
    const up = new Set([1, 2, 3, 5, 6]);
    const detector = createDetector('P', '1', (rank) => up.has(rank));
    detector.notify(100, { type: 'crash', rank: 4 });
    while (detector.take(107) !== null);
    detector.notify(200, { type: 'crash', rank: 5 });
    detector.notify(203, { type: 'return', rank: 5 });

    const reported = detector.take(210);

    expect(reported).toEqual({ type: 'suspect', to: 5, about: 4 });
    expect(detector.take(10_000)).toBeNull();
  });
});

describe('the node that is spared', () => {
  it('is the one named, by S and by incomplete', () => {
    const S = play('S', { seed: '2', node: 3 });
    const incomplete = play('incomplete', {
      seed: '2',
      node: 5,
      crashes: [
        [4, 100],
        [5, 200],
      ],
    });

    expect(S.words.filter(({ about }) => about === 3)).toEqual([]);
    expect(new Set(incomplete.words.map(({ about }) => about))).toEqual(new Set([4]));
  });

  it('is the first to crash, by incomplete', () => {
    const { words } = play('incomplete', {
      seed: '2',
      crashes: [
        [4, 100],
        [5, 200],
      ],
    });

    expect(new Set(words.map(({ about }) => about))).toEqual(new Set([5]));
  });

  it('is a correct one, by S', () => {
    for (const seed of SEEDS) {
      const { words } = play('S', { seed, crashes: [1, 2, 3, 4, 5].map((rank) => [rank, 300]) });

      expect(words.filter(({ about }) => about === 6)).toEqual([]);
    }
  });
});

it('inaccuracy rotates: each node in turn, at a fixed interval, without end', () => {
  const { words } = play('inaccurate', { seed: '1', crashes: [] });

  const byFirst = words.filter(({ by, type }) => by === 1 && type === 'suspect');
  expect(byFirst.slice(0, 6).map(({ at, about }) => [at, about])).toEqual([
    [20, 2],
    [30, 3],
    [40, 4],
    [50, 5],
    [60, 6],
    [80, 2],
  ]);
  expect(byFirst.at(-1)?.at).toBeGreaterThan(END - 3 * EVERY);
});

interface Played {
  readonly words: readonly DeliveredReport[];
  readonly crashes: readonly (readonly [rank: number, at: number])[];
}

/** The suspicions and their recipients in a run with these crashes, by default one. */
function play(
  name: OracleClass,
  {
    seed,
    node,
    crashes = [[6, 300]],
  }: {
    readonly seed: string;
    readonly node?: number;
    readonly crashes?: Played['crashes'];
  },
): Played {
  const down = new Set<number>();
  const detector = createDetector(name, seed, (rank) => !down.has(rank), { node, crashes });
  const words: DeliveredReport[] = [];
  for (let now = 0; now <= END; now += 1) {
    for (const [rank, at] of crashes) {
      if (at !== now) continue;
      down.add(rank);
      detector.notify(now, { type: 'crash', rank });
    }
    for (let word = detector.take(now); word !== null; word = detector.take(now)) {
      if (word.to === 'all') throw new TypeError('"to" expected one node, got all');
      words.push({ at: now, by: word.to, about: word.about, type: word.type });
    }
  }
  return { words, crashes };
}

function createDetector(
  name: OracleClass,
  seed: string,
  isUp: (rank: number) => boolean,
  more: { readonly node?: number | undefined; readonly crashes?: Played['crashes'] } = {},
) {
  const crashed = new Set(more.crashes?.map(([rank]) => rank));
  return createOracleDetector(
    { class: name, stableAt: STABLE_AT, everyTicks: EVERY, node: more.node ?? null },
    {
      nodes: NODES,
      seed: parseSeed(seed),
      answerTicks: TICKS,
      correct: ranks().filter((rank) => !crashed.has(rank)),
      isUp,
    },
  );
}

function propertiesOf(played: Played): Properties {
  const correct = ranks().filter((rank) => played.crashes.every(([crashed]) => crashed !== rank));
  const suspectedUp = (rank: number, from: number) =>
    ranks().some((by) => isSuspected(played, { by, about: rank, from }));
  return {
    complete: played.crashes.every(([about]) =>
      correct.every((by) => isSuspected(played, { by, about, from: END })),
    ),
    strong: !ranks().some((rank) => suspectedUp(rank, 0)),
    eventuallyStrong: !ranks().some((rank) => suspectedUp(rank, STABLE_AT)),
    weak: correct.some((rank) => !suspectedUp(rank, 0)),
    eventuallyWeak: correct.some((rank) => !suspectedUp(rank, STABLE_AT)),
  };

  function ranksUpAt(rank: number): number {
    return played.crashes.find(([crashed]) => crashed === rank)?.[1] ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is such a tick from `from` on; of one that crashes, while it is up, or at the end. */
  function isSuspected(
    { words }: Played,
    { by, about, from }: { readonly by: number; readonly about: number; readonly from: number },
  ): boolean {
    const said = words.filter((word) => word.by === by && word.about === about);
    if (from === END) return said.at(-1)?.type === 'suspect';
    return said.some(({ at, type }, index) => {
      const until = said[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      return type === 'suspect' && until > from && at < ranksUpAt(about);
    });
  }
}

function ranks(): number[] {
  return Array.from({ length: NODES }, (_, index) => index + 1);
}
