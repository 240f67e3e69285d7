/**
 * @module
 * What a threat model can ask of its runs: the closed list of properties, what each means, and how a
 * verdict says it.
 */

/** One property, in words. */
interface Property {
  /** For the schema: when a run has it. */
  readonly description: string;
  /** What happened in so many runs, with the adversary as `subject` where it is about one. */
  readonly clause: (subject: string, places: number) => string;
}

export const PROPERTIES = {
  'adversary-leads': {
    description:
      'an adversary leads in all elections of the run (for a while, where it misbehaves; in the last epoch, where there are several)',
    clause: (subject) => `${subject} led`,
  },
  'highest-leads': {
    description: 'in all elections every node agrees on the highest node ID in the end',
    clause: () => 'the highest ID led',
  },
  'no-leader': {
    description: 'in all elections the honest nodes never agree on a live leader that lasts',
    clause: () => 'no leader lasted',
  },
  split: {
    description:
      'in all elections honest nodes follow two live leaders at once for longer than a hand-over, or two lead in one epoch',
    clause: () => 'two leaders were followed at once',
  },
  'stale-writes': {
    description: 'in all elections the resource takes writes of a leader that had been replaced',
    clause: () => 'the resource took writes of a leader that had been replaced',
  },
  'top-captured': {
    description: "the highest ranks, as many as `places`, are all an adversary's",
    clause: (subject, places) =>
      places === 1
        ? `${subject} held the highest rank`
        : `${subject} held the ${places} highest ranks`,
  },
  'successors-captured': {
    description:
      "the nodes after an honest victim on a ring in the order of ranks, as many as `places`, are all an adversary's",
    clause: (subject, places) =>
      places === 1
        ? `${subject} held the successor of the victim`
        : `${subject} held the ${places} successors of the victim`,
  },
  'majority-captured': {
    description: 'more than half of all identities are of adversaries, a quorum by themselves',
    clause: (subject) => `${subject} held a majority of the identities`,
  },
  'adversary-leads-once': {
    description: 'an adversary has the highest rank of at least one of the epochs',
    clause: (subject) => `${subject} led at least one epoch`,
  },
  'honest-priced-out': {
    description: 'in the last epoch fewer than half of the honest nodes have a claim that counts',
    clause: () => 'fewer than half of the honest nodes kept an identity',
  },
} as const satisfies Readonly<Record<string, Property>>;

export type PropertyName = keyof typeof PROPERTIES;

/** In the order of the list. The keys of an object are strings to the compiler: hence the `as`. */
export const PROPERTY_NAMES = Object.keys(PROPERTIES) as readonly PropertyName[];

/** Properties of the ranking of identities, for which no election is held. */
export const CAPTURES = ['top-captured', 'successors-captured', 'majority-captured'] as const;

/** Properties that need several epochs. */
export const EPOCH_PROPERTIES = ['adversary-leads-once', 'honest-priced-out'] as const;

/** Properties that only an election watched from tick to tick can show. */
export const WATCHED_PROPERTIES = ['no-leader', 'split', 'stale-writes'] as const;

export function isCapture(property: PropertyName): property is (typeof CAPTURES)[number] {
  return CAPTURES.some((name) => name === property);
}

export function isWatched(property: PropertyName): property is (typeof WATCHED_PROPERTIES)[number] {
  return WATCHED_PROPERTIES.some((name) => name === property);
}
