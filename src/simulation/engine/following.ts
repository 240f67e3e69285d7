/**
 * @module
 * Whom nodes follow while a run goes on: what the properties are judged by is noted at every change,
 * and whoever wants to see the changes is told.
 */

import type { Observations } from '../../election/properties.ts';
import { createObservations, noteEpoch, noteLeads, noteYields } from '../../election/properties.ts';

import type { EngineOptions } from './engine-options.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface LeaderTracker {
  readonly observations: Observations;
  /** Time at which some node last changed whom it follows. */
  readonly changedAt: number;
  /** Changes so far, those of who is up included. */
  readonly changes: number;
  /** From `now` on a node follows `leader` (0 is nobody) in `epoch` (0 is none). */
  follow(now: number, seat: SimulatedNode, leader: number, epoch: number): void;
  /** A node has gone down or come up. */
  observe(now: number, seat: SimulatedNode): void;
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
    follow(now, seat, leader, epoch) {
      const before = seat.leader;
      if (before === leader && seat.epoch === epoch) return;
      const rank = seat.rank;
      seat.epoch = epoch;
      if (before !== leader) {
        seat.leader = leader;
        changedAt = now;
        if (before === rank) noteYields(observations, rank);
        if (leader === rank) noteLeads(observations, { rank, moment: now });
      }
      if (leader === rank) noteEpoch(observations, { rank, epoch, moment: now });
      observe(now, seat);
    },
    observe,
  };
}
