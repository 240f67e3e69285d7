/**
 * @module
 * The cells of the quorum protocols in the fault matrix. A majority of all members votes, once an
 * epoch and on disk before it says so: two majorities share a voter, so an epoch has one leader,
 * whatever network, pauses and clocks do, until a disk forgets (Ongaro and Ousterhout 2014, section 5).
 * What repeats itself finds a leader as soon as a majority is in touch.
 */

import type { Cell } from './cell.ts';
import { breaks, live, ok } from './cell.ts';
import type { ColumnName } from './columns.ts';
import { GUARDED_RAFT } from './columns.ts';
import type { RowName } from './rows.ts';

const RAFT: readonly ColumnName[] = ['raft', GUARDED_RAFT];
const SLIDE = ['zk-slide-quorum'] as const;
/** Those that ask again for as long as it takes. */
const TIRELESS: readonly ColumnName[] = [...RAFT, 'quorum-lease', 'zab-fle'];
const QUORUM: readonly ColumnName[] = [...TIRELESS, ...SLIDE];

const MINORITY = 'The side without a majority elects nobody.';
const LOST_COMMIT = 'A COMMIT is sent once, and again only to whom the detector trusts again.';
const TWO_VOTES = 'A voter that has forgotten votes twice in a term.';

export const QUORUM_CELLS: Readonly<Record<RowName, readonly Cell[]>> = {
  drop: [
    live(TIRELESS, 'What is lost is asked for again, in the next term if need be.'),
    breaks(['S2'], SLIDE, `${LOST_COMMIT} Nobody is suspected here.`),
  ],
  duplicate: [ok(QUORUM, 'Voters are counted, not messages.')],
  reorder: [ok(QUORUM, 'Whatever is of an older term or round counts for nothing.')],
  delay: [live(QUORUM, 'Time-outs that are too short cost terms, not safety.')],
  'clean-majority': [live(TIRELESS, MINORITY), breaks(['S2'], SLIDE, `${MINORITY} ${LOST_COMMIT}`)],
  'one-way': [live(QUORUM, 'Who is unheard makes the others ask again, until they hear it.')],
  'majorities-ring': [
    live(TIRELESS, 'Majorities overlap, and who is in both votes once.'),
    breaks(['S2'], SLIDE, LOST_COMMIT),
  ],
  'leader-isolated': [
    live(TIRELESS, 'The old leader may lead on, in an epoch that is over.'),
    breaks(['S2'], SLIDE, LOST_COMMIT),
  ],
  'swizzle-clog': [
    live(TIRELESS, 'As soon as a majority is in touch it elects.'),
    breaks(['S2'], SLIDE, LOST_COMMIT),
  ],
  'crash-best': [live(QUORUM, 'A majority is left.')],
  restart: [live(QUORUM, 'Term and vote are on disk.')],
  amnesia: [
    // Of two leaders of one term neither gives way: terms are compared, not leaders.
    breaks(['S1', 'S4'], RAFT, TWO_VOTES, { rarely: ['S2'], splits: true }),
    // No two hold a lease at a time even so: whoever has forgotten sits out first.
    breaks(['S1', 'S4'], ['quorum-lease'], TWO_VOTES),
    breaks(['S1', 'S4'], ['zab-fle'], 'A follower that has forgotten promises an epoch twice.'),
    breaks(['S1', 'S2', 'S4'], SLIDE, `${TWO_VOTES} ${LOST_COMMIT}`),
  ],
  pause: [
    live([...RAFT, 'zab-fle', ...SLIDE], 'Who wakes leads in an epoch that is over.'),
    breaks(['M'], ['quorum-lease'], 'Who wakes finds out first thing; while it sleeps two lead.'),
  ],
  'clock-skew': [
    live([...RAFT, 'zab-fle', ...SLIDE], 'Clocks time out too early or too late: no safety in it.'),
    // Among even starters: a slow master among fast voters is a test of its own.
    live(['quorum-lease'], 'The fastest clock stands first, and its lease is the shortest.'),
  ],
  'torn-record': [
    breaks(['S1', 'S4'], RAFT, 'A vote that is not on disk with its term is given again.', {
      rarely: ['S2'],
      splits: true,
    }),
    live(['quorum-lease'], 'Who returns makes no promise until the ballots of that term are over.'),
    live(['zab-fle'], 'An accepted epoch without its leader is promised to nobody again.'),
    breaks(['S2'], SLIDE, `What has no vote is no record: it refuses to start. ${LOST_COMMIT}`, {
      rarely: ['S1', 'S4', 'S5'],
      splits: true,
    }),
  ],
  'unknown-message': [ok(QUORUM, 'A machine does nothing with what it does not know.')],
};
