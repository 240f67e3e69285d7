/**
 * @module
 * What the scripts of an exercise have reached, and the class that they run for.
 */

import type { Exercise } from '../../../exercise/document.ts';

/** What one script has reached for one student. */
export interface Attempt {
  readonly student: string;
  /** `failed`: it has ended without a grade. */
  readonly status: 'correct' | 'partial' | 'incorrect' | 'failed';
  readonly points: number;
  /** What is missing, or why it has failed. */
  readonly missing: readonly string[];
  /** The last answer that it has submitted over HTTP; null if there is none. */
  readonly submission: unknown;
  /** Requests besides those for the exercise, the instance and the submission. */
  readonly otherRequests: number;
  /** Whether the answer of the student before was right for this one, with the work of this one; null if it was not tried. */
  readonly isCopyRight: boolean | null;
}

/** What all scripts of an exercise run under. */
export interface Trial {
  readonly exercise: Exercise;
  readonly students: readonly string[];
  readonly secret: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether every student first submits the answer of the student before. */
  readonly copies: boolean;
  /** Called after each student. */
  readonly onProgress: (done: number) => void;
}

/** Limit of one script for one student. What waits longer has failed. */
export const SCRIPT_SECONDS_MAX = 120;
