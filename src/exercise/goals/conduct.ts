/**
 * @module
 * Goals that the student reaches in an election of the instance over HTTP. The server judges them by its record of the
 * election, and by the actions that the student took.
 */

import { z } from 'zod';

import type { ElectionRecord } from '../record.ts';
import { defineGoal } from './goal.ts';

/** How to begin an election again. */
const ANEW = 'delete the election, and usurp exercise start makes it anew';

/** What is missing without an election. */
export function noElection(name: string): string {
  return `there is no election ${name} yet: usurp exercise start makes it`;
}

/** What is missing in an election in which only some actions are allowed; null if nothing is. */
export function missingConduct(
  record: ElectionRecord | undefined,
  name: string,
  {
    allowed,
    required,
  }: { readonly allowed: readonly string[]; readonly required: readonly string[] },
): string | null {
  if (record === undefined) return noElection(name);
  const types = record.actions.map(({ type }) => type);
  const other = types.find((type) => !allowed.includes(type));
  if (other !== undefined) {
    return `${name}: the action ${other} is not allowed here; ${ANEW}`;
  }
  const missing = required.find((type) => !types.includes(type));
  return missing === undefined ? null : `${name}: there is no action ${missing} yet`;
}

const PHANTOM_CANDIDATE_CONDUCT = {
  allowed: ['start', 'inject', 'advance'],
  required: ['inject', 'start', 'advance'],
};
const PROBE = 'PROBE';
/** Laps of the phantom that show that it does not end. */
const LAPS_MIN = 10;

/**
 * The goal of a phantom candidate on a ring: a PROBE with the rank of no node travels for ever and leaves the nodes
 * without a leader, and a limit on its hops removes it.
 */
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
  const missing = missingConduct(record, name, PHANTOM_CANDIDATE_CONDUCT);
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

const SILENCED_RING_CONDUCT = {
  allowed: ['join', 'start', 'advance', 'outbox'],
  required: ['join', 'start', 'advance', 'outbox'],
};

/**
 * The goal of silence on a ring: a node of the student does not pass messages on, so that no PROBE returns. All
 * messages are signed, and no node crashes.
 */
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
    const missing = missingConduct(record, name, SILENCED_RING_CONDUCT);
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

/** What a student may do. Anything else could change the leader without a false message. */
const ALLOWED: readonly string[] = ['start', 'inject', 'advance'];

/**
 * The goal of making nodes follow a node that is down, by a message in its name, in an election without signatures,
 * and of seeing the same message refused in an election with signatures. Both are judged by the server's record.
 */
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
    spoofed:
      spoofedLeaderMissingIn(elections[election], election) ??
      notSpoofed(elections[election], election),
    refused:
      spoofedLeaderMissingIn(elections[signed], signed) ?? notRefused(elections[signed], signed),
  }),
  isOf: () => false,
});

/** What both elections need. */
function spoofedLeaderMissingIn(record: ElectionRecord | undefined, name: string): string | null {
  const missing = missingConduct(record, name, { allowed: ALLOWED, required: [] });
  if (missing !== null || record === undefined) return missing;
  const types = record.actions.map(({ type }) => type);
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
