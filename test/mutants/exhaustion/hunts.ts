/**
 * @module
 * Where a search finds each seeded bug in a protocol, and the bugs that no search has found, with the reasons.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { MUTANTS } from '../bugs/mutants.ts';
import type { Hunt } from './hunt.ts';

type BugName = (typeof MUTANTS)[number]['name'];

const SYNC = { timing: 'synchronous' } as const;
const LOWEST = { initiators: [1] } as const;
/** The highest of three is down, and the lowest node detects it. */
const DETECTED = { ...SYNC, ...LOWEST, crashedBefore: [3] } as const;
const CRASH = { ...SYNC, bounds: { crash: 1 } } as const;
const RETURN = { ...SYNC, bounds: { crash: 1, recover: 1 } } as const;
/** Four nodes in two halves, of which none is a majority. */
const HALVES = {
  cut: [
    [1, 3],
    [1, 4],
    [2, 3],
    [2, 4],
  ],
} as const;
const COPIES = { timeout: 2, duplicate: 1 } as const;
const TERMS = { flags: { spreadTicks: '1' } } as const;

/** A hunt with three nodes. */
function three(protocol: ProtocolName, property: string, given: Hunt['given'] = {}): Hunt {
  return { protocol, nodes: 3, given, property };
}

function costs(protocol: ProtocolName, messagesMax: number, given: Hunt['given'] = {}): Hunt {
  return { ...three(protocol, 'few-messages', given), messagesMax };
}

function halves(protocol: ProtocolName, given: Hunt['given']): Hunt {
  return { protocol, nodes: 4, given: { ...HALVES, ...given }, property: 'never-led' };
}

function one(protocol: ProtocolName, property: string, timeout: number): Hunt {
  return { protocol, nodes: 1, given: { bounds: { timeout } }, property };
}

function two(protocol: ProtocolName, property: string, given: Hunt['given']): Hunt {
  return { protocol, nodes: 2, given, property };
}

export const HUNTS = {
  'bully-lower-coordinator': three('bully-oneshot', 'never-below', {
    ...{ flags: { coordTo: 'all' }, bounds: { timeout: 1 } },
  }),
  'bully-no-ok': three('bully-oneshot', 'one-leader', DETECTED),
  'bully-no-restart': three('bully-oneshot', 'led-at-rest', CRASH),
  'bully-two-at-a-time': costs('bully-oneshot', 4, {
    ...{ ...SYNC, crashedBefore: [3], bounds: { timeout: 0 } },
  }),
  'bully-stale-coordinator': three('bully-oneshot', 'agreement', RETURN),
  'nextinline-never-checks': three('bully-nextinline', 'agreement', DETECTED),
  'gm82-stays-normal': three('bully-gm82', 'always-agreed', {
    ...{ ...SYNC, initiators: [3], bounds: { crash: 1, timeout: 2 } },
  }),
  'gm82-forgets-up': costs('bully-gm82', 7, { ...SYNC, initiators: [2], crashedBefore: [3] }),
  'gm82-never-watches': three('bully-gm82', 'led-at-rest', { ...DETECTED, bounds: { timeout: 6 } }),
  '2phase-stays-normal': three('bully-2phase', 'always-agreed', {
    ...{ ...SYNC, ...LOWEST, bounds: { crash: 1, timeout: 1 } },
  }),
  'improved-waits-for-ever': three('bully-improved', 'led-at-rest', {
    ...{ ...DETECTED, bounds: { crash: 1 } },
  }),
  'modified-grants-lowest': three('bully-modified', 'highest-wins', { ...SYNC, ...LOWEST }),
  'modified-stale-coordinator': three('bully-modified', 'agreement', {
    ...{ initiators: [2], bounds: { timeout: 4 } },
  }),
  'cr-forwards-smaller': three('cr-join', 'one-leader', DETECTED),
  'cr-drops-equal': three('cr-join', 'led-at-rest', DETECTED),
  'cr-no-join': three('cr-join', 'led-at-rest', LOWEST),
  'cr-selected-goes-on': costs('cr-join', 8),
  'cr-replace-forgets-own-mark': costs('cr-replace', 8, { links: 'fifo' }),
  'cr-replace-forgets-passing-mark': three('cr-replace', 'led-at-rest', LOWEST),
  'cr-always-drops': three('cr-always', 'one-leader'),
  'lelann-counts-early': three('ring-lelann', 'one-leader', DETECTED),
  'lelann-no-own': three('ring-lelann', 'highest-wins', DETECTED),
  'collect-not-added': three('ring-collect', 'highest-wins', LOWEST),
  'maxtoken-keeps-lower': three('ring-maxtoken', 'highest-wins', LOWEST),
  'attr-ties': three('ring-attr', 'highest-wins', { ...SYNC, ...LOWEST }),
  'hs-no-wake': three('hs-wake', 'led-at-rest', LOWEST),
  'peterson-strictly-higher': three('peterson', 'led-at-rest', LOWEST),
  'peterson-second-alone': three('peterson', 'one-leader', { ring: [1, 3, 2] }),
  'itai-rodeh-stays-unique': two('itai-rodeh', 'one-leader', {}),
  'robust-sends-to-the-dead': three('ring-robust', 'led-at-rest', CRASH),
  'robust-goes-on': three('ring-robust', 'led-at-rest', CRASH),
  'raft-half': two('raft', 'one-leader-per-epoch', {
    ...{ ...TERMS, perLink: 1, bounds: { timeout: 2 } },
  }),
  'raft-votes-per-message': halves('raft', {
    ...{ ...TERMS, ...LOWEST, bounds: { ...COPIES, timeout: 1 } },
  }),
  'raft-vote-not-on-disk': two('raft', 'one-vote', {
    ...{ ...TERMS, bounds: { crash: 1, recover: 1, timeout: 2 } },
  }),
  'raft-second-vote': two('raft', 'one-vote', { ...TERMS, bounds: { timeout: 2 } }),
  'raft-old-votes-count': three('raft', 'one-leader-per-epoch', {
    ...{ ...TERMS, cut: [[1, 3]], initiators: [1, 3], bounds: { timeout: 3 } },
  }),
  'quorum-lease-half': halves('quorum-lease', { initiators: [1, 2], bounds: { timeout: 2 } }),
  'quorum-lease-votes-per-message': halves('quorum-lease', {
    ...{ initiators: [1, 2], bounds: COPIES },
  }),
  'slide-votes-per-message': halves('zk-slide-quorum', {
    ...{ initiators: [3, 4], bounds: { ...COPIES, timeout: 1 } },
  }),
  'slide-disk-behind': three('zk-slide-quorum', 'one-vote', {
    bounds: { crash: 1, recover: 1, timeout: 1 },
  }),
  'slide-acknowledges-twice': three('zk-slide-quorum', 'one-vote', { bounds: { timeout: 1 } }),
  'zab-half': two('zab-fle', 'never-led', { ...SYNC, cut: [[1, 2]], bounds: { timeout: 3 } }),
  'table-does-not-compare': two('db-lease', 'one-leader-per-epoch', {
    ...{ ...SYNC, bounds: { timeout: 2 } },
  }),
  'fence-not-raised-by-writes': two('lease-local', 'fenced-writes', {
    ...{ resource: 'fencing-max', bounds: { timeout: 3 } },
  }),
  'fence-not-raised-by-registration': two('lease-local', 'fenced-writes', {
    ...{ resource: 'fencing-register', bounds: { timeout: 3 } },
  }),
  'gm82-ignores-h': three('bully-gm82', 'installed-by-halter', {
    ...{ ...SYNC, initiators: [2], crashedBefore: [3], bounds: { recover: 1, timeout: 3 } },
  }),
  '2phase-any-announce': two('bully-2phase', 'announced-as-prepared', {
    ...{ ...SYNC, initiators: [2], bounds: { crash: 1, recover: 1, timeout: 2 } },
  }),
  '2phase-first-ready': three('bully-2phase', 'leads-when-all-are-ready', {
    ...{ ...SYNC, initiators: [3], bounds: { timeout: 0 } },
  }),
  'improved-no-crash': three('bully-improved', 'crash-reported', DETECTED),
  'modified-lower-coordinator': { ...three('bully-modified', 'never-below'), byzantine: 1 },
  'hs-one-hop-more': three('hs-wake', 'within-reach', LOWEST),
  'hs-one-answer': three('hs-wake', 'both-answers', LOWEST),
  'prose-ends-in-mid-phase': two('peterson-prose', 'never-highest', {}),
  'raft-old-leader-followed': three('raft', 'epochs-rise', {
    ...{ cut: [[1, 3]], initiators: [1, 3], bounds: { timeout: 3 } },
  }),
  'raft-pre-vote-raises': two('raft', 'no-term', {
    ...{ cut: [[1, 2]], flags: { preVote: 'on' }, bounds: { timeout: 3 } },
  }),
  'raft-check-quorum-ignored': two('raft', 'quorum-checked', {
    ...{ ...LOWEST, flags: { checkQuorum: 'on' }, bounds: { timeout: 2 } },
  }),
  'quorum-lease-vote-not-on-disk': three('quorum-lease', 'one-vote', {
    ...{ initiators: [1, 3], bounds: { crash: 1, recover: 1, timeout: 3 } },
  }),
  'quorum-lease-promise-broken': three('quorum-lease', 'promises-kept', {
    ...{ initiators: [1, 3], bounds: { timeout: 3 } },
  }),
  'quorum-lease-from-answer': two('quorum-lease', 'counted-from-request', {
    ...{ ...LOWEST, bounds: { timeout: 2 } },
  }),
  'tenure-renewed-by-asking': one('db-lease', 'renewed-by-answer', 2),
  'lease-local-renewal-assumed': one('lease-local', 'renewed-by-answer', 2),
  'lease-local-from-answer': one('lease-local', 'counted-from-request', 2),
  'service-releases-any': one('lease-local', 'released-by-epoch', 2),
  'redlock-half': two('redlock', 'one-leader-per-epoch', {
    ...{ flags: { instances: '3' }, bounds: { timeout: 0 } },
  }),
  'redlock-from-answer': {
    ...one('redlock', 'counted-from-request', 1),
    given: { flags: { instances: '1' }, bounds: { timeout: 1 } },
  },
  'zk-line-by-name': two('zk-recipe', 'one-leader', { ...SYNC, bounds: { timeout: 2 } }),
  'zk-session-outlived': one('zk-recipe', 'leads-by-lease', 3),
  'zk-all-watch-the-first': three('zk-recipe', 'no-herd', { ...SYNC, bounds: { timeout: 1 } }),
  'zk-watch-not-renewed': two('zk-recipe', 'watch-renewed', { ...SYNC, bounds: { timeout: 2 } }),
} as const satisfies Partial<Record<BugName, Hunt>>;

export type HuntedName = keyof typeof HUNTS;

/** For these the search of the source as it is was capped: it found no violation in 100 000 worlds. */
export const CAPPED: readonly HuntedName[] = [
  ...([
    'itai-rodeh-stays-unique',
    'slide-disk-behind',
    'fence-not-raised-by-registration',
    'quorum-lease-vote-not-on-disk',
  ] as const),
];

const TICKS = 'The bug is a number of ticks. A search has no ticks: its timers fire in any order.';
const LARGER =
  'Searches of two and three nodes with up to 5 timeouts were capped at 100 000 worlds without a violation.';

/** What searches would need to find these bugs. */
export const NOT_FOUND = {
  'bully-impatient': TICKS,
  'improved-stale-next':
    'It needs five nodes, of which two return. Searches of five nodes are capped.',
  'raft-old-leader-unanswered':
    'An old leader of an earlier term breaks no property of safety. It lasts, and a search has no ticks.',
  'raft-two-writes': 'The disk of a search takes all writes of a step at once.',
  'quorum-lease-no-drift': TICKS,
  'lease-half-the-drift': TICKS,
  'quorum-lease-not-sat-out': TICKS,
  'zab-promise-not-on-disk': LARGER,
  'zab-epoch-not-raised': LARGER,
  'zab-promises-twice': LARGER,
  'db-lease-impatient': TICKS,
  'lease-local-no-drift': TICKS,
} as const satisfies Partial<Record<BugName, string>>;
