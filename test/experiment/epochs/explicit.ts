/**
 * @module
 * Epochs with a salted puzzle and ranks by node ID, written plainly: each key is an object with an ID, and each
 * test is one draw. It shares no code with the simulation, which draws keys only when something depends on them.
 */

import type { Random } from '../../../src/random.ts';

export interface Explicit {
  readonly honest: number;
  readonly p: number;
  readonly epochs: number;
  readonly lifetime: number;
  readonly stock: number;
  readonly kind: 'attempts' | 'hashes';
  readonly budget: number;
  readonly plan: 'retest' | 'informed';
  /** Whether each epoch matters, or only the last. */
  readonly each: boolean;
}

interface Key {
  readonly id: number;
  testedIn: number;
  countsUntil: number;
}

/** For each epoch, whether the adversary has the highest ID. */
export function playExplicitly(setting: Explicit, random: Random): readonly boolean[] {
  const { honest, p, epochs, lifetime, stock, kind, budget, plan, each } = setting;
  const keys: Key[] = [];
  const make = (): Key => {
    const key = { id: random.unit(), testedIn: -1, countsUntil: -1 };
    keys.push(key);
    return key;
  };
  for (let made = 0; made < stock; made += 1) make();
  let top = 0;
  return Array.from({ length: epochs }, (_, epoch) => {
    if (epoch % lifetime === 0)
      top = Math.max(...Array.from({ length: honest }, () => random.unit()));
    let left = budget;
    const test = (key: Key) => {
      key.testedIn = epoch;
      if (random.unit() < p) key.countsUntil = epoch + lifetime - 1;
    };
    const isFinal = Math.floor(epoch / lifetime) === Math.floor((epochs - 1) / lifetime);
    const isInformed = plan === 'informed' && (each || isFinal);
    const isEarly = !each && epoch + lifetime < epochs;
    const leads = () => keys.some(({ id, countsUntil }) => id > top && countsUntil >= epoch);
    while (left > 0) {
      if (isInformed && leads()) break;
      const open = keys
        .filter((key) => key.testedIn < epoch && key.countsUntil < epoch)
        .filter(({ id }) => !isEarly && (!isInformed || id > top))
        .sort((one, other) => other.id - one.id);
      const [best] = open;
      left -= 1;
      if (best !== undefined) test(best);
      else if (kind === 'attempts') test(make());
      else make();
    }
    // What is left makes keys for later windows.
    for (; left > 0; left -= 1) make();
    return leads();
  });
}
