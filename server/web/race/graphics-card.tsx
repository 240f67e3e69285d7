/**
 * @module
 * The graphics card of the visitor on the page of a race: whether the forger uses it, and how far it is ahead of one
 * honest core.
 */

import { useSignal } from '@preact/signals';
import { speedUpBits } from '../../../src/experiment/theory/waiting.ts';
import type { DeviceFacts } from '../../../src/mining/device/device.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { DeviceRates } from './device.ts';
import type { RacePlan } from './plan.ts';
import { DEVICE_STRATEGIES } from './plan.ts';
import { ratesOfDevice } from './use-race.ts';

interface ForgerProps {
  readonly plan: RacePlan;
  readonly change: (changes: Partial<RacePlan>) => void;
}

/** The choice whether the forger uses the graphics card, which carries out only `DEVICE_STRATEGIES`. */
export function ForgerDevice({ plan, change }: ForgerProps) {
  const isSuited = DEVICE_STRATEGIES.includes(plan.strategy);
  const strategy = isSuited ? plan.strategy : 'siblings';
  return (
    <label class="device">
      <input
        type="checkbox"
        checked={plan.device !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          change(checked ? { device: 'gpu', strategy } : { device: undefined })
        }
      />
      Forge on the graphics card of this machine
    </label>
  );
}

/** Measures the graphics card of the visitor. */
export function GraphicsCard() {
  const { isBusy, error, attempt } = useAttempt();
  const rates = useSignal<DeviceRates | null>(null);
  const measure = () =>
    attempt(async () => {
      rates.value = null;
      rates.value = await ratesOfDevice();
    });
  return (
    <section>
      <h2>Your graphics card</h2>
      <p>
        Real forgers use graphics cards. This page measures yours by WebGPU, beside one honest core
        that makes one key after the other.
      </p>
      <ErrorNotice error={error.value} />
      {rates.value === null ? null : <Rates rates={rates.value} />}
      <button type="button" disabled={isBusy.value} onClick={() => void measure()}>
        {isBusy.value ? 'Measuring…' : 'Measure the graphics card'}
      </button>
    </section>
  );
}

function Rates({ rates }: { readonly rates: DeviceRates }) {
  const { rate, honestRate, isSoftware } = rates;
  return (
    <p class="card-rates" aria-live="polite">
      {named(rates)} makes {rounded(rate)} keys per second, and one honest core with noble{' '}
      {rounded(honestRate)}. {isSoftware ? 'It' : 'The card'} is{' '}
      <strong>{aheadText(rate, honestRate)}</strong>.{' '}
      {isSoftware
        ? 'A graphics card has another rate.'
        : 'A network must raise its difficulty by these bits to make up for it.'}
    </p>
  );
}

/** The name of a device. A software device is never called a graphics card. */
export function named({ name, isSoftware }: DeviceFacts): string {
  return isSoftware ? `${name} (a software device, which computes on the processor)` : name;
}

/** How far a rate is from that of one honest core, such as "6.1 bits ahead of one honest core". */
export function aheadText(rate: number, honestRate: number): string {
  const bits = speedUpBits(rate / honestRate);
  return `${Math.abs(bits).toFixed(1)} bits ${bits < 0 ? 'behind' : 'ahead of'} one honest core`;
}

function rounded(rate: number): string {
  return count(Number(rate.toPrecision(3)));
}
