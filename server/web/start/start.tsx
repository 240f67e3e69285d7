/**
 * @module
 * This folder contains the start page: a race for the top ID, and the ways into the lab.
 */

import '../race/race.css';
import './start.css';

import { useEffect, useState } from 'preact/hooks';

import { Equivalent } from '../parts/equivalent.tsx';
import { counted } from '../parts/numbers.ts';
import type { RacePlan, Range } from '../race/plan.ts';
import { commandOf, drawnSeed, forgeryOf, planOf, queryOf } from '../race/plan.ts';
import { BudgetSlider, DifficultySlider, RaceForm } from '../race/race-form.tsx';
import { Stage } from '../race/stage.tsx';
import type { Race } from '../race/use-race.ts';
import { useRace } from '../race/use-race.ts';
import type { Query } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import type { ViewProps } from '../shell/views.ts';
import { VIEWS } from '../shell/views.ts';

/** More bits would keep the honest nodes busy for long, fewer would admit every key. */
const C1: Range = { min: 2, max: 16 };
/** With `fresh`, the slowest strategy, more attempts would take more than a few seconds. */
const BUDGET_BITS: Range = { min: 6, max: 16 };
const PICTURE_HEIGHT = 220;

/** The race that was shown last, for those who come back to this page. */
let last: Query | null = null;

export function View({ query }: ViewProps) {
  const [seed] = useState(drawnSeed);
  const plan = planOf(query, seed);
  const race = useRace(query);
  const isStarted = query.run !== undefined;
  useEffect(() => {
    if (isStarted) return;
    if (last === null) race.start(plan);
    else keepInAddress(last);
  }, []);
  useEffect(() => {
    if (isStarted) last = query;
  }, [query]);
  return (
    <div class="start">
      <div class="title">
        <h1>A leader election, and what it costs to take it</h1>
        <a class="button primary" href={hrefOf(['guide'])}>
          Show me
        </a>
      </div>
      <p class="intro">
        The node with the highest ID leads. A node ID is the hash of a key, and it is valid only
        with a proof of work. A forger spends its budget on keys, to get a valid ID above all honest
        ones.
      </p>
      <div class="arena">
        <Controls plan={plan} race={race} query={query} />
        <Stage race={race} height={PICTURE_HEIGHT} />
      </div>
      <Entries />
      <Equivalent
        command={commandOf(plan)}
        request={{ method: 'POST', path: '/v1/forgeries', body: forgeryOf(plan, null) }}
      />
    </div>
  );
}

interface ControlsProps {
  readonly plan: RacePlan;
  readonly race: Race;
  readonly query: Query;
}

function Controls({ plan, race, query }: ControlsProps) {
  const change = (changes: Partial<RacePlan>) =>
    keepInAddress({ ...queryOf({ ...plan, ...changes }), run: null });
  return (
    <div class="race-controls">
      <RaceForm class="race-form" plan={plan} race={race}>
        <DifficultySlider {...C1} {...{ plan, change }} />
        <p>A valid ID takes {counted(2 ** plan.c1, 'attempt')} on average.</p>
        <BudgetSlider {...BUDGET_BITS} {...{ plan, change }} />
        <p>It races {plan.nodes} honest nodes. Each attempt is a new key.</p>
      </RaceForm>
      <a href={hrefOf(['race'], { ...queryOf(plan), run: query.run })}>Look at this race closely</a>
    </div>
  );
}

const ENTRIES = [
  ['elections', 'Play an election', 'Drop a message, play a node.'],
  ['threat-models', 'Ask a threat model', 'Who leads with this budget?'],
  ['sweeps', 'Sweep', 'Where does a defence fail?'],
  ['checks', 'Check', 'Which schedule violates it?'],
  ['exercises', 'Take an exercise', 'Attack it, and be graded.'],
] as const;

function Entries() {
  const known = ENTRIES.filter(([name]) => VIEWS.some((view) => view.name === name));
  return (
    <ul class="entries">
      {known.map(([name, title, text]) => (
        <li key={name}>
          <a href={hrefOf([name])}>
            <strong>{title}</strong> <span>{text}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
