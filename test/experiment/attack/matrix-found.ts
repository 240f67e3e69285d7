/**
 * @module
 * The attack matrix as it is found, and beside it what the descriptions of the protocols lead one to expect.
 * Where the two differ a reason stands beside the difference.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { MatrixAttack, MatrixRow } from '../../../src/experiment/attack/matrix.ts';
import { MATRIX_ATTACK_NAMES, markOf, matrixCell } from '../../../src/experiment/attack/matrix.ts';
import { parseSeed } from '../../../src/random.ts';

export const MATRIX_SEED = parseSeed('1');
/** Detectors on the nodes, long runs. */
export const SLOW_ATTACKS: readonly MatrixAttack[] = ['A6', 'A13'];

/** In the order of MATRIX_ATTACK_NAMES, a letter a level; a point is a cell without meaning. */
const FOUND: Readonly<Record<ProtocolName, string>> = {
  'bully-oneshot': 'NN-- NN-- LLLL ---- NN-- NN-- NNNN NNNN LLLL .    .    .    NNNN .',
  'bully-gm82': 'N--- N--- LLLL ---- N--- N--- NNNN NNNN LLLL .    .    .    NNNN .',
  'bully-2phase': 'NN-- NN-- LLLL ---- NN-- NN-- NNNN NNNN LLLL .    .    .    NNNN .',
  'bully-nextinline': 'NN-- NN-- LLLL ---- NN-- NN-- NNNN NNNN LLLL .    .    .    NNNN .',
  'bully-improved': 'NN-- NN-- LLLL ---- NN-- NN-- NNNN NNNN LLLL .    ---- .    NNNN .',
  'bully-modified': 'NN-- NN-- LLLL ---- NN-- NN-- NNNN ---- LLLL .    .    .    NNNN .',
  'ring-lelann': '.    NN-- ---- NNNN ---- .    NNNN .    LLLL NNNN NNNN .    NNNN .',
  'ring-collect': 'LLLL NN-- LLLL NNNN ---- SSSS NNNN .    LLLL NNNN SSSS .    NNNN .',
  'ring-maxtoken': 'LLLL NN-- LLLL NNNN ---- SSSS NNNN .    LLLL NNNN NNSS .    NNNN .',
  'cr-join': 'LLLL NN-- LLLL NNNN SSS- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'cr-replace': 'LLLL NN-- LLLL NNNN SSS- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'cr-always': 'LLLL NN-- LLLL NNNN SSS- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'ring-attr': 'LLLL NN-- LLLL NNNN ---- SSSS NNNN .    .    NNNN LLLL .    NNNN .',
  'hs-wake': 'LLLL NN-- LLLL NNNN SSS- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'hs-slide': 'LLLL NN-- LLLL NNNN SSS- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  peterson: 'LLLL NN-- ---- NNNN ---- SSSS NNNN .    LLLL NNNN NNLL .    NNNN .',
  'peterson-prose': 'LLLL NN-- .    NNNN ---- SSSS ---- .    .    NNNN --NN .    ---- .',
  'ring-robust': 'LLLL NN-- LLLL NNNN ---- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'ring-robust:peterson': 'LLLL NN-- ---- NNNN ---- SSSS NNNN .    LLLL NNNN NNNN .    NNNN .',
  'itai-rodeh': 'LLLL NNNN .    NNNN ---- SSSS ---- .    .    NNNN NNNN .    ---- .',
  raft: 'LLLL .    .    NNNN ---- SSSS ---- NNNN .    .    .    SSSS .    NNNN',
  'zab-fle': '.    .    .    ---- ---- SSSS ---- NNNN .    .    .    SSSS .    NNNN',
  'quorum-lease': 'LLLL .    .    ---- ---- SSSS ---- NNNN .    .    .    SSSS .    NNNN',
  'zk-slide-quorum': 'LLLL NN-- .    ---- ---- SSSS ---- ---- .    .    .    SSSS NNNN NNNN',
  'db-lease': '.    .    .    .    .    .    ---- .    .    .    .    .    .    NNNN',
  'lease-local': '.    .    .    .    .    .    ---- .    .    .    .    .    .    .',
  'zk-recipe': '.    .    .    .    .    .    ---- .    .    .    .    .    .    .',
};

const BULLY = '● ● ○ ○ ● ○ ○ ○ ○ . . . ○ .';
const BULLY_VARIANT = '● ● ○ ○ ● ○ ○ ○ ○ . ● . ○ .';
const RING = '● ● ○ ○ ● ○ ○ . ○ ○ ● . ○ .';
const QUORUM = '● . . ○ ● ○ ○ ○ . . . ○ ○ ●';
const STORE = '● . . . ● . ○ ○ . . . ○ ○ ●';

/** What is expected of them: works at L3 still, breaks below it. */
const EXPECTED: Readonly<Record<ProtocolName, string>> = {
  'bully-oneshot': BULLY,
  'bully-gm82': BULLY,
  'bully-2phase': BULLY,
  'bully-nextinline': BULLY,
  'bully-improved': BULLY_VARIANT,
  'bully-modified': BULLY_VARIANT,
  'ring-lelann': RING,
  'ring-collect': RING,
  'ring-maxtoken': RING,
  'cr-join': RING,
  'cr-replace': RING,
  'cr-always': RING,
  'ring-attr': RING,
  'hs-wake': RING,
  'hs-slide': RING,
  peterson: RING,
  'peterson-prose': RING,
  'ring-robust': RING,
  'ring-robust:peterson': RING,
  'itai-rodeh': RING,
  raft: QUORUM,
  'zab-fle': QUORUM,
  'quorum-lease': QUORUM,
  'zk-slide-quorum': QUORUM,
  'db-lease': STORE,
  'lease-local': STORE,
  'zk-recipe': STORE,
};

const BULLIES = PROTOCOL_NAMES.filter((name) => name.startsWith('bully-'));
const RINGS = PROTOCOL_NAMES.filter((name) => EXPECTED[name] === RING);
const QUORUMS = PROTOCOL_NAMES.filter((name) => EXPECTED[name] === QUORUM);
const STORES = PROTOCOL_NAMES.filter((name) => EXPECTED[name] === STORE);
const ANONYMOUS: readonly ProtocolName[] = ['peterson-prose', 'itai-rodeh'];
const PETERSONS: readonly ProtocolName[] = ['peterson', 'ring-robust:peterson'];
/** In which nobody is made to follow a leader that was replaced beside one that was not. */
const SETTLED = RINGS.filter((name) => !/^(cr|hs)-/.test(name));
/** By their tokens alone, so that nobody has to be announced. */
const UNANNOUNCED: readonly ProtocolName[] = ['ring-lelann'];

type Difference = readonly [
  attacks: readonly MatrixAttack[],
  protocols: readonly ProtocolName[],
  reason: string,
];

export const DIFFERENCES: readonly Difference[] = [
  [['A3'], BULLIES, 'the lowest node is asked by nobody, and who is silent is done without'],
  [
    ['A5'],
    BULLIES,
    'it takes two names above every listener, and from L2 a node can announce itself alone',
  ],
  [['A7'], ['bully-modified'], 'a grant that brings nothing goes to the next highest'],
  [
    ['A11'],
    ['bully-improved', 'bully-modified'],
    'only who leads declares who is next, and the lowest leads nobody',
  ],

  [
    ['A1'],
    RINGS,
    'nothing in an announcement shows that a candidate came home: anybody signs that it won itself',
  ],
  [
    ['A4'],
    SETTLED,
    'old words are numbered, end with who is named, or are taken for another lap, so that all agree in the end',
  ],
  [
    ['A5', 'A2b'],
    UNANNOUNCED,
    'each sees for itself who is highest, and its list is closed when it has',
  ],
  [['A2b'], PETERSONS, 'who was overtaken only relays, so that nobody is left to play against'],
  [
    ['A2b', 'A6', 'A8/9', 'A13'],
    ANONYMOUS,
    'it may elect anybody, so that a top ID is worth nothing',
  ],
  [['A2a'], ['itai-rodeh'], 'its IDs are drawn and nobody has to prove them'],
  [
    ['A8/9'],
    ['ring-attr'],
    'it is by what nodes claim of themselves, which costs nothing to forge',
  ],
  [['A11'], RINGS, 'what is left out of a token, or replaced by the liar itself, is not missed'],

  [['A1'], QUORUMS, 'nothing in an announcement shows that a quorum voted: it takes a certificate'],
  [['A2a'], ['zk-slide-quorum'], 'a vote may be for somebody who is no member'],
  [['A3'], QUORUMS, 'a majority does without it; only at raft its rising terms depose leaders'],
  [
    ['A4'],
    QUORUMS,
    'what is said again of an older term leaves nobody without a leader; at raft, at L0 and L1, it makes another election, which the liar wins as anybody may (14 of 34 runs whose honest twin elects others)',
  ],
  [['A6'], QUORUMS, 'who returns follows the leader that a majority has'],
  [['A7'], ['zk-slide-quorum'], 'who waited in vain stands with a higher epoch'],
  [['A13'], QUORUMS, 'they have time-outs of their own and ask no detector'],
  [['A14'], QUORUMS, 'a number is its sender’s own word, which every level lets through'],

  [
    ['A1', 'A4', 'A7', 'A12', 'A13'],
    STORES,
    'nodes speak to the store alone, which knows who calls and is not attacked here',
  ],
  [['A6'], STORES, 'a lease is not taken from who holds it by returning'],
  [
    ['A14'],
    STORES,
    'versions are written by whoever holds the row; where the store counts there is nothing to inflate',
  ],
];

/** The attacks whose mark is another than expected. */
export function attacksThatDiffer(protocol: ProtocolName): MatrixAttack[] {
  const found = FOUND[protocol].split(/ +/).map((cell) => markOf(cell) || '.');
  const expected = EXPECTED[protocol].split(' ');
  return MATRIX_ATTACK_NAMES.filter((_, index) => found[index] !== expected[index]);
}

/** The whole of what was found. */
export function foundRows(): MatrixRow[] {
  return PROTOCOL_NAMES.map((protocol) => {
    const found = FOUND[protocol].split(/ +/);
    const cells = MATRIX_ATTACK_NAMES.map((attack, index) => [
      attack,
      found[index]?.replace('.', ''),
    ]);
    // The names are those of all attacks, which fromEntries forgets.
    return { protocol, cells: Object.fromEntries(cells) as MatrixRow['cells'] };
  });
}

/** What is found of a protocol by runs, and what was found, in these columns. */
export function playedAndFound(protocol: ProtocolName, attacks: readonly MatrixAttack[]) {
  const found = FOUND[protocol].split(/ +/);
  return attacks.map((attack) => ({
    attack,
    played: matrixCell(protocol, attack, MATRIX_SEED) || '.',
    found: found[MATRIX_ATTACK_NAMES.indexOf(attack)],
  }));
}
