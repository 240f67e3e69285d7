/**
 * @module
 * This folder contains the view of one election: watching it live, moving in its history, and acting on it. This file
 * puts the parts together.
 */

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import { propertyLines } from '../../../../src/simulation/report/sentences.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { hasNoServer } from '../../api/lab-thread.ts';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { dayAndTime } from '../../parts/numbers.ts';
import { StepSlider } from '../../parts/step-slider.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import type { ObjectProps } from '../../shell/router.ts';
import { go, hrefOf, keepInAddress } from '../../shell/router.ts';
import { asksForSignIn } from '../../shell/sign-in.tsx';
import { useAttempt } from '../../shell/use-attempt.ts';
import type { Spot } from '../diagram/diagram.tsx';
import { arrangedNodes, marksOf } from '../layout/groups.ts';
import { travellingAt } from '../layout/travel.ts';
import { OwnNode } from '../own/own-node.tsx';
import { useFollowed } from '../session/history.ts';
import { stateSentence } from '../session/sentences.ts';
import type { Choices } from '../session/session.ts';
import { choicesOf, Session } from '../session/session.ts';
import { Watch } from '../session/watch.ts';
import { History } from './history.tsx';
import { MessagePanel, NodePanel } from './node-panel.tsx';
import { Ring } from './ring.tsx';

export function Play({ id, query }: ObjectProps) {
  const watch = useFollowed(id, () => new Watch(id));
  const session = useMemo(() => new Session(watch), [watch]);
  const error = watch.error.value;
  const election = watch.election.value;
  if (election === null) {
    return (
      <>
        <h1>Election</h1>
        {error === null ? <p class="loading">Loading…</p> : <ErrorNotice error={error} />}
      </>
    );
  }
  return (
    <>
      <Title election={election} />
      {watch.isGone.value ? (
        <Notice kind="warning">This election was deleted, or is no longer shared with you.</Notice>
      ) : null}
      <ErrorNotice error={error} />
      <Board session={session} election={election} choices={choicesOf(query)} />
    </>
  );
}

function Title({ election }: { readonly election: Election }) {
  const { id, protocol, nodes, seed, level, detector, defences, latency } = election;
  const { origin, byzantine, scenario } = election;
  const facts = [
    `seed ${seed ?? 'hidden'}`,
    level === null ? 'messages not checked' : `level ${level}`,
    `detector ${detector}`,
    `latency ${latency}`,
    ...defences.map((name) => `defence ${name}`),
    ...byzantine.map(
      ({ rank, behaviours }) => `node ${rank} is Byzantine (${behaviours.join(', ')})`,
    ),
  ];
  return (
    <>
      <h1>
        {protocol}, {nodes} nodes
      </h1>
      <p class="election-facts">
        <code>{id}</code> · {facts.join(' · ')}
        {origin === null ? null : (
          <>
            {' '}
            · copy of <a href={hrefOf(['elections', origin.election])}>{origin.election}</a>
          </>
        )}
      </p>
      {scenario === null ? null : (
        <p class="scenario-of">
          Run “{scenario.run}” of the scenario {scenario.name}. Expected of its runs:{' '}
          {scenario.expected}
        </p>
      )}
    </>
  );
}

interface BoardProps {
  readonly session: Session;
  readonly election: Election;
  readonly choices: Choices;
}

function Board({ session, election, choices }: BoardProps) {
  const { watch } = session;
  const { isWhole } = watch;
  const count = watch.count.value;
  const nodes = watch.nodes.value;
  const position = Math.min(choices.at ?? count, count);
  const arranged = useArranged(watch, election);
  const states = useStates(watch, position);
  const chosen = choices.message;
  const behaviours = new Map(election.byzantine.map((each) => [each.rank, each.behaviours]));
  const { groups, slots, marks, isRing } = arranged.value;
  const travelling = travellingAt(watch.timeline, position, slots);
  return (
    <>
      <Outcome session={session} election={election} />
      <Controls session={session} election={election} count={count} position={position} />
      {position < count ? <PastHint isWhole={isWhole} position={position} /> : null}
      <div class="board">
        <Ring
          {...{ groups, states, side: choices.side, chosen: choices.node, travelling, marks }}
          nodes={new Map(nodes.map((node) => [node.rank, node]))}
          isRing={isRing}
          onChoose={(rank) => keepInAddress({ node: rank === choices.node ? null : rank })}
        />
        <NodePanel
          {...{ session, nodes, groups, behaviours, side: choices.side, chosen: choices.node }}
        />
        <MessagePanel {...{ session, chosen, marks, election, flights: watch.flights.value }} />
      </div>
      <h2>Space-time diagram</h2>
      <History
        {...{ watch, choices, position, arranged: arranged.value, called: 'Byzantine' }}
        isChecked={election.level !== null}
        onPick={(spot) => choose(spot, watch)}
      />
      <Below {...{ session, election, position, count }} />
    </>
  );
}

/** The nodes as the circle shows them. Those who receive outlines of events see them as they are now. */
function useStates(watch: Watch, position: number) {
  const { isWhole } = watch;
  return useMemo(
    () => (isWhole ? watch.nodesAt(position) : watch.nodesNow()),
    [isWhole, position, watch.count.value, watch.nodes.value],
  );
}

interface BelowProps extends Omit<BoardProps, 'choices'> {
  readonly position: number;
  readonly count: number;
}

/** What is below the diagram. */
function Below({ session, election, position, count }: BelowProps) {
  const { isWhole, nodes } = session.watch;
  return (
    <>
      {isWhole ? <Fork session={session} position={position} count={count} /> : null}
      <OwnNode session={session} election={election} nodes={nodes.value} />
      {isWhole && !hasNoServer ? <Share election={election} /> : null}
      <Equivalence session={session} election={election} />
    </>
  );
}

/** Shows the moment of an event or of the end of a message. */
function choose(spot: Spot, { timeline }: Watch): void {
  if (spot.type === 'event') keepInAddress({ at: spot.seq + 1 });
  else {
    const { id, ended } = timeline.message(spot.message);
    keepInAddress(ended === null ? { message: id } : { message: id, at: ended + 1 });
  }
}

function PastHint({ position, isWhole }: { readonly position: number; readonly isWhole: boolean }) {
  return (
    <p class="hint">
      {isWhole
        ? `The circle shows the nodes after event ${position}. The verdict and the messages in flight are those of now.`
        : 'The circle and the verdict are those of now.'}
    </p>
  );
}

/** The verdict, and what the last action did. */
function Outcome({ session, election }: Omit<BoardProps, 'choices'>) {
  const { error, outcome } = session;
  return (
    <>
      <VerdictPanel election={election} />
      <ErrorNotice error={error.value} />
      {outcome.value === null ? null : <Notice kind="info">{outcome.value}</Notice>}
    </>
  );
}

/** The nodes in groups and the types of messages with their marks. They change rarely. */
function useArranged(watch: Watch, election: Election) {
  const { ranks, ring, protocol, byzantine } = election;
  return useComputed(() => {
    const present = watch.nodes.value.map(({ rank }) => rank);
    const types = watch.count.value === 0 ? [] : watch.timeline.types;
    const hostile = new Set(byzantine.map(({ rank }) => rank));
    return { ...arrangedNodes(present, { protocol, ranks, ring }), marks: marksOf(types), hostile };
  });
}

/** What would do the same: the last action, or else the election as it was created, and reading it. */
function Equivalence({ session, election }: Omit<BoardProps, 'choices'>) {
  const action = session.lastAction.value;
  const path = `/v1/elections/${election.id}`;
  return (
    <Equivalent
      command={action === null ? election.replay : null}
      request={
        action === null
          ? { method: 'GET', path }
          : { method: 'POST', path: `${path}/actions`, body: action }
      }
    />
  );
}

interface ControlsProps {
  readonly session: Session;
  readonly election: Election;
  /** Number of events, and how many of them are shown. */
  readonly count: number;
  readonly position: number;
}

const SPEEDS = [1, 4, 16, 100] as const;
const PLAY_MS = 400;

/**
 * The controls of time: a slider over all events, steps, play, and the actions that move the election
 * itself.
 */
function Controls({ session, election, count, position }: ControlsProps) {
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

interface ForkProps {
  readonly session: Session;
  /** Number of events that are shown, and of all. */
  readonly position: number;
  readonly count: number;
}

/**
 * Copies the election at the moment that is shown, and opens the copy. Also deletes an election.
 */
function Fork({ session, position, count }: ForkProps) {
  const { id } = session.watch;
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!asksForSignIn(error)) session.error.value = error;
    }
  };
  const fork = () =>
    guarded(async () => {
      const body = position >= count ? {} : { at: position - 1 };
      const params = { path: { id }, ...once() };
      const copy = await answerOf(api.POST('/v1/elections/{id}/fork', { params, body }));
      go(['elections', copy.id]);
    });
  const remove = () =>
    guarded(async () => {
      await answerOf(api.DELETE('/v1/elections/{id}', { params: { path: { id } } }));
      go(['elections']);
    });
  return (
    <div class="controls after-diagram">
      <button type="button" disabled={position === 0 && count > 0} onClick={() => void fork()}>
        {position >= count ? 'Fork now' : `Fork at event ${position}`}
      </button>
      <button type="button" onClick={() => void remove()}>
        Delete
      </button>
    </div>
  );
}

/** The state of the election in one sentence, its verdict, and each property in one sentence. */
function VerdictPanel({ election }: { readonly election: Election }) {
  const { verdict } = election;
  return (
    <section class="verdict-panel panel" aria-label="State and verdict">
      <p class="state-sentence" role="status">
        {stateSentence(election)}
      </p>
      <p class="verdict-line">
        <Verdict value={verdict.value}>{verdict.reason}</Verdict>
      </p>
      <ul class="properties">
        {propertyLines(verdict.properties).map(({ name, value, sentence }) => (
          <li key={name}>
            <Verdict value={value} word={name}>
              <span class="property-sentence">{sentence}</span>
            </Verdict>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shares an election: a join code for others, and who has used it. */
function Share({ election }: { readonly election: Election }) {
  const code = useSignal<Schema<'JoinCode'> | null>(null);
  const participants = useSignal<readonly Schema<'Participant'>[]>([]);
  const { error, attempt } = useAttempt();
  const path = { id: election.id };
  const list = async () => {
    const query = { pageSize: '100' };
    const page = await answerOf(
      api.GET('/v1/elections/{id}/participants', { params: { path, query } }),
    );
    participants.value = page.items;
  };
  const make = () =>
    attempt(async () => {
      if (election.access === 'private') {
        const body = { mode: 'shared' } as const;
        await answerOf(api.PUT('/v1/elections/{id}/access', { params: { path, ...once() }, body }));
      }
      code.value = await answerOf(
        api.POST('/v1/elections/{id}/join-code', { params: { path, ...once() }, body: {} }),
      );
      await list();
    });
  return (
    <details class="share panel">
      <summary>Share this election</summary>
      <p>
        Everyone who can open this address watches the same election. On a server that requires
        tokens, others sign in with a join code and play nodes of their own.
      </p>
      <div class="controls">
        <button type="button" onClick={() => void make()}>
          Make a join code
        </button>
        <button type="button" onClick={() => void attempt(list)}>
          Show participants
        </button>
      </div>
      {code.value === null ? null : (
        <p role="status">
          Join code: <code class="join-code">{code.value.code}</code>. At most{' '}
          {code.value.participantsMax} participants, until {dayAndTime(code.value.expires)}.
        </p>
      )}
      {participants.value.length === 0 ? null : (
        <ul class="participants">
          {participants.value.map((each) => (
            <li key={each.id}>
              {each.name}:{' '}
              {each.nodeId === null ? 'no node yet' : `node ${each.nodeId.slice(0, 16)}…`}
            </li>
          ))}
        </ul>
      )}
      <ErrorNotice error={error.value} />
    </details>
  );
}
