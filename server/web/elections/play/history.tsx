/**
 * @module
 * The history of an election or a cluster: the marks, the space-time diagram, and the event under the pointer in words.
 */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

import type { Spot } from '../diagram/diagram.tsx';
import { Diagram } from '../diagram/diagram.tsx';
import type { Drawing } from '../diagram/draw.ts';
import type { Followed } from '../session/history.ts';
import type { Choices } from '../session/session.ts';
import { EventPanel } from './event-panel.tsx';
import { Legend } from './legend.tsx';

interface HistoryProps {
  readonly watch: Followed;
  readonly arranged: Pick<Drawing, 'groups' | 'slots' | 'marks' | 'hostile'>;
  readonly choices: Choices;
  /** Number of events that are shown. */
  readonly position: number;
  /** What hostile nodes are called. */
  readonly called: string;
  readonly isChecked: boolean;
  readonly onPick: (spot: Spot) => void;
}

export function History({ watch, arranged, choices, position, ...props }: HistoryProps) {
  const hovered = useSignal<Spot | null>(null);
  const { timeline, nodesAt, timeUnit } = watch;
  const chosen = choices.message === null ? null : timeline.messageWith(choices.message);
  const input = useMemo(
    () => ({ ...arranged, timeline, nodesAt, position, chosen, timeUnit }),
    [arranged, position, chosen],
  );
  const shown: Spot | null = position === 0 ? null : { type: 'event', seq: position - 1 };
  return (
    <>
      <Legend {...{ ...arranged, timeline, called: props.called }} />
      <div class="history">
        <Diagram
          {...{ input, events: watch.count.value, isFollowing: choices.at === null }}
          onHover={(spot) => {
            hovered.value = spot;
          }}
          onPick={props.onPick}
        />
        <EventPanel {...{ watch, spot: hovered.value ?? shown, isChecked: props.isChecked }} />
      </div>
    </>
  );
}
