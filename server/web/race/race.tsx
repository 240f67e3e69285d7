/**
 * @module
 * The view "ID race": a race with all its numbers, strategies and policies.
 */

import { useState } from 'preact/hooks';
import { speedUpBits } from '../../../src/experiment/theory/waiting.ts';
import { capitalized } from '../../../src/printable.ts';
import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { isOver, once, useJob } from '../api/jobs.ts';
import { HERE } from '../api/lab-thread.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { about, count, percent, seconds } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { ViewProps } from '../shell/views.ts';
import { aheadText, ForgerDevice, GraphicsCard, named } from './graphics-card.tsx';
import type { RacePlan, StrategyName } from './plan.ts';
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
  STRATEGIES,
} from './plan.ts';
import { BudgetSlider, DifficultySlider, RaceForm, Slider } from './race-form.tsx';
import type { NamedPolicy } from './requests.ts';
import { namedPolicies, policyNamed } from './requests.ts';
import type { Scene } from './scene.ts';
import { sceneOf } from './scene.ts';
import { Stage, useWidth } from './stage.tsx';
import type { Race } from './use-race.ts';
import { useRace } from './use-race.ts';

const PICTURE_HEIGHT = 320;

export function View({ query }: ViewProps) {
  const [seed] = useState(drawnSeed);
  const plan = planOf(query, seed);
  const race = useRace(query);
  // Null for the strict policy, and until it is known. The list of policies shows why they cannot be read.
  const { value: named } = useAnswer(() => policyNamed(plan.policy), plan.policy);
  const change = (changes: Partial<RacePlan>) =>
    keepInAddress({ ...queryOf({ ...plan, ...changes }), run: null });
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
      <GraphicsCard />
      <Policies chosen={plan.policy} onChoose={choosePolicy} />
      <Equivalent
        command={commandOf(plan)}
        request={{ method: 'POST', path: '/v1/forgeries', body: forgeryOf(plan, named) }}
      />
    </div>
  );
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
      <ForgerDevice {...{ plan, change }} />
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
        <LedgerTable search={race.search} />
      </div>
    </section>
  );
}

type Calibration = Schema<'Calibration'>;

const SUMMARIES: Readonly<Record<StrategyName, string>> = {
  fresh: 'A new key for every attempt, as an honest node makes it. 65 point additions.',
  walk: 'The next point of P, P+G, P+2G, … 1 point addition.',
  batch: 'A point C ± jG in a fast kernel. 2049 points share one inversion.',
  siblings: 'As batch, with both keys of each point. Half a point addition.',
  stockpile: 'A key that was made before, from the highest ID down. 1 hash.',
};

const NUMBERS = ['Attempts per CPU second', 'Advantage'];

interface StrategiesProps {
  readonly calibration: string | undefined;
  readonly chosen: StrategyName;
  readonly onChoose: (name: StrategyName) => void;
}

/**
 * The strategies of a forger, and the advantage of each in bits: log2 of its rate over that of a naive
 * forger. It is measured on the server, by a job that the address names.
 */
function Strategies({ calibration, chosen, onChoose }: StrategiesProps) {
  const { job, error } = useJob(calibration ?? null).value;
  const { error: refusal, attempt } = useAttempt();
  const result = job?.kind === 'calibrate' ? job.result : undefined;
  const rates: RowProps['rates'] = result === undefined ? new Map() : ratesOf(result);
  const isRunning = job !== null && !isOver(job);
  const measure = () =>
    attempt(async () => {
      const { id } = await answerOf(api.POST('/v1/calibrations', { params: once(), body: {} }));
      keepInAddress({ calibration: id });
    });
  return (
    <section>
      <h2>Strategies</h2>
      <p>
        A faster strategy makes more attempts per second. Each bit of advantage halves the time, and
        a network must add one bit of difficulty to make up for it.
      </p>
      <ErrorNotice error={refusal.value ?? error} />
      <div class="scrolling">
        <table>
          <TableHead columns={['Strategy', 'An attempt is', ...NUMBERS]} numbers={NUMBERS} />
          <tbody>
            {STRATEGIES.map((name) => (
              <Row key={name} name={name} rates={rates} {...{ chosen, onChoose }} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="beside">
        <button type="button" disabled={isRunning} onClick={() => void measure()}>
          {isRunning ? 'Measuring…' : `Measure ${HERE}`}
        </button>{' '}
        {rates.size === 0
          ? 'It takes some seconds.'
          : 'Advantage over the strategy fresh, in bits.'}
      </p>
    </section>
  );
}

interface RowProps extends Omit<StrategiesProps, 'calibration'> {
  readonly name: StrategyName;
  readonly rates: ReadonlyMap<StrategyName, number>;
}

function Row({ name, rates, chosen, onChoose }: RowProps) {
  const rate = rates.get(name);
  const naive = rates.get('fresh');
  return (
    <tr>
      <RowChoice
        of="strategy"
        {...{ name, isChosen: name === chosen }}
        onChoose={() => onChoose(name)}
      />
      <td>{SUMMARIES[name]}</td>
      <td class="number">{rate === undefined ? '–' : count(Number(rate.toPrecision(3)))}</td>
      <td class="number">
        {rate === undefined || naive === undefined
          ? '–'
          : `${speedUpBits(rate / naive).toFixed(1)} bits`}
      </td>
    </tr>
  );
}

/** Attempts per CPU second of each strategy that was measured, for Ed25519 and a strict policy. */
function ratesOf(calibration: Calibration): ReadonlyMap<StrategyName, number> {
  const rates = new Map<StrategyName, number>();
  for (const { scheme, strategy, implementation, policy, keys } of calibration.keys) {
    const name = STRATEGIES.find((each) => each === strategy);
    const isShown = scheme === 'ed25519' && policy === 'strict' && implementation !== 'openssl';
    if (name !== undefined && isShown) rates.set(name, keys.perCpuSecond);
  }
  return rates.set('stockpile', calibration.stock.tests.perCpuSecond);
}

interface PoliciesProps {
  readonly chosen: string;
  readonly onChoose: (policy: NamedPolicy) => void;
}

/** The named policies with their flaws in words. Each can be raced. */
function Policies({ chosen, onChoose }: PoliciesProps) {
  const { value: policies, error } = useAnswer(namedPolicies);
  return (
    <section>
      <h2>Policies</h2>
      <p>
        A policy is what a network demands of an ID. Some are weak on purpose. Choose one to race
        against it.
      </p>
      <ErrorNotice error={error} />
      <div class="scrolling wide">
        <table>
          <TableHead columns={['Policy', 'It demands', 'Bits', 'Flaw']} numbers={['Bits']} />
          <tbody>
            {policies?.map((policy) => (
              <PolicyRow key={policy.name} {...{ policy, chosen, onChoose }} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function PolicyRow({ policy, chosen, onChoose }: PoliciesProps & { readonly policy: NamedPolicy }) {
  const { name, summary, weakness } = policy;
  const { c1, c2 } = policy.policy;
  return (
    <tr>
      <RowChoice
        of="policy"
        {...{ name, isChosen: name === chosen }}
        onChoose={() => onChoose(policy)}
      />
      <td>{capitalized(summary)}</td>
      <td class="number whole">{Number(c2) === 0 ? c1 : `${c1} + ${c2}`}</td>
      <td>
        {weakness === null || weakness === undefined ? (
          'None known.'
        ) : (
          <>
            {capitalized(weakness.flaw)}.{' '}
            <span class="soft">
              Gain: {weakness.gain}. Cost: {weakness.cost}.
            </span>
          </>
        )}
      </td>
    </tr>
  );
}

const HEIGHT = 220;
const MARGIN = { left: 52, right: 16, top: 22, bottom: 40 };
const POINTS = 80;

/**
 * P(found by now) against attempts: the curve that theory expects against the honest top ID, how far the
 * search is, and where its best ID was found. Below it the number of valid IDs, expected and found.
 */
function OddsChart({ scene }: { readonly scene: Scene }) {
  const [ref, width] = useWidth();
  const { left, right, top, bottom } = MARGIN;
  const limit = Math.max(scene.budget, 1);
  const x = (attempts: number) => left + (attempts / limit) * (width - left - right);
  const y = (probability: number) => HEIGHT - bottom - probability * (HEIGHT - top - bottom);
  const steps = Array.from({ length: POINTS + 1 }, (_, index) => (index / POINTS) * limit);
  const curve = steps.map((each) => `${x(each)},${y(scene.against.within(each))}`).join(' ');
  const now = scene.against.within(scene.attempts);
  return (
    <div class="odds-chart" ref={ref}>
      <svg role="img" aria-label={labelOf(scene)} width={width} height={HEIGHT}>
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <g key={tick}>
            <line class="grid" x1={x(0)} x2={x(limit)} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={left - 6} y={y(tick) + 4} text-anchor="end">
              {`${100 * tick} %`}
            </text>
          </g>
        ))}
        {[0, 0.5, 1].map((tick) => (
          <text
            key={tick}
            class="tick"
            x={x(tick * limit)}
            y={HEIGHT - bottom + 18}
            text-anchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}
          >
            {count(tick * limit)}
          </text>
        ))}
        <text class="tick" x={(x(0) + x(limit)) / 2} y={HEIGHT - 4} text-anchor="middle">
          attempts
        </text>
        <polyline class="curve" points={curve} />
        <line class="now" x1={x(scene.attempts)} x2={x(scene.attempts)} y1={y(0)} y2={y(now)} />
        <circle class="now" cx={x(scene.attempts)} cy={y(now)} r={5} />
        <FoundMark scene={scene} x={x} top={y(1)} bottom={y(0)} />
      </svg>
    </div>
  );
}

interface FoundMarkProps {
  readonly scene: Scene;
  readonly x: (attempts: number) => number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the best ID was found, if it wins. */
function FoundMark({ scene: { isAhead, foundAfter, budget }, x, top, bottom }: FoundMarkProps) {
  if (!isAhead || foundAfter === null) return null;
  const left = x(foundAfter);
  const isRight = foundAfter > budget / 2;
  return (
    <g class="found">
      <line x1={left} x2={left} y1={top} y2={bottom} />
      <text x={isRight ? left - 6 : left + 6} y={14} text-anchor={isRight ? 'end' : 'start'}>
        best ID after {count(foundAfter)} attempts
      </text>
    </g>
  );
}

function labelOf({ against, attempts }: Scene): string {
  return `Probability of an ID above the highest honest one: ${percent(against.within(attempts))} after ${count(attempts)} attempts.`;
}

/** Expected beside measured. */
function Expectation({ scene }: { readonly scene: Scene }) {
  const { against, attempts, budget, keys, expectedKeys, foundAfter, isAhead } = scene;
  const soFar = budget === 0 ? 0 : (expectedKeys * attempts) / budget;
  const found = isAhead && foundAfter !== null ? `at most ${count(foundAfter)}` : 'none yet';
  const rows: readonly ValueRow[] = [
    [`Valid IDs after ${count(attempts)} attempts`, about(soFar), count(keys)],
    ['Attempts until an ID is above all honest ones', about(against.expected), found],
    ['P(found by now)', percent(against.within(attempts)), isAhead ? 'found' : 'not found'],
    ['P(found in the whole budget)', percent(against.within(budget)), '–'],
  ];
  return (
    <div class="scrolling">
      <table>
        <TableHead
          columns={['Quantity', 'Expected', 'Measured']}
          numbers={['Expected', 'Measured']}
        />
        <Values rows={rows} />
      </table>
    </div>
  );
}

/** A name, and one or two values. */
type ValueRow = readonly [name: string, value: string, other?: string];

function Values({ rows }: { readonly rows: readonly ValueRow[] }) {
  return (
    <tbody>
      {rows.map(([name, value, other]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="number">{value}</td>
          {other === undefined ? null : <td class="number">{other}</td>}
        </tr>
      ))}
    </tbody>
  );
}

/** The ledger of a race: what the forger has spent so far. */
function LedgerTable({ search }: Pick<Race, 'search'>) {
  const ledger = search?.ledger;
  if (ledger === undefined) return <p>Nothing is spent yet.</p>;
  const device = search?.device;
  const time = ledger.deviceSeconds ?? ledger.wallSeconds;
  const rate = ledger.attempts / time;
  const isRated = time > 0 && rate > 0;
  const name = device === undefined ? 'one thread of this browser' : named(device);
  const rows: readonly ValueRow[] = [
    ['Attempts', count(ledger.attempts)],
    ['Hash evaluations', count(ledger.hashes)],
    ['Group operations', count(ledger.groupOperations)],
    [`Time of ${name}`, seconds(time)],
    ...(isRated ? [['Attempts per second', count(Number(rate.toPrecision(2)))] as const] : []),
    ...(isRated && device ? [['In this race', aheadText(rate, device.honestRate)] as const] : []),
  ];
  return (
    <table>
      <Values rows={rows} />
    </table>
  );
}

interface RowChoiceProps {
  /** What is chosen; the same for all rows of a table. */
  readonly of: string;
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** The name of a row of a table, with which the row is chosen. One row of a table is chosen at a time. */
function RowChoice({ of, name, isChosen, onChoose }: RowChoiceProps) {
  return (
    <th scope="row">
      <label class="row-choice">
        <input type="radio" name={of} checked={isChosen} onChange={onChoose} />
        {name}
      </label>
    </th>
  );
}
