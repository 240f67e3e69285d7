/**
 * @module
 * What the check knows of the nodes at the end of their logs, by their numbers in the cluster, and of the resource that
 * leaders wrote to.
 */

import { ReplacedLeaders, resourceIn } from '../../election/lease/workload-cast.ts';
import { memberOf } from '../../election/message-members.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { TraceRecord } from '../../simulation/engine/trace.ts';
import { leadsAfter, traceEvents } from '../../simulation/trace/events.ts';
import type { CheckedLogs } from './log-check.ts';

export interface LastState {
  readonly node: number;
  /** `unchecked`: it is Byzantine or has no log, so that only its messages are known. */
  readonly status: 'up' | 'down' | 'unchecked';
  /** The node that it follows; `phantom` is a rank that no node has. */
  readonly leader: number | 'phantom' | null;
  /** The nodes that suspect it. */
  readonly suspectedBy: readonly number[];
}

/** The nodes by their numbers. */
export function lastStates(checked: CheckedLogs): readonly LastState[] {
  const { replayed, numbers, logs, store } = checked;
  const { nodes } = replayed.world;
  const suspicions = openSuspicions(replayed.records);
  const numberOf = (position: number) => numbers[position - 1] ?? null;
  const isChecked = (position: number) =>
    logs.some((log) => log.position === position && !log.isByzantine);
  const states = nodes.flatMap(({ up, leader }, index): LastState[] => {
    const position = index + 1;
    const node = numberOf(position);
    if (position === store || node === null) return [];
    const known = up ? 'up' : 'down';
    const suspectedBy = suspicions
      .filter(({ by, about }) => about === position && nodes[by - 1]?.up === true)
      .flatMap(({ by }) => numberOf(by) ?? []);
    return [
      {
        node,
        status: isChecked(position) ? known : 'unchecked',
        leader: leader === null ? null : (numberOf(leader) ?? 'phantom'),
        suspectedBy: suspectedBy.sort((one, other) => one - other),
      },
    ];
  });
  return states.toSorted((one, other) => one.node - other.node);
}

interface Suspicion {
  readonly by: number;
  readonly about: number;
}

function openSuspicions(records: readonly TraceRecord[]): readonly Suspicion[] {
  const open = new Map<string, Suspicion>();
  for (const { action } of records) {
    if (action.type === 'suspect' || action.type === 'trust') {
      const { node: by, about } = action;
      open.delete(`${by} ${about}`);
      if (action.type === 'suspect') open.set(`${by} ${about}`, { by, about });
    } else if (action.type === 'crash') {
      // A detector starts again with its node.
      for (const [name, { by }] of open) if (by === action.node) open.delete(name);
    }
  }
  return [...open.values()];
}

/** The writes of leaders to the resource, in the order of the logs. */
export interface ResourceWrites {
  readonly accepted: number;
  /** Accepted writes of leaders that another node had replaced. */
  readonly staleWrites: number;
  /** Accepted writes after an operation of a later leader. */
  readonly lateWrites: number;
  /** Writes that the fence refused because a later leader had written or registered. */
  readonly staleRefused: number;
  /** Writes without an answer. The resource may have accepted them. */
  readonly unanswered: number;
}

/** Null without a resource. */
export function resourceWrites({ replayed, store, logs }: CheckedLogs): ResourceWrites | null {
  if (store === null) return null;
  const resource = resourceIn(replayed.world.nodes[store - 1]?.state ?? null);
  if (resource === null) return null;
  let [accepted, staleWrites, staleRefused] = [0, 0, 0];
  const leaders = new ReplacedLeaders<number>();
  const claimants = new Set(logs.flatMap((log) => (log.isByzantine ? log.position : [])));
  for (const { node, wasLeading, flight, record } of traceEvents(replayed.records)) {
    if (node !== null && !claimants.has(node)) {
      for (const effect of record.effects) {
        const leads = effect.type === 'elect' && fromRank(effect.leader) === node;
        if (leads) leaders.leads(node, effect.epoch);
      }
      if (!leadsAfter(wasLeading, record, node)) leaders.yields(node);
    }
    if (node !== store || flight?.message.type !== 'WRITE') continue;
    const epoch = Number(memberOf(flight.message, 'epoch'));
    for (const effect of record.effects) {
      if (effect.type !== 'send') continue;
      if (effect.message.type === 'WRITTEN') {
        accepted += 1;
        if (leaders.hasReplaced(flight.from, epoch)) staleWrites += 1;
      }
      if (memberOf(effect.message, 'reason') === 'stale') staleRefused += 1;
    }
  }
  const open = replayed.world.inFlight.filter(
    ({ to, message }) => to === store && message.type === 'WRITE',
  );
  const { lateWrites } = resource;
  return { accepted, staleWrites, lateWrites, staleRefused, unanswered: open.length };
}
