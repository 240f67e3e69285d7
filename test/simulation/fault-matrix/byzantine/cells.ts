/**
 * @module
 * The cells of the fault matrix in which somebody lies: what each form of it does to Chang and Roberts'
 * rings (`cr-*`), to `bully-oneshot` and to `raft`, found by 1000 runs a cell. Where the theory said
 * otherwise before these runs, a comment beside the cell says what it left out.
 */

import type { Cell } from '../cell.ts';
import { breaks, live, none, ok, stop } from '../cell.ts';
import type { ColumnName } from '../columns.ts';
import { GUARDED_RAFT } from '../columns.ts';
import type { ByzantineRowName } from './rows.ts';

const RINGS = ['cr-join', 'cr-replace', 'cr-always'] as const;
const BULLY = ['bully-oneshot'] as const;
const VOTES = ['raft', GUARDED_RAFT] as const;
const ALL = [...RINGS, ...BULLY, ...VOTES] as const;

/** Columns of these rows: R, B and Q. */
export const BYZANTINE_COLUMNS: readonly ColumnName[] = ALL;

/** By form, in the order of the row. */
export const BYZANTINE_CELLS: Readonly<
  Record<ByzantineRowName, Readonly<Record<string, readonly Cell[]>>>
> = {
  'flipped-bytes': {
    L0: [
      breaks(['S1', 'S2', 'S3'], RINGS, 'Another candidate or leader is as good a name.'),
      breaks(['S1', 'S2', 'S3'], BULLY, 'As drop; and a COORDINATOR names somebody else.'),
      // A vote of another term counts there, but its candidate must by then stand in just that term. Terms
      // that were flipped far up are caught up with one election at a time under PreVote.
      live(VOTES, 'A term that is too high is one without a leader.', {
        rarely: ['S1', 'S2', 'S4', 'L'],
      }),
    ],
    L2: [
      stop(RINGS, 'As drop: the signature is over every byte that counts.'),
      breaks(['S1', 'S2', 'S3'], BULLY, 'As drop.'),
      live(VOTES, 'As drop.'),
    ],
  },
  'forged-sender': {
    L0: [
      breaks(['S2', 'S3'], RINGS, 'A node that is named SELECTED is followed.'),
      breaks(['S2', 'S3'], BULLY, 'A COORDINATOR below the highest, in its own name.'),
      breaks(['S1', 'S2', 'S4'], VOTES, 'Votes of all in the name of each.'),
    ],
    L1: [ok(ALL, 'The network knows who sends.')],
    L3: [ok(ALL, 'No node signs for another.')],
  },
  replay: {
    L0: [
      breaks(['S1', 'S2', 'S3'], RINGS, 'The winner of an election without the highest.'),
      breaks(['S2', 'S3'], BULLY, 'The winner of an election without the highest.', {
        rarely: ['S1'],
      }),
      breaks(['S1'], VOTES, 'Votes of another election’s first term.', { rarely: ['S2', 'S4'] }),
    ],
    // A signature that does not say for which election it is: old words are as good as new ones.
    L2: [
      breaks(['S1', 'S2', 'S3'], RINGS, 'As at L0.'),
      breaks(['S2', 'S3'], BULLY, 'As at L0.', { rarely: ['S1'] }),
      breaks(['S1'], VOTES, 'As at L0.', { rarely: ['S2', 'S4'] }),
    ],
    L3: [ok(ALL, 'Signed for this election, and each number counts once.')],
  },
  equivocation: {
    announcing: [
      // Beside the wrong leader (S3) there are two at the end (S2): a lap ends at the node it names.
      breaks(['S2', 'S3'], RINGS, 'SELECTED names any of the candidates.', {
        rarely: ['S1'],
      }),
      ok(BULLY, 'No node follows a lower one, and a COORDINATOR is a statement of its sender.'),
      ok(VOTES, 'A HEARTBEAT is its sender’s alone.'),
    ],
    'two-faced': [
      none(RINGS, 'Its next neighbour is all that it speaks to: that is to withhold.'),
      // No false word is needed: the highest answers some and not others.
      breaks(['S1', 'S2', 'S3'], BULLY, 'Some receive from the highest, some from no higher node.'),
      live(['raft'], 'A node without a HEARTBEAT begins the next term.'),
      // Its majority answers it, and does not vote while it is heard.
      stop([GUARDED_RAFT], 'The rest is kept from electing and from a leader.'),
    ],
    'voting twice, 3': [
      none([...RINGS, ...BULLY], 'No node votes.'),
      breaks(['S1', 'S4'], VOTES, 'Two majorities share the Byzantine node alone.', {
        rarely: ['S2'],
      }),
    ],
    // Not at three alone: any two majorities of an odd number may share one member, and that one lies.
    'voting twice, 5': [
      none([...RINGS, ...BULLY], 'No node votes.'),
      breaks(['S1', 'S4'], VOTES, 'Two majorities share the Byzantine node alone.', {
        rarely: ['S2'],
      }),
    ],
    'voting twice, 4 or 6': [
      none([...RINGS, ...BULLY], 'No node votes.'),
      ok(VOTES, 'Two majorities of an even number share two, one of them honest.'),
    ],
  },
  withholding: {
    swallow: [
      stop(RINGS, 'A ring that runs one way has one way.'),
      breaks(['S1', 'S2', 'S3'], BULLY, 'It asks, receives no answer, and announces itself.'),
      // Not only until something heals: it receives from no leader, so that it deposes each by a next term.
      stop(['raft'], 'Its terms run away, and each deposes a leader.'),
      live([GUARDED_RAFT], 'No node helps it, so that its term stays.'),
    ],
    'answer-and-stall': [
      none(RINGS, 'No node waits for a particular node.'),
      // Not two leaders but none: no node that was answered announces itself.
      stop(BULLY, 'All wait for the highest, which answers.'),
      // Nor here: it stands sooner than others, is voted for and says nothing.
      stop(VOTES, 'It wins term after term and leads in none.'),
    ],
  },
  flood: {
    L3: [live(ALL, 'What is asked twice is answered twice.')],
  },
  'membership-change': {
    // Not stuck: this ring is closed around a newcomer for all at once, so that nothing is lost in it.
    // But the leader of the others learns that it is outbid only by SELECTED.
    'one joins': [
      breaks(['S1', 'S2', 'S3'], RINGS, 'An ID above the winner’s comes a lap late.'),
      // Two leaders take members that do not know of each other.
      ok(BULLY, 'A leader learns of a higher node before that node sends.'),
      ok(VOTES, 'Majorities before and after share a member.'),
    ],
    'two join': [
      breaks(['S1', 'S2', 'S3'], RINGS, 'An ID above the winner’s comes a lap late.'),
      ok(BULLY, 'As with one.'),
      live(
        VOTES,
        'A leader admits one newcomer after the other, each by a majority of the members before.',
      ),
    ],
    'one joins, heard late': [
      breaks(['S1', 'S2', 'S3'], RINGS, 'As above; and a stranger’s words are refused.'),
      breaks(['S1', 'S2', 'S3'], BULLY, 'A node that does not know the highest leads beside it.'),
      // One at a time needs no joint quorum (Ongaro 2014, section 4.1).
      live(VOTES, 'Majorities before and after share a member.'),
    ],
    'two join, heard late': [
      breaks(['S1', 'S2', 'S3'], RINGS, 'As above; and a stranger’s words are refused.'),
      breaks(['S1', 'S2', 'S3'], BULLY, 'A node that does not know the highest leads beside it.'),
      live(VOTES, 'A newcomer counts only when a leader has admitted it.'),
    ],
  },
};
