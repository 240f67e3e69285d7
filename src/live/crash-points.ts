/**
 * @module
 * The points of a step at which a live node can be told to die. A step counts if it persists something or calls a store.
 */

export const CRASH_POINTS = {
  'before-persist': 'the step is lost: nothing of it is on disk, and nothing has left the node',
  'after-persist': 'the step is on disk, and none of its messages has left the node',
} as const;

export type CrashPoint = keyof typeof CRASH_POINTS;
// Object.keys loses the type of the keys.
export const CRASH_POINT_NAMES = Object.keys(CRASH_POINTS) as readonly CrashPoint[];
