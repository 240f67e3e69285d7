/**
 * @module
 * The stage of a race: the picture with its key, the budget, and the outcome.
 */

import './race.css';

import { ErrorNotice } from '../parts/notice.tsx';
import { about, count, counted, percent, seconds } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { hrefOf } from '../shell/router.ts';
import { VIEWS } from '../shell/views.ts';
import { IdLine } from './id-line.tsx';
import type { Contest, ForgeryJob } from './requests.ts';
import type { Scene } from './scene.ts';
import { sceneOf } from './scene.ts';
import { shortId } from './spots.ts';
import type { Race } from './use-race.ts';

interface StageProps {
  readonly race: Race;
  readonly height: number;
}

export function Stage({ race, height }: StageProps) {
  const scene = sceneOf(race);
  const { contest, job, error, isBusy } = race;
  return (
    <section class="stage" aria-label="The race">
      <ErrorNotice error={error} />
      {scene === null || contest === null ? (
        <p class="waiting" style={{ minHeight: isBusy ? `${height}px` : '0' }}>
          {isBusy ? 'The honest nodes earn their IDs…' : 'Start a race to see it here.'}
        </p>
      ) : (
        <>
          <IdLine scene={scene} height={height} />
          <Key areEarned={scene.areEarned} c1={scene.c1} />
          <Gauge scene={scene} job={job} />
          <div class="outcome" aria-live="polite">
            <Outcome {...{ scene, contest, job }} />
          </div>
        </>
      )}
    </section>
  );
}

function Key({ areEarned, c1 }: { readonly areEarned: boolean; readonly c1: number }) {
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
        valid ID of the forger
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
  readonly contest: Contest;
  readonly job: ForgeryJob | null;
}

/** The budget while it is spent. */
function Gauge({ scene, job }: Pick<OutcomeProps, 'scene' | 'job'>) {
  const { attempts, budget } = scene;
  const isQueued = job?.status === 'queued';
  const note = isQueued
    ? 'waits for another job'
    : `${count(attempts)} of ${count(budget)} attempts`;
  return <Progress label="Budget" done={attempts} total={budget || null} note={note} />;
}

function Outcome({ scene, contest, job }: OutcomeProps) {
  if (scene.stage === 'searching') return <Searching scene={scene} />;
  if (scene.stage === 'electing') return <p>The nodes elect their leader…</p>;
  const { election } = contest;
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
        <Cost scene={scene} job={job} />
      </p>
      <p>
        <Elected election={election} isAhead={scene.isAhead} />{' '}
        {HAS_ELECTIONS ? <a href={hrefOf(['elections', election.id])}>Open this election</a> : null}
      </p>
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
  return isAhead ? (
    <>
      Its best valid ID {shortId(best.nodeId)} is above {top}, the highest honest ID.
    </>
  ) : (
    <>
      Its best valid ID {shortId(best.nodeId)} is below {top}, the highest honest ID.
    </>
  );
}

function Cost({ scene, job }: Pick<OutcomeProps, 'scene' | 'job'>) {
  const { attempts, budget, keys, expectedKeys, beforehand } = scene;
  const ledger = job?.result?.ledger;
  const time = ledger === undefined ? '' : ` and ${seconds(ledger.cpuSeconds)} of CPU time`;
  const end = job?.status === 'cancelled' ? 'It was stopped after' : 'It spent';
  return (
    <>
      {end} {counted(attempts, 'attempt')}
      {time}, and found {counted(keys, 'valid ID')}. A budget of {count(budget)} attempts finds{' '}
      {about(expectedKeys)} on average, and wins {percent(beforehand)} of such races.
    </>
  );
}

function Elected(props: { readonly election: Contest['election']; readonly isAhead: boolean }) {
  const { election, isAhead } = props;
  const { leader, agreed, nodes } = election;
  if (leader === null || leader === undefined) {
    return <>The election ended without one leader: {election.verdict.reason}.</>;
  }
  const who = isAhead ? 'the forger' : 'an honest node';
  const all = agreed ? `all ${nodes} nodes follow it` : 'not all nodes follow it';
  return (
    <>
      Bully elected rank {leader.rank} of {nodes}, {who}: {all}.
    </>
  );
}
