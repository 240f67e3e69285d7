/**
 * @module
 * The cells of the fault matrix: what each fault can do to each protocol; here those in which the
 * highest rank decides. The columns `cr-*`, `bully-oneshot` and `raft` are what the theory asks for;
 * the others were found by 4000 runs a cell and are explained where they stand. No protocol goes back
 * to an earlier election number (S5) anywhere.
 */

import type { Cell } from './cell.ts';
import { breaks, live, none, ok, stop } from './cell.ts';
import type { ColumnName } from './columns.ts';
import { LEASE_CELLS } from './lease-cells.ts';
import { QUORUM_CELLS } from './quorum-cells.ts';
import type { RowName } from './rows.ts';

const CHANG_ROBERTS = ['cr-join', 'cr-replace', 'cr-always'] as const;
/** Those whose elections run as bully-oneshot does, but for a short cut before they ask. */
const ONESHOT = ['bully-oneshot', 'bully-nextinline', 'bully-improved'] as const;
const BULLY = [...ONESHOT, 'bully-gm82', 'bully-2phase', 'bully-modified'] as const;
const LAPS = ['ring-collect', 'ring-maxtoken'] as const;
const HIRSCHBERG_SINCLAIR = ['hs-wake', 'hs-slide'] as const;
const PETERSON = ['peterson', 'peterson-prose'] as const;
const ROBUST = ['ring-robust', 'ring-robust:peterson'] as const;
/** Rings whose one token or two decide, and which nothing but a loss can stop. */
const PLAIN = [...CHANG_ROBERTS, ...LAPS, 'ring-attr', ...HIRSCHBERG_SINCLAIR] as const;
const RINGS = [...PLAIN, 'ring-lelann', ...PETERSON, ...ROBUST, 'itai-rodeh'] as const;

const HOLE =
  'A ring with a gap has no lap; what was lost in it is repeated only if a detector speaks.';
const SKIPPED =
  'Whoever is suspected and alive is skipped, and elects as well: it needs a detector that never errs.';
const OLD_WINNER =
  'Who follows takes the word of any winner: the first one repeats ELECTED when it trusts again.';
const NEITHER_ASKS =
  'A cut that is shorter than the time-out is never suspected: nobody who leads asks again.';
const TWO_NORMAL =
  'Each side follows a leader in its normal state and asks nobody; the paper needs a network that does not partition.';

const RANKED_CELLS: Readonly<Record<RowName, readonly Cell[]>> = {
  drop: [
    stop(CHANG_ROBERTS, 'The PROBE of the highest, or SELECTED, is sent once.'),
    breaks(
      ['S1', 'S2', 'S3'],
      BULLY,
      'Whoever hears no answer, since it was lost, announces itself.',
    ),
    // Whose own ELECT is lost waits, so that the highest does not lead beside the wrong one.
    breaks(['S2', 'S3'], ['ring-lelann'], 'Whose ELECT was lost is missing from lists.'),
    stop(LAPS, 'The token goes round once.'),
    stop(['ring-attr'], 'A run is repeated a few times, until all of them have lost something.'),
    stop(HIRSCHBERG_SINCLAIR, 'An answer that never comes leaves its candidate waiting.'),
    breaks(['S3'], ['peterson', 'ring-robust:peterson'], 'A lost TID shifts the pairs.'),
    stop(['peterson-prose'], 'As peterson, but here anybody may lead.'),
    stop(['ring-robust'], 'As cr-join: the wrapper goes round the dead, and repeats nothing.'),
    stop(['itai-rodeh'], 'A TOKEN is sent once.'),
  ],
  duplicate: [
    ok([...CHANG_ROBERTS], 'Whoever has led, or passed it on, takes the second copy for nothing.'),
    ok(BULLY, 'Questions, answers and announcements are the same said twice.'),
    ok(['ring-lelann', ...LAPS], 'A list and a maximum are the same with an entry twice.'),
    ok(['ring-attr', ...HIRSCHBERG_SINCLAIR], 'A second copy meets a state that has moved on.'),
    breaks(['S1', 'S2'], ['peterson'], 'Two copies of one TID are a pair.', { rarely: ['S3'] }),
    // Where everybody relays nobody takes a TID off the ring, and each lap has more of them.
    breaks(['S1', 'S2'], ['peterson-prose'], 'Two copies of one TID are a pair.', { storms: true }),
    ok(ROBUST, 'The wrapper takes each token once.'),
    ok(['itai-rodeh'], 'A copy that comes home late is of an older round.'),
  ],
  reorder: [
    ok(CHANG_ROBERTS, 'Only the highest PROBE can pass everywhere, whatever overtakes it.'),
    breaks(['S1', 'S2'], ONESHOT, 'An old COORDINATOR is believed: it bears no epoch.'),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82'], 'An answer that is held back is a time-out.'),
    breaks(
      ['S1'],
      ['bully-2phase', 'bully-modified'],
      'An answer that is held back is a time-out.',
    ),
    breaks(
      ['S1', 'S2', 'S3'],
      ['ring-lelann'],
      'An ELECT comes home before a higher one has passed.',
    ),
    ok([...LAPS, 'ring-attr', ...HIRSCHBERG_SINCLAIR], 'One token at a time decides: no order.'),
    breaks(['S1', 'S2', 'S3'], ['peterson', 'ring-robust:peterson'], 'Pairs need FIFO links.'),
    breaks(['S1', 'S2'], ['peterson-prose'], 'Pairs need FIFO links.'),
    ok(['ring-robust', 'itai-rodeh'], 'As cr-join; rounds are numbered.'),
  ],
  delay: [
    live(RINGS, 'No ring takes a time-out for an answer.'),
    breaks(['S1', 'S2'], ONESHOT, 'An OK that comes after T is none.'),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82'], 'An answer that comes after T is none.'),
    breaks(['S1'], ['bully-2phase', 'bully-modified'], 'An OK that comes after T is none.'),
  ],
  'clean-majority': [
    stop([...PLAIN, ...PETERSON], HOLE),
    breaks(['S1', 'S2', 'S3'], [...ONESHOT, 'bully-modified'], `A leader a side. ${NEITHER_ASKS}`),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82', 'bully-2phase'], TWO_NORMAL),
    stop(['ring-lelann'], `${HOLE} Lists may lack what was lost.`, { rarely: ['S2', 'S3'] }),
    breaks(['S1'], ROBUST, SKIPPED),
    breaks(['S2'], ['itai-rodeh'], OLD_WINNER),
  ],
  'one-way': [
    stop([...PLAIN, ...PETERSON, 'itai-rodeh'], HOLE),
    breaks(['S1', 'S2', 'S3'], [...ONESHOT, 'bully-modified'], 'The highest is asked and unheard.'),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82', 'bully-2phase'], TWO_NORMAL),
    stop(['ring-lelann'], `${HOLE} Lists may lack what was lost.`, { rarely: ['S2', 'S3'] }),
    breaks(['S1', 'S2', 'S3'], ROBUST, SKIPPED),
  ],
  'majorities-ring': [
    stop([...PLAIN, ...PETERSON], HOLE),
    breaks(['S1', 'S2', 'S3'], ONESHOT, 'Two that hear nobody higher, and not each other.'),
    breaks(['S1'], ['bully-modified'], 'As bully-oneshot.', { rarely: ['S2', 'S3'] }),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82', 'bully-2phase'], TWO_NORMAL),
    stop(['ring-lelann'], `${HOLE} Lists may lack what was lost.`, { rarely: ['S2', 'S3'] }),
    breaks(['S1', 'S2', 'S3'], ROBUST, SKIPPED),
    breaks(['S2'], ['itai-rodeh'], OLD_WINNER),
  ],
  'leader-isolated': [
    none(RINGS, 'The leader of a ring has no standing duty: it is a partition like any other.'),
    breaks(['S1', 'S2', 'S3'], [...ONESHOT, 'bully-modified'], `A leader a side. ${NEITHER_ASKS}`),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82', 'bully-2phase'], TWO_NORMAL),
  ],
  'swizzle-clog': [
    stop([...PLAIN, 'peterson'], HOLE),
    stop(['peterson-prose'], HOLE, { rarely: ['S1'] }),
    breaks(['S1', 'S2', 'S3'], [...ONESHOT, 'bully-modified'], `A leader a side. ${NEITHER_ASKS}`),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82', 'bully-2phase'], TWO_NORMAL),
    stop(['ring-lelann'], `${HOLE} Lists may lack what was lost.`, { rarely: ['S1', 'S2', 'S3'] }),
    breaks(['S1'], ROBUST, SKIPPED, { rarely: ['S2'] }),
    breaks(['S2'], ['itai-rodeh'], OLD_WINNER),
  ],
  'crash-best': [
    stop(
      [...PLAIN, 'ring-lelann', ...PETERSON, 'itai-rodeh'],
      'The dead leave a hole in the ring.',
    ),
    live(BULLY, 'The next highest hears nobody higher, or a detector speaks.'),
    live(ROBUST, 'The hole is known and gone round.'),
  ],
  restart: [
    live([...PLAIN, 'ring-lelann', ...PETERSON, ...ROBUST], 'Who returns is trusted: begin again.'),
    live(BULLY, 'Who returns asks or announces itself.'),
    stop(['itai-rodeh'], 'A TOKEN whose owner has crashed silences all others.'),
  ],
  amnesia: [
    live(
      [...PLAIN, 'peterson', ...ROBUST],
      'As restart: what was forgotten, the next message tells.',
    ),
    live(BULLY, 'There is nothing to forget but numbers, and others are believed.'),
    breaks(
      ['S1'],
      ['peterson-prose'],
      'The next election may have another winner, and the old one leads until it hears so.',
    ),
    // Its own old ELECT, come home, ends an election that the others have left.
    live(['ring-lelann'], 'As restart, but for old ELECTs.', { rarely: ['S1'] }),
    live(['itai-rodeh'], 'As restart: it keeps nothing to forget.', { rarely: ['L'] }),
  ],
  pause: [
    live([...PLAIN, 'ring-lelann', ...PETERSON, 'itai-rodeh'], 'A ring waits for whoever sleeps.'),
    breaks(['S1'], [...ONESHOT, 'bully-2phase', 'bully-modified'], 'Who wakes still leads.'),
    breaks(['S1', 'S2', 'S3'], ['bully-gm82'], `Who wakes still leads. ${TWO_NORMAL}`),
    breaks(['S1'], ROBUST, SKIPPED),
  ],
  'clock-skew': [
    ok(RINGS, 'No timers; the retry of ring-attr comes at any time.'),
    breaks(['S1', 'S2'], ONESHOT, 'A fast clock ends T before the OK is there.'),
    breaks(
      ['S1', 'S2', 'S3'],
      ['bully-gm82', 'bully-2phase'],
      'A fast clock takes who is slow for dead.',
    ),
    breaks(['S1'], ['bully-modified'], 'A fast clock ends T before the OK is there.'),
  ],
  'torn-record': [none([...BULLY, ...RINGS], 'What they store is one number: one write.')],
  'unknown-message': [
    ok([...BULLY, ...RINGS], 'A machine does nothing with what it does not know.'),
  ],
};

/** The cells of a row, all columns. */
export function cellsOf(row: RowName): readonly Cell[] {
  return [...RANKED_CELLS[row], ...QUORUM_CELLS[row], ...LEASE_CELLS[row]];
}

/** The cell of a column in a row. Throws RangeError where there is none. */
export function cellOf(row: RowName, column: ColumnName): Cell {
  const cell = cellsOf(row).find(({ columns }) => columns.includes(column));
  if (cell === undefined) throw new RangeError(`"cell" expected one of ${row} for ${column}`);
  return cell;
}
