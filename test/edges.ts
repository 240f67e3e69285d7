/**
 * @module
 * The tests that are in the suite of the edges (vitest.edges.config.ts) and not in the default suite: those
 * that start threads and processes, and those that take longest.
 */

/** Patterns of test files. */
export const EDGES = [
  'test/cli/**/*.test.ts',
  'test/checking/worlds.test.ts',
  'test/runtime/**/*.test.ts',
  'test/documents/commands.test.ts',
  'test/definitions/removed-facts.test.ts',
  'test/recorded-runs.test.ts',
  'test/server/socket/drain.test.ts',
  'test/server/socket/idle-connections.test.ts',
  'test/server/store/store-process.test.ts',
  'test/threat-models/catalogue.test.ts',
  'test/threat-models/prose.test.ts',
  'test/server/contract/examples.test.ts',
  'test/server/fuzz/fuzz.test.ts',
  'test/server/store/kill.test.ts',
  'test/server/idempotency/restart.test.ts',
  'test/server/elections/storage/restart.test.ts',
  'test/mining/resume.test.ts',
  'test/mining/strategies.test.ts',
  'test/mining/strategy-goals.test.ts',
  'test/mining/stockpile.test.ts',
  'test/mining/stockpile-odds.test.ts',
  'test/mining/many-identities.test.ts',
  'test/mining/goals/pair.test.ts',
  'test/mining/kernel/wasm-kernel.test.ts',
  'test/identity/keys/plain-claims.test.ts',
  'test/server/claims/slow-claims.test.ts',
  'test/mining/kernel/policies.test.ts',
  'test/adversary/unforgeable.test.ts',
  'test/adversary/malformed.test.ts',
  'test/simulation/scenarios/scenarios.test.ts',
  'test/simulation/faults/drawn-faults.test.ts',
  'test/experiment/response/settle.test.ts',
  'test/experiment/runs/mined-run.test.ts',
  'test/experiment/runs/mined-policies.test.ts',
  'test/experiment/runs/sampled-run.test.ts',
  'test/experiment/runs/watched-run.test.ts',
  'test/experiment/runs/registration.test.ts',
  'test/experiment/runs/variation.test.ts',
  'test/experiment/attack/any-harm.test.ts',
  'test/experiment/attack/trials.test.ts',
];
