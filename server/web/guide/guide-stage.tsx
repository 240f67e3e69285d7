/**
 * @module
 * The picture of a moment: the IDs of a race on their line, or the nodes of an election with the messages that travel,
 * the event in words, and the list of messages.
 */

import '../elections/elections.css';

import { useMemo } from 'preact/hooks';

import { arrangedNodes, marksOf, storeOf } from '../elections/layout/groups.ts';
import { travellingAt } from '../elections/layout/travel.ts';
import { EventPanel } from '../elections/play/event-panel.tsx';
import { FlightRow } from '../elections/play/node-panel.tsx';
import type { Player } from '../elections/play/ring.tsx';
import { Ring } from '../elections/play/ring.tsx';
import type { History } from '../elections/session/history.ts';
import { Details, Moments } from '../elections/timeline/moment.ts';
import { Timeline } from '../elections/timeline/timeline.ts';
import { ScenePicture } from '../race/stage.tsx';
import type { PlayedPart } from './play-guide.ts';
import type { PlayedElection } from './play-out.ts';
import type { FinishedRace } from './race-scenes.ts';
import { scenesOf } from './race-scenes.ts';

interface StageProps {
  readonly part: PlayedPart;
  readonly races: readonly FinishedRace[];
  readonly moment: number;
  /** Milliseconds until the next moment. */
  readonly ms: number;
}

const PICTURE_HEIGHT = 300;

export function GuideStage({ part, ...shown }: StageProps) {
  if (part.view === 'election') return <ElectionStage part={part} {...shown} />;
  return <RaceStage part={part} {...shown} />;
}

type PartOf<View> = Extract<PlayedPart, { readonly view: View }>;

function RaceStage({ part, races, moment }: StageProps & { readonly part: PartOf<'race'> }) {
  const scene = useMemo(() => scenesOf(races, part), [part])[moment];
  return (
    <section class="stage" aria-label="The race">
      {scene === undefined ? null : <ScenePicture scene={scene} height={PICTURE_HEIGHT} />}
    </section>
  );
}

type ElectionPart = PartOf<'election'>;

function ElectionStage({ part, moment, ms }: StageProps & { readonly part: ElectionPart }) {
  const { played, election } = part;
  const history = useMemo(() => historyOf(played), [played]);
  const { timeline, moments } = history;
  const arranged = useMemo(() => {
    const { protocol, ring, nodes } = played;
    const present = Array.from({ length: nodes.ranks }, (_, index) => index + 1);
    const circle = arrangedNodes(present, { protocol, ring, ranks: nodes.ranks });
    return { ...circle, marks: marksOf(timeline.types) };
  }, [part]);
  const { slots, groups, marks } = arranged;
  const travelling = travellingAt(timeline, moment, slots);
  const labelOf = (slot: number) => groups[slot]?.label ?? '?';
  const flights = travelling.filter(({ fate }) => fate === 'in flight').toReversed();
  return (
    <div class="board" style={{ '--step': `${Math.round(Math.min(ms, MOVE_MS_MAX))}ms` }}>
      <Ring
        {...{ ...arranged, travelling, side: [], chosen: null, onChoose: null }}
        states={moments.at(moment)}
        nodes={playersOf(part)}
      />
      <EventPanel
        watch={history}
        spot={moment === 0 ? null : { type: 'event', seq: moment - 1 }}
        isChecked={election.request.level !== undefined}
      />
      <section class="messages panel" aria-labelledby="messages-title">
        <h2 id="messages-title">Messages in flight: {flights.length}</h2>
        {flights.length === 0 ? <p class="hint">No message is in flight.</p> : null}
        <ul class="flight-list">
          {flights.map(({ message, from, to, type }) => (
            <li key={message} class="flight">
              <FlightRow
                mark={marks[type]}
                from={labelOf(from)}
                to={labelOf(to)}
                type={timeline.types[type] ?? ''}
                note=""
              />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** The history of an election, as the view of elections has it, and the nodes at its moments. */
function historyOf({ events, protocol, nodes: { ranks, down } }: PlayedElection) {
  const [timeline, details] = [new Timeline(), new Details()];
  for (const event of events) {
    timeline.add(event);
    details.add(event);
  }
  const store = storeOf({ protocol, ranks });
  const history: History = { timeline, details, eventsPath: '', timeUnit: 'tick', store };
  return { ...history, moments: new Moments(timeline, ranks, down) };
}

/** A message does not travel for longer between two moments. */
const MOVE_MS_MAX = 600;

function playersOf({ election, played }: ElectionPart): Map<number, { readonly player: Player }> {
  const { ranks } = played.nodes;
  const byzantine = new Set((election.request.byzantine ?? []).map(({ rank }) => rank));
  const playerOf = (rank: number): Player => {
    if (byzantine.has(rank)) return 'byzantine';
    return election.joins !== null && rank === ranks ? 'adversary' : 'honest';
  };
  return new Map(
    Array.from({ length: ranks }, (_, index) => [index + 1, { player: playerOf(index + 1) }]),
  );
}
