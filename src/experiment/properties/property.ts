/**
 * @module
 * This folder contains the properties that a threat model can expect of its runs: their contract (this
 * file) and their list (registry.ts). A property is judged over what one run showed.
 * Its definition states which kinds of runs can show it, how each of them is judged, and the closed form
 * of its probability if one is known.
 */

import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import type { WorldJudge } from '../../checking/properties/world-judge.ts';
import { definition } from '../../election/definition/definitions.ts';
import type { Theory } from '../theory/answer.ts';
import type { Forging } from '../theory/closed-forms.ts';
import type { Conduct } from '../theory/epoch-conduct.ts';
import type { Epochs } from '../theory/epoch-odds.ts';
import type { Capture } from '../theory/expected-capture.ts';
import type { Sighting } from './sighting.ts';

/** What an adversary of a threat model aims at: something in an election, or identities and ranks. */
export const MODEL_AIMS = [...AIMS, 'capture'] as const;
export type ModelAim = (typeof MODEL_AIMS)[number];

/** The owner of an identity, as the judged adversaries see it. A `rival` is an adversary that is not judged. */
export type Owner = 'honest' | 'adversary' | 'rival';

/** An identity in a ranking. */
export interface Member {
  readonly owner: Owner;
  /** The number of the identity among the identities of its owner. */
  readonly number: number;
}

export function isForged({ owner }: Member): boolean {
  return owner === 'adversary';
}

/** The ranks after registration. */
export interface Ranking {
  /** The highest rank first. */
  readonly members: readonly Member[];
  /** The number of the ranks that `expect` is about. */
  readonly count: number;
  /** Draws the number of an honest node. */
  readonly victim: () => number;
}

/** An election as its nodes ended it. */
export interface Elected {
  /** The owner of the leader; `none` if the nodes agreed on no live leader. */
  readonly winner: Owner | 'none';
  /** Whether all agreed on the highest rank. */
  readonly highestLeads: boolean;
}

/** One epoch as it ended. */
export interface Epoch {
  /** The highest rank first. */
  readonly ranking: readonly Member[];
  /** The owner of the highest rank. Null if no claim counts. */
  readonly leader: Owner | null;
}

/**
 * The judge of each kind of evidence. Null if that evidence cannot show the property, so that a run without
 * other evidence cannot either.
 */
export interface Judges {
  /** Judges each election of a run in which nodes follow the protocol. */
  readonly election: ((election: Elected) => boolean) | null;
  /** Judges the owner of the highest rank instead, so that sampled runs need no election. */
  readonly top: ((owner: Owner) => boolean) | null;
  /** Judges each election that is watched tick by tick. */
  readonly watched: ((seen: Sighting, nodes: number) => boolean) | null;
  /** Judges the ranks after registration, and after the last epoch. */
  readonly ranking: ((ranking: Ranking) => boolean) | null;
  /** Judges all epochs of a run with `honest` honest nodes. */
  readonly epochs: ((epochs: readonly Epoch[], honest: number) => boolean) | null;
}

/** No evidence shows the property. A definition replaces the judges of the evidence that does. */
export const NO_JUDGES: Judges = {
  election: null,
  top: null,
  watched: null,
  ranking: null,
  epochs: null,
};

/** The probability of the property for each kind of run. Null if it has no closed form. */
export interface ClosedForms {
  /** The closed form of elections by rank alone. A theory without a probability replaces an unknown law. */
  readonly election: ((forging: Forging | Theory) => Theory) | null;
  /**
   * Of a watched election in which ranks have no meaning and all nodes follow the protocol. There are no faults
   * and no defences. Each identity is equally likely to lead.
   */
  readonly watched: ((forging: Forging) => Theory) | null;
  readonly ranking: ((capture: Capture, count: number) => Theory) | null;
  readonly epochs: ((epochs: Epochs) => Theory) | null;
}

/** No closed form is known. */
export const NO_CLOSED_FORMS: ClosedForms = {
  election: null,
  watched: null,
  ranking: null,
  epochs: null,
};

export interface Property<Name extends string = string> {
  readonly name: Name;
  /** When a run has the property: a clause, for the schema and the documents. */
  readonly description: string;
  /** What happened in a run that has it: a clause in the past tense, with `subject` for the adversary. */
  readonly happened: (subject: string, count: number) => string;
  /** Whether `expect.count` applies to it. */
  readonly isCounted: boolean;
  /** Whether it is about the writes of leaders, so that elections need a resource. */
  readonly needsResource: boolean;
  /** Whether it is about answers to clients. Left out if it is not. */
  readonly needsClients?: true;
  /** The aim of an adversary, unless the document states it. */
  readonly aim: ModelAim;
  /** What is an advantage over epochs, and in which of them. Null if every claim of the last one is. */
  readonly epochs: Pick<Conduct, 'wants' | 'when'> | null;
  /** Whether an adversary that reaches its aim gives a run the property (`holds`) or prevents it (`fails`). */
  readonly underAttack: 'holds' | 'fails';
  readonly judges: Judges;
  /** How `usurp check` judges a world. Without it a check refuses the property: its other judges need a whole run. */
  readonly worlds?: WorldJudge;
  readonly closedForms: ClosedForms;
}

/** What is an advantage over epochs. */
export function epochAimOf({ epochs }: Property): Pick<Conduct, 'wants' | 'when'> {
  return epochs ?? { wants: 'many', when: 'last' };
}

/** Makes a definition a property that registries list. */
export function defineProperty<const Name extends string>(given: Property<Name>): Property<Name> {
  return definition('property', given);
}
