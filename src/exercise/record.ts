/**
 * @module
 * What the server knows of a student's work on an instance, and grades by. No member comes from the submission.
 */

import type { ClaimJson } from '../identity/claim.ts';
import type { ElectionOptions } from '../simulation/run/simulate.ts';
import type { Status } from '../simulation/run/status.ts';

/** The parts of the record, which a goal names if it needs them. */
export type RecordPart = 'elections' | 'forgeries' | 'definition';

/** A node of an election. */
export interface NodeRecord {
  readonly rank: number;
  readonly up: boolean;
  readonly leader: number | null;
  /** Whether a program of the student plays it. */
  readonly outside: boolean;
  /** Number of messages that the node refused because their seal is missing or proves nothing. */
  readonly refusedSeals: number;
}

/** An action of the student on an election. */
export interface ActionRecord {
  readonly type: string;
  /** The sender and the message of an injected message. */
  readonly from?: number | undefined;
  readonly message?: { readonly type: string; readonly [name: string]: unknown } | undefined;
  /** Number of messages that a program sends with this answer to its events. */
  readonly sends?: number | undefined;
}

/** One election of the instance. */
export interface ElectionRecord {
  /** What it was created from, with which it can be replayed. */
  readonly options: ElectionOptions;
  /** What the student did, in order. */
  readonly actions: readonly ActionRecord[];
  readonly status: Pick<Status, 'idle' | 'leader' | 'agreed' | 'messages' | 'ticks' | 'bound'>;
  readonly nodes: readonly NodeRecord[];
  /** Ranks without a node. */
  readonly phantoms: readonly number[];
}

/** A metered forgery of the student for the instance: the server has made its keys and counted its attempts. */
export interface ForgeryRecord {
  /** What it has found; nothing before it is over. */
  readonly claims: readonly ClaimJson[];
  /** Attempts of its ledger, or all that it may make before it is over. */
  readonly attempts: number;
  readonly isOver: boolean;
}

/** Attempts that forgeries have spent or reserved, of the budget of the exercise. */
export function attemptsSpent(forgeries: readonly Pick<ForgeryRecord, 'attempts'>[]): number {
  return forgeries.reduce((sum, { attempts }) => sum + attempts, 0);
}

/** Whether a metered forgery has found the key of a claim. */
export function isMetered(
  { publicKey }: Pick<ClaimJson, 'publicKey'>,
  forgeries: readonly Pick<ForgeryRecord, 'claims'>[],
): boolean {
  return forgeries.some(({ claims }) => claims.some((claim) => claim.publicKey === publicKey));
}

export interface ServerRecord {
  /** By the names of the document. */
  readonly elections: Readonly<Record<string, ElectionRecord>>;
  /** In the order in which they were submitted. */
  readonly forgeries: readonly ForgeryRecord[];
  /** The name of the submitted definition in the registry of its kind. Absent where no file is run. */
  readonly definition?: string;
  /** What goals have found of the definition that is the same for all students, by the name of the criterion. */
  readonly found?: Map<string, string | null>;
  /** Why a submitted file was not run, in words for the student. */
  readonly fault?: string;
}
