/**
 * @module
 * The goal of a phantom candidate on a ring: a PROBE with the rank of no node travels for ever and leaves the nodes
 * without a leader, and a limit on its hops removes it.
 */

import { z } from 'zod';
import type { ElectionRecord } from '../../record.ts';
import { defineGoal } from '../goal.ts';
import { missingConduct } from './conduct.ts';

const CONDUCT = {
  allowed: ['start', 'inject', 'advance'],
  required: ['inject', 'start', 'advance'],
};
const PROBE = 'PROBE';
/** Laps of the phantom that show that it does not end. */
const LAPS_MIN = 10;

export const PHANTOM_CANDIDATE = defineGoal({
  name: 'phantom-candidate',
  summary:
    'Leave a ring without a leader by a PROBE with a rank that no node has, and see a limit on hops remove it.',
  submission: 'elections',
  needs: ['elections'],
  parameters: {
    election: z.string().describe('Name of the election without a defence.'),
    limited: z.string().describe('Name of the election with the defence.'),
  },
  criteria: {
    circulates: { weight: 2, meaning: 'The phantom travels on, and no node has a leader.' },
    removed: { weight: 1, meaning: 'With the defence the nodes elect a leader all the same.' },
  },
  task: (names) => names,
  given: () => ({}),
  judge: ({ election, limited }, _submission, { elections }) => ({
    circulates: missingIn(elections[election], election, notStuck),
    removed: missingIn(elections[limited], limited, notElected),
  }),
  isOf: () => false,
});

/** What an election needs, and then what is its own. */
function missingIn(
  record: ElectionRecord | undefined,
  name: string,
  own: (record: ElectionRecord, name: string) => string | null,
): string | null {
  const missing = missingConduct(record, name, CONDUCT);
  if (missing !== null || record === undefined) return missing;
  return missingPhantom(record, name) ?? own(record, name);
}

function missingPhantom(record: ElectionRecord, name: string): string | null {
  const injected = record.actions.filter(({ type }) => type === 'inject');
  if (injected.some(({ message }) => message?.type !== PROBE)) {
    return `${name}: inject ${PROBE} and nothing else`;
  }
  const isPhantom = injected.some(({ message }) =>
    record.phantoms.some((rank) => rank === message?.candidate),
  );
  if (isPhantom) return null;
  return `${name}: the candidate of the ${PROBE} is a node, and its own ${PROBE} ends when it returns; name the rank ${record.phantoms.join(', ')}, which no node has`;
}

function notStuck({ nodes, status }: ElectionRecord, name: string): string | null {
  const led = nodes.filter(({ up, leader }) => up && leader !== null).length;
  if (led > 0) {
    return `${name}: ${led} nodes have a leader; the highest node must have passed the phantom on before any node starts`;
  }
  const ring = nodes.filter(({ up }) => up).length;
  const { [PROBE]: probes = 0 } = status.messages;
  if (probes >= LAPS_MIN * ring) return null;
  return `${name}: ${probes} ${PROBE} were sent; advance until there are ${LAPS_MIN * ring}, so that the phantom has made ${LAPS_MIN} laps`;
}

function notElected({ status }: ElectionRecord, name: string): string | null {
  return status.agreed ? null : `${name}: the nodes have no leader yet; advance the election`;
}
