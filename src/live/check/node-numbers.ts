/**
 * @module
 * Numbers the nodes of a cluster from their logs alone: first the founders, by rank, then the nodes that joined, in the
 * order in which they were admitted. A member notes in its log when it admitted a node. Which logs are given, and when the
 * node itself began or returned, therefore rarely changes its number.
 */

import type { LiveLog } from '../node-record.ts';
import type { ModelNode } from './model-network.ts';

/** The number of each node; null of a phantom. The nodes ascend by rank. */
export function nodeNumbers(
  nodes: readonly ModelNode[],
  logs: readonly Pick<LiveLog, 'records' | 'position' | 'isByzantine'>[],
): readonly (number | null)[] {
  const admitted = admissionTimes(logs);
  const ownBegin = ({ position }: ModelNode) =>
    logs.find((log) => log.position === position)?.records[0]?.t;
  const timeOf = (node: ModelNode) =>
    admitted.get(String(node.rank)) ?? ownBegin(node) ?? Number.MAX_VALUE;
  const members = nodes.filter(({ isPhantom }) => isPhantom !== true);
  const order = [
    ...members.filter(({ isFounder }) => isFounder),
    ...members
      .filter(({ isFounder }) => !isFounder)
      .toSorted((one, other) => timeOf(one) - timeOf(other)),
  ];
  return nodes.map((node) => (node.isPhantom === true ? null : order.indexOf(node) + 1));
}

/** When the first honest member admitted each node, by rank. */
function admissionTimes(
  logs: readonly Pick<LiveLog, 'records' | 'isByzantine'>[],
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { t, event } of logs.flatMap((log) => (log.isByzantine ? [] : log.records))) {
    if (event.type !== 'join') continue;
    const rank = String(event.node);
    times.set(rank, Math.min(t, times.get(rank) ?? t));
  }
  return times;
}
