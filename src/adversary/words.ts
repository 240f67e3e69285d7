/**
 * @module
 * How the words of each protocol are forged: what announces a leader, what makes a candidate, what
 * answers one, and what of a message that is passed on can be altered on its way. A word that a protocol
 * does not have is null, and `lacks` says why. Nothing is sealed or sent here.
 */

import type { Message, Rank } from '../election/machine.ts';
import type { ProtocolName } from '../election/registry.ts';

/** What a forged word is about. */
export interface Matter {
  /** The leader or candidate; of an answer, who gives it. */
  readonly about: Rank;
  /** Where a lap ends, in rings whose messages say so. */
  readonly home: Rank;
  /** Election, term, epoch or round, whatever the protocol numbers. */
  readonly epoch: number;
  /** Of the forger's tokens, where tokens have numbers. */
  readonly serial: number;
  readonly ringNodes: number;
}

export interface Word {
  /** Whether it names whom it is about, or is about whoever sends it. */
  readonly names: 'subject' | 'sender';
  /** What is sent to each recipient, in this order. */
  readonly messages: (matter: Matter) => readonly Message[];
}

/**
 * What becomes of an altered member: `top` is the highest rank that can be named, `own` the forger's
 * rank, `others` a list from which all but the forger are deleted, `most` the greatest number.
 */
export type Alteration = 'top' | 'own' | 'others' | 'most';

export interface Words {
  /** To whom a word is sent that all are to hear: to everybody, or round a ring by its next node. */
  readonly route: 'everybody' | 'successor';
  /** Whether members believe in a leader below themselves. */
  readonly believes: 'anybody' | 'higher';
  /** Whether one that is no member is heard or may be named. */
  readonly heedsStrangers: boolean;
  /** Whether a leader that falls silent is replaced, so that it has to be announced again and again. */
  readonly fades: boolean;
  /** The member by which elections are numbered; null where they are not, or by each node for itself. */
  readonly numbering: string | null;
  readonly announcement: Word | null;
  readonly candidacy: Word | null;
  readonly answer: Word | null;
  /** By type of message, the members that whoever passes it on can alter. */
  readonly alterations: Readonly<Record<string, Readonly<Record<string, Alteration>>>>;
  /** Why it has no such word, nothing to alter, or nobody to answer. */
  readonly lacks: Readonly<Partial<Record<WordName | 'alterations' | 'answering', string>>>;
}

type WordName = 'announcement' | 'candidacy' | 'answer';

/** The greatest number that JSON carries exactly. */
const MOST = Number.MAX_SAFE_INTEGER;
const NOT_RELAYED = 'nobody passes on what another has said';
const UNANSWERED = 'nobody answers a candidate';

const BULLY = {
  route: 'everybody',
  believes: 'higher',
  heedsStrangers: true,
  fades: false,
  numbering: null,
  announcement: naming(({ about }) => [{ type: 'COORDINATOR', leader: about }]),
  candidacy: bySender(() => [{ type: 'ELECTION' }]),
  answer: bySender(() => [{ type: 'OK' }]),
  alterations: {},
  lacks: { alterations: NOT_RELAYED },
} satisfies Words;

const RING = {
  route: 'successor',
  believes: 'anybody',
  heedsStrangers: true,
  fades: false,
  numbering: null,
  answer: null,
  lacks: { answer: UNANSWERED },
} satisfies Partial<Words>;

const CHANG_ROBERTS = {
  ...RING,
  announcement: naming(({ about }) => [{ type: 'SELECTED', leader: about }]),
  candidacy: naming(({ about }) => [{ type: 'PROBE', candidate: about }]),
  alterations: { PROBE: { candidate: 'top' } },
} satisfies Words;

const PETERSON = {
  ...RING,
  numbering: 'election',
  announcement: naming(({ about, epoch }) => [
    { type: 'ELECTED', leader: about, tid: about, election: epoch },
  ]),
  candidacy: naming(({ about, epoch }) => [{ type: 'TID', tid: about, election: epoch }]),
  alterations: { TID: { tid: 'top' } },
} satisfies Words;

/** Laps whose messages name the node at which they end. */
const LAPS = {
  ...RING,
  announcement: naming(({ about, home }) => [
    { type: 'COORDINATOR', initiator: home, leader: about },
  ]),
} satisfies Partial<Words>;

const HIRSCHBERG_SINCLAIR = {
  ...RING,
  announcement: naming(({ about }) => [{ type: 'ELECTED', leader: about }]),
  candidacy: naming(({ about, ringNodes }) => {
    const hopsMax = 2 ** Math.ceil(Math.log2(ringNodes));
    return [{ type: 'FROM', candidate: about, hops: 0, hopsMax, clockwise: true }];
  }),
  lacks: { answer: 'an answer is to one question, whose reach a forger would have to know' },
  alterations: { FROM: { candidate: 'top' } },
} satisfies Words;

const QUORUM = {
  route: 'everybody',
  believes: 'anybody',
  heedsStrangers: false,
  fades: true,
  numbering: 'term',
  alterations: {},
  lacks: { alterations: NOT_RELAYED },
} satisfies Partial<Words>;

const STORE = 'its nodes speak to a store alone, which knows who calls';
const LEASE: Words = {
  ...QUORUM,
  numbering: null,
  announcement: null,
  candidacy: null,
  answer: null,
  lacks: {
    ...{ announcement: STORE, candidacy: STORE, answer: STORE },
    ...{ alterations: STORE, answering: STORE },
  },
};

/** How each protocol's words are forged. */
export const WORDS: Readonly<Record<ProtocolName, Words>> = {
  'bully-oneshot': BULLY,
  'bully-gm82': {
    ...BULLY,
    announcement: bySender(() => ['HALT', 'NEW_COORDINATOR', 'READY'].map((type) => call(type, 1))),
    candidacy: bySender(() => [call('ARE_YOU_THERE', 1)]),
    answer: bySender(() => [call('ARE_YOU_THERE_REPLY', 1)]),
  },
  'bully-2phase': {
    ...BULLY,
    numbering: 'election',
    announcement: naming(({ about, epoch }) =>
      ['PREPARE', 'ANNOUNCE'].map((type) => ({ type, leader: about, election: epoch })),
    ),
  },
  'bully-nextinline': BULLY,
  'bully-improved': { ...BULLY, alterations: { NEXT: { next: 'own' } }, lacks: {} },
  'bully-modified': {
    ...BULLY,
    numbering: 'election',
    candidacy: bySender(({ epoch }) => [{ type: 'ELECTION', election: epoch }]),
    answer: bySender(({ about, epoch }) => [{ type: 'OK', priority: about, election: epoch }]),
  },
  'ring-lelann': {
    ...RING,
    numbering: 'election',
    announcement: null,
    candidacy: naming(({ about, epoch }) => [{ type: 'ELECT', candidate: about, election: epoch }]),
    alterations: { ELECT: { candidate: 'top' } },
    lacks: { ...RING.lacks, announcement: 'nobody announces a leader, each sees for itself' },
  },
  'ring-collect': {
    ...LAPS,
    candidacy: naming(({ about, home }) => [{ type: 'ELECTION', initiator: home, ids: [about] }]),
    alterations: { ELECTION: { ids: 'others' } },
  },
  'ring-maxtoken': {
    ...LAPS,
    candidacy: naming(({ about, home }) => [{ type: 'TOKEN', initiator: home, max: about }]),
    alterations: { TOKEN: { max: 'top' } },
  },
  'cr-join': CHANG_ROBERTS,
  'cr-replace': CHANG_ROBERTS,
  'cr-always': CHANG_ROBERTS,
  'ring-attr': {
    ...RING,
    numbering: 'election',
    announcement: attributed('ELECTED'),
    candidacy: attributed('ELECTION'),
    // What a node claims of itself nobody can check, so that no rank need be forged.
    alterations: { ELECTION: { id: 'own', attr: 'most' } },
  },
  'hs-wake': HIRSCHBERG_SINCLAIR,
  'hs-slide': HIRSCHBERG_SINCLAIR,
  peterson: PETERSON,
  'peterson-prose': PETERSON,
  'ring-robust': carried(CHANG_ROBERTS),
  'ring-robust:peterson': carried(PETERSON),
  'itai-rodeh': {
    ...RING,
    numbering: 'round',
    announcement: naming(({ about, epoch }) => [{ type: 'ELECTED', round: epoch, leader: about }]),
    // An ID above all that can be drawn.
    candidacy: naming(({ epoch, ringNodes }) => [
      { type: 'TOKEN', round: epoch, id: ringNodes, hops: 1, unique: true },
    ]),
    alterations: { TOKEN: { id: 'most' } },
  },
  raft: {
    ...QUORUM,
    announcement: bySender(({ epoch }) => [{ type: 'HEARTBEAT', term: epoch }]),
    candidacy: bySender(({ epoch }) => [{ type: 'VOTE', term: epoch, lastIndex: MOST }]),
    answer: bySender(({ epoch }) => [{ type: 'VOTE_REPLY', term: epoch, granted: true }]),
  },
  'quorum-lease': {
    ...QUORUM,
    announcement: bySender(({ epoch }) => [{ type: 'MASTER', term: epoch }]),
    candidacy: bySender(({ epoch }) => [{ type: 'REQ', term: epoch, round: 1, leads: false }]),
    answer: bySender(({ epoch }) => [{ type: 'GRANT', term: epoch, round: 1 }]),
  },
  'zk-slide-quorum': {
    ...QUORUM,
    // Only its voters must be members, not whom they vote for.
    heedsStrangers: true,
    fades: false,
    numbering: 'epoch',
    announcement: naming(({ about, epoch }) => [{ type: 'COMMIT', epoch, id: about }]),
    candidacy: naming(({ about, epoch }) => [{ type: 'NEW_LEADER', epoch, id: about }]),
    answer: naming(({ about, epoch }) => [{ type: 'ACK', epoch, id: about }]),
  },
  'zab-fle': {
    ...QUORUM,
    numbering: 'round',
    announcement: null,
    candidacy: naming(({ about, epoch }) => {
      const vote = { leader: about, zxid: MOST, peerEpoch: MOST };
      return [{ type: 'NOTIFICATION', ...vote, round: epoch, state: 'LOOKING' }];
    }),
    answer: null,
    lacks: {
      ...QUORUM.lacks,
      announcement: 'nobody is followed before a quorum has promised and acknowledged its epoch',
      answer: 'a vote is a candidacy, one may name any member',
    },
  },
  'db-lease': LEASE,
  'lease-local': LEASE,
  'zk-recipe': LEASE,
};

/** The message that one of these carries in another, as the tokens of a robust ring do; else null. */
export function carriedIn(message: Message): Message | null {
  if (!('token' in message && 'message' in message)) return null;
  const { message: inner } = message;
  if (typeof inner !== 'object' || inner === null || !('type' in inner)) return null;
  return typeof inner.type === 'string' ? { ...inner, type: inner.type } : null;
}

function naming(messages: Word['messages']): Word {
  return { names: 'subject', messages };
}

function bySender(messages: Word['messages']): Word {
  return { names: 'sender', messages };
}

function call(type: string, number: number): Message {
  const message = { type, call: number };
  return message;
}

function attributed(type: 'ELECTION' | 'ELECTED'): Word {
  return naming(({ about, home, epoch }) => [
    { type, election: epoch, initiator: home, id: about, attr: MOST },
  ]);
}

/** The words of a ring whose tokens carry them, in elections that the outer ring numbers. */
function carried(words: Words): Words {
  const wrap = (word: Word | null): Word | null =>
    word && {
      ...word,
      messages: (matter) =>
        word.messages(matter).map((message) => {
          const { home, serial, epoch: election } = matter;
          return { type: message.type, election, token: [home, serial], message };
        }),
    };
  const { announcement, candidacy, answer } = words;
  return {
    ...words,
    numbering: 'election',
    announcement: wrap(announcement),
    candidacy: wrap(candidacy),
    answer: wrap(answer),
  };
}
