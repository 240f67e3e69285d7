/**
 * @module
 * The limits of threat models. The refusal of a document names the limit that it exceeds.
 */

/** Characters of a threat model's text. */
export const DOCUMENT_CHARACTERS_MAX = 65_536;
/** Characters of one `path=value` setting, and the number of settings. */
export const SETTING_CHARACTERS_MAX = 4096;
export const SETTINGS_MAX = 64;
/** Faults that one refusal lists. */
export const FAULTS_MAX = 8;

/** Honest nodes if only rank keys are drawn. */
export const HONEST_MAX = 1_000_000;
/** Honest nodes if an election is held in every run: Bully sends about n² messages. */
export const HONEST_ELECTED_MAX = 4096;
/** Adversaries of one document. */
export const ADVERSARIES_MAX = 16;
/** Expected attempts of honest nodes in one mined run, n·(2^c1 + 2^c2). */
export const HONEST_WORK_MAX = 2 ** 32;
/** Keys that an adversary makes before each mined run, in some seconds. */
export const STOCKPILED_MAX = 2 ** 26;
/** Runs that one document or command may ask for. */
export const RUNS_MAX = 1_000_000_000;
/**
 * Runs for a remote caller. A sampled run takes about 10 µs, a mined run as long as its mining. Both can be cancelled.
 */
export const REMOTE_RUNS_MAX = 10_000_000;

/** A budget in attempts or hashes; in seconds (three years); candidates per second. */
export const BUDGET_COUNT_MAX = Number.MAX_SAFE_INTEGER;
export const BUDGET_SECONDS_MAX = 100_000_000;
export const RATE_MAX = 10_000_000_000;

/** The first sampled runs of an experiment, which hold their elections. */
export const SAMPLED_ELECTION_RUNS = 200;
/** Estimated messages of these elections together. */
export const SAMPLED_ELECTION_MESSAGES_MAX = 40_000_000;

/** Ordinary identities of one adversary. */
export const ORDINARY_MAX = 1024;
/** Ticks for which an election is watched. */
export const WATCHED_TICKS_MAX = 1_000_000;
/** Epochs of one run. */
export const EPOCHS_MAX = 10_000;
/** Sampled runs that hold their elections to confirm the drawn winner. */
export const CONFIRMED_RUNS_MAX = 1_000_000;
/** Axes of a sweep, values of one axis, and cells. */
export const SWEEP_AXES_MAX = 8;
export const SWEEP_VALUES_MAX = 10_000;
export const SWEEP_CELLS_MAX = 100_000;
/** Cells and rows of one sweep for a remote caller: a server keeps the tables on disk in three forms. */
export const REMOTE_CELLS_MAX = 10_000;
export const REMOTE_ROWS_MAX = 200_000;
/** Honest nodes, and identities of one adversary, if all ranks of a run are examined. */
export const CAPTURED_MAX = 100_000;
/** Epochs times honest nodes. */
export const EPOCH_CLAIMS_MAX = 1_000_000;
/** Nodes of an election that is watched tick by tick. */
export const WATCHED_NODES_MAX = 256;
