/**
 * @module
 * A whole search: runs its phases, makes the claims of the winners, and confirms them with `admit`. `mine` runs on
 * one thread and is the reference. The pool in src/runtime distributes the ranges and settles with the same
 * function, so both give the same identities and the same ledger of attempts.
 */

import { LabError } from '../errors.ts';
import { admit } from '../identity/admit.ts';
import type { Claim } from '../identity/claim.ts';
import { createClaim } from '../identity/claim.ts';
import { staticBits } from '../identity/ids/node-id.ts';
import type { PlainVerifier, Secret } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import { challengeOf, dynamicBits } from '../identity/puzzles/puzzle.ts';
import type { DeviceFacts } from './device/device.ts';
import { countsEach, identitiesWanted, isClosestGoal, xorDistance } from './goal.ts';
import type { Ledger, SpentSeconds } from './ledger.ts';
import { isTimeSpent } from './ledger.ts';
import type {
  Ending,
  MiningTask,
  PhaseOrder,
  PhaseOutcome,
  PhaseState,
  SearchState,
} from './phases.ts';
import {
  afterPhase,
  costOf,
  haveAll,
  keyHashes,
  nextPhase,
  phaseStep,
  SEARCH_NOT_BEGUN,
  solutionsNeeded,
  spareOf,
  stockOrder,
  testedIn,
} from './phases.ts';
import { PAIR_KEYS_MAX, solutionHashes } from './policy-cost.ts';
import { testNodeId } from './sieve.ts';
import { DYNAMIC_STRATEGIES, solutionBytes, solutionMeter } from './solution.ts';
import { StockKeys } from './stock.ts';
import { needsStock, stockSearch, withStock } from './stockpile.ts';
import { scanner, searcherOf } from './strategies.ts';
import type { Hit, KernelSource, Phase, ScanResult, Searcher, SearchSpec } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';
import type { Winners } from './winners.ts';
import { collector } from './winners.ts';

export type { Ending, MiningTask } from './phases.ts';

/** Readings that only grow. Their start does not matter. */
export interface Clocks {
  cpuSeconds(): number;
  wallSeconds(): number;
}

export interface MinedIdentity {
  readonly claim: Claim;
  readonly secret: Secret;
}

export interface MiningResult {
  /** Whether everything that was wanted was found. */
  readonly found: boolean;
  readonly ending: Ending;
  /** The first identity. Null if there is none. */
  readonly identity: MinedIdentity | null;
  /** All identities in the order of their attempts. Fewer than wanted if a budget ended the search, and none of a pair. */
  readonly identities: readonly MinedIdentity[];
  /** The zero bits of the first identity. */
  readonly measured: { readonly c1: number; readonly c2: number } | null;
  readonly ledger: Ledger;
  /** The state from which a larger budget continues the search. */
  readonly state: SearchState;
  /** The device that has searched, if one alone has. */
  readonly device?: DeviceFacts;
}

/** How far a search on threads is. `tested` counts the tested numbers of the phase, of all threads. */
export interface MiningProgress {
  readonly phase: Phase['type'];
  readonly tested: number;
  readonly bestBits: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly deviceSeconds?: number | undefined;
  /** The state from which the search could continue if it ended now. */
  readonly state: () => SearchState;
  /** The keys of that state in a phase that finds keys, else none. */
  readonly hits: () => readonly Hit[];
}

/** Searches on this thread until the goal is met or the budget ends. `fresh` and `walk` need no kernels. */
export function mine(
  asked: MiningTask,
  clocks: Clocks,
  kernels: KernelSource = NO_KERNELS,
  begun: SearchState = SEARCH_NOT_BEGUN,
  plain: PlainVerifier | null = null,
): MiningResult {
  const task = stocked(asked, kernels, begun);
  const searcher = searcherOf(task, kernels);
  const tools = { scan: scanner(task, kernels, searcher), spent: stopwatch(clocks, begun) };
  const { state, ending } = advance(task, begun, tools);
  return settle(task, { ...state, ...tools.spent() }, ending, { plain, searcher });
}

/** What the phases of a search run with. */
export interface Tools {
  readonly scan: ReturnType<typeof scanner>;
  readonly spent: () => SpentSeconds;
}

/** What the phases of a search on a device run with. A device scans larger ranges than a thread. */
export interface DeviceTools {
  readonly scan: (...range: Parameters<Tools['scan']>) => Promise<ScanResult>;
  readonly spent: Tools['spent'];
  /** Size of the next range: the count of its numbers. */
  readonly rangeCount: () => number;
}

/** The state after the phases that ran, and why they ended. */
interface Advanced {
  readonly state: SearchState;
  readonly ending: Ending;
}

/**
 * Runs the phases that remain, until the goal is met or the budget ends. A budget of wall time, which `tools` measure,
 * interrupts a search: the state that it returns can be advanced again.
 */
export function advance(task: MiningTask, begun: SearchState, tools: Tools): Advanced {
  return scanned(advancing(task, begun, tools), tools.scan);
}

/** Runs the phases that remain, as `advance` does, on a device. */
export async function advanceOn(
  task: MiningTask,
  begun: SearchState,
  tools: DeviceTools,
): Promise<Advanced> {
  const ranges = advancing(task, begun, tools);
  let next = ranges.next();
  while (!next.done) next = ranges.next(await tools.scan(...next.value));
  return next.value;
}

/** Ranges that the caller scans one after the other. */
type Ranges<End> = Generator<Parameters<Tools['scan']>, End, ScanResult>;

function* advancing(
  task: MiningTask,
  begun: SearchState,
  pace: Pick<Tools, 'spent'> & Partial<Pick<DeviceTools, 'rangeCount'>>,
): Ranges<Advanced> {
  const collect = collector(task);
  let state = begun;
  for (;;) {
    const order = nextPhase(task, state);
    if (order === null) return { state, ending: 'found' };
    const outcome = yield* phaseRanges({ task, order, winners: collect(order), ...pace });
    const after = afterPhase(task, state, { order, outcome });
    state = after.state;
    if (!after.isComplete) return { state, ending: outcome.ending };
  }
}

function scanned<End>(ranges: Ranges<End>, scan: Tools['scan']): End {
  let next = ranges.next();
  while (!next.done) next = ranges.next(scan(...next.value));
  return next.value;
}

/** The seconds that a search has taken, with those of the search that it continues. */
export function stopwatch(clocks: Clocks, begun: SearchState): Tools['spent'] {
  const start = { cpu: clocks.cpuSeconds(), wall: clocks.wallSeconds() };
  return () => ({
    cpuSeconds: begun.cpuSeconds + clocks.cpuSeconds() - start.cpu,
    wallSeconds: begun.wallSeconds + clocks.wallSeconds() - start.wall,
  });
}

/** The task with its keys in stock, if its strategy needs a stock. */
export function stocked(task: MiningTask, kernels: KernelSource, begun: SearchState): MiningTask {
  if (!needsStock(task)) return task;
  const search = stockSearch(task, task.stockpile);
  const { phase, limit, wanted } = stockOrder(task.stockpile);
  const scan = scanner(search, kernels);
  const step = phaseStep(search, phase);
  const made = new StockKeys();
  for (let from = 0; from < limit; from += step) {
    made.add(scan(phase, { from, count: Math.min(step, limit - from), wanted }));
  }
  const ready = withStock(task, made.all());
  assertWinners(ready, begun);
  return ready;
}

/** How claims are made and confirmed. */
interface Means {
  /** The searcher that found the winners, which need not make the last one again. */
  readonly searcher?: Searcher;
  readonly plain?: PlainVerifier | null;
  /** An ID that is a solution for all. By default that of a winner. */
  readonly spare?: Uint8Array | null;
}

/**
 * Converts the final state of a search to its result: the ledger, and the claims of the winners, confirmed by
 * `admit`. Throws TypeError if a claim is refused, which would be a bug of the strategy.
 */
export function settle(
  task: MiningTask,
  state: SearchState,
  ending: Ending,
  means: Means = {},
): MiningResult {
  const identities = identitiesOf(task, state, means);
  const [identity = null] = identities;
  return {
    found: identities.length >= identitiesWanted(task.goal),
    ending: isClosestGoal(task.goal) && ending === 'attempts' && identity ? 'found' : ending,
    identity,
    identities,
    measured: identity && measure(task.policy, identity.claim),
    ledger: ledgerOf(task, state),
    state,
  };
}

/** The ledger of a search in this state. */
export function ledgerOf(task: MiningTask, state: SearchState): Ledger {
  const { keys, solutions, cpuSeconds, wallSeconds, overshoot, deviceSeconds } = state;
  const cost = costOf(task);
  const tried = testedIn(solutions);
  return {
    attempts: keys.tested,
    hashes: Math.ceil(keyHashes(task, keys.tested)) + solutionHashes(task.policy) * tried,
    groupOperations: Math.ceil(cost.groupOperations * keys.tested),
    cpuSeconds,
    wallSeconds,
    overshoot,
    ...(deviceSeconds !== undefined && { deviceSeconds }),
  };
}

/** The winners that have their solution, or need none. */
function identitiesOf(
  task: MiningTask,
  state: SearchState,
  { plain = null, searcher = searcherOf(task), spare = null }: Means,
): readonly MinedIdentity[] {
  // One key of a pair is nothing that was wanted, and there may be thousands.
  if (task.goal.type === 'pair' && !haveAll(task, state.keys)) return [];
  const needed = spare === null ? solutionsNeeded(task, state) : 0;
  const shared = needed > 0 ? null : (spare ?? spareOf(task, state.keys));
  const numbers = state.solutions.flatMap(({ winners }) => winners);
  const { isShared, searchedId, solutionFor } = DYNAMIC_STRATEGIES[task.dynamicStrategy];
  const identities: MinedIdentity[] = [];
  for (const [index, attempt] of state.keys.winners.entries()) {
    const number = numbers[isShared ? 0 : index];
    if (needed > 0 && number === undefined) break;
    const { secret, publicKey, nodeId } = searcher.candidate(attempt);
    const searched = searchedId(nodeId, task.seed);
    const solution =
      needed === 0 || number === undefined
        ? shared && xorDistance(nodeId, shared)
        : solutionFor(nodeId, searched, solutionBytes(task.policy, searched, number));
    const { scheme, policy } = task;
    const claim = createClaim({ scheme, secret, publicKey, policy, solution });
    const verdict = admit(claim, policy, { plain });
    if (!verdict.admitted) throw new TypeError(`mined claim was refused: ${verdict.refusal}`);
    identities.push({ claim, secret });
  }
  return identities;
}

function measure(policy: Policy, { nodeId, solution }: Claim): { c1: number; c2: number } {
  const input = { form: policy.dynamic, challenge: challengeOf(policy), nodeId, policy };
  const c2 = solution === null ? 0 : dynamicBits({ ...input, solution });
  return { c1: staticBits(nodeId, policy), c2 };
}

interface PhaseRun {
  readonly task: MiningTask;
  readonly order: PhaseOrder;
  readonly winners: Winners;
  readonly spent: Tools['spent'];
  readonly rangeCount?: DeviceTools['rangeCount'];
}

/** Scans the ranges of a phase one after the other. */
export function runPhase({ scan, ...run }: PhaseRun & Pick<Tools, 'scan'>): PhaseOutcome {
  return scanned(phaseRanges(run), scan);
}

function* phaseRanges(run: PhaseRun): Ranges<PhaseOutcome> {
  const { task, order, winners } = run;
  const { phase, limit } = order;
  const step = phaseStep(task, phase);
  while (winners.end() === Number.POSITIVE_INFINITY && winners.scanned < limit) {
    if (isTimeSpent(task.budget, run.spent())) return winners.outcome(order, 'time');
    const from = winners.scanned;
    const steps = Math.ceil((run.rangeCount?.() ?? 1) / step);
    const count = Math.min(steps * step, limit - from);
    const wanted = winners.missing();
    const result = yield [phase, { from, count, wanted, ...winners.bar() }];
    winners.scanned += result.tested;
    winners.add(result);
  }
  return winners.outcome(order, 'attempts');
}

/**
 * Throws LabError `schema` for a state whose numbers contradict each other or the task. Checks that a search can
 * have a state, and that the winners in it are those of its seed. A search continues only from such a state. From
 * any other it would crash, or end with an identity that no network admits.
 */
export function assertSoundState(spec: SearchSpec, state: SearchState): void {
  const { keys, solutions } = state;
  const areInOrder = [keys, ...solutions].every(({ tested, winners }) =>
    winners.every((winner, at) => winner < tested && winner > (winners[at - 1] ?? -1)),
  );
  if (!areInOrder) throw contradiction('its winners are out of order');
  const isPair = spec.goal.type === 'pair';
  const wanted = isPair ? PAIR_KEYS_MAX : identitiesWanted(spec.goal);
  if (keys.winners.length > wanted) throw contradiction('it has more winners than wanted');
  const isComplete = haveAll(spec, keys);
  if (isComplete && !isClosestGoal(spec.goal) && !endsWithWinner(keys)) {
    throw contradiction('it has tested keys beyond its last winner');
  }
  const isSolvable = isComplete || countsEach(spec.goal);
  if (solutions.length > (isSolvable ? solutionsNeeded(spec, state) : 0)) {
    throw contradiction('it has more solutions than keys to solve for');
  }
  for (const [index, solution] of solutions.entries()) {
    const isUnsolved = solution.winners.length === 0 && index === solutions.length - 1;
    if (!isUnsolved && !(solution.winners.length === 1 && endsWithWinner(solution))) {
      throw contradiction(`solution ${index} is not the first of its numbers`);
    }
  }
}

/** Throws LabError `schema` for winners that do not win under the task. */
export function assertWinners(spec: SearchSpec, { keys, solutions }: SearchState): void {
  const searcher = searcherOf(spec);
  const { searchedId } = DYNAMIC_STRATEGIES[spec.dynamicStrategy];
  const inStock = spec.stock?.length ?? Number.POSITIVE_INFINITY;
  for (const [index, attempt] of keys.winners.entries()) {
    const nodeId = attempt < inStock ? searcher.candidate(attempt).nodeId : null;
    if (nodeId === null || !testNodeId(spec, nodeId).isWinner) {
      throw changed(`attempt ${attempt} does not win under this seed and policy`);
    }
    const number = solutions[index]?.winners[0];
    if (number === undefined) continue;
    if (solutionMeter(spec.policy, searchedId(nodeId, spec.seed))(number) < spec.policy.c2) {
      throw changed(`solution ${number} does not solve for attempt ${attempt}`);
    }
  }
}

function endsWithWinner({ tested, winners }: PhaseState): boolean {
  return tested === (winners.at(-1) ?? -1) + 1;
}

function contradiction(what: string): LabError {
  return new LabError('schema', `this ledger contradicts itself: ${what}`);
}

function changed(what: string): LabError {
  return new LabError('schema', `${what}: the ledger is of another version, or was changed`);
}
