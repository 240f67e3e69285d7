/**
 * @module
 * This folder checks the logs of live nodes against the model. This file numbers the nodes of the model: the members, and
 * phantoms, which are ranks that no member has but that messages name. At L0 a Byzantine node can name any rank. A
 * phantom is in the model, as in the simulator, a node that never enters.
 */

import type { Json, Rank } from '../../../election/machine.ts';
import type { Cast } from '../../../election/world/cast.ts';
import { castWithout } from '../../../election/world/membership.ts';
import type { Action } from '../../../election/world/world.ts';
import type { World } from '../../../election/world/world-state.ts';
import { LabError } from '../../../errors.ts';
import type { LiveLog } from '../node-record.ts';
import { STORE_RANK } from '../node-record.ts';
import type { Network, Peer } from '../peers.ts';
import { PEERS_MAX } from '../peers.ts';
import { ranksAsNumbers } from '../rank-names.ts';

/** A node of the model. */
export interface ModelNode extends Pick<Peer, 'rank' | 'position' | 'isFounder'> {
  /** Whether no member has the rank. */
  readonly isPhantom?: boolean;
}

/** A network with phantoms. One without is a `Network`. */
export interface ModelNetwork extends Pick<Network, 'ring'> {
  /** Ascending by rank. */
  readonly peers: readonly ModelNode[];
}

/** The ranks that no member has but that the records name as senders or in messages. */
export function phantomsIn({ peers }: Network, logs: readonly Pick<LiveLog, 'records'>[]): Rank[] {
  const known = new Set(peers.map(({ rank }) => String(rank)));
  const length = String(peers[0]?.rank).length;
  const form = new RegExp(`^[0-9a-f]{${length}}$`);
  const found = new Set<string>();
  const note = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!known.has(value) && form.test(value)) found.add(value);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(note);
  };
  for (const { event } of logs.flatMap(({ records }) => records)) {
    if (event.type === 'deliver') note([event.from, event.message]);
  }
  if (found.size > PEERS_MAX) {
    const detail = `the messages name ${found.size} ranks that no member has; the check takes ${PEERS_MAX} at most`;
    throw new LabError('job.size', detail);
  }
  return [...found].map((rank) => rank as string as Rank); // They have the form of live ranks.
}

/** The network with these phantoms at the end of its ring. */
export function withPhantoms({ peers, ring }: Network, phantoms: readonly Rank[]): ModelNetwork {
  const all = [
    ...peers.map(({ rank, isFounder }) => ({ rank, isFounder, isPhantom: false })),
    ...phantoms.map((rank) => ({ rank, isFounder: false, isPhantom: true })),
  ].sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const positionOf = (rank: Rank | undefined) => all.findIndex((each) => each.rank === rank) + 1;
  return {
    peers: all.map((node, index) => ({ ...node, position: index + 1 })),
    ring: [...ring.map((position) => peers[position - 1]?.rank), ...phantoms].map(positionOf),
  };
}

/** Replaces the ranks of live nodes by positions. */
export function toModelOf({ peers }: ModelNetwork, store: number | null): (value: Json) => Json {
  const positions = new Map(peers.map(({ rank, position }) => [String(rank), position]));
  if (store !== null) positions.set(String(STORE_RANK), store);
  return ranksAsNumbers((rank) => positions.get(rank));
}

/** Which newcomers each node knows. The model changes the membership for all nodes at once; live nodes learn one by one. */
export class Members {
  readonly #cast: Cast;
  readonly #joined: readonly number[];
  readonly #known = new Map<number, Set<number>>();

  constructor(cast: Cast, joined: readonly number[]) {
    this.#cast = cast;
    this.#joined = joined;
    for (const position of joined) this.note(position, position);
  }

  note(position: number, joined: number): void {
    this.#known.set(position, (this.#known.get(position) ?? new Set()).add(joined));
  }

  /** The cast as the node that acts knows it. */
  castFor(action: Action, world: World): Cast {
    if (this.#joined.length === 0) return this.#cast;
    const acting = 'node' in action ? action.node : receiverOf(action.message, world);
    const known = this.#known.get(acting);
    const unknown = this.#joined.filter((each) => known?.has(each) !== true);
    const after = action.type === 'enter' ? [acting] : [];
    const absent = world.absent.filter((each) => !after.includes(each));
    // The model itself leaves out the absent ones.
    return castWithout(
      this.#cast,
      unknown.filter((each) => !absent.includes(each)),
    );
  }
}

function receiverOf(message: number, { inFlight }: World): number {
  return inFlight.find(({ id }) => id === message)?.to ?? 0;
}
