/**
 * @module
 * A whole search: run its phases, make the claims of what was found and let `admit` confirm them.
 * `mine` does it on one thread and is the reference; the pool in runtime/ shares the ranges out and
 * settles through the same function, so both give the same identities and the same attempts ledger.
 */

import { admit } from '../identity/admit.ts';
import type { Claim } from '../identity/claim.ts';
import { createClaim } from '../identity/claim.ts';
import { staticBits } from '../identity/ids/node-id.ts';
import type { Secret } from '../identity/keys/scheme.ts';
import { dynamicBits } from '../identity/puzzles/dynamic.ts';
import { challengeOf } from '../identity/puzzles/puzzle.ts';
import { identitiesWanted, isClosestGoal } from './goal.ts';
import type { Ledger } from './ledger.ts';
import { isTimeSpent } from './ledger.ts';
import type { Ending, MiningTask, Phase, PhaseOrder, PhaseOutcome, SearchState } from './phases.ts';
import {
  afterPhase,
  costOf,
  nextPhase,
  phaseStep,
  SEARCH_NOT_BEGUN,
  solutionsNeeded,
  stockOrder,
} from './phases.ts';
import { solutionHashes } from './policy-cost.ts';
import { scanSolutions, solutionFor } from './solution.ts';
import { assertWinners } from './sound-state.ts';
import { needsStock, stockSearch, withStock } from './stockpile.ts';
import { searcherOf, strategyOf } from './strategies.ts';
import type { Candidate, KernelSource, ScanOrder, ScanResult, SearchSpec } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';
import { Winners } from './winners.ts';

export type { Ending, MiningTask } from './phases.ts';

/** Readings that only ever grow; where they start does not matter. */
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
  /** The first identity; null without one. */
  readonly identity: MinedIdentity | null;
  /** All that were found, in the order of their attempts; fewer than wanted if a budget ended. */
  readonly identities: readonly MinedIdentity[];
  /** The bits that the first identity shows. */
  readonly measured: { readonly c1: number; readonly c2: number } | null;
  readonly ledger: Ledger;
  /** From where the search goes on with a larger budget. */
  readonly state: SearchState;
}

/** Searches on this thread until found or the budget ends. `fresh` and `walk` need no kernels. */
export function mine(
  asked: MiningTask,
  clocks: Clocks,
  kernels: KernelSource = NO_KERNELS,
  begun: SearchState = SEARCH_NOT_BEGUN,
): MiningResult {
  const task = stocked(asked, kernels, begun);
  const start = { cpu: clocks.cpuSeconds(), wall: clocks.wallSeconds() };
  const spent = () => ({
    cpuSeconds: begun.cpuSeconds + clocks.cpuSeconds() - start.cpu,
    wallSeconds: begun.wallSeconds + clocks.wallSeconds() - start.wall,
  });
  const scan = scanner(task, kernels);
  let state = begun;
  let ending: Ending = 'found';
  for (;;) {
    const order = nextPhase(task, state);
    if (order === null) break;
    const outcome = runPhase({ task, order, scan, spent });
    const after = afterPhase(task, state, { order, outcome });
    state = after.state;
    ending = outcome.ending;
    if (!after.isComplete) break;
  }
  return settle(task, { ...state, ...spent() }, ending);
}

/** The task with its keys in stock, where its strategy asks for them. */
function stocked(task: MiningTask, kernels: KernelSource, begun: SearchState): MiningTask {
  if (!needsStock(task)) return task;
  const search = { ...stockSearch(task, task.stockpile), budget: {} };
  const order = stockOrder(task.stockpile);
  const spent = () => ({ cpuSeconds: 0, wallSeconds: 0 });
  const { hits } = runPhase({ task: search, order, scan: scanner(search, kernels), spent });
  const ready = withStock(task, hits);
  assertWinners(ready, begun);
  return ready;
}

/** The function that scans a range of either phase of a search, as a thread of the pool runs it. */
export function scanner(
  spec: SearchSpec,
  kernels: KernelSource = NO_KERNELS,
): (phase: Phase, order: ScanOrder) => ScanResult {
  const searcher = strategyOf(spec.strategy).searcher(spec, kernels);
  const solutionKernels = kernels === NO_KERNELS ? null : kernels;
  return (phase, order) =>
    phase.type === 'keys'
      ? searcher.scan(order)
      : scanSolutions({ policy: spec.policy, nodeId: phase.nodeId }, order, solutionKernels);
}

/**
 * Turns the state of a search that has ended into its result: the claims of what was found, confirmed
 * by `admit`, and the ledger. Throws TypeError if a claim is refused, which would be a bug of the
 * strategy.
 */
export function settle(task: MiningTask, state: SearchState, ending: Ending): MiningResult {
  const identities = identitiesOf(task, state);
  const [identity = null] = identities;
  return {
    found: identities.length >= identitiesWanted(task.goal),
    ending: isClosestGoal(task.goal) && ending === 'attempts' && identity ? 'found' : ending,
    identity,
    identities,
    measured: identity && measure(task, identity.claim),
    ledger: ledgerOf(task, state),
    state,
  };
}

/** The ledger of a search as far as it has come. */
export function ledgerOf(task: MiningTask, state: SearchState): Ledger {
  const { keys, solutions, cpuSeconds, wallSeconds, overshoot } = state;
  const cost = costOf(task);
  const tried = solutions.reduce((sum, { tested }) => sum + tested, 0);
  return {
    attempts: keys.tested,
    hashes: cost.hashes * keys.tested + solutionHashes(task.policy) * tried,
    groupOperations: Math.ceil(cost.groupOperations * keys.tested),
    cpuSeconds,
    wallSeconds,
    overshoot,
  };
}

/** Every winner that has its solution, or needs none. */
function identitiesOf(task: MiningTask, state: SearchState): readonly MinedIdentity[] {
  const needed = solutionsNeeded(task, state);
  const numbers = state.solutions.flatMap(({ winners }) => winners);
  const shared = task.dynamicStrategy === 'amortised-xor';
  const identities: MinedIdentity[] = [];
  for (const [index, attempt] of state.keys.winners.entries()) {
    const number = numbers[shared ? 0 : index];
    if (needed > 0 && number === undefined) break;
    const { secret, nodeId } = candidateOf(task, attempt);
    const solution =
      needed === 0 || number === undefined ? null : solutionFor(task, nodeId, number);
    const claim = createClaim({ scheme: task.scheme, secret, policy: task.policy, solution });
    const verdict = admit(claim, task.policy);
    if (!verdict.admitted) throw new TypeError(`mined claim was refused: ${verdict.refusal}`);
    identities.push({ claim, secret });
  }
  return identities;
}

/** Candidates are made by noble alone. */
function candidateOf(spec: SearchSpec, attempt: number): Candidate {
  return searcherOf(spec).candidate(attempt);
}

function measure(task: MiningTask, claim: Claim): { c1: number; c2: number } {
  const { nodeId, solution } = claim;
  const { policy } = task;
  const challenge = challengeOf(policy);
  const c2 =
    solution === null
      ? 0
      : dynamicBits({ form: policy.dynamic, challenge, nodeId, solution, policy });
  return { c1: staticBits(nodeId, policy), c2 };
}

function runPhase(run: {
  readonly task: MiningTask;
  readonly order: PhaseOrder;
  readonly scan: ReturnType<typeof scanner>;
  readonly spent: () => { cpuSeconds: number; wallSeconds: number };
}): PhaseOutcome {
  const { task, order } = run;
  const { phase, limit } = order;
  const step = phaseStep(task, phase);
  const tally = new Winners(task, order);
  let { tested } = order.begun;
  while (tested < limit) {
    if (isTimeSpent(task.budget, run.spent())) return tally.outcome({ tested, ending: 'time' });
    const count = Math.min(step, limit - tested);
    const result = run.scan(phase, {
      from: tested,
      count,
      wanted: tally.missing(),
      ...tally.bar(),
    });
    tested += result.tested;
    tally.add(result.hits);
    if (tally.missing() === 0) return tally.outcome({ tested, ending: 'found' });
  }
  return tally.outcome({ tested, ending: 'attempts' });
}
