/**
 * @module
 * The view "ID race": a race with all its numbers, strategies and policies.
 */

import { useEffect, useState } from 'preact/hooks';

import type { Policy } from '../../../src/identity/policy.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { keepInAddress } from '../shell/router.ts';
import type { ViewProps } from '../shell/views.ts';
import { LedgerTable } from './ledger.tsx';
import { Expectation, OddsChart } from './odds-chart.tsx';
import type { RacePlan } from './plan.ts';
import {
  BUDGET_BITS,
  C1,
  commandOf,
  DEFAULT_PLAN,
  drawnSeed,
  forgeryOf,
  NODES,
  planOf,
  queryOf,
} from './plan.ts';
import { Policies } from './policies.tsx';
import { BudgetSlider, DifficultySlider, RaceForm } from './race-form.tsx';
import type { NamedPolicy } from './requests.ts';
import { policyNamed } from './requests.ts';
import { sceneOf } from './scene.ts';
import { Slider } from './sliders.tsx';
import { Stage } from './stage.tsx';
import { Strategies } from './strategies.tsx';
import type { Race } from './use-race.ts';
import { useRace } from './use-race.ts';

const PICTURE_HEIGHT = 320;

export function View({ query }: ViewProps) {
  const [seed] = useState(drawnSeed);
  const plan = planOf(query, seed);
  const race = useRace(query);
  const named = useNamedPolicy(plan.policy);
  const change = (changes: Partial<RacePlan>) => keepInAddress(queryOf({ ...plan, ...changes }));
  const choosePolicy = ({ name, policy }: NamedPolicy) =>
    change({
      policy: name,
      c1: name === DEFAULT_PLAN.policy ? DEFAULT_PLAN.c1 : Number(policy.c1),
    });
  return (
    <div class="race">
      <h1>Race for the top ID</h1>
      <p>
        Nodes stand in the order of their IDs, and the highest one leads. The height of each is its
        work: the zero bits of its puzzle. More work moves an ID up, but not to the right. Only more
        valid IDs do that.
      </p>
      <Controls plan={plan} race={race} change={change} />
      <Stage race={race} height={PICTURE_HEIGHT} />
      <Numbers race={race} />
      <Strategies
        calibration={query.calibration}
        chosen={plan.strategy}
        onChoose={(strategy) => change({ strategy })}
      />
      <Policies chosen={plan.policy} onChoose={choosePolicy} />
      <Equivalent
        command={commandOf(plan)}
        request={{ method: 'POST', path: '/v1/forgeries', body: forgeryOf(plan, named) }}
      />
    </div>
  );
}

/** The rules of the named policy of a plan; null for the strict one, and until they are known. */
function useNamedPolicy(name: string): Policy | null {
  const [named, setNamed] = useState<Policy | null>(null);
  useEffect(() => {
    // The list of policies shows why they cannot be read.
    policyNamed(name).then(setNamed, () => setNamed(null));
  }, [name]);
  return named;
}

interface ControlsProps {
  readonly plan: RacePlan;
  readonly race: Race;
  readonly change: (changes: Partial<RacePlan>) => void;
}

function Controls({ plan, race, change }: ControlsProps) {
  return (
    <RaceForm class="controls panel" plan={plan} race={race}>
      <Slider
        {...{ name: 'Honest nodes', ...NODES, value: plan.nodes, text: String(plan.nodes) }}
        onChange={(nodes) => change({ nodes })}
      />
      <DifficultySlider {...C1} {...{ plan, change }} />
      <BudgetSlider {...BUDGET_BITS} {...{ plan, change }} />
      <p class="chosen">
        Strategy {plan.strategy}, policy {plan.policy}
      </p>
    </RaceForm>
  );
}

function Numbers({ race }: { readonly race: Race }) {
  const scene = sceneOf(race);
  if (scene === null) return null;
  return (
    <section class="numbers">
      <div>
        <h2>P(found by now)</h2>
        <p class="hint">
          The probability of an ID above the highest honest one of this race. In other races the
          honest IDs are others.
        </p>
        <OddsChart scene={scene} />
        <Expectation scene={scene} />
      </div>
      <div>
        <h2>Ledger</h2>
        <LedgerTable job={race.job} progress={race.progress} />
      </div>
    </section>
  );
}
