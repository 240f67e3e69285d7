/**
 * @module
 * Describes the state of a cluster in plain English. All names come from the API and are shown as text.
 */

import { phantomText } from '../../../src/simulation/report/sentences.ts';
import { counted } from '../parts/numbers.ts';
import type { VerdictValue } from '../parts/verdict.tsx';
import type { Cluster } from './watch.ts';

type Agreement = Cluster['agreement'];
type Node = Cluster['nodes'][number];
type Check = NonNullable<Cluster['check']>;

export function agreementText(agreement: Agreement): string {
  if (agreement === null) return 'none';
  const { leader, epoch, nodes } = agreement;
  return `node ${leader}${epochText(epoch)} leads ${nodes.join(', ')}`;
}

function epochText(epoch: number): string {
  return epoch > 0 ? ` in epoch ${epoch}` : '';
}

const STARTING = 'Nodes are starting.';
/** While the nodes end. */
export const ENDING = 'Checking: the nodes stop, and the model repeats what they did.';

/** The state of a cluster in one sentence. */
export function stateSentence(cluster: Cluster): string {
  const { status, agreement, sides, reason, fault, nodes } = cluster;
  if (status === 'starting') return STARTING;
  if (status === 'ending') return ENDING;
  const isStarting = nodes.some((node) => node.status === 'starting');
  if (status === 'running' && agreement === null && isStarting) return STARTING;
  if (reason === 'failed') return `The cluster could not start: ${fault}.`;
  const divided = sides.length === 0 ? '' : ` Partition: ${sidesText(sides)}.`;
  const led =
    agreement === null
      ? 'The nodes do not follow one leader'
      : `Node ${agreement.leader} leads nodes ${agreement.nodes.join(', ')}${epochText(agreement.epoch)}`;
  if (status === 'running') return `${led}.${divided}`;
  const ended = reason === 'idle' ? 'It has ended because no action came' : 'It is over';
  return `${ended}.`;
}

export function sidesText(sides: Cluster['sides']): string {
  return sides.map((side) => side.join(', ')).join(' | ');
}

/** What is known of a node. */
export function nodeSentence(node: Node): string {
  const { status, suspects, behaviours, adversary, rate } = node;
  if (status === 'removed') return 'It was removed and does not return.';
  if (status === 'down') return 'Its process is down.';
  if (status === 'starting') return 'Its process is starting.';
  return [
    status === 'paused' ? 'Its process is stopped and keeps everything.' : 'It is up.',
    followedSentence(node),
    ...(suspects.length === 0 ? [] : [`It suspects ${suspects.join(', ')}.`]),
    ...(rate === 1 ? [] : [`Its clock runs at ${rate} times the real rate.`]),
    ...(adversary ? ['An attack has started it.'] : []),
    ...(behaviours.length === 0 ? [] : [`It is Byzantine: ${behaviours.join(', ')}.`]),
  ].join(' ');
}

function followedSentence({ node, leader, phantom, epoch }: Node): string {
  if (phantom !== null) return `It follows ${phantomText(phantom)}${epochText(epoch)}.`;
  if (leader === null) return 'It follows no leader.';
  const led = leader === node ? 'It leads' : `It follows node ${leader}`;
  return `${led}${epochText(epoch)}.`;
}

/** The phantoms, each with the nodes that follow it; empty if none does. */
export function phantomSentences({ nodes, status }: Pick<Cluster, 'nodes' | 'status'>): string[] {
  const followers = new Map<string, number[]>();
  for (const { node, phantom } of nodes) {
    if (phantom === null) continue;
    const known = followers.get(phantom);
    if (known === undefined) followers.set(phantom, [node]);
    else known.push(node);
  }
  const tense = status === 'over' ? ['followed', 'followed'] : ['follows', 'follow'];
  return [...followers].map(([phantom, by]) => {
    const who =
      by.length === 1 ? `Node ${by[0]} ${tense[0]}` : `Nodes ${by.join(', ')} ${tense[1]}`;
    return `${who} ${phantomText(phantom)}.`;
  });
}

/** Refused messages by reason. */
export function refusedText(refused: Cluster['refused']): string {
  const counts = Object.entries(refused).map(([reason, count]) => `${count} by ${reason}`);
  return counts.length === 0
    ? 'No message was refused.'
    : `Refused messages: ${counts.join(', ')}.`;
}

/** What the check against the model has found. */
export function checkVerdict({ outcome, steps, defect, reason, epochClash, forged }: Check): {
  readonly value: VerdictValue;
  readonly sentence: string;
} {
  if (outcome === 'unknown') {
    const known = steps > 0 ? `The model takes the first ${steps} steps. ` : '';
    return { value: 'unknown', sentence: `${known}The rest is unknown: ${reason}.` };
  }
  if (defect !== null) {
    const { node, record, reason } = defect;
    const where = `step ${record + 1} of node ${node}`;
    return { value: 'false', sentence: `The model does not take ${where}: it ${reason}.` };
  }
  if (epochClash !== null) {
    const { epoch, leaders } = epochClash;
    return { value: 'false', sentence: `Nodes ${leaders.join(' and ')} both led epoch ${epoch}.` };
  }
  const lies =
    forged > 0
      ? ` ${counted(forged, 'message')} came in the name of a node that did not send it.`
      : '';
  return { value: 'true', sentence: `The model takes all ${steps} steps of the nodes.${lies}` };
}

type Action = Cluster['actions'][number];

/** An action with what became of it. */
export function actionText({ number, type, node, status, detail }: Action): string {
  const about = node === null ? '' : ` ${node}`;
  const end = detail === null ? '' : `: ${detail}`;
  return `${number}. ${type}${about}, ${status}${end}`;
}

type Takeover = NonNullable<Cluster['takeover']>;

/** What an honest node noticed of an attack. */
export function observationText({
  node,
  what,
  seconds,
  count,
}: Takeover['observations'][number]): string {
  return `${seconds} s: node ${node} ${what}${count > 1 ? `, ${count} times` : ''}`;
}

const OUTCOMES: Readonly<Record<Takeover['outcome'], string>> = {
  leads: 'The adversary leads',
  harms: 'The adversary does not lead all honest nodes',
  refused: 'The adversary does not lead all honest nodes',
  'not-found': 'The adversary found no identity',
};

/** The report of an attack. */
export function takeoverText({ outcome, node, attempts, leads, refusedBy }: Takeover): string {
  const named = node === null ? '' : ` with node ${node}`;
  const time = leads === null ? '' : `, ${leads} s after the first hash`;
  const why = refusedBy.length === 0 ? '' : ` Why: ${refusedBy.join('; ')}.`;
  const harm = outcome === 'harms' ? ' At the end the honest nodes did not follow one leader.' : '';
  return `${OUTCOMES[outcome]}${named} after ${counted(attempts, 'key')}${time}.${harm}${why}`;
}
