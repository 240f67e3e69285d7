/**
 * @module
 * The strategies of a forger, and the advantage of each in bits: log2 of its rate over that of a naive forger. It is
 * measured on the server, by a job that the address names.
 */

import { useSignal } from '@preact/signals';

import { speedUpBits } from '../../../src/experiment/theory/waiting.ts';
import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { isOver, once, useJob } from '../api/jobs.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { RowChoice } from '../parts/row-choice.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { StrategyName } from './plan.ts';
import { STRATEGIES } from './plan.ts';

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

export function Strategies({ calibration, chosen, onChoose }: StrategiesProps) {
  const { job, error } = useJob(calibration ?? null).value;
  const refusal = useSignal<unknown>(null);
  const result = job?.kind === 'calibrate' ? job.result : undefined;
  const rates: RowProps['rates'] = result === undefined ? new Map() : ratesOf(result);
  const isRunning = job !== null && !isOver(job);
  const measure = async () => {
    try {
      const { id } = await answerOf(api.POST('/v1/calibrations', { params: once(), body: {} }));
      keepInAddress({ calibration: id });
    } catch (refused) {
      if (!asksForSignIn(refused)) refusal.value = refused;
    }
  };
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
          {isRunning ? 'Measuring…' : 'Measure on this server'}
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
