/**
 * @module
 * The vocabulary of the code base: terms that identifiers must not contain, each with the term to use,
 * and words that comments, strings and documents must not contain.
 */

/** One concept has one term; see docs/glossary.md. A term is matched by the words of an identifier. */
export interface Retired {
  /** In camelCase. `waitingRoom` matches waitingRoom, WaitingRoom, WAITING_ROOM and newWaitingRoom. */
  readonly term: string;
  readonly use: string;
}

export const RETIRED: readonly Retired[] = [
  { term: 'algorithm', use: 'protocol' },
  { term: 'algorithms', use: 'protocols' },
  { term: 'asker', use: 'principal' },
  { term: 'askers', use: 'principals' },
  { term: 'cheat', use: 'byzantine' },
  { term: 'cheats', use: 'byzantine' },
  { term: 'cheated', use: 'byzantine' },
  { term: 'corrupt', use: 'byzantine (a node) or damage (a file)' },
  { term: 'corrupted', use: 'byzantine (a node) or damaged (a file)' },
  { term: 'corruption', use: 'byzantine (a node) or damage (a file)' },
  { term: 'corruptions', use: 'byzantine (nodes) or damage (files)' },
  { term: 'demand', use: 'assert' },
  { term: 'holdingBack', use: 'returnBackOff' },
  { term: 'liar', use: 'byzantine' },
  { term: 'liars', use: 'byzantine' },
  { term: 'manieth', use: 'sequence number' },
  { term: 'misfit', use: 'unsupportedReason' },
  { term: 'misfits', use: 'unsupportedReasons' },
  { term: 'misshapen', use: 'malformed' },
  { term: 'news', use: 'events' },
  { term: 'nobody', use: 'none' },
  { term: 'place', use: 'rank, index, slot or location' },
  { term: 'places', use: 'ranks, indices, slots or locations' },
  { term: 'rehearsal', use: 'dryRun' },
  { term: 'rehearse', use: 'dryRun' },
  { term: 'retell', use: 'replay' },
  { term: 'retelling', use: 'replay' },
  { term: 'seat', use: 'rank or node' },
  { term: 'seats', use: 'ranks or nodes' },
  { term: 'sees', use: 'isVisibleTo' },
  { term: 'tapped', use: 'intercepted' },
  { term: 'told', use: 'history, reported or sent' },
  { term: 'waitingRoom', use: 'pausedInbox' },
  { term: 'ways', use: 'hooks' },
  { term: 'whoever', use: 'node, caller or owner' },
  { term: 'whom', use: 'node, recipient or owner' },
  { term: 'working', use: 'leaderWorkload' },
];

/** Retired terms that identifiers still contain. This list must become empty. */
export const STILL_USED: readonly string[] = [
  'asker',
  'askers',
  'cheats',
  'corrupt',
  'corrupted',
  'liar',
  'liars',
  'news',
  'nobody',
  'place',
  'places',
  'rehearse',
  'seat',
  'told',
  'ways',
  'whom',
  'working',
];

/** Words that are hard to understand, or that stand for another term. */
export const UNPLAIN: readonly RegExp[] = [
  /\bnobody\b/i,
  /\bwhoever\b/i,
  /\bwhom\b/i,
  /\bmanieth\b/i,
  /\bso many\b/i,
  /\bhears?\b/i,
  /\btells?\b/i,
  /\bcheat(s|ed|ing)?\b/i,
  /\bliars?\b/i,
  /\brehears(al|als|e|ed)\b/i,
  /\bretell(s|ing)?\b/i,
  /\bmisshapen\b/i,
  /\bmisfits?\b/i,
  /\bwaiting rooms?\b/i,
  /\baskers?\b/i,
  /TODO: describe/,
];

/** Folders, files and documents without unplain words. Add yours when it has none. */
export const PLAIN: readonly string[] = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/bytes.md',
  'docs/cli/README.md',
  'docs/cli/calibrate.md',
  'docs/cli/replay.md',
  'docs/cli/run.md',
  'docs/cli/worker.md',
  'docs/faults.md',
  'docs/glossary.md',
  'docs/limits.md',
  'docs/properties.md',
  'docs/decisions/README.md',
  'docs/decisions/claim-checks.md',
  'docs/decisions/machine-contract.md',
  'docs/decisions/memory-limits.md',
  'docs/decisions/mining-kernels.md',
  'docs/decisions/protocol-assumptions.md',
  'docs/decisions/server-storage.md',
  'docs/decisions/simulated-node.md',
  'docs/decisions/sweep-cells.md',
  'docs/decisions/test-suites.md',
  'docs/decisions/timers.md',
  'bench',
  'src/identity',
  'src/mining',
  'src/runtime',
  'test/identity',
  'test/mining',
  'test/runtime',
  'docs/decisions/sweep-journal.md',
  'test/documents',
  'src/simulation',
  'test/tidy.test.ts',
  'test/tidy/folders.ts',
  'test/tidy/sources.ts',
];
