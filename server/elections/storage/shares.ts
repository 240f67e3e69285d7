/**
 * @module
 * The room that elections take, and how owners share it. Three quarters are first come, first served. The rest
 * is for owners that have less than an equal share, so that no owner can exclude the others. The weights of
 * elections are above the measured sizes in memory and in the file, so that nothing has to be walked.
 */

import { LabError } from '../../../src/errors.ts';
import type { ElectionPlan } from '../live/plan.ts';

/** The part of an election that takes room. */
export interface Sharing {
  readonly request: Pick<ElectionPlan, 'owner'>;
  readonly plan: { readonly nodes: number };
  readonly actionCharacters: number;
}

/** The room of a server. */
export interface Room {
  readonly elections: number;
  readonly nodes: number;
}

/** Part of the room that is first come, first served. */
export const UNSHARED = 0.75;

/**
 * Throws LabError `limit.elections` if little room is left and the owner has its share. Elections without an
 * owner are not shared. Each of the known `callers` has a part of the rest reserved.
 */
export function assertShare(
  all: readonly Sharing[],
  owner: string | undefined,
  { elections, nodes }: Room,
  callers = 0,
): void {
  if (owner === undefined) return;
  const kept = sumOf(all, nodesOf);
  const isSpent = (size: Size, total: number, most: number) =>
    isShareSpent({ all, size, total }, owner, { most, callers, more: 0 });
  if (!isSpent(() => 1, all.length, elections) && !isSpent(nodesOf, kept, nodes)) return;
  const detail =
    `${all.length} elections with ${kept} nodes are kept; the room that is left is for owners that ` +
    `have less than an equal share of ${elections} and ${nodes}; DELETE one that is not needed`;
  throw new LabError('limit.elections', detail);
}

/** Works like `assertShare`, for `more` characters of actions, of which there is room for `most`. */
export function assertCharacters(
  all: readonly Sharing[],
  owner: string | undefined,
  share: Share,
): void {
  const { most, more } = share;
  const size: Size = ({ actionCharacters }) => actionCharacters;
  const total = sumOf(all, size);
  const isFull = total + more > most;
  if (!isFull && (owner === undefined || !isShareSpent({ all, size, total }, owner, share))) return;
  const detail =
    `the actions of all elections take at most ${most} characters, of which the last are for owners ` +
    'that have less than an equal share; DELETE an election that is not needed';
  throw new LabError('limit.elections', detail);
}

interface Share {
  /** The whole room. */
  readonly most: number;
  /** The room that is requested. */
  readonly more: number;
  /** Least number of callers that share it. */
  readonly callers: number;
}

type Size = (election: Sharing) => number;

interface Kept {
  readonly all: readonly Sharing[];
  readonly size: Size;
  /** The sum of their sizes. */
  readonly total: number;
}

/**
 * Whether the request exceeds the owner's share and others may need the room. What each owner takes is added up
 * only if little room is left.
 */
function isShareSpent(kept: Kept, owner: string, { most, more, callers }: Share): boolean {
  const all = kept.total + more;
  if (all < most * UNSHARED) return false;
  const taken = takenBy(kept.all, kept.size);
  const owners = taken.size + (taken.has(owner) ? 0 : 1);
  const known = Math.max(callers, owners);
  const own = (taken.get(owner) ?? 0) + more;
  // The reserved parts of the others that they do not use yet.
  const sure = (most * (1 - UNSHARED)) / known;
  const others = [...taken].filter(([name]) => name !== owner);
  const owed = others.reduce((rest, [, size]) => rest - Math.min(size, sure), (known - 1) * sure);
  return own >= most / owners || (own >= sure && all + owed >= most);
}

/**
 * What one participant of a shared election may write, so that no participant uses up the actions of the
 * election or the storage of its owner.
 */
export const PARTICIPANT_ACTIONS_MAX = 200;
export const PARTICIPANT_CHARACTERS_MAX = 256 * 1024;

/** Throws LabError `limit.storage` if a participant has written its share. */
export function assertParticipant(
  { actions, characters }: { readonly actions: number; readonly characters: number },
  more: number,
): void {
  const isSpent = characters + more > PARTICIPANT_CHARACTERS_MAX;
  if (actions < PARTICIPANT_ACTIONS_MAX && !isSpent) return;
  const detail = `a participant answers at most ${PARTICIPANT_ACTIONS_MAX} times, with ${PARTICIPANT_CHARACTERS_MAX} characters in all; answer several events together`;
  throw new LabError('limit.storage', detail);
}

function takenBy(all: readonly Sharing[], size: Size): Map<string | undefined, number> {
  const taken = new Map<string | undefined, number>();
  for (const election of all) {
    const { owner } = election.request;
    taken.set(owner, (taken.get(owner) ?? 0) + size(election));
  }
  return taken;
}

function nodesOf({ plan }: Sharing): number {
  return plan.nodes;
}

function sumOf<Each>(all: readonly Each[], size: (each: Each) => number): number {
  let total = 0;
  for (const each of all) total += size(each);
  return total;
}

/** Bytes of each election and of each of its nodes. Raft with 5 nodes took 56 KiB, Bully with 100 took 506. */
export const ELECTION_BYTES = 32 * 1024;

export const NODE_BYTES = 6 * 1024;

/** The part of an election that determines its size. */
export interface Sized {
  readonly request: Pick<ElectionPlan, 'owner' | 'options'>;
  readonly actionCharacters: number;
}

/** Bytes of an election with actions of this length. */
export function bytesToKeep({ options }: Sized['request'], actionCharacters: number): number {
  return ELECTION_BYTES + options.nodes * NODE_BYTES + actionCharacters;
}

/** Bytes of all elections of an owner; `undefined` owns those without an owner. */
export function bytesKept(elections: readonly Sized[], owner: string | undefined): number {
  return sumOf(elections, ({ request, actionCharacters }) =>
    request.owner === owner ? bytesToKeep(request, actionCharacters) : 0,
  );
}
