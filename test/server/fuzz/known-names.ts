/**
 * @module
 * Names from earlier answers, with which later requests are accepted: ids by collection, node IDs, tokens,
 * and page tokens.
 */

/** How many of each are remembered; the newest are. */
const NAMES_MAX = 8;

/** A node that is played from outside, by kind of name: its election, ID and token belong together. */
export type Player = Readonly<Record<string, string>>;

export class KnownNames {
  readonly #names = new Map<string, string[]>();
  #players: readonly Player[] = [];

  /** The answer to joining an election. */
  learnPlayer(election: string, json: unknown): void {
    if (typeof json !== 'object' || json === null || !('nodeId' in json && 'token' in json)) return;
    const player = {
      [kindOf('id', 'elections')]: election,
      node: String(json.nodeId),
      token: String(json.token),
    };
    this.#players = [...this.#players, player].slice(-NAMES_MAX);
  }

  get players(): readonly Player[] {
    return this.#players;
  }

  /** Every id and similar name in an answer; `collection` is the first segment of the path after /v1. */
  learn(collection: string, json: unknown): void {
    if (typeof json !== 'object' || json === null) return;
    for (const [name, value] of Object.entries(json)) {
      if (typeof value === 'string' && LEARNED.has(name))
        this.#add(kindOf(name, collection), value);
      else this.learn(collection, value);
    }
  }

  /** Forgets an object that was deleted. */
  forget(collection: string, id: string): void {
    const kind = kindOf('id', collection);
    this.#players = this.#players.filter((player) => player[kind] !== id);
    this.#names.set(
      kind,
      this.of(kind).filter((each) => each !== id),
    );
  }

  of(kind: string): readonly string[] {
    return this.#names.get(kind) ?? [];
  }

  #add(kind: string, value: string): void {
    const others = this.of(kind).filter((each) => each !== value);
    this.#names.set(kind, [...others, value].slice(-NAMES_MAX));
  }
}

/** The kind of name that a parameter or a member contains. */
export function kindOf(name: string, collection: string): string {
  const lower = name.toLowerCase().replaceAll(/[-_]/g, '');
  switch (lower) {
    case 'id':
      return `id of ${collection}`;
    case 'node':
    case 'nodeid':
      return 'node';
    case 'nodetoken':
    case 'token':
      return 'token';
    case 'pagetoken':
    case 'nextpagetoken':
      return 'page';
    default:
      return lower;
  }
}

const LEARNED = new Set(['id', 'nodeId', 'token', 'nextPageToken']);
