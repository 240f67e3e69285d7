/**
 * @module
 * Observations: the named counts and measurements of one run, which are columns of a sweep's tables.
 */

/** What one run showed, by column name; a column that it lacks is null in the table. */
export type Observations = Readonly<Partial<Record<ObservationName, number>>>;

/** In the order of the columns; units are in the names, and counts have none. */
export const OBSERVATION_NAMES = [
  'nodes',
  'identities',
  'elections',
  'messages',
  'ticks',
  'usurped_ticks',
  'split_ticks',
  'agreed_ticks',
  'stale_writes',
  'detection_ticks',
  'mistakes',
  'epochs_led',
  'attempts',
  'hashes',
  'group_operations',
  'cpu_s',
  'wall_s',
] as const;

export type ObservationName = (typeof OBSERVATION_NAMES)[number];
