/**
 * @module
 * The tests of the edges, which have a suite of their own (vitest.edges.config.ts) and are left out of the one
 * that runs by default: what starts threads and processes, and what takes longest.
 */

/** Patterns of test files. */
export const EDGES = [
  'test/cli/**/*.test.ts',
  'test/runtime/**/*.test.ts',
  'test/documents/commands.test.ts',
  'test/recorded-runs.test.ts',
  'test/server/socket/drain.test.ts',
  'test/threat-models/catalogue.test.ts',
  'test/server/fuzz/fuzz.test.ts',
  'test/mining/resume.test.ts',
  'test/mining/kernel/wasm-kernel.test.ts',
  'test/adversary/unforgeable.test.ts',
  'test/adversary/malformed.test.ts',
  'test/simulation/scenarios/scenarios.test.ts',
  'test/experiment/runs/registration.test.ts',
  'test/experiment/attack/trials.test.ts',
];
