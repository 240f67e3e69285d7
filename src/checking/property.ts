/**
 * @module
 * The form of a checked property. `always` must hold in every world, `sometimes` in one, and `eventually` in one
 * world of every weakly fair execution.
 */

import type { NodeView } from '../election/properties.ts';
import type { EpochBreach } from './monitor.ts';

/** A world as properties see it. */
export interface WorldView {
  /** Every member by rank: whether it is up, and its leader. */
  readonly nodes: readonly NodeView[];
  /** The ranks of Byzantine nodes. Properties demand nothing of them. */
  readonly byzantine: ReadonlySet<number>;
  /** Two leaders of one epoch, now or earlier. */
  readonly epochBreach: EpochBreach | null;
  /** Nothing is in flight, no timer is set, and no choice, start or report is open. */
  readonly isAtRest: boolean;
}

export interface CheckedProperty {
  readonly name: string;
  readonly kind: 'always' | 'sometimes' | 'eventually';
  /** What it says, as a sentence without a full stop. */
  readonly description: string;
  /** Under which timing and faults the protocols claim it, as a sentence. */
  readonly claim: string;
  /** Whether it must remember which nodes led which epoch. */
  readonly needsEpochs: boolean;
  readonly holds: (view: WorldView) => boolean;
  /** What is wrong in a world in which it does not hold, as words that follow a colon. */
  readonly breach: (view: WorldView) => string;
}

/** The nodes of which properties demand something: up and not Byzantine. */
export function honestLive({ nodes, byzantine }: WorldView): readonly NodeView[] {
  return nodes.filter(({ rank, up }) => up && !byzantine.has(rank));
}
