/**
 * @module
 * Several protocols under the same seeds, faults and latencies, all to the same tick: the costs and the
 * leadership of each.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import type { ComparedProtocol, ComparedRun } from '../report/comparison.ts';
import { comparedRun, createComparison, horizonOf, inNameOf } from '../report/comparison.ts';
import type { ElectionOptions } from '../run/simulate.ts';
import type { Words } from './election.ts';
import { begunElection, plannedElection } from './election.ts';
import type { AskedElection, ElectRequest } from './request.ts';
import type { Watcher } from './settle.ts';
import { settleIfHeld } from './settle.ts';

/** Seeds of a comparison by default. */
export const COMPARED_RUNS = 20;

/** A comparison as it can be carried out in any thread. */
export interface ProtocolComparison {
  readonly requests: readonly ElectRequest[];
  readonly seed: Seed;
  readonly runs: number;
  /** The tick at which all elections end. */
  readonly horizonTicks: number;
}

export interface HeldComparison {
  readonly protocols: readonly ComparedProtocol[];
  /** Number of seeds with which all protocols ran. After an interrupt fewer than requested. */
  readonly runs: number;
}

type Flags = Pick<AskedElection, 'flag' | 'attr'>;

/** The request of each protocol. All know each other, because their faults are the same. */
export function comparedRequests(
  compare: readonly ProtocolName[],
  requestOf: (protocol: ProtocolName) => Omit<ElectRequest, 'compared'>,
): ElectRequest[] {
  const compared = compare.map((protocol) => ({ ...requestOf(protocol), compared: [] }));
  return compared.map((each) => ({ ...each, compared }));
}

/** The flags and attributes that a protocol has. */
export function flagsFor({ flag = [], attr }: Flags, protocol: ProtocolName): Flags {
  return {
    flag: flag.filter(([name]) => hasFlag(protocol, name)),
    ...(attr === undefined || !hasAttributes(protocol) ? {} : { attr }),
  };
}

/** A flag that none of the protocols has; null if there is none. */
export function uselessFlag(compare: readonly ProtocolName[], { flag = [] }: Flags): string | null {
  const useless = flag.find(([name]) => !compare.some((protocol) => hasFlag(protocol, name)));
  return useless?.[0] ?? null;
}

/** Whether there are attributes and none of the protocols has any. */
export function hasUselessAttributes(compare: readonly ProtocolName[], { attr }: Flags): boolean {
  return attr !== undefined && !compare.some(hasAttributes);
}

function hasFlag(protocol: ProtocolName, name: string): boolean {
  const { flags, numbers } = PROTOCOLS[protocol];
  return Object.hasOwn(flags, name) || Object.hasOwn(numbers, name);
}

function hasAttributes(protocol: ProtocolName): boolean {
  return PROTOCOLS[protocol].attributes !== null;
}

/**
 * The comparison, and the election of each protocol with the first seed. All elections end at the tick
 * that the requests state, or when the slowest of them gives up. Throws LabError, which names the protocol.
 */
export function planProtocols(
  requests: readonly ElectRequest[],
  { seed, runs }: Pick<ProtocolComparison, 'seed' | 'runs'>,
  words: Words,
): { readonly comparison: ProtocolComparison; readonly elections: readonly ElectionOptions[] } {
  const elections = requests.map((request) =>
    inNameOf(request.protocol, () => plannedElection(request, seed, words)),
  );
  seedAfter(seed, runs - 1);
  const horizonTicks = Math.max(requests[0]?.options.until ?? horizonOf(elections), 1);
  return { comparison: { requests, seed, runs, horizonTicks }, elections };
}

/** Runs all protocols. After an interrupt it returns the seeds with which all have run. */
export async function compareProtocols(
  { requests, seed: first, runs: count, horizonTicks }: ProtocolComparison,
  watcher: Watcher,
  { words, onSeed }: { readonly words?: Words; readonly onSeed?: (runs: number) => void } = {},
): Promise<HeldComparison> {
  const comparison = createComparison(requests.map(({ protocol }) => protocol));
  let runs = 0;
  while (runs < count && !watcher.signal.aborted) {
    const seed = seedAfter(first, runs);
    const held: (ComparedRun | null)[] = [];
    for (const request of requests) {
      const name = `seed ${runs + 1} of ${count}, ${request.protocol}`;
      watcher.progress(() => name);
      const run = await holdOne(request, { seed, name, horizonTicks, words }, watcher);
      if (watcher.signal.aborted) break;
      held.push(run);
    }
    if (watcher.signal.aborted) break;
    comparison.add(held);
    runs += 1;
    onSeed?.(runs);
  }
  return { protocols: comparison.report(), runs };
}

/** Null for a run that exceeds the memory limit, and for an interrupted one. */
async function holdOne(
  request: ElectRequest,
  plan: {
    readonly seed: Seed;
    readonly name: string;
    readonly horizonTicks: number;
    readonly words: Words | undefined;
  },
  watcher: Watcher,
): Promise<ComparedRun | null> {
  const { seed, name, horizonTicks: until, words } = plan;
  const { simulation } = inNameOf(request.protocol, () =>
    begunElection(request, seed, { keeps: { audit: true }, words }),
  );
  const isHeld = await settleIfHeld(simulation, watcher, { name, until });
  await watcher.pause();
  // A run that was stopped before `until` was too large too.
  return isHeld && simulation.status().ticks >= until ? comparedRun(simulation) : null;
}

/** The seed that is `count` after `seed`. Throws LabError beyond the largest seed. */
export function seedAfter(seed: Seed, count: number): Seed {
  return parseSeed(String(BigInt(seed) + BigInt(count)));
}
