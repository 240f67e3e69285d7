/**
 * @module
 * The outcome of one run, and tallies of many. A tally of runs 0..99 equals the merged tallies of any division
 * of them, in any order, except for the last digits of measured seconds and of squares. So workers and resumed experiments
 * report the same.
 */

import type { ProtocolName } from '../../election/registry.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { addLedgers } from '../../mining/ledger.ts';
import type { Elected } from '../properties/property.ts';
import type { Sides, Spent } from '../theory/epoch-conduct.ts';
import { addWork, bySide } from '../theory/epoch-conduct.ts';
import type { HeldElection, SavedElection } from './held-election.ts';
import type { Observations } from './observations.ts';

export interface ElectionResult extends Elected {
  readonly protocol: ProtocolName;
  /** The name of the adversary that leads. Null if none does. */
  readonly adversary: string | null;
  readonly messages: number;
  /** How it was held, so that it can be held again. */
  readonly held?: HeldElection | undefined;
}

/** The result of one adversary in one mined run. */
export interface ForgeResult {
  readonly name: string;
  /** Whether it found an identity above the honest ones that was admitted. */
  readonly joined: boolean;
  readonly ledger: Ledger;
}

/** The result of a run for one group of protocols. */
export interface GroupOutcome {
  /** Whether its elections had the property of the document's `expect`. */
  readonly won: boolean;
  /** In the order of the document's protocols. Empty if no election was held. */
  readonly elections: readonly ElectionResult[];
  /** Observations of its elections alone. */
  readonly observations?: Observations | undefined;
}

/** One epoch, in all runs of a tally together. */
export interface EpochTally {
  readonly spent: Sides<Spent>;
  readonly joins: Sides<number>;
  /** Sums of the squares of the attempts of a run up to the end of the epoch. */
  readonly squares: Sides<number>;
  /** Runs that would have the property if they ended here. */
  readonly wins: number;
}

export interface RunOutcome {
  readonly run: number;
  /** One for each of `protocolGroupsOf(model)`, in that order. */
  readonly outcomes: readonly GroupOutcome[];
  /** In the order of names. Empty in sampled work. */
  readonly forges: readonly ForgeResult[];
  /** Cost of all honest nodes together. Null in sampled work. */
  readonly honestLedger: Ledger | null;
  /** Observations that all protocols share, such as the cost of the identities. */
  readonly observations: Observations;
  /** What was done before the first epoch, and in each epoch. Only with epochs. */
  readonly epochs?: readonly EpochTally[];
}

/** The results of one adversary in all mined runs. */
export interface ForgeTally {
  readonly joined: number;
  readonly ledger: Ledger;
  /** The most attempts it spent in one run. */
  readonly attemptsMax: number;
  /** Number and attempts of the runs in which it found nothing, and so spent its whole budget. */
  readonly exhausted: { readonly runs: number; readonly attempts: number };
}

export interface Tally {
  readonly runs: number;
  /** The runs with the property, for each of `protocolGroupsOf(model)`. A missing number is 0. */
  readonly wins: readonly number[];
  readonly elections: { readonly held: number; readonly messages: number };
  readonly forges: Readonly<Record<string, ForgeTally>>;
  readonly honestLedger: Ledger | null;
  /** What was done before the first epoch, and in each epoch. Only with epochs. */
  readonly epochs?: readonly EpochTally[] | undefined;
  /** For each group of protocols. Only of a single run. */
  readonly observations?: readonly Observations[] | undefined;
  /** The elections of each group of protocols. Only of a single run. */
  readonly saved?: readonly (readonly SavedElection[])[] | undefined;
}

export const EMPTY_TALLY: Tally = {
  runs: 0,
  wins: [],
  elections: { held: 0, messages: 0 },
  forges: {},
  honestLedger: null,
};

export function tallyOf(outcome: RunOutcome): Tally {
  const forges = outcome.forges.map((forge) => [forge.name, forgeTallyOf(forge)] as const);
  let [held, messages] = [0, 0];
  for (const { elections } of outcome.outcomes) {
    held += elections.length;
    messages += messagesOf(elections);
  }
  return {
    runs: 1,
    wins: outcome.outcomes.map(({ won }) => (won ? 1 : 0)),
    elections: { held, messages },
    forges: Object.fromEntries(forges),
    honestLedger: outcome.honestLedger,
    epochs: outcome.epochs,
  };
}

/** The messages of all elections together. */
export function messagesOf(elections: readonly ElectionResult[]): number {
  return elections.reduce((sum, election) => sum + election.messages, 0);
}

/** The tally of an adversary. Names come from documents and can be `constructor`. */
export function forgeTally({ forges }: Tally, name: string): ForgeTally | undefined {
  return Object.hasOwn(forges, name) ? forges[name] : undefined;
}

/** The tally of both together. */
export function mergeTallies(left: Tally, right: Tally): Tally {
  const honest = [left.honestLedger, right.honestLedger].filter((ledger) => ledger !== null);
  const names = [...new Set([...Object.keys(left.forges), ...Object.keys(right.forges)])].sort();
  const forges = names.map(
    (name) => [name, mergeForges(forgeTally(left, name), forgeTally(right, name))] as const,
  );
  return {
    runs: left.runs + right.runs,
    wins: mergeWins(left.wins, right.wins),
    elections: {
      held: left.elections.held + right.elections.held,
      messages: left.elections.messages + right.elections.messages,
    },
    forges: Object.fromEntries(forges),
    honestLedger: honest.length === 0 ? null : honest.reduce(addLedgers),
    epochs: mergeEpochs(left.epochs, right.epochs),
    ...ofSingleRun(left, right),
  };
}

/** The sums by epoch. */
function mergeEpochs(left: Tally['epochs'], right: Tally['epochs']): Tally['epochs'] {
  if (left === undefined || right === undefined) return left ?? right;
  const add = (one: number, more: number) => one + more;
  return left.map((own, epoch) => {
    const other = right[epoch];
    if (other === undefined) return own;
    return {
      spent: bySide(own.spent, other.spent, addWork),
      joins: bySide(own.joins, other.joins, add),
      squares: bySide(own.squares, other.squares, add),
      wins: own.wins + other.wins,
    };
  });
}

/** The sums by group of protocols. */
export function mergeWins(left: readonly number[], right: readonly number[]): readonly number[] {
  const [longer, shorter] = left.length < right.length ? [right, left] : [left, right];
  return longer.map((wins, group) => wins + (shorter[group] ?? 0));
}

/** What only a single run has, if one of the tallies has a single run and the other has none. */
function ofSingleRun(left: Tally, right: Tally): Pick<Tally, 'observations' | 'saved'> {
  if (left.runs > 0 && right.runs > 0) return { observations: undefined, saved: undefined };
  const { observations, saved } = left.runs > 0 ? left : right;
  return { observations, saved };
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
