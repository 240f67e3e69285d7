/**
 * @module
 * The forge of one attack. It searches for the identities of several colluders one after the other under one
 * budget, and it keeps what was mined: all keys, and what the adversary has spent even if its search was
 * interrupted.
 */

import type { HeldKey } from '../../adversary/keys.ts';
import { bytesToHex } from '../../bytes.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { addLedgers, remainingBudget } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Forge, Forged, ForgeOrder } from './population.ts';
import { forgerSeed } from './population.ts';

export interface AttackForge {
  readonly forge: Forge;
  /** What the adversary's searches have cost so far. Null before the first has ended. */
  readonly spent: () => Ledger | null;
  /** The key of an identity that was mined here. Null for any other. */
  readonly keyOf: (nodeId: Uint8Array) => HeldKey | null;
}

/** Wraps the forge of an attack. */
export function forgeForAttack(
  forge: Forge,
  { seed, colluders }: { readonly seed: Seed; readonly colluders: number },
): AttackForge {
  const held = new Map<string, HeldKey>();
  const adversary = forgerSeed(seed);
  let spent: Ledger | null = null;
  return {
    async forge(order) {
      const isAdversarys = order.seed === adversary;
      const forged = isAdversarys ? await forgeShared(forge, order, colluders) : await forge(order);
      if (isAdversarys) spent = forged.ledger;
      for (const { claim, secret } of forged.identities) {
        const { scheme, publicKey, nodeId } = claim;
        held.set(bytesToHex(nodeId), { scheme, secret, publicKey });
      }
      return forged;
    },
    spent: () => spent,
    keyOf: (nodeId) => held.get(bytesToHex(nodeId)) ?? null,
  };
}

/** One search for each colluder, the first under the order's own seed. They share the budget. */
async function forgeShared(forge: Forge, order: ForgeOrder, colluders: number): Promise<Forged> {
  let all = await forge(order);
  for (let number = 1; number < colluders && all.found; number += 1) {
    const budget = remainingBudget(order.budget, all.ledger);
    if (budget === null) return { ...all, found: false, ending: 'attempts' };
    const seed = deriveSeed(order.seed, 'colluder', number);
    const next = await forge({ ...order, budget, seed });
    const identities = [...all.identities, ...next.identities];
    all = { ...next, identities, ledger: addLedgers(all.ledger, next.ledger) };
  }
  return all;
}

/** A forge that does not repeat a search that succeeded. */
export function remembering(forge: Forge): Forge {
  const found = new Map<string, Forged>();
  return async (order) => {
    const { budget, ...search } = order;
    const key = JSON.stringify(search, (_, value) =>
      value instanceof Uint8Array ? [...value] : value,
    );
    const before = found.get(key);
    const { attempts = Number.POSITIVE_INFINITY } = budget;
    if (before !== undefined && before.ledger.attempts <= attempts) return before;
    const outcome = await forge(order);
    if (outcome.found) found.set(key, outcome);
    return outcome;
  };
}
