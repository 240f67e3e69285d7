/**
 * @module
 * A thread that computes a race, so that the page is never blocked. The page terminates the thread to stop the race at once, or
 * asks it to stop and receives what was found.
 */

import keysFile from '../../../build/kernel.wasm?url';
import solutionsFile from '../../../build/solutions.wasm?url';
import { LabError } from '../../../src/errors.ts';
import { loadSolutionKernel } from '../../../src/mining/kernel/solution-kernel.ts';
import { loadKernel } from '../../../src/mining/kernel/wasm-kernel.ts';
import type { KernelSource } from '../../../src/mining/strategy.ts';
import type { Honest, Means, Result, Rules, Search } from './contest.ts';
import { Forger, honestOf } from './contest.ts';

/** What the thread receives. */
export type RacerOrder =
  | { readonly type: 'race'; readonly rules: Rules }
  | { readonly type: 'stop' };

/** What the thread posts, in this order. `search` comes several times. */
export type RacerMessage =
  | { readonly type: 'honest'; readonly honest: Honest }
  | { readonly type: 'search'; readonly search: Search }
  | { readonly type: 'over'; readonly result: Result }
  | Refusal;

/** The reason why this thread cannot carry out an order. No message follows. */
export interface Refusal {
  readonly type: 'refused';
  readonly reason: string;
}

/** Between two reports. */
const REPORT_SECONDS = 0.1;

const nowSeconds = () => performance.now() / 1000;

/** A browser has no clock for the CPU time of one thread. */
export const clocks = { cpuSeconds: nowSeconds, wallSeconds: nowSeconds };

const post = (message: RacerMessage) => postMessage(message);

/** Computes races, each with the means that `prepare` resolves to. `prepare` rejects with a LabError if they are not available. */
export function serveRaces(prepare: (rules: Rules) => Promise<Means>): void {
  let isStopped = false;
  const race = async (rules: Rules) => {
    const means = await prepare(rules);
    const honest = honestOf(rules, means);
    post({ type: 'honest', honest });
    const forger = new Forger(rules, means);
    for (;;) {
      const isOver = await forger.advanceOn(REPORT_SECONDS);
      post({ type: 'search', search: forger.search() });
      // A request to stop arrives between two parts.
      await new Promise((resolve) => setTimeout(resolve));
      if (isOver || isStopped) break;
    }
    post({ type: 'over', result: forger.result(honest) });
  };
  addEventListener('message', ({ data }: MessageEvent<RacerOrder>) => {
    if (data.type === 'stop') isStopped = true;
    else if (data.type === 'race') race(data.rules).catch(refuse);
  });
}

/** Reports a failure: a LabError as a message to the page, and any other error as an error of the thread. */
export function refuse(error: unknown): void {
  if (error instanceof LabError) post({ type: 'refused', reason: error.message });
  else reportError(error);
}

/** The kernels that the server has beside the scripts. */
export async function kernelSource(): Promise<KernelSource> {
  const [keys, solutions] = await Promise.all([bytesAt(keysFile), bytesAt(solutionsFile)]);
  return {
    keys: (scheme) => loadKernel(keys, scheme),
    solutions: () => loadSolutionKernel(solutions),
  };
}

async function bytesAt(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
