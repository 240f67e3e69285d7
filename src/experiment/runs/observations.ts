/**
 * @module
 * Observations: the named counts and measurements of one run, which are columns of a sweep's tables.
 */

/** The meaning of each observation, in the order of the columns. Units are in the names; counts have none. */
export const OBSERVATIONS = {
  nodes: 'nodes that took part',
  identities: 'admitted identities of adversaries',
  elections: 'elections that were held',
  messages: 'messages sent in them',
  ticks: 'ticks of simulated time',
  usurpedTicks: 'ticks in which an adversary led',
  splitTicks: 'ticks in which nodes followed different leaders',
  agreedTicks: 'ticks in which all nodes followed one leader',
  staleWrites: 'accepted writes of leaders that another node had replaced',
  lateWrites: 'accepted writes after an operation of a later leader',
  detectionTicks: 'ticks from a failure to its detection',
  mistakes: 'live nodes that were suspected',
  epochsLed: 'epochs that an adversary led',
  attempts: 'candidates that adversaries tested',
  hashes: 'hash evaluations of adversaries',
  honestAttempts: 'candidates that honest nodes tested in all epochs',
  honestHashes: 'hash evaluations of honest nodes in all epochs',
  honestJoins: 'identities that honest nodes earned in all epochs',
  groupOperations: 'group operations of adversaries',
  cpuS: "CPU seconds of adversaries, in steps of the system's clock; 0 if a run is shorter than a step",
  wallS: 'wall-clock seconds of adversaries',
} as const;

export type ObservationName = keyof typeof OBSERVATIONS;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const OBSERVATION_NAMES = Object.keys(OBSERVATIONS) as readonly ObservationName[];

/** The observations of one run. A missing one is null in the table. */
export type Observations = Readonly<Partial<Record<ObservationName, number>>>;
