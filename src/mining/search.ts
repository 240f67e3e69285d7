/**
 * @module
 * A whole search: find the lowest attempt that meets goal and static puzzle, then the lowest X for
 * the dynamic one, then make the claim and let `admit` confirm it. `mine` does it on one thread and
 * is the reference; the pool in runtime/ shares the ranges out and settles through the same function,
 * so both give the same identity and the same attempts ledger.
 */

import { admit } from '../identity/admit.ts';
import type { Claim } from '../identity/claim.ts';
import { createClaim } from '../identity/claim.ts';
import { challengeOf, dynamicBits, staticBits } from '../identity/puzzle.ts';
import type { Secret } from '../identity/secret.ts';
import { demandedBits } from './demand.ts';
import type { AttemptCost, Budget, Ledger } from './ledger.ts';
import { affordableAttempts, isTimeSpent } from './ledger.ts';
import { scanSolutions, solutionBytes } from './solution.ts';
import { strategyOf } from './strategies.ts';
import type { Candidate, KernelSource, ScanResult, SearchSpec } from './strategy.ts';

export interface MiningTask extends SearchSpec {
  readonly budget: Budget;
}

/** Readings that only ever grow; where they start does not matter. */
export interface Clocks {
  cpuSeconds(): number;
  wallSeconds(): number;
}

/** How a search ended; `time` and `cancelled` ledgers are not reproducible, the others are. */
export type Ending = 'found' | 'attempts' | 'time' | 'cancelled';

export interface MinedIdentity {
  readonly claim: Claim;
  readonly secret: Secret;
}

export interface MiningResult {
  readonly found: boolean;
  readonly ending: Ending;
  readonly identity: MinedIdentity | null;
  readonly measured: { readonly c1: number; readonly c2: number } | null;
  readonly ledger: Ledger;
}

/** The two phases of a search; each scans ranges of numbers from 0 upwards. */
export type Phase =
  | { readonly type: 'keys' }
  | { readonly type: 'solutions'; readonly nodeId: Uint8Array };

/** How one phase ended, after every range below the winner was scanned. */
export interface PhaseOutcome {
  readonly winner: number | null;
  /** Numbers scanned without a gap from 0: the winner + 1, or as far as the phase came. */
  readonly tested: number;
  readonly overshoot: number;
  readonly ending: Ending;
}

/** Between two looks at the clocks: a few milliseconds. */
const STEP_SOLUTIONS = 1024;

/** Searches on this thread until found or the budget ends. `fresh` and `walk` need no kernels. */
export function mine(
  task: MiningTask,
  clocks: Clocks,
  kernels: KernelSource = NO_KERNELS,
): MiningResult {
  const start = { cpu: clocks.cpuSeconds(), wall: clocks.wallSeconds() };
  const spent = () => ({
    cpuSeconds: clocks.cpuSeconds() - start.cpu,
    wallSeconds: clocks.wallSeconds() - start.wall,
  });
  const scan = scanner(task, kernels);
  const run = (phase: Phase, limit: number) => runPhase({ task, phase, limit, scan, spent });
  const keys = run({ type: 'keys' }, keyLimit(task));
  const next = solutionsPhase(task, keys);
  const solutions = next && run(next, solutionLimit(task, keys));
  return settle(task, { keys, solutions }, spent());
}

/** The function that scans a range of either phase of a search, as a thread of the pool runs it. */
export function scanner(
  spec: SearchSpec,
  kernels: KernelSource = NO_KERNELS,
): (phase: Phase, from: number, count: number) => ScanResult {
  const searcher = strategyOf(spec.strategy).searcher(spec, kernels);
  return (phase, from, count) =>
    phase.type === 'keys'
      ? searcher.scan(from, count)
      : scanSolutions({ policy: spec.policy, nodeId: phase.nodeId }, { from, count });
}

/** The phase after the keys: none without a winner or without a dynamic puzzle. */
export function solutionsPhase(task: MiningTask, keys: PhaseOutcome): Phase | null {
  if (keys.winner === null || demandedBits(task.policy).c2 === 0) return null;
  const { nodeId } = candidateOf(task, keys.winner);
  return { type: 'solutions', nodeId };
}

/** Numbers of a short range of a phase; ranges that are multiples of it waste nothing. */
export function phaseStep({ strategy, scheme }: SearchSpec, phase: Phase): number {
  return phase.type === 'keys' ? strategyOf(strategy).step(scheme) : STEP_SOLUTIONS;
}

/** How many keys attempts and hashes pay for. */
export function keyLimit(task: MiningTask): number {
  return affordableAttempts(task.budget, costOf(task));
}

/** How many solutions the hashes left after the keys pay for. */
export function solutionLimit(task: MiningTask, keys: PhaseOutcome): number {
  const { hashes } = costOf(task);
  return (task.budget.hashes ?? Number.POSITIVE_INFINITY) - hashes * keys.tested;
}

/**
 * Turns the outcomes of the phases into the result: the claim of the winner, confirmed by `admit`,
 * and the ledger. Throws TypeError if the claim is refused, which would be a bug of the strategy.
 */
export function settle(
  task: MiningTask,
  phases: { readonly keys: PhaseOutcome; readonly solutions: PhaseOutcome | null },
  spent: { readonly cpuSeconds: number; readonly wallSeconds: number },
): MiningResult {
  const { keys, solutions } = phases;
  const cost = costOf(task);
  const ledger: Ledger = {
    attempts: keys.tested,
    hashes: cost.hashes * keys.tested + (solutions?.tested ?? 0),
    groupOperations: Math.ceil(cost.groupOperations * keys.tested),
    cpuSeconds: spent.cpuSeconds,
    wallSeconds: spent.wallSeconds,
    overshoot: keys.overshoot,
  };
  const ending = solutions?.ending ?? keys.ending;
  if (keys.winner === null || (solutions !== null && solutions.winner === null)) {
    return { found: false, ending, identity: null, measured: null, ledger };
  }
  const { secret } = candidateOf(task, keys.winner);
  const winner = solutions?.winner ?? null;
  const solution = winner === null ? null : solutionBytes(task.policy, winner);
  const claim = createClaim({ scheme: task.scheme, secret, policy: task.policy, solution });
  const verdict = admit(claim, task.policy);
  if (!verdict.admitted) throw new TypeError(`mined claim was refused: ${verdict.refusal}`);
  return {
    found: true,
    ending,
    identity: { claim, secret },
    measured: measure(task, claim),
    ledger,
  };
}

function costOf({ strategy, policy, scheme }: SearchSpec): AttemptCost {
  return strategyOf(strategy).cost(policy, scheme);
}

/** Candidates are made by noble alone. */
function candidateOf(spec: SearchSpec, attempt: number): Candidate {
  return strategyOf(spec.strategy).searcher(spec, NO_KERNELS).candidate(attempt);
}

const NO_KERNELS: KernelSource = () => {
  throw new TypeError('"kernels" expected where candidates are scanned, got none');
};

function measure(task: MiningTask, claim: Claim): { c1: number; c2: number } {
  const { nodeId, solution } = claim;
  const { dynamic: form } = task.policy;
  const challenge = challengeOf(task.policy);
  const c2 = solution === null ? 0 : dynamicBits({ form, challenge, nodeId, solution });
  return { c1: staticBits(nodeId), c2 };
}

function runPhase(run: {
  readonly task: MiningTask;
  readonly phase: Phase;
  readonly limit: number;
  readonly scan: ReturnType<typeof scanner>;
  readonly spent: () => { cpuSeconds: number; wallSeconds: number };
}): PhaseOutcome {
  const { task, phase, limit } = run;
  const step = phaseStep(task, phase);
  let tested = 0;
  while (tested < limit) {
    if (isTimeSpent(task.budget, run.spent())) {
      return { winner: null, tested, overshoot: 0, ending: 'time' };
    }
    const result = run.scan(phase, tested, Math.min(step, limit - tested));
    tested += result.tested;
    if (result.winner !== null) {
      return { winner: result.winner, tested, overshoot: 0, ending: 'found' };
    }
  }
  return { winner: null, tested, overshoot: 0, ending: 'attempts' };
}
