/**
 * @module
 * What goes round a ring: by which of its members a token is told from others as nodes pass it on, how
 * many laps it needs at most, and whether the node that is handed it must pass it on.
 */

import type { Message, Rank } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { memberOf } from './guarded.ts';

interface Kind {
  /** Members that stay the same while it is passed on. */
  readonly names: readonly string[];
  /** The member that says at whom it ends. */
  readonly home: string;
  /** Whether only those below the one at home pass it on. */
  readonly passesLower?: true;
}

interface RingTokens {
  readonly kinds: Readonly<Record<string, Kind>>;
  /** Laps that a token of n nodes needs at most. */
  readonly laps: (nodes: number) => number;
  /** Whether any node may put its own in the place of a lower one, so that all may come from one. */
  readonly isReplaced?: true;
  /** Why it is not known of each token if the next node owes it to the one after; null where it is. */
  readonly unowed: string | null;
}

const ONE_LAP = () => 1;

const PROBES: RingTokens['kinds'] = {
  PROBE: { names: ['candidate'], home: 'candidate', passesLower: true },
  SELECTED: { names: ['leader'], home: 'leader' },
};
const CHANG_ROBERTS: RingTokens = { kinds: PROBES, laps: ONE_LAP, unowed: null };

const HIRSCHBERG_SINCLAIR: RingTokens = {
  kinds: {
    FROM: { names: ['candidate', 'hopsMax', 'clockwise'], home: 'candidate' },
    OK: { names: ['candidate', 'hopsMax', 'clockwise'], home: 'candidate' },
    NO: { names: ['candidate', 'hopsMax', 'clockwise'], home: 'candidate' },
    ELECTED: { names: ['leader'], home: 'leader' },
  },
  laps: ONE_LAP,
  unowed: 'whoever is at the end of its reach answers a candidate in the place of passing it on',
};

const PETERSON: RingTokens = {
  kinds: {
    TID: { names: ['tid', 'election'], home: 'tid' },
    ELECTED: { names: ['leader', 'election'], home: 'leader' },
  },
  // Two messages a phase on every link, and as many phases as n can be halved.
  laps: (nodes) => 2 * (Math.floor(Math.log2(nodes)) + 1),
  unowed: 'who still plays keeps an ID to itself, and nobody else knows who does',
};

/** An ID may be put in the place of another on the way. */
const ATTRIBUTED: Kind = { names: ['election', 'initiator'], home: 'id' };
const LAP: Kind = { names: ['initiator'], home: 'initiator' };

const TOKENS: Readonly<Partial<Record<ProtocolName, RingTokens>>> = {
  'ring-lelann': {
    kinds: { ELECT: { names: ['candidate', 'election'], home: 'candidate' } },
    laps: ONE_LAP,
    unowed: null,
  },
  'ring-collect': { kinds: { ELECTION: LAP, COORDINATOR: LAP }, laps: ONE_LAP, unowed: null },
  'ring-maxtoken': { kinds: { TOKEN: LAP, COORDINATOR: LAP }, laps: ONE_LAP, unowed: null },
  'cr-join': CHANG_ROBERTS,
  'cr-replace': CHANG_ROBERTS,
  // A higher candidate takes the place of a lower one, which is then never heard of again.
  'cr-always': { ...CHANG_ROBERTS, isReplaced: true },
  'ring-attr': {
    kinds: { ELECTION: ATTRIBUTED, ELECTED: ATTRIBUTED },
    laps: ONE_LAP,
    unowed: 'a better one may take its place on the way, by what its sender says of itself',
  },
  'hs-wake': HIRSCHBERG_SINCLAIR,
  'hs-slide': HIRSCHBERG_SINCLAIR,
  peterson: PETERSON,
  'peterson-prose': PETERSON,
};

/** What goes round in this protocol; null where nothing does, or it is numbered already. */
export function tokensOf(protocol: ProtocolName): RingTokens | null {
  return TOKENS[protocol] ?? null;
}

/** By what a token is known on its way; null for what is none. */
export function tokenName({ kinds }: RingTokens, message: Message): string | null {
  const kind = Object.hasOwn(kinds, message.type) ? kinds[message.type] : undefined;
  if (kind === undefined) return null;
  return JSON.stringify([message.type, ...kind.names.map((name) => memberOf(message, name))]);
}

/** Whether `next`, handed this, has to hand it on. */
export function mustPassOn({ kinds, unowed }: RingTokens, message: Message, next: Rank): boolean {
  const kind = Object.hasOwn(kinds, message.type) ? kinds[message.type] : undefined;
  if (kind === undefined || unowed !== null) return false;
  const home = memberOf(message, kind.home);
  if (typeof home !== typeof next || home === next) return false;
  return kind.passesLower !== true || isAbove(home, next);
}

function isAbove(home: unknown, next: Rank): boolean {
  if (typeof home === 'number' && typeof next === 'number') return home > next;
  return typeof home === 'string' && typeof next === 'string' && home > next;
}
