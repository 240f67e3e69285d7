/**
 * @module
 * Who counts in Raft. A configuration has the term of the leader that wrote it and a version, and the later one holds.
 * The founders are the first configuration, which no message and no record states. raft-changes.ts has its rules.
 */

import type { Json, Rank, Self } from '../machine.ts';
import { isMember, isTerm } from './majority.ts';

/** The members that count. A removed node never returns. */
export type Configuration = {
  /** Term of the leader that has written the configuration. */
  term: number;
  version: number;
  members: readonly Rank[];
  removed: readonly Rank[];
};

/** What messages carry of a configuration. */
export interface Configured {
  readonly configuration?: Configuration;
}

/** What a node knows of the members. */
interface Knowing {
  readonly self: Self;
  readonly state: { configuration: Configuration | null };
}

/** The members that count for this node. One that has joined and not been told them knows none. */
export function votersOf({ self, state }: Knowing): readonly Rank[] {
  if (state.configuration !== null) return state.configuration.members;
  return isMember(self.founders, self.rank) ? self.founders : [];
}

/** Whether a node counts. */
export function isVoter(step: Knowing, rank: Rank): boolean {
  return isMember(votersOf(step), rank);
}

/** Whether these nodes, each of which counts, are a majority. */
export function isMajority(step: Knowing, { length }: readonly Rank[]): boolean {
  return 2 * length > votersOf(step).length;
}

/** What the messages of this node carry of its configuration. */
export function configured({ configuration }: Knowing['state']): Configured {
  return configuration === null ? {} : { configuration };
}

/** Takes the configuration of a message if it is later. Returns whether it is. The caller must write the disk. */
export function adoptConfiguration({ state }: Knowing, { configuration }: Configured): boolean {
  if (configuration === undefined || !isLater({ configuration }, state)) return false;
  state.configuration = configuration;
  return true;
}

type Numbered = { readonly configuration?: Configuration | null | undefined };

/** Whether one configuration is later than another. That of the founders is the first. */
export function isLater(
  { configuration: one }: Numbered,
  { configuration: other }: Numbered,
): boolean {
  const [term, version] = [one?.term ?? 0, one?.version ?? 0];
  const than = { term: other?.term ?? 0, version: other?.version ?? 0 };
  return term > than.term || (term === than.term && version > than.version);
}

/** The members that count by a record on disk; null for the founders. */
export function storedVoters(persisted: Json): readonly Rank[] | null {
  if (typeof persisted !== 'object' || persisted === null || !('configuration' in persisted))
    return null;
  return storedConfiguration(persisted.configuration)?.members ?? null;
}

/** The configuration on a disk; undefined if the record is damaged. */
export function storedConfiguration(stored: Json): Configuration | null | undefined {
  if (stored === null) return null;
  if (typeof stored !== 'object' || !('members' in stored)) return undefined;
  const { term, version, members, removed } = stored;
  const isRanks = (list: Json | undefined): list is readonly Rank[] =>
    Array.isArray(list) && list.every((node) => ['number', 'string'].includes(typeof node));
  if (!isTerm(term) || !isTerm(version) || !isRanks(members) || !isRanks(removed)) return undefined;
  return { term, version, members, removed };
}
