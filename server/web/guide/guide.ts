/**
 * @module
 * This folder contains the guides: narrated elections that play by themselves. This file has the form of a guide. A
 * guide is data. Each of its sentences has a condition, and is shown only while the condition holds for the events and
 * the IDs on the screen. Guides run in the browser, and the server keeps nothing of them.
 */

import type { Schema } from '../api/contract.ts';
import type { RacePlan } from '../race/plan.ts';
import { DEFAULT_PLAN } from '../race/plan.ts';
import type { Scene } from '../race/scene.ts';
import type { ElectionMoment } from './moments.ts';

/** The races of the first election: the network as it is at first, and with the defence. */
export const RACE: RacePlan = { ...DEFAULT_PLAN, nodes: 5, c1: 6, budgetBits: 9, seed: '22' };
export const DEFENDED: RacePlan = { ...RACE, c1: 12 };

export interface Guide {
  /** The last part of its address. */
  readonly name: GuideName;
  readonly title: string;
  /** The races that its parts show. */
  readonly races: readonly RacePlan[];
}

export type GuideName = 'first-election' | 'ring' | 'lie' | 'zombie';

/** The guides, in the order of their links. What they say is loaded with the simulator (stories). */
export const GUIDES: readonly Guide[] = [
  { name: 'first-election', title: 'A first election', races: [RACE, DEFENDED] },
  { name: 'ring', title: 'A ring', races: [] },
  { name: 'lie', title: 'A lie', races: [] },
  { name: 'zombie', title: 'A zombie leader', races: [] },
];

/** A sentence, and when it is true. */
export interface Step<Moment> {
  /** At most 15 words. */
  readonly text: string;
  readonly when: (moment: Moment) => boolean;
}

/** An effect of the program that plays the node of the forger, as an outbox takes it. */
export type OutsideEffect =
  | { readonly type: 'send'; readonly to: number[]; readonly message: OutsideMessage }
  | { readonly type: 'elect'; readonly leader: number; readonly epoch: number };

type OutsideMessage = { readonly type: string; readonly leader?: number };

/** An action on the election, as the API takes it. An outbox is that of the node that joined. */
export type GuideAction =
  | { readonly type: 'start'; readonly nodes?: number[] }
  | { readonly type: 'advance'; readonly until: 'idle' | number; readonly events?: number }
  | { readonly type: 'outbox'; readonly effects: readonly OutsideEffect[] };

/** An election of a guide: how it is created, who joins it, and what is done with it. */
export interface GuideElection {
  /** The body of POST /v1/elections. Its members are those that the simulator takes under the same names. */
  readonly request: Schema<'ElectionRequest'> & { readonly seed: string };
  /** The plan of the race whose forger joins above all nodes; null if no node joins. */
  readonly joins: RacePlan | null;
  readonly actions: readonly GuideAction[];
}

/** The moments of a part that are shown: from this one, to this one or the last. */
interface Shown {
  readonly from: number;
  readonly to?: number;
}

/** A part of a guide: one picture, with the sentences about it. Its sentences are true while they are shown. */
export type Part = Shown &
  (
    | {
        readonly view: 'election';
        readonly election: GuideElection;
        readonly steps: readonly Step<ElectionMoment>[];
      }
    | {
        readonly view: 'race';
        readonly plan: RacePlan;
        /** The plan of an earlier race, whose best forged ID is offered at the end of this one; null for none. */
        readonly offers: RacePlan | null;
        readonly steps: readonly Step<Scene>[];
      }
  );

/** One picture of a guide with its sentence. A guide is a list of frames. */
export interface Frame {
  /** Index of the part. */
  readonly part: number;
  /** Index of the sentence among all of the guide. */
  readonly step: number;
  readonly text: string;
  /** Index of the moment in its part. */
  readonly moment: number;
}

/** Milliseconds for which a sentence is shown, and for each of its words. */
const SENTENCE_MS = 900;
const WORD_MS = 200;
/** The part of them that is left for its last frame. */
const LAST_FRAME = 0.4;

/** Milliseconds for which a frame is shown while a guide plays. */
export function msOf(frames: readonly Frame[], index: number): number {
  const { step = 0, text = '' } = frames[index] ?? {};
  const whole = SENTENCE_MS + WORD_MS * text.split(' ').length;
  const count = frames.filter((frame) => frame.step === step).length;
  if (count === 1) return whole;
  const isLast = frames[index + 1]?.step !== step;
  return isLast ? LAST_FRAME * whole : ((1 - LAST_FRAME) * whole) / (count - 1);
}
