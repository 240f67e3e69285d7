/**
 * @module
 * The stage of a race: the picture with its key, the budget, and the outcome.
 */

import './race.css';

import { ErrorNotice } from '../parts/notice.tsx';
import { IdLine } from './id-line.tsx';
import { Gauge, Outcome } from './outcome.tsx';
import { sceneOf } from './scene.ts';
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
