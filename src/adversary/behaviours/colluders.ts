/**
 * @module
 * The nodes of one adversary: they behave alike, know of each other, and sign for each other only. This
 * file bounds what a behaviour can do, whatever its code: it never holds keys that sign for another node.
 */

import type { Authentication } from '../../election/authentication/authenticated.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Rank } from '../../election/machine.ts';

import type { Behaviour, ByzantineNode } from './behaviour.ts';

/** What the places of an adversary have in common. */
export type Plot = Omit<ByzantineNode, 'rank'>;

/**
 * The machine of the place `rank` of a plot: `machine` itself where it is not one of the accomplices,
 * else corrupted by each behaviour, the first nearest to it. Throws RangeError for a behaviour that
 * does not fit the protocol.
 */
export function conspire(
  plot: Plot,
  behaviours: readonly Behaviour[],
  rank: Rank,
  machine: AnyMachine,
): AnyMachine {
  if (!plot.accomplices.includes(rank)) return machine;
  const authentication = confined(plot.authentication, plot.accomplices);
  const byzantineNode: ByzantineNode = { ...plot, rank, authentication };
  return behaviours.reduce((inner, behaviour) => {
    const unsupportedReason = behaviour.unsupportedReason(plot.protocol);
    if (unsupportedReason === null) return behaviour.wrap(inner, byzantineNode);
    throw new RangeError(
      `"behaviours" expected such as fit ${plot.protocol}, got ${behaviour.name}: ${unsupportedReason}`,
    );
  }, machine);
}

/** Keys that sign for these nodes and verify the signatures of all. */
export function confined(
  authentication: Authentication,
  accomplices: readonly Rank[],
): Authentication {
  return {
    ...authentication,
    keysOf(rank) {
      const { sign, verify } = authentication.keysOf(rank);
      return {
        verify,
        sign(text) {
          if (accomplices.includes(rank)) return sign(text);
          throw new RangeError(`"rank" expected an accomplice, got ${rank}`);
        },
      };
    },
  };
}
