/**
 * @module
 * Which words of one node contradict each other: what it can say once only, in one election, of leader or
 * vote, and would be heard to say twice. Two such signed words with different content prove a lie to
 * everybody; a voter that has lost its disk and votes again tells the same lie.
 */

import type { Message, Rank } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { memberOf } from './guarded.ts';

interface Claim {
  /** Members that say in which election it holds; none where it holds for ever. */
  readonly within: readonly string[];
  /** The member that must not differ; null: the recipient must not. */
  readonly says: string | null;
  /** Members that it must have to be a claim. */
  readonly where?: Readonly<Record<string, boolean>>;
}

type Claims = Readonly<Record<string, Claim>>;

const OF_AN_ID: Claim = { within: ['epoch'], says: 'id' };

const CLAIMS: Readonly<Partial<Record<ProtocolName, Claims>>> = {
  raft: { VOTE_REPLY: { within: ['term'], says: null, where: { granted: true } } },
  'quorum-lease': { GRANT: { within: ['term'], says: null } },
  'zk-slide-quorum': { ACK: OF_AN_ID, COMMIT: OF_AN_ID },
  'zab-fle': {
    ACKEPOCH: { within: ['epoch'], says: null, where: { promised: true } },
    ACK: { within: ['epoch'], says: null },
  },
};

export function hasClaims(protocol: ProtocolName): boolean {
  return CLAIMS[protocol] !== undefined;
}

/**
 * What a word claims: of two of one node with the same `slot` and different `content` one is a lie. Null
 * for a word that claims nothing.
 */
export function claimIn(
  protocol: ProtocolName,
  { to, body }: { readonly to: Rank; readonly body: Message },
): { readonly slot: string; readonly content: string } | null {
  const claims = CLAIMS[protocol] ?? {};
  const claim = Object.hasOwn(claims, body.type) ? claims[body.type] : undefined;
  if (claim === undefined) return null;
  const { within, says, where = {} } = claim;
  if (Object.entries(where).some(([name, value]) => memberOf(body, name) !== value)) return null;
  const slot = JSON.stringify([body.type, ...within.map((name) => memberOf(body, name))]);
  return { slot, content: JSON.stringify(says === null ? to : memberOf(body, says)) ?? '' };
}
