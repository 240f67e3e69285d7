/**
 * @module
 * Records the leader of each node while a run goes on: for the properties that judge the run, and for an
 * observer.
 */

import type { Observations } from '../../election/properties.ts';
import { createObservations, noteEpoch, noteLeads, noteYields } from '../../election/properties.ts';
import type { EngineOptions } from './engine-options.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface LeaderTracker {
  readonly observations: Observations;
  /** Tick at which a node last changed its leader. */
  readonly changedAt: number;
  /** Number of changes, including nodes that went down or came up. */
  readonly changes: number;
  /** From `now` on a node follows `leader` (0 for none) in `epoch` (0 for none). */
  follow(now: number, node: SimulatedNode, leader: number, epoch: number): void;
  /** Notes that a node has gone down or come up. */
  observe(now: number, node: SimulatedNode): void;
}

export function createLeaderTracker(observer: EngineOptions['observer']): LeaderTracker {
  const observations = createObservations();
  let changedAt = 0;
  let changes = 0;
  const observe = (now: number, { rank, mode, leader, epoch }: SimulatedNode) => {
    changes += 1;
    observer?.(now, { rank, up: mode !== 'down', leader: leader || null, epoch });
  };
  return {
    observations,
    get changedAt() {
      return changedAt;
    },
    get changes() {
      return changes;
    },
    follow(now, node, leader, epoch) {
      const { rank, leader: before } = node;
      if (before === leader && node.epoch === epoch) return;
      node.epoch = epoch;
      if (before !== leader) {
        node.leader = leader;
        changedAt = now;
        if (before === rank) noteYields(observations, rank);
        if (leader === rank) noteLeads(observations, { rank, moment: now });
      }
      if (leader === rank) noteEpoch(observations, { rank, epoch, moment: now });
      observe(now, node);
    },
    observe,
  };
}
