/**
 * @module
 * The state of a running cluster for people.
 */

import type { Division } from '../../live/check/division.ts';
import { divisionIn } from '../../live/check/division.ts';
import type { Cluster } from '../../live/cluster/cluster.ts';
import { STORE_NUMBER } from '../../live/cluster/cluster.ts';
import type { ClusterAction } from '../../live/cluster/cluster-action.ts';
import type { ClusterSession } from '../../live/cluster/cluster-session.ts';
import type { LeaderChange, WriteCounts } from '../../live/cluster/leader-watch.ts';
import type { Led, StartState } from '../../live/cluster/node-state.ts';
import type { HarmName, Takeover } from '../../live/cluster/takeover.ts';
import { HARM_NAMES } from '../../live/cluster/takeover.ts';
import { counted, formatSeconds } from '../../operations/figures.ts';
import { printableLine } from '../../printable.ts';
import { columns } from '../shell/layout.ts';

/** Which leader each node follows, and whether it suspects it, or why it follows none. */
export function statesText(cluster: Pick<Cluster, 'states'>): string {
  const texts = cluster.states().map(({ node, status, leader, phantom, epoch, suspects }) => {
    if (status === 'removed') return `${node} was removed`;
    if (status !== 'up') return `${node} is ${status}`;
    const none = phantom === null ? 'no leader' : unknownText(phantom);
    const inEpoch = leader !== null && epoch > 0 ? ` in epoch ${epoch}` : '';
    const doubt = leader !== null && suspects.includes(leader) ? ' (suspects it)' : '';
    return `${node} follows ${leader ?? none}${inEpoch}${doubt}`;
  });
  return texts.join(', ');
}

/** How busy this machine is. */
export interface MachineLoad {
  /** Processes that ran or waited for a core, on average over the last minute. */
  readonly load: number;
  readonly cores: number;
}

/** What may help after a wait without an agreement; null if nothing is known. */
export function disagreementAdvice(
  cluster: Pick<Cluster, 'states'>,
  { load, cores }: MachineLoad,
): string | null {
  const states = cluster.states();
  const followed = new Set(states.filter(({ status }) => status === 'up').map((up) => up.leader));
  const [only = null] = followed;
  const lost = states.find(
    ({ node, status }) => node === only && (status === 'paused' || status === 'down'),
  );
  if (followed.size === 1 && lost !== undefined) {
    const cure = lost.status === 'paused' ? 'resume' : 'start';
    return `all follow node ${only}, which is ${lost.status}, and elect no other; ${cure} ${only} brings it back`;
  }
  if (load <= cores) return null;
  return `this machine is busy (load ${load.toFixed(1)} on ${counted(cores, 'core')}), so that messages may be late: a longer --latency gives them more time, and --detector fd-gossip sends fewer`;
}

const RANK_SHOWN_CHARACTERS = 12;

/**
 * A phantom, or a node of usurp node --join, which the controllers of several machines do not know. Without signatures the
 * rank can be any text of another node.
 */
function unknownText(rank: string): string {
  const shown = printableLine(rank.slice(0, RANK_SHOWN_CHARACTERS));
  const more = rank.length > RANK_SHOWN_CHARACTERS ? '…' : '';
  return `an unknown node (rank ${shown}${more})`;
}

/** The missing nodes are named when the start has taken so long. */
const MISSING_SECONDS = 5;
const MISSING_SHOWN = 5;

/** The line of progress while nodes start, for so long. */
export function startText({ phase, done, all, missing }: StartState, seconds: number): string {
  const what = phase === 'meet' ? 'have met all others' : 'have begun';
  const count = `${done} of ${all} nodes ${what}`;
  if (seconds < MISSING_SECONDS || missing.length === 0) return count;
  const shown = missing.slice(0, MISSING_SHOWN).join(', ');
  const hidden = missing.length - MISSING_SHOWN;
  return `${count}; no answer from node ${shown}${hidden > 0 ? ` and ${hidden} more` : ''}`;
}

/** The number of each node with its address, and with its machine if there are several: one line each. */
export function addressesText({ urls, machines }: ClusterSession): string {
  const rows = urls().map((url, index) => {
    const machine = machines?.[index];
    return [`node ${index + 1}`, url, ...(machine === undefined ? [] : [`on ${machine}`])];
  });
  return columns(rows).trimEnd();
}

/** The faults that are in force now, one line each, written like the commands that began them. */
export function conditionsText({ cluster, namespaces }: ClusterSession): readonly string[] {
  const sides = sidesText(cluster.division);
  const skews = cluster
    .states()
    .flatMap(({ node, rate }) => (rate === 1 ? [] : `skew ${node} ${rate}`));
  const chances = [...cluster.chances].flatMap(([name, { share, seed }]) =>
    share > 0 ? `${name} ${shareText(share)} with seed ${seed}` : [],
  );
  const packets = [...(namespaces?.conditions ?? [])].flatMap(([node, { loss, delayMs }]) => [
    ...(loss > 0 ? [`loss ${shareText(loss)} of node ${node}`] : []),
    ...(delayMs > 0 ? [`delay ${delayMs} ms of node ${node}`] : []),
  ]);
  const doomed = cluster.doomed.map(([node, point]) => `die-at ${node} ${point}`);
  return [
    ...(sides === '' ? [] : [`partition ${sides}`]),
    ...skews,
    ...doomed,
    ...chances,
    ...packets,
  ];
}

/** The faults that are in force now. */
export function conditionsJson({ cluster, namespaces }: ClusterSession): object {
  return {
    ...divisionJson(cluster.division),
    chances: Object.fromEntries(cluster.chances),
    dieAt: Object.fromEntries(cluster.doomed),
    ...(namespaces === null ? {} : { packets: Object.fromEntries(namespaces.conditions) }),
  };
}

/** A share as percent, with as many digits as it has. */
export function shareText(share: number): string {
  return `${Number((100 * share).toPrecision(12))}%`;
}

function divisionJson(division: Division<number>) {
  const sides = division.sides.map((side) =>
    side.map((each) => (each === STORE_NUMBER ? 'store' : each)),
  );
  return divisionIn({ ...division, sides });
}

/** The sides as a command has them. */
function sidesText(division: Division<number>): string {
  return divisionJson(division).sides.join(division.isOneWay ? '>' : ' ');
}

/** What a command has changed beside the node that it names: the sides, the rate, the amnesia. */
export function detailsOf(
  action: ClusterAction,
  { division }: Pick<Cluster, 'division'>,
): { readonly json: object; readonly words: string } {
  switch (action.type) {
    case 'partition':
      return { json: divisionJson(division), words: sidesText(division) };
    case 'die-at':
      return { json: { point: action.point }, words: action.point };
    case 'skew':
      return { json: { rate: action.rate }, words: String(action.rate) };
    case 'jump': {
      const { seconds } = action;
      return { json: { seconds }, words: `${seconds < 0 ? '' : '+'}${seconds}s` };
    }
    case 'start':
      return { json: { amnesia: action.amnesia }, words: action.amnesia ? 'amnesia' : '' };
    default:
      return { json: {}, words: '' };
  }
}

/** What became of the writes so far. */
export function writesText(writes: WriteCounts): string {
  const { accepted, lateWrites, staleRefused } = writes;
  return `answers so far: ${counted(accepted, 'write')} accepted, ${lateWrites} of them late; ${counted(staleRefused, 'stale operation')} refused`;
}

/** Who led before and who leads now. */
export function leaderChangeText({ seconds, before, after }: LeaderChange): string {
  return `${seconds} s after the start: leader ${leadersText(before)} -> ${leadersText(after)}`;
}

const LEADERS_SHOWN = 4;

function leadersText(led: readonly Led[]): string {
  const texts = led.map(({ node, epoch }) => (epoch > 0 ? `${node} in epoch ${epoch}` : `${node}`));
  if (texts.length === 0) return 'none';
  const hidden = texts.length - LEADERS_SHOWN;
  // One that is left out would take as much space as the words about it.
  if (hidden < 2) return texts.join(' and ');
  return `${texts.slice(0, LEADERS_SHOWN).join(' and ')} and ${hidden} more`;
}

const OUTCOMES = {
  leads: 'the adversary leads',
  harms:
    'the adversary does not lead all honest nodes, but at the end they do not follow one leader',
  refused: 'the adversary does not lead all honest nodes',
  'not-found': 'the adversary found no identity',
} as const;

const HARMS: Readonly<Record<HarmName, string>> = {
  split: 'honest nodes followed different leaders',
  twoLeaders: 'several honest nodes led at once',
  leaderless: 'an honest node followed no leader',
  phantom: 'an honest node followed a leader that does not exist',
};

/** The outcome, the times from the first hash, the ledger, and what honest nodes noticed. */
export function takeoverText(takeover: Takeover): string {
  const { outcome, node, behaviours, ledger, seconds, refusedBy, observations, harms } = takeover;
  const { attempts, hashes, cpuSeconds } = ledger;
  const { firstHash } = takeover;
  const at = (time: number | null) => (time === null ? 'never' : `${time} s after the first hash`);
  const rows = [
    ...(node === null ? [] : [['node', [String(node), ...behaviours].join(', ')]]),
    ['first hash', `${firstHash} s after the start`],
    ['identity found', at(seconds.found)],
    ['joined', at(seconds.joined)],
    ['leads', seconds.leads === null ? 'never all honest nodes at once' : at(seconds.leads)],
    [
      'ledger',
      `${exactly(attempts, 'attempt')}, ${exactly(hashes, 'hash')}, ${formatSeconds(cpuSeconds)} CPU`,
    ],
    ...refusedBy.map((cause) => ['why not', cause]),
    ...HARM_NAMES.flatMap((name) => {
      const time = harms?.[name] ?? 0;
      const until = harms?.lasting.includes(name) ? ', until the end' : '';
      return time > 0 || until !== '' ? [['harm', `${HARMS[name]} for ${time} s${until}`]] : [];
    }),
    ...observations.map(({ node: by, what, seconds: first, count }) => {
      return [`node ${by}`, `${what} ${at(first)}${count > 1 ? `, ${count} times` : ''}`];
    }),
  ];
  return `${OUTCOMES[outcome]}\n${columns(rows)}`;
}

function exactly(count: number, noun: 'attempt' | 'hash'): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${noun === 'hash' ? 'es' : 's'}`;
}
