/**
 * @module
 * The goal of making nodes follow a node that is down, by a message in its name, in an election without signatures,
 * and of seeing the same message refused in an election with signatures. Both are judged by the server's record.
 */

import { z } from 'zod';
import type { ElectionRecord } from '../record.ts';
import { defineGoal } from './goal.ts';
import { ANEW, noElection } from './live/conduct.ts';

/** What a student may do. Anything else could change the leader without a false message. */
const ALLOWED: readonly string[] = ['start', 'inject', 'advance'];

export const SPOOFED_LEADER = defineGoal({
  name: 'spoofed-leader',
  summary:
    'Make all live nodes follow a node that is down by a message in its name, and see the message refused where signatures are required.',
  submission: 'elections',
  needs: ['elections'],
  parameters: {
    election: z.string().describe('Name of the election without signatures.'),
    signed: z.string().describe('Name of the election with signatures.'),
  },
  criteria: {
    spoofed: {
      weight: 2,
      meaning: 'Without signatures all live nodes follow a node that is down.',
    },
    refused: { weight: 1, meaning: 'With signatures the false message is refused.' },
  },
  task: (names) => names,
  given: () => ({}),
  judge: ({ election, signed }, _submission, { elections }) => ({
    spoofed: missingIn(elections[election], election) ?? notSpoofed(elections[election], election),
    refused: missingIn(elections[signed], signed) ?? notRefused(elections[signed], signed),
  }),
  isOf: () => false,
});

/** What both elections need. */
function missingIn(record: ElectionRecord | undefined, name: string): string | null {
  if (record === undefined) return noElection(name);
  const types = record.actions.map(({ type }) => type);
  const other = types.find((type) => !ALLOWED.includes(type));
  if (other !== undefined) {
    return `${name}: the action ${other} is not allowed here; ${ANEW}`;
  }
  if (!types.includes('start') || !types.includes('advance')) {
    return `${name}: start the election and advance it to idle`;
  }
  const down = record.nodes.filter(({ up }) => !up).map(({ rank }) => rank);
  const isSent = record.actions.some(
    ({ type, from, message }) =>
      type === 'inject' && message?.type === 'COORDINATOR' && down.includes(from ?? 0),
  );
  if (!isSent) return `${name}: inject COORDINATOR in the name of the node that is down`;
  return record.status.idle ? null : `${name}: advance the election to idle after the message`;
}

function notSpoofed(record: ElectionRecord | undefined, name: string): string | null {
  const { nodes = [] } = record ?? {};
  const down = new Set(nodes.filter(({ up }) => !up).map(({ rank }) => rank));
  const live = nodes.filter(({ up }) => up);
  const honest = live.filter(({ leader }) => leader === null || !down.has(leader));
  if (honest.length === 0) return null;
  return `${name}: ${honest.length} of ${live.length} live nodes do not follow the node that is down; send the message to all when they have elected a leader`;
}

function notRefused(record: ElectionRecord | undefined, name: string): string | null {
  const { nodes = [], status } = record ?? {};
  if (!nodes.some(({ refusedSeals }) => refusedSeals > 0)) {
    return `${name}: no node has refused a message yet; advance until it arrives`;
  }
  return status?.agreed === true ? null : `${name}: the live nodes have no leader`;
}
