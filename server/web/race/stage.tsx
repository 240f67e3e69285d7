/**
 * @module
 * The stage of a race: the picture with its key, the budget, and the outcome.
 */

import './race.css';

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { ErrorNotice } from '../parts/notice.tsx';
import { about, count, counted, percent, seconds } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { hrefOf } from '../shell/router.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { VIEWS } from '../shell/views.ts';
import { named } from './graphics-card.tsx';
import { playRace } from './requests.ts';
import type { Scene, Spot } from './scene.ts';
import { sceneOf, shortId } from './scene.ts';
import type { Race } from './use-race.ts';

interface StageProps {
  readonly race: Race;
  readonly height: number;
}

export function Stage({ race, height }: StageProps) {
  const scene = sceneOf(race);
  const { error, isRunning } = race;
  return (
    <section class="stage" aria-label="The race">
      <ErrorNotice error={error} />
      {scene === null ? (
        <p class="waiting" style={{ minHeight: isRunning ? `${height}px` : '0' }}>
          {isRunning ? 'The honest nodes earn their IDs…' : 'Start a race to see it here.'}
        </p>
      ) : (
        <>
          <ScenePicture scene={scene} height={height} />
          <div class="outcome" aria-live="polite">
            <Outcome scene={scene} race={race} />
          </div>
        </>
      )}
    </section>
  );
}

interface PictureProps {
  readonly scene: Scene;
  readonly height: number;
}

/** The picture of a race with its key and the budget. */
export function ScenePicture({ scene, height }: PictureProps) {
  return (
    <>
      <IdLine scene={scene} height={height} />
      <Key scene={scene} />
      <Gauge scene={scene} />
    </>
  );
}

function Key({ scene: { areEarned, c1, keys, forged } }: Pick<PictureProps, 'scene'>) {
  return (
    <ul class="key">
      <li>
        <svg width="14" height="14" aria-hidden="true" class="honest">
          <circle cx="7" cy="7" r="5" />
        </svg>{' '}
        honest node{areEarned ? '' : ' (its ID is drawn: the work would take too long here)'}
      </li>
      <li>
        <svg width="16" height="16" aria-hidden="true" class="forged">
          <path d="M8 1l7 7l-7 7l-7 -7z" />
        </svg>{' '}
        {keys < forged.length ? 'ID' : 'valid ID'} of the forger
      </li>
      <li>
        <svg width="16" height="14" aria-hidden="true">
          <rect class="zone" width="16" height="14" />
        </svg>{' '}
        an ID here wins
      </li>
      {c1 === 0 ? null : (
        <li>
          <svg width="20" height="14" aria-hidden="true">
            <line class="required" x1="0" x2="20" y1="7" y2="7" />
          </svg>{' '}
          {c1} zero bits are required
        </li>
      )}
    </ul>
  );
}

const HAS_ELECTIONS = VIEWS.some(({ name }) => name === 'elections');

interface OutcomeProps {
  readonly scene: Scene;
  readonly race: Race;
}

/** The budget while it is spent. */
function Gauge({ scene: { attempts, budget } }: Pick<OutcomeProps, 'scene'>) {
  const note = `${count(attempts)} of ${count(budget)} attempts`;
  return <Progress label="Budget" done={attempts} total={budget || null} note={note} />;
}

function Outcome({ scene, race }: OutcomeProps) {
  const { result } = race;
  if (result === null) return <Searching scene={scene} />;
  return (
    <>
      <p class="winner">
        <Verdict
          value={scene.isAhead ? 'false' : 'true'}
          word={scene.isAhead ? 'The forger won.' : 'The forger lost.'}
        >
          <Reason scene={scene} />
        </Verdict>
      </p>
      <p>
        <Cost scene={scene} race={race} />
      </p>
      <p class="elected">
        <Elected scene={scene} />
      </p>
      {HAS_ELECTIONS ? <Play race={race} /> : null}
    </>
  );
}

/** Makes the election of the race one that can be played, and shows it. */
function Play({ race }: Pick<OutcomeProps, 'race'>) {
  const { isBusy, error, attempt } = useAttempt();
  const play = () =>
    attempt(async () => {
      if (race.rules === null) return;
      const id = await playRace(race.rules.plan, race);
      location.hash = hrefOf(['elections', id]);
    });
  return (
    <>
      <button type="button" class="play" disabled={isBusy.value} onClick={() => void play()}>
        Play this election
      </button>
      <ErrorNotice error={error.value} />
    </>
  );
}

function Searching({ scene: { keys, isAhead, honest } }: { readonly scene: Scene }) {
  const top = honest.at(-1);
  const found =
    keys === 0 ? 'No key has enough zero bits yet.' : `${counted(keys, 'valid ID')} so far.`;
  const lead = isAhead ? 'The best one is above all honest IDs.' : '';
  return (
    <p>
      The forger makes keys. A valid ID above {top === undefined ? '' : shortId(top.nodeId)} wins.{' '}
      {found} {lead}
    </p>
  );
}

function Reason({ scene: { honest, forged, isAhead } }: { readonly scene: Scene }) {
  const top = shortId(honest.at(-1)?.nodeId ?? '');
  const best = forged.at(-1);
  if (best === undefined) return <>Its budget ended before it found a single valid ID.</>;
  const side = isAhead ? 'above' : 'below';
  return (
    <>
      Its best valid ID {shortId(best.nodeId)} is {side} {top}, the highest honest ID.
    </>
  );
}

function Cost({ scene, race: { search, result } }: OutcomeProps) {
  const { attempts, budget, keys, expectedKeys, beforehand } = scene;
  const device = search?.device === undefined ? '' : ` on ${named(search.device)}`;
  const time =
    search === null ? '' : ` and ${seconds(search.ledger.wallSeconds)} in this browser${device}`;
  const end = result?.ending === 'cancelled' ? 'It was stopped after' : 'It spent';
  return (
    <>
      {end} {counted(attempts, 'attempt')}
      {time}, and found {counted(keys, 'valid ID')}. A budget of {count(budget)} attempts finds{' '}
      {about(expectedKeys)} on average, and wins {percent(beforehand)} of such races.
    </>
  );
}

/** Bully elects the highest ID, as long as no message is lost and no node crashes. */
function Elected({ scene: { honest, isAhead } }: Pick<OutcomeProps, 'scene'>) {
  const nodes = honest.length + (isAhead ? 1 : 0);
  return (
    <>
      Bully elects rank {nodes} of {nodes}, {isAhead ? 'the forger' : 'an honest node'}.
    </>
  );
}

const MARGIN = { left: 46, right: 14, top: 46, bottom: 34 };
/** Zero bits above the required ones for which there is room at least. */
const SPARE_BITS = 6;

/** Where things are in the picture. */
interface Frame {
  readonly x: (position: number) => number;
  readonly y: (bits: number) => number;
  readonly width: number;
  readonly height: number;
  readonly bitsMax: number;
}

/**
 * The picture of a race: IDs on a line by rank, the zero bits of each as height. Honest IDs are circles, those of
 * the forger are diamonds. The zone to the right of the highest honest ID is where the forger wins.
 */
function IdLine({ scene, height }: PictureProps) {
  const [ref, width] = useWidth();
  const frame = frameOf(scene, width, height);
  return (
    <div class="id-line" ref={ref}>
      <svg role="img" aria-label={labelOf(scene)} width={width} height={height}>
        <Axes frame={frame} scene={scene} />
        <g class="honest">
          {scene.honest.map((spot) => (
            <HonestMark key={spot.nodeId} spot={spot} frame={frame} c1={scene.c1} />
          ))}
        </g>
        <g class="forged">
          {scene.forged.map((spot, index) => (
            <ForgedMark
              key={spot.nodeId}
              {...{ spot, frame, c1: scene.c1, isBest: index === scene.forged.length - 1 }}
            />
          ))}
        </g>
        <Labels frame={frame} scene={scene} />
      </svg>
    </div>
  );
}

function frameOf({ c1, honest, forged }: Scene, width: number, height: number): Frame {
  const most = Math.max(c1 + SPARE_BITS, ...[...honest, ...forged].map(({ bits }) => bits ?? c1));
  const { left, right, top, bottom } = MARGIN;
  return {
    width,
    height,
    bitsMax: most,
    x: (position) => left + position * (width - left - right),
    y: (bits) => height - bottom - (bits / most) * (height - top - bottom),
  };
}

function Axes({ frame, scene }: { readonly frame: Frame; readonly scene: Scene }) {
  const { x, y, height, bitsMax } = frame;
  const top = scene.honest.at(-1)?.position ?? 1;
  return (
    <>
      <rect
        class="zone"
        {...{ x: x(top), y: y(bitsMax), width: x(1) - x(top), height: y(scene.c1) - y(bitsMax) }}
      />
      <line class="axis" x1={x(0)} x2={x(1)} y1={y(0)} y2={y(0)} />
      <line class="axis" x1={x(0)} x2={x(0)} y1={y(0)} y2={y(bitsMax)} />
      {scene.c1 === 0 ? null : (
        <>
          <line class="required" x1={x(0)} x2={x(1)} y1={y(scene.c1)} y2={y(scene.c1)} />
          <text class="tick" x={x(0) - 6} y={y(scene.c1) + 4} text-anchor="end">
            {scene.c1}
          </text>
        </>
      )}
      <text class="tick" x={x(0) - 6} y={y(0) + 4} text-anchor="end">
        0
      </text>
      <text class="tick" x={x(0) - 6} y={y(bitsMax) + 4} text-anchor="end">
        {bitsMax}
      </text>
      <text class="name" transform={`translate(12 ${(y(0) + y(bitsMax)) / 2}) rotate(-90)`}>
        zero bits
      </text>
      <text class="tick" x={x(0)} y={height - 12}>
        lowest ID
      </text>
      <text class="tick" x={x(1)} y={height - 12} text-anchor="end">
        highest ID
      </text>
    </>
  );
}

interface MarkProps {
  readonly spot: Spot;
  readonly frame: Frame;
  readonly c1: number;
}

function HonestMark({ spot: { nodeId, position, bits }, frame: { x, y }, c1 }: MarkProps) {
  const [left, top] = [x(position), y(bits ?? c1)];
  return (
    <g>
      <title>{`honest node ${shortId(nodeId)}, ${bits ?? `at least ${c1}`} zero bits`}</title>
      <line x1={left} x2={left} y1={y(0)} y2={top} />
      <circle cx={left} cy={top} r={5} />
    </g>
  );
}

function ForgedMark(props: MarkProps & { readonly isBest: boolean }) {
  const { spot, frame, c1, isBest } = props;
  const [left, top] = [frame.x(spot.position), frame.y(spot.bits ?? c1)];
  const size = isBest ? 8 : 5;
  return (
    <g class={isBest ? 'best' : ''}>
      <title>{`forged ID ${shortId(spot.nodeId)}, ${spot.bits ?? `at least ${c1}`} zero bits`}</title>
      <line x1={left} x2={left} y1={frame.y(0)} y2={top} />
      <path d={`M${left} ${top - size}l${size} ${size}l${-size} ${size}l${-size} ${-size}z`} />
    </g>
  );
}

function Labels({ frame, scene }: { readonly frame: Frame; readonly scene: Scene }) {
  const top = scene.honest.at(-1);
  const best = scene.forged.at(-1);
  // The name of the right one is above, so that no pointer crosses a name.
  const isBestRight = (best?.position ?? 0) > (top?.position ?? 0);
  return (
    <>
      {top === undefined ? null : (
        <Label frame={frame} spot={top} c1={scene.c1} row={isBestRight ? 1 : 0} kind="honest">
          highest honest ID {shortId(top.nodeId)}
        </Label>
      )}
      {best === undefined ? null : (
        <Label frame={frame} spot={best} c1={scene.c1} row={isBestRight ? 0 : 1} kind="forged">
          forger’s best ID {shortId(best.nodeId)}
        </Label>
      )}
    </>
  );
}

interface LabelProps extends MarkProps {
  readonly row: number;
  readonly kind: 'honest' | 'forged';
  readonly children: readonly string[] | string | readonly (string | number)[];
}

/** A name above the picture with a thin line to its mark. */
function Label({ frame, spot, c1, row, kind, children }: LabelProps) {
  const left = frame.x(spot.position);
  const isRight = spot.position > 0.5;
  const y = 14 + 18 * row;
  return (
    <g class={`label ${kind}`}>
      <line class="pointer" x1={left} x2={left} y1={y - 8} y2={frame.y(spot.bits ?? c1)} />
      <text x={isRight ? left - 6 : left + 6} y={y} text-anchor={isRight ? 'end' : 'start'}>
        {children}
      </text>
    </g>
  );
}

function labelOf({ honest, forged, keys, isAhead }: Scene): string {
  const found = keys === 0 ? 'no valid ID' : counted(keys, 'valid ID');
  const best = forged.at(-1);
  const direction = isAhead ? 'above' : 'below';
  const compared = best === undefined ? '' : `; its best is ${direction} the highest honest ID`;
  return `${counted(honest.length, 'honest node')} by rank. The forger has ${found}${compared}.`;
}

const WIDTH_AT_FIRST = 800;

/** The reference for the element, and its width in pixels. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const width = useSignal(WIDTH_AT_FIRST);
  useEffect(() => {
    const { current } = ref;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      width.value = Math.max(200, Math.floor(current.clientWidth));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [ref, width.value] as const;
}
