/**
 * @module
 * The controls of time: a slider over all events, steps, play, and the actions that move the election itself.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Election } from '../../api/contract.ts';
import { StepSlider } from '../../parts/step-slider.tsx';
import { keepInAddress } from '../../shell/router.ts';
import type { Session } from '../session/session.ts';

interface ControlsProps {
  readonly session: Session;
  readonly election: Election;
  /** Number of events, and how many of them are shown. */
  readonly count: number;
  readonly position: number;
}

const SPEEDS = [1, 4, 16, 100] as const;
const PLAY_MS = 400;

export function Controls({ session, election, count, position }: ControlsProps) {
  const isPlaying = useSignal(false);
  const speed = useSignal<number>(1);
  const isNewest = position >= count;
  const { isWhole } = session.watch;
  const show = (at: number) => keepInAddress({ at: at >= count ? null : Math.max(0, at) });
  const advance = (events: number) =>
    session.act({ type: 'advance', until: 'idle', events, waits: false });
  const next = async () => {
    if (!isNewest) return show(position + speed.value);
    const isDone = !isWhole || election.status === 'idle' || election.awaiting.length > 0;
    if (isDone || !(await advance(speed.value))) isPlaying.value = false;
  };
  useEffect(() => {
    if (!isPlaying.value) return undefined;
    const timer = setTimeout(() => void next(), PLAY_MS);
    return () => clearTimeout(timer);
  });
  const isCreated = election.status === 'created';
  const isBusy = session.isBusy.value;
  return (
    <section class="time-controls" aria-label="Time">
      <div class="time-buttons">
        <button type="button" disabled={position === 0} onClick={() => show(0)}>
          First
        </button>
        <button type="button" disabled={position === 0} onClick={() => show(position - 1)}>
          Back
        </button>
        <button
          type="button"
          disabled={isNewest && (isCreated || isBusy || !isWhole)}
          onClick={() => (isNewest ? void advance(1) : show(position + 1))}
        >
          Step
        </button>
        <button
          type="button"
          disabled={isCreated || (isNewest && !isWhole)}
          aria-pressed={isPlaying.value}
          onClick={() => {
            isPlaying.value = !isPlaying.value;
          }}
        >
          {isPlaying.value ? 'Pause' : 'Play'}
        </button>
        <Speed
          value={speed.value}
          onChange={(value) => {
            speed.value = value;
          }}
        />
        <button type="button" disabled={isNewest} onClick={() => show(count)}>
          Newest
        </button>
        {isWhole ? <MainAction session={session} election={election} /> : null}
      </div>
      <StepSlider name="Event" {...{ count, position, show }} />
    </section>
  );
}

function Speed({
  value,
  onChange,
}: {
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <select
      aria-label="Events in each step of playing"
      value={String(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      {SPEEDS.map((each) => (
        <option key={each} value={String(each)}>
          {each}×
        </option>
      ))}
    </select>
  );
}

/** Starts the nodes, or runs the election until it rests. */
function MainAction({ session, election }: Pick<ControlsProps, 'session' | 'election'>) {
  const isCreated = election.status === 'created';
  const isBusy = session.isBusy.value;
  return isCreated ? (
    <button
      type="button"
      class="primary"
      disabled={isBusy}
      onClick={() => void session.act({ type: 'start' })}
    >
      Start the nodes
    </button>
  ) : (
    <button
      type="button"
      class="primary"
      disabled={isBusy || election.status === 'idle'}
      onClick={() => void session.act({ type: 'advance', until: 'idle', waits: false })}
    >
      Run until it rests
    </button>
  );
}
