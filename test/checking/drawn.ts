/**
 * @module
 * Drawn instances of all protocols, and the packed search over them, level by level.
 */

import type { CheckRequest } from '../../src/checking/check-request.ts';
import { instanceOf } from '../../src/checking/check-request.ts';
import type { Bounds, Instance } from '../../src/checking/instance.ts';
import { BOUND_NAMES, NO_FAULTS } from '../../src/checking/instance.ts';
import type { Packed } from '../../src/checking/layout.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { NO_PARENT, StateStore } from '../../src/checking/state-store.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import type { Random } from '../../src/random.ts';
import { createRandom, parseSeed, shuffled } from '../../src/random.ts';
import type { Levels } from './plain-search.ts';

export function drawInstance(index: number): {
  readonly instance: Instance;
  readonly text: string;
} {
  const request = drawRequest(index);
  return { instance: instanceOf(request), text: JSON.stringify(request) };
}

export function drawRequest(index: number): CheckRequest {
  const random = createRandom(parseSeed(String(index)), 'instance');
  const protocol = PROTOCOL_NAMES[index % PROTOCOL_NAMES.length] ?? 'cr-join';
  const nodes = 2 + random.below(2);
  const ring = shuffled(
    Array.from({ length: nodes }, (_, rank) => rank + 1),
    random,
  );
  const crashedBefore = random.below(4) === 0 ? [1 + random.below(nodes)] : [];
  const cuts = createRandom(parseSeed(String(index)), 'cuts');
  const drawn = Object.fromEntries(
    // A protocol whose members cannot leave is never checked with departures.
    BOUND_NAMES.map((name) => [
      name,
      (name === 'leave' ? 0 : isCut(name) ? drawBound(cuts) * cuts.below(2) : drawBound(random)) ||
        NO_FAULTS[name],
    ]),
  ) as unknown as Bounds; // The names are those of the bounds.
  const settings = {
    crashedBefore,
    initiators: ring.filter(() => random.below(3) > 0),
    starts: random.below(2) === 0 ? 'together' : index % 2 === 0 ? 'any' : 'again',
    timing: random.below(2) === 0 ? 'synchronous' : 'asynchronous',
    links: random.below(2) === 0 ? 'fifo' : 'any',
    bounds: random.below(3) === 0 ? NO_FAULTS : { ...drawn, ...NO_CHANGES },
    cut: random.below(4) === 0 ? [[1, 2] as const] : [],
    perLink: random.below(4) === 0 ? 1 : null,
    ...{ isShifted: false, spread: null },
  } as const;
  const rest = { flags: {}, properties: [], order: 'breadth', isReduced: false } as const;
  const changes = index % 4 === 3 ? drawChanges(random, { ring, crashedBefore, drawn }) : {};
  return { protocol, ring, ...settings, ...rest, ...changes };
}

/** Such worlds have more actions than others, so that only a part of the instances has them. */
const NO_CHANGES = {
  ...{ partition: 0, join: 0, lies: 0, leave: 0, oneWay: 0, bridge: 0 },
  ...{ jump: 0, failover: 0 },
};

/** Absent nodes, phantoms and partitions. */
function drawChanges(
  random: Random,
  given: {
    readonly ring: readonly number[];
    readonly crashedBefore: readonly number[];
    readonly drawn: Bounds;
  },
): Pick<Instance, 'absent' | 'phantoms' | 'bounds'> {
  const { ring, crashedBefore, drawn } = given;
  const absent = ring.filter((rank) => !crashedBefore.includes(rank) && random.below(2) === 0);
  if (absent.length + crashedBefore.length >= ring.length) absent.pop();
  const phantoms = random.below(3) === 0 ? absent.splice(0, 1) : [];
  return { absent, phantoms, bounds: { ...drawn, join: absent.length } };
}

/** Whether a bound has draws of its own, so that the other draws remain as they were. */
function isCut(name: string): boolean {
  return ['oneWay', 'bridge', 'jump', 'failover'].includes(name);
}

function drawBound(random: Random): number {
  return random.below(3) === 0 ? 1 + random.below(2) : 0;
}

export function packedLevels(instance: Instance, worldsMax: number): Levels {
  const worlds = new Worlds(instance, null);
  const store = new StateStore();
  const [source, target] = [emptyPacked(), emptyPacked()];
  worlds.first(target);
  store.add(target, NO_PARENT, 0);
  const levels: Levels = { worlds: [1], transitions: [] };
  for (let from = 0; from < store.size && store.size < worldsMax; ) {
    const end = store.size;
    let transitions = 0;
    for (; from < end; from += 1) {
      const codes: number[] = [];
      store.read(from, source);
      worlds.enabled(source, codes);
      worlds.faults(source, codes);
      for (const code of codes) {
        worlds.apply(source, code, target);
        if (!worlds.isWithin) continue;
        transitions += 1;
        store.add(target, from, code);
      }
    }
    levels.transitions.push(transitions);
    if (store.size > end) levels.worlds.push(store.size - end);
  }
  return levels;
}

/** Actions of a drawn path. */
const PATH_ACTIONS = 25;

/** A path of drawn actions, and the world at its end. It is shorter if nothing more is possible. */
export function randomPath(
  worlds: Worlds,
  random: Random,
  actionsMax = PATH_ACTIONS,
): { readonly path: readonly number[]; readonly world: Packed } {
  const path: number[] = [];
  let [world, next] = [emptyPacked(), emptyPacked()];
  worlds.first(world);
  while (path.length < actionsMax) {
    const codes: number[] = [];
    worlds.enabled(world, codes);
    worlds.faults(world, codes);
    const code = codes[random.below(Math.max(1, codes.length))];
    if (code === undefined) break;
    worlds.apply(world, code, next);
    path.push(code);
    [world, next] = [next, world];
  }
  return { path, world };
}
