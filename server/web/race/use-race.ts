/**
 * @module
 * A race while it is shown. It runs in a thread of this browser. The address has its plan and whether it was started,
 * and the same plan gives the same race, so that the address restores it.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { capitalized } from '../../../src/printable.ts';
import { keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { RaceState } from './contest.ts';
import type { DeviceRates, MeasureOrder, RatesMessage } from './device.ts';
import type { RacePlan } from './plan.ts';
import { drawnSeed, planOf, queryOf } from './plan.ts';
import type { RacerMessage, RacerOrder, Refusal } from './racer.ts';
import { rulesOf } from './requests.ts';

/** The race that is shown. */
export interface Race extends RaceState {
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly start: (plan: RacePlan) => void;
  /** Ends the search. What was found until then counts. */
  readonly stop: () => void;
}

type Known = RaceState & Pick<Race, 'error'>;

const NOTHING: Known = { rules: null, honest: null, search: null, result: null, error: null };

/** The race that the address describes. A plan that changes afterwards leaves the race as it is. */
export function useRace(query: Readonly<Record<string, string>>): Race {
  const known = useSignal<Known>(NOTHING);
  const racer = useRef<Worker | null>(null);
  const running = useRef(new AbortController());
  const started = query.run === undefined ? null : JSON.stringify(planOf(query, ''));
  useEffect(() => {
    if (started === null) return;
    running.current.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    const learn = (more: Partial<Known>) => {
      if (!signal.aborted) known.value = { ...known.value, ...more };
    };
    learn(NOTHING);
    const onThread = (thread: Worker) => {
      racer.current = thread;
    };
    runRace(planOf(query, ''), { learn, signal, onThread }).catch((error: unknown) => {
      if (!asksForSignIn(error)) learn({ error });
    });
  }, [started]);
  useEffect(() => () => running.current.abort(), []);
  const { rules, result, error } = known.value;
  return {
    ...known.value,
    isRunning: (rules !== null || started !== null) && result === null && error === null,
    start: (plan) => keepInAddress({ ...queryOf(plan), run: 1 }),
    stop: () => racer.current?.postMessage({ type: 'stop' } satisfies RacerOrder),
  };
}

interface Running {
  readonly learn: (more: Partial<Known>) => void;
  readonly signal: AbortSignal;
  readonly onThread: (thread: Worker) => void;
}

/** Runs a race in a thread, and calls `learn` with each fact of it that becomes known. */
export async function runRace(plan: RacePlan, { learn, signal, onThread }: Running): Promise<void> {
  const rules = await rulesOf(plan);
  if (signal.aborted) return;
  learn({ rules });
  const thread =
    plan.device === undefined
      ? new Worker(new URL('../threads/mining-thread.ts', import.meta.url), { type: 'module' })
      : startDeviceThread();
  onThread(thread);
  signal.addEventListener('abort', () => thread.terminate(), { once: true });
  thread.addEventListener('message', ({ data }: MessageEvent<RacerMessage>) => {
    if (data.type === 'honest') learn({ honest: data.honest });
    else if (data.type === 'search') learn({ search: data.search });
    else {
      learn(data.type === 'over' ? { result: data.result } : { error: refused(data) });
      thread.terminate();
    }
  });
  thread.addEventListener('error', ({ message }) => {
    thread.terminate();
    learn({ error: new Error(`The race stopped: ${message}`) });
  });
  thread.postMessage({ type: 'race', rules } satisfies RacerOrder);
}

function startDeviceThread(): Worker {
  return new Worker(new URL('../threads/device-thread.ts', import.meta.url), { type: 'module' });
}

function refused({ reason }: Refusal): Error {
  return new Error(`${capitalized(reason)}.`);
}

/** Measures the graphics card of the visitor in a thread. */
export function ratesOfDevice(): Promise<DeviceRates> {
  const thread = startDeviceThread();
  const { promise, resolve, reject } = Promise.withResolvers<DeviceRates>();
  thread.addEventListener('message', ({ data }: MessageEvent<RatesMessage>) => {
    if (data.type === 'rates') resolve(data.rates);
    else reject(refused(data));
  });
  thread.addEventListener('error', ({ message }) => {
    reject(new Error(`The measurement stopped: ${message}`));
  });
  thread.postMessage({ type: 'measure' } satisfies MeasureOrder);
  return promise.finally(() => thread.terminate());
}

/** The next race of a plan: the first has the seed of the address, and each further one a new seed. */
export function nextRace(plan: RacePlan, { rules }: Pick<Race, 'rules'>): RacePlan {
  return rules === null ? plan : { ...plan, seed: drawnSeed() };
}
