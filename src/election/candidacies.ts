/**
 * @module
 * Which parts of a message name a node as candidate or leader: what such a node must have signed
 * itself, before anybody may name it. A relay that passes another's name on only carries that
 * signature along, so that a node that exists nowhere cannot be named at all.
 */

import type { Message, Rank } from './machine.ts';
import { carriedBy } from './message-forms.ts';
import type { ProtocolName } from './registry.ts';

/** Members that hold a rank, a list of ranks, or null, by type of message. */
type Naming = Readonly<Record<string, readonly string[]>>;

const COORDINATOR: Naming = { COORDINATOR: ['leader'] };
const PROBES: Naming = { PROBE: ['candidate'], SELECTED: ['leader'] };
const ECHOES: Naming = {
  ...{ FROM: ['candidate'], OK: ['candidate'], NO: ['candidate'] },
  ELECTED: ['leader'],
};
const TIDS: Naming = { TID: ['tid'], ELECTED: ['leader', 'tid'] };
const NOBODY: Naming = {};

const NAMING: Readonly<Record<ProtocolName, Naming>> = {
  'bully-oneshot': COORDINATOR,
  // Its coordinator is whoever sends.
  'bully-gm82': NOBODY,
  'bully-2phase': { PREPARE: ['leader'], READY: ['leader'], ANNOUNCE: ['leader'] },
  'bully-nextinline': COORDINATOR,
  'bully-improved': { ...COORDINATOR, NEXT: ['next'] },
  'bully-modified': COORDINATOR,
  'ring-lelann': { ELECT: ['candidate'] },
  'ring-collect': { ELECTION: ['ids'], COORDINATOR: ['leader'] },
  'ring-maxtoken': { TOKEN: ['max'], COORDINATOR: ['leader'] },
  'cr-join': PROBES,
  'cr-replace': PROBES,
  'cr-always': PROBES,
  'ring-attr': { ELECTION: ['id'], ELECTED: ['id'] },
  'hs-wake': ECHOES,
  'hs-slide': ECHOES,
  peterson: TIDS,
  'peterson-prose': TIDS,
  'ring-robust': PROBES,
  'ring-robust:peterson': TIDS,
  // Its nodes have no IDs until one of them leads.
  'itai-rodeh': { ELECTED: ['leader'] },
  // Whoever asks for a vote, or sends a heartbeat, names itself.
  raft: NOBODY,
  'quorum-lease': NOBODY,
  'zk-slide-quorum': { NEW_LEADER: ['id'], ACK: ['id'], COMMIT: ['id'] },
  'zab-fle': { NOTIFICATION: ['leader'] },
  'db-lease': NOBODY,
  'lease-local': NOBODY,
  'zk-recipe': NOBODY,
};

const COORDINATORS: readonly string[] = ['COORDINATOR'];

/** What nobody says but the node that is named: a dead leader's word is not another's to repeat. */
const OWN_WORDS: Partial<Record<ProtocolName, readonly string[]>> = {
  'bully-oneshot': COORDINATORS,
  'bully-2phase': ['PREPARE', 'ANNOUNCE'],
  'bully-nextinline': COORDINATORS,
  'bully-improved': COORDINATORS,
  'bully-modified': COORDINATORS,
  'zk-slide-quorum': ['NEW_LEADER'],
};

/** Whether a message may come from nobody but the node that it names. */
export function isOwnWord(protocol: ProtocolName, { type }: Message): boolean {
  return OWN_WORDS[protocol]?.includes(type) === true;
}

/** Rings, on which what names a node comes home to it by way of all the others. */
const COMING_HOME: readonly ProtocolName[] = [
  ...(['ring-lelann', 'ring-collect', 'ring-maxtoken', 'ring-attr', 'itai-rodeh'] as const),
  ...(['cr-join', 'cr-replace', 'cr-always', 'hs-wake', 'hs-slide'] as const),
  ...(['peterson', 'peterson-prose', 'ring-robust', 'ring-robust:peterson'] as const),
];

/** Whether a node is named to itself by nobody who was not shown its candidacy: elsewhere it may be a vote. */
export function comesHome(protocol: ProtocolName): boolean {
  return COMING_HOME.includes(protocol);
}

/** By what its sender stands, without naming itself: whoever hears it may name it to others. */
const STANDING: Partial<Record<ProtocolName, readonly string[]>> = {
  // Whom the coordinator declares to come next is one of those that have told it that they are up.
  'bully-improved': ['INFO'],
};

/** Whether who says it puts itself forward, so that its own candidacy has to come along. */
export function isStanding(protocol: ProtocolName, type: string): boolean {
  return STANDING[protocol]?.includes(type) === true;
}

/** Whose candidacies have to come along with what `by` says: of all whom it names or puts forward. */
export function candidatesIn(protocol: ProtocolName, message: Message, by: Rank): readonly Rank[] {
  const named = namedIn(protocol, message);
  return isStanding(protocol, message.type) ? [by, ...named] : named;
}

/** The members of a message of this type that name a candidate or leader; in a robust ring, of what is inside. */
export function namingMembers(protocol: ProtocolName, type: string): readonly string[] {
  const naming = NAMING[protocol];
  return Object.hasOwn(naming, type) ? (naming[type] ?? []) : [];
}

/** The nodes that a message of this protocol names as candidate or leader, each once. */
export function namedIn(protocol: ProtocolName, message: Message): readonly Rank[] {
  // A token of a ring with successor lists has the message of its protocol inside.
  const said = carriedBy(protocol, message) ?? message;
  const members = namingMembers(protocol, said.type);
  if (members.length === 0) return [];
  const fields: Readonly<Record<string, unknown>> = { ...said };
  const named = members.flatMap((member) => fields[member] ?? []);
  return [...new Set(named.filter(isRank))];
}

function isRank(value: unknown): value is Rank {
  return typeof value === 'number' || typeof value === 'string';
}
