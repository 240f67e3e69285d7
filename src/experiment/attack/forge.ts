/**
 * @module
 * The forge of one attack: several colluders' identities are searched for one after the other under one
 * budget, and what has been mined is remembered: the keys of everybody, and what the adversary has spent
 * even where its search did not end by itself.
 */

import type { HeldKey } from '../../adversary/keys.ts';
import { bytesToHex } from '../../bytes.ts';
import type { Budget, Ledger } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Forge, ForgeOrder } from './population.ts';
import { forgerSeed } from './population.ts';

type Forged = Awaited<ReturnType<Forge>>;

export interface AttackForge {
  readonly forge: Forge;
  /** What the adversary's searches have cost so far; null before the first has ended. */
  readonly spent: () => Ledger | null;
  /** Of an identity that was mined here; null for any other. */
  readonly keyOf: (nodeId: Uint8Array) => HeldKey | null;
}

/** Wraps the forge that an attack is given. */
export function forgeForAttack(
  forge: Forge,
  { seed, colluders }: { readonly seed: Seed; readonly colluders: number },
): AttackForge {
  const held = new Map<string, HeldKey>();
  const adversary = forgerSeed(seed);
  let spent: Ledger | null = null;
  const forgeAll: Forge = async (order) => {
    const isAdversarys = order.seed === adversary;
    const forged = isAdversarys ? await forgeShared(forge, order, colluders) : await forge(order);
    if (isAdversarys) spent = forged.ledger;
    for (const { claim, secret } of forged.identities) {
      const { scheme, publicKey, nodeId } = claim;
      held.set(bytesToHex(nodeId), { scheme, secret, publicKey });
    }
    return forged;
  };
  return {
    forge: forgeAll,
    spent: () => spent,
    keyOf: (nodeId) => held.get(bytesToHex(nodeId)) ?? null,
  };
}

/** One search for each colluder, the first under the order's own seed; what one spends others lack. */
async function forgeShared(forge: Forge, order: ForgeOrder, colluders: number): Promise<Forged> {
  let all = await forge(order);
  for (let number = 1; number < colluders && all.found; number += 1) {
    const budget = remaining(order.budget, all.ledger);
    if (budget === null) return { ...all, found: false, ending: 'attempts' };
    const seed = deriveSeed(order.seed, 'colluder', number);
    const next = await forge({ ...order, budget, seed });
    const identities = [...all.identities, ...next.identities];
    all = { ...next, identities, ledger: together(all.ledger, next.ledger) };
  }
  return all;
}

/** Null where nothing is left. */
function remaining(budget: Budget, spent: Ledger): Budget | null {
  const left = (amount: number | undefined, used: number) =>
    amount === undefined ? undefined : amount - used;
  const rest = {
    attempts: left(budget.attempts, spent.attempts),
    hashes: left(budget.hashes, spent.hashes),
    cpuSeconds: left(budget.cpuSeconds, spent.cpuSeconds),
    wallSeconds: left(budget.wallSeconds, spent.wallSeconds),
  };
  const isSpent = Object.values(rest).some((amount) => amount !== undefined && amount <= 0);
  return isSpent ? null : rest;
}

function together(one: Ledger, other: Ledger): Ledger {
  return {
    attempts: one.attempts + other.attempts,
    hashes: one.hashes + other.hashes,
    groupOperations: one.groupOperations + other.groupOperations,
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    wallSeconds: one.wallSeconds + other.wallSeconds,
    overshoot: one.overshoot + other.overshoot,
  };
}
