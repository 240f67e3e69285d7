/**
 * @module
 * A counterexample as a space-time diagram, action by action: what happens after the chosen action is faint, and the
 * world after it is shown.
 */

import { useEffect, useRef } from 'preact/hooks';

import type { Schema } from '../api/contract.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Picture } from '../parts/picture.tsx';
import { StepSlider } from '../parts/step-slider.tsx';
import { keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { WorldState } from './world.tsx';
import { useWorld } from './worlds.ts';

interface CounterexampleProps {
  readonly job: Schema<'CheckJob'>;
  readonly result: Pick<Schema<'ViolatedCheck'>, 'address' | 'cycleFrom' | 'ring'>;
  /** The number of actions that are shown; all by default. */
  readonly step: string | undefined;
}

export function CounterexampleView({
  job,
  result: { address, cycleFrom, ring },
  step,
}: CounterexampleProps) {
  const path = job.links.counterexample;
  const { value: svg, error } = useAnswer(
    async () => (path === undefined ? null : readDiagram(path)),
    path,
  );
  const {
    nodes: _nodes,
    allRings: _rings,
    walks: _walks,
    depth: _depth,
    seed: _seed,
    ...asked
  } = job.request;
  const count = address.length;
  const wanted = Number(step ?? count);
  const current = Number.isInteger(wanted) && wanted >= 0 && wanted <= count ? wanted : count;
  const { value: world, error: worldError } = useWorld(
    { ...asked, ring: [...ring] },
    address.slice(0, current),
  );
  return (
    <section>
      <h2>Counterexample</h2>
      {cycleFrom === null ? null : <p>The actions after action {cycleFrom} repeat for ever.</p>}
      <ErrorNotice error={error ?? worldError} />
      <Steps count={count} current={current} />
      <div class="counterexample">
        {svg === null ? <p class="loading">Loading…</p> : <Diagram svg={svg} step={current} />}
        {world === null ? null : <WorldState world={world} />}
      </div>
      {path === undefined ? null : <CounterexampleFiles path={path} id={job.id} />}
    </section>
  );
}

function Steps({ count, current }: { readonly count: number; readonly current: number }) {
  const show = (step: number) => keepInAddress({ step: step === count ? null : step });
  return (
    <div class="controls steps">
      <button type="button" disabled={current === 0} onClick={() => show(current - 1)}>
        Back
      </button>
      <button type="button" disabled={current === count} onClick={() => show(current + 1)}>
        Next action
      </button>
      <StepSlider name="Action" {...{ count, position: current, show }} />
    </div>
  );
}

/** The titles of the diagram say at which action each of its parts begins. */
const BEGINS = /(?:^action|(?:sent|set) at action) (\d+)/;

function Diagram({ svg, step }: { readonly svg: string; readonly step: number }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    for (const title of frame.current?.querySelectorAll('g > title') ?? []) {
      const begins = Number(BEGINS.exec(title.textContent ?? '')?.[1] ?? 0);
      title.parentElement?.classList.toggle('later', begins > step);
    }
  }, [svg, step]);
  return (
    <div class="paper scrolling" ref={frame}>
      <Picture
        svg={svg}
        label="Space-time diagram of the counterexample. The list of worlds beside it has the same in words."
      />
    </div>
  );
}

function CounterexampleFiles({ path, id }: { readonly path: string; readonly id: string }) {
  const file = (label: string, type: string, ending: string) => {
    const read = async () => (await readResult(path, type)).blob();
    return { label, name: `${id}.${ending}`, read };
  };
  return (
    <div class="controls">
      <Downloads
        files={[
          file('Download for usurp replay', 'application/json', 'json'),
          file('Download the diagram (SVG)', 'image/svg+xml', 'svg'),
        ]}
      />
    </div>
  );
}

async function readDiagram(path: string): Promise<string> {
  return (await readResult(path, 'image/svg+xml')).text();
}
