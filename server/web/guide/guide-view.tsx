/**
 * @module
 * The view of the guides: one sentence, the picture that it is about, and the controls of time. The address has the
 * moment that is shown.
 */

import './guide.css';

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { Equivalent } from '../parts/equivalent.tsx';
import { Navigation } from '../parts/navigation.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { StepSlider } from '../parts/step-slider.tsx';
import { commandOf, forgeryOf, queryOf } from '../race/plan.ts';
import type { QueryProps } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { ViewProps } from '../shell/views.ts';
import { actionsUntil } from './actions.ts';
import type { Frame, Guide } from './guide.ts';
import { GUIDES, msOf } from './guide.ts';
import { GuideStage } from './guide-stage.tsx';
import type { PlayedPart } from './play-guide.ts';
import type { FinishedRace } from './race-scenes.ts';
import { raceOf } from './race-scenes.ts';
import { openElection } from './try-it.ts';
import type { ShownGuide } from './use-guide.ts';
import { useGuide } from './use-guide.ts';

export function View({ segments: [name], query }: ViewProps) {
  const guide = name === undefined ? GUIDES[0] : GUIDES.find((each) => each.name === name);
  if (guide === undefined) {
    return (
      <>
        <Notice kind="error">There is no guide of this name.</Notice>
        <Guides current={null} />
      </>
    );
  }
  return <GuidePage key={guide.name} guide={guide} query={query} />;
}

function GuidePage({ guide, query }: QueryProps & { readonly guide: Guide }) {
  const { value, error } = useGuide(guide);
  return (
    <div class="guide">
      <h1>{guide.title}</h1>
      <Guides current={guide} />
      <ErrorNotice error={error} />
      {value === null ? (
        error === null && <p class="loading">The nodes earn their IDs…</p>
      ) : (
        <Player played={value} query={query} />
      )}
    </div>
  );
}

function Guides({ current }: { readonly current: Guide | null }) {
  const links = GUIDES.map(({ name, title }) => {
    return { title, href: hrefOf(['guide', name]), isCurrent: name === current?.name };
  });
  return <Navigation label="Guides" links={links} />;
}

/** Milliseconds for which a sentence is shown without motion. */
const CALM_MS = 4_000;

/** Whether nothing moves: each sentence is shown at its end. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The last frame of a sentence; of the last sentence if there are fewer. */
function endOf(frames: readonly Frame[], step: number): number {
  const end = frames.findLastIndex((frame) => frame.step === step);
  return end < 0 ? frames.length - 1 : end;
}

function usePlayer(frames: readonly Frame[], query: QueryProps['query']) {
  const last = frames.length - 1;
  const wanted = /^\d{1,4}$/.test(query['at'] ?? '') ? Number(query['at']) : 0;
  const at = Math.min(wanted, last);
  const step = frames[at]?.step ?? 0;
  /** The frame at which playing ends; null while it is paused. */
  const goal = useSignal<number | null>(query['at'] === undefined && !isCalm() ? last : null);
  const show = (frame: number) => keepInAddress({ at: Math.max(0, Math.min(frame, last)) });
  const ms = msOf(frames, at);
  useEffect(() => {
    if (goal.value === null) return undefined;
    if (at >= goal.value) {
      goal.value = null;
      return undefined;
    }
    const [after, wait] = isCalm() ? [endOf(frames, step + 1), CALM_MS] : [at + 1, ms];
    const timer = setTimeout(() => show(after), wait);
    return () => clearTimeout(timer);
  }, [at, goal.value]);
  const jump = (frame: number) => {
    goal.value = null;
    show(frame);
  };
  return {
    at,
    ms,
    jump,
    isPlaying: goal.value !== null,
    toggle() {
      if (goal.value === null && at === last) show(0);
      goal.value = goal.value === null ? last : null;
    },
    /** Plays the next sentence. */
    next() {
      const end = endOf(frames, step + 1);
      if (isCalm() || at >= end) return jump(end);
      show(endOf(frames, step) + 1);
      goal.value = end;
    },
    /** Shows the end of the sentence before. */
    back: () => jump(step === 0 ? 0 : endOf(frames, step - 1)),
  };
}

type Playing = ReturnType<typeof usePlayer>;

function Player({ played, query }: QueryProps & { readonly played: ShownGuide }) {
  const { frames, parts, races } = played;
  const player = usePlayer(frames, query);
  useKeys(player);
  const frame = frames[player.at];
  const part = frame === undefined ? undefined : parts[frame.part];
  if (frame === undefined || part === undefined) return null;
  const sentences = (frames.at(-1)?.step ?? 0) + 1;
  return (
    <>
      <section class="narration panel" aria-label="What happens">
        <p class="sentence" role="status">
          {frame.text}
        </p>
        <p class="sentence-number">
          {frame.step + 1} of {sentences}
        </p>
      </section>
      <Controls {...{ player, frames, frame, part, races }} />
      <GuideStage part={part} races={races} moment={frame.moment} ms={player.ms} />
      <SameAs part={part} />
    </>
  );
}

/** What creates the election of a part, or makes the search of its race. */
function SameAs({ part }: { readonly part: PlayedPart }) {
  if (part.view === 'race') {
    const body = forgeryOf(part.plan, null);
    const request = { method: 'POST', path: '/v1/forgeries', body } as const;
    return <Equivalent command={commandOf(part.plan)} request={request} />;
  }
  const body = part.election.request;
  return <Equivalent command={null} request={{ method: 'POST', path: '/v1/elections', body }} />;
}

/** Space plays and pauses, and the arrows step, unless a control has the key. */
function useKeys({ toggle, next, back }: Playing): void {
  useEffect(() => {
    const keys: Readonly<Record<string, () => void>> = {
      ' ': toggle,
      ArrowRight: next,
      ArrowLeft: back,
    };
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      const isControl = target instanceof Element && target.closest('button, a, input') !== null;
      const action = keys[key];
      if (action === undefined || (isControl && (key === ' ' || target.matches('input')))) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

interface ControlsProps {
  readonly player: Playing;
  readonly frames: readonly Frame[];
  readonly frame: Frame;
  readonly part: PlayedPart;
  readonly races: readonly FinishedRace[];
}

function Controls({ player, frames, frame, ...shown }: ControlsProps) {
  const { at, isPlaying, toggle, next, back, jump } = player;
  const isLast = at === frames.length - 1;
  return (
    <section class="time-controls" aria-label="Time">
      <div class="time-buttons">
        <button type="button" disabled={at === 0} onClick={back}>
          Back
        </button>
        <button type="button" class="primary" onClick={toggle}>
          {isPlaying ? 'Pause' : isLast ? 'Again' : 'Play'}
        </button>
        <button type="button" disabled={isLast} onClick={next}>
          Next
        </button>
        <TryIt {...shown} moment={frame.moment} />
      </div>
      <StepSlider name="Moment" count={frames.length - 1} position={at} show={jump} />
      <p class="hint wide">Keys: the space bar plays and pauses, → and ← step.</p>
    </section>
  );
}

/** Opens the election or the race of this moment in its own view. */
function TryIt({
  part,
  races,
  moment,
}: Pick<ControlsProps, 'part' | 'races'> & { readonly moment: number }) {
  const { isBusy, error, attempt } = useAttempt();
  if (part.view === 'race') {
    return (
      <a class="button" href={hrefOf(['race'], { ...queryOf(part.plan), run: 1 })}>
        Try it yourself
      </a>
    );
  }
  const { election, played } = part;
  const open = () =>
    attempt(async () => {
      const claim = raceOf(races, election.joins)?.result.claim ?? null;
      const id = await openElection(election, actionsUntil(election, played, moment), claim);
      location.hash = hrefOf(['elections', id]);
    });
  return (
    <>
      <button type="button" disabled={isBusy.value} onClick={() => void open()}>
        Try it yourself
      </button>
      <ErrorNotice error={error.value} />
    </>
  );
}
