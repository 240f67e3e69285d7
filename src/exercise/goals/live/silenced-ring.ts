/**
 * @module
 * The goal of silence on a ring: a node of the student does not pass messages on, so that no PROBE returns. All messages
 * are signed, and no node crashes.
 */

import { z } from 'zod';
import type { ElectionRecord } from '../../record.ts';
import { defineGoal } from '../goal.ts';
import { ANEW, missingConduct } from './conduct.ts';

const CONDUCT = {
  allowed: ['join', 'start', 'advance', 'outbox'],
  required: ['join', 'start', 'advance', 'outbox'],
};

export const SILENCED_RING = defineGoal({
  name: 'silenced-ring',
  summary: 'Join a ring, and leave it without a leader by passing nothing on.',
  submission: 'elections',
  needs: ['elections'],
  parameters: { election: z.string().describe('Name of the election in the set-up.') },
  criteria: {
    joined: { weight: 1, meaning: 'A node of yours takes part in the election.' },
    silenced: { weight: 2, meaning: 'It passes nothing on, and the honest nodes have no leader.' },
  },
  task: ({ election }) => election,
  given: () => ({}),
  judge(name, _submission, { elections }) {
    const record = elections[name];
    const missing = missingConduct(record, name, CONDUCT);
    if (missing !== null || record === undefined) return { joined: missing, silenced: missing };
    const joined = missingNode(record, name);
    return { joined, silenced: joined ?? notSilenced(record, name) };
  },
  isOf: () => false,
});

function missingNode({ nodes }: ElectionRecord, name: string): string | null {
  const own = nodes.filter(({ outside }) => outside);
  if (own.length === 1) return null;
  return `${name}: ${own.length} nodes are yours, and exactly one is needed; ${ANEW}`;
}

function notSilenced({ nodes, actions, status }: ElectionRecord, name: string): string | null {
  const sent = actions.reduce((sum, { sends = 0 }) => sum + sends, 0);
  if (sent > 0) return `${name}: your node has sent ${sent} messages; it must send nothing`;
  const led = nodes.filter(({ outside, leader }) => !outside && leader !== null).length;
  if (led > 0) return `${name}: ${led} honest nodes have a leader`;
  return status.idle
    ? null
    : `${name}: answer all events of your node, and advance the election to idle`;
}
