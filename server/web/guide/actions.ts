/**
 * @module
 * The actions of an election of a guide up to one of its moments.
 */

import type { GuideAction, GuideElection } from './guide.ts';
import type { PlayedElection } from './play-out.ts';

/** The actions that lead to the first `events` events, where the election has a stop. */
export function actionsUntil(
  { actions }: GuideElection,
  { stops }: Pick<PlayedElection, 'stops'>,
  events: number,
): readonly GuideAction[] {
  const stop = stops.findLast((each) => each.events === events);
  if (stop === undefined) throw new RangeError(`"events" expected a stop, got ${events}`);
  const { action, most } = stop;
  return actions
    .slice(0, action + 1)
    .map((each, index) =>
      index === action && most !== null && each.type === 'advance'
        ? { ...each, events: most }
        : each,
    );
}
