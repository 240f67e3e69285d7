/**
 * @module
 * A guide with all that it shows: its races and its elections, played out in threads of this browser.
 */

import type { RaceState } from '../race/contest.ts';
import type { RacePlan } from '../race/plan.ts';
import { runRace } from '../race/use-race.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { Guide } from './guide.ts';
import type { PlayedGuide } from './play-guide.ts';
import type { FinishedRace } from './race-scenes.ts';
import type { SimulatorOrder } from './simulator.ts';

/** A guide that was played out, with its races. */
export interface ShownGuide extends PlayedGuide {
  readonly races: readonly FinishedRace[];
}

/** A guide does not change, so that it is played out once. */
const known = new Map<string, Promise<ShownGuide>>();

export function useGuide(guide: Guide) {
  return useAnswer(() => {
    const playing = known.get(guide.name) ?? played(guide);
    known.set(guide.name, playing);
    playing.catch(() => known.delete(guide.name));
    return playing;
  }, guide.name);
}

async function played({ name, races: plans }: Guide): Promise<ShownGuide> {
  const races: FinishedRace[] = [];
  for (const plan of plans) races.push(await finishedRace(plan));
  return { ...(await simulated({ name, races })), races };
}

function simulated(order: SimulatorOrder): Promise<PlayedGuide> {
  const thread = new Worker(new URL('./simulator.ts', import.meta.url), { type: 'module' });
  const { promise, resolve, reject } = Promise.withResolvers<PlayedGuide>();
  thread.addEventListener('message', ({ data }) => resolve(data));
  thread.addEventListener('error', ({ message }) => {
    reject(new Error(`The guide stopped: ${message}`));
  });
  thread.postMessage(order);
  return promise.finally(() => thread.terminate());
}

function finishedRace(plan: RacePlan): Promise<FinishedRace> {
  const { promise, resolve, reject } = Promise.withResolvers<FinishedRace>();
  let state: RaceState = { rules: null, honest: null, search: null, result: null };
  const learn = (more: Partial<RaceState> & { readonly error?: unknown }) => {
    state = { ...state, ...more };
    const { rules, honest, search, result } = state;
    if (more.error !== undefined) reject(more.error);
    if (rules && honest && search && result) resolve({ rules, honest, search, result });
  };
  const { signal } = new AbortController();
  runRace(plan, { learn, signal, onThread: () => undefined }).catch(reject);
  return promise;
}
