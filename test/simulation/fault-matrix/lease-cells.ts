/**
 * @module
 * The cells of the lease protocols in the fault matrix. One store says who leads, and numbers it: an
 * epoch has one leader whatever else goes wrong, and as the store never fails all memory is there.
 * Nodes that cannot reach it only wait. That no two lead at a moment (M) rests on clocks, and on nobody
 * sleeping while its lease runs out (Gray and Cheriton 1989; Kleppmann 2016).
 */

import type { Cell } from './cell.ts';
import { breaks, live, none, ok } from './cell.ts';
import type { RowName } from './rows.ts';

const LEASES = ['db-lease', 'lease-local', 'zk-recipe'] as const;

const OUT_OF_REACH =
  'Who cannot reach the store leads until its lease is over at most, and then waits.';

export const LEASE_CELLS: Readonly<Record<RowName, readonly Cell[]>> = {
  drop: [live(LEASES, 'Calls are repeated; a holder whose renewals are all lost steps down.')],
  duplicate: [ok(LEASES, 'Requests are numbered: a second copy changes nothing.')],
  reorder: [ok(LEASES, 'A lease counts from its request, however late the answer.')],
  delay: [live(LEASES, 'As reorder; a lease that comes too late is not used.')],
  'clean-majority': [live(LEASES, OUT_OF_REACH)],
  'one-way': [ok(LEASES, 'Nodes do not talk to each other.')],
  'majorities-ring': [ok(LEASES, 'Nodes do not talk to each other.')],
  'leader-isolated': [live(LEASES, OUT_OF_REACH)],
  'swizzle-clog': [live(LEASES, OUT_OF_REACH)],
  'crash-best': [live(LEASES, 'Its lease runs out, or was never its.')],
  restart: [live(LEASES, 'Who returns asks the store like anybody else.')],
  amnesia: [live(LEASES, 'They store nothing: as restart.')],
  pause: [
    breaks(['M'], LEASES, 'Who sleeps past its lease leads until it wakes: only fences help.'),
  ],
  'clock-skew': [
    breaks(['M'], LEASES, 'A clock that is slow beyond the drift makes a lease longer.'),
  ],
  'torn-record': [none(LEASES, 'They store nothing.')],
  'unknown-message': [ok(LEASES, 'Neither machines nor stores do anything with it.')],
};
