/**
 * @module
 * A race in sentences: what happens, who won and why, what it cost, and what theory expects.
 */

import { about, count, counted, percent, seconds } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { hrefOf } from '../shell/router.ts';
import { VIEWS } from '../shell/views.ts';
import type { Contest, ForgeryJob } from './requests.ts';
import type { Scene } from './scene.ts';
import { shortId } from './spots.ts';

const HAS_ELECTIONS = VIEWS.some(({ name }) => name === 'elections');

interface OutcomeProps {
  readonly scene: Scene;
  readonly contest: Contest;
  readonly job: ForgeryJob | null;
}

/** The budget while it is spent. */
export function Gauge({ scene, job }: Pick<OutcomeProps, 'scene' | 'job'>) {
  const { attempts, budget } = scene;
  const isQueued = job?.status === 'queued';
  const note = isQueued
    ? 'waits for another job'
    : `${count(attempts)} of ${count(budget)} attempts`;
  return <Progress label="Budget" done={attempts} total={budget || null} note={note} />;
}

export function Outcome({ scene, contest, job }: OutcomeProps) {
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
