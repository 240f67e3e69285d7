/**
 * @module
 * The largest experiment that a document may ask for. Each limit is named in the refusal that quotes
 * it, so that nobody waits for a run that could never end.
 */

/** Characters of a threat model's text. */
export const DOCUMENT_CHARACTERS_MAX = 65_536;
/** Characters of one `path=value` setting, and how many settings may be given together. */
export const SETTING_CHARACTERS_MAX = 4096;
export const SETTINGS_MAX = 64;
/** Faults that one refusal lists. */
export const FAULTS_MAX = 8;

/** Honest nodes where only rank keys are drawn. */
export const HONEST_MAX = 1_000_000;
/** Honest nodes where an election is held in every run: Bully sends about n² messages. */
export const HONEST_ELECTED_MAX = 4096;
/** Adversaries of one document. */
export const ADVERSARIES_MAX = 16;
/** Hash attempts that honest nodes are expected to spend in one mined run, n·(2^c1 + 2^c2). */
export const HONEST_WORK_MAX = 2 ** 32;
/** Keys that an adversary may make before each mined run: some seconds' work. */
export const STOCKPILED_MAX = 2 ** 26;
/** Runs that one document or command may ask for. */
export const RUNS_MAX = 1_000_000_000;

/** A budget in attempts or hashes; in seconds (three years); candidates per second. */
export const BUDGET_COUNT_MAX = Number.MAX_SAFE_INTEGER;
export const BUDGET_SECONDS_MAX = 100_000_000;
export const RATE_MAX = 10_000_000_000;

/** Sampled runs at the head of an experiment whose elections are really held. */
export const SAMPLED_ELECTION_RUNS = 200;
/** Messages that those elections may send together, by the registry's estimate. */
export const SAMPLED_ELECTION_MESSAGES_MAX = 40_000_000;

/** Ordinary identities of one adversary. */
export const ORDINARY_MAX = 1024;
/** Ticks for which an election is watched. */
export const WATCHED_TICKS_MAX = 1_000_000;
/** Epochs of one run. */
export const EPOCHS_MAX = 10_000;
/** Sampled runs whose elections are held to confirm what was drawn. */
export const CONFIRMED_RUNS_MAX = 1_000_000;
/** Of a sweep: axes, values of one axis, cells, and rows. */
export const SWEEP_AXES_MAX = 8;
export const SWEEP_VALUES_MAX = 10_000;
export const SWEEP_CELLS_MAX = 100_000;
/** Honest nodes, and identities of one adversary, where every rank of every run is looked at. */
export const CAPTURED_MAX = 100_000;
/** Epochs times honest nodes. */
export const EPOCH_CLAIMS_MAX = 1_000_000;
/** Nodes of an election that is watched from tick to tick. */
export const WATCHED_NODES_MAX = 256;
