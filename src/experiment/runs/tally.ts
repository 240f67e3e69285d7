/**
 * @module
 * The outcome of one run, and tallies of many. A tally of runs 0..99 equals the merged tallies of any
 * split of them, in any order, up to the last bits of the measured seconds; so workers and resumed
 * experiments report alike.
 */

import type { ProtocolName } from '../../election/registry.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { addLedgers } from '../../mining/ledger.ts';
import type { Elected } from '../properties/property.ts';
import type { Observations } from './observations.ts';

export interface ElectionResult extends Elected {
  readonly protocol: ProtocolName;
  readonly messages: number;
}

/** What one adversary did in one mined run. */
export interface ForgeResult {
  readonly name: string;
  /** Whether it found an identity above the honest ones that was admitted. */
  readonly joined: boolean;
  readonly ledger: Ledger;
}

export interface RunOutcome {
  readonly run: number;
  /** Whether the run had the property of the document's `expect`. */
  readonly won: boolean;
  /** In the order of the document's protocols; empty where no election was held. */
  readonly elections: readonly ElectionResult[];
  /** In the order of names; empty in sampled work. */
  readonly forges: readonly ForgeResult[];
  /** What all honest nodes spent together; null in sampled work. */
  readonly honestLedger: Ledger | null;
  /** What else there is to see, for the table of a sweep. */
  readonly observations: Observations;
}

/** What one adversary did in all mined runs. */
export interface ForgeTally {
  readonly joined: number;
  readonly ledger: Ledger;
  /** The most attempts it spent in one run. */
  readonly attemptsMax: number;
  /** Runs in which it found nothing, and so spent its whole budget, and their attempts. */
  readonly exhausted: { readonly runs: number; readonly attempts: number };
}

export interface Tally {
  readonly runs: number;
  readonly wins: number;
  readonly elections: { readonly held: number; readonly messages: number };
  readonly forges: Readonly<Record<string, ForgeTally>>;
  readonly honestLedger: Ledger | null;
  /** Of a single run: what else there was to see. */
  readonly observations?: Observations | undefined;
}

export const EMPTY_TALLY: Tally = {
  runs: 0,
  wins: 0,
  elections: { held: 0, messages: 0 },
  forges: {},
  honestLedger: null,
};

export function tallyOf(outcome: RunOutcome): Tally {
  const forges = outcome.forges.map((forge) => [forge.name, forgeTallyOf(forge)] as const);
  return {
    runs: 1,
    wins: outcome.won ? 1 : 0,
    elections: {
      held: outcome.elections.length,
      messages: outcome.elections.reduce((sum, election) => sum + election.messages, 0),
    },
    forges: Object.fromEntries(forges),
    honestLedger: outcome.honestLedger,
    observations: outcome.observations,
  };
}

/** What the adversary of this name did; names are an author's, `constructor` may be one. */
export function forgeTally({ forges }: Tally, name: string): ForgeTally | undefined {
  return Object.hasOwn(forges, name) ? forges[name] : undefined;
}

/** The tally of the runs of both. */
export function mergeTallies(left: Tally, right: Tally): Tally {
  const honest = [left.honestLedger, right.honestLedger].filter((ledger) => ledger !== null);
  const names = [...new Set([...Object.keys(left.forges), ...Object.keys(right.forges)])].sort();
  const forges = names.map(
    (name) => [name, mergeForges(forgeTally(left, name), forgeTally(right, name))] as const,
  );
  return {
    runs: left.runs + right.runs,
    wins: left.wins + right.wins,
    elections: {
      held: left.elections.held + right.elections.held,
      messages: left.elections.messages + right.elections.messages,
    },
    forges: Object.fromEntries(forges),
    honestLedger: honest.length === 0 ? null : honest.reduce(addLedgers),
    observations: observationsOf(left, right),
  };
}

/** They are of one run or of none. */
function observationsOf(left: Tally, right: Tally): Observations | undefined {
  if (left.runs > 0 && right.runs > 0) return undefined;
  return (left.runs > 0 ? left : right).observations;
}

function forgeTallyOf({ joined, ledger }: ForgeResult): ForgeTally {
  const exhausted = joined ? { runs: 0, attempts: 0 } : { runs: 1, attempts: ledger.attempts };
  return { joined: joined ? 1 : 0, ledger, attemptsMax: ledger.attempts, exhausted };
}

function mergeForges(left: ForgeTally | undefined, right: ForgeTally | undefined): ForgeTally {
  if (left === undefined || right === undefined) {
    const only = left ?? right;
    if (only === undefined) throw new TypeError('"name" expected one of either tally, got neither');
    return only;
  }
  return {
    joined: left.joined + right.joined,
    ledger: addLedgers(left.ledger, right.ledger),
    attemptsMax: Math.max(left.attemptsMax, right.attemptsMax),
    exhausted: {
      runs: left.exhausted.runs + right.exhausted.runs,
      attempts: left.exhausted.attempts + right.exhausted.attempts,
    },
  };
}
