/**
 * @module
 * This folder checks the logs of live nodes against the model. This file numbers the nodes of the model: the members, and
 * phantoms, which are ranks that no member has but that messages name. At L0 a Byzantine node can name any rank. A
 * phantom is in the model, as in the simulator, a node that never enters.
 */

import { ranksIn } from '../../election/authentication/message-forms.ts';
import type { Json, Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { castWithout } from '../../election/world/membership.ts';
import type { Action } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import type { LiveEvent, LiveLog } from '../node-record.ts';
import { STORE_RANK } from '../node-record.ts';
import type { Network, Peer } from '../peers.ts';
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

/** Phantoms of one model. Every step takes longer with each of them, and vector clocks are for 1 000 nodes in all. */
export const PHANTOMS_MAX = 512;

type Delivery = LiveEvent & { readonly type: 'deliver' };

/** The ranks that a machine can take of a message that it receives. */
export function ranksTaken(
  protocol: ProtocolName,
  { from, message }: Delivery,
): readonly unknown[] {
  return [from, ...ranksIn(protocol, message)];
}

/** The ranks that no member has but that machines can take of messages. */
export interface Phantoms {
  /** `PHANTOMS_MAX` at most, those that were named first. */
  readonly ranks: readonly Rank[];
  readonly count: number;
  /** The sender of most of them. */
  readonly namer: Rank | null;
}

/** The phantoms that the records name as senders or in messages. */
export function phantomsIn(
  { peers }: Pick<Network, 'peers'>,
  protocol: ProtocolName,
  logs: readonly Pick<LiveLog, 'records'>[],
): Phantoms {
  const known = new Set<unknown>(peers.map(({ rank }) => rank));
  const form = new RegExp(`^[0-9a-f]{${String(peers[0]?.rank).length}}$`);
  const isPhantom = (rank: unknown): rank is Rank =>
    typeof rank === 'string' && !known.has(rank) && form.test(rank);
  const namings = logs.flatMap(({ records }) =>
    records.flatMap(({ t, event }) => {
      if (event.type !== 'deliver') return [];
      const ranks = ranksTaken(protocol, event).filter(isPhantom);
      return ranks.length === 0 ? [] : { t, by: event.from, ranks };
    }),
  );
  const namers = new Map<Rank, Rank>();
  for (const { by, ranks } of namings.toSorted((one, other) => one.t - other.t)) {
    for (const rank of ranks) if (!namers.has(rank)) namers.set(rank, by);
  }
  const ranks = [...namers.keys()];
  return { ranks: ranks.slice(0, PHANTOMS_MAX), count: ranks.length, namer: mostOf(namers) };
}

function mostOf(namers: ReadonlyMap<Rank, Rank>): Rank | null {
  const counts = new Map<Rank, number>();
  for (const by of namers.values()) counts.set(by, (counts.get(by) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? null;
}

/** The network with phantoms at the end of its ring. */
export function withPhantoms({ peers, ring }: Network, { ranks }: Phantoms): ModelNetwork {
  const all = [
    ...peers.map(({ rank, isFounder }) => ({ rank, isFounder, isPhantom: false })),
    ...ranks.map((rank) => ({ rank, isFounder: false, isPhantom: true })),
  ].sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const positionOf = (rank: Rank | undefined) => all.findIndex((each) => each.rank === rank) + 1;
  return {
    peers: all.map((node, index) => ({ ...node, position: index + 1 })),
    ring: [...ring.map((position) => peers[position - 1]?.rank), ...ranks].map(positionOf),
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
    const receiverOf = (message: number) =>
      world.inFlight.find(({ id }) => id === message)?.to ?? 0;
    const acting = 'node' in action ? action.node : receiverOf(action.message);
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
